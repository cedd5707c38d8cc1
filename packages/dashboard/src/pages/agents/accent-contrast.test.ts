import { describe, expect, it } from "vitest";
import { contrast, isColor, LAMP, textOn } from "./accent-contrast.ts";

describe("what is told of a colour", () => {
  it("is the contrast as WCAG counts it", () => {
    expect(contrast("#000000", "#ffffff")).toBeCloseTo(21, 5);
    expect(contrast("#777777", "#ffffff")).toBeCloseTo(4.48, 2);
    expect(contrast("#0f766e", "#0f766e")).toBe(1);
  });

  it("is the text that the widget writes on it, readable on every colour", () => {
    expect([textOn(LAMP).name, textOn("#0f766e").name, textOn("#fafaf9").name]).toEqual(["dark", "white", "dark"]);
    for (let value = 0; value < 0xffffff; value += 4_099) {
      const color = `#${value.toString(16).padStart(6, "0")}`;
      expect([color, textOn(color).contrast >= 4.5]).toEqual([color, true]);
    }
  });

  it("takes six hexadecimal digits for a colour and nothing else", () => {
    const texts = ["#F59E0B", "#f59e0b", "f59e0b", "#fff", "#f59e0b ", "red", ""];
    expect(texts.map(isColor)).toEqual([true, true, false, false, false, false, false]);
  });
});
