import { type MessageDraftMode, maxMessageDrafts } from "@foyer/contract";
import type { Transaction } from "kysely";
import { lockConversation } from "../../conversations/log/marks.ts";
import type { Db } from "../../db/open.ts";
import type { MessageDraftRow } from "../../db/tables/inbox.ts";
import type { Tables } from "../../db/tables.ts";
import { inTransaction } from "../../db/transaction.ts";

/** The member who writes, and the conversation. */
export type DraftOwner = { organizationId: string; userId: string; conversationId: string };

export function createDraftStore(db: Db) {
  return {
    async list({ organizationId, userId, conversationId }: DraftOwner): Promise<MessageDraftRow[]> {
      return db
        .selectFrom("messageDrafts")
        .selectAll()
        .where("organizationId", "=", organizationId)
        .where("conversationId", "=", conversationId)
        .where("userId", "=", userId)
        .orderBy("mode", "desc")
        .execute();
    },
    /**
     * Replaces the draft, and deletes the member's oldest drafts beyond `maxMessageDrafts`.
     * @returns false when the conversation was deleted
     */
    async put(row: MessageDraftRow): Promise<boolean> {
      const { organizationId, userId, conversationId, mode, ...content } = row;
      return inTransaction(db, async (trx) => {
        if (!(await lockConversation(trx, row))) return false;
        await trx
          .insertInto("messageDrafts")
          .values(row)
          .onConflict((conflict) => conflict.columns(["conversationId", "userId", "mode"]).doUpdateSet(content))
          .execute();
        const oldest = await trx
          .selectFrom("messageDrafts")
          .select("updatedAt")
          .where("organizationId", "=", organizationId)
          .where("userId", "=", userId)
          .orderBy("updatedAt", "desc")
          .limit(1)
          .offset(maxMessageDrafts)
          .executeTakeFirst();
        if (oldest) {
          await trx
            .deleteFrom("messageDrafts")
            .where("organizationId", "=", organizationId)
            .where("userId", "=", userId)
            .where("updatedAt", "<=", oldest.updatedAt)
            .execute();
        }
        return true;
      });
    },
    async delete(owner: DraftOwner, mode: MessageDraftMode): Promise<void> {
      await inTransaction(db, (trx) => deleteDraft(trx, owner, mode));
    },
  };
}

/** Deletes a draft, in the transaction that stores the message or note in which it was sent. */
export async function deleteDraft(
  trx: Transaction<Tables>,
  { organizationId, userId, conversationId }: DraftOwner,
  mode: MessageDraftMode,
): Promise<void> {
  await trx
    .deleteFrom("messageDrafts")
    .where("organizationId", "=", organizationId)
    .where("conversationId", "=", conversationId)
    .where("userId", "=", userId)
    .where("mode", "=", mode)
    .execute();
}
