import { deleteInBatches } from "../db/clean-up.ts";
import type { Db } from "../db/open.ts";

/** Deletes visitors' token counters of the days before this one (UTC). @returns how many were deleted */
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

/** Deletes what an agent's visitors used up. @returns how many counters */
export function deleteVisitorDaysOf(db: Db, agentId: string): Promise<number> {
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
