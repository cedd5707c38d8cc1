/** The slots of one host, and the callers that wait for one, in order. */
type Host = { inUse: number; waiting: Array<() => void> };

/** Limits the number of concurrent calls to each host. Further calls wait in order of arrival. */
export function createHostSemaphore(slotsPerHost: number) {
  const hosts = new Map<string, Host>();

  function release(name: string, host: Host) {
    const next = host.waiting.shift();
    // Passes the slot to the next waiter without freeing it, so that no later caller can overtake.
    if (next) return next();
    host.inUse--;
    if (host.inUse === 0) hosts.delete(name);
  }

  return {
    /**
     * @returns a function that releases the slot the first time it is called, or null when none became free within
     * `maxWaitMs` or before `signal`
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
    /** The slots of a host that are in use. */
    inUse: (name: string): number => hosts.get(name)?.inUse ?? 0,
    /** The hosts that have at least this many slots in use. */
    hostsWithAtLeast(inUse: number): string[] {
      return [...hosts].filter(([, host]) => host.inUse >= inUse).map(([name]) => name);
    },
  };
}

/** Waits for a slot. @returns false when the signal was aborted first */
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
