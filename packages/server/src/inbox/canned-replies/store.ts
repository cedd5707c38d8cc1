import { maxCannedReplies } from "@foyer/contract";
import { sql } from "kysely";
import type { Executor } from "../../db/compiled-query.ts";
import { lockRow } from "../../db/lock-row.ts";
import type { Db } from "../../db/open.ts";
import type { CannedReplyRow } from "../../db/tables/notes.ts";
import { inTransaction } from "../../db/transaction.ts";

/**
 * The number of replies, each of up to 8,000 characters, that are read and rendered between two turns of the event
 * loop.
 */
const PAGE = 50;

export function createCannedReplyStore(db: Db) {
  const owned = (organizationId: string) => db.selectFrom("cannedReplies").where("organizationId", "=", organizationId);
  return {
    /** Yields the replies in pages, ordered by name, ignoring case. */
    async *pages(organizationId: string): AsyncGenerator<CannedReplyRow[]> {
      for (let offset = 0; offset < maxCannedReplies; offset += PAGE) {
        const rows = await owned(organizationId)
          .selectAll()
          .orderBy(sql`lower(name)`)
          .orderBy("id")
          .limit(PAGE)
          .offset(offset)
          .execute();
        yield rows;
        if (rows.length < PAGE) return;
      }
    },
    /**
     * Adds the reply unless the organization already has `maxCannedReplies`. Locks the organization, so that two
     * requests cannot both use the last free slot.
     */
    async insert(row: CannedReplyRow, onWrite: (trx: Executor) => Promise<void>): Promise<boolean> {
      return inTransaction(db, async (trx) => {
        await lockRow(trx, "organizations", row.organizationId);
        const ids = await trx
          .selectFrom("cannedReplies")
          .select("id")
          .where("organizationId", "=", row.organizationId)
          .limit(maxCannedReplies)
          .execute();
        if (ids.length >= maxCannedReplies) return false;
        await trx.insertInto("cannedReplies").values(row).execute();
        await onWrite(trx);
        return true;
      });
    },
    async update(
      organizationId: string,
      id: string,
      changes: Partial<Pick<CannedReplyRow, "name" | "text" | "actions">> & Pick<CannedReplyRow, "updatedAt">,
    ): Promise<CannedReplyRow | undefined> {
      return db
        .updateTable("cannedReplies")
        .set(changes)
        .where("id", "=", id)
        .where("organizationId", "=", organizationId)
        .returningAll()
        .executeTakeFirst();
    },
    async delete(organizationId: string, id: string): Promise<boolean> {
      const result = await db
        .deleteFrom("cannedReplies")
        .where("id", "=", id)
        .where("organizationId", "=", organizationId)
        .executeTakeFirst();
      return result.numDeletedRows > 0n;
    },
  };
}
