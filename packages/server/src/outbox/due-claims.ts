import { type DeliveryQueue, type Except, isNothing, type LeasedDelivery } from "./delivery-queue.ts";

/** How long claims pause after one found too few deliveries besides those that it skipped, in milliseconds. */
const PAUSE_MS = 500;

/**
 * Claims due deliveries. A claim that skips busy hosts and organizations reads past all of their due deliveries, which is
 * expensive. If it found too few other deliveries, claims pause for `PAUSE_MS`. `announce` ends the pause. Deliveries
 * that become due during the pause are found by the next poll.
 * @param now a clock in milliseconds
 */
export function createDueClaims(queue: DeliveryQueue, now: () => number) {
  /** What the last claim that found too few deliveries skipped, and the time of that claim. */
  let exhausted: { except: Except; at: number } | null = null;
  let announcements = 0;

  function isExhausted(except: Except): boolean {
    if (exhausted === null || now() - exhausted.at >= PAUSE_MS) return false;
    return !isNothing(exhausted.except) && includesAll(except, exhausted.except);
  }

  return {
    async claim(limit: number, except: Except): Promise<LeasedDelivery[]> {
      if (limit === 0 || isExhausted(except)) return [];
      const announcementsBefore = announcements;
      const claimed = await queue.claim(limit, except);
      // Do not pause if a delivery was announced during the claim, because it may have been committed too late to be
      // found.
      if (claimed.length < limit && announcements === announcementsBefore) exhausted = { except, at: now() };
      return claimed;
    },
    /** Ends the pause, because new deliveries are due. */
    announce(): void {
      announcements++;
      exhausted = null;
    },
  };
}

/** Whether `except` skips at least everything that `other` skips. */
function includesAll(except: Except, other: Except): boolean {
  return (
    (except.allButMail || !other.allButMail) &&
    other.organizations.every((id) => except.organizations.includes(id)) &&
    other.hosts.every((host) => except.hosts.includes(host)) &&
    other.pairs.every(({ owner, host }) => except.pairs.some((pair) => pair.owner === owner && pair.host === host))
  );
}
