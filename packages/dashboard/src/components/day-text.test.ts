import { expect, it } from "vitest";
import { formatPercent, selectLabelledDays } from "./day-text.ts";

it("a chart labels the newest day and every nth day before it, evenly spaced", () => {
  const days = Array.from({ length: 30 }, (_, index) => `2026-01-${String(index + 1).padStart(2, "0")}`);
  expect(selectLabelledDays(days)).toEqual(["05", "10", "15", "20", "25", "30"].map((day) => `2026-01-${day}`));
  expect(selectLabelledDays(days.slice(0, 3))).toEqual(days.slice(0, 3));
  expect(selectLabelledDays([])).toEqual([]);
});

it("rates are formatted without a space, and with one decimal below 10", () => {
  expect([0, 0.04, 4.25, 9.96, 12.5, 33.3333, 100].map(formatPercent)).toEqual([
    "0%",
    "0%",
    "4.3%",
    "10%",
    "13%",
    "33%",
    "100%",
  ]);
});
