import { sql } from "kysely";
import type { Db } from "../db/open.ts";
import { inTransaction } from "../db/transaction.ts";
import type { Deps } from "../deps.ts";

const EVERY_MS = 3_600_000;
const DAY_MS = 86_400_000;
const BATCH = 500;

/** Deletes conversations older than FOYER_RETENTION_DAYS, now and every hour. Returns how to stop. */
export function startRetention({ db, config, log }: Pick<Deps, "db" | "config" | "log">): () => void {
  const { retentionDays } = config;
  if (retentionDays === null) return () => {};
  const run = () =>
    deleteOlderThan(db, Date.now() - retentionDays * DAY_MS).catch((error) => {
      log.error({ err: error }, "old conversations were not deleted; trying again in an hour");
    });
  void run();
  const timer = setInterval(run, EVERY_MS).unref();
  return () => clearInterval(timer);
}

/** In small batches, so that nothing waits long for it. @returns how many conversations were deleted */
export async function deleteOlderThan(db: Db, before: number): Promise<number> {
  for (let total = 0; ; ) {
    const deleted = await deleteBatch(db, before);
    total += deleted;
    if (deleted < BATCH) return total;
  }
}

async function deleteBatch(db: Db, before: number): Promise<number> {
  return inTransaction(db, async (trx) => {
    const old = trx.selectFrom("conversations").select("id").where("updatedAt", "<", before).orderBy("id").limit(BATCH);
    const rows = await trx.deleteFrom("conversations").where("id", "in", old).returning("agentId").execute();
    const perAgent = Map.groupBy(rows, (row) => row.agentId);
    for (const [agentId, { length }] of perAgent) {
      await trx
        .updateTable("agentCounters")
        .set({ conversations: sql`conversations - ${length}` })
        .where("agentId", "=", agentId)
        .execute();
    }
    return rows.length;
  });
}
