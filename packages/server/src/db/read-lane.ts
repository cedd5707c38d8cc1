import { AppError } from "../errors.ts";

/** The maximum number of waiting reads per organization, and in total. Further reads are rejected. */
const MAX_WAITING_EACH = 10;
const MAX_WAITING = 200;

type Waiting = { owner: string; start(): void };

/**
 * Runs up to `maxConcurrent` reads concurrently. Owners take turns in the queue, so an organization with many slow
 * reads mostly delays itself.
 */
export function createReadLane(maxConcurrent: number) {
  const waiting: Waiting[] = [];
  let running = 0;
  let lastOwner: string | undefined;

  function next(): void {
    if (running >= maxConcurrent || waiting.length === 0) return;
    const other = waiting.findIndex(({ owner }) => owner !== lastOwner);
    const [turn] = waiting.splice(Math.max(0, other), 1);
    running++;
    lastOwner = turn?.owner;
    turn?.start();
  }

  return async <T>(owner: string, work: () => Promise<T>): Promise<T> => {
    const ownWaiting = waiting.filter((turn) => turn.owner === owner).length;
    if (ownWaiting >= MAX_WAITING_EACH || waiting.length >= MAX_WAITING) {
      throw new AppError("OVERLOADED", "Too many searches and lists are waiting. Try again in a moment.", {
        retryAfter: 2,
      });
    }
    await new Promise<void>((start) => {
      waiting.push({ owner, start });
      next();
    });
    try {
      return await work();
    } finally {
      running--;
      next();
    }
  };
}
