import { useState } from "react";
import { NumberField, Select, TextArea, TextField } from "../../../components/field.tsx";
import type { InputRow } from "../input-schema-draft.ts";

/** A control for one input of a tool, chosen by its schema. `undefined` leaves the input out. */
export function TestInput({
  input,
  value,
  onChange,
}: {
  input: InputRow;
  value: unknown;
  onChange: (value: unknown) => void;
}) {
  const { name, isRequired, schema } = input;
  const help = typeof schema.description === "string" ? schema.description : undefined;
  const shared = { label: name, isOptional: !isRequired, ...(help ? { help } : {}) };
  const choices = Array.isArray(schema.enum) ? schema.enum : schema.type === "boolean" ? [true, false] : null;
  if (choices) {
    const options = choices.map((choice, index) => ({ value: String(index), label: typeLabel(choice) }));
    const none = { value: "", label: "No value" };
    return (
      <Select
        {...shared}
        options={[none, ...options]}
        value={value === undefined ? "" : String(choices.indexOf(value))}
        onChange={(index) => onChange(index === "" ? undefined : choices[Number(index)])}
      />
    );
  }
  if (schema.type === "number" || schema.type === "integer") {
    const number = typeof value === "number" ? value : null;
    return <NumberField {...shared} step="any" value={number} onChange={(next) => onChange(next ?? undefined)} />;
  }
  if (schema.type === "array" || schema.type === "object")
    return <JsonInput shared={shared} value={value} onChange={onChange} />;
  const text = typeof value === "string" ? value : "";
  return <TextField {...shared} value={text} onChange={(text) => onChange(text || undefined)} autoComplete="off" />;
}

function JsonInput({
  shared,
  value,
  onChange,
}: {
  shared: { label: string; isOptional: boolean; help?: string };
  value: unknown;
  onChange: (value: unknown) => void;
}) {
  const [text, setText] = useState(value === undefined ? "" : JSON.stringify(value));
  const read = (text: string): { value?: unknown; error?: string } => {
    try {
      return { value: text.trim() === "" ? undefined : JSON.parse(text) };
    } catch {
      return { error: "This is not valid JSON, so it is not sent." };
    }
  };
  return (
    <TextArea
      {...shared}
      help={shared.help ?? "Enter JSON."}
      error={read(text).error}
      value={text}
      onChange={(text) => {
        setText(text);
        onChange(read(text).value);
      }}
      className="font-mono"
      spellCheck={false}
    />
  );
}

function typeLabel(choice: unknown): string {
  if (choice === true) return "Yes";
  return choice === false ? "No" : String(choice);
}
