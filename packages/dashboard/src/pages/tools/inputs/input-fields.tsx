import { toolTextLimits } from "@foyer/contract/rules/limits";
import { X } from "lucide-react";
import { useState } from "react";
import { IconButton } from "../../../components/button.tsx";
import { Select, TextField, Toggle } from "../../../components/field.tsx";
import type { InputRow } from "../input-schema-draft.ts";
import { type Keyed, withPart } from "../row-key.ts";
import { type EnumType, enumText, readEnum } from "./enum-text.ts";

const types = [
  { value: "string", label: "Text" },
  { value: "number", label: "Number" },
  { value: "integer", label: "Whole number" },
  { value: "boolean", label: "Yes or no" },
  { value: "array", label: "List" },
  { value: "object", label: "Object" },
];

/** Edits one input: its name, type, description and allowed values. Other keywords of its schema are kept. */
export function InputFields({
  row,
  index,
  errorAt,
  onChange,
  onRemove,
}: {
  row: Keyed<InputRow>;
  index: number;
  errorAt: (path: string) => string | undefined;
  onChange: (row: Keyed<InputRow>) => void;
  onRemove: () => void;
}) {
  const { name, isRequired, schema } = row;
  const path = `inputSchema.properties.${name}`;
  const set = (part: Record<string, unknown>) => onChange({ ...row, schema: withPart(schema, part) });
  const type = typeof schema.type === "string" ? schema.type : "";
  const hasChoices = type === "string" || type === "number" || type === "integer";
  // Allowed values of another type could never match.
  const changeType = (type: string) => set({ type, enum: undefined });
  return (
    <fieldset className="rounded-lg border border-line bg-raised">
      <legend className="sr-only">Input {name || index + 1}</legend>
      <div className="grid items-start gap-4 p-4 sm:grid-cols-2">
        <TextField
          label="Name"
          value={name}
          onChange={(name) => onChange({ ...row, name })}
          error={name === "" ? errorAt(path) : errorAt(path) && errorFor(errorAt, path)}
          maxLength={toolTextLimits.inputName}
          autoComplete="off"
          spellCheck={false}
          className="font-mono"
        />
        <Select
          label="Type"
          options={type === "" ? [{ value: "", label: "Choose a type" }, ...types] : types}
          value={type}
          onChange={changeType}
          error={errorAt(`${path}.type`)}
        />
        <div className="sm:col-span-2">
          <TextField
            label="Description"
            value={typeof schema.description === "string" ? schema.description : ""}
            onChange={(description) => set({ description: description || undefined })}
            error={errorAt(`${path}.description`)}
            placeholder="The model of the bike, such as City One"
            autoComplete="off"
          />
        </div>
        {hasChoices && (
          <div className="sm:col-span-2">
            <AllowedValues
              values={schema.enum}
              type={type}
              onChange={(values) => set({ enum: values })}
              error={errorAt(`${path}.enum`)}
            />
          </div>
        )}
      </div>
      <div className="flex items-center border-t border-line py-1 ps-4 pe-1">
        <div className="flex-1">
          <Toggle label="Required" value={isRequired} onChange={(isRequired) => onChange({ ...row, isRequired })} />
        </div>
        <IconButton label={`Remove the input ${name || index + 1}`} onClick={onRemove}>
          <X size={16} aria-hidden />
        </IconButton>
      </div>
    </fieldset>
  );
}

function AllowedValues({
  values,
  type,
  onChange,
  error,
}: {
  values: unknown;
  type: EnumType;
  onChange: (values: Array<string | number> | undefined) => void;
  error: string | undefined;
}) {
  // Keeps the typed text as long as it means the same as the schema. Otherwise a trailing comma would disappear while
  // typing.
  const [text, setText] = useState(enumText(values));
  const isSame = JSON.stringify(readEnum(text, type) ?? []) === JSON.stringify(values ?? []);
  return (
    <TextField
      label="Allowed values"
      isOptional
      value={isSame ? text : enumText(values)}
      onChange={(text) => {
        setText(text);
        onChange(readEnum(text, type));
      }}
      error={error}
      placeholder={type === "string" ? "small, medium, large" : "1, 2, 3"}
      help="Separate values with commas. Leave empty to allow any value."
      autoComplete="off"
    />
  );
}

/** Errors of the whole input appear at its name. Other errors appear at their own fields. */
function errorFor(errorAt: (path: string) => string | undefined, path: string): string | undefined {
  const ofFields = ["type", "description", "enum"].map((field) => errorAt(`${path}.${field}`));
  const error = errorAt(path);
  return ofFields.includes(error) ? undefined : error;
}
