import { deleteOver } from "./auth/retention.ts";
import { deleteOlderThan } from "./conversations/retention.ts";
import { startCleanUp } from "./db/clean-up.ts";
import type { Deps } from "./deps.ts";
import { deleteShowingsBefore } from "./forms/impression-retention.ts";
import { deleteSubmissionDaysBefore, deleteSubmissionsBefore } from "./forms/submission-retention.ts";
import { deleteOldAnswers } from "./http/idempotency.ts";
import { deleteVisitorDaysBefore } from "./plans/limit-retention.ts";
import { deleteEventsBefore } from "./triggers/event-retention.ts";
import { dayOf } from "./utc-day.ts";

const DAY_MS = 86_400_000;
const EVENTS_KEPT_DAYS = 90;

/** Deletes what has had its time, now and every hour. Returns how to stop. */
export function startHousekeeping({ db, config, log }: Pick<Deps, "db" | "config" | "log">): () => void {
  const daysAgo = (days: number) => Date.now() - days * DAY_MS;
  const { retentionDays } = config;
  return startCleanUp(log, {
    "old conversations": async () => (retentionDays === null ? 0 : deleteOlderThan(db, daysAgo(retentionDays))),
    "old form submissions": async () => {
      const days = config.submissionRetentionDays;
      return days === null ? 0 : deleteSubmissionsBefore(db, daysAgo(days));
    },
    "counters of past days' submissions": () => deleteSubmissionDaysBefore(db, dayOf(daysAgo(1))),
    "old trigger events": () => deleteEventsBefore(db, dayOf(daysAgo(EVENTS_KEPT_DAYS))),
    "old showings of forms": () => deleteShowingsBefore(db, dayOf(daysAgo(EVENTS_KEPT_DAYS))),
    "answers kept for an Idempotency-Key": () => deleteOldAnswers(db, Date.now()),
    "sessions, links and audit entries that are over": () => deleteOver(db, Date.now()),
    "visitors' counters": () => deleteVisitorDaysBefore(db, dayOf(daysAgo(1))),
  });
}
