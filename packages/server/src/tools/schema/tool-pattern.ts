import { compileRegExp, inlineFlags } from "@foyer/contract/rules/form-pattern";
import { RE2JS } from "re2js";

const MAX_PATTERN_LENGTH = 1_000;
/** The maximum number of instructions of a compiled program. `.{1,1000}` has 2,001, and an email address about 800. */
const MAX_PROGRAM = 2_500;
/**
 * The maximum product of instructions and characters in one test, about 0.1 s in the worst case. It allows `^[a-z ]+$`
 * to read half a million characters.
 */
const MAX_WORK = 5_000_000;

/** `isShort` tells whether a value is short enough to be tested. */
type LinearPattern = { test(value: string): boolean; isShort(value: string): boolean };

export function checkPatternLength(pattern: string): void {
  if (pattern.length > MAX_PATTERN_LENGTH) throw new Error(`is longer than ${MAX_PATTERN_LENGTH} characters`);
}

/**
 * Compiles a member's pattern, which runs in linear time. It matches anywhere in the value unless it is anchored.
 * Values that are too long for it (a thousand characters and more for the largest patterns) do not match.
 * @throws Error whose message completes "The pattern …"
 */
export function compilePattern(pattern: string): LinearPattern {
  checkPatternLength(pattern);
  if (/(?<!\\)(?:\\\\)*\\k/.test(pattern)) throw new Error("cannot contain back-references such as \\k<name>");
  checkDialect(pattern);
  if (inlineFlags.test(pattern)) throw new Error("is not a regular expression: Invalid group");
  const compiled = translate(pattern);
  const size = compiled.programSize();
  if (size > MAX_PROGRAM) throw new Error("is too large: its repetition counts multiply");
  const isShort = (value: string) => size * value.length <= MAX_WORK;
  return { isShort, test: (value) => isShort(value) && compiled.test(value) };
}

function translate(pattern: string): RE2JS {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(pattern));
  } catch (error) {
    throw new Error(explain(error instanceof Error ? error.message : ""), { cause: error });
  }
}

/** The browser runs the same pattern, so the pattern must have the same meaning in both engines. */
export function checkDialect(pattern: string): void {
  let isStrict: boolean;
  try {
    isStrict = compileRegExp(pattern).unicode;
  } catch (error) {
    const message = error instanceof Error ? error.message : "";
    throw new Error(`is not a regular expression: ${message.slice(message.lastIndexOf(": ") + 2)}`, { cause: error });
  }
  for (const [piece, escaped] of pattern.matchAll(/\\[xu]\{|\\([\s\S])|\{,|\[:/g)) {
    const isRisky = escaped === undefined || /[AaCEeGgHhiIjJkKlLmMNoOpPqQRTUVXyYZz]/.test(escaped);
    if (!isStrict && isRisky)
      throw new Error(`cannot contain \`${piece}\`, which means different things in different engines`);
  }
}

/** @param message such as "error parsing regexp: invalid escape sequence: `\1`" */
function explain(message: string): string {
  if (/`\(\?<[=!]/.test(message)) return "cannot contain lookbehind: (?<=…) or (?<!…)";
  if (/`\(\?[=!]/.test(message)) return "cannot contain lookahead: (?=…) or (?!…)";
  if (/escape sequence: `\\[1-9]/.test(message)) return "cannot contain back-references such as \\1";
  if (/repeat count|repeat size/.test(message)) return "cannot repeat anything more than 1,000 times";
  return `cannot be used: ${message.replace(/^error parsing regexp: /, "").slice(0, 200) || "it cannot be parsed"}`;
}
