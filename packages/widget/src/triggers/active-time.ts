/** So long after the last sign of the visitor, in milliseconds, somebody may still be reading. */
export const IDLE_MS = 30_000;

export type ActiveTime = ReturnType<typeof createActiveTime>;

/**
 * How long somebody was there: the page could be seen, and its visitor did something in the last 30 s. Not by the time of
 * day, which may be set while it runs; nor does it count on being asked often, for a computer may sleep in between.
 */
export function createActiveTime(now: () => number = () => performance.now()) {
  let total = 0;
  let counted = now();
  let until = 0;
  const count = (): number => {
    const at = now();
    total += Math.max(0, Math.min(at, until) - counted);
    counted = at;
    return total;
  };
  return {
    /** Milliseconds since the last `restart`. */
    count,
    /** The visitor does something, or sees the page again. */
    wake(): void {
      count();
      until = now() + IDLE_MS;
    },
    /** The page cannot be seen any more. */
    sleep(): void {
      count();
      until = 0;
    },
    isAwake: (): boolean => now() < until,
    restart(): void {
      count();
      total = 0;
    },
  };
}
