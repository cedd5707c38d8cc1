import { sql } from "kysely";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createPostgres, type TestDatabase } from "../../../../test/databases.ts";
import { migrate } from "./migrate.ts";
import { type OpenDatabase, openDatabase } from "./open.ts";
import { withStatementTimeout } from "./statement-timeout.ts";
import { inTransaction } from "./transaction.ts";

let database: TestDatabase;
let opened: OpenDatabase;
beforeAll(async () => {
  database = await createPostgres();
  opened = openDatabase(database.address, () => {});
  await migrate(opened);
  for (const id of ["org_a", "org_b"]) {
    const organization = { id, name: id, slug: id, logo: null, metadata: null, plan: "free" };
    await opened.db
      .insertInto("organizations")
      .values({ ...organization, createdAt: new Date().toISOString() })
      .execute();
  }
});
afterAll(async () => {
  await opened.db.destroy();
  await database.drop();
});

it("a transaction runs again when PostgreSQL aborted it because of a conflict", async () => {
  const { db } = opened;
  const bothHoldOne = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  const committed = Promise.withResolvers<void>();
  let runs = 0;
  const rename = (name: string, order: [string, string], own: 0 | 1) =>
    inTransaction(db, async (trx) => {
      runs++;
      // The retry could otherwise lock its row again before the waiting transaction does, and cause a second deadlock.
      if (runs > 2) await committed.promise;
      for (const id of order) {
        await trx.updateTable("organizations").set({ name }).where("id", "=", id).execute();
        // Each transaction locks its first row and then waits for the other's.
        bothHoldOne[own].resolve();
        await bothHoldOne[own === 0 ? 1 : 0].promise;
      }
    }).finally(committed.resolve);
  await Promise.all([rename("one", ["org_a", "org_b"], 0), rename("two", ["org_b", "org_a"], 1)]);
  expect(runs).toBe(3);
  const names = await db.selectFrom("organizations").select("name").execute();
  expect(new Set(names.map(({ name }) => name)).size).toBe(1);
});

it("a transaction does not run again after an error", async () => {
  let runs = 0;
  const failing = inTransaction(opened.db, async () => {
    runs++;
    throw new Error("a mistake");
  });
  await expect(failing).rejects.toThrow("a mistake");
  expect(runs).toBe(1);
});

it("a statement is canceled at its time limit, and another connection continues", async () => {
  const { db } = opened;
  const sleep = (seconds: number) => sql<{ slept: string }>`select pg_sleep(${seconds}) as slept`.execute(db);
  await expect(withStatementTimeout(100, () => inTransaction(db, () => sleep(60)))).rejects.toThrow(/timeout/);
  expect((await withStatementTimeout(20_000, () => sleep(0.2))).rows).toHaveLength(1);
  expect((await sql`select 1`.execute(db)).rows).toHaveLength(1);
});
