import type { Random } from "./random.ts";

/** The part of JSON Schema that the published document uses. */
export type Schema = {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  format?: string;
  pattern?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  oneOf?: Schema[];
  anyOf?: Schema[];
  allOf?: Schema[];
  /** of the events in a stream */
  contentSchema?: Schema;
} & Partial<Record<"minLength" | "maxLength" | "minItems" | "maxItems" | "minimum" | "maximum", number>>;

export type Resolve = (schema: Schema) => Schema;

/** Known ids by the name of the field or parameter that accepts them. */
export type Ids = Record<string, string | undefined>;

type Context = { random: Random; resolve: Resolve; ids: Ids };

/** Refused immediately on this machine, so nothing ever leaves it. */
const deadAddress = "http://127.0.0.1:1/hook";

const words = ["a", "Harbour", "Ünïcode 🚢", "<b>x</b>", "{{user.email}}", "x".repeat(199), "'; --", " two words "];

/** A value that the schema accepts, as far as the schema can tell. */
export function generateValue(given: Schema, name: string, context: Context): unknown {
  const schema = context.resolve(given);
  const { random } = context;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return random.pick(schema.enum);
  const choice = schema.oneOf ?? schema.anyOf;
  const type = random.pick([schema.type ?? (choice ? "choice" : "object")].flat());
  if (schema.allOf) return generateAll(schema, name, context);
  if (choice) return generateValue(random.pick(choice), name, context);
  if (type === "null") return null;
  if (type === "boolean") return random.chance(0.5);
  if (type === "integer" || type === "number") return generateNumber(schema, random);
  if (type === "string") return generateText(schema, name, context);
  if (type === "array") return generateList(schema, name, context);
  return generateObject(schema, context);
}

function generateAll(schema: Schema, name: string, context: Context): object {
  const { allOf = [], ...own } = schema;
  const parts = [own, ...allOf].map((part) => generateValue(part, name, context) as object);
  return Object.assign({}, ...parts);
}

function generateObject({ properties = {}, required = [], additionalProperties }: Schema, context: Context): object {
  const { random } = context;
  const chosen = Object.entries(properties).filter(([name]) => required.includes(name) || random.chance(0.3));
  const entries = chosen.map(([name, child]) => [name, generateValue(child, name, context)] as const);
  if (additionalProperties && random.chance(0.5)) {
    const child = additionalProperties === true ? { type: ["string", "number", "boolean"] } : additionalProperties;
    entries.push([random.pick(["extra", "X-Name", "title"]), generateValue(child, "extra", context)]);
  }
  return Object.fromEntries(entries);
}

function generateList({ items = {}, minItems = 0, maxItems = 3 }: Schema, name: string, context: Context): unknown[] {
  const length = context.random.integer(minItems, Math.max(minItems, Math.min(maxItems, minItems + 2)));
  return Array.from({ length }, () => generateValue(items, name, context));
}

function generateNumber({ minimum = -5, maximum = 1_000, type }: Schema, random: Random): number {
  const edge = random.pick([minimum, maximum, random.integer(Math.ceil(minimum), Math.floor(maximum))]);
  return type === "number" && random.chance(0.2) ? Math.min(maximum, edge + 0.5) : edge;
}

function generateText({ format, pattern, minLength = 0, maxLength = 200 }: Schema, name: string, context: Context) {
  const { random, ids } = context;
  const id = ids[name];
  if (id !== undefined && random.chance(0.85)) return id;
  if (format === "email" || name === "email") return `person${random.integer(1, 999)}@example.com`;
  if (format?.startsWith("uri") || /url$/i.test(name)) return deadAddress;
  if (format === "date-time") return "2027-01-31T09:30:00Z";
  if (format?.startsWith("date")) return random.pick(["2026-01-31", "2027-02-28"]);
  if (pattern && pattern !== "\\S") return random.pick(["check_stock", "a", "en", "#12ab9F", "/pricing/**"]);
  const text = random.pick(words).slice(0, maxLength);
  return text.trim().length < minLength ? "x".repeat(minLength) : text;
}
