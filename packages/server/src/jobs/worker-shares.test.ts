import { type Logger, pino } from "pino";
import { describe, expect, it, onTestFinished } from "vitest";
import { createEmbeddingWorker } from "../documents/embeddings/worker.ts";
import { createDocumentWorker } from "../documents/ingest/worker.ts";
import { createSiteWorker } from "../documents/sites/worker.ts";
import { createChatFollower } from "../inbox/team-chats/follow-chats.ts";
import { TeamChatError } from "../inbox/team-chats/team-chat.ts";
import type { RunJob } from "./worker.ts";

type Job = { organizationId: string; finish(): void; finished: Promise<void> };

type Parts = { queue: object; run: RunJob<Job>; log: Logger };

/** The workers whose slots the organizations share, each with the number of its slots. */
const kinds = {
  documents: { slots: 24, create: (parts: Parts) => createDocumentWorker(parts as never) },
  sites: { slots: 12, create: (parts: Parts) => createSiteWorker(parts as never) },
  embeddings: { slots: 8, create: (parts: Parts) => createEmbeddingWorker(parts as never) },
  "team chats": { slots: 500, create: createFollower },
};

function createFollower({ run, ...parts }: Parts) {
  const open = (job: unknown) => ({
    // Takes as long as the job, and fails afterwards, because the connection has ended.
    async check(signal: AbortSignal) {
      await run(job as Job, signal);
      throw new TeamChatError("unavailable", "The connection has ended.");
    },
  });
  return createChatFollower({ ...parts, open } as never);
}

/** Starts a worker whose queue contains `slots` jobs of each organization, one organization after the other. */
function openWorker({ slots, create }: (typeof kinds)[keyof typeof kinds], organizationIds: string[]) {
  const started: Job[] = [];
  const running: Job[] = [];
  const due: Job[] = [];
  function enqueue(organizationId: string): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    due.push({ organizationId, finish: resolve, finished: promise });
  }
  for (const organizationId of organizationIds) for (let job = 0; job < slots; job++) enqueue(organizationId);
  const worker = create({
    queue: {
      leaseMs: 60_000,
      async claim(limit: number, exceptOrganizations: readonly string[]) {
        const claimed = due.filter((job) => !exceptOrganizations.includes(job.organizationId)).slice(0, limit);
        for (const job of claimed) due.splice(due.indexOf(job), 1);
        return claimed;
      },
      renew: async () => [],
      release: async () => {},
      addMissing: async () => {},
      update: async () => {},
    },
    async run(job, signal) {
      started.push(job);
      running.push(job);
      signal.addEventListener("abort", job.finish);
      await job.finished;
      running.splice(running.indexOf(job), 1);
    },
    log: pino({ enabled: false }),
  });
  onTestFinished(() => worker.stop());
  worker.start();
  return {
    started,
    running,
    /** Adds a job that is due now. */
    add(organizationId: string): void {
      enqueue(organizationId);
      worker.notify();
    },
    count: (organizationId: string) => running.filter((job) => job.organizationId === organizationId).length,
  };
}

describe.each(Object.entries(kinds))("the worker of %s", (_, kind) => {
  const share = kind.slots / 4;

  it("gives an organization at most a quarter of the slots", async () => {
    const { running } = openWorker(kind, ["a"]);
    await expect.poll(() => running.length).toBe(share);
  });

  it("runs the jobs of another organization although a longer queue is older", async () => {
    const { count } = openWorker(kind, ["a", "b"]);
    await expect.poll(() => [count("a"), count("b")]).toEqual([share, share]);
  });

  it("starts the job of an organization without any although others have long queues", async () => {
    const { started, running, add } = openWorker(kind, ["a", "b", "c"]);
    await expect.poll(() => running.length).toBe(3 * share);
    add("d");
    await expect.poll(() => started.at(-1)?.organizationId).toBe("d");
  });

  it("starts the next job of an organization when one of its jobs ends", async () => {
    const { started, running } = openWorker(kind, ["a"]);
    await expect.poll(() => running.length).toBe(share);
    started[0]?.finish();
    await expect.poll(() => started.length).toBe(share + 1);
    expect(running.length).toBe(share);
  });
});
