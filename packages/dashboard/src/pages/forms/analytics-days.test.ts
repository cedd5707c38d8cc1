import type { FormField } from "@foyer/contract";
import { describe, expect, it } from "vitest";
import { analyticsQuery, fillDays, findLargestDrop, findRange, firstDay, toFieldRates } from "./analytics-days.ts";

const now = Date.parse("2026-03-02T00:30:00Z");
const day = (date: string) => ({ date, impressions: 4, started: 3, submitted: 2, successful: 1, failed: 1 });

it("form analytics fall back to 30 days for an unknown range", () => {
  expect(["7d", "90d", "all", "31d", undefined].map((id) => findRange(id).days)).toEqual([7, 90, null, 30, 30]);
  expect(firstDay(findRange("7d"), now)).toBe("2026-02-24");
  expect(analyticsQuery("agent_1", findRange("all"))).toEqual({ agentId: "agent_1", groupBy: "day" });
});

describe("fillDays", () => {
  it("includes every day of the range", () => {
    const filled = fillDays([day("2026-02-27"), day("2026-03-02")], findRange("7d"), now);
    expect(filled.map(({ date, impressions }) => `${date} ${impressions}`)).toEqual([
      "2026-02-24 0",
      "2026-02-25 0",
      "2026-02-26 0",
      "2026-02-27 4",
      "2026-02-28 0",
      "2026-03-01 0",
      "2026-03-02 4",
    ]);
  });

  it("starts all time with the first day that has data", () => {
    expect(fillDays([day("2026-02-28")], findRange("all"), now).map(({ date }) => date)).toEqual([
      "2026-02-28",
      "2026-03-01",
      "2026-03-02",
    ]);
    expect(fillDays([], findRange("all"), now)).toEqual([]);
  });
});

describe("the drop-off", () => {
  const fields: FormField[] = [
    { name: "a", label: "Name", type: "text", validation: { required: { value: true } } },
    { name: "b", label: "", type: "text" },
    { name: "c", label: "E-mail", type: "email", validation: { required: { value: true } } },
  ];

  it("lists fields in form order", () => {
    expect(toFieldRates(fields, { c: 50, a: 95 })).toEqual([
      { name: "a", label: "Name", isRequired: true, rate: 95 },
      { name: "b", label: "b", isRequired: false, rate: 0 },
      { name: "c", label: "E-mail", isRequired: true, rate: 50 },
    ]);
  });

  it("finds the largest drop only at required fields", () => {
    expect(findLargestDrop(toFieldRates(fields, { a: 95, b: 1, c: 50 }))).toEqual({ label: "E-mail", lost: 45 });
    expect(findLargestDrop(toFieldRates(fields, { a: 60, b: 1, c: 58 }))).toEqual({ label: "Name", lost: 40 });
    expect(findLargestDrop(toFieldRates(fields, { a: 97, b: 0, c: 90 }))).toBeNull();
    expect(findLargestDrop([])).toBeNull();
  });
});
