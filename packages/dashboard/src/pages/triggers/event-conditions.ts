/** The operators of conditions on event data, with the words shown between a field and a value. */
export const operators = [
  { value: "$eq", label: "is" },
  { value: "$ne", label: "is not" },
  { value: "$gt", label: "is over" },
  { value: "$gte", label: "is at least" },
  { value: "$lt", label: "is under" },
  { value: "$lte", label: "is at most" },
  { value: "$in", label: "is one of" },
  { value: "$nin", label: "is none of" },
  { value: "$contains", label: "contains" },
  { value: "$exists", label: "exists" },
] as const;
export type Operator = (typeof operators)[number]["value"];

/** One condition as a row. `path` uses dots for nested fields. `value` is the text as typed. */
export type ConditionRow = { path: string; operator: Operator; value: string };

/** Converts a trigger's `eventData` to rows. Nested objects become dotted paths. */
export function readRows(eventData: unknown): ConditionRow[] {
  return isObject(eventData) ? toRows(eventData, []) : [];
}

/** Converts rows to `eventData`, or null without conditions. Rows without a field are left out. */
export function writeRows(rows: readonly ConditionRow[]): Record<string, unknown> | null {
  const filled = rows.filter(({ path }) => path.trim() !== "");
  if (filled.length === 0) return null;
  const byPath = Map.groupBy(filled, ({ path }) => path.trim());
  const conditions = [...byPath].map(([path, same]) => {
    const tests = same.map(({ operator, value }) => [operator, parseOperand(operator, value)] as const);
    const [[operator, operand] = ["$eq", null] as const] = tests;
    const isPlain = tests.length === 1 && operator === "$eq" && !isObject(operand);
    return [path, isPlain ? operand : Object.fromEntries(tests)] as const;
  });
  return Object.fromEntries(conditions);
}

export function describeRow({ path, operator, value }: ConditionRow): string {
  if (operator === "$exists") return `${path} ${value === "false" ? "is missing" : "exists"}`;
  const words = operators.find((known) => known.value === operator)?.label ?? operator;
  return `${path} ${words} ${value === "" ? '""' : value}`;
}

function toRows(fields: Record<string, unknown>, path: string[]): ConditionRow[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    const inner = [...path, name];
    if (!isObject(value)) return [toRow(inner, "$eq", value)];
    const tests = Object.entries(value);
    if (tests.every(([key]) => !key.startsWith("$"))) return toRows(value, inner);
    return tests.map(([operator, operand]) => toRow(inner, operator as Operator, operand));
  });
}

function toRow(path: string[], operator: Operator, operand: unknown): ConditionRow {
  const isList = (operator === "$in" || operator === "$nin") && Array.isArray(operand);
  // Values with commas, and anything but words and numbers, stay JSON.
  const isShort = isList && operand.every((item) => typeof item !== "object" && !String(item).includes(","));
  const value = isShort && operand.length > 0 ? operand.map(writeValue).join(", ") : writeValue(operand);
  return { path: path.join("."), operator, value };
}

function parseOperand(operator: Operator, value: string): unknown {
  if (operator === "$exists") return value.trim() !== "false";
  if (operator !== "$in" && operator !== "$nin") return readValue(value);
  const parsedValue = parse(value);
  return Array.isArray(parsedValue) ? parsedValue : value.split(",").map((item) => readValue(item.trim()));
}

/** Parses a typed value: `500` is a number, `true` a boolean, `"500"` text. Anything that is not JSON is text. */
function readValue(text: string): unknown {
  const parsed = parse(text);
  return parsed === undefined ? text : parsed;
}

function writeValue(value: unknown): string {
  const isWord = typeof value === "string" && parse(value) === undefined && value === value.trim();
  return isWord ? value : JSON.stringify(value);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
