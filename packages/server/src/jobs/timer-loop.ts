import type { Logger } from "pino";

/** The maximum number of timers that one round handles. The next round follows immediately and handles the rest. */
const TIMERS_PER_ROUND = 50;

type TimerLoopOptions<Key> = {
  everyMs: number;
  /** Reads the keys of due timers, the oldest first. */
  readDue(limit: number): Promise<Key[]>;
  /** Handles one timer if it is still due, which it no longer is after the transaction of its effect. */
  handle(key: Key): Promise<void>;
  /** Delays a timer that could not be handled, so that it does not delay the others. Rejects if it could not. */
  postpone(key: Key, error: unknown): Promise<void>;
  /** Runs before the timers of each round. @returns whether there may be more */
  beforeRound?(): Promise<boolean>;
  log: Logger;
  /** for the log when a round failed, such as `idle conversations could not be reported` */
  failure: string;
};

/**
 * Creates a loop that handles due timers, such as rows that say when to remind a member. Several processes may share the
 * timers, because only one of them can end a timer in the transaction of its effect.
 */
export function createTimerLoop<Key>(options: TimerLoopOptions<Key>) {
  const { everyMs, readDue, handle, postpone, beforeRound, log, failure } = options;
  let timer: NodeJS.Timeout | undefined;
  let round = Promise.resolve();
  let isStopped = false;

  /** Handles due timers. @returns whether there may be more */
  async function runOnce(): Promise<boolean> {
    const hasMore = (await beforeRound?.()) ?? false;
    const due = await readDue(TIMERS_PER_ROUND);
    for (const key of due) {
      if (isStopped) return false;
      await handle(key).catch((error: unknown) => postpone(key, error));
      await new Promise(setImmediate);
    }
    return hasMore || due.length === TIMERS_PER_ROUND;
  }

  async function runRound(): Promise<void> {
    const hasMore = await runOnce().catch((error: unknown) => {
      log.error({ err: error }, `${failure}; retrying`);
      return false;
    });
    if (!isStopped) schedule(hasMore ? 0 : everyMs);
  }

  function schedule(afterMs: number): void {
    timer = setTimeout(() => {
      round = runRound();
    }, afterMs).unref();
  }

  return {
    runOnce,
    start: () => schedule(everyMs),
    async stop(): Promise<void> {
      isStopped = true;
      clearTimeout(timer);
      await round;
    },
  };
}
