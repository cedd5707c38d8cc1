import { sql } from "kysely";
import { afterAll, beforeAll, expect, it } from "vitest";
import { onBothDatabases, type TestDatabase } from "../../../../test/databases.ts";
import { createBackgroundReads } from "./background-reads.ts";
import { type OpenDatabase, openDatabase } from "./open.ts";

onBothDatabases("a background read", (createDatabase) => {
  let database: TestDatabase;
  let opened: OpenDatabase;
  beforeAll(async () => {
    database = await createDatabase();
    opened = openDatabase(database.address, () => {});
    await sql`create table words (word text)`.execute(opened.db);
  });
  afterAll(async () => {
    await opened.db.destroy();
    await database.drop();
  });

  const words = (text: string) => opened.db.selectNoFrom(sql<string>`${text}`.as("word"));
  const list = { lane: "list", owner: "org_1" } as const;

  /** A statement that would run for minutes. */
  const createSlowQuery = () => ({
    compile: () =>
      sql<{ n: number }>`
        with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 2000000000)
        select n from numbers
        where ${sql.raw(opened.kind === "sqlite" ? "contains_text(cast(n as text), 'zz')" : "n < 0")} limit 1
      `.compile(opened.db),
  });

  it("sees everything committed before it and does not block the event loop", async () => {
    const reads = createBackgroundReads(opened);
    await sql`insert into words values (${"harbour"})`.execute(opened.db);
    const query = { compile: () => sql<{ word: string }>`select word from words`.compile(opened.db) };
    expect(await reads.run(query, list)).toEqual([{ word: "harbour" }]);
    await reads.close();
  });

  it("ends at its deadline with 503, and the next one works", async () => {
    const reads = createBackgroundReads(opened, { search: 300 });
    let turns = 0;
    let turn = setImmediate(function count() {
      turns++;
      turn = setImmediate(count);
    });
    const late = reads.run(createSlowQuery(), { lane: "search", owner: "org_1" });
    await expect(late).rejects.toMatchObject({ status: 503, code: "OVERLOADED", message: /too much data/ });
    clearImmediate(turn);
    expect(turns).toBeGreaterThan(3);
    expect(await reads.run(words("next"), { lane: "search", owner: "org_1" })).toEqual([{ word: "next" }]);
    await reads.close();
  });

  it("in one lane does not wait for the other lane", async () => {
    const reads = createBackgroundReads(opened, { search: 60_000 });
    const order: string[] = [];
    const slow = reads.run(createSlowQuery(), { lane: "search", owner: "org_1" }).catch(() => order.push("search"));
    await reads.run(words("list"), list).then(() => order.push("list"));
    await reads.close();
    if (opened.kind === "postgres") await cancelStatements(opened.db);
    await slow;
    expect(order).toEqual(["list", "search"]);
  });

  it("of one organization uses up to three list connections on PostgreSQL, and the fourth is for others", async () => {
    if (opened.kind !== "postgres") return;
    const reads = createBackgroundReads(opened, { list: 20_000 });
    const order: string[] = [];
    const runSlow = () => reads.run(createSlowQuery(), list).catch(() => order.push("slow"));
    const slow = [runSlow(), runSlow()];
    await reads.run(words("third"), list).then(() => order.push("third"));
    slow.push(runSlow());
    await reads.run(words("other"), { lane: "list", owner: "org_2" }).then(() => order.push("other"));
    expect(order).toEqual(["third", "other"]);
    await cancelStatements(opened.db);
    await Promise.all(slow);
    await reads.close();
  });

  it("that still runs when the server shuts down is refused with 503 on SQLite", async () => {
    if (opened.kind !== "sqlite") return;
    const reads = createBackgroundReads(opened);
    const interrupted = reads.run(createSlowQuery(), list).catch((error: unknown) => error);
    await reads.close();
    expect(await interrupted).toMatchObject({ status: 503, message: "The server is shutting down." });
  });

  it("that still waits when the server shuts down is refused with 503 and starts no thread on SQLite", async () => {
    if (opened.kind !== "sqlite") return;
    const reads = createBackgroundReads(opened);
    const refused = { status: 503, message: "The server is shutting down." };
    const waiting = [createSlowQuery(), createSlowQuery()].map((query) =>
      reads.run(query, list).catch((error: unknown) => error),
    );
    await reads.close();
    expect(await Promise.all(waiting)).toMatchObject([refused, refused]);
  });

  it("cannot write on SQLite", async () => {
    if (opened.kind !== "sqlite") return;
    const reads = createBackgroundReads(opened);
    const write = { compile: () => sql`insert into words values ('no') returning word`.compile(opened.db) };
    await expect(reads.run(write, list)).rejects.toThrow(/readonly/);
    await reads.close();
  });

  it("is refused with 503 when too many of one organization are waiting", async () => {
    const reads = createBackgroundReads(opened, { search: 200 });
    const all = Array.from({ length: 20 }, () => reads.run(createSlowQuery(), { lane: "search", owner: "org_1" }));
    const results = await Promise.allSettled(
      all.map((read) => Promise.race([read, new Promise(() => {})]).catch((e) => e.message)),
    );
    expect(
      results.filter((r) => r.status === "fulfilled" && /are waiting/.test(String(r.value))).length,
    ).toBeGreaterThan(5);
    await reads.close();
  });
});

/** Cancels the running statements of all other connections to this PostgreSQL database. */
async function cancelStatements(db: OpenDatabase["db"]): Promise<void> {
  await sql`select pg_cancel_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`.execute(db);
}
