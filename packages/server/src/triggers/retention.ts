import { deleteInBatches } from "../db/clean-up.ts";
import type { Db } from "../db/open.ts";

/** Deletes the trigger events of the days before this one (UTC). Their counters stay. @returns how many */
export function deleteEventsBefore(db: Db, day: string): Promise<number> {
  return deleteInBatches(db, async (trx, limit) => {
    const old = trx.selectFrom("triggerEvents").select("id").where("day", "<", day).orderBy("day").limit(limit);
    return Number((await trx.deleteFrom("triggerEvents").where("id", "in", old).executeTakeFirst()).numDeletedRows);
  });
}

/** Deletes what an agent's visitors reported. @returns how many */
export function deleteEventsOf(db: Db, agentId: string): Promise<number> {
  return deleteInBatches(db, async (trx, limit) => {
    const some = trx.selectFrom("triggerEvents").select("id").where("agentId", "=", agentId).orderBy("id").limit(limit);
    return Number((await trx.deleteFrom("triggerEvents").where("id", "in", some).executeTakeFirst()).numDeletedRows);
  });
}
