import { MAX_SLOT_WAIT_MS } from "./delivery-lease.ts";
import { createHostSemaphore } from "./host-semaphore.ts";
import type { OpenDelivery } from "./outbox.ts";

/**
 * Limits how many large payloads, such as files or transcripts, are sent concurrently, in total and per host, because
 * each of them is in memory while it is sent.
 */
export function createPayloadSlots() {
  const [all, perHost] = [createHostSemaphore(8), createHostSemaphore(2)];
  return {
    /** @returns a function that releases the slot, or null if no slot becomes free soon (see `deliveryWithoutSlot`) */
    async acquire(host: string, signal: AbortSignal): Promise<(() => void) | null> {
      const releaseHost = await perHost.acquire(host, MAX_SLOT_WAIT_MS / 2, signal);
      const releaseAll = releaseHost && (await all.acquire("", MAX_SLOT_WAIT_MS / 2, signal));
      if (releaseAll) {
        return () => {
          releaseAll();
          releaseHost();
        };
      }
      releaseHost?.();
      return null;
    },
  };
}

/** The delivery to return from `open` if no slot is free. It is sent later, and no attempt is counted. */
export const deliveryWithoutSlot: OpenDelivery = { send: async () => ({ postponedMs: MAX_SLOT_WAIT_MS / 2 }) };
