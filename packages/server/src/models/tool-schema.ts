import type { JSONSchema7 } from "@ai-sdk/provider";

type Schema = Record<string, unknown>;

/** Keywords that contain one schema, a list of schemas, or schemas by name. */
const single = new Set(["additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then"]);
const lists = new Set(["allOf", "anyOf", "oneOf"]);
const byName = new Set(["dependentSchemas", "patternProperties", "properties"]);
/** The keywords that OpenAI and Anthropic refuse at the top level, beside `type: "object"`. */
const refusedAtTop = new Set(["allOf", "anyOf", "const", "else", "enum", "if", "not", "oneOf", "then"]);

/**
 * The schema of a tool's input for OpenAI, Anthropic, Mistral and servers of chat completions: an object whose
 * properties are listed, without alternatives at the top level. What the schema loses is still checked when the tool is
 * called, with the schema that its owner wrote.
 */
export function toObjectSchema(schema: JSONSchema7): JSONSchema7 {
  const complete = completeSchema(withBranches(schema as Schema));
  return Object.fromEntries(Object.entries(complete).filter(([keyword]) => !refusedAtTop.has(keyword)));
}

/**
 * The schema for Gemini, which reads a subset of OpenAPI's schemas: one type for each value, texts in an `enum`, and no
 * other keyword beside `anyOf`. It refuses a request because of any other keyword.
 * https://ai.google.dev/api/caching#Schema
 */
export function toGeminiSchema(schema: JSONSchema7): JSONSchema7 {
  return toGemini(toObjectSchema(schema) as Schema) as JSONSchema7;
}

/** Adds the properties of the alternatives at the top level to the schema, so that the model sees them. */
function withBranches(schema: Schema): Schema {
  const branches = ["allOf", "anyOf", "oneOf"].flatMap((keyword) => asArray(schema[keyword]).filter(isSchema));
  if (branches.length === 0) return schema;
  const properties = Object.assign({}, ...branches.map((branch) => branch.properties), schema.properties);
  const required = asArray(schema.allOf).flatMap((branch) => (isSchema(branch) ? asArray(branch.required) : []));
  return { ...schema, properties, required: [...new Set([...asArray(schema.required), ...required])] };
}

/**
 * Adds what OpenAI and others require: `properties` of an object, `items` of an array. Removes what can never match or
 * what drafts of JSON Schema define differently.
 */
function completeSchema(schema: unknown): Schema {
  // `true` and `false` are schemas too, which few providers know.
  if (!isSchema(schema)) return {};
  const complete: Schema = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword.startsWith("$") || keyword === "additionalItems") continue;
    if (keyword === "items" && Array.isArray(value)) complete.items = { anyOf: value.map(completeSchema) };
    else if (keyword === "enum") Object.assign(complete, toChoices(value, schema.type));
    else if (keyword === "additionalProperties" && typeof value === "boolean") complete[keyword] = value;
    else if (single.has(keyword)) complete[keyword] = completeSchema(value);
    else if (lists.has(keyword))
      Object.assign(complete, isFilled(value) ? { [keyword]: value.map(completeSchema) } : {});
    else if (byName.has(keyword) && isSchema(value)) complete[keyword] = mapValues(value, completeSchema);
    else complete[keyword] = value;
  }
  const types = asArray(schema.type ?? []);
  if (types.includes("object")) complete.properties ??= {};
  if (types.includes("array")) complete.items ??= {};
  return complete;
}

/** The values of an `enum` that the type allows. Without any, the keyword is left out. */
function toChoices(values: unknown, type: unknown): Schema {
  const types = asArray(type ?? []);
  const choices = asArray(values).filter((value) => types.length === 0 || types.some((one) => isOfType(value, one)));
  return choices.length > 0 ? { enum: choices } : {};
}

function isOfType(value: unknown, type: unknown): boolean {
  if (type === "null") return value === null;
  if (type === "integer") return Number.isInteger(value);
  if (type === "array") return Array.isArray(value);
  return type === "object" ? isSchema(value) : typeof value === type;
}

