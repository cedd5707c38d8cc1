/** A host's places and those who wait for one, in order. */
type Host = { taken: number; waiting: Array<() => void> };

/** At most so many calls to one host at a time; the others wait their turn. */
export function createHostPlaces(placesAHost: number) {
  const hosts = new Map<string, Host>();

  function leave(name: string, host: Host) {
    const next = host.waiting.shift();
    // The place goes from hand to hand.
    if (next) return next();
    host.taken--;
    if (host.taken === 0) hosts.delete(name);
  }

  return {
    /** @returns how to give the place back, or null when there was none within `patienceMs` or before `signal` */
    async take(name: string, patienceMs: number, signal: AbortSignal): Promise<(() => void) | null> {
      if (signal.aborted) return null;
      const host = hosts.get(name) ?? { taken: 0, waiting: [] };
      hosts.set(name, host);
      if (host.taken < placesAHost) host.taken++;
      else if (!(await turn(host, AbortSignal.any([signal, AbortSignal.timeout(patienceMs)])))) return null;
      return () => leave(name, host);
    },
    /** Hosts with this many places taken, or more. */
    busy(taken: number): string[] {
      return [...hosts].filter(([, host]) => host.taken >= taken).map(([name]) => name);
    },
  };
}

/** @returns false when it did not come before the signal */
function turn({ waiting }: Host, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const onAbort = () => {
      waiting.splice(waiting.indexOf(onTurn), 1);
      resolve(false);
    };
    const onTurn = () => {
      signal.removeEventListener("abort", onAbort);
      resolve(true);
    };
    waiting.push(onTurn);
    signal.addEventListener("abort", onAbort, { once: true });
  });
}
