import { isUtf8 } from "node:buffer";
import { parse } from "secure-json-parse";
import { findNulPath, nulMessage } from "./nul-characters.ts";

const MAX_DEPTH = 64;

/**
 * A problem with the value at a path of the body, or with the whole body if `path` is empty. The message follows the
 * words "The body".
 */
export type JsonProblem = { path: string; message: string };

/**
 * Parses a body. It can run in any thread. It rejects `__proto__`, NUL characters, values that are nested too deeply,
 * and more than `maxValues` values. These are counted before the body is parsed, because an object with many names takes
 * a hundred times as long to parse as a text of its size.
 */
export function readJson(bytes: Buffer, maxValues: number): { value: unknown } | { problem: JsonProblem } {
  if (!isUtf8(bytes)) return rootProblem("is not valid UTF-8");
  const shape = findShapeProblem(bytes, maxValues);
  if (shape !== null) return rootProblem(shape);
  const text = bytes.toString("utf8");
  let value: unknown;
  try {
    value = parse(text, null, { protoAction: "error", constructorAction: "error" });
  } catch (error) {
    const isReserved = error instanceof Error && error.message.includes("forbidden prototype property");
    return rootProblem(
      isReserved ? "must not contain the names __proto__ and constructor.prototype" : "is not valid JSON",
    );
  }
  // A lone surrogate can only be written as an escape, so few bodies need to be searched for one.
  if (/\\u[dD][89a-fA-F]/.test(text)) value = replaceLoneSurrogates(value);
  // NUL can only be written as an escape, so few bodies need to be searched for it.
  const path = text.includes("\\u0000") ? findNulPath(value) : null;
  return path === null ? { value } : { problem: { path, message: nulMessage } };
}

/**
 * Replaces lone surrogates in strings and property names with U+FFFD, because UTF-8 cannot encode them. As a result, a
 * response contains exactly what was stored.
 */
function replaceLoneSurrogates(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map(replaceLoneSurrogates);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, child]) => [name.toWellFormed(), replaceLoneSurrogates(child)]),
  );
}

const rootProblem = (message: string) => ({ problem: { path: "", message } });

const [QUOTE, COMMA, COLON, BACKSLASH] = [0x22, 0x2c, 0x3a, 0x5c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Finds a problem with the depth or the number of values of JSON, in one pass over its bytes. A value follows each colon,
 * and in an array also its opening bracket and each comma. In invalid JSON, which the parser rejects, the count means
 * nothing.
 */
function findShapeProblem(bytes: Buffer, maxValues: number): string | null {
  /** whether each open container is an array, from the outside */
  const arrays: boolean[] = [];
  let values = 1;
  for (let index = 0; index < bytes.length; index++) {
    switch (bytes[index]) {
      case QUOTE:
        index = findStringEnd(bytes, index + 1);
        break;
      case COMMA:
        if (arrays.at(-1)) values++;
        break;
      case COLON:
        values++;
        break;
      case OPEN_ARRAY:
        values++;
        arrays.push(true);
        break;
      case OPEN_OBJECT:
        arrays.push(false);
        break;
      case CLOSE_ARRAY:
      case CLOSE_OBJECT:
        arrays.pop();
    }
    if (arrays.length > MAX_DEPTH) return `is nested deeper than ${MAX_DEPTH} levels`;
    if (values > maxValues) return `has more than ${maxValues.toLocaleString("en")} values`;
  }
  return null;
}

/** The position of the closing quote of a string. */
function findStringEnd(bytes: Buffer, start: number): number {
  let index = start;
  while (index < bytes.length && bytes[index] !== QUOTE) index += bytes[index] === BACKSLASH ? 2 : 1;
  return index;
}
