import { failpoint } from "../../failpoints.ts";
import { MAX_SLOT_WAIT_MS } from "../../outbox/delivery-lease.ts";
import type { LeasedDelivery, Next } from "../../outbox/delivery-queue.ts";
import type { RunDelivery } from "../../outbox/delivery-worker.ts";
import { createHostSemaphore } from "../../outbox/host-semaphore.ts";
import type { SubmissionStore } from "../submission-store.ts";
import type { AttemptRecords } from "./attempt-records.ts";
import type { SubmissionContent } from "./delivery-content.ts";
import type { Answer, createDeliverySender } from "./send-delivery.ts";

const MAX_RETRY_AFTER_MS = 2 * 3_600_000;

/**
 * Makes one attempt at a delivery and has it written down: what the delivery worker runs.
 * @param schedule the wait before each attempt, in milliseconds
 */
export function createSubmissionDelivery(
  schedule: readonly number[],
  store: SubmissionStore,
  send: ReturnType<typeof createDeliverySender>,
  records: AttemptRecords,
): RunDelivery {
  async function attempt(delivery: LeasedDelivery, content: SubmissionContent, signal: AbortSignal) {
    const startedAt = Date.now();
    const before = performance.now();
    failpoint("delivery.sending");
    const { retryAfterMs, isFinal = false, ...answer } = await send(delivery, content, signal);
    failpoint("delivery.sent");
    const made = { ...answer, startedAt, durationMs: Math.round(performance.now() - before) };
    const next = nextOf(delivery, { ...answer, retryAfterMs, isFinal }, schedule);
    const released = await records.write({ delivery, attempt: made, next });
    failpoint("delivery.recorded");
    return released;
  }

  const room = createRoomForFiles();
  return async (delivery, signal) => {
    const found = await store.toSend(delivery.submissionId);
    // Deleted in the meantime, and the delivery with it.
    if (!found) return [];
    const { submission, hasFiles } = found;
    if (!hasFiles) return attempt(delivery, { submission, files: [] }, signal);
    const leave = await room.take(delivery.host, signal);
    try {
      return await attempt(delivery, { submission, files: await store.files(submission.id) }, signal);
    } finally {
      leave();
    }
  };
}

/** After a failure the wait that the schedule has for the next attempt, up to a tenth longer, or what the receiver asks. */
export function nextOf(
  { attempts, attemptsBefore }: Pick<LeasedDelivery, "attempts" | "attemptsBefore">,
  { error, retryAfterMs, isFinal }: Pick<Answer, "error" | "retryAfterMs" | "isFinal">,
  schedule: readonly number[],
): Next {
  if (error === null) return { state: "delivered" };
  const wait = schedule[attempts - attemptsBefore + 1];
  if (wait === undefined || isFinal) return { state: "failed" };
  const jittered = wait * (1 + Math.random() / 10);
  return { state: "pending", waitMs: Math.round(Math.max(jittered, Math.min(retryAfterMs, MAX_RETRY_AFTER_MS))) };
}

/** Files are in memory while they are sent: those of few submissions at a time, and of fewer for one host. */
function createRoomForFiles() {
  const [all, perHost] = [createHostSemaphore(8), createHostSemaphore(2)];
  return {
    /** @returns how to give the place back. @throws when there is none soon: the attempt is made later */
    async take(host: string, signal: AbortSignal): Promise<() => void> {
      const leaveHost = await perHost.acquire(host, MAX_SLOT_WAIT_MS / 2, signal);
      const leaveAll = leaveHost && (await all.acquire("", MAX_SLOT_WAIT_MS / 2, signal));
      if (leaveAll) {
        return () => {
          leaveAll();
          leaveHost();
        };
      }
      leaveHost?.();
      throw new Error("No room for another submission with files right now.");
    },
  };
}
