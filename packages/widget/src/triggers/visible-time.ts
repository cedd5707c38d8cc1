export type VisibleTime = ReturnType<typeof createVisibleTime>;

/**
 * Measures how long the page was visible, whether or not the visitor did anything. It uses a monotonic clock, so
 * changes of the system time do not matter, and it does not depend on how often it is asked.
 */
export function createVisibleTime(now: () => number = () => performance.now()) {
  let total = 0;
  let visibleSince: number | null = null;
  const count = (): number => {
    const at = now();
    if (visibleSince !== null) {
      total += at - visibleSince;
      visibleSince = at;
    }
    return total;
  };
  return {
    /** Milliseconds since the last `restart`. */
    count,
    setVisible(isVisible: boolean): void {
      count();
      visibleSince = isVisible ? now() : null;
    },
    restart(): void {
      count();
      total = 0;
    },
  };
}
