import type { FormField } from "@foyer/contract";
import { compileRegExp } from "@foyer/contract/rules/form-pattern";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkFormPattern, checkPatternSpeed, testPatterns } from "./form-pattern.ts";

const fieldsOf = (pattern: string, more: Partial<FormField> = {}): FormField[] => [
  { name: "a", label: "A", type: "text", ...more, validation: { pattern: { value: pattern }, ...more.validation } },
];
async function matches(pattern: string, value: string): Promise<boolean> {
  return (await testPatterns("org_a", fieldsOf(pattern), { a: value }))(pattern).test(value);
}

describe("the pattern of a form field", () => {
  it.each([
    ["^(?=.*\\d)(?=.*[a-z]).{8,}$", "abcdefg1", true],
    ["^(?=.*\\d)(?=.*[a-z]).{8,}$", "abcdefgh", false],
    ["^(?!info@).+@", "ada@example.com", true],
    ["^(?!info@).+@", "info@example.com", false],
    ["(?<=CH-)\\d{4}$", "CH-8001", true],
    ["(?<!X)\\d{4}$", "X8001", false],
    ["^(\\w)\\1$", "aa", true],
    ["^(?<d>\\d)-\\k<d>$", "4-5", false],
    ["^.{1,2000}$", "a".repeat(2_000), true],
    ["^.{1,2000}$", "a".repeat(2_001), false],
    ["(?i)^harbour$", "HARBOUR", true],
    ["^(?i)harbour$", "Harbour", true],
    ["(?i)^ſ$", "S", true],
    ["(?s)^a.b$", "a\nb", true],
    ["^(?i:har)bour$", "HARbour", true],
    ["^[ab]{1,1000}$", "ab".repeat(1_500), false],
    ["[ab]{1,1000}", "ab".repeat(1_500), true],
  ])("is accepted and matches as in browsers: %s", async (pattern, value, expected) => {
    checkFormPattern(pattern);
    await checkPatternSpeed("org_a", fieldsOf(pattern));
    expect([await matches(pattern, value), compileRegExp(pattern).test(value)]).toEqual([expected, expected]);
  });

  it("gives the same answer on the server and in the browser's engine for 1,000 generated pairs", async () => {
    const atom = fc.constantFrom(
      "a",
      "B",
      "\\d",
      "\\w",
      "\\W",
      "[ab]",
      "[^a]",
      ".",
      "(a|b)",
      "\\b",
      "(?:aB)",
      "\\s",
      "\\p{L}",
      "é",
    );
    const piece = fc.oneof(
      fc.tuple(atom, fc.constantFrom("", "", "?", "*", "+", "{2}", "{1,3}", "{1,2000}", "+?")).map((parts) => {
        return parts[0] === "\\b" ? "\\b" : parts.join("");
      }),
      fc.tuple(fc.constantFrom("(?=", "(?!", "(?<=", "(?<!"), atom).map(([open, inner]) => `${open}${inner})`),
    );
    const pattern = fc
      .tuple(
        fc.constantFrom("", "", "(?i)", "^(?i)", "(?s)"),
        fc.constantFrom("", "^"),
        fc.array(piece, { maxLength: 4 }),
        fc.constantFrom("", "$", "\\1"),
      )
      .map(([flags, start, pieces, end]) => {
        const body = pieces.join("");
        const hasGroup = /\((?!\?)/.test(body);
        return `${flags}${flags.startsWith("^") ? "" : start}${body}${end === "\\1" && !hasGroup ? "" : end}`;
      });
    const value = fc.string({ unit: fc.constantFrom("a", "b", "B", "A", "1", " ", "é", "\n", "🙂"), maxLength: 8 });
    let pairs = 0;
    await fc.assert(
      fc.asyncProperty(pattern, value, async (one, text) => {
        checkFormPattern(one);
        pairs++;
        expect(await matches(one, text), `${one} on ${JSON.stringify(text)}`).toBe(compileRegExp(one).test(text));
      }),
      { numRuns: 1_000 },
    );
    expect(pairs).toBe(1_000);
  });

  it.each([
    "^(?=(a+)+$).*b",
    "^(\\w+)+\\1$",
    "(?i)^(a|a)*$",
    "^(?!x)(\\d+)*$",
    "^(foo|fo+)+(?=!)$",
    "^(?=.*.*.*.*x).+$",
    "^(?=(\\s*,?)*$)",
    "^(?=(\\p{L}+)+$)",
  ])("is refused when it takes too long for its own characters: %s", async (pattern) => {
    await expect(checkPatternSpeed("org_a", fieldsOf(pattern))).rejects.toThrow(
      /takes too long to test a value such as/,
    );
  });

  it("is refused when it takes too long for the field's default", async () => {
    const fields = fieldsOf("^(?=([§q]+)+$)", { defaultValue: `${"§".repeat(40)}x` });
    await expect(checkPatternSpeed("org_a", fields)).rejects.toMatchObject({ code: "VALIDATION_ERROR" });
  });

  it("is accepted when the maximum length keeps it fast", async () => {
    const fields = fieldsOf("^(?!x)(\\d+)*$", { validation: { maxLength: { value: 12 } } });
    await expect(checkPatternSpeed("org_a", fields)).resolves.toBeUndefined();
  });

  it.each([
    ["[", /not a regular expression/],
    ["(?x)a", /not a regular expression/],
    ["a++", /not a regular expression/],
    ["(?P<n>a)", /not a regular expression/],
    ["[[:alpha:]]", /different things/],
    ["a\\z", /different things/],
    ["a".repeat(1_001), /longer than 1000/],
  ])("is refused when browsers cannot run it, or would understand it differently: %.20s", (pattern, reason) => {
    expect(() => checkFormPattern(pattern)).toThrow(reason);
  });

  it("does not match a value that takes too long, while the event loop continues and others are tested", async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    const slow = matches("^(?=(a+)+$).*b", `${"a".repeat(60)}!`);
    const others = await Promise.all(
      Array.from({ length: 20 }, async () =>
        (await testPatterns("org_b", fieldsOf("(?=a)"), { a: "a" }))("(?=a)").test("a"),
      ),
    );
    expect(others).not.toContain(false);
    expect(await slow).toBe(false);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(100);
    expect(await matches("(?=a)a", "a")).toBe(true);
  });
});
