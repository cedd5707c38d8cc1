import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { onBothDatabases, type TestDatabase } from "../../../../test/databases.ts";
import { createBatchWriter } from "./batch-writer.ts";
import { migrate } from "./migrate.ts";
import { type OpenDatabase, openDatabase } from "./open.ts";

onBothDatabases("a batch writer", (createDatabase) => {
  let database: TestDatabase;
  let open: OpenDatabase;
  const batches: string[][] = [];

  beforeAll(async () => {
    database = await createDatabase();
    open = openDatabase(database.address, () => {});
    await migrate(open);
  });
  beforeEach(() => void batches.splice(0));
  afterAll(async () => {
    await open.db.destroy();
    await database.drop();
  });

  /** Stores names of organizations. The table rejects `bad`, which has no name. */
  function createWriter(maxItems = 100) {
    return createBatchWriter<string, string>(
      open.db,
      async (trx, items) => {
        batches.push(items);
        for (const id of items) {
          const name = id.startsWith("bad") ? (null as never) : id;
          const row = { id, name, slug: id, logo: null, metadata: null, plan: "pro", createdAt: "2026-01-01" };
          await trx.insertInto("organizations").values(row).execute();
        }
        return items.map((id) => `kept ${id}`);
      },
      { maxItems },
    );
  }

  const isKept = async (id: string) =>
    (await open.db.selectFrom("organizations").select("id").where("id", "=", id).execute()).length === 1;

  it("writes concurrent items in one transaction, each with its own result", async () => {
    const write = createWriter();
    const ids = Array.from({ length: 50 }, (_, index) => `once-${index}`);
    expect(await Promise.all(ids.map(write))).toEqual(ids.map((id) => `kept ${id}`));
    expect(batches).toEqual([ids]);
  });

  it("collects items while it writes, up to its limit", async () => {
    const write = createWriter(3);
    await Promise.all(["a", "b", "c", "d", "e", "f", "g"].map(write));
    expect(batches).toEqual([["a", "b", "c"], ["d", "e", "f"], ["g"]]);
  });

  it("fails only the item that is invalid", async () => {
    const write = createWriter();
    const results = await Promise.allSettled(["good-1", "bad-1", "good-2"].map(write));
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect([await isKept("good-1"), await isKept("bad-1"), await isKept("good-2")]).toEqual([true, false, true]);
    expect(await write("good-3")).toBe("kept good-3");
  });
});
