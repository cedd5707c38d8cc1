import type { InputRow } from "../input-schema-draft.ts";

/** A sample value for an input: the schema's example, default or first allowed value, otherwise a value of its type. */
export function createSample({ name, schema }: Pick<InputRow, "name" | "schema">): unknown {
  const { examples, default: standard, enum: choices, type } = schema;
  const [first] = [examples, choices].flatMap((list) => (Array.isArray(list) ? list.slice(0, 1) : []));
  if (standard !== undefined) return standard;
  if (first !== undefined) return first;
  if (type === "number" || type === "integer") return typeof schema.minimum === "number" ? schema.minimum : 1;
  if (type === "boolean") return true;
  if (type === "array") return [];
  return type === "object" ? {} : name.replaceAll("_", " ");
}
