import { createFairPool, type FairPool, type PoolOptions, type Release } from "./fair-pool.ts";

type Acquire = {
  /** the organization for which the host is called */
  owner: string;
  maxWaitMs: number;
  signal: AbortSignal;
};

/**
 * A pool of calls for each host, so that a slow host uses only its own slots. The organizations that call a host share
 * its slots, which matters for hosts that many of them use, such as Slack's.
 */
export function createHostSemaphore({ size, maxPerOwner = size }: { size: number; maxPerOwner?: number }) {
  const options: PoolOptions = { size, maxPerOwner, freeFactor: 3, maxWaitingPerOwner: Number.POSITIVE_INFINITY };
  /** The pools of the hosts that are in use. */
  const pools = new Map<string, FairPool>();

  function open(host: string): FairPool {
    const pool = pools.get(host) ?? createFairPool(options);
    pools.set(host, pool);
    return pool;
  }

  function closeUnused(host: string, pool: FairPool): void {
    const { inUse, waiting } = pool.stats();
    if (inUse + waiting === 0) pools.delete(host);
  }

  return {
    /**
     * Waits for a slot.
     * @returns a function that releases the slot the first time it is called, or null if no slot became free within
     * `maxWaitMs` or before `signal` was aborted
     */
    async acquire(host: string, { owner, maxWaitMs, signal }: Acquire): Promise<Release | null> {
      if (signal.aborted) return null;
      const pool = open(host);
      const release =
        pool.tryEnter({ owner }) ??
        (await pool.acquire({ owner }, AbortSignal.any([signal, AbortSignal.timeout(maxWaitMs)])).catch(() => null));
      if (!release) {
        closeUnused(host, pool);
        return null;
      }
      return () => {
        release();
        closeUnused(host, pool);
      };
    },
    /** Returns the number of slots of a host that an owner uses. */
    inUse: (host: string, owner: string): number => pools.get(host)?.inUse(owner) ?? 0,
    /** Returns the hosts at which an owner uses at least this many slots, with these owners. */
    busyHosts(inUse: number): Array<{ host: string; owner: string }> {
      return [...pools].flatMap(([host, pool]) => pool.ownersWithAtLeast(inUse).map((owner) => ({ host, owner })));
    },
    /** Returns the hosts that have no slot for an owner without any. */
    fullHosts: (): string[] => [...pools].filter(([, pool]) => pool.countRoom("") <= 0).map(([host]) => host),
  };
}
