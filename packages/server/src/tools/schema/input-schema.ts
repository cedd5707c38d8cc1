import { inKeyOrder } from "@foyer/contract/rules/in-key-order";
import { Ajv, type ValidateFunction } from "ajv";
import { LRUCache } from "lru-cache";
import { AppError, invalid } from "../../errors.ts";
import { toJsNumbers } from "../../exact-json.ts";
import { inlineReferences } from "./inline-references.ts";
import { describeErrors, sizeProblem } from "./input-messages.ts";
import { checkSchemaCaps } from "./input-schema-caps.ts";
import { compilePattern } from "./tool-pattern.ts";

const MAX_BYTES = 65_536;
const propertyTypes = ["string", "number", "integer", "boolean", "array", "object"];

type Check = { first: ValidateFunction; listAll(): ValidateFunction };

/** Also limited by text length, because a compiled schema takes many times the memory of its text. */
const compiled = new LRUCache<string, Check>({
  max: 1_000,
  maxSize: 4_000_000,
  sizeCalculation: (_check, text) => text.length,
});

/** Ajv identifies patterns by their `toString`. `code` is for compiled files, which we don't create. */
const patternEngine = Object.assign((pattern: string) => ({ ...compilePattern(pattern), toString: () => pattern }), {
  code: "patternEngine",
});

/** Validates the schemas themselves. A separate instance, because an Ajv instance never releases what it compiled. */
const metaSchema = new Ajv({ strict: false, validateFormats: false, logger: false });

/**
 * Checks a member's JSON Schema (draft 7) for a tool's input. `integer` is a valid type and formats are not checked.
 * References are refused, as are schemas that would take long to compile or run.
 * @throws AppError 400 with the path (inputSchema.properties.size.type)
 */
export function checkInputSchema(schema: unknown): void {
  checked(schema);
}

/**
 * Validates the model's input against a schema that `checkInputSchema` accepted. Each text is compiled once and cached.
 * @returns null, or an error message for the model ("quantity must be number; size is required"); never throws
 */
export function inputProblem(schemaText: string, given: unknown): string | null {
  const check = compiled.get(schemaText) ?? compileStored(schemaText);
  if (typeof check === "string") return check;
  const { problem, isSmall } = sizeProblem(given, schemaText.length);
  if (problem) return problem;
  const input = toJsNumbers(given);
  if (check.first(input)) return null;
  if (!isSmall) return describeErrors(check.first.errors ?? []);
  const all = check.listAll();
  all(input);
  return describeErrors(all.errors ?? []);
}

/**
 * Rules may have become stricter since the text was stored. Such a schema is neither run unchecked nor allowed to fail
 * the reply.
 */
function compileStored(text: string): Check | string {
  try {
    const check = checked(JSON.parse(text));
    compiled.set(text, check);
    return check;
  } catch (error) {
    return `the tool's own input schema is not valid${error instanceof AppError ? ` (${error.message})` : ""}`;
  }
}

function checked(given: unknown): Check {
  checkSchemaCaps(given);
  const schema = inlineReferences(given);
  if (schema !== given) checkSchemaCaps(schema);
  checkRoot(schema);
  const text = JSON.stringify(schema);
  if (Buffer.byteLength(text) > MAX_BYTES)
    throw invalid("inputSchema", `must be at most ${MAX_BYTES} bytes of JSON`, "max_length");
  const check = compiled.get(text) ?? compile(text);
  compiled.set(text, check);
  return check;
}

function checkRoot(schema: unknown) {
  if (!isObject(schema)) throw invalid("inputSchema", "must be an object", "type");
  if (schema.type !== "object") throw invalid("inputSchema.type", "must be object", "enum");
  const { properties = {}, required = [] } = schema;
  if (!isObject(properties)) throw invalid("inputSchema.properties", "must be an object", "type");
  for (const [name, property] of Object.entries(properties)) {
    const path = `inputSchema.properties.${name}`;
    if (!isObject(property)) throw invalid(path, "must be an object with a type", "type");
    if (!saysWhatItTakes(property)) {
      throw invalid(`${path}.type`, `must be one of ${propertyTypes.join(", ")}, or a list of them`, "enum");
    }
  }
  if (!Array.isArray(required)) throw invalid("inputSchema.required", "must be an array of property names", "type");
  for (const [index, name] of required.entries()) {
    const path = `inputSchema.required.${index}`;
    if (typeof name !== "string") throw invalid(path, "must be the name of a property", "type");
    if (!Object.hasOwn(properties, name)) throw invalid(path, "must be one of the properties", "unknown_reference");
  }
  if (new Set(required).size < required.length)
    throw invalid("inputSchema.required", "must name each property once", "duplicate");
}

/** Generators of schemas write a list of types, alternatives, a reference or the allowed values instead of one type. */
function saysWhatItTakes({ type, anyOf, oneOf, allOf, $ref, enum: values, const: constant }: Record<string, unknown>) {
  if (type === undefined) {
    const isList = (list: unknown) => Array.isArray(list) && list.length > 0;
    return [anyOf, oneOf, allOf, values].some(isList) || typeof $ref === "string" || constant !== undefined;
  }
  const types = Array.isArray(type) ? type.filter((one) => one !== "null") : [type];
  return types.length > 0 && types.every((one) => propertyTypes.some((known) => known === one));
}

function compile(text: string): Check {
  const { $schema: _dialect, ...schema } = JSON.parse(text);
  const isSchema = attempt(() => metaSchema.validateSchema(schema));
  const [error] = isSchema ? [] : (metaSchema.errors ?? []);
  if (error) {
    const place = error.instancePath.replaceAll("/", ".").replaceAll("~1", "/").replaceAll("~0", "~");
    throw invalid(`inputSchema${place}`, error.message ?? "is not valid");
  }
  const first = attempt(() => createAjv(false).compile(schema));
  let all: ValidateFunction | undefined;
  const listAll = () => {
    all ??= createAjv(true).compile(schema);
    return all;
  };
  return { first, listAll };
}

function attempt<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw invalid("inputSchema", `cannot be used: ${error instanceof Error ? error.message.slice(0, 200) : "unknown"}`);
  }
}

function createAjv(allErrors: boolean): Ajv {
  const ajv = new Ajv({
    allErrors,
    strict: false,
    strictNumbers: true,
    meta: false,
    validateSchema: false,
    validateFormats: false,
    logger: false,
    // Otherwise, every object would appear to have a required `constructor`.
    ownProperties: true,
    // Required because 0.3 / 0.1 is not exactly 3 in floating point.
    multipleOfPrecision: 9,
    // Ajv's optimizer takes time quadratic in the number of schemas.
    code: { optimize: false, regExp: patternEngine },
  });
  // Ajv's implementation compares every item with every other.
  ajv.removeKeyword("uniqueItems");
  ajv.addKeyword({
    keyword: "uniqueItems",
    type: "array",
    schemaType: "boolean",
    validate: (isUnique: boolean, items: unknown[]) =>
      !isUnique || new Set(items.map((item) => JSON.stringify(item, inKeyOrder))).size === items.length,
    error: { message: "must not contain duplicate items" },
  });
  return ajv;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
