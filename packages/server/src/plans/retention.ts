import { selectAgentIds } from "../db/agents-of.ts";
import { deleteInBatches } from "../db/clean-up.ts";
import type { Db } from "../db/open.ts";

/** Deletes visitors' token counters of the days before this one (UTC). @returns the number of deleted counters */
export function deleteVisitorDaysBefore(db: Db, day: string): Promise<number> {
  return deleteInBatches(db, async (trx, limit) => {
    const old = trx.selectFrom("visitorDays").select(["agentId", "visitor", "day"]).where("day", "<", day).limit(limit);
    const counters = trx
      .deleteFrom("visitorDays")
      .where(({ refTuple, eb }) =>
        eb(refTuple("agentId", "visitor", "day"), "in", old.$asTuple("agentId", "visitor", "day")),
      );
    return Number((await counters.executeTakeFirst()).numDeletedRows);
  });
}

/** Deletes the token counters of an agent's visitors. @returns the number of deleted counters */
export function deleteVisitorDays(db: Db, agentId: string): Promise<number> {
  return deleteInBatches(db, async (trx, limit) => {
    const some = trx
      .selectFrom("visitorDays")
      .select(["agentId", "visitor", "day"])
      .where("agentId", "=", agentId)
      .limit(limit);
    const counters = trx
      .deleteFrom("visitorDays")
      .where(({ refTuple, eb }) =>
        eb(refTuple("agentId", "visitor", "day"), "in", some.$asTuple("agentId", "visitor", "day")),
      );
    return Number((await counters.executeTakeFirst()).numDeletedRows);
  });
}

/**
 * Deletes an organization's token counters of these visitors, given by their keys.
 * @returns the number of deleted counters
 */
export async function deleteVisitorDaysByKey(
  db: Db,
  organizationId: string,
  visitors: readonly string[],
): Promise<number> {
  if (visitors.length === 0) return 0;
  const counters = db
    .deleteFrom("visitorDays")
    .where("visitor", "in", visitors)
    .where("agentId", "in", selectAgentIds(db, organizationId));
  return Number((await counters.executeTakeFirst()).numDeletedRows);
}
