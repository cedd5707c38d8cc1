import { pino } from "pino";
import { expect, it } from "vitest";
import { createLeasedWorker } from "./leased-worker.ts";

type Job = { group: string; finish(): void; finished: Promise<void> };

it("the leased worker never runs more jobs of a group than allowed, and fills the remaining slots with other groups", async () => {
  const due: Job[] = ["a", "a", "a", "a", "b", "b"].map((group) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    return { group, finish: resolve, finished: promise };
  });
  const jobs = [...due];
  const running: Job[] = [];
  const runningGroups = () => running.map(({ group }) => group).sort();
  const worker = createLeasedWorker<Job>({
    queue: {
      async claim(limit, exceptGroups) {
        const claimed = due.filter(({ group }) => !exceptGroups.includes(group)).slice(0, limit);
        for (const job of claimed) due.splice(due.indexOf(job), 1);
        return claimed;
      },
      renew: async () => true,
      release: async () => {},
    },
    async run(job) {
      running.push(job);
      await job.finished;
      running.splice(running.indexOf(job), 1);
    },
    log: pino({ enabled: false }),
    leaseMs: 60_000,
    maxConcurrent: 5,
    maxPerGroup: 2,
    groupOf: ({ group }) => group,
    jobName: "test",
    idOf: ({ group }) => group,
  });
  worker.start();
  await expect.poll(runningGroups).toEqual(["a", "a", "b", "b"]);
  // Only one slot of group a is free while its other job runs, so claiming two jobs would exceed the limit.
  jobs[0]?.finish();
  jobs[4]?.finish();
  jobs[5]?.finish();
  await expect.poll(() => running.includes(jobs[2] as Job)).toBe(true);
  expect(runningGroups()).toEqual(["a", "a"]);
  for (const job of jobs) job.finish();
  await expect.poll(() => due.length + running.length).toBe(0);
  await worker.stop();
});

it("the leased worker claims the jobs for several free slots together", async () => {
  const limits: number[] = [];
  const running: Array<() => void> = [];
  const gathering: Array<() => void> = [];
  const worker = createLeasedWorker<{ number: number }>({
    queue: {
      async claim(limit, exceptGroups) {
        if (exceptGroups.includes("a")) return [];
        limits.push(limit);
        return Array.from({ length: limit }, (_, number) => ({ number }));
      },
      renew: async () => true,
      release: async () => {},
    },
    run: () => new Promise((finish) => running.push(finish)),
    log: pino({ enabled: false }),
    leaseMs: 60_000,
    maxConcurrent: 16,
    maxPerGroup: 8,
    groupOf: () => "a",
    jobName: "test",
    idOf: ({ number }) => String(number),
    waitForMoreJobs: () => new Promise((end) => gathering.push(end)),
  });
  const finish = (count: number) => {
    for (const end of running.splice(0, count)) end();
  };
  worker.start();
  await expect.poll(() => running.length).toBe(8);
  finish(1);
  await expect.poll(() => gathering.length).toBe(1);
  finish(2);
  await expect.poll(() => running.length).toBe(5);
  for (const end of gathering.splice(0)) end();
  await expect.poll(() => limits).toEqual([8, 3]);
  const stopped = worker.stop();
  finish(8);
  await stopped;
});

it("the leased worker claims jobs of one group without waiting while long jobs of another keep the limit low", async () => {
  const due = [...Array<string>(3).fill("long"), ...Array<string>(20).fill("short")];
  const running: string[] = [];
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const worker = createLeasedWorker<{ group: string }>({
    queue: {
      async claim(limit, exceptGroups) {
        const claimed = due.filter((group) => !exceptGroups.includes(group)).slice(0, limit);
        for (const group of claimed) due.splice(due.indexOf(group), 1);
        return claimed.map((group) => ({ group }));
      },
      renew: async () => true,
      release: async () => {},
    },
    async run({ group }) {
      running.push(group);
      await ended;
    },
    log: pino({ enabled: false }),
    leaseMs: 60_000,
    maxConcurrent: 9,
    maxPerGroup: 4,
    groupOf: ({ group }) => group,
    jobName: "test",
    idOf: ({ group }) => group,
    waitForMoreJobs: () => ended,
  });
  worker.start();
  await expect.poll(() => running.filter((group) => group === "short").length).toBe(4);
  const stopped = worker.stop();
  end();
  await stopped;
});

it("leaves a slot for a third group while two have long queues", async () => {
  const due: string[] = Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? "a" : "b"));
  const running: string[] = [];
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const worker = createLeasedWorker<{ group: string }>({
    queue: {
      async claim(limit, exceptGroups) {
        const claimed = due.filter((group) => !exceptGroups.includes(group)).slice(0, limit);
        for (const group of claimed) due.splice(due.indexOf(group), 1);
        return claimed.map((group) => ({ group }));
      },
      renew: async () => true,
      release: async () => {},
    },
    async run({ group }) {
      running.push(group);
      await ended;
    },
    log: pino({ enabled: false }),
    leaseMs: 60_000,
    maxConcurrent: 12,
    maxPerGroup: 6,
    groupOf: ({ group }) => group,
    jobName: "test",
    idOf: ({ group }) => group,
  });
  worker.start();
  await expect.poll(() => running.length).toBe(10);
  due.push("c");
  worker.notify();
  await expect.poll(() => running.at(-1)).toBe("c");
  const stopped = worker.stop();
  end();
  await stopped;
});
