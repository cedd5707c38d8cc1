import { describe, expect, it } from "vitest";
import { scaleAxis } from "./chart-axis.ts";

describe("the value axis of a chart", () => {
  it.each([
    [0, [0, 1, 2, 3]],
    [3, [0, 1, 2, 3]],
    [20, [0, 8, 16, 24]],
    [31, [0, 20, 40, 60]],
    [12_000, [0, 4_000, 8_000, 12_000]],
    [0.5, [0, 0.2, 0.4, 0.6]],
  ])("has round grid lines for the highest value %d", (highest, ticks) => {
    const axis = scaleAxis(highest);
    expect([...axis.ticks, axis.max].map((tick) => Number(tick.toPrecision(6)))).toEqual([...ticks, ticks.at(-1)]);
  });
});
