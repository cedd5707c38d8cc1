import type { Logger } from "pino";
import { LeaseLostError } from "./leased-queue.ts";

const POLL_MS = 1_000;
const POLL_AFTER_FAILURE_MS = 5_000;
/** A renewal that fails is repeated before the leases expire. */
const RENEWALS_PER_LEASE = 3;

/**
 * Runs one leased job and records its outcome. Rejects when the outcome could not be recorded. `signal` is aborted when
 * the server stops or the lease was lost.
 */
export type RunJob<Job> = (job: Job, signal: AbortSignal) => Promise<void>;

type WorkerOptions<Job> = {
  /** Claims jobs for the free slots. @returns the jobs, and whether the next claim may find more of them */
  claim(): Promise<{ jobs: Job[]; hasMore: boolean }>;
  /** Waits before a claim, so that it can fill several slots. Claims without waiting by default. */
  beforeClaim?(): Promise<void>;
  run: RunJob<Job>;
  leaseMs: number;
  /** Extends the leases of running jobs. @returns the jobs whose lease was lost */
  renew(jobs: readonly Job[]): Promise<readonly Job[]>;
  /** Releases a job that did not finish. It may be claimed again after `waitMs`. */
  release(job: Job, waitMs: number): Promise<void>;
  log: Logger;
  /** for the log, such as `document` */
  jobName: string;
  idOf(job: Job): string;
};

/** Creates a worker that claims and runs jobs until it is stopped. Several processes may share its queue. */
export function createWorker<Job>(options: WorkerOptions<Job>) {
  const { log, jobName, leaseMs } = options;
  const running = new Set<{ job: Job; controller: AbortController; done: Promise<void> }>();
  const wakeSignal = createWakeSignal();
  /** Also false before `start`. */
  let isRunning = false;
  let isAborted = false;
  let isRenewing = false;
  let renewal: NodeJS.Timeout | undefined;
  let loop = Promise.resolve();

  function abortAll(): void {
    isAborted = true;
    for (const { controller } of running) controller.abort(new Error("The server is shutting down."));
  }

  /** Starts a job that this process has leased. The promise resolves when the job has ended, and never rejects. */
  function start(job: Job, run = options.run): Promise<void> {
    const entry = { job, controller: new AbortController(), done: Promise.resolve() };
    if (isAborted) entry.controller.abort(new Error("The server is shutting down."));
    running.add(entry);
    entry.done = runLeased(job, entry.controller.signal, run).finally(() => running.delete(entry));
    return entry.done;
  }

  async function runLeased(job: Job, signal: AbortSignal, run: RunJob<Job>): Promise<void> {
    try {
      await run(job, signal);
    } catch (error) {
      if (error instanceof LeaseLostError) return;
      if (!isAborted) log.error({ err: error, id: options.idOf(job) }, `could not process a ${jobName}`);
      // Release with a delay. Otherwise, a job that fails instantly would be claimed in a loop and starve the others.
      await release(job, isAborted ? 0 : POLL_MS);
    }
  }

  function release(job: Job, waitMs: number): Promise<void> {
    return options
      .release(job, waitMs)
      .catch((error: unknown) =>
        log.warn({ err: error }, `could not release the lease on a ${jobName}; it will expire`),
      );
  }

  async function renewLeases(): Promise<void> {
    if (isRenewing || running.size === 0) return;
    isRenewing = true;
    try {
      const lost = new Set(await options.renew([...running].map(({ job }) => job)));
      for (const { job, controller } of running) if (lost.has(job)) controller.abort(new LeaseLostError());
    } catch (error) {
      log.warn({ err: error }, `could not renew the leases on running jobs of the kind ${jobName}`);
    } finally {
      isRenewing = false;
    }
  }

  /** @returns null when the database is unavailable */
  async function claim(): Promise<{ hasMore: boolean } | null> {
    try {
      const { jobs, hasMore } = await options.claim();
      if (isRunning) for (const job of jobs) void start(job);
      else await Promise.all(jobs.map((job) => release(job, 0)));
      return { hasMore };
    } catch (error) {
      log.error({ err: error }, `could not claim a ${jobName}; retrying`);
      return null;
    }
  }

  async function runLoop(): Promise<void> {
    while (isRunning) {
      await options.beforeClaim?.();
      if (!isRunning) return;
      wakeSignal.reset();
      const claimed = await claim();
      if (claimed?.hasMore) continue;
      await wakeSignal.wait(claimed ? POLL_MS : POLL_AFTER_FAILURE_MS);
    }
  }

  return {
    /** Starts claiming jobs and renewing the leases of running ones. */
    start(): void {
      isRunning = true;
      renewal = setInterval(() => void renewLeases(), leaseMs / RENEWALS_PER_LEASE).unref();
      loop = runLoop();
    },
    /** Claims due jobs now instead of at the next poll. Call it after the transaction that created them. */
    notify: wakeSignal.notify,
    isRunning: () => isRunning,
    run: start,
    /**
     * Stops claiming jobs, waits up to `graceMs` for running ones, and releases the others. Another process, or this
     * server's next start, continues them.
     */
    async stop(graceMs = 0): Promise<void> {
      isRunning = false;
      wakeSignal.notify();
      const abortTimer = graceMs > 0 ? setTimeout(abortAll, graceMs) : undefined;
      if (graceMs === 0) abortAll();
      await loop;
      while (running.size > 0) await Promise.all([...running].map(({ done }) => done));
      clearTimeout(abortTimer);
      clearInterval(renewal);
      // Also release jobs that arrive while the rest of the server shuts down.
      abortAll();
    },
  };
}

/** Creates a signal. `wait` resolves after a timeout or on `notify`, also if `notify` was called since the last reset. */
function createWakeSignal() {
  let isNotified = false;
  let wake = () => {};
  return {
    notify(): void {
      isNotified = true;
      wake();
    },
    reset(): void {
      isNotified = false;
    },
    async wait(ms: number): Promise<void> {
      if (isNotified) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms).unref();
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    },
  };
}
