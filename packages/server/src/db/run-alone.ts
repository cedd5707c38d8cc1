import { sql } from "kysely";
import type { DatabaseKind } from "./database-kind.ts";
import type { Db } from "./open.ts";

/**
 * Runs one piece of work at a time: the others of this process wait, and those of the processes that share the same
 * PostgreSQL. SQLite has one server process. `lock` is a number of one's own. The work uses `db` as usual.
 */
export function createRunAlone({ db, databaseKind }: { db: Db; databaseKind: DatabaseKind }, lock: number) {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    // One after the other here first, so that waiting takes one connection of the pool and not all of them.
    const result = last.then(() => (databaseKind === "postgres" ? holdingLock(db, lock, work) : work()));
    last = result.catch(() => {});
    return result;
  };
}

/** The lock ends with its transaction, also when the connection breaks; the work has transactions of its own. */
function holdingLock<T>(db: Db, lock: number, work: () => Promise<T>): Promise<T> {
  return db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(${lock})`.execute(trx);
    return work();
  });
}
