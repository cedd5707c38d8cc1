import { createFairPool } from "../pools/fair-pool.ts";
import { createHostSemaphore } from "../pools/host-semaphore.ts";
import { MAX_SLOT_WAIT_MS } from "./delivery-lease.ts";
import type { LeasedDelivery } from "./delivery-queue.ts";
import type { OpenDelivery } from "./outbox.ts";

/**
 * Limits how many large payloads, such as files or transcripts, are sent concurrently, in total, per organization and
 * per host, because each of them is in memory while it is sent.
 */
export function createPayloadSlots() {
  const pool = createFairPool({ name: "large_deliveries", size: 8, maxWaitingPerOwner: Number.POSITIVE_INFINITY });
  const perHost = createHostSemaphore({ size: 2 });
  return {
    /** @returns a function that releases the slot, or null if no slot becomes free soon (see `deliveryWithoutSlot`) */
    async acquire(
      { host, organizationId: owner }: Pick<LeasedDelivery, "host" | "organizationId">,
      signal: AbortSignal,
    ): Promise<(() => void) | null> {
      const maxWaitMs = MAX_SLOT_WAIT_MS / 2;
      const releaseHost = await perHost.acquire(host, { owner, maxWaitMs, signal });
      if (!releaseHost) return null;
      const deadline = AbortSignal.any([signal, AbortSignal.timeout(maxWaitMs)]);
      const release = await pool.acquire({ owner }, deadline).catch(() => null);
      if (release) {
        return () => {
          release();
          releaseHost();
        };
      }
      releaseHost();
      return null;
    },
  };
}

/** The delivery to return from `open` if no slot is free. It is sent later, and no attempt is counted. */
export const deliveryWithoutSlot: OpenDelivery = { send: async () => ({ postponedMs: MAX_SLOT_WAIT_MS / 2 }) };
