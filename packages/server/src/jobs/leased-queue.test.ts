import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { onBothDatabases, type TestDatabase } from "../../../../test/databases.ts";
import { type DocumentClient, openDocuments } from "../../../../test/document-client.ts";
import { createLeasedQueue, LeaseLostError } from "./leased-queue.ts";

const LEASE_MS = 60_000;

onBothDatabases("a leased queue", (createDatabase) => {
  let database: TestDatabase;
  let client: DocumentClient;
  beforeAll(async () => {
    database = await createDatabase();
    client = await openDocuments({ database });
    // The server's own worker would claim the jobs.
    await client.server.drain();
    for (const name of ["one", "two", "three"]) {
      const url = `https://${name}.example/`;
      await client.account.call("POST", "/sources", { agentId: client.agentId, url, schedule: "manual" });
    }
  });
  beforeEach(async () => {
    const { db } = client.server.deps;
    for (const [index, { id }] of (await listSources()).entries()) {
      await db.updateTable("sources").set({ dueAt: index, fence: 0 }).where("id", "=", id).execute();
    }
  });
  afterAll(async () => {
    await client.server.stop();
    await database.drop();
  });

  const listSources = () =>
    client.server.deps.db.selectFrom("sources").selectAll().orderBy("createdAt").orderBy("id").execute();
  const openQueue = () => createLeasedQueue(client.server.deps, { table: "sources", key: ["id"], leaseMs: LEASE_MS });
  const hostsOf = (jobs: ReadonlyArray<{ host: string }>) => jobs.map(({ host }) => host).sort();

  it("claims the jobs that have waited longest", async () => {
    const [first, second] = await listSources();
    expect(hostsOf(await openQueue().claim(2, []))).toEqual(hostsOf([first, second].filter((job) => !!job)));
  });

  it("does not claim a leased job", async () => {
    const queue = openQueue();
    await queue.claim(3, []);
    expect(await queue.claim(3, [])).toEqual([]);
  });

  it("leases each job to one of several processes", async () => {
    const claims = await Promise.all([openQueue().claim(2, []), openQueue().claim(2, [])]);
    expect(new Set(claims.flat().map(({ id }) => id)).size).toBe(claims.flat().length);
  });

  it("skips the organizations that have no free slot", async () => {
    const [job] = await listSources();
    expect(await openQueue().claim(3, [job?.organizationId ?? ""])).toEqual([]);
  });

  it("leaves a released job to another claim, under a new lease", async () => {
    const queue = openQueue();
    const [job] = await queue.claim(1, []);
    if (job) await queue.release(job, 0);
    const claimed = await queue.claim(3, []);
    expect(claimed.find(({ id }) => id === job?.id)?.fence).toBe(3);
  });

  it("does not claim a released job before its wait has passed", async () => {
    const queue = openQueue();
    const [job] = await queue.claim(1, []);
    if (job) await queue.release(job, LEASE_MS);
    expect((await queue.claim(3, [])).map(({ id }) => id)).not.toContain(job?.id);
  });

  it("extends the leases of running jobs", async () => {
    const { db } = client.server.deps;
    const queue = openQueue();
    const jobs = await queue.claim(2, []);
    await db.updateTable("sources").set({ dueAt: 0 }).where("fence", "=", 1).execute();
    await queue.renew(jobs);
    expect(await queue.claim(2, [])).toHaveLength(1);
  });

  it("reports the jobs whose lease another process has taken", async () => {
    const { db } = client.server.deps;
    const queue = openQueue();
    const [lost, held] = await queue.claim(2, []);
    await db
      .updateTable("sources")
      .set({ fence: 7 })
      .where("id", "=", lost?.id ?? "")
      .execute();
    expect(await queue.renew([lost, held].filter((job) => !!job))).toEqual([lost]);
  });

  it("refuses to extend a lease that another process has taken", async () => {
    const queue = openQueue();
    const [job] = await queue.claim(1, []);
    if (!job) throw new Error("Nothing was claimed.");
    await queue.release(job, 0);
    await expect(queue.extend(job)).rejects.toBeInstanceOf(LeaseLostError);
  });

  it("keeps the lease on a job that a transaction of this process locks, without waiting for it", async () => {
    const { db, databaseKind } = client.server.deps;
    // SQLite has one writer, which a renewal always waits for.
    if (databaseKind === "sqlite") return;
    const queue = openQueue();
    const jobs = await queue.claim(2, []);
    await db.transaction().execute(async (trx) => {
      await trx
        .updateTable("sources")
        .set({ attempts: 1 })
        .where("id", "=", jobs[0]?.id ?? "")
        .execute();
      expect(await queue.renew(jobs)).toEqual([]);
    });
  });
});
