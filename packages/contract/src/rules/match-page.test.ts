import { createRequire } from "node:module";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { matchPage, pagePatternProblem } from "./match-page.ts";

type Picomatch = (glob: string, options: Record<string, boolean>) => (path: string) => boolean;
const require = createRequire(import.meta.url);
const picomatch: Picomatch = require("picomatch");

describe("matchPage", () => {
  it.each([
    ["/pricing", "/pricing"],
    ["/", "/"],
    ["/pricing", "/pricing?plan=pro#faq"],
    ["/pricing", "/pricing#faq?x"],
    ["/pricing/*", "/pricing/team"],
    ["/*", "/pricing"],
    ["/*/edit", "/42/edit"],
    ["/item-*", "/item-1"],
    ["/item-*", "/item-"],
    ["/*.html", "/a.html"],
    ["/*-*.html", "/a-b-c.html"],
    ["/a*b*c", "/abbc"],
    ["/pricing/*/", "/pricing/team/"],
    ["/blog/**", "/blog/a"],
    ["/blog/**", "/blog/a/b/c"],
    ["/blog/**", "/blog/a/"],
    ["/docs/**/api", "/docs/a/api"],
    ["/docs/**/api", "/docs/a/b/api"],
    ["/docs/**/api", "/docs/api"],
    ["/docs/**/api", "/docs/api/api"],
    ["/docs/**/**/api", "/docs/api"],
    ["/docs/**/*pi", "/docs/pi"],
    ["/docs/**/*/api", "/docs/a/api"],
    ["/**/edit", "/edit"],
    ["/**/edit", "/a/b/edit"],
    ["**/edit", "/edit"],
    ["**/edit", "/a/edit"],
    ["/**", "/"],
    ["/**", "/a"],
    ["/**", "/a/b/"],
    ["**", "/"],
    ["**", "/a/b"],
    ["/**/**", "/"],
    ["/a/**/", "/a/"],
    ["/a/**/", "/a/b/"],
    ["/a**b", "/axxb"],
    ["/a/***", "/a/b"],
    ["/.well-known/*", "/.well-known/x"],
    ["/*", "/.env"],
    ["/a//b", "/a//b"],
    ["/**/b", "/a//b"],
    ["/a{b,c}[d](e)!+@$^|", "/a{b,c}[d](e)!+@$^|"],
  ])("matches %j with %j", (pattern, path) => expect(matchPage(pattern, path)).toBe(true));

  it.each([
    ["/pricing", "/pricing/"],
    ["/pricing/", "/pricing"],
    ["/pricing", "/Pricing"],
    ["/pricing", "/pricing2"],
    ["/pricing", "/en/pricing"],
    ["/pricing/*", "/pricing"],
    ["/pricing/*", "/pricing/"],
    ["/pricing/*", "/pricing/a/b"],
    ["/pricing/*", "/pricing/a/"],
    ["/*", "/"],
    ["/a/*/b", "/a//b"],
    ["/a/*/b", "/a/b"],
    ["/item-*", "/item-1/2"],
    ["/item-*", "/items"],
    ["/blog/**", "/blog"],
    ["/blog/**", "/blog/"],
    ["/blog/**", "/blog/?page=2"],
    ["/blog/**", "/blogs/a"],
    ["/blog/**", "/en/blog/a"],
    ["/docs/**/api", "/docs/a/api/b"],
    ["/docs/**/api", "/docs/xapi"],
    ["/docs/**/api", "/docsapi"],
    ["/docs/**/*/api", "/docs/api"],
    ["/a/**/", "/a"],
    ["/a/**/", "/a/b"],
    ["/a**b", "/a/b"],
    ["/a/***", "/a/b/c"],
    ["*", "/a"],
    ["", "/"],
    ["/a?c", "/abc"],
    ["/[ab]", "/a"],
    ["/{a,b}", "/a"],
    ["/a.c", "/abc"],
    ["/(a|b)", "/a"],
    ["/!a", "/b"],
  ])("does not match %j with %j", (pattern, path) => expect(matchPage(pattern, path)).toBe(false));

  it.each([
    ["/über", "/%C3%BCber", true],
    ["/über", "/%c3%bcber", true],
    ["/%c3%bcber", "/über", true],
    ["/über/*", "/%C3%BCber/uns", true],
    ["/**/日本", "/a/%E6%97%A5%E6%9C%AC", true],
    ["/my page", "/my%20page", true],
    ["/100%", "/100%", true],
    ["/a%2fb", "/a%2Fb", true],
    ["/\ud800", "/%EF%BF%BD", true],
    ["/*", "/a%2Fb", true],
    ["/a%2Fb", "/a/b", false],
    ["/a/b", "/a%2Fb", false],
    ["/a%2Ab", "/axb", false],
    ["/a%2Ab", "/a%2Ab", true],
    ["/%2541", "/%41", false],
    ["/%41", "/A", false],
    ["/100%", "/100%25", false],
    ["/u\u0308ber", "/%C3%BCber", false],
    ["/Über", "/%C3%BCber", false],
  ])("compares %j with %j as in a browser: %j", (pattern, path, fits) => expect(matchPage(pattern, path)).toBe(fits));
});

