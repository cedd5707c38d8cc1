import { MAX_SLOT_WAIT_MS } from "./delivery-lease.ts";
import { createHostSemaphore } from "./host-semaphore.ts";

/**
 * Limits how many large payloads, such as files or transcripts, are sent concurrently, in total and per host: each of them
 * is in memory while it is sent.
 */
export function createPayloadSlots() {
  const [all, perHost] = [createHostSemaphore(8), createHostSemaphore(2)];
  return {
    /**
     * @returns a function that releases the slot.
     * @throws when no slot becomes free soon; the attempt is then postponed
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
      throw new Error("Too many large deliveries are being sent right now.");
    },
  };
}
