import { once } from "node:events";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPostgres, createSqlite, type TestDatabase } from "../../../../test/databases.ts";
import { isUnavailable } from "./database-errors.ts";
import { openDatabase } from "./open.ts";
import { openSqliteFile } from "./sqlite/file.ts";

describe("the SQLite file", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createSqlite();
  });
  afterAll(() => database.drop());

  it("is opened with durable writes and foreign keys enforced", () => {
    if (database.address.kind !== "sqlite") throw new Error("not SQLite");
    const connection = openSqliteFile(database.address.file);
    const pragma = (name: string) => connection.pragma(name, { simple: true });
    expect(pragma("journal_mode")).toBe("wal");
    expect(pragma("synchronous")).toBe(2);
    expect(pragma("foreign_keys")).toBe(1);
    connection.close();
  });

  it("lets a transaction write after it has read, although another connection wants to write meanwhile", async () => {
    if (database.address.kind !== "sqlite") throw new Error("not SQLite");
    const { db } = openDatabase(database.address, () => {});
    const other = openSqliteFile(database.address.file);
    other.pragma("busy_timeout = 0");
    await sql`create table written (id integer)`.execute(db);
    const insert = "insert into written values (1)";
    await db.transaction().execute(async (trx) => {
      await sql`select * from written`.execute(trx);
      expect(() => other.exec(insert)).toThrow("database is locked");
      await sql.raw(insert).execute(trx);
    });
    other.exec(insert);
    expect((await sql`select * from written`.execute(db)).rows).toHaveLength(2);
    await sql`drop table written`.execute(db);
    other.close();
    await db.destroy();
  });

  it("keeps the locks of its connections when the process opens the file again", async () => {
    if (database.address.kind !== "sqlite") throw new Error("not SQLite");
    const { file } = database.address;
    const [first, locks] = [openDatabase(database.address, () => {}), readLocks(file)];
    expect(locks.length).toBe(existsSync(LOCK_TABLE) ? 1 : 0);
    const second = openDatabase(database.address, () => {});
    expect(readLocks(file)).toEqual(locks);
    await second.db.destroy();
    expect(readLocks(file)).toEqual(locks);
    await first.db.destroy();
  });

  it("is readable by its owner only, in a folder that others can read", async () => {
    const folder = mkdtempSync(join(tmpdir(), "foyer-open-"));
    const file = join(folder, "foyer.sqlite");
    chmodSync(folder, 0o755);
    writeFileSync(file, "", { mode: 0o644 });
    const { db } = openDatabase({ kind: "sqlite", file }, () => {});
    await sql`create table written (id integer)`.execute(db);
    for (const path of [file, `${file}-wal`, `${file}-shm`]) expect(statSync(path).mode & 0o777, path).toBe(0o600);
    await db.destroy();
    rmSync(folder, { recursive: true });
  });

  it("moves the log that a killed process left to the database file, and follows a symbolic link", async () => {
    const folder = mkdtempSync(join(tmpdir(), "foyer-open-"));
    const [killed, file] = [join(folder, "killed.sqlite"), join(folder, "foyer.sqlite")];
    const { db } = openDatabase({ kind: "sqlite", file: killed }, () => {});
    await sql`create table written (id integer)`.execute(db);
    for (const suffix of ["", "-wal"]) copyFileSync(`${killed}${suffix}`, `${file}${suffix}`);
    await db.destroy();
    symlinkSync(file, join(folder, "link.sqlite"));
    const linked = openDatabase({ kind: "sqlite", file: join(folder, "link.sqlite") }, () => {});
    expect(statSync(`${file}-wal`).size).toBe(0);
    await sql`insert into written values (1)`.execute(linked.db);
    await linked.db.destroy();
    rmSync(folder, { recursive: true });
  });
});

describe("the PostgreSQL pool", () => {
  it("lets a query wait for a connection longer than it takes to report an unreachable server", async () => {
    const database = await createPostgres();
    const { db } = openDatabase(database.address, () => {});
    const held = Array.from({ length: 10 }, () => sql`select pg_sleep(2.5)`.execute(db));
    expect((await sql`select 1 as n`.execute(db)).rows).toEqual([{ n: 1 }]);
    await Promise.all(held);
    await db.destroy();
    await database.drop();
  });

  it("reports a server that accepts connections and never answers as unavailable after 2 s", async () => {
    const silent = createServer(() => {}).listen(0, "127.0.0.1");
    await once(silent, "listening");
    const { port } = silent.address() as AddressInfo;
    const { db } = openDatabase({ kind: "postgres", url: `postgres://foyer@127.0.0.1:${port}/foyer` }, () => {});
    const start = performance.now();
    const error = await sql`select 1`.execute(db).catch((failure: unknown) => failure);
    expect(isUnavailable(error), String(error)).toBe(true);
    expect(performance.now() - start).toBeLessThan(8_000);
    await db.destroy();
    silent.close();
  });
});

/** Only Linux lists the locks of files. */
const LOCK_TABLE = "/proc/locks";

/** The locks on a file, without their numbers in the list. */
function readLocks(file: string): string[] {
  if (!existsSync(LOCK_TABLE)) return [];
  const lines = readFileSync(LOCK_TABLE, "utf8").split("\n");
  return lines.filter((line) => line.includes(`:${statSync(file).ino} `)).map((line) => line.replace(/^\d+:\s*/, ""));
}
