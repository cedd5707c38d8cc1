import { channel } from "node:diagnostics_channel";

const failpoints = channel("foyer.failpoint");

type Failpoint =
  | "submission.committing"
  | "submission.committed"
  | "submission.answering"
  | "delivery.sending"
  | "delivery.sent"
  | "delivery.recorded"
  | "event.committing"
  | "event.committed"
  | "feed.committing"
  | "feed.committed"
  | "bulk.changed"
  | "handoff.committing"
  | "handoff.committed"
  | "notice.recorded"
  | "notice.committed"
  | "document.committing"
  | "document.committed"
  | "document.claimed"
  | "document.extracted"
  | "document.staged"
  | "document.indexing"
  | "document.indexed"
  | "embedding.answered"
  | "embedding.stored"
  | "site.discovered"
  | "site.page.stored"
  | "site.page.recorded"
  | "site.counted"
  | "site.removed"
  | "attachment.received"
  | "attachment.committing"
  | "attachment.committed"
  | "attachment.attaching"
  | "file.part.stored"
  | "file.deleting"
  | "team-chat.received";

/**
 * Publishes that the code reached this point, so that a fault test can kill the process there. Costs nothing without a
 * subscriber.
 */
export function failpoint(name: Failpoint): void {
  if (failpoints.hasSubscribers) failpoints.publish(name);
}
