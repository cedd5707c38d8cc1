import { SqliteAdapter, sql } from "kysely";
import type { Db } from "./open.ts";

/** The number of running erasures of each database. */
const erasures = new WeakMap<Db, number>();

/** Runs an erasure: SQLite overwrites everything that is deleted until it ends. */
export async function erasing<T>(db: Db, work: () => Promise<T>): Promise<T> {
  erasures.set(db, running(db) + 1);
  try {
    await setMode(db, "on");
    return await work();
  } finally {
    erasures.set(db, running(db) - 1);
  }
}

/**
 * Runs a large deletion without overwriting the pages that it frees, which takes SQLite several times as long. While an
 * erasure is running, everything is overwritten.
 */
export async function withoutOverwriting<T>(db: Db, work: () => Promise<T>): Promise<T> {
  if (running(db) === 0) await setMode(db, "fast");
  try {
    return await work();
  } finally {
    await setMode(db, "on");
  }
}

const running = (db: Db) => erasures.get(db) ?? 0;

/** PostgreSQL has no such setting: its dumps contain only current rows. */
async function setMode(db: Db, mode: "on" | "fast"): Promise<void> {
  if (!(db.getExecutor().adapter instanceof SqliteAdapter)) return;
  await sql`pragma secure_delete = ${sql.raw(mode)}`.execute(db);
}
