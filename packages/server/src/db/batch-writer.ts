import type { Transaction } from "kysely";
import { isUnavailable } from "./database-errors.ts";
import type { Db } from "./open.ts";
import type { Tables } from "./tables.ts";
import { inTransaction } from "./transaction.ts";

type Waiting<Item, Result> = { item: Item; resolve(result: Result): void; reject(error: unknown): void };

/**
 * Group commit: while one batch is being written, the next one is collected, so many callers share one durable
 * transaction. The returned function resolves with the result for its item once that item is committed.
 *
 * When a batch fails, each item is retried in its own transaction, so a bad item fails alone. `write` may therefore see
 * an item several times, and only one of these writes is committed. `write` must lock shared rows in an order that does
 * not depend on the order of the items. Otherwise two processes can deadlock.
 */
export function createBatchWriter<Item, Result>(
  db: Db,
  write: (trx: Transaction<Tables>, items: Item[]) => Promise<Result[]>,
  { maxItems }: { maxItems: number },
): (item: Item) => Promise<Result> {
  const queue: Array<Waiting<Item, Result>> = [];
  let isWriting = false;

  async function drainQueue() {
    isWriting = true;
    // Collect everything that arrives in this turn of the event loop into the first batch.
    await new Promise(setImmediate);
    while (queue.length > 0) await writeBatch(queue.splice(0, maxItems));
    isWriting = false;
  }

  async function writeBatch(batch: Array<Waiting<Item, Result>>) {
    try {
      const results = await inTransaction(db, (trx) =>
        write(
          trx,
          batch.map(({ item }) => item),
        ),
      );
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
    } catch (error) {
      // If the database is unavailable, retrying item by item would only take longer.
      if (batch.length === 1 || isUnavailable(error)) for (const { reject } of batch) reject(error);
      else for (const waiting of batch) await writeBatch([waiting]);
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      queue.push({ item, resolve, reject });
      if (!isWriting) void drainQueue();
    });
}
