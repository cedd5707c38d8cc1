import { setTimeout as wait } from "node:timers/promises";
import type { Logger } from "pino";

const POLL_INTERVAL_MS = 1_000;
const POLL_AFTER_ERROR_MS = 5_000;
/** Claiming one job takes as long as claiming several, because each claim waits for the disk. */
const GATHER_MS = 20;

/**
 * A queue that several processes share. Each claim leases a job, and the lease is renewed while the job is processed.
 * After a crash, another process claims the job when the lease expires.
 */
type LeasedQueue<Job> = {
  /** Leases due jobs, except those of the groups in `exceptGroups`. */
  claim(limit: number, exceptGroups: readonly string[]): Promise<Job[]>;
  /** Extends the lease. @returns false when it was lost */
  renew(job: Job): Promise<boolean>;
  /** Releases the job. It can be claimed again after `waitMs`. */
  release(job: Job, waitMs: number): Promise<void>;
};

/**
 * Thrown when another process has claimed the job, or the job was stopped. Nothing may be written for it afterwards.
 */
export class LeaseLostError extends Error {
  constructor() {
    super("The lease was lost.");
  }
}

/** Processes one leased job and records its outcome. Rejects when the outcome could not be recorded. */
export type RunJob<Job> = (job: Job, signal: AbortSignal) => Promise<void>;

type Options<Job> = {
  queue: LeasedQueue<Job>;
  run: RunJob<Job>;
  log: Logger;
  leaseMs: number;
  maxConcurrent: number;
  /**
   * The maximum number of jobs per group. It is lower than `maxConcurrent`, so that one agent or organization with
   * thousands of jobs cannot block others. The more groups have jobs, the fewer jobs each group may run.
   */
  maxPerGroup: number;
  groupOf(job: Job): string;
  /** for the log, such as `document` */
  jobName: string;
  idOf(job: Job): string;
  /** Waits briefly before a claim, so that one claim can fill several slots. Replaced in tests. */
  waitForMoreJobs?(): Promise<void>;
};

/** Claims and processes jobs until it is stopped. */
export function createLeasedWorker<Job>(options: Options<Job>) {
  const { queue, run, log, leaseMs, maxConcurrent, maxPerGroup, groupOf, jobName, idOf } = options;
  const { waitForMoreJobs: gather = () => wait(GATHER_MS) } = options;
  const running = new Map<Job, Promise<void>>();
  const stopped = new AbortController();
  let wake = () => {};
  let isSignaled = false;
  let loop = Promise.resolve();

  function notify(): void {
    isSignaled = true;
    wake();
  }

  /** Processes a job while renewing its lease. Errors are logged, never thrown. */
  async function runJob(job: Job): Promise<void> {
    const lost = new AbortController();
    const renewal = setInterval(() => {
      queue.renew(job).then(
        (isHeld) => isHeld || lost.abort(new LeaseLostError()),
        (error: unknown) => log.warn({ err: error }, `could not renew the lease on a ${jobName}`),
      );
    }, leaseMs / 3).unref();
    try {
      await run(job, AbortSignal.any([stopped.signal, lost.signal]));
    } catch (error) {
      if (error instanceof LeaseLostError) return;
      if (!stopped.signal.aborted) log.error({ err: error, id: idOf(job) }, `could not process a ${jobName}`);
      await queue.release(job, stopped.signal.aborted ? 0 : POLL_INTERVAL_MS).catch((failure: unknown) => {
        log.warn({ err: failure }, `could not release the lease on a ${jobName}; it will expire`);
      });
    } finally {
      clearInterval(renewal);
      running.delete(job);
      notify();
    }
  }

  /**
   * Returns the number of jobs that can be claimed even if all of them belong to one group, and the groups that have no
   * slot left.
   */
  function freeCapacity(): { limit: number; fullGroups: string[]; groups: number } {
    const counts = new Map<string, number>();
    for (const job of running.keys()) counts.set(groupOf(job), (counts.get(groupOf(job)) ?? 0) + 1);
    // Reserve one slot for the next group, which would otherwise wait behind the queues of all others.
    const share = Math.max(1, Math.min(maxPerGroup, Math.floor((maxConcurrent - 1) / Math.max(1, counts.size))));
    const fullGroups = [...counts].flatMap(([group, count]) => (count >= share ? [group] : []));
    const rooms = [...counts.values()].map((count) => share - count).filter((left) => left > 0);
    return { limit: Math.min(maxConcurrent - running.size, share, ...rooms), fullGroups, groups: counts.size };
  }

  /**
   * Whether the next claim can take more jobs a moment later. With several groups, this is false, because long jobs of
   * one group can keep the limit low and the jobs of other groups would wait in vain.
   */
  function isAlmostFull(): boolean {
    const { limit, groups } = freeCapacity();
    return groups === 1 && limit > 0 && limit < maxPerGroup / 2;
  }

  /** @returns `all` when every due job within the limits was claimed, `down` when the database is unavailable */
  async function claim(): Promise<"all" | "some" | "down"> {
    const { limit, fullGroups } = freeCapacity();
    if (limit <= 0) return "all";
    try {
      const jobs = await queue.claim(limit, fullGroups);
      for (const job of jobs) running.set(job, runJob(job));
      return jobs.length === limit ? "some" : "all";
    } catch (error) {
      log.error({ err: error }, `could not claim a ${jobName}; retrying`);
      return "down";
    }
  }

  async function runLoop(): Promise<void> {
    while (!stopped.signal.aborted) {
      if (isAlmostFull()) await gather();
      if (stopped.signal.aborted) return;
      isSignaled = false;
      const claimed = await claim();
      if (claimed === "some" || (claimed === "all" && isSignaled)) continue;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, claimed === "down" ? POLL_AFTER_ERROR_MS : POLL_INTERVAL_MS).unref();
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
      loop = runLoop();
    },
    /**
     * Stops claiming and releases the jobs in progress. Another process, or this server's next start, continues them.
     */
    async stop(): Promise<void> {
      stopped.abort(new Error("The server is shutting down."));
      notify();
      await loop;
      await Promise.all(running.values());
    },
  };
}
