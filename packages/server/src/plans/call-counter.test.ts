import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { createPostgres, type TestDatabase } from "../../../../test/databases.ts";
import { migrate } from "../db/migrate.ts";
import { type OpenDatabase, openDatabase } from "../db/open.ts";
import { createLocalCounter, createSharedCounter } from "./call-counter.ts";

const MINUTE = Date.UTC(2026, 0, 31, 9, 30);

describe("counting calls in one process", () => {
  it("counts each organization by clock minute", async () => {
    let now = MINUTE + 59_999;
    const count = createLocalCounter(() => now);
    expect(await count("a", 5)).toEqual({ calls: 1, now, endsAt: MINUTE + 60_000 });
    expect(await count("a", 5)).toMatchObject({ calls: 2 });
    expect(await count("b", 5)).toMatchObject({ calls: 1 });
    expect([await count.current("a"), await count.current("b"), await count.current("c")]).toEqual([2, 1, 0]);
    now = MINUTE + 60_000;
    expect(await count.current("a")).toBe(0);
    expect(await count("a", 5)).toEqual({ calls: 1, now, endsAt: MINUTE + 120_000 });
  });
});

describe("counting calls in several processes on one PostgreSQL database", () => {
  let database: TestDatabase;
  let opened: OpenDatabase;
  beforeAll(async () => {
    database = await createPostgres();
    opened = openDatabase(database.address, () => {});
    await migrate(opened);
    // The clock is a table that the test sets.
    await sql`create table clock (ms bigint not null)`.execute(opened.db);
    await sql`insert into clock values (0)`.execute(opened.db);
  });
  afterAll(async () => {
    await opened.db.destroy();
    await database.drop();
  });
  beforeEach(async () => {
    await opened.db.deleteFrom("organizations").execute();
    for (const id of ["a", "b"]) {
      const row = { id, name: id, slug: id, logo: null, metadata: null, plan: "free", createdAt: "2026-01-31" };
      await opened.db.insertInto("organizations").values(row).execute();
    }
    await setClock(MINUTE);
  });

  const setClock = (ms: number) => sql`update clock set ms = ${ms}`.execute(opened.db);
  const newCounter = () => createSharedCounter(opened.db, sql<number>`(select ms from clock)`);
  const calls = async (count: ReturnType<typeof newCounter>, id = "a", limit = 1_000) => (await count(id, limit)).calls;

  it("counts each organization by the database's clock minute", async () => {
    const [here, there] = [newCounter(), newCounter()];
    await setClock(MINUTE + 59_000);
    expect(await here("a", 5)).toEqual({ calls: 1, now: MINUTE + 59_000, endsAt: MINUTE + 60_000 });
    expect([await calls(there), await calls(here), await calls(there, "b")]).toEqual([2, 3, 1]);
    expect([await here.current("a"), await here.current("b"), await here.current("c")]).toEqual([3, 1, 0]);
    await setClock(MINUTE + 60_000);
    expect(await here.current("a")).toBe(0);
    expect(await there("a", 5)).toEqual({ calls: 1, now: MINUTE + 60_000, endsAt: MINUTE + 120_000 });
    expect(await calls(here)).toBe(2);
  });

  it("returns every number once to concurrent callers", async () => {
    const counters = [newCounter(), newCounter(), newCounter()];
    const all = await Promise.all(Array.from({ length: 300 }, (_, i) => calls(counters[i % 3] as never)));
    expect(all.sort((a, b) => a - b)).toEqual(Array.from({ length: 300 }, (_, i) => i + 1));
  });

  it("queries the database once per call, and not at all for an organization at its limit", async () => {
    const count = newCounter();
    const asked = vi.spyOn(opened.db, "executeQuery");
    try {
      for (let call = 1; call <= 3; call++) expect(await calls(count, "a", 3)).toBe(call);
      expect(asked).toHaveBeenCalledTimes(3);
      for (let call = 0; call < 5; call++) {
        const { calls, now, endsAt } = await count("a", 3);
        expect([calls > 3, endsAt]).toEqual([true, MINUTE + 60_000]);
        expect(now).toBeLessThan(endsAt);
      }
      expect(asked).toHaveBeenCalledTimes(3);
      expect(await calls(count, "b", 3)).toBe(1);
      // The organization has a larger plan now.
      expect(await calls(count, "a", 10)).toBe(4);
      expect(asked).toHaveBeenCalledTimes(5);
    } finally {
      asked.mockRestore();
    }
  });

  it("queries again in the next minute", async () => {
    const count = newCounter();
    const elapsed = vi.spyOn(performance, "now").mockReturnValue(1_000);
    try {
      await setClock(MINUTE + 45_000);
      expect(await calls(count, "a", 1)).toBe(1);
      elapsed.mockReturnValue(1_000 + 14_999);
      expect(await calls(count, "a", 1)).toBe(2);
      await setClock(MINUTE + 60_000);
      elapsed.mockReturnValue(1_000 + 15_000);
      expect(await calls(count, "a", 1)).toBe(1);
    } finally {
      elapsed.mockRestore();
    }
  });

  it("counts a call that waited into the next minute in that minute", async () => {
    const count = newCounter();
    await setClock(MINUTE + 60_000);
    expect([await calls(count), await calls(count)]).toEqual([1, 2]);
    await setClock(MINUTE + 59_999);
    expect(await count("a", 1_000)).toMatchObject({ calls: 3, endsAt: MINUTE + 120_000 });
    await setClock(MINUTE + 60_001);
    expect(await calls(count)).toBe(4);
  });

  it("does not block after the clock was set back", async () => {
    const count = newCounter();
    await setClock(MINUTE + 3_600_000);
    await calls(count);
    await setClock(MINUTE);
    expect(await count("a", 5)).toEqual({ calls: 1, now: MINUTE, endsAt: MINUTE + 60_000 });
  });

  it("keeps one row per organization, and none for a deleted one", async () => {
    const count = newCounter();
    for (let minute = 0; minute < 3; minute++) {
      await setClock(MINUTE + minute * 60_000);
      await Promise.all([calls(count, "a"), calls(count, "b")]);
    }
    expect(await opened.db.selectFrom("planMinutes").selectAll().execute()).toHaveLength(2);
    await opened.db.deleteFrom("organizations").where("id", "=", "a").execute();
    expect(await opened.db.selectFrom("planMinutes").select("organizationId").execute()).toEqual([
      { organizationId: "b" },
    ]);
  });
});
