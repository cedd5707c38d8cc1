import { DAY_MS, HOUR_MS } from "@foyer/contract/rules/time";
import { deleteRemains } from "./agent-deletion.ts";
import { deleteExpiredRows } from "./auth/retention.ts";
import { startCleanUp } from "./db/clean-up.ts";
import { deletePreviousData } from "./db/sqlite/backup.ts";
import type { Deps } from "./deps.ts";
import { deleteUnusedOriginals } from "./documents/retention.ts";
import { deleteWebhookEventsBefore } from "./events/retention.ts";
import { deleteEventsBeyond } from "./events/stored-events.ts";
import { deleteExpiredData } from "./expired-data.ts";
import { deleteImpressionsBefore, deleteSubmissionDaysBefore } from "./forms/retention.ts";
import { deleteExpiredResponses } from "./http/idempotency.ts";
import { deleteBulkActionsBefore } from "./inbox/bulk/store.ts";
import { deleteActivityBefore } from "./inbox/live/activity-store.ts";
import { deletePresenceBefore } from "./inbox/live/presence-store.ts";
import { deleteByteDaysBefore } from "./plans/byte-quota.ts";
import { deleteVisitorDaysBefore } from "./plans/retention.ts";
import { toUtcDay } from "./utc-day.ts";
import { deleteOrphanedNotes } from "./visitors/visitor-notes.ts";

const IMPRESSIONS_KEPT_DAYS = 90;
const WEBHOOK_EVENTS_KEPT_DAYS = 30;

/** Deletes expired rows, now and every hour. @returns a function that stops it */
export function startHousekeeping(deps: Pick<Deps, "db" | "databaseKind" | "config" | "log">): () => void {
  const { db, config, log } = deps;
  const daysAgo = (days: number) => Date.now() - days * DAY_MS;
  return startCleanUp(log, {
    "content of deleted agents": () => deleteRemains(db),
    "old conversations, submissions and events": () => deleteExpiredData(deps, Date.now()),
    "notes about visitors without conversations": () => deleteOrphanedNotes(db),
    "expired submission quotas": () => deleteSubmissionDaysBefore(db, toUtcDay(daysAgo(1))),
    "old form impressions": () => deleteImpressionsBefore(db, toUtcDay(daysAgo(IMPRESSIONS_KEPT_DAYS))),
    "data that a restore replaced": () => deletePreviousData(config.dataDir, Date.now()),
    "old webhook events": () => deleteWebhookEventsBefore(deps, daysAgo(WEBHOOK_EVENTS_KEPT_DAYS)),
    "events beyond an organization's limit": () => deleteEventsBeyond(deps, config.limits.storedEvents),
    "expired idempotency keys": () => deleteExpiredResponses(db, Date.now()),
    "expired sessions, links and audit entries": () => deleteExpiredRows(db, Date.now()),
    "unused originals of documents": () => deleteUnusedOriginals(db, Date.now()),
    "old typing and presence records": () => deletePresenceBefore(db, Date.now() - HOUR_MS),
    "old conversation activity": () => deleteActivityBefore(db, Date.now() - HOUR_MS),
    "old bulk actions": () => deleteBulkActionsBefore(db, daysAgo(1)),
    "expired byte quotas": () => deleteByteDaysBefore(db, toUtcDay(daysAgo(1))),
    "expired visitor token usage": () => deleteVisitorDaysBefore(db, toUtcDay(daysAgo(1))),
  });
}
