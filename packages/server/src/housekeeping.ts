import { deleteRemains } from "./agent-deletion.ts";
import { deleteExpiredRows } from "./auth/retention.ts";
import { deleteOlderThan } from "./conversations/retention.ts";
import { startCleanUp } from "./db/clean-up.ts";
import type { Deps } from "./deps.ts";
import { deleteUnusedOriginals } from "./documents/retention.ts";
import { deleteImpressionsBefore, deleteSubmissionDaysBefore, deleteSubmissionsBefore } from "./forms/retention.ts";
import { deleteOldAnswers } from "./http/idempotency.ts";
import { deleteVisitorDaysBefore } from "./plans/retention.ts";
import { deleteEventsBefore } from "./triggers/retention.ts";
import { dayOf } from "./utc-day.ts";

const DAY_MS = 86_400_000;
const EVENTS_KEPT_DAYS = 90;

/** Deletes expired rows, now and every hour. @returns a function that stops it */
export function startHousekeeping({ db, config, log }: Pick<Deps, "db" | "config" | "log">): () => void {
  const daysAgo = (days: number) => Date.now() - days * DAY_MS;
  const { retentionDays } = config;
  return startCleanUp(log, {
    "content of deleted agents": () => deleteRemains(db),
    "old conversations": async () => (retentionDays === null ? 0 : deleteOlderThan(db, daysAgo(retentionDays))),
    "old form submissions": async () => {
      const days = config.submissionRetentionDays;
      return days === null ? 0 : deleteSubmissionsBefore(db, daysAgo(days));
    },
    "expired submission quotas": () => deleteSubmissionDaysBefore(db, dayOf(daysAgo(1))),
    "old trigger events": () => deleteEventsBefore(db, dayOf(daysAgo(EVENTS_KEPT_DAYS))),
    "old form impressions": () => deleteImpressionsBefore(db, dayOf(daysAgo(EVENTS_KEPT_DAYS))),
    "expired idempotency keys": () => deleteOldAnswers(db, Date.now()),
    "expired sessions, links and audit entries": () => deleteExpiredRows(db, Date.now()),
    "unused originals of documents": () => deleteUnusedOriginals(db, Date.now()),
    "expired visitor token usage": () => deleteVisitorDaysBefore(db, dayOf(daysAgo(1))),
  });
}
