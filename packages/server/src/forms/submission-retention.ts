import { deleteInBatches } from "../db/clean-up.ts";
import type { Db } from "../db/open.ts";
import { firstIdAt } from "../ids.ts";

/** Deletes submissions made before this instant (milliseconds), with their files. Their counts stay. @returns how many */
export function deleteSubmissionsBefore(db: Db, before: number): Promise<number> {
  return deleteInBatches(db, async (trx, limit) => {
    // Ids sort by time of creation.
    const old = trx.selectFrom("submissions").select("id").where("id", "<", firstIdAt("sub", before)).limit(limit);
    return Number((await trx.deleteFrom("submissions").where("id", "in", old).executeTakeFirst()).numDeletedRows);
  });
}

/** Deletes the counters of days (UTC) before this one that bounded submissions and confirmations. @returns how many */
export async function deleteSubmissionDaysBefore(db: Db, day: string): Promise<number> {
  const quotas = await db.deleteFrom("submissionDays").where("day", "<", day).executeTakeFirst();
  const confirmations = await db.deleteFrom("confirmationDays").where("day", "<", day).executeTakeFirst();
  return Number(quotas.numDeletedRows + confirmations.numDeletedRows);
}
