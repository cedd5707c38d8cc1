import { describe, expect, it } from "vitest";
import { fillDays, noCounts, percentOf, precedingRange, resolveRange, toLocalHours } from "./analytics-range.ts";

const now = Date.parse("2026-03-02T00:30:00Z");
const counts = { ...noCounts, conversations: 1, replies: 2 };

describe("the range of the analytics page", () => {
  it.each([
    [{}, { name: "30d", from: "2026-02-01", to: "2026-03-02" }],
    [{ range: "7d" }, { name: "7d", from: "2026-02-24", to: "2026-03-02" }],
    [{ range: "12 years" }, { name: "30d", from: "2026-02-01", to: "2026-03-02" }],
    [
      { range: "custom", from: "2026-01-01", to: "2026-01-31" },
      { name: "custom", from: "2026-01-01", to: "2026-01-31" },
    ],
    [
      { range: "custom", from: "yesterday", to: "2026-01-31" },
      { name: "custom", from: "2026-01-02", to: "2026-01-31" },
    ],
  ])("reads %j as %j", (search, range) => {
    expect(resolveRange(search, now)).toEqual(range);
  });
});

it.each([
  ["2026-02-01", "2026-03-02", "2026-01-02", "2026-01-31"],
  ["2026-03-02", "2026-03-02", "2026-03-01", "2026-03-01"],
])("the period before %s to %s has the same length", (from, to, earlierFrom, earlierTo) => {
  expect(precedingRange({ from, to })).toEqual({ from: earlierFrom, to: earlierTo });
});

it("the figures of a range include the days without activity", () => {
  const days = [{ date: "2026-03-01", ...counts }];
  const filled = fillDays({ from: "2026-02-28", to: "2026-03-02", days });
  expect(filled.map(({ day, replies }) => `${day} ${replies}`)).toEqual([
    "2026-02-28 0",
    "2026-03-01 2",
    "2026-03-02 0",
  ]);
});

it.each([
  ["UTC+2", -120, 11],
  ["UTC-10", 600, 23],
  ["UTC+5:30", -330, 15],
])("the server's hours are shifted to %s", (_zone, offset, hour) => {
  const hours = Array.from({ length: 24 }, (_, hour) => ({ hour, conversations: 0, replies: hour === 9 ? 4 : 0 }));
  const local = toLocalHours(hours, offset);
  expect(local.map((counts) => counts.hour)).toEqual(Array.from({ length: 24 }, (_, hour) => hour));
  expect(local.find(({ replies }) => replies === 4)?.hour).toBe(hour);
});

it("the share of a total of zero is null", () => {
  expect([percentOf(1, 4), percentOf(0, 4), percentOf(0, 0)]).toEqual([25, 0, null]);
});
