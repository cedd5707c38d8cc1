import type { FormField } from "@foyer/contract";
import { Select, TextField, Toggle } from "../../../components/field.tsx";
import { type Keyed, withPart } from "../row-key.ts";
import { toFieldName, uniqueName } from "../tool-name.ts";
import { DefaultValue } from "./default-value.tsx";
import { asType, fieldKinds, fieldTypes, hasFile, hasOptions } from "./field-kinds.ts";
import { FieldOptions } from "./field-options.tsx";
import { FieldRules } from "./field-rules.tsx";

const types = fieldTypes.map((value) => ({ value, label: fieldKinds[value] }));

/** All that one field of a form has. `errorAt` gets a path within the field. */
export function FieldForm({
  field,
  otherNames,
  onChange,
  errorAt,
}: {
  field: Keyed<FormField>;
  otherNames: string[];
  onChange: (field: Keyed<FormField>) => void;
  errorAt: (path: string) => string | undefined;
}) {
  const { type, label, name } = field;
  const set = (part: Parameters<typeof withPart<FormField>>[1]) => onChange(withPart(field, part));
  // The name follows the label until somebody gives it one of its own.
  const derived = (label: string) => uniqueName(toFieldName(label) || "field", otherNames);
  const changeLabel = (next: string) =>
    set({ label: next, ...(name === derived(label) ? { name: derived(next) } : {}) });
  return (
    <div className="grid gap-4">
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <TextField
          label="Label"
          value={label}
          onChange={changeLabel}
          error={errorAt("label")}
          maxLength={500}
          autoComplete="off"
        />
        <Select
          label="Type"
          options={types}
          value={type}
          onChange={(type) => set(asType(field, type))}
          error={errorAt("type")}
        />
        <TextField
          label="Name"
          value={name}
          onChange={(name) => set({ name })}
          error={errorAt("name")}
          help="How the answer is called in webhooks and exports."
          {...{ maxLength: 100, autoComplete: "off", spellCheck: false, className: "font-mono" }}
        />
        {!hasFile(type) && type !== "multiselect" && (
          <TextField
            label="Placeholder"
            isOptional
            value={field.placeholder ?? ""}
            onChange={(placeholder) => set({ placeholder: placeholder || undefined })}
            error={errorAt("placeholder")}
            help="Shown while nothing is written. No place for what has to be known."
            {...{ maxLength: 500, autoComplete: "off" }}
          />
        )}
      </div>
      {hasOptions(type) && (
        <FieldOptions
          options={field.options ?? []}
          onChange={(options) => set({ options })}
          errorAt={(path) => errorAt(`options${path}`)}
        />
      )}
      {!hasFile(type) && (
        <DefaultValue
          field={field}
          onChange={(defaultValue) => set({ defaultValue })}
          error={errorAt("defaultValue")}
        />
      )}
      <FieldRules
        type={type}
        rules={field.validation ?? {}}
        onChange={(validation) => set({ validation: Object.keys(validation).length > 0 ? validation : undefined })}
        errorAt={(path) => errorAt(`validation.${path}`)}
      />
      <Toggle
        label="Read-only"
        help="Visitors see the default value and cannot change it. It is sent all the same."
        value={field.disabled ?? false}
        onChange={(disabled) => set({ disabled: disabled || undefined })}
      />
    </div>
  );
}
