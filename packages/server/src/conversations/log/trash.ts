import { sql, type Transaction } from "kysely";
import type { Tables } from "../../db/tables.ts";
import { putIntoTrash, type Trashing, takeFromTrash } from "../../trash/entries.ts";
import type { ConversationRef, Emit } from "./change.ts";

/** Hides conversations and shows them again. A hidden conversation keeps its state, and its timers wait. */
export function createTrash(emit: Emit) {
  return {
    /** @returns false when the organization has no such conversation outside of the trash */
    async moveToTrash(
      trx: Transaction<Tables>,
      { organizationId, conversationId: id }: ConversationRef,
      by: Trashing,
    ): Promise<boolean> {
      const { trashedAt } = by;
      const conversation = await trx
        .updateTable("conversations")
        // A repeated first message begins a new conversation, as it does after a deletion.
        .set({ trashedAt, changedAt: trashedAt, startKey: null })
        .where("id", "=", id)
        .where("organizationId", "=", organizationId)
        .where("trashedAt", "is", null)
        .returning("agentId")
        .executeTakeFirst();
      if (!conversation) return false;
      const { agentId } = conversation;
      await trx
        .updateTable("messages")
        .set({ stopRequested: 1 })
        .where("conversationId", "=", id)
        .where("stopReason", "is", null)
        .execute();
      await count(trx, agentId, -1);
      await putIntoTrash(trx, { id, organizationId, agentId, kind: "conversation", name: null, content: null, ...by });
      await emit(trx, [{ kind: "trashed", organizationId, conversationId: id }]);
      return true;
    },
    /** @throws 404 when it is no longer in the trash */
    async restoreFromTrash(trx: Transaction<Tables>, { organizationId, conversationId: id }: ConversationRef) {
      const conversation = await trx
        .updateTable("conversations")
        .set({ trashedAt: null, changedAt: Date.now() })
        .where("id", "=", id)
        .where("organizationId", "=", organizationId)
        .where("trashedAt", "is not", null)
        .returning("agentId")
        .executeTakeFirst();
      await takeFromTrash(trx, { organizationId, kind: "conversation", id });
      if (!conversation) return;
      await count(trx, conversation.agentId, 1);
      await emit(trx, [{ kind: "restored", organizationId, conversationId: id }]);
    },
  };
}

async function count(trx: Transaction<Tables>, agentId: string, added: 1 | -1): Promise<void> {
  await trx
    .updateTable("agentCounters")
    .set({ conversations: sql`conversations + ${added}` })
    .where("agentId", "=", agentId)
    .execute();
}
