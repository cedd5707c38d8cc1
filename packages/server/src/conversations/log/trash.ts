import { sql, type Transaction } from "kysely";
import type { Tables } from "../../db/tables.ts";
import type { Deps } from "../../deps.ts";
import { putIntoTrash, type Trashing, takeFromTrash } from "../../trash/entries.ts";
import type { ConversationRef, ConversationRefs, Emit } from "./change.ts";
import { lockConversations } from "./marks.ts";

/** Hides conversations and shows them again. A hidden conversation keeps its state, and its timers wait. */
export function createTrash({ databaseKind }: Pick<Deps, "databaseKind">, emit: Emit) {
  async function moveAllToTrash(
    trx: Transaction<Tables>,
    { organizationId, conversationIds }: ConversationRefs,
    by: Trashing,
  ): Promise<ReadonlySet<string>> {
    const { trashedAt } = by;
    if (conversationIds.length > 1) await lockConversations(trx, databaseKind, { organizationId, conversationIds });
    const conversations = await trx
      .updateTable("conversations")
      // A repeated first message begins a new conversation, as it does after a deletion.
      .set({ trashedAt, changedAt: trashedAt, startKey: null })
      .where("id", "in", conversationIds)
      .where("organizationId", "=", organizationId)
      .where("trashedAt", "is", null)
      .returning(["id", "agentId"])
      .execute();
    const ids = conversations.map(({ id }) => id);
    if (ids.length === 0) return new Set();
    await trx
      .updateTable("messages")
      .set({ stopRequested: 1 })
      .where("conversationId", "in", ids)
      .where("stopReason", "is", null)
      .execute();
    // In a fixed order, because transactions share these rows.
    const counts = [...Map.groupBy(conversations, ({ agentId }) => agentId)].sort(([a], [b]) => (a < b ? -1 : 1));
    for (const [agentId, { length }] of counts) await count(trx, agentId, -length);
    const entries = conversations.map(({ id, agentId }) => {
      const place = { id, organizationId, agentId, kind: "conversation" as const };
      return { ...place, name: null, content: null, ...by };
    });
    await putIntoTrash(trx, entries);
    await emit(
      trx,
      ids.map((conversationId) => ({ kind: "trashed", organizationId, conversationId })),
    );
    return new Set(ids);
  }

  return {
    /** @returns false when the organization has no such conversation outside of the trash */
    async moveToTrash(
      trx: Transaction<Tables>,
      { organizationId, conversationId }: ConversationRef,
      by: Trashing,
    ): Promise<boolean> {
      return (await moveAllToTrash(trx, { organizationId, conversationIds: [conversationId] }, by)).size > 0;
    },
    /** @returns the ids of those that the organization has outside of the trash */
    moveAllToTrash,
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

async function count(trx: Transaction<Tables>, agentId: string, added: number): Promise<void> {
  await trx
    .updateTable("agentCounters")
    .set({ conversations: sql`conversations + ${added}` })
    .where("agentId", "=", agentId)
    .execute();
}
