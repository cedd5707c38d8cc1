import type { Logger } from "pino";
import type { JobQueue, LeasedJob } from "./job-queue.ts";
import { LEASE_MS } from "./job-queue.ts";

/** Jobs at once. Only one file is read at a time; meanwhile others are fetched or written. */
const MAX_CONCURRENT = 8;
/** Half of the slots: an agent with thousands of pages must not keep others waiting. */
const MAX_PER_AGENT = 4;
const POLL_INTERVAL_MS = 1_000;
const POLL_AFTER_ERROR_MS = 5_000;

/** Processes one leased job and records its outcome. Rejects when the outcome could not be recorded. */
export type RunJob = (job: LeasedJob, signal: AbortSignal) => Promise<void>;

/** Processes documents as long as it runs. Several processes may share one queue. */
export function createIngestWorker({ queue, run, log }: { queue: JobQueue; run: RunJob; log: Logger }) {
  const running = new Map<LeasedJob, Promise<void>>();
  const stopped = new AbortController();
  let wake = () => {};
  let isSignaled = false;
  let loop = Promise.resolve();

  function notify(): void {
    isSignaled = true;
    wake();
  }

  /** Processes a job while renewing its lease. Errors are logged, never thrown. */
  async function runJob(job: LeasedJob): Promise<void> {
    const lost = new AbortController();
    const renewal = setInterval(() => {
      queue.renew(job).then(
        (isHeld) => isHeld || lost.abort(new Error("The lease was lost.")),
        (error: unknown) => log.warn({ err: error }, "the lease on a document was not renewed"),
      );
    }, LEASE_MS / 3).unref();
    try {
      await run(job, AbortSignal.any([stopped.signal, lost.signal]));
    } catch (error) {
      if (!stopped.signal.aborted)
        log.error({ err: error, documentId: job.documentId }, "a document was not processed");
      await queue.release(job, stopped.signal.aborted ? 0 : POLL_INTERVAL_MS).catch((failure: unknown) => {
        log.warn({ err: failure }, "the lease on a document was not released; it ends by itself");
      });
    } finally {
      clearInterval(renewal);
      running.delete(job);
      notify();
    }
  }

  function busyAgents(): string[] {
    const counts = new Map<string, number>();
    for (const { agentId } of running.keys()) counts.set(agentId, (counts.get(agentId) ?? 0) + 1);
    return [...counts].flatMap(([agentId, count]) => (count >= MAX_PER_AGENT ? [agentId] : []));
  }

  /** @returns false when the database does not answer */
  async function claim(): Promise<boolean> {
    const free = MAX_CONCURRENT - running.size;
    if (free <= 0) return true;
    try {
      for (const job of await queue.claim(Math.min(free, MAX_PER_AGENT), busyAgents())) {
        running.set(job, runJob(job));
      }
      return true;
    } catch (error) {
      log.error({ err: error }, "waiting documents could not be claimed; trying again");
      return false;
    }
  }

  async function work(): Promise<void> {
    while (!stopped.signal.aborted) {
      isSignaled = false;
      const isUp = await claim();
      if (isSignaled && isUp) continue;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, isUp ? POLL_INTERVAL_MS : POLL_AFTER_ERROR_MS).unref();
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  return {
    notify,
    start(): void {
      loop = work();
    },
    /** Claims nothing more. Jobs under way are given back to the queue; another process or the next start continues. */
    async stop(): Promise<void> {
      stopped.abort(new Error("The server is shutting down."));
      notify();
      await loop;
      await Promise.all(running.values());
    },
  };
}
