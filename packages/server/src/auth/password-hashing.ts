/** Each takes 32 MB and 50 ms of a thread, and Node has four of those for everything. */
const AT_ONCE = 2;

/** Loaded on first use: a start that makes no account is faster without. */
const passwords = () => import("better-auth/crypto");

/** better-auth's own hash (scrypt, off the event loop), a few at a time: a storm of sign-ins only waits for itself. */
export function createPasswordHashing() {
  const waiting: Array<() => void> = [];
  let running = 0;

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (running >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      // Whoever goes on takes the place over, so that nobody slips in between.
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
