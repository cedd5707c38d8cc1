/**
 * The number of slots in use at one host, and the callbacks of the callers that wait for a slot, in order of arrival.
 */
type Host = { inUse: number; waiting: Array<() => void> };

/** Limits the number of concurrent calls to each host. Further calls wait in order of arrival. */
export function createHostSemaphore(slotsPerHost: number) {
  const hosts = new Map<string, Host>();

  function release(name: string, host: Host) {
    const next = host.waiting.shift();
    // Pass the slot to the next waiting caller without freeing it, so that no later caller can overtake.
    if (next) return next();
    host.inUse--;
    if (host.inUse === 0) hosts.delete(name);
  }

  return {
    /**
     * Waits for a slot.
     * @returns a function that releases the slot the first time it is called, or null if no slot became free within
     * `maxWaitMs` or before `signal` was aborted
     */
    async acquire(name: string, maxWaitMs: number, signal: AbortSignal): Promise<(() => void) | null> {
      if (signal.aborted) return null;
      const host = hosts.get(name) ?? { inUse: 0, waiting: [] };
      hosts.set(name, host);
      if (host.inUse < slotsPerHost) host.inUse++;
      else if (!(await waitForSlot(host, AbortSignal.any([signal, AbortSignal.timeout(maxWaitMs)])))) return null;
      let isReleased = false;
      return () => {
        if (!isReleased) release(name, host);
        isReleased = true;
      };
    },
    /** Returns the number of slots of a host that are in use. */
    inUse: (name: string): number => hosts.get(name)?.inUse ?? 0,
    /** Returns the hosts that have at least this many slots in use. */
    hostsWithAtLeast(inUse: number): string[] {
      return [...hosts].filter(([, host]) => host.inUse >= inUse).map(([name]) => name);
    },
  };
}

/** Waits for a slot. @returns false if the signal was aborted first */
function waitForSlot({ waiting }: Host, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const onAbort = () => {
      waiting.splice(waiting.indexOf(onSlot), 1);
      resolve(false);
    };
    const onSlot = () => {
      signal.removeEventListener("abort", onAbort);
      resolve(true);
    };
    waiting.push(onSlot);
    signal.addEventListener("abort", onAbort, { once: true });
  });
}