/** Segments long enough that the pattern does not fit into one word of bits. */
const word = fc.oneof(
  fc.string({ unit: fc.constantFrom("a", "b", "-"), minLength: 1, maxLength: 3 }),
  fc.nat({ max: 40 }).map((length) => `${"a".repeat(length)}b`),
);
const globSegment = fc.oneof(
  { weight: 3, arbitrary: word },
  { weight: 2, arbitrary: fc.constant("**") },
  { weight: 2, arbitrary: fc.constant("*") },
  { weight: 2, arbitrary: fc.array(fc.oneof(word, fc.constant("*")), { minLength: 1, maxLength: 4 }).map(inSegment) },
);
const segments = fc.array(word, { maxLength: 8 });

/** A path that is likely to match: the pattern with its wildcards filled. */
const globAndPath = fc.array(globSegment, { maxLength: 7 }).chain((glob) => {
  const filled = glob.map((segment) =>
    segment === "**"
      ? fc.array(word, { maxLength: 3 })
      : fc.array(word, { minLength: 1, maxLength: 1 }).map(([fill = ""]) => [segment.replaceAll("*", () => fill)]),
  );
  const path = fc.oneof(
    fc.tuple(...filled).map((parts) => parts.flat()),
    segments,
  );
  return path.map((parts) => ({ glob: ["/site", ...glob].join("/"), path: ["/site", ...parts].join("/") }));
});

function inSegment(parts: string[]) {
  const joined = parts.join("").replace(/\*+/g, "*");
  return joined === "" ? "*" : joined;
}

