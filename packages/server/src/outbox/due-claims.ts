import type { Logger } from "pino";
import type { DeliveryQueue, LeasedDelivery } from "./delivery-queue.ts";

/** How long claims pause after one found too few deliveries to hosts that are not busy, in milliseconds. */
const PAUSE_MS = 500;

type ClaimOptions = {
  queue: DeliveryQueue;
  log: Logger;
  /** a clock in milliseconds */
  now: () => number;
};

/**
 * Claims due deliveries. A claim that skips busy hosts reads past all of their due deliveries, which is expensive. If
 * it found too few deliveries to other hosts, claims pause for `PAUSE_MS`. `announce` ends the pause. Deliveries
 * that become due during the pause are found by the next poll.
 */
export function createDueClaims({ queue, log, now }: ClaimOptions) {
  /** The hosts that were skipped by the last claim that found too few deliveries, and the time of that claim. */
  let exhausted: { hosts: ReadonlySet<string>; at: number } | null = null;
  let announcements = 0;

  function isExhausted(busyHosts: readonly string[]): boolean {
    if (exhausted === null || now() - exhausted.at >= PAUSE_MS) return false;
    return exhausted.hosts.size > 0 && [...exhausted.hosts].every((host) => busyHosts.includes(host));
  }

  return {
    /** @returns null when the database is unavailable */
    async claim(limit: number, busyHosts: readonly string[]): Promise<LeasedDelivery[] | null> {
      if (limit === 0 || isExhausted(busyHosts)) return [];
      const announcementsBefore = announcements;
      try {
        const claimed = await queue.claim(limit, busyHosts);
        // Do not pause if a delivery was announced during the claim, because it may have been committed too late to be
        // found.
        if (claimed.length < limit && announcements === announcementsBefore)
          exhausted = { hosts: new Set(busyHosts), at: now() };
        return claimed;
      } catch (error) {
        log.error({ err: error }, "deliveries could not be claimed; retrying");
        return null;
      }
    },
    /** Ends the pause, because new deliveries are due. */
    announce(): void {
      announcements++;
      exhausted = null;
    },
  };
}
