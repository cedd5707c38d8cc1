import { sql } from "kysely";
import { deleteInBatches } from "../db/clean-up.ts";
import type { Db } from "../db/open.ts";

/** Deletes the conversations without a message since `before` (milliseconds). @returns how many */
export function deleteOlderThan(db: Db, before: number): Promise<number> {
  return deleteInBatches(db, async (trx, limit) => {
    const old = trx.selectFrom("conversations").select("id").where("updatedAt", "<", before).orderBy("id").limit(limit);
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
