import Type, { type Static, type TSchema } from "typebox";

/** References a schema with an `$id`, so that OpenAPI contains it once, by name. */
export function ref<T extends TSchema>(schema: T) {
  return Type.Unsafe<Static<T>>({ $ref: `${Reflect.get(schema, "$id")}#` });
}

/**
 * The schema with its own description. The type stays that of the schema. With a spread, the declarations that the SDK
 * publishes would contain an object that is not a schema.
 */
export function withDescription<T extends TSchema>(
  schema: T,
  options: { description: string; deprecated?: boolean },
): T {
  return { ...schema, ...options };
}

/**
 * The schema or `null`. On input, `null` clears the field. A `type` list produces one clear error, and `anyOf` would
 * produce three.
 */
export function nullable<T extends TSchema>(schema: T) {
  const { type, enum: words } = schema as { type?: string | string[]; enum?: readonly unknown[] };
  const values = words ? { enum: [...words, null] } : {};
  return Type.Unsafe<Static<T> | null>({ ...schema, type: [type, "null"].flat(), ...values });
}

/** A value in a request: every optional property also accepts `null`, which clears it. */
export type Clearable<T> = T extends readonly (infer Item)[]
  ? Clearable<Item>[]
  : T extends object
    ? { [K in keyof T]: Record<never, never> extends Pick<T, K> ? Clearable<T[K]> | null : Clearable<T[K]> }
    : T;

/** The schema of a stored value in a request, see `Clearable`. */
export function clearable<T extends TSchema>(schema: T) {
  return Type.Unsafe<Clearable<Static<T>>>(withNulls(schema));
}

function withNulls(schema: object): object {
  const { properties, required = [], items, additionalProperties } = schema as JsonSchema;
  const entries = Object.entries(properties ?? {}).map(([name, child]) => {
    const inner = withNulls(child);
    return [name, required.includes(name) ? inner : nullable(inner)];
  });
  return {
    ...schema,
    ...(properties ? { properties: Object.fromEntries(entries) } : {}),
    ...(items ? { items: withNulls(items) } : {}),
    ...(typeof additionalProperties === "object" ? { additionalProperties: nullable(additionalProperties) } : {}),
  };
}

/** The schema without properties that it does not name, at any depth. For files, in which a typo must not go unnoticed. */
export function closed<T extends TSchema>(schema: T): T {
  return { ...schema, ...withoutOthers(schema) };
}

function withoutOthers(schema: object): object {
  const { properties, items, anyOf, additionalProperties } = schema as JsonSchema;
  const entries = Object.entries(properties ?? {}).map(([name, child]) => [name, withoutOthers(child)]);
  return {
    ...schema,
    ...(properties ? { properties: Object.fromEntries(entries) } : {}),
    ...(properties && additionalProperties === undefined ? { additionalProperties: false } : {}),
    ...(items ? { items: withoutOthers(items) } : {}),
    ...(anyOf ? { anyOf: anyOf.map(withoutOthers) } : {}),
  };
}

type JsonSchema = {
  properties?: Record<string, object>;
  required?: readonly string[];
  items?: object;
  anyOf?: object[];
  additionalProperties?: boolean | object;
};

/** The key under which a schema carries its replacement in OpenAPI. */
export const DOCUMENTED_AS = "x-documented-as";

/**
 * Validated as `schema`, published as `shown`. For bodies whose detailed rules are checked by a service, with better
 * messages than `oneOf` would give.
 */
export function withDocumentation<T>(schema: TSchema, shown: object) {
  return Type.Unsafe<T>({ ...schema, [DOCUMENTED_AS]: shown });
}

/** The key under which a JSON response lists the endpoint's other media types. */
export const MEDIA_TYPES = "x-media-types";

/** A string from a fixed list; published as `enum`. */
export function stringEnum<const T extends readonly string[]>(values: T, description?: string) {
  const schema = { type: "string" as const, enum: values, ...(description ? { description } : {}) };
  return Type.Unsafe<T[number]>(schema) as ReturnType<typeof Type.Unsafe<T[number]>> & typeof schema;
}

/** A reference to a schema with an `$id`, or `null`. */
export function refOrNull<T extends TSchema>(schema: T, options: { description?: string } = {}) {
  return Type.Unsafe<Static<T> | null>({ anyOf: [ref(schema), { type: "null" }], ...options });
}

/** The success envelope `{ data, error: null }`. */
export function inEnvelope<T extends TSchema>(data: T) {
  return Type.Object({ data, error: Type.Null() });
}

/** ISO 8601 in UTC with milliseconds. */
export const Timestamp = Type.String({ format: "date-time" });

export const Success = Type.Object({ success: Type.Literal(true) });

/**
 * Who may call an endpoint. `account`: an API key or a member's session. `conversation`: the same, or the
 * conversation's token. `visitor`: everyone; a conversation token, key or session grants further rights. `session`: a
 * member's session, never a key. `user`: any signed-in user, even without an organization.
 */
export type Access = "public" | "visitor" | "account" | "conversation" | "session" | "user";

/** The path parameter of a resource, such as `agent`. */
export function idParams(resource: string) {
  return Type.Object({ id: Type.String({ description: `Id of the ${resource}` }) });
}

/** Position in a list, as a query parameter. */
export const listOffset = Type.Integer({
  minimum: 0,
  maximum: 2_147_483_647,
  description: "Number of entries to skip. Defaults to 0.",
});

/** `total` counts everything that matches the filters. */
export const Pagination = Type.Object({ total: Type.Integer(), limit: Type.Integer(), offset: Type.Integer() });
