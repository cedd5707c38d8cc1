import { afterAll, beforeAll, expect, it } from "vitest";
import { createPostgres, type TestDatabase, waitForBlockedStatement } from "../../../../../test/databases.ts";
import { type DocumentClient, openDocuments } from "../../../../../test/document-client.ts";
import { createPageStore } from "./page-store.ts";
import { createSyncQueue, type SyncJob } from "./sync-queue.ts";

let database: TestDatabase;
let client: DocumentClient;
beforeAll(async () => {
  database = await createPostgres();
  client = await openDocuments({ database });
  // The server's own worker would claim the sources first.
  await client.server.drain();
});
afterAll(async () => {
  await client.server.stop();
  await database.drop();
});

/** A source that is not due. */
async function addSource(url: string): Promise<string> {
  const { body } = await client.account.call("POST", "/sources", { agentId: client.agentId, url, schedule: "manual" });
  await client.account.call("POST", `/sources/${body.id}/stop`);
  return body.id;
}

it("a claim continues after a source whose host another process has just started to read", async () => {
  const { db } = client.server.deps;
  const ids = [];
  for (const url of ["https://a.example/1", "https://a.example/2", "https://b.example/"])
    ids.push(await addSource(url));
  const [first = "", second = "", third = ""] = ids;
  const queue = createSyncQueue({ db, databaseKind: "postgres" });
  let claiming: Promise<SyncJob[]> | undefined;
  await db.transaction().execute(async (trx) => {
    await trx.updateTable("sources").set({ state: "running" }).where("id", "=", first).execute();
    await db.updateTable("sources").set({ dueAt: 1 }).where("id", "=", second).execute();
    await db.updateTable("sources").set({ dueAt: 2 }).where("id", "=", third).execute();
    claiming = queue.claim(1, []);
    await waitForBlockedStatement(db);
  });
  expect((await claiming)?.map(({ id }) => id)).toEqual([third]);
});

it("a claim skips a source whose host the organization already reads, but not because another organization reads it", async () => {
  const { db } = client.server.deps;
  const own = await addSource("https://shared.example/own");
  const again = await addSource("https://shared.example/again");
  await db.updateTable("sources").set({ state: "running" }).where("id", "=", own).execute();
  await db.updateTable("sources").set({ dueAt: 1 }).where("id", "=", again).execute();
  const queue = createSyncQueue({ db, databaseKind: "postgres" });
  expect(await queue.claim(1, [])).toEqual([]);
  const stranger = await db
    .insertInto("organizations")
    .values({ id: "org_stranger", name: "Stranger", slug: "stranger", plan: "free", createdAt: "2026-01-01T00:00:00Z" })
    .returning("id")
    .executeTakeFirstOrThrow();
  await db.updateTable("sources").set({ organizationId: stranger.id }).where("id", "=", own).execute();
  expect((await queue.claim(1, [])).map(({ id }) => id)).toEqual([again]);
});

it("the pages of a sync are counted only when a page links to an unknown one", async () => {
  const { db } = client.server.deps;
  const id = await addSource("https://c.example/");
  const job = await db.selectFrom("sources").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
  let queries = 0;
  const counted = db.withPlugin({
    transformQuery: ({ node }) => {
      queries++;
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  const pages = createPageStore({ db });
  const add = async (urls: string[]) => {
    queries = 0;
    await counted.transaction().execute((trx) => pages.add(trx, job, { urls, depth: 1 }));
    return queries;
  };
  expect(await add(["https://c.example/a", "https://c.example/b"])).toBe(3);
  expect(await add(["https://c.example/a", "https://c.example/b"])).toBe(1);
  expect(await add([])).toBe(0);
});
