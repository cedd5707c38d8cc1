import { type RawBuilder, sql, type Transaction } from "kysely";
import { compileOnce } from "../../db/compiled-query.ts";
import type { DatabaseKind } from "../../db/database-kind.ts";
import type { Db } from "../../db/open.ts";
import type { Instant } from "../../db/tables/column-types.ts";
import type { ConversationRow, Tables } from "../../db/tables.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { ConversationRef, ConversationRefs, Emit } from "./change.ts";

/**
 * Locks the conversation for the rest of the transaction, for example so that two requests cannot both use its last free
 * slot for a note or a tag.
 * @returns undefined when the organization has no such conversation
 */
export function lockConversation(
  trx: Transaction<Tables>,
  { organizationId, conversationId }: ConversationRef,
): Promise<Pick<ConversationRow, "agentId" | "isTest"> | undefined> {
  return trx
    .updateTable("conversations")
    .set((x) => ({ changedAt: x.ref("changedAt") }))
    .where("id", "=", conversationId)
    .where("organizationId", "=", organizationId)
    .where("trashedAt", "is", null)
    .returning(["agentId", "isTest"])
    .executeTakeFirst();
}

/**
 * Locks several conversations for the rest of the transaction, in the order of their ids, so that two transactions that
 * lock several cannot deadlock.
 * @returns the ids of those that exist outside of the trash
 */
export async function lockConversations(
  trx: Transaction<Tables>,
  databaseKind: DatabaseKind,
  { organizationId, conversationIds }: ConversationRefs,
): Promise<string[]> {
  const rows = await trx
    .selectFrom("conversations")
    .select("id")
    .where("organizationId", "=", organizationId)
    .where("id", "in", conversationIds)
    .where("trashedAt", "is", null)
    .orderBy("id")
    // SQLite has one writer.
    .$if(databaseKind === "postgres", (query) => query.forNoKeyUpdate())
    .execute();
  return rows.map(({ id }) => id);
}

/** What members leave on a conversation that does not change it for the visitor. */
export function createMarks(db: Db, databaseKind: DatabaseKind, emit: Emit) {
  /**
   * Marks the messages up to this time as read. A later mark stays, because a bulk action marks what had arrived when it was
   * requested. @returns the ids of the conversations that exist
   */
  function markAllRead({ organizationId, conversationIds }: ConversationRefs, now: Instant): Promise<string[]> {
    const ref = { organizationId, conversationIds };
    const readAt = sql<Instant>`case when coalesce("readAt", 0) < ${now} then ${now} else "readAt" end`;
    return inTransaction(db, async (trx) => {
      if (conversationIds.length > 1) await lockConversations(trx, databaseKind, ref);
      const unread = await setReadAt(trx, ref, readAt)
        .where(sql<boolean>`"lastMessageAt" > coalesce("readAt", 0)`)
        .returning("id")
        .execute();
      const ids = unread.map(({ id }) => id);
      if (ids.length > 0) {
        const changes = ids.map((conversationId) => ({ kind: "read" as const, organizationId, conversationId }));
        await emit(trx, changes);
      }
      if (ids.length === conversationIds.length) return ids;
      const found = new Set(ids);
      const rest = conversationIds.filter((id) => !found.has(id));
      const read = await setReadAt(trx, { organizationId, conversationIds: rest }, readAt).returning("id").execute();
      return ids.concat(read.map(({ id }) => id));
    });
  }

  return {
    /** Invalidates earlier links to the conversation. @returns false when the organization has no such conversation */
    async revokeLinks(organizationId: string, id: string): Promise<boolean> {
      const result = await db
        .updateTable("conversations")
        .set((x) => ({ linkVersion: x("linkVersion", "+", 1) }))
        .where("id", "=", id)
        .where("organizationId", "=", organizationId)
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },
    /** Restores an earlier read mark. @returns false when the conversation was read since */
    restoreReadMark(
      organizationId: string,
      id: string,
      { readAt, markedAt }: { readAt: Instant | null; markedAt: Instant },
    ): Promise<boolean> {
      return inTransaction(db, async (trx) => {
        const result = await setReadAt(trx, { organizationId, conversationIds: [id] }, readAt)
          .where("readAt", "=", markedAt)
          .executeTakeFirst();
        if (result.numUpdatedRows === 0n) return false;
        await emit(trx, [{ kind: "read", organizationId, conversationId: id }]);
        return true;
      });
    },
    /** @returns false when the organization has no such conversation */
    async markRead(organizationId: string, id: string, now: Instant): Promise<boolean> {
      return (await markAllRead({ organizationId, conversationIds: [id] }, now)).length > 0;
    },
    markAllRead,
  };
}

function setReadAt(
  trx: Transaction<Tables>,
  { organizationId, conversationIds }: ConversationRefs,
  readAt: Instant | null | RawBuilder<Instant>,
) {
  return trx
    .updateTable("conversations")
    .set({ readAt })
    .where("id", "in", conversationIds)
    .where("organizationId", "=", organizationId);
}

/**
 * Notes when something was added to the conversation. Live streams read conversations that people handle by this time,
 * so colleagues see it immediately.
 */
export async function touchConversation(
  trx: Transaction<Tables>,
  { organizationId, conversationId }: ConversationRef,
  now: Instant,
): Promise<void> {
  await touchConversations(trx, { organizationId, conversationIds: [conversationId] }, now);
}

/** Does the same for several conversations. */
export async function touchConversations(
  trx: Transaction<Tables>,
  { organizationId, conversationIds }: ConversationRefs,
  now: Instant,
): Promise<void> {
  await trx
    .updateTable("conversations")
    .set({ changedAt: now })
    .where("id", "in", conversationIds)
    .where("organizationId", "=", organizationId)
    .where("handler", "<>", "agent")
    .execute();
}

/** @returns a compiled query that reserves the numbers of a conversation's next events and returns the last one */
export function createEventNumbers(db: Db) {
  return compileOnce<{ id: string; count: number }, { eventSequence: number }>((param) =>
    db
      .updateTable("conversations")
      .set({ eventSequence: sql`"eventSequence" + ${param("count")}` })
      .where("id", "=", param("id"))
      .returning("eventSequence"),
  );
}
