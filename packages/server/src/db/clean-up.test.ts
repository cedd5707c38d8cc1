import { afterAll, beforeAll, expect, it } from "vitest";
import { onBothDatabases, type TestDatabase } from "../../../../test/databases.ts";
import { deleteInBatches } from "./clean-up.ts";
import { migrate } from "./migrate.ts";
import { type OpenDatabase, openDatabase } from "./open.ts";

onBothDatabases("deleting in batches", (createDatabase) => {
  let database: TestDatabase;
  let open: OpenDatabase;
  beforeAll(async () => {
    database = await createDatabase();
    open = openDatabase(database.address, () => {});
    await migrate(open);
  });
  afterAll(async () => {
    await open.db.destroy();
    await database.drop();
  });

  it("continues until less than a batch is left, and lets other work run in between", async () => {
    let left = 2_300;
    let turns = 0;
    let isCounting = true;
    const count = () => {
      turns++;
      if (isCounting) setImmediate(count);
    };
    setImmediate(count);
    const batches: number[] = [];
    const deleted = await deleteInBatches(open.db, async (_trx, limit) => {
      const now = Math.min(left, limit);
      left -= now;
      batches.push(turns);
      return now;
    });
    isCounting = false;
    expect([deleted, left, batches.length]).toEqual([2_300, 0, 5]);
    // Each batch saw more turns of the event loop than the one before it.
    expect(batches).toEqual([...new Set(batches)]);
  });
});