function toGemini(schema: Schema): Schema {
  const types = asArray(schema.type ?? guessType(schema));
  const named = types.filter((type) => type !== "null");
  const isNullable = types.includes("null") || schema.nullable === true;
  const shared = { ...describe(schema), ...(isNullable ? { nullable: true } : {}) };
  const alternatives = [...asArray(schema.anyOf), ...asArray(schema.oneOf)].filter(isSchema);
  if (named.length > 1)
    return { ...shared, anyOf: named.map((type) => toGemini({ ...schema, type, description: "" })) };
  const [type] = named;
  if (type !== undefined) return { type, ...shared, ...keywordsOf(schema, type) };
  const used = alternatives.filter((one) => one.type !== "null").map(toGemini);
  const isOptional = isNullable || used.length < alternatives.length;
  const [only] = used;
  if (only && used.length === 1) return { ...only, ...shared, ...(isOptional ? { nullable: true } : {}) };
  return used.length > 0 ? { ...shared, anyOf: used } : { type: "string", ...shared };
}

function guessType({ properties, items, enum: choices, const: constant }: Schema): string[] {
  if (properties) return ["object"];
  if (items) return ["array"];
  const [value] = [...asArray(choices), ...(constant === undefined ? [] : [constant])];
  const known = ["string", "number", "boolean"].filter((type) => typeof value === type);
  return known;
}

/** The keywords that Gemini knows for a type. */
function keywordsOf(schema: Schema, type: unknown): Schema {
  switch (type) {
    case "object": {
      const properties = mapValues(isSchema(schema.properties) ? schema.properties : {}, (one) =>
        toGemini(toSchema(one)),
      );
      const required = asArray(schema.required).filter((name) => Object.hasOwn(properties, String(name)));
      return { properties, ...(Array.isArray(schema.required) ? { required } : {}) };
    }
    case "array":
      return { items: toGemini(toSchema(schema.items)), ...pick(schema, ["minItems", "maxItems"]) };
    case "string": {
      const choices = listTexts(schema);
      const hasFormat = schema.format === "date-time";
      if (choices.length > 0) return { enum: choices };
      return hasFormat ? { format: "date-time" } : {};
    }
    case "number":
    case "integer":
      return toBounds(schema, type === "integer" ? 1 : 0);
    default:
      return {};
  }
}

/** Gemini refuses an empty text in an `enum`. */
function listTexts(schema: Schema): unknown[] {
  const choices = schema.const === undefined ? asArray(schema.enum) : [schema.const];
  return choices.filter((choice) => typeof choice === "string" && choice !== "");
}

/** @param step the distance from an exclusive bound to the next value, 0 when there is none */
function toBounds({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Schema, step: number): Schema {
  const lower = typeof exclusiveMinimum === "number" ? exclusiveMinimum + step : minimum;
  const upper = typeof exclusiveMaximum === "number" ? exclusiveMaximum - step : maximum;
  return {
    ...(typeof lower === "number" ? { minimum: lower } : {}),
    ...(typeof upper === "number" ? { maximum: upper } : {}),
  };
}

/** The description, with the choices that Gemini's `enum` cannot contain. */
function describe(schema: Schema): Schema {
  const choices = schema.const === undefined ? asArray(schema.enum) : [schema.const];
  const others = choices.filter((choice) => typeof choice !== "string");
  const text = typeof schema.description === "string" ? schema.description : "";
  const listed = others.length > 0 ? `One of: ${choices.map((choice) => JSON.stringify(choice)).join(", ")}` : "";
  const description = [text, listed].filter((part) => part !== "").join(" ");
  return description === "" ? {} : { description };
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const toSchema = (value: unknown): Schema => (isSchema(value) ? value : {});
const asArray = (value: unknown): unknown[] => (Array.isArray(value) ? value : value === undefined ? [] : [value]);
const isFilled = (value: unknown): value is unknown[] => Array.isArray(value) && value.length > 0;

function mapValues(value: Schema, change: (one: unknown) => Schema): Schema {
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, change(one)]));
}

function pick(schema: Schema, keywords: readonly string[]): Schema {
  return Object.fromEntries(
    keywords.filter((keyword) => keyword in schema).map((keyword) => [keyword, schema[keyword]]),
  );
}
