import { MAX_SLOT_WAIT_MS } from "../../outbox/delivery-lease.ts";
import { createHostSemaphore } from "../../outbox/host-semaphore.ts";
import type { DeliveryHandler } from "../../outbox/outbox.ts";
import type { SubmissionStore } from "../submission-store.ts";
import type { AttemptRecords } from "./attempt-records.ts";
import type { createDeliverySender } from "./send-delivery.ts";
import { ofSubmission } from "./submission-delivery.ts";

/** Sends the deliveries of submissions and records what follows from their attempts. */
export function createSubmissionHandler(
  store: SubmissionStore,
  send: ReturnType<typeof createDeliverySender>,
  records: AttemptRecords,
): DeliveryHandler {
  const fileSlots = createFileSlots();
  return {
    async open(leased, signal) {
      const delivery = ofSubmission(leased);
      const found = await store.toSend(delivery.submissionId);
      // The submission was deleted, and its deliveries with it.
      if (!found) return null;
      const { submission, hasFiles } = found;
      if (!hasFiles) return { send: () => send(delivery, { submission, files: [] }, signal) };
      const close = await fileSlots.acquire(delivery.host, signal);
      try {
        const files = await store.files(submission.id);
        return { send: () => send(delivery, { submission, files }, signal), close };
      } catch (error) {
        close();
        throw error;
      }
    },
    record: ({ delivery, ...made }) => records.write({ delivery: ofSubmission(delivery), ...made }),
  };
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
