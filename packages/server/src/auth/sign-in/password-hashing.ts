/**
 * The maximum number of concurrent hashes. A hash takes 32 MB and occupies a thread for 50 ms, and Node's pool has four
 * threads for everything.
 */
const MAX_CONCURRENT = 2;
/**
 * The maximum number of waiting calls, about 5 s of work. Further requests are rejected, so that a burst of sign-ins
 * cannot exhaust the memory.
 */
const MAX_WAITING = 200;

/** Imported on first use, because a start that creates no account does not need it. */
const loadPasswordHashing = () => import("better-auth/crypto");

/**
 * Computes better-auth's own hash (scrypt, off the event loop) with limited concurrency, so that a burst of sign-ins
 * delays nothing else.
 * @throws APIError `HASHING_BUSY` when `maxWaiting` calls are already waiting
 */
export function createPasswordHashing({ maxWaiting = MAX_WAITING } = {}) {
  const waiting: Array<() => void> = [];
  let running = 0;

  async function runLimited<T>(work: () => Promise<T>): Promise<T> {
    if (running < MAX_CONCURRENT) {
      running++;
    } else {
      if (waiting.length >= maxWaiting) {
        const { APIError } = await import("better-auth/api");
        throw new APIError("SERVICE_UNAVAILABLE", { code: "HASHING_BUSY" });
      }
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      // Hand the slot to the next waiter directly, so that a new call cannot take it first.
      if (next) next();
      else running--;
    }
  }

  return {
    hash: (password: string): Promise<string> =>
      runLimited(async () => (await loadPasswordHashing()).hashPassword(password)),
    verify: (given: { hash: string; password: string }): Promise<boolean> =>
      runLimited(async () => (await loadPasswordHashing()).verifyPassword(given)),
  };
}
