import type { Transaction } from "kysely";
import type { Db } from "./open.ts";
import type { Tables } from "./tables.ts";

const ATTEMPTS = 4;

/**
 * Runs `work` in a transaction and retries it after a deadlock or serialization failure. `work` may therefore run several
 * times, but its writes are committed once.
 */
export async function inTransaction<T>(db: Db, work: (trx: Transaction<Tables>) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute(work);
    } catch (error) {
      if (!isTransient(error) || attempt === ATTEMPTS) throw error;
    }
  }
}

/** PostgreSQL's serialization failure and deadlock. */
function isTransient(error: unknown) {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : null;
  return code === "40001" || code === "40P01";
}
