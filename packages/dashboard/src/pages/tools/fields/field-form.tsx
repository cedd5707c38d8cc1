import type { FormField } from "@foyer/contract";
import { fieldEditors } from "@foyer/contract/rules/field-editor";
import { describeField } from "@foyer/contract/rules/field-types";
import { formTextLimits } from "@foyer/contract/rules/limits";
import { Select, TextField, Toggle } from "../../../components/field.tsx";
import { type Keyed, withPart } from "../row-key.ts";
import { toFieldName, uniqueName } from "../tool-name.ts";
import { DefaultValue } from "./default-value.tsx";
import { changesForType, typeChoices } from "./field-kinds.ts";
import { FieldOptions } from "./field-options.tsx";
import { FieldRules } from "./field-rules.tsx";

/** Edits one field of a form. `errorAt` takes a path within the field. */
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
  const editor = fieldEditors[type];
  const set = (part: Parameters<typeof withPart<FormField>>[1]) => onChange(withPart(field, part));
  // The name follows the label until it is edited.
  const deriveName = (label: string) => uniqueName(toFieldName(label) || "field", otherNames);
  const changeLabel = (next: string) =>
    set({ label: next, ...(name === deriveName(label) ? { name: deriveName(next) } : {}) });
  return (
    <div className="grid gap-4">
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <TextField
          label="Label"
          value={label}
          onChange={changeLabel}
          error={errorAt("label")}
          help={editor.labelHelp}
          maxLength={formTextLimits.label}
          autoComplete="off"
        />
        <Select
          label="Type"
          options={typeChoices}
          value={type}
          onChange={(type) => set(changesForType(field, type))}
          error={errorAt("type")}
        />
        <TextField
          label="Name"
          value={name}
          onChange={(name) => set({ name })}
          error={errorAt("name")}
          help="Identifies the answer in webhooks and exports."
          maxLength={formTextLimits.fieldName}
          autoComplete="off"
          spellCheck={false}
          className="font-mono"
        />
        {editor.hasPlaceholder && (
          <TextField
            label="Placeholder"
            isOptional
            value={field.placeholder ?? ""}
            onChange={(placeholder) => set({ placeholder: placeholder || undefined })}
            error={errorAt("placeholder")}
            help="Disappears when the visitor types, so put instructions in the label."
            maxLength={formTextLimits.placeholder}
            autoComplete="off"
          />
        )}
      </div>
      {describeField(field).hasOptions && (
        <FieldOptions
          options={field.options ?? []}
          onChange={(options) => set({ options })}
          errorAt={(path) => errorAt(`options${path}`)}
        />
      )}
      {editor.defaultHelp !== null && (
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
        help="Visitors see the default value but can't change it, and it is stored whatever they send. Submissions mark a value that the server can't verify, such as the email address of a visitor who isn't signed in."
        value={field.disabled ?? false}
        onChange={(disabled) => set({ disabled: disabled || undefined })}
      />
    </div>
  );
}
