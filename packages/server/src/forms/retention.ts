import { deleteInBatches } from "../db/clean-up.ts";
import type { Db } from "../db/open.ts";
import { firstIdAt } from "../ids.ts";

/** Deletes the submissions created before this instant (milliseconds), with their files. Their counters stay. @returns how many */
export function deleteSubmissionsBefore(db: Db, before: number): Promise<number> {
  return deleteInBatches(db, async (trx, limit) => {
    // Ids sort by time of creation.
    const old = trx.selectFrom("submissions").select("id").where("id", "<", firstIdAt("sub", before)).limit(limit);
    return Number((await trx.deleteFrom("submissions").where("id", "in", old).executeTakeFirst()).numDeletedRows);
  });
}

/** Deletes the daily quotas of submissions and confirmations before this day (UTC). @returns how many rows */
export async function deleteSubmissionDaysBefore(db: Db, day: string): Promise<number> {
  const quotas = await db.deleteFrom("submissionDays").where("day", "<", day).executeTakeFirst();
  const confirmations = await db.deleteFrom("confirmationDays").where("day", "<", day).executeTakeFirst();
  return Number(quotas.numDeletedRows + confirmations.numDeletedRows);
}

/** Deletes the impressions of forms before this day (UTC). Their counters stay. @returns how many */
export function deleteImpressionsBefore(db: Db, day: string): Promise<number> {
  return deleteInBatches(db, async (trx, limit) => {
    const old = trx.selectFrom("formInstances").select(["toolId", "id"]).where("day", "<", day).limit(limit);
    const deleted = trx
      .deleteFrom("formInstances")
      .where(({ eb, refTuple }) => eb(refTuple("toolId", "id"), "in", old.$asTuple("toolId", "id")));
    return Number((await deleted.executeTakeFirst()).numDeletedRows);
  });
}
