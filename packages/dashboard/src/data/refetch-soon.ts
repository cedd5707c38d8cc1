import { FoyerError } from "@foyer/sdk";
import type { QueryClient } from "@tanstack/react-query";

/** Changes that arrive within this time are fetched together, in milliseconds. */
const GATHER_MS = 150;
/**
 * After a temporary failure, for example while the server restarts, the responses are fetched again after this time.
 */
const RETRY_MS = 10_000;

/**
 * @returns a function that refetches changed responses that are shown. A hidden page only marks them as out of date,
 * and refetches them when it is visible again
 */
export function createRefetching(client: QueryClient) {
  const timers = new Map<string, { at: number; timer: ReturnType<typeof setTimeout> }>();

  async function refetch(queryKey: readonly unknown[]): Promise<void> {
    await client.invalidateQueries({ queryKey, refetchType: document.hidden ? "none" : "active" });
    const shown = client.getQueryCache().findAll({ queryKey, type: "active" });
    if (shown.some(({ state: { error } }) => error instanceof FoyerError && error.isTemporary)) {
      refetchSoon(queryKey, RETRY_MS);
    }
  }

  function refetchSoon(queryKey: readonly unknown[], waitMs = GATHER_MS): void {
    const name = JSON.stringify(queryKey);
    const at = Date.now() + waitMs;
    const earlier = timers.get(name);
    if (earlier && earlier.at <= at) return;
    clearTimeout(earlier?.timer);
    const timer = setTimeout(() => {
      timers.delete(name);
      void refetch(queryKey);
    }, waitMs);
    timers.set(name, { at, timer });
  }
  return refetchSoon;
}