describe("matchPage, for any pattern,", () => {
  it("agrees with picomatch where both have the same semantics", () => {
    const options = { dot: true, nobrace: true, nobracket: true, noextglob: true, nonegate: true, strictSlashes: true };
    let fitting = 0;
    fc.assert(
      fc.property(globAndPath, ({ glob, path }) => {
        const expected = picomatch(glob, options)(path);
        if (expected) fitting++;
        expect(matchPage(glob, path)).toBe(expected);
      }),
      { numRuns: 1_000 },
    );
    expect(fitting).toBeGreaterThan(100);
  });

  it("matches the URL that a browser makes of a pattern without wildcards, and no other page", () => {
    const unit = fc.oneof(
      fc.constantFrom("/", "%", "%2F", "%c3", "ü", " ", ".", "a", "|", "[", "^", '"'),
      fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
    );
    const pattern = fc
      .array(unit)
      .map((units) => `/${units.join("").replaceAll("*", "")}`)
      .filter((text) => pagePatternProblem(text) === null);
    const pathname = (text: string) => new URL(`https://shop.example${text}`).pathname;
    const meaning = (text: string) => {
      // Decodes every escape except those of a slash or a percent sign, which differ from the plain characters.
      return pathname(text).replace(/(?:%(?!25|2F)[\dA-F]{2})+/gi, (bytes) =>
        Buffer.from(bytes.replaceAll("%", ""), "hex").toString("latin1"),
      );
    };
    fc.assert(
      fc.property(pattern, pattern, (one, other) => {
        expect(matchPage(one, pathname(one))).toBe(true);
        if (meaning(one).toLowerCase() !== meaning(other).toLowerCase()) {
          expect(matchPage(one, pathname(other))).toBe(false);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe("the work of matchPage", () => {
  /** @returns the number of characters that the match reads */
  function countReads(pattern: string, path: string): number {
    const reading = vi.spyOn(String.prototype, "charCodeAt");
    matchPage(pattern, path);
    const count = reading.mock.calls.length;
    reading.mockRestore();
    return count;
  }

  it.each([
    ["stars in one segment", (size: number) => `/${"*a".repeat(size)}b`, (size: number) => `/${"a".repeat(size)}`],
    ["stars as segments", (size: number) => `/**${"/*".repeat(size)}/b`, (size: number) => "/a".repeat(size)],
    ["any depth", (size: number) => `${"/**/*a*".repeat(size)}/b`, (size: number) => "/a".repeat(size)],
  ])("grows linearly with path and pattern: %s", (_name, glob, path) => {
    const least = countReads(glob(16), path(200));
    expect(least).toBeGreaterThan(200);
    expect(countReads(glob(16), path(400)) / least).toBeLessThan(2.1);
    expect(countReads(glob(64), path(200)) / countReads(glob(32), path(200))).toBeLessThan(2.2);
  });

  it.each([
    ["14 stars", `${"/**/*a*".repeat(14)}/b`, "/a".repeat(10_000)],
    ["399 of `**`", `${"/**/a".repeat(399)}/b`, "/a".repeat(50_000)],
    ["1,000 stars in one segment", `/${"*a".repeat(998)}b`, `/${"a".repeat(99_999)}`],
  ])("is small for the largest inputs: %s", (_name, pattern, path) => {
    expect(pagePatternProblem(pattern)).toBeNull();
    expect(matchPage(pattern, path)).toBe(false);
    expect(matchPage(pattern, `${path}${path.includes("/a/") ? "/" : ""}b`)).toBe(true);
  });
});

describe("pagePatternProblem", () => {
  it.each([
    "/",
    "/pricing",
    "/blog/**",
    "/**",
    "**",
    "**/edit",
    "/*",
    "/über/*",
    "/a//b",
    "/.well-known/*",
    "/a b",
    "/...",
    `/${"a".repeat(1_999)}`,
  ])("accepts %j", (pattern) => expect(pagePatternProblem(pattern)).toBeNull());

  it.each([
    ["", "must not be empty"],
    ["pricing", "must start with /"],
    ["*", "must start with /"],
    ["*/a", "must start with /"],
    ["**a", "must start with /"],
    [" /a", "must start with /"],
    ["https://shop.example/a", "must start with /"],
    ["/a?b=1", "query and hash"],
    ["/a#b", "query and hash"],
    ["/a\\b", "must not contain \\"],
    ["/a\nb", "control characters"],
    ["/a ", "a space at its end"],
    ["/a/../b", "as a segment"],
    ["/a/.", "as a segment"],
    ["/%2e%2E/b", "as a segment"],
    [`/${"a".repeat(2_000)}`, "at most 2000 characters"],
    [`/${"ü".repeat(400)}`, "at most 2000 characters"],
  ])("refuses %j: %s", (pattern, problem) => expect(pagePatternProblem(pattern)).toContain(problem));

  it("accepts only patterns that some path matches", () => {
    const unit = fc.oneof(fc.constantFrom("/", "*", "**", ".", "%", "%2e", "?", "ü"), fc.string({ unit: "binary" }));
    fc.assert(
      fc.property(fc.array(unit), (units) => {
        const pattern = `/${units.join("")}`;
        const witness = pattern.replace(/\*+/g, "x");
        expect(pagePatternProblem(pattern) !== null || matchPage(pattern, witness)).toBe(true);
      }),
    );
  });
});
