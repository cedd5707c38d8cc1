import { setTimeout as rest } from "node:timers/promises";
import type { Transaction } from "kysely";
import type { Logger } from "pino";
import type { Db } from "./open.ts";
import type { Tables } from "./tables.ts";
import { inTransaction } from "./transaction.ts";

const EVERY_MS = 3_600_000;
const BATCH = 500;

/** Deletes what has had its time, now and every hour; what fails is tried again then. Returns how to stop. */
export function startCleanUp(log: Logger, work: Record<string, () => Promise<number>>): () => void {
  const run = async () => {
    for (const [what, clean] of Object.entries(work)) {
      await clean().catch((error: unknown) => log.error({ err: error }, `${what}: not deleted; again in an hour`));
    }
  };
  void run();
  const timer = setInterval(run, EVERY_MS).unref();
  return () => clearInterval(timer);
}

/**
 * Deletes in small transactions and rests after each for as long as it took, so that nothing waits long for it: SQLite works
 * within this process, and a million old rows take minutes.
 * @param deleteSome deletes at most `limit` rows and returns how many they were
 * @returns how many were deleted in all
 */
export async function deleteInBatches(
  db: Db,
  deleteSome: (trx: Transaction<Tables>, limit: number) => Promise<number>,
): Promise<number> {
  for (let total = 0; ; ) {
    const startedAt = performance.now();
    const deleted = await inTransaction(db, (trx) => deleteSome(trx, BATCH));
    total += deleted;
    if (deleted < BATCH) return total;
    await rest(performance.now() - startedAt);
  }
}
