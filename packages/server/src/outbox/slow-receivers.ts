/** The number of consecutive timeouts after which a receiver is slow. */
const MAX_TIMEOUTS = 3;
/** The time limit for an attempt at a slow receiver, in milliseconds. */
const SHORT_TIMEOUT_MS = 5_000;
/**
 * How long a receiver is considered slow, in milliseconds. Then one attempt with the full time limit shows whether it has
 * recovered.
 */
const FORGET_MS = 60_000;
const MAX_RECEIVERS = 10_000;

type Receiver = { timeouts: number; at: number };

/**
 * Shortens the time limit for receivers whose last attempts timed out. Otherwise, each attempt at a receiver that never
 * answers would hold one of its organization's slots for the full time.
 * @param now a clock in milliseconds
 */
export function createSlowReceivers(now: () => number = () => performance.now()) {
  /** The receivers whose last attempt timed out, from the oldest timeout to the newest one. */
  const receivers = new Map<string, Receiver>();

  function noteTimeout(key: string): void {
    const timeouts = (receivers.get(key)?.timeouts ?? 0) + 1;
    receivers.delete(key);
    receivers.set(key, { timeouts, at: now() });
    const [oldest] = receivers.keys();
    if (receivers.size > MAX_RECEIVERS && oldest !== undefined) receivers.delete(oldest);
  }

  return {
    /**
     * Runs an attempt with its time limit in milliseconds.
     * @param key identifies the receiver of an organization
     * @param isTimeout whether an error of the attempt means that the receiver did not respond in time
     */
    async attempt<T>(
      key: string,
      {
        timeoutMs,
        isTimeout,
        run,
      }: { timeoutMs: number; isTimeout: (error: unknown) => boolean; run: (timeoutMs: number) => Promise<T> },
    ): Promise<T> {
      const receiver = receivers.get(key);
      const isSlow = receiver !== undefined && receiver.timeouts >= MAX_TIMEOUTS && now() - receiver.at < FORGET_MS;
      try {
        const result = await run(isSlow ? Math.min(timeoutMs, SHORT_TIMEOUT_MS) : timeoutMs);
        receivers.delete(key);
        return result;
      } catch (error) {
        // A short attempt proves nothing about a receiver that takes longer, so it does not prolong the period.
        if (!isTimeout(error)) receivers.delete(key);
        else if (!isSlow) noteTimeout(key);
        throw error;
      }
    },
  };
}
