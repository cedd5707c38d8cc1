import type { InPieces } from "./run-in-pieces.ts";

/** A number that a JavaScript number would write with other digits, such as 10.50 or 1234567890123456789. */
export type ExactNumber = { readonly rawJSON: string };

/** These two functions of JavaScript are newer than TypeScript's declarations. `JSON.stringify` writes such numbers as they are. */
const { rawJSON, isRawJSON } = JSON as typeof JSON & {
  rawJSON(text: string): ExactNumber;
  isRawJSON(value: unknown): value is ExactNumber;
};

export const isExactNumber: (value: unknown) => value is ExactNumber = isRawJSON;

const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}]|[^\s",:[\]{}]+/g;
/** Deeper JSON is refused, so that recursive code cannot overflow the stack. */
const MAX_DEPTH = 100;
/** The number of values that are read in one piece, which takes about a millisecond. */
const VALUES_PER_PIECE = 1_000;

/**
 * Reads JSON and keeps the digits of its numbers and the order of its names, which `JSON.parse` changes: it rounds
 * numbers, and moves names such as "10" to the front. @throws SyntaxError, and RangeError if it is too deep
 */
export function* readExactJson(text: string): InPieces<unknown> {
  JSON.parse(text);
  const tokens = text.matchAll(TOKENS);
  const next = () => tokens.next().value?.[0] ?? "";
  let values = 0;

  function* readValue(token: string, depth: number): InPieces<unknown> {
    if (depth > MAX_DEPTH) throw new RangeError(`The JSON is nested deeper than ${MAX_DEPTH} levels.`);
    if (++values % VALUES_PER_PIECE === 0) yield;
    if (token === "[") {
      const items: unknown[] = [];
      for (let item = next(); item !== "]"; item = next()) items.push(yield* readValue(item, depth + 1));
      return items;
    }
    if (token === "{") {
      const entries: [string, unknown][] = [];
      for (let name = next(); name !== "}"; name = next()) {
        entries.push([JSON.parse(name), yield* readValue(next(), depth + 1)]);
      }
      return toOrderedObject(entries);
    }
    return /^[-\d]/.test(token) ? toNumber(token) : JSON.parse(token);
  }
  return yield* readValue(next(), 0);
}

/** Like `readExactJson`, for short texts. */
export function parseExactJson(text: string): unknown {
  const reading = readExactJson(text);
  let piece = reading.next();
  while (!piece.done) piece = reading.next();
  return piece.value;
}

/** @param text a number in JSON's form */
export function toNumber(text: string): number | ExactNumber {
  return String(Number(text)) === text ? Number(text) : rawJSON(text);
}

/** Like `Object.fromEntries`, and lists names such as "10" where they are among the entries. */
export function toOrderedObject(entries: ReadonlyArray<readonly [string, unknown]>): Record<string, unknown> {
  const object: Record<string, unknown> = Object.fromEntries(entries);
  const names = new Set(entries.map(([name]) => name));
  if (!names.values().some((name) => /^\d+$/.test(name))) return object;
  const keys = [...names];
  return new Proxy(object, { ownKeys: () => keys });
}

/** A copy in which each exact number is replaced. */
function replaceExactNumbers(value: unknown, replace: (number: ExactNumber) => unknown): unknown {
  if (isExactNumber(value)) return replace(value);
  if (Array.isArray(value)) return value.map((item) => replaceExactNumbers(item, replace));
  if (typeof value !== "object" || value === null) return value;
  return toOrderedObject(Object.entries(value).map(([name, item]) => [name, replaceExactNumbers(item, replace)]));
}

/** For programs that check values: each number as JavaScript reads it. */
export const toJsNumbers = (value: unknown): unknown => replaceExactNumbers(value, ({ rawJSON }) => Number(rawJSON));

/**
 * For what is stored or sent to pages, which read JSON with JavaScript's numbers: a number that they would read as
 * another one becomes a text with its digits.
 */
export const toSafeNumbers = (value: unknown): unknown =>
  replaceExactNumbers(value, ({ rawJSON }) =>
    toDecimal(rawJSON) === toDecimal(String(Number(rawJSON))) ? Number(rawJSON) : rawJSON,
  );

/** The digits and the exponent of a number, the same for each of its spellings. */
function toDecimal(text: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, "");
  // A regular expression for the zeros at the end would try each zero in a long number as their first.
  let length = digits.length;
  while (digits[length - 1] === "0") length -= 1;
  const significant = digits.slice(0, length);
  const power = Number(exponent) - fraction.length + digits.length - significant.length;
  return significant === "" ? "0" : `${sign}${significant}e${power}`;
}

/** The text of a single value, with the digits of an exact number. */
export const toScalarText = (value: string | number | boolean | ExactNumber): string =>
  isExactNumber(value) ? value.rawJSON : String(value);

export function isScalar(value: unknown): value is string | number | boolean | ExactNumber {
  return ["string", "number", "boolean"].includes(typeof value) || isExactNumber(value);
}
