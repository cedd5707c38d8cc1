import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { Kysely, sql } from "kysely";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createSqliteDialect } from "./dialect.ts";
import { openSqliteFile } from "./file.ts";
import { createLogSync } from "./log-sync.ts";

/** A disk whose writes the test completes. */
function createDisk() {
  const writes: Array<PromiseWithResolvers<void>> = [];
  return {
    writes,
    write: () => {
      const write = Promise.withResolvers<void>();
      writes.push(write);
      return write.promise;
    },
  };
}

let folder: string;
let file: string;
let disk: ReturnType<typeof createDisk>;
let db: Kysely<Record<string, never>>;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "foyer-log-"));
  file = join(folder, "foyer.sqlite");
  const database = openSqliteFile(file);
  database.exec("create table written (id integer)");
  disk = createDisk();
  db = new Kysely({ dialect: createSqliteDialect(database, createLogSync(file, disk.write)) });
});
afterEach(async () => {
  for (const { resolve } of disk.writes) resolve();
  await db.destroy();
  rmSync(folder, { recursive: true });
});

const insert = () => sql`insert into written values (1)`.execute(db);
const insertInTransaction = () => db.transaction().execute((trx) => sql`insert into written values (1)`.execute(trx));
const count = async () => (await sql<{ n: number }>`select count(*) as n from written`.execute(db)).rows[0]?.n;

/** Whether the promises have settled by the next turn of the event loop. */
async function areSettled(...promises: Promise<unknown>[]): Promise<boolean[]> {
  const states = promises.map(() => false);
  promises.forEach((promise, index) => {
    const settle = () => {
      states[index] = true;
    };
    promise.then(settle, settle);
  });
  await new Promise(setImmediate);
  return states;
}

it.each([
  ["statement", insert],
  ["transaction", insertInTransaction],
])("a %s that writes resolves only when the log is on the disk", async (_, write) => {
  const writing = write();
  expect(await areSettled(writing)).toEqual([false]);
  expect(disk.writes).toHaveLength(1);
  disk.writes[0]?.resolve();
  await writing;
});

it("transactions that commit while the log is written share the next write, and do not wait for each other", async () => {
  const first = insertInTransaction();
  await areSettled(first);
  const others = [insertInTransaction(), insert(), insertInTransaction()];
  expect(await areSettled(first, ...others)).toEqual([false, false, false, false]);
  disk.writes[0]?.resolve();
  // The first write may have begun before the other queries were committed.
  expect(await areSettled(first, ...others)).toEqual([true, false, false, false]);
  expect(disk.writes).toHaveLength(2);
  disk.writes[1]?.resolve();
  await Promise.all(others);
  const reading = count();
  expect(await reading).toBe(4);
  expect(disk.writes).toHaveLength(2);
});

it("a query does not show what is not yet on the disk", async () => {
  const writing = insertInTransaction();
  await areSettled(writing);
  const reading = count();
  expect(await areSettled(reading)).toEqual([false]);
  disk.writes[0]?.resolve();
  expect(await reading).toBe(1);
  await writing;
});

it("a transaction that is rolled back, or only reads, waits for no write", async () => {
  const failing = db.transaction().execute(async (trx) => {
    await sql`insert into written values (1)`.execute(trx);
    throw new Error("changed my mind");
  });
  await expect(failing).rejects.toThrow("changed my mind");
  expect(await count()).toBe(0);
  expect(disk.writes).toHaveLength(0);
});

it("a failing disk fails the writes that wait for it, and nothing is committed until the log is in the database file", async () => {
  const reader = new Database(file, { readonly: true });
  reader.exec("begin");
  reader.prepare("select * from written").all();
  const first = insertInTransaction();
  await areSettled(first);
  const second = insertInTransaction();
  await areSettled(second);
  disk.writes[0]?.reject(new Error("EIO"));
  const failure = { code: "SQLITE_IOERR_FSYNC", message: expect.stringContaining("EIO") };
  await expect(first).rejects.toMatchObject(failure);
  await expect(second).rejects.toMatchObject(failure);
  // The log cannot be emptied while a reader needs it.
  await expect(insert()).rejects.toMatchObject(failure);
  await expect(count()).rejects.toMatchObject(failure);
  reader.exec("commit");
  await expect.poll(() => count().catch(() => null)).toBe(2);
  expect(statSync(`${file}-wal`).size).toBe(0);
  const third = insert();
  await areSettled(third);
  expect(disk.writes).toHaveLength(2);
  disk.writes[1]?.resolve();
  await third;
  reader.close();
});

it("a transaction that runs while the disk fails is not committed", async () => {
  const first = insert();
  const started = Promise.withResolvers<void>();
  const failed = Promise.withResolvers<void>();
  const second = db.transaction().execute(async (trx) => {
    await sql`insert into written values (2)`.execute(trx);
    started.resolve();
    await failed.promise;
  });
  await started.promise;
  disk.writes[0]?.reject(new Error("EIO"));
  await expect(first).rejects.toThrow("EIO");
  failed.resolve();
  await expect(second).rejects.toThrow("EIO");
  expect(await count()).toBe(1);
});

it("the log that is written is the file that SQLite uses", async () => {
  const other = join(folder, "other.sqlite");
  const log = createLogSync(other);
  const database = new Database(other);
  database.pragma("journal_mode = WAL");
  database.exec("create table written (id integer)");
  await log.sync();
  expect(log.pending()).toBeNull();
  await log.close();
  database.close();
});
