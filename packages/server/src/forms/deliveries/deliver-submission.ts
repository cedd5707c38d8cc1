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
 * Makes one attempt at a delivery and records its outcome. The delivery worker runs this.
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
    const attempt = { ...answer, startedAt, durationMs: Math.round(performance.now() - before) };
    const next = nextOf(delivery, { ...answer, retryAfterMs, isFinal }, schedule);
    const released = await records.write({ delivery, attempt: attempt, next });
    failpoint("delivery.recorded");
    return released;
  }

  const fileSlots = createFileSlots();
  return async (delivery, signal) => {
    const found = await store.toSend(delivery.submissionId);
    // The submission was deleted, and its deliveries with it.
    if (!found) return [];
    const { submission, hasFiles } = found;
    if (!hasFiles) return attempt(delivery, { submission, files: [] }, signal);
    const release = await fileSlots.acquire(delivery.host, signal);
    try {
      return await attempt(delivery, { submission, files: await store.files(submission.id) }, signal);
    } finally {
      release();
    }
  };
}

/**
 * After a failure, waits as long as the schedule says plus up to 10 % jitter, or longer if the receiver asks for it.
 */
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

/**
 * Files are in memory while they are sent, so the number of submissions with files that are sent concurrently is
 * limited, in total and per host.
 */
function createFileSlots() {
  const [all, perHost] = [createHostSemaphore(8), createHostSemaphore(2)];
  return {
    /**
     * @returns a function that releases the slot.
     * @throws when no slot becomes free soon; the attempt is then made later
     */
    async acquire(host: string, signal: AbortSignal): Promise<() => void> {
      const releaseHost = await perHost.acquire(host, MAX_SLOT_WAIT_MS / 2, signal);
      const releaseAll = releaseHost && (await all.acquire("", MAX_SLOT_WAIT_MS / 2, signal));
      if (releaseAll) {
        return () => {
          releaseAll();
          releaseHost();
        };
      }
      releaseHost?.();
      throw new Error("Too many submissions with files are being sent right now.");
    },
  };
}
