import type { FormField } from "@foyer/contract";
import { LRUCache } from "lru-cache";
import { invalid } from "../../errors.ts";
import { checkDialect, checkPatternLength, compilePattern } from "../schema/tool-pattern.ts";
import { createPatternRunner } from "./pattern-runner.ts";

type Linear = ReturnType<typeof compilePattern>;

/** Shared by all servers of this process, like the threads of a pool. */
const runner = createPatternRunner();
/** Compiling costs far more than a test. null is a pattern that the linear engine cannot express. */
const known = new LRUCache<string, { linear: Linear | null }>({ max: 500 });

/** @throws Error whose message completes "The pattern …" */
export function checkFormPattern(pattern: string): void {
  checkPatternLength(pattern);
  checkDialect(pattern);
}

function findLinear(pattern: string): Linear | null {
  const found = known.get(pattern) ?? { linear: compileLinear(pattern) };
  known.set(pattern, found);
  return found.linear;
}

/** Inline flags are not linear, because the engines differ in which letters they consider equal. */
function compileLinear(pattern: string): Linear | null {
  try {
    return compilePattern(pattern);
  } catch {
    return null;
  }
}

/**
 * Tests the values of a submission, those of expensive patterns in another thread. A value that takes too long does not
 * match. @returns the patterns for `validateForm`
 */
export async function testPatterns(
  organizationId: string,
  fields: readonly FormField[],
  data: Readonly<Record<string, unknown>>,
): Promise<(pattern: string) => { test(value: string): boolean }> {
  const results = new Map<string, boolean>();
  const key = (pattern: string, value: string) => JSON.stringify([pattern, value]);
  for (const { name, validation } of fields) {
    const pattern = validation?.pattern?.value;
    const value = Object.hasOwn(data, name) ? data[name] : undefined;
    if (pattern === undefined || typeof value !== "string" || findLinear(pattern)?.isShort(value)) continue;
    results.set(key(pattern, value), (await runner.matches(organizationId, pattern, value)) === true);
  }
  return (pattern) => ({
    test: (value) => results.get(key(pattern, value)) ?? findLinear(pattern)?.test(value) ?? false,
  });
}

/**
 * Refuses patterns that take too long for values made of their own characters, or for the field's default.
 * @throws AppError 400
 */
export async function checkPatternSpeed(organizationId: string, fields: readonly FormField[]): Promise<void> {
  for (const [index, { defaultValue = "", placeholder = "", validation = {} }] of fields.entries()) {
    const pattern = validation.pattern?.value;
    if (pattern === undefined || findLinear(pattern)) continue;
    const maxLength = validation.maxLength?.value ?? Number.POSITIVE_INFINITY;
    for (const value of [defaultValue, placeholder, ...createExamples(pattern)]) {
      if (value.length > maxLength || (await runner.matches(organizationId, pattern, value)) !== null) continue;
      const example = value.length > 20 ? `${value.slice(0, 20)}…” (${value.length} characters)` : `${value}”`;
      throw invalid(
        `formSchema.fields.${index}.validation.pattern.value`,
        `takes too long to test a value such as “${example}. Avoid a repetition inside a repetition, such as (a+)+, or two in a row that can match the same text, and set a maximum length`,
        "pattern",
      );
    }
  }
}

/** The lengths at which exponential and cubic backtracking exceed the time limit. */
const EXAMPLE_LENGTHS = [32, 3_000];
const MAX_UNITS = 8;

/** Values that repeat the pattern's own characters and words, and end with a character that matches nothing. */
function createExamples(pattern: string): string[] {
  const text = pattern
    .replace(/\\[pP]\{[^}]*\}|\\w|(?<!\\)\./g, "a")
    .replace(/\\d/g, "1")
    .replace(/\\s/g, " ")
    .replace(/\{\d*,?\d*\}|\(\?<?[=!:]|\(\?<\w+>|\\[\dBbkDSW]/g, "|");
  const words = text.match(/[\p{L}\p{N} @_-]{2,10}/gu) ?? [];
  const characters = [...new Set(text.match(/[^\\()[\]{}|?*+^$.]/gu) ?? [])];
  const units = [...new Set([...characters.slice(0, MAX_UNITS), ...words.slice(0, MAX_UNITS), "a", "1"])];
  const pairs = characters
    .slice(0, MAX_UNITS)
    .flatMap((first, index, all) => all.slice(index + 1).map((next) => first + next));
  return [...units, ...pairs].flatMap((unit) =>
    EXAMPLE_LENGTHS.map((length) => `${unit.repeat(Math.ceil(length / unit.length))}\u0001`),
  );
}
