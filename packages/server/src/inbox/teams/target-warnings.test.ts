import type { OfficeHours, ReplyTargetKind } from "@foyer/contract";
import { addOpenMinutes } from "@foyer/contract/rules/office-hours";
import { startReplyTargets } from "@foyer/contract/rules/reply-targets";
import { MINUTE_MS } from "@foyer/contract/rules/time";
import fc from "fast-check";
import { expect, it } from "vitest";
import { findNextWarning, type StoredTargets, takeWarnings } from "./target-warnings.ts";

const weekdays = [1, 2, 3, 4, 5];
const offices: Array<OfficeHours | null> = [
  null,
  ...["Europe/Zurich", "America/New_York"].map((timeZone) => ({
    timeZone,
    days: weekdays.map((day) => ({ day, from: "09:00", to: "17:00" })),
    exceptions: [],
  })),
];
/** Around the changes of the clock in both time zones. */
const start = Date.UTC(2026, 2, 6);

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
        let targets: StoredTargets = startReplyTargets(hours, wanted, from);
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
          const due = limit === null ? null : addOpenMinutes(hours, Math.floor(limit * 0.75), from);
          const expected = due === null ? undefined : looksAt.find((at) => at >= due);
          expect(noticedAt.get(kind)).toBe(expected);
        }
      },
    ),
    { numRuns: 1_000 },
  );
});

it("has no further notice once all targets were noticed", () => {
  const targets = startReplyTargets(null, { firstAnswer: 20, nextAnswer: null, resolution: 60 }, 0);
  expect(findNextWarning(targets)).toBe(15 * MINUTE_MS);
  expect(findNextWarning(takeWarnings(targets, 15 * MINUTE_MS).targets)).toBe(45 * MINUTE_MS);
  expect(findNextWarning(takeWarnings(targets, 45 * MINUTE_MS).targets)).toBe(null);
});
