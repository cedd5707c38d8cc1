import type { Transaction } from "kysely";
import type { Db } from "./open.ts";
import type { Tables } from "./tables.ts";

const ATTEMPTS = 4;

type LastWrite = { key: string; write(): Promise<void> };

/** The writes with which each open transaction ends, and the actions to run after it is committed. */
const endings = new WeakMap<object, { lastWrites: LastWrite[]; onCommit: Array<() => void> }>();

/**
 * Runs `work` in a transaction and retries it after a deadlock or serialization failure. `work` may therefore run
 * several times, but its writes are committed once.
 */
export async function inTransaction<T>(db: Db, work: (trx: Transaction<Tables>) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      const lastWrites: LastWrite[] = [];
      const onCommit: Array<() => void> = [];
      const result = await db.transaction().execute(async (trx) => {
        endings.set(trx, { lastWrites, onCommit });
        const done = await work(trx);
        // All transactions lock their shared rows in the same order, so they cannot deadlock.
        for (const { write } of lastWrites.toSorted((a, b) => (a.key < b.key ? -1 : 1))) await write();
        return done;
      });
      for (const run of onCommit) run();
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
  endings.get(trx)?.onCommit.push(action);
}

/**
 * Ends the transaction with this write, which changes a row that many transactions share, such as a counter. Its lock
 * is then held only for the commit. `key` identifies the row. Only for transactions of `inTransaction` and of batch
 * writers.
 */
export function beforeCommit(trx: object, key: string, write: () => Promise<void>): void {
  const ending = endings.get(trx);
  if (!ending) throw new Error("beforeCommit needs a transaction of inTransaction.");
  ending.lastWrites.push({ key, write });
}

/** Whether `afterCommit` runs actions for this transaction. */
export function runsAfterCommit(trx: object): boolean {
  return endings.has(trx);
}

/** PostgreSQL's serialization failure and deadlock. */
function isTransient(error: unknown) {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : null;
  return code === "40001" || code === "40P01";
}
