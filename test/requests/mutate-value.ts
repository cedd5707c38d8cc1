import type { Random } from "./random.ts";

const junk: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  2 ** 53,
  "",
  " ",
  "\0",
  "\ud800",
  "__proto__",
  "x".repeat(5_000),
  [],
  [[]],
  {},
  { a: { b: {} } },
  [null],
  "Infinity",
  "%00",
  "../..",
  "🚲".repeat(300),
  { $gt: 1 },
];

/** Returns the value with one part replaced, removed or added. The schema rejects the result most of the time. */
export function mutateValue(value: unknown, random: Random): unknown {
  const isList = Array.isArray(value);
  if (typeof value !== "object" || value === null || random.chance(0.1)) return random.pick(junk);
  const keys = Object.keys(value);
  const key = keys.length > 0 ? random.pick(keys) : "extra";
  const child = (value as Record<string, unknown>)[key];
  if (isList)
    return random.chance(0.3) ? [...value, random.pick(junk)] : value.map((item) => mutateValue(item, random));
  const action = random.pick(["replace", "remove", "add", "deeper"]);
  if (action === "deeper") return { ...value, [key]: mutateValue(child, random) };
  if (action === "add") return { ...value, [random.pick(["unknown", "constructor_", "id"])]: random.pick(junk) };
  if (action === "replace") return { ...value, [key]: random.pick(junk) };
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
}

const oddText = [
  "",
  "Infinity",
  "1e309",
  "-Infinity",
  "0x10",
  "+5",
  " 5",
  "05",
  "-1",
  "%ff",
  "null",
  "x".repeat(2_000),
];

/** Returns a query or path parameter as a careless or malicious client might send it. */
export function mutateText(random: Random): string {
  return random.pick(oddText);
}

/** Bodies that are not JSON. */
export function brokenBody(random: Random): string {
  return random.pick(["{", "nul", "[1,", '{"a":1,}', '{"a":NaN}', "\0", '"\\u00zz"', "[".repeat(200)]);
}
