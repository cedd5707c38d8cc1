import fc from "fast-check";
import { expect, it } from "vitest";
import { contrast, LAMP, readableOn } from "./accent.ts";

it("can be read on every colour", () => {
  const color = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, "0")}`);
  fc.assert(
    fc.property(color, (accent) => {
      expect(contrast(accent, readableOn(accent))).toBeGreaterThanOrEqual(4.5);
    }),
    { numRuns: 5_000 },
  );
});

it("is ink on the lamp, and white on what is dark", () => {
  expect([readableOn(LAMP), readableOn("#0f766e"), readableOn("#000000")]).toEqual(["#1c1917", "#ffffff", "#ffffff"]);
  expect(contrast(LAMP, "#1c1917")).toBeGreaterThan(8);
});
