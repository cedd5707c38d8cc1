import { pino } from "pino";
import { expect, it, onTestFinished } from "vitest";
import { type LeasedQueue, LeaseLostError } from "./leased-queue.ts";
import { createSharedWorker } from "./shared-worker.ts";
import type { RunJob } from "./worker.ts";

type Job = { organizationId: string; number: number };
type Options = {
  due?: string[];
  queue?: Partial<LeasedQueue<Job>>;
  run: RunJob<Job>;
  size?: number;
  leaseMs?: number;
  waitForMoreSlots?(): Promise<void>;
};

/** A worker whose queue contains a job of each of the organizations `due`, in this order. */
function openWorker({ due = [], queue, leaseMs = 60_000, size = 8, ...options }: Options) {
  const jobs = due.map((organizationId, number) => ({ organizationId, number }));
  const worker = createSharedWorker<Job>({
    name: "test",
    size,
    queue: {
      leaseMs,
      async claim(limit, exceptOrganizations) {
        const claimed = jobs.filter((job) => !exceptOrganizations.includes(job.organizationId)).slice(0, limit);
        for (const job of claimed) jobs.splice(jobs.indexOf(job), 1);
        return claimed;
      },
      renew: async () => [],
      release: async () => {},
      ...queue,
    },
    log: pino({ enabled: false }),
    jobName: "test",
    idOf: ({ number }) => String(number),
    ...options,
  });
  onTestFinished(() => worker.stop());
  worker.start();
  return worker;
}

/** A job that runs until its signal is aborted. */
const untilAborted: RunJob<Job> = (_, signal) =>
  new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));

it("a shared worker claims the jobs for several free slots together", async () => {
  const running: Array<() => void> = [];
  const waiting: Array<() => void> = [];
  const limits: number[] = [];
  openWorker({
    size: 32,
    queue: {
      async claim(limit, exceptOrganizations) {
        if (exceptOrganizations.includes("a")) return [];
        limits.push(limit);
        return Array.from({ length: limit }, (_, number) => ({ organizationId: "a", number }));
      },
    },
    run: (_, signal) =>
      new Promise<void>((finish) => {
        running.push(finish);
        signal.addEventListener("abort", () => finish(), { once: true });
      }),
    waitForMoreSlots: () => new Promise((end) => waiting.push(end)),
  });
  const finish = (count: number) => {
    for (const end of running.splice(0, count)) end();
  };
  await expect.poll(() => running.length).toBe(8);
  finish(1);
  await expect.poll(() => waiting.length).toBe(1);
  finish(2);
  await expect.poll(() => running.length).toBe(5);
  for (const end of waiting.splice(0)) end();
  await expect.poll(() => limits).toEqual([8, 3]);
});

it("a shared worker does not wait for more slots while several organizations have jobs", async () => {
  const started: string[] = [];
  openWorker({
    size: 16,
    due: [...Array<string>(3).fill("long"), ...Array<string>(20).fill("short")],
    run: (job, signal) => {
      started.push(job.organizationId);
      return untilAborted(job, signal);
    },
    waitForMoreSlots: () => new Promise(() => {}),
  });
  await expect.poll(() => started.filter((organization) => organization === "short").length).toBe(4);
});

it("a worker aborts a job whose lease was lost, and does not release it", async () => {
  const released: Job[] = [];
  const reasons: unknown[] = [];
  openWorker({
    due: ["a"],
    leaseMs: 3,
    queue: {
      renew: async (jobs) => jobs,
      release: async (job) => void released.push(job),
    },
    run: (job, signal) =>
      untilAborted(job, signal).catch((reason: unknown) => {
        reasons.push(reason);
        throw reason;
      }),
  });
  await expect.poll(() => reasons.length).toBe(1);
  expect(reasons[0]).toBeInstanceOf(LeaseLostError);
  expect(released).toEqual([]);
});

it("a worker that is stopped releases its jobs, so that they can be claimed immediately", async () => {
  const waits: number[] = [];
  let started = 0;
  const worker = openWorker({
    due: ["a", "b"],
    queue: { release: async (_, waitMs) => void waits.push(waitMs) },
    run: (job, signal) => {
      started++;
      return untilAborted(job, signal);
    },
  });
  await expect.poll(() => started).toBe(2);
  await worker.stop();
  expect(waits).toEqual([0, 0]);
});

it("a worker releases a job that fails with a delay, and continues", async () => {
  const waits: number[] = [];
  const started: number[] = [];
  openWorker({
    due: ["a", "a"],
    size: 4,
    queue: { release: async (_, waitMs) => void waits.push(waitMs) },
    async run({ number }) {
      started.push(number);
      if (number === 0) throw new Error("broken");
    },
  });
  await expect.poll(() => started).toEqual([0, 1]);
  expect(waits).toEqual([1_000]);
});
