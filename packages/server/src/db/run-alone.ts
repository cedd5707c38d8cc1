import { sql } from "kysely";
import type { DatabaseKind } from "./database-kind.ts";
import type { Db } from "./open.ts";

/**
 * Runs one piece of work at a time, across all processes that share a PostgreSQL database. (SQLite has only one server
 * process.) `lock` is an advisory lock number that nothing else uses. The work uses `db` as usual.
 */
export function createRunAlone({ db, databaseKind }: { db: Db; databaseKind: DatabaseKind }, lock: number) {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    // Queue within the process first, so that waiting occupies one connection of the pool instead of all of them.
    const result = last.then(() => (databaseKind === "postgres" ? withAdvisoryLock(db, lock, work) : work()));
    last = result.catch(() => {});
    return result;
  };
}

/** The lock is released with its transaction, even when the connection breaks. The work uses its own transactions. */
function withAdvisoryLock<T>(db: Db, lock: number, work: () => Promise<T>): Promise<T> {
  return db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(${lock})`.execute(trx);
    return work();
  });
}
