import { isObject } from "./is-object.ts";
import { type JsonProblem, readJson } from "./json-lines.ts";
import { type Keyed, withKey } from "./row-key.ts";

/** One input of a tool. `schema` is its complete JSON Schema. */
export type InputRow = { name: string; isRequired: boolean; schema: Record<string, unknown> };

/**
 * A tool's input schema while it is edited, as fields and as JSON. `rest` holds the other keywords of the schema.
 * `text` is the JSON being edited, valid or not, or `null` while the fields are edited.
 */
export type SchemaDraft = { inputs: Keyed<InputRow>[]; rest: Record<string, unknown>; text: string | null };

export function toSchemaDraft(schema: Record<string, unknown>): SchemaDraft {
  const { properties, required, ...rest } = schema;
  const needed = new Set(Array.isArray(required) ? required : []);
  const inputs = Object.entries(isObject(properties) ? properties : {}).map(([name, property]) =>
    withKey({ name, isRequired: needed.has(name), schema: isObject(property) ? property : {} }),
  );
  return { inputs, rest, text: null };
}

export function toSchema({ inputs, rest }: SchemaDraft): Record<string, unknown> {
  const required = [...new Set(inputs.filter(({ isRequired }) => isRequired).map(({ name }) => name))];
  return {
    type: "object",
    properties: Object.fromEntries(inputs.map(({ name, schema }) => [name, schema])),
    ...(required.length > 0 ? { required } : {}),
    ...rest,
  };
}

/** The draft as JSON: the text being edited, or the formatted schema. */
export function schemaText(draft: SchemaDraft): string {
  return draft.text ?? JSON.stringify(toSchema(draft), null, 2);
}

/** Reads a schema from JSON. @returns the draft, or the reason why the text cannot be shown as fields */
export function readSchemaText(text: string): SchemaDraft | JsonProblem {
  const read = readJson(text);
  if (!("lineOf" in read)) return read;
  const { value, lineOf } = read;
  if (!isObject(value)) return { line: 1, message: "The schema must be an object: { … }." };
  const { properties = {}, required = [] } = value;
  if (!isObject(properties)) return { line: lineOf("properties"), message: "properties must be an object: { … }." };
  const bad = Object.keys(properties).find((name) => !isObject(properties[name]));
  if (bad !== undefined) return { line: lineOf(`properties.${bad}`), message: `${bad} must be an object with a type.` };
  const unknown = Array.isArray(required)
    ? required.find((name) => typeof name !== "string" || !Object.hasOwn(properties, name))
    : required;
  if (unknown !== undefined) {
    const message = Array.isArray(required)
      ? `required names ${JSON.stringify(unknown)}, which is not one of the properties.`
      : "required must be a list of names: [ … ].";
    return { line: lineOf("required"), message };
  }
  return toSchemaDraft(value);
}

/** Errors that the fields cannot express as a schema, with the server's paths. */
export function schemaProblems({ inputs, text }: SchemaDraft): Array<{ path: string; message: string }> {
  const read = text === null ? null : readSchemaText(text);
  if (read && "line" in read) return [{ path: "inputSchema", message: `Line ${read.line}: ${read.message}` }];
  const names = inputs.map(({ name }) => name);
  const repeated = new Set(names.filter((name, index) => names.indexOf(name) !== index));
  return [...new Set(names)].flatMap((name) => {
    const path = `inputSchema.properties.${name}`;
    if (name === "") return [{ path, message: "needs a name" }];
    return repeated.has(name) ? [{ path, message: "is the name of two inputs" }] : [];
  });
}
