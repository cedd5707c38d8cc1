import Type, { type Static, type TSchema } from "typebox";

/** Points at a schema that has an `$id`, so that OpenAPI shows it once and by name. */
export function ref<T extends TSchema>(schema: T) {
  return Type.Unsafe<Static<T>>({ $ref: `${Reflect.get(schema, "$id")}#` });
}

/** The schema or `null`. On input, `null` clears the field. One `type` list gives one clean error where `anyOf` gives three. */
export function nullable<T extends TSchema>(schema: T) {
  const { type, enum: words } = schema as { type?: string; enum?: readonly unknown[] };
  const values = words ? { enum: [...words, null] } : {};
  return Type.Unsafe<Static<T> | null>({ ...schema, type: [type, "null"], ...values });
}

/** One of a few words. */
export function oneOf<const T extends readonly string[]>(values: T, description?: string) {
  const schema = { type: "string" as const, enum: values, ...(description ? { description } : {}) };
  return Type.Unsafe<T[number]>(schema) as ReturnType<typeof Type.Unsafe<T[number]>> & typeof schema;
}

/** The success envelope `{ data, error: null }`. */
export function enveloped<T extends TSchema>(data: T) {
  return Type.Object({ data, error: Type.Null() });
}

/** ISO 8601 in UTC with milliseconds. */
export const Timestamp = Type.String({ format: "date-time" });

export const Success = Type.Object({ success: Type.Literal(true) });

/** Who may call an endpoint. `account`: a member's key or session. `conversation`: that, or the conversation's own token. */
export type Access = "public" | "account" | "conversation";
