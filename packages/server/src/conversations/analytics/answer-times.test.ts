import { describe, expect, it } from "vitest";
import { answerTimeColumn } from "./answer-times.ts";

describe("the range of an answer's time", () => {
  it.each([
    [0, "answersWithin1Min"],
    [60_000, "answersWithin1Min"],
    [60_001, "answersWithin5Min"],
    [900_000, "answersWithin15Min"],
    [3_600_000, "answersWithin1Hour"],
    [14_400_000, "answersWithin4Hours"],
    [14_400_001, "answersLater"],
  ])("of %i ms is %s", (ms, column) => {
    expect(answerTimeColumn(ms)).toBe(column);
  });
});
