import { setTimeout as wait } from "node:timers/promises";
import type { Logger } from "pino";
import { createFairPool } from "../pools/fair-pool.ts";
import type { LeasedQueue } from "./leased-queue.ts";
import { createWorker, type RunJob } from "./worker.ts";

/** Claiming one job takes as long as claiming several, because each claim waits for the disk. */
const GATHER_MS = 20;

type SharedWorkerOptions<Job> = {
  /** the label of the worker's slots in the metrics */
  name: string;
  /** the number of jobs that this process runs at the same time; an organization runs at most a quarter of them */
  size: number;
  queue: LeasedQueue<Job>;
  run: RunJob<Job>;
  log: Logger;
  /** for the log, such as `document` */
  jobName: string;
  idOf(job: Job): string;
  /** Waits briefly before a claim, so that one claim can fill several slots. Replaced in tests. */
  waitForMoreSlots?(): Promise<void>;
};

/** Creates a worker whose slots the organizations share, so that one with thousands of jobs cannot block others. */
export function createSharedWorker<Job extends { organizationId: string }>(options: SharedWorkerOptions<Job>) {
  const { name, size, queue, run, waitForMoreSlots = () => wait(GATHER_MS) } = options;
  const slots = createFairPool({ name, size });

  /**
   * Whether the next claim can take more jobs a moment later. With several organizations, this is false, because long
   * jobs of one can keep the limit low and the jobs of others would wait in vain.
   */
  function isAlmostFull(): boolean {
    if (slots.ownersWithAtLeast(1).length !== 1) return false;
    const { limit } = slots.planClaim();
    return limit > 0 && limit < slots.maxPerOwner / 2;
  }

  const worker = createWorker<Job>({
    ...options,
    ...queue,
    async beforeClaim() {
      if (isAlmostFull()) await waitForMoreSlots();
    },
    async claim() {
      const { limit, exceptOwners } = slots.planClaim();
      if (limit === 0) return { jobs: [], hasMore: false };
      const jobs = await queue.claim(limit, exceptOwners);
      return { jobs, hasMore: jobs.length === limit };
    },
    async run(job, signal) {
      const release = slots.enter({ owner: job.organizationId });
      try {
        await run(job, signal);
      } finally {
        release();
        worker.notify();
      }
    },
  });
  return worker;
}
