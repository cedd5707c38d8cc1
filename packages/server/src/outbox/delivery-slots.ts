import { createFairPool } from "../pools/fair-pool.ts";
import { createHostSemaphore } from "../pools/host-semaphore.ts";
import type { Except, LeasedDelivery } from "./delivery-queue.ts";
import { MAIL_HOST } from "./host-of.ts";

/** The maximum number of concurrent attempts across all hosts, and of emails. */
const MAX_CONCURRENT = 1_024;
const MAX_CONCURRENT_MAILS = 32;
/** The maximum number of concurrent attempts of an organization at a host, and of all organizations together. */
const MAX_CONCURRENT_PER_HOST = 32;
const MAX_CONCURRENT_AT_HOST = 43;
/** The maximum number of deliveries per claim. */
const CLAIM_SIZE = MAX_CONCURRENT_PER_HOST / 2;
/** The number of slots that an organization uses at a host from which on its deliveries there stay in the queue. */
const BUSY_THRESHOLD = MAX_CONCURRENT_PER_HOST - CLAIM_SIZE;

type Sender = Pick<LeasedDelivery, "organizationId" | "host" | "type">;

/**
 * The slots for attempts. An organization uses at most a quarter of all slots, and at a host that several organizations
 * use, its share of the host's slots. Emails have slots of their own, because all of them go to the operator's mail
 * server, which a member's slow host must not delay.
 */
export function createDeliverySlots() {
  const waiting = { maxWaitingPerOwner: Number.POSITIVE_INFINITY };
  const pool = createFairPool({ ...waiting, name: "deliveries", size: MAX_CONCURRENT });
  const mails = createFairPool({
    ...waiting,
    name: "mail_deliveries",
    size: MAX_CONCURRENT_MAILS,
    maxPerOwner: MAX_CONCURRENT_MAILS,
    // Most servers have one organization, which can use three quarters of the slots.
    freeFactor: 3,
  });
  const hosts = createHostSemaphore({ size: MAX_CONCURRENT_AT_HOST, maxPerOwner: MAX_CONCURRENT_PER_HOST });

  const countInUse = ({ organizationId, host, type }: Sender) =>
    type === "email" ? mails.inUse(organizationId) : hosts.inUse(host, organizationId);

  return {
    /** @returns null if no slot became free within `maxWaitMs` or before `signal` was aborted */
    async acquire({ organizationId: owner, host, type }: Sender, maxWaitMs: number, signal: AbortSignal) {
      const deadline = AbortSignal.any([signal, AbortSignal.timeout(maxWaitMs)]);
      const ownPool = type === "email" ? mails : pool;
      // Take a free slot without waiting a turn, because the next claim counts the slots in use.
      const release = ownPool.tryEnter({ owner }) ?? (await ownPool.acquire({ owner }, deadline).catch(() => null));
      if (!release || type === "email") return release && { release, releaseHost: release };
      const releaseHost = await hosts.acquire(host, { owner, maxWaitMs, signal: deadline });
      if (releaseHost) return { release, releaseHost };
      release();
      return null;
    },
    /** Returns how many deliveries may be claimed, and which ones would find no slot. */
    planClaim(): { limit: number; except: Except; isFull: boolean } {
      const { limit, exceptOwners } = pool.planClaim({ max: CLAIM_SIZE, minRoom: CLAIM_SIZE });
      const busyMails = mails.ownersWithAtLeast(BUSY_THRESHOLD).map((owner) => ({ owner, host: MAIL_HOST }));
      const except: Except = {
        allButMail: limit === 0,
        organizations: exceptOwners,
        hosts: [...hosts.fullHosts(), ...(mails.countRoom("") > 0 ? [] : [MAIL_HOST])],
        pairs: [...hosts.busyHosts(BUSY_THRESHOLD), ...busyMails],
      };
      return { limit: limit || CLAIM_SIZE, except, isFull: limit < CLAIM_SIZE };
    },
    /** Whether a claim skipped deliveries like this one, although the next claim would not. */
    isClaimableAgain(delivery: Sender, { organizations, hosts: full, pairs }: Except): boolean {
      const { organizationId, host, type } = delivery;
      if (type !== "email" && organizations.includes(organizationId))
        return pool.countRoom(organizationId) >= CLAIM_SIZE;
      const isSkipped =
        full.includes(host) || pairs.some((pair) => pair.owner === organizationId && pair.host === host);
      return isSkipped && countInUse(delivery) < BUSY_THRESHOLD;
    },
    /** Returns the number of further attempts that the organization can make at the host without waiting long. */
    countFree(delivery: Sender): number {
      return Math.max(0, Math.min(BUSY_THRESHOLD - countInUse(delivery), pool.countRoom(delivery.organizationId)));
    },
  };
}
