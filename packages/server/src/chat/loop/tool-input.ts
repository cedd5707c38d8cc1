import type { LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import { isExactNumber, isScalar, parseExactJson, toNumber, toOrderedObject, toScalarText } from "../../exact-json.ts";

/**
 * Reads the arguments of a call as the model meant them: arguments that are encoded twice, repeated or written as a code block,
 * and no arguments at all in any form.
 * @returns undefined when they cannot be read
 */
export function parseToolInput(text: string): unknown {
  const [, fenced] = /^```(?:json)?([\s\S]*)```$/i.exec(text.trim()) ?? [];
  const parsed = parse(fenced ?? text);
  const value = parsed === undefined ? parseRepeated(text) : parsed;
  const inner = typeof value === "string" ? parse(value) : value;
  if (inner === null || inner === "") return {};
  return typeof inner === "string" ? undefined : inner;
}

/** Some gateways repeat the whole input at its end. */
function parseRepeated(text: string): unknown {
  const [, first] = /^\s*(\{[\s\S]*\})(?:\s*\1)+\s*$/.exec(text.slice(0, MAX_REPEATED)) ?? [];
  return first === undefined ? undefined : parse(first);
}

function parse(text: string): unknown {
  try {
    return text.trim() === "" ? {} : parseExactJson(text);
  } catch {
    return undefined;
  }
}

/**
 * Changes an input where the schema says what the model meant: `null` for an optional property, a list or object encoded
 * as text, a number or truth value in quotes or a text without them, and an empty list for no input. Everything else
 * stays as it is, and validation explains it to the model.
 */
export function adaptToolInput(input: unknown, tool: LanguageModelV4FunctionTool | undefined): unknown {
  return tool ? adapt(input, tool.inputSchema, MAX_DEPTH) : input;
}

/** The number of characters in which repetitions are searched, which takes quadratic time. */
const MAX_REPEATED = 4_000;

/** The depth at which objects and lists inside an input are adapted. */
const MAX_DEPTH = 8;

function adapt(value: unknown, given: unknown, depth: number): unknown {
  const schema = withoutNull(given);
  if (!isObject(schema) || typeof schema.type !== "string" || depth === 0) return value;
  const changed = toType(value, schema.type);
  if (Array.isArray(changed)) return changed.map((item) => adapt(item, schema.items, depth - 1));
  if (!isObject(changed)) return changed;
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  return toOrderedObject(
    Object.entries(changed)
      .filter(([name, member]) => member !== null || required.includes(name) || acceptsNull(properties[name]))
      .map(([name, member]) => [name, adapt(member, properties[name], depth - 1)]),
  );
}

/** The only alternative beside `null`, as generators write optional properties. Otherwise the schema itself. */
function withoutNull(schema: unknown): unknown {
  if (!isObject(schema)) return schema;
  const { type, anyOf } = schema;
  const types = Array.isArray(type) ? type.filter((one) => one !== "null") : [];
  if (types.length === 1) return { ...schema, type: types[0] };
  const others = Array.isArray(anyOf) ? anyOf.filter((one) => !isObject(one) || one.type !== "null") : [];
  return others.length === 1 && type === undefined ? others[0] : schema;
}

function toType(value: unknown, type: string): unknown {
  switch (type) {
    case "object":
      if (Array.isArray(value) && value.length === 0) return {};
      return decodeIf(value, isObject) ?? value;
    case "array":
      return decodeIf(value, Array.isArray) ?? value;
    case "number":
    case "integer":
      return typeof value === "string" && /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(value) ? toNumber(value) : value;
    case "boolean":
      return value === "true" || value === "false" ? value === "true" : value;
    case "string":
      return isScalar(value) ? toScalarText(value) : value;
    default:
      return value;
  }
}

/** The value that a text encodes, if it has the wanted type. */
function decodeIf(value: unknown, isWanted: (decoded: unknown) => boolean): unknown {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return undefined;
  const decoded = parse(value);
  return isWanted(decoded) ? decoded : undefined;
}

function acceptsNull(schema: unknown): boolean {
  if (!isObject(schema)) return false;
  const { type, nullable, enum: values, anyOf } = schema;
  if (Array.isArray(anyOf)) return anyOf.some(acceptsNull);
  if (type === "null" || (Array.isArray(type) && type.includes("null")) || nullable === true) return true;
  if (Array.isArray(values) && values.includes(null)) return true;
  return typeof type !== "string";
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isExactNumber(value);
}
