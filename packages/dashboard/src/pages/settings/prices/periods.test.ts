import { expect, it } from "vitest";
import { findPeriod } from "./periods.ts";

it.each([
  ["last-month", "2025-12-01", "2025-12-31"],
  ["this-month", "2026-01-01", "2026-01-05"],
  ["30-days", "2025-12-07", "2026-01-05"],
] as const)("%s begins and ends with these days (UTC)", (period, from, to) => {
  expect(findPeriod(period, new Date("2026-01-05T23:30:00Z"))).toEqual({ from, to });
});
