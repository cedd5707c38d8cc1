import { expect, it } from "vitest";
import type { OfficeHours } from "./handoff.ts";
import { isOpen } from "./office-hours.ts";
import { calculateReplyTarget, countOpenMinutes, findNextTarget, startReplyTargets } from "./reply-targets.ts";

const MINUTE_MS = 60_000;
const OFFICES = 50;
const TIMELINES_EACH = 20;
/** The shortest span of office hours, in minutes. */
const MIN_SPAN = 120;

/** A small generator with a fixed seed, so that a failure repeats. */
function createRandom(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const pad = (value: number) => String(value).padStart(2, "0");
const toTime = (minutes: number) => `${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;

/** Around the changes of the clock of 2026: Zurich on March 29 and October 25, New York on March 8 and November 1. */
const zones = [
  { timeZone: "Europe/Zurich", changes: ["2026-03-29T01:00:00Z", "2026-10-25T01:00:00Z"] },
  { timeZone: "America/New_York", changes: ["2026-03-08T07:00:00Z", "2026-11-01T06:00:00Z"] },
];

/**
 * An office around a change of the clock. It opens for at least two hours a week, because a target that is not
 * reached within a year does not exist.
 */
function createOffice(random: (below: number) => number) {
  const zone = zones[random(zones.length)] ?? { timeZone: "UTC", changes: [] };
  const change = Date.parse(zone.changes[random(zone.changes.length)] ?? "");
  const days = Array.from({ length: 1 + random(7) }, () => {
    const from = random(1_400);
    return { day: 1 + random(7), from: toTime(from), to: toTime(from + MIN_SPAN + random(1_440 - MIN_SPAN - from)) };
  });
  const hours: OfficeHours = { timeZone: zone.timeZone, days, exceptions: [] };
  // Asking the time zone is slow, and the timelines of an office overlap.
  const known = new Map<number, boolean>();
  const isOpenAt = (at: number) => known.getOrInsertComputed(at, () => isOpen(hours, at));
  // Whole minutes, because the reference walks from minute to minute.
  const timelines = Array.from({ length: TIMELINES_EACH }, () => ({
    from: change + (random(4 * 1_440) - 2 * 1_440) * MINUTE_MS,
    minutes: 1 + random(600),
  }));
  return { hours, isOpenAt, timelines };
}

it("are due in the same minute as in a walk through every minute, in two time zones and across changes of the clock", () => {
  const random = createRandom(20_260_329);
  const wrong = Array.from({ length: OFFICES }, () => createOffice(random)).flatMap(({ hours, isOpenAt, timelines }) =>
    timelines.flatMap(({ from, minutes }) => {
      let at = from;
      for (let counted = 0; counted < minutes; at += MINUTE_MS) if (isOpenAt(at)) counted += 1;
      return calculateReplyTarget(hours, minutes, from)?.dueAt === at ? [] : [{ hours, from, minutes }];
    }),
  );
  expect(wrong).toEqual([]);
}, 60_000);

it("have taken as many open minutes as a walk through every minute counts", () => {
  const random = createRandom(20_261_025);
  const wrong = Array.from({ length: OFFICES }, () => createOffice(random)).flatMap(({ hours, isOpenAt, timelines }) =>
    timelines.flatMap(({ from, minutes }) => {
      const to = from + minutes * MINUTE_MS;
      let counted = 0;
      for (let at = from; at < to; at += MINUTE_MS) if (isOpenAt(at)) counted += 1;
      return countOpenMinutes(hours, from, to) === counted ? [] : [{ hours, from, minutes }];
    }),
  );
  expect(wrong).toEqual([]);
}, 60_000);

it("turn after three quarters of the time", () => {
  expect(calculateReplyTarget(null, 20, 0)).toEqual({ dueAt: 20 * MINUTE_MS, warnAt: 15 * MINUTE_MS });
});

it("do not exist in an office that never opens", () => {
  expect(calculateReplyTarget({ timeZone: "UTC", days: [], exceptions: [] }, 20, 0)).toBe(null);
});

it("do not exist in an office that does not open long enough within a year", () => {
  const hours: OfficeHours = {
    timeZone: "Europe/Zurich",
    days: [{ day: 2, from: "09:32", to: "09:33" }],
    exceptions: [],
  };
  expect(calculateReplyTarget(hours, 391, Date.parse("2026-03-30T22:21:00Z"))).toBe(null);
});

it("are met in the order in which they are due", () => {
  const targets = startReplyTargets(
    null,
    { firstAnswer: 30, nextAnswer: null, resolution: 20 },
    { answer: 0, resolution: 0 },
  );
  expect(findNextTarget(targets)?.kind).toBe("resolution");
});
