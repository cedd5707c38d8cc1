import fc from "fast-check";
import { expect, it } from "vitest";
import { chooseReadableColor, contrastRatio, isColor, LAMP } from "./accent-contrast.ts";

it("readableOn returns a text color that is readable on every accent color", () => {
  const color = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, "0")}`);
  fc.assert(
    fc.property(color, (accent) => {
      expect(contrastRatio(accent, chooseReadableColor(accent))).toBeGreaterThanOrEqual(4.5);
    }),
    { numRuns: 5_000 },
  );
});

it("readableOn returns ink on the default accent color and white on dark colors", () => {
  expect([chooseReadableColor(LAMP), chooseReadableColor("#0f766e"), chooseReadableColor("#000000")]).toEqual([
    "#1c1917",
    "#ffffff",
    "#ffffff",
  ]);
  expect(contrastRatio(LAMP, "#1c1917")).toBeGreaterThan(8);
});

it("contrast follows the definition of WCAG", () => {
  expect(contrastRatio("#000000", "#ffffff")).toBeCloseTo(21, 5);
  expect(contrastRatio("#777777", "#ffffff")).toBeCloseTo(4.48, 2);
  expect(contrastRatio("#0f766e", "#0f766e")).toBe(1);
});

it("readableOn accepts only six-digit hexadecimal colors", () => {
  const texts = ["#F59E0B", "#f59e0b", "f59e0b", "#fff", "#f59e0b ", "red", ""];
  expect(texts.map(isColor)).toEqual([true, true, false, false, false, false, false]);
});
