import { afterAll, beforeAll, expect, it, onTestFinished, vi } from "vitest";
import { onBothDatabases, type TestDatabase } from "../../../../test/databases.ts";
import { deleteBySize, deleteInBatches } from "./clean-up.ts";
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
    expect([deleted, left]).toEqual([2_300, 0]);
    expect(batches.length).toBeGreaterThanOrEqual(5);
    // Each batch ran in a later turn of the event loop than the previous one.
    expect(batches).toEqual([...new Set(batches)]);
  });

  it("halves batches that take long, and doubles them again when they are quick", async () => {
    let clock = 0;
    const now = vi.spyOn(performance, "now").mockImplementation(() => clock);
    onTestFinished(() => now.mockRestore());
    const limits: number[] = [];
    await deleteInBatches(
      open.db,
      async (_trx, limit) => {
        limits.push(limit);
        clock += limits.length < 3 ? 16 : 1;
        return limits.length < 7 ? limit : 0;
      },
      200,
    );
    expect(limits).toEqual([64, 32, 32, 64, 128, 200, 200]);
  });

  it("keeps the size of batches that take neither long nor little, whatever the rows hold", async () => {
    let clock = 0;
    const now = vi.spyOn(performance, "now").mockImplementation(() => clock);
    onTestFinished(() => now.mockRestore());
    let left = 400;
    const batches: number[] = [];
    await deleteBySize(open.db, {
      next: async (_trx, limit) =>
        Array.from({ length: Math.min(left, limit) }, (_, index) => ({ id: String(index), bytes: 1 })),
      async remove(_trx, rows) {
        left -= rows.length;
        batches.push(rows.length);
        clock += [1, 1, 1, 10, 10, 20][batches.length - 1] ?? 10;
      },
    });
    expect(batches).toEqual([16, 32, 64, 128, 128, 32]);
  });

  it("measures few rows that it then does not delete", async () => {
    let left = Array.from({ length: 1_000 }, (_, index) => ({ id: String(index), bytes: 100 * 1024 }));
    let measured = 0;
    const deleted = await deleteBySize(open.db, {
      async next(_trx, limit) {
        const rows = left.slice(0, limit);
        measured += rows.length;
        return rows;
      },
      async remove(_trx, rows) {
        left = left.slice(rows.length);
      },
    });
    expect([deleted, left]).toEqual([1_000, []]);
    expect(measured).toBeLessThan(3_000);
  });
});
