import { APIError } from "better-auth/api";

/** Each takes 32 MB and 50 ms of a thread, and Node has four of those for everything. */
const CONCURRENT = 2;
/** About 5 s of work. Whoever would wait longer is refused, so that a storm of sign-ins cannot pile up in memory. */
const MAX_WAITING = 200;

/** Loaded on first use: a start that makes no account is faster without. */
const passwords = () => import("better-auth/crypto");

/**
 * better-auth's own hash (scrypt, off the event loop), a few at a time: a storm of sign-ins only waits for itself.
 * @throws APIError `HASHING_BUSY` when `maxWaiting` others wait already
 */
export function createPasswordHashing({ maxWaiting = MAX_WAITING } = {}) {
  const waiting: Array<() => void> = [];
  let running = 0;

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (running < CONCURRENT) {
      running++;
    } else {
      if (waiting.length >= maxWaiting) throw new APIError("SERVICE_UNAVAILABLE", { code: "HASHING_BUSY" });
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      // The next one takes the slot over, so that no newcomer slips in between.
      if (next) next();
      else running--;
    }
  }

  return {
    hash: (password: string): Promise<string> => inTurn(async () => (await passwords()).hashPassword(password)),
    verify: (given: { hash: string; password: string }): Promise<boolean> =>
      inTurn(async () => (await passwords()).verifyPassword(given)),
  };
}
