import fc from "fast-check";
import { expect, it } from "vitest";
import type { InPieces } from "../../run-in-pieces.ts";
import { createMask, type Mask } from "./mask-secrets.ts";

/** The result, and the CPU time of the longest piece in milliseconds. */
function run<T>(computation: InPieces<T>): { value: T; longestMs: number } {
  let longestMs = 0;
  for (;;) {
    const before = process.threadCpuUsage();
    const piece = computation.next();
    const { user, system } = process.threadCpuUsage(before);
    longestMs = Math.max(longestMs, (user + system) / 1_000);
    if (piece.done) return { value: piece.value, longestMs };
  }
}

const maskFor = (secrets: readonly string[]) => run(createMask(secrets)).value;

it("masking replaces exactly the runs of text that secrets cover, however they overlap", () => {
  const word = (min: number, max: number) =>
    fc.array(fc.constantFrom("a", "b", "ab", "aab"), { minLength: min, maxLength: max }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(fc.array(word(4, 12), { maxLength: 4 }), word(0, 60), (secrets, text) => {
      expect(run(maskFor(secrets)(text)).value).toBe(maskSlowly(secrets, text));
    }),
  );
});

/** Marks every character of every occurrence. Adjacent occurrences stay separate. */
function maskSlowly(secrets: readonly string[], text: string): string {
  const ends = Array.from(text, (_, at) =>
    Math.max(0, ...secrets.filter((secret) => text.startsWith(secret, at)).map(({ length }) => at + length)),
  );
  let masked = "";
  for (let at = 0; at < text.length; ) {
    let end = ends[at] ?? 0;
    if (end === 0) {
      masked += text[at++];
      continue;
    }
    for (at += 1; at < end; at++) end = Math.max(end, ends[at] ?? 0);
    masked += "***";
  }
  return masked;
}

it("masking leaves nothing of two secrets that overlap in a response", () => {
  expect(run(maskFor(["key-one", "one-more"])("key-one-more")).value).toBe("***");
});

it("masking ten secrets in 1 MB of text takes about the time of one", () => {
  const secrets = Array.from({ length: 10 }, (_, index) => `${index}${"sk_live_aB3".repeat(5)}`);
  const text = "lorem ipsum dolor sit amet ".repeat(37_000);
  const milliseconds = (mask: Mask) => {
    const rounds = Array.from({ length: 5 }, () => {
      const before = process.cpuUsage();
      expect(run(mask(text)).value).toBe(text);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1_000;
    });
    return Math.min(...rounds);
  };
  expect(milliseconds(maskFor(secrets))).toBeLessThan(4 * milliseconds(maskFor(secrets.slice(0, 1))));
});

it("masking secrets that almost match everywhere in 1 MB of text has no piece of 100 ms", () => {
  const secrets = Array.from({ length: 10 }, (_, index) => `${"a".repeat(9_000 + index)}${index}`);
  const longestPiece = () => {
    const made = run(createMask(secrets));
    const { value, longestMs } = run(made.value("a".repeat(1_000_000)));
    expect(value).toHaveLength(1_000_000);
    return Math.max(made.longestMs, longestMs);
  };
  // Compiling and garbage collection count as CPU time too, but they rarely affect the same piece twice.
  let longest = longestPiece();
  for (let round = 0; round < 4 && longest >= 100; round++) longest = Math.min(longest, longestPiece());
  expect(longest).toBeLessThan(100);
});
