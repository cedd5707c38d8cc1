import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseTime } from "./form-dates.ts";

describe("parseTime", () => {
  it.each<["date" | "datetime", string, string]>([
    ["date", "2026-01-31", "2026-01-31T00:00:00.000Z"],
    ["date", "2024-02-29", "2024-02-29T00:00:00.000Z"],
    ["date", "0001-01-01", "0001-01-01T00:00:00.000Z"],
    ["date", "9999-12-31", "9999-12-31T00:00:00.000Z"],
    ["datetime", "2026-01-31T09:30", "2026-01-31T09:30:00.000Z"],
    ["datetime", "2026-01-31T09:30:15", "2026-01-31T09:30:15.000Z"],
    ["datetime", "2026-01-31T09:30:15.25Z", "2026-01-31T09:30:15.250Z"],
    ["datetime", "2026-01-31T09:30+05:30", "2026-01-31T04:00:00.000Z"],
    ["datetime", "2026-01-01T00:30:00.001+01:00", "2025-12-31T23:30:00.001Z"],
  ])("converts the %s %s to %s", (type, text, moment) => {
    expect(parseTime(type, text)).toBe(Date.parse(moment));
  });

  it.each<["date" | "datetime", string]>([
    ["date", ""],
    ["date", "2026-1-31"],
    ["date", "31.01.2026"],
    ["date", "2026-02-30"],
    ["date", "2025-02-29"],
    ["date", "1900-02-29"],
    ["date", "2026-00-10"],
    ["date", "2026-13-01"],
    ["date", "2026-01-00"],
    ["date", "2026-01-31 "],
    ["date", "2026-01-31\n"],
    ["date", "2026-01-31T09:30"],
    ["date", "+002026-01-31"],
    ["date", "２０２６-01-31"],
    ["datetime", "2026-01-31"],
    ["datetime", "2026-01-31 09:30"],
    ["datetime", "2026-01-31t09:30"],
    ["datetime", "2026-01-31T9:30"],
    ["datetime", "2026-02-30T09:30"],
    ["datetime", "2026-01-31T25:00"],
    ["datetime", "2026-01-31T09:60"],
    ["datetime", "2026-01-31T09:30:60"],
    ["datetime", "2026-01-31T09:30:00.1234"],
    ["datetime", "2026-01-31T09:30+99:00"],
    ["datetime", "2026-01-31T09:30+0530"],
    ["datetime", "2026-01-31T09:30 Z"],
  ])("returns null for the %s %j", (type, text) => {
    expect(parseTime(type, text)).toBeNull();
  });

  it("reads what `Date` writes in any time zone of the machine", () => {
    const moments = fc.date({
      min: new Date("0000-01-01T00:00Z"),
      max: new Date("9999-12-31T23:59Z"),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(moments, (moment) => {
        const text = moment.toISOString();
        expect(parseTime("datetime", text)).toBe(moment.getTime());
        expect(parseTime("datetime", text.slice(0, -1))).toBe(moment.getTime());
        expect(parseTime("date", text.slice(0, 10))).toBe(Date.parse(text.slice(0, 10)));
      }),
    );
  });
});
