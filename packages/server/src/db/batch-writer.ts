import type { Transaction } from "kysely";
import { isUnavailable } from "./database-errors.ts";
import type { Db } from "./open.ts";
import type { Tables } from "./tables.ts";
import { inTransaction } from "./transaction.ts";

type Waiting<Item, Result> = { item: Item; resolve(result: Result): void; reject(error: unknown): void };

/**
 * Group commit: while one batch is being written the next one gathers, so that many callers share one durable
 * transaction. The returned function resolves once its item is committed, with the result at its item's place.
 * When a batch fails each of its items is tried in a transaction of its own, so that one bad item fails alone; `write`
 * may therefore see an item several times, of which one is kept. It must lock rows that others write too in an order that
 * does not depend on the items' order.
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
    // What arrives in the same turn of the event loop goes into the first batch already.
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
      // A database that is gone is gone for each of them; asking it for every item would only take longer.
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
