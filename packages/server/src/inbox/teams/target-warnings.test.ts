import type { OfficeHours, ReplyTargetKind } from "@foyer/contract";
import { startReplyTargets } from "@foyer/contract/rules/reply-targets";
import { DAY_MS, MINUTE_MS } from "@foyer/contract/rules/time";
import fc from "fast-check";
import { expect, it } from "vitest";
import { findNextWarning, type StoredTargets, takeWarnings } from "./target-warnings.ts";

const weekdays = [1, 2, 3, 4, 5];
/** By day, and at the hours of the night in which the clock changes. */
const week = [
  ...weekdays.map((day) => ({ day, from: "09:00", to: "17:00" })),
  ...[6, 7].map((day) => ({ day, from: "01:30", to: "05:00" })),
];
const offices: Array<OfficeHours | null> = [
  null,
  ...["Europe/Zurich", "America/New_York"].map((timeZone) => ({ timeZone, days: week, exceptions: [] })),
];
/** Around the changes of the clock in both time zones. */
const start = Date.UTC(2026, 2, 6);
const REFERENCE_DAYS = 60;

/** Whether the office is open in each minute after `start`, by the wall clock that the runtime shows for that minute. */
function listOpenMinutes(hours: OfficeHours | null): boolean[] {
  const clock = new Intl.DateTimeFormat("en-GB", {
    timeZone: hours?.timeZone ?? "UTC",
    weekday: "short",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  const days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
  return Array.from({ length: REFERENCE_DAYS * (DAY_MS / MINUTE_MS) }, (_, minute) => {
    if (hours === null) return true;
    const parts = clock.formatToParts(start + minute * MINUTE_MS);
    const read = (type: string) => parts.find((part) => part.type === type)?.value ?? "";
    const time = `${read("hour")}:${read("minute")}`;
    const day = days.indexOf(read("weekday")) + 1;
    return hours.days.some((span) => span.day === day && span.from <= time && time < span.to);
  });
}

const openMinutes = new Map(offices.map((hours) => [hours, listOpenMinutes(hours)]));

/** The slow reference: walks minute by minute until enough of them were open. */
function walk(hours: OfficeHours | null, minutes: number, from: number): number {
  const isOpen = openMinutes.get(hours) ?? [];
  let left = minutes;
  for (let at = (from - start) / MINUTE_MS; at < isOpen.length; at++) {
    if (!isOpen[at]) continue;
    if (left <= 1) return start + (at + left) * MINUTE_MS;
    left -= 1;
  }
  throw new Error("the reference covers too few days");
}

const atOnce = (from: number) => ({ answer: from, resolution: from });

it("gives one notice for each target, when three quarters of its open minutes have passed, whenever it is looked at", () => {
  const looks = fc.array(fc.integer({ min: 1, max: 3_000 }), { minLength: 5, maxLength: 60 });
  const minutes = fc.option(fc.integer({ min: 1, max: 600 }));
  fc.assert(
    fc.property(
      fc.constantFrom(...offices),
      fc.integer({ min: 0, max: 30 * 24 * 60 }),
      minutes,
      minutes,
      looks,
      (hours, after, firstAnswer, resolution, pauses) => {
        const from = start + after * MINUTE_MS;
        const wanted = { firstAnswer, nextAnswer: null, resolution };
        let targets: StoredTargets = startReplyTargets(hours, wanted, atOnce(from));
        const noticedAt = new Map<ReplyTargetKind, number>();
        const looksAt: number[] = [];
        let now = from;
        for (const pause of pauses) {
          now += pause * MINUTE_MS;
          looksAt.push(now);
          const taken = takeWarnings(targets, now);
          targets = taken.targets;
          for (const kind of taken.due) {
            expect(noticedAt.has(kind)).toBe(false);
            noticedAt.set(kind, now);
          }
        }
        for (const kind of ["firstAnswer", "resolution"] as const) {
          const limit = wanted[kind];
          const due = limit === null ? null : walk(hours, Math.floor(limit * 0.75) || 0.75, from);
          const expected = due === null ? undefined : looksAt.find((at) => at >= due);
          expect(noticedAt.get(kind)).toBe(expected);
          expect(targets[kind]?.dueAt).toBe(limit === null ? undefined : walk(hours, limit, from));
        }
      },
    ),
    { numRuns: 1_000 },
  );
});

it("turns the clock of a target of one minute before it is missed, but not at once", () => {
  expect(
    startReplyTargets(null, { firstAnswer: 1, nextAnswer: null, resolution: null }, atOnce(0)).firstAnswer,
  ).toEqual({
    warnAt: 45_000,
    dueAt: MINUTE_MS,
  });
});

it("has no further notice once all targets were noticed", () => {
  const targets = startReplyTargets(null, { firstAnswer: 20, nextAnswer: null, resolution: 60 }, atOnce(0));
  expect(findNextWarning(targets)).toBe(15 * MINUTE_MS);
  expect(findNextWarning(takeWarnings(targets, 15 * MINUTE_MS).targets)).toBe(45 * MINUTE_MS);
  expect(findNextWarning(takeWarnings(targets, 45 * MINUTE_MS).targets)).toBe(null);
});
