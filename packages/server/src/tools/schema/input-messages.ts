import type { ErrorObject } from "ajv";

const MAX_DEPTH = 32;
const MAX_VALUES = 10_000;
const MAX_CHARACTERS = 200_000;
const MAX_PROBLEMS = 5;
const MAX_WORDS = 1_000;
const MAX_CHOICES = 20;
/**
 * The product of the schema's length and the number of input values below which all errors are listed instead of only
 * the first.
 */
const LIST_ALL_BELOW = 200_000;

/**
 * Describes why an input is too large to validate, and tells whether it is small enough to list all errors. Walks the
 * input once, without recursion, and stops at the first limit.
 */
export function sizeProblem(input: unknown, schemaLength: number): { problem: string | null; isSmall: boolean } {
  let values = 1;
  let characters = 0;
  const open = [{ value: input, depth: 0 }];
  for (let visit = open.pop(); visit; visit = open.pop()) {
    const { value, depth } = visit;
    if (typeof value === "string") characters += value.length;
    if (typeof value === "object" && value !== null) {
      if (depth > MAX_DEPTH) return tooLarge(`is nested deeper than ${MAX_DEPTH} levels`);
      const keys = Object.keys(value);
      values += keys.length;
      if (values > MAX_VALUES) return tooLarge(`has more than ${MAX_VALUES} values`);
      for (const key of Array.isArray(value) ? [] : keys) characters += key.length;
      for (const child of Object.values(value)) open.push({ value: child, depth: depth + 1 });
    }
    if (characters > MAX_CHARACTERS) return tooLarge(`has more than ${MAX_CHARACTERS} characters`);
  }
  return { problem: null, isSmall: values * schemaLength <= LIST_ALL_BELOW };
}

function tooLarge(words: string) {
  return { problem: `the input ${words}`, isSmall: false };
}

/** Each error once, and only the first few. */
export function describeErrors(errors: ErrorObject[]): string {
  const words = new Set<string>();
  for (const error of errors) {
    if (words.size === MAX_PROBLEMS) break;
    words.add(describe(error).slice(0, MAX_WORDS / MAX_PROBLEMS));
  }
  return [...words].join("; ");
}

function describe({ instancePath, keyword, params, message }: ErrorObject): string {
  const path = instancePath.split("/").slice(1).map(unescapePointer);
  const at = (...more: string[]) => [...path, ...more].join(".") || "the input";
  switch (keyword) {
    case "required":
      return `${at(String(params.missingProperty))} is required`;
    case "type":
      return `${at()} must be ${String(params.type).replaceAll(",", " or ")}`;
    case "additionalProperties":
      return `${at(String(params.additionalProperty))} is not a known property`;
    case "enum": {
      const choices: unknown[] = params.allowedValues;
      const more = choices.length > MAX_CHOICES ? ", …" : "";
      return `${at()} must be one of ${choices.slice(0, MAX_CHOICES).join(", ")}${more}`;
    }
    case "const":
      return `${at()} must be ${JSON.stringify(params.allowedValue)}`;
    default:
      return `${at()} ${message ?? "is not valid"}`;
  }
}

const unescapePointer = (part: string) => part.replaceAll("~1", "/").replaceAll("~0", "~");
