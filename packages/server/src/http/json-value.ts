import { isUtf8 } from "node:buffer";
import { parse } from "secure-json-parse";
import { findNulPath, nulMessage } from "./nul-characters.ts";

const MAX_DEPTH = 64;
const MAX_VALUES = 100_000;

/**
 * A problem with the value at a path of the body, or with the whole body if `path` is empty. The message follows the
 * words "The body".
 */
export type JsonProblem = { path: string; message: string };

/**
 * Parses a body. It can run in any thread. It rejects `__proto__`, NUL characters, values that are nested too deeply,
 * and too many values.
 */
export function readJson(bytes: Buffer): { value: unknown } | { problem: JsonProblem } {
  if (!isUtf8(bytes)) return rootProblem("is not valid UTF-8");
  const text = bytes.toString("utf8");
  let value: unknown;
  try {
    value = parse(text, null, { protoAction: "error", constructorAction: "error" });
  } catch {
    return rootProblem("is not valid JSON");
  }
  const shape = findShapeProblem(value);
  if (shape !== null) return rootProblem(shape);
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

/**
 * Finds a problem with the depth or size of a value. It visits the value level by level without recursion, so that deep
 * nesting cannot overflow the stack.
 */
function findShapeProblem(value: unknown): string | null {
  let level: unknown[] = [value];
  let count = 1;
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return `is nested deeper than ${MAX_DEPTH} levels`;
    const next: unknown[] = [];
    for (const item of level) {
      if (typeof item !== "object" || item === null) continue;
      for (const child of Object.values(item)) {
        count++;
        if (typeof child === "object" && child !== null) next.push(child);
      }
    }
    if (count > MAX_VALUES) return `has more than ${MAX_VALUES} values`;
    level = next;
  }
  return null;
}
