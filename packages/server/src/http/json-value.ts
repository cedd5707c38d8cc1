import { isUtf8 } from "node:buffer";
import { parse } from "secure-json-parse";
import { nulMessage, pathOfNul } from "./nul-characters.ts";

const MAX_DEPTH = 64;
const MAX_VALUES = 100_000;

/** What is wrong with a body: at a path in it, or (`path` empty) with the whole, in words that follow "The body ". */
export type JsonProblem = { path: string; message: string };

/** Reads a body, in any thread. `__proto__`, NUL characters, too deep or too many values are problems. */
export function readJson(bytes: Buffer): { value: unknown } | { problem: JsonProblem } {
  if (!isUtf8(bytes)) return whole("is not valid UTF-8");
  const text = bytes.toString("utf8");
  let value: unknown;
  try {
    value = parse(text, null, { protoAction: "error", constructorAction: "error" });
  } catch {
    return whole("is not valid JSON");
  }
  const shape = shapeProblem(value);
  if (shape !== null) return whole(shape);
  // An escape is the only way to write half a surrogate pair, so that few bodies are searched for one.
  if (/\\u[dD][89a-fA-F]/.test(text)) value = wellFormed(value);
  // JSON has one way to write NUL, so that few bodies are searched for it.
  const path = text.includes("\\u0000") ? pathOfNul(value) : null;
  return path === null ? { value } : { problem: { path, message: nulMessage } };
}

/**
 * Replaces halves of surrogate pairs by U+FFFD, in texts and in names, because UTF-8 cannot store them: what a response
 * echoes is then what was stored.
 */
function wellFormed(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, child]) => [name.toWellFormed(), wellFormed(child)]));
}

const whole = (message: string) => ({ problem: { path: "", message } });

/** Level by level, without recursion: what is too deep for us must not overflow our own stack either. */
function shapeProblem(value: unknown): string | null {
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
