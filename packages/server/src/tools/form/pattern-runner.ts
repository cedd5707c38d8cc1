import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { createFairPool } from "../../pools/fair-pool.ts";

/** The time limit for one value, in milliseconds. A pattern that does not backtrack needs microseconds. */
const LIMIT_MS = 1_000;
const THREADS = 2;
const IDLE_MS = 30_000;

/**
 * Runs patterns that can take forever, in threads that are terminated at the time limit. Each organization uses one
 * thread at a time.
 */
export function createPatternRunner() {
  const pool = createFairPool({
    name: "pattern_threads",
    size: THREADS,
    maxPerOwner: 1,
    freeFactor: THREADS,
    maxWaitingPerOwner: 200,
    maxWaiting: 2_000,
  });
  const idle: Worker[] = [];

  async function take(): Promise<Worker> {
    const waiting = idle.pop();
    if (waiting) return waiting;
    const started = new Worker(new URL("./pattern-thread.ts", import.meta.url));
    started.unref();
    await once(started, "message");
    return started;
  }

  function giveBack(worker: Worker): void {
    idle.push(worker);
    setTimeout(() => {
      const index = idle.indexOf(worker);
      if (index === -1) return;
      idle.splice(index, 1);
      void worker.terminate();
    }, IDLE_MS).unref();
  }

  return {
    /**
     * @returns whether the pattern matches the value, or null if that cannot be told within the time limit
     * @throws 503 when too many values are waiting
     */
    async matches(organizationId: string, pattern: string, value: string): Promise<boolean | null> {
      const release = await pool.acquire({ owner: organizationId });
      try {
        const worker = await take();
        const answer = await ask(worker, pattern, value);
        if (answer === null) await worker.terminate();
        else giveBack(worker);
        return answer;
      } finally {
        release();
      }
    },
  };
}

function ask(worker: Worker, pattern: string, value: string): Promise<boolean | null> {
  const { promise, resolve } = Promise.withResolvers<boolean | null>();
  // If this thread was busy, the answer may be waiting. Messages arrive before setImmediate runs.
  const timer = setTimeout(() => setImmediate(resolve, null), LIMIT_MS);
  const onMessage = ({ matches }: { matches: boolean | null }) => resolve(matches);
  const onEnd = () => resolve(null);
  worker.on("message", onMessage).on("error", onEnd).on("exit", onEnd);
  worker.postMessage({ pattern, value });
  return promise.finally(() => {
    clearTimeout(timer);
    worker.off("message", onMessage).off("error", onEnd).off("exit", onEnd);
  });
}
