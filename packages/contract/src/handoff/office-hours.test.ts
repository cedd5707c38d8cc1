import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { OfficeHours } from "./handoff.ts";
import { addOpenMinutes, findOpening, isOpen, isTimeZone } from "./office-hours.ts";

const MINUTE_MS = 60_000;
const QUARTER_MS = 15 * MINUTE_MS;
/** The length of time that the properties examine. */
const SPAN_MS = 3 * 86_400_000;
const workdays = [1, 2, 3, 4, 5];

function createOfficeHours(changes: Partial<OfficeHours> = {}): OfficeHours {
  const days = workdays.map((day) => ({ day, from: "09:00", to: "17:30" }));
  return { timeZone: "Europe/Zurich", days, exceptions: [], ...changes };
}

const at = (iso: string) => Date.parse(iso);
const iso = (instant: number | null) => (instant === null ? null : new Date(instant).toISOString());

describe("office hours", () => {
  it.each([
    ["on a workday in winter", "2026-01-14T08:00:00Z", true],
    ["one millisecond before the start", "2026-01-14T07:59:59.999Z", false],
    ["at the end", "2026-01-14T16:30:00Z", false],
    ["one millisecond before the end", "2026-01-14T16:29:59.999Z", true],
    ["in summer, an hour earlier in UTC", "2026-07-15T07:00:00Z", true],
    ["on a Sunday", "2026-07-19T10:00:00Z", false],
  ])("are read in the time zone of the office: %s", (_, instant, expected) => {
    expect(isOpen(createOfficeHours(), at(instant))).toBe(expected);
  });

  it("never close if none are set", () => {
    expect(isOpen(null, 0)).toBe(true);
    expect(findOpening(null, 0)).toBeNull();
    expect(addOpenMinutes(null, 10, 0)).toBe(10 * MINUTE_MS);
  });

  it("name the next opening, on Monday for a visitor on Friday evening", () => {
    expect(iso(findOpening(createOfficeHours(), at("2026-01-16T20:00:00Z")))).toBe("2026-01-19T08:00:00.000Z");
    expect(findOpening(createOfficeHours(), at("2026-01-16T10:00:00Z"))).toBeNull();
  });

  it("never open if they have no spans", () => {
    const closed = createOfficeHours({ days: [], exceptions: [{ date: "2026-01-16", from: null, to: null }] });
    expect(isOpen(closed, at("2026-01-16T10:00:00Z"))).toBe(false);
    expect(findOpening(closed, at("2026-01-16T10:00:00Z"))).toBeNull();
    expect(addOpenMinutes(closed, 10, at("2026-01-16T10:00:00Z"))).toBeNull();
    const backwards = createOfficeHours({ days: [{ day: 1, from: "17:00", to: "09:00" }] });
    expect(findOpening(backwards, at("2026-01-16T10:00:00Z"))).toBeNull();
  });

  it("are replaced by the exceptions of a date", () => {
    const hours = createOfficeHours({
      exceptions: [
        { date: "2026-12-25", from: null, to: null },
        { date: "2026-12-26", from: "10:00", to: "11:00" },
        { date: "2026-12-26", from: "14:00", to: "15:00" },
      ],
    });
    expect(isOpen(hours, at("2026-12-25T10:00:00Z"))).toBe(false);
    expect(iso(findOpening(hours, at("2026-12-24T20:00:00Z")))).toBe("2026-12-26T09:00:00.000Z");
    expect(iso(findOpening(hours, at("2026-12-26T10:30:00Z")))).toBe("2026-12-26T13:00:00.000Z");
  });

  it("cross midnight as two spans", () => {
    const hours = createOfficeHours({
      days: [
        { day: 5, from: "22:00", to: "24:00" },
        { day: 6, from: "00:00", to: "02:00" },
      ],
    });
    expect(isOpen(hours, at("2026-01-16T22:59:59.999Z"))).toBe(true);
    expect(isOpen(hours, at("2026-01-16T23:00:00Z"))).toBe(true);
    expect(iso(addOpenMinutes(hours, 90, at("2026-01-16T22:30:00Z")))).toBe("2026-01-17T00:00:00.000Z");
  });

  it("skip the hour that does not exist when daylight saving time begins", () => {
    const hours = createOfficeHours({ days: [{ day: 7, from: "02:15", to: "03:30" }] });
    const night = at("2026-03-29T00:00:00Z");
    expect(iso(findOpening(hours, night))).toBe("2026-03-29T01:00:00.000Z");
    expect(iso(addOpenMinutes(hours, 30, night))).toBe("2026-03-29T01:30:00.000Z");
  });

  it("count the hour that occurs twice when daylight saving time ends", () => {
    const hours = createOfficeHours({ days: [{ day: 7, from: "02:15", to: "02:30" }] });
    const night = at("2026-10-25T00:00:00Z");
    expect(iso(findOpening(hours, night))).toBe("2026-10-25T00:15:00.000Z");
    expect(iso(findOpening(hours, at("2026-10-25T00:30:00Z")))).toBe("2026-10-25T01:15:00.000Z");
    expect(iso(addOpenMinutes(hours, 20, night))).toBe("2026-10-25T01:20:00.000Z");
  });

  it("know the time zones of the machine and no others", () => {
    expect(["Europe/Zurich", "Asia/Kathmandu", "UTC"].map(isTimeZone)).toEqual([true, true, true]);
    expect(["", "Mars/Olympus_Mons", "../etc"].map(isTimeZone)).toEqual([false, false, false]);
  });
});

