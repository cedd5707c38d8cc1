import type { Transaction } from "kysely";
import type { Db } from "./open.ts";
import type { Tables } from "./tables.ts";

const ATTEMPTS = 4;

/** Actions to run after each open transaction is committed. */
const onCommit = new WeakMap<object, Array<() => void>>();

/**
 * Runs `work` in a transaction and retries it after a deadlock or serialization failure. `work` may therefore run several
 * times, but its writes are committed once.
 */
export async function inTransaction<T>(db: Db, work: (trx: Transaction<Tables>) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      const afterwards: Array<() => void> = [];
      const result = await db.transaction().execute((trx) => {
        onCommit.set(trx, afterwards);
        return work(trx);
      });
      for (const run of afterwards) run();
      return result;
    } catch (error) {
      if (!isTransient(error) || attempt === ATTEMPTS) throw error;
    }
  }
}

/**
 * Runs `action` once the transaction is committed, and never if it is rolled back. Only for transactions of
 * `inTransaction` and of batch writers; in any other, the action does not run.
 */
export function afterCommit(trx: object, action: () => void): void {
  onCommit.get(trx)?.push(action);
}

/** Whether `afterCommit` runs actions for this transaction. */
export function runsAfterCommit(trx: object): boolean {
  return onCommit.has(trx);
}

/** PostgreSQL's serialization failure and deadlock. */
function isTransient(error: unknown) {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : null;
  return code === "40001" || code === "40P01";
}
