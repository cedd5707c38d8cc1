import { sql, type Transaction } from "kysely";
import { compileOnce } from "../../db/compiled-query.ts";
import type { Db } from "../../db/open.ts";
import type { Instant } from "../../db/tables/column-types.ts";
import type { ConversationRow, Tables } from "../../db/tables.ts";
import type { ConversationRef } from "./change.ts";

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

/** Writes to a conversation that none of the listeners needs to know. */
export function createMarks(db: Db) {
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
    async restoreReadMark(
      organizationId: string,
      id: string,
      { readAt, markedAt }: { readAt: Instant | null; markedAt: Instant },
    ): Promise<boolean> {
      const result = await db
        .updateTable("conversations")
        .set({ readAt })
        .where("id", "=", id)
        .where("organizationId", "=", organizationId)
        .where("readAt", "=", markedAt)
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },
    /** @returns false when the organization has no such conversation */
    async markRead(organizationId: string, id: string, now: Instant): Promise<boolean> {
      const result = await db
        .updateTable("conversations")
        .set({ readAt: now })
        .where("id", "=", id)
        .where("organizationId", "=", organizationId)
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },
  };
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
  await trx
    .updateTable("conversations")
    .set({ changedAt: now })
    .where("id", "=", conversationId)
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
