import { describe, expect, it } from "vitest";
import { scaleAxis } from "./chart-axis.ts";

describe("the value axis of a chart", () => {
  it.each([
    [0, [0, 1, 2, 3]],
    [3, [0, 1, 2, 3]],
    [20, [0, 8, 16, 24]],
    [31, [0, 20, 40, 60]],
    [12_000, [0, 4_000, 8_000, 12_000]],
  ])("has round grid lines for the highest value %i", (highest, ticks) => {
    expect(scaleAxis(highest)).toEqual({ max: ticks.at(-1), ticks });
  });
});
