import { maxNotes } from "@foyer/contract";
import type { Transaction } from "kysely";
import { lockConversation, touchConversation } from "../../conversations/log/marks.ts";
import type { Db } from "../../db/open.ts";
import type { ConversationNoteRow } from "../../db/tables/notes.ts";
import type { Tables } from "../../db/tables.ts";
import { inTransaction } from "../../db/transaction.ts";

export function createNoteStore(db: Db) {
  return {
    /** Lists the notes of a conversation, oldest first. */
    async list(organizationId: string, conversationId: string): Promise<ConversationNoteRow[]> {
      return db
        .selectFrom("conversationNotes")
        .selectAll()
        .where("organizationId", "=", organizationId)
        .where("conversationId", "=", conversationId)
        .orderBy("id")
        .limit(maxNotes)
        .execute();
    },
    /**
     * Adds the note unless the conversation already has `maxNotes`, or was deleted. Locks the conversation, so that two
     * requests cannot both use the last free slot.
     */
    async insert(
      row: ConversationNoteRow,
      onWrite: (trx: Transaction<Tables>) => Promise<void>,
    ): Promise<"added" | "full" | "no conversation"> {
      const { organizationId, conversationId } = row;
      return inTransaction(db, async (trx) => {
        if (!(await lockConversation(trx, row))) return "no conversation";
        const ids = await trx
          .selectFrom("conversationNotes")
          .select("id")
          .where("organizationId", "=", organizationId)
          .where("conversationId", "=", conversationId)
          .limit(maxNotes)
          .execute();
        if (ids.length >= maxNotes) return "full";
        await trx.insertInto("conversationNotes").values(row).execute();
        await touchConversation(trx, row, row.createdAt);
        await onWrite(trx);
        return "added";
      });
    },
    /** @returns false when the conversation has no such note */
    async delete(organizationId: string, conversationId: string, id: string): Promise<boolean> {
      const result = await db
        .deleteFrom("conversationNotes")
        .where("organizationId", "=", organizationId)
        .where("conversationId", "=", conversationId)
        .where("id", "=", id)
        .executeTakeFirst();
      return result.numDeletedRows > 0n;
    },
  };
}
