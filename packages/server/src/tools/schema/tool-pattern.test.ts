import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compilePattern } from "./tool-pattern.ts";

describe("compilePattern", () => {
  it.each([
    ["b", "abc", true],
    ["^b", "abc", false],
    ["b$", "ab", true],
    ["b$", "ab\n", false],
    ["^\\+?[\\d\\s\\-()]{7,}$", "+41 (44) 123-45", true],
    ["^\\d{3}\\-\\d{4}$", "555-1234", true],
    ["^\\S+\\@\\S+$", "a@b", true],
    ["^\\p{L}+$", "Zoë", true],
    ["^\\u0041\\x42$", "AB", true],
    ["^(?<year>\\d{4})$", "2026", true],
    ["^(?:a|b){2}$", "ab", true],
    ["^.$", "🙂", true],
    ["^[\\]\\\\]+$", "]\\", true],
    ["\\\\Q", "\\Q", true],
    ["^$", "", true],
    ["", "anything", true],
  ])("matches %s in %j: %s", (pattern, value, found) => {
    expect(compilePattern(pattern).test(value)).toBe(found);
  });

  it.each([
    ["(?=a)b", /lookahead/],
    ["a(?!b)", /lookahead/],
    ["(?<=a)b", /lookbehind/],
    ["(?<!a)b", /lookbehind/],
    ["(a)\\1", /back-reference/],
    ["(?<n>a)\\k<n>", /back-reference/],
    ["\\k<n>", /back-reference/],
    ["a{1001}", /1,000 times/],
    ["(a{999}){999}", /1,000 times/],
    ["(?:a{100}b){10}(?:c{100}d){10}(?:e{100}f){10}", /too large/],
    ["a".repeat(1_001), /longer than 1000/],
    ["[", /not a regular expression/],
    ["(", /not a regular expression/],
    ["a++", /not a regular expression/],
    ["(?>a)", /not a regular expression/],
    ["(?P<n>a)", /not a regular expression/],
    ["(?i)a", /not a regular expression/],
    ["\\Qa.b\\E", /different things/],
    ["a{,3}", /different things/],
    ["[[:alpha:]]", /different things/],
    ["\\pL", /different things/],
    ["\\x{41}\\@", /different things/],
    ["a\\z", /different things/],
  ])("refuses %.40s", (pattern, reason) => {
    expect(() => compilePattern(pattern)).toThrow(reason);
  });

  it("agrees with the browser's engine", () => {
    const piece = fc.constantFrom(
      "a",
      "b",
      "\\d",
      "\\w",
      "[ab]",
      "[^a]",
      ".",
      "(a|b)",
      "a*",
      "b+?",
      "a{1,3}",
      "^",
      "$",
      "\\b",
    );
    const letters = fc.string({ unit: fc.constantFrom("a", "b", "1", " "), maxLength: 8 });
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), letters, (pieces, value) => {
        const pattern = pieces.join("").replaceAll(/\\b(?=[*+?{])|[\^$](?=[*+?{])/g, "");
        expect(compilePattern(pattern).test(value)).toBe(new RegExp(pattern, "u").test(value));
      }),
    );
  });

  it("responds quickly where backtracking would take forever", () => {
    const value = `${"a".repeat(100_000)}!`;
    expect(compilePattern("^(a+)+$").test(value)).toBe(false);
    expect(compilePattern("^(a|a)*$").test(value)).toBe(false);
    expect(compilePattern("(.*)(.*)(.*)(.*)x").test(value)).toBe(false);
  });

  it("does not match values that are too long for a large pattern", () => {
    const large = compilePattern("^[ab]{1,1000}");
    expect(large.test("a".repeat(2_000))).toBe(true);
    expect(large.test("a".repeat(3_000))).toBe(false);
    expect(compilePattern("^[ab]+$").test("a".repeat(500_000))).toBe(true);
  });

  it("throws only errors with a reason", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(..."\\()[]{}?*+^$|<>=!:,01kpQ") })),
        (pattern) => {
          try {
            compilePattern(pattern).test("abc");
          } catch (error) {
            expect(error).toBeInstanceOf(Error);
            expect((error as Error).message).toMatch(/^(is|cannot|repeats) .+/s);
          }
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