describe("a promise within office hours", () => {
  it.each([
    ["is kept on the same day", "2026-01-14T10:00:00Z", 10, "2026-01-14T10:10:00.000Z"],
    ["starts with the next opening", "2026-01-14T20:00:00Z", 10, "2026-01-15T08:10:00.000Z"],
    ["continues after a weekend", "2026-01-16T16:25:00Z", 10, "2026-01-19T08:05:00.000Z"],
    ["ends with the office day", "2026-01-14T16:20:00Z", 10, "2026-01-14T16:30:00.000Z"],
  ])("%s", (_, asked, minutes, promised) => {
    expect(iso(addOpenMinutes(createOfficeHours(), minutes, at(asked)))).toBe(promised);
  });

  it("counts time in overlapping spans once", () => {
    const days = [
      { day: 3, from: "09:00", to: "10:00" },
      { day: 3, from: "09:30", to: "11:00" },
      { day: 3, from: "09:40", to: "09:50" },
    ];
    expect(iso(addOpenMinutes(createOfficeHours({ days }), 120, at("2026-01-14T06:00:00Z")))).toBe(
      "2026-01-14T10:00:00.000Z",
    );
  });
});

describe("the arithmetic of office hours", () => {
  // Zones with a half-hour clock change, a change at midnight, a skipped day, no change, and offsets of 45 minutes.
  const zones = [
    "Europe/Zurich",
    "Australia/Lord_Howe",
    "Africa/Cairo",
    "America/Havana",
    "Pacific/Apia",
    "Asia/Kathmandu",
  ];
  const clock = fc.integer({ min: 0, max: 96 }).map((quarter) => {
    const [hour, minute] = [Math.floor(quarter / 4), (quarter % 4) * 15];
    return `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;
  });
  const dateOf = (instant: number) => new Date(instant).toISOString().slice(0, 10);
  const instant = fc.integer({
    min: at("2011-06-01T00:00:00Z") / MINUTE_MS,
    max: at("2027-06-01T00:00:00Z") / MINUTE_MS,
  });
  const cases = fc
    .record({
      timeZone: fc.constantFrom(...zones),
      days: fc.array(fc.record({ day: fc.integer({ min: 1, max: 7 }), from: clock, to: clock }), { maxLength: 6 }),
      exceptionDays: fc.array(fc.record({ ahead: fc.integer({ min: -1, max: 9 }), from: clock, to: clock }), {
        maxLength: 3,
      }),
      minute: fc.oneof(instant, fc.constantFrom(...shifts().map((shift) => shift / MINUTE_MS))),
      ahead: fc.integer({ min: -600, max: 600 }),
      minutes: fc.integer({ min: 1, max: 1_440 }),
    })
    .map(({ timeZone, days, exceptionDays, minute, ahead, minutes }) => {
      const start = (minute + ahead) * MINUTE_MS;
      const exceptions = exceptionDays.map(({ ahead: later, from, to }) => ({
        date: dateOf(start + later * 86_400_000),
        from,
        to,
      }));
      return { hours: { timeZone, days, exceptions }, start, minutes };
    });

  it("opens at the first open minute after a closed one, in every time zone", () => {
    fc.assert(
      fc.property(cases, ({ hours, start }) => {
        const opening = findOpening(hours, start);
        const firstOpen = splitHours(hours, start).find(({ isOpen: open }) => open)?.from;
        if (firstOpen === start) expect(opening).toBeNull();
        else if (firstOpen !== undefined) expect(opening).toBe(firstOpen);
        else expect(opening === null || opening > start + SPAN_MS - QUARTER_MS).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it("promises an instant after exactly as many open minutes, in every time zone", () => {
    fc.assert(
      fc.property(cases, ({ hours, start, minutes }) => {
        const promised = addOpenMinutes(hours, minutes, start);
        let left = minutes * MINUTE_MS;
        for (const { from, to, isOpen: open } of splitHours(hours, start)) {
          if (!open) continue;
          if (to - from >= left) {
            expect(promised).toBe(from + left);
            return;
          }
          left -= to - from;
        }
        expect(promised === null || promised > start + SPAN_MS - QUARTER_MS).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  /** The time from `start` in quarters of an hour. All hours and clock changes above fall on such a boundary. */
  function splitHours(hours: OfficeHours, start: number) {
    return Array.from({ length: SPAN_MS / QUARTER_MS }, (_, index) => {
      const quarter = (Math.floor(start / QUARTER_MS) + index) * QUARTER_MS;
      const from = Math.max(quarter, start);
      return { from, to: quarter + QUARTER_MS, isOpen: isOpen(hours, from) };
    });
  }

  /** Instants at which clocks change in the zones above. */
  function shifts(): number[] {
    return [
      "2026-03-29T01:00:00Z",
      "2026-10-25T01:00:00Z",
      "2026-04-04T15:00:00Z",
      "2026-10-03T15:30:00Z",
      "2026-04-23T22:00:00Z",
      "2026-10-29T21:00:00Z",
      "2026-03-08T05:00:00Z",
      "2026-11-01T05:00:00Z",
      "2011-12-30T10:00:00Z",
    ].map(at);
  }
});
