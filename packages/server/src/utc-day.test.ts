import { expect, it } from "vitest";
import { toUtcDay } from "./utc-day.ts";

it("a UTC day starts and ends at midnight, whatever day was requested before", () => {
  for (const [instant, day] of [
    ["2026-01-31T00:00:00.000Z", "2026-01-31"],
    ["2026-01-31T23:59:59.999Z", "2026-01-31"],
    ["2026-02-01T00:00:00.000Z", "2026-02-01"],
    ["2026-01-31T12:00:00.000Z", "2026-01-31"],
    ["1969-12-31T23:59:59.999Z", "1969-12-31"],
    ["1970-01-01T00:00:00.000Z", "1970-01-01"],
    ["2028-02-29T12:00:00.000Z", "2028-02-29"],
  ] as const) {
    expect(toUtcDay(Date.parse(instant)), instant).toBe(day);
  }
});
