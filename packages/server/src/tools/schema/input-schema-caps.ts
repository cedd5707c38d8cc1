import { toolTextLimits } from "@foyer/contract/rules/limits";
import { invalid } from "../../errors.ts";
import { localReference } from "./inline-references.ts";
import { dataKeywords, nameKeywords } from "./schema-keywords.ts";
import { compilePattern } from "./tool-pattern.ts";

const caps = { values: 5_000, schemas: 500, properties: 200, depth: 12, characters: 65_536, patterns: 25 };
const MAX_ENUM = 500;
const MAX_ENUM_CHARACTERS = 1_000;
/** The smallest allowed `multipleOf`. With a smaller one, the remainder of a division could not be compared. */
const MIN_STEP = 1e-9;

const countKeywords = /^(?:min|max)(?:Length|Items|Properties|Contains)$/;

type Kind = "schema" | "names" | "data";
type Visit = { value: unknown; path: string; kind: Kind; depth: number };
type Counts = Record<"values" | "schemas" | "properties" | "characters" | "patterns", number>;

/**
 * Refuses a schema that would be too expensive, before anything compiles it. Walks it once, without recursion, and
 * stops at the first limit, so the work is bounded for any schema.
 * @throws AppError 400 with the path
 */
export function checkSchemaCaps(schema: unknown): void {
  const counts: Counts = { values: 0, schemas: 0, properties: 0, characters: 0, patterns: 0 };
  const open: Visit[] = [{ value: schema, path: "inputSchema", kind: "schema", depth: 0 }];
  for (let visit = open.pop(); visit; visit = open.pop()) {
    const { value, path, depth } = visit;
    if (typeof value === "string") count(counts, "characters", { more: value.length, path });
    else if (typeof value === "object" && value !== null) {
      if (depth > caps.depth) throw invalid(path, `is nested deeper than ${caps.depth} levels`, "not_allowed");
      // Count the children before listing them, so that a list of a million is not copied first.
      count(counts, "values", { more: Array.isArray(value) ? value.length : Object.keys(value).length, path });
      for (const child of childrenOf(value, visit, counts)) open.push(child);
    } else if (typeof value !== "boolean" && value !== null && !Number.isFinite(value)) {
      throw invalid(path, "is not JSON");
    }
  }
}

function* childrenOf(value: object, { path, kind, depth }: Visit, counts: Counts): Generator<Visit> {
  if (Array.isArray(value)) {
    const inner = kind === "names" ? "data" : kind;
    for (const [index, item] of value.entries())
      yield { value: item, path: `${path}.${index}`, kind: inner, depth: depth + 1 };
    return;
  }
  if (kind === "schema") count(counts, "schemas", { more: 1, path });
  for (const [key, item] of Object.entries(value)) {
    count(counts, "characters", { more: key.length, path });
    if (key.length > toolTextLimits.inputName && kind !== "names") throw invalid(path, "has a key that is too long");
    const inner = `${path}.${key.slice(0, toolTextLimits.inputName)}`;
    // Ajv does not check a property of this name.
    if (key === "__proto__") throw invalid(inner, "is a name that cannot be used", "not_allowed");
    if (kind === "schema") {
      checkKeyword(key, item, { path: inner, counts });
      const isNames = nameKeywords.has(key) && typeof item === "object" && item !== null && !Array.isArray(item);
      const next = isNames ? "names" : dataKeywords.has(key) ? "data" : "schema";
      yield { value: item, path: inner, kind: next, depth: isNames ? depth : depth + 1 };
    } else {
      yield { value: item, path: inner, kind: kind === "names" ? "schema" : "data", depth: depth + 1 };
    }
  }
}

function checkKeyword(key: string, value: unknown, { path, counts }: { path: string; counts: Counts }) {
  if (!isSupported(key, value, path))
    throw invalid(path, "is not supported. Write out the schema where it is used", "not_allowed");
  if (key === "enum") checkEnum(value, path);
  if (key === "properties") checkProperties(value, path, counts);
  if (key === "pattern" && typeof value === "string") checkPattern(value, path, counts);
  if (key === "patternProperties" && typeof value === "object" && value !== null) {
    for (const pattern of Object.keys(value)) checkPattern(pattern, path, counts);
  }
  if (countKeywords.test(key) && !(Number.isSafeInteger(value) && Number(value) >= 0)) {
    throw invalid(path, "must be an integer of at least 0", "type");
  }
  if (key === "multipleOf" && !(Number.isFinite(value) && Number(value) >= MIN_STEP)) {
    throw invalid(path, `must be a number of at least ${MIN_STEP}`);
  }
}

/** Of the keywords for references, those that generators use: named parts of the whole schema. */
function isSupported(key: string, value: unknown, path: string): boolean {
  if (key === "$ref") return typeof value === "string" && localReference.test(value);
  if (key === "$defs" || key === "definitions")
    return path === `inputSchema.${key}` && typeof value === "object" && value !== null && !Array.isArray(value);
  return !key.startsWith("$") || key === "$schema" || key === "$comment";
}

function checkEnum(value: unknown, path: string) {
  if (!Array.isArray(value) || value.length === 0)
    throw invalid(path, "must be an array with at least one value", "min_items");
  if (value.length > MAX_ENUM) throw invalid(path, `must have at most ${MAX_ENUM} values`, "max_items");
  const isFine = (item: unknown) =>
    typeof item === "string" ? item.length <= MAX_ENUM_CHARACTERS : typeof item !== "object" || item === null;
  const bad = value.findIndex((item) => !isFine(item));
  if (bad === -1) return;
  const problem = typeof value[bad] === "string" ? `must be at most ${MAX_ENUM_CHARACTERS} characters long` : null;
  throw invalid(`${path}.${bad}`, problem ?? "must be text, a number, true, false or null");
}

function checkProperties(value: unknown, path: string, counts: Counts) {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw invalid(path, "must be an object", "type");
  }
  const names = Object.keys(value);
  count(counts, "properties", { more: names.length, path });
  const bad = names.find((name) => name.length === 0 || name.length > toolTextLimits.inputName);
  if (bad !== undefined) throw invalid(path, `must have names of 1 to ${toolTextLimits.inputName} characters`);
}

function checkPattern(pattern: string, path: string, counts: Counts) {
  count(counts, "patterns", { more: 1, path });
  try {
    compilePattern(pattern);
  } catch (error) {
    throw invalid(path, error instanceof Error ? error.message : "cannot be used", "pattern");
  }
}

function count(counts: Counts, what: keyof Counts, { more, path }: { more: number; path: string }) {
  counts[what] += more;
  if (counts[what] > caps[what])
    throw invalid(path, `is too large: a schema can have at most ${caps[what]} ${what} in total`, "max_items");
}
