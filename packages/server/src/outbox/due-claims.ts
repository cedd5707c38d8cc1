import type { Logger } from "pino";
import type { DeliveryQueue, LeasedDelivery } from "./delivery-queue.ts";

/**
 * How long a claim is not repeated after it found too few deliveries to hosts other than the busy ones, in
 * milliseconds.
 */
const EXHAUSTED_MS = 500;

type ClaimOptions = {
  queue: DeliveryQueue;
  log: Logger;
  /** a clock in milliseconds */
  now: () => number;
};

/**
 * Claims due deliveries. A claim that skips busy hosts reads past all of their due deliveries. If it found too few
 * deliveries for other hosts, it is therefore not repeated immediately. `announce` ends this pause, and the next poll
 * finds deliveries that become due.
 */
export function createDueClaims({ queue, log, now }: ClaimOptions) {
  /** The hosts that the last such claim skipped, and the time of that claim. */
  let exhausted: { hosts: ReadonlySet<string>; at: number } | null = null;
  let announcements = 0;

  function isExhausted(busyHosts: readonly string[]): boolean {
    if (exhausted === null || now() - exhausted.at >= EXHAUSTED_MS) return false;
    return exhausted.hosts.size > 0 && [...exhausted.hosts].every((host) => busyHosts.includes(host));
  }

  return {
    /** @returns null when the database is unavailable */
    async claim(limit: number, busyHosts: readonly string[]): Promise<LeasedDelivery[] | null> {
      if (limit === 0 || isExhausted(busyHosts)) return [];
      const announcementsBefore = announcements;
      try {
        const claimed = await queue.claim(limit, busyHosts);
        // A delivery that was announced in the meantime may have been committed too late for this claim.
        if (claimed.length < limit && announcements === announcementsBefore)
          exhausted = { hosts: new Set(busyHosts), at: now() };
        return claimed;
      } catch (error) {
        log.error({ err: error }, "deliveries could not be claimed; retrying");
        return null;
      }
    },
    /** Reports that new deliveries are due. */
    announce(): void {
      announcements++;
      exhausted = null;
    },
  };
}
