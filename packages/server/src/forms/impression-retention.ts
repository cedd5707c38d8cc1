import { deleteInBatches } from "../db/clean-up.ts";
import type { Db } from "../db/open.ts";

/** Forgets showings of forms that began before this day (UTC); their counters stay. @returns how many */
export function deleteShowingsBefore(db: Db, day: string): Promise<number> {
  return deleteInBatches(db, async (trx, limit) => {
    const old = trx.selectFrom("formInstances").select(["toolId", "id"]).where("day", "<", day).limit(limit);
    const deleted = trx
      .deleteFrom("formInstances")
      .where(({ eb, refTuple }) => eb(refTuple("toolId", "id"), "in", old.$asTuple("toolId", "id")));
    return Number((await deleted.executeTakeFirst()).numDeletedRows);
  });
}
