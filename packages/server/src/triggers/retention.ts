import type { SelectQueryBuilder } from "kysely";
import { selectAgentIds } from "../db/agents-of.ts";
import { deleteInBatches } from "../db/clean-up.ts";
import type { Db } from "../db/open.ts";
import type { Tables } from "../db/tables.ts";

type Condition = (query: SelectQueryBuilder<Tables, "triggerFirings", { key: string }>) => typeof query;

/** Deletes what is left of the sessions whose events are deleted. */
async function deleteFirings(db: Db, condition: Condition): Promise<void> {
  await deleteInBatches(db, async (trx, limit) => {
    const some = condition(trx.selectFrom("triggerFirings").select("key")).limit(limit);
    return Number((await trx.deleteFrom("triggerFirings").where("key", "in", some).executeTakeFirst()).numDeletedRows);
  });
}

/**
 * Deletes an agent's trigger events before this day (UTC). The counters are kept.
 * @returns the number of deleted events
 */
export async function deleteEventsBefore(db: Db, agentId: string, day: string): Promise<number> {
  await deleteFirings(db, (firings) => firings.where("agentId", "=", agentId).where("day", "<", day));
  return deleteInBatches(db, async (trx, limit) => {
    const old = trx
      .selectFrom("triggerEvents")
      .select("id")
      .where("agentId", "=", agentId)
      .where("day", "<", day)
      .orderBy("day")
      .limit(limit);
    return Number((await trx.deleteFrom("triggerEvents").where("id", "in", old).executeTakeFirst()).numDeletedRows);
  });
}

/** Deletes the events of an agent's triggers. @returns the number of deleted events */
export async function deleteTriggerEvents(db: Db, agentId: string): Promise<number> {
  await deleteFirings(db, (firings) => firings.where("agentId", "=", agentId));
  return deleteInBatches(db, async (trx, limit) => {
    const some = trx.selectFrom("triggerEvents").select("id").where("agentId", "=", agentId).orderBy("id").limit(limit);
    return Number((await trx.deleteFrom("triggerEvents").where("id", "in", some).executeTakeFirst()).numDeletedRows);
  });
}

/** Deletes an organization's events of these visitor sessions. @returns the number of deleted events */
export async function deleteEventsOfSessions(
  db: Db,
  organizationId: string,
  sessionIds: readonly string[],
): Promise<number> {
  if (sessionIds.length === 0) return 0;
  await deleteFirings(db, (firings) =>
    firings.where("sessionId", "in", sessionIds).where("agentId", "in", selectAgentIds(db, organizationId)),
  );
  return deleteInBatches(db, async (trx, limit) => {
    const some = trx
      .selectFrom("triggerEvents")
      .select("id")
      .where("sessionId", "in", sessionIds)
      .where("agentId", "in", selectAgentIds(trx, organizationId))
      .limit(limit);
    return Number((await trx.deleteFrom("triggerEvents").where("id", "in", some).executeTakeFirst()).numDeletedRows);
  });
}
