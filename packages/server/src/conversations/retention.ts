import { type SelectQueryBuilder, sql } from "kysely";
import { deleteBySize } from "../db/clean-up.ts";
import { eventBytes, sumEventBytes } from "../db/event-rows.ts";
import type { Db } from "../db/open.ts";
import type { Tables } from "../db/tables.ts";
import { deleteMessages } from "./store.ts";

type Conversations = SelectQueryBuilder<Tables, "conversations", object>;

/** The size of a message besides its text: its row and its index entries. */
const ROW_BYTES = 512;

/** The size of the notes of a conversation. */
const noteBytes = sql<number>`coalesce((select sum(octet_length(text)) from "conversationNotes"
  where "conversationNotes"."conversationId" = conversations.id), 0)`;

/** The size of a conversation with its notes and events. */
const conversationBytes = sql<number>`"textBytes" + "toolBytes" + "messageCount" * ${sql.lit(ROW_BYTES)}
  + ${noteBytes} + ${sumEventBytes("conversationId", "conversations.id")}`;

/** Deletes an agent's conversations without a message since `before` (milliseconds). @returns the number deleted */
export function deleteOlderThan(db: Db, agentId: string, before: number): Promise<number> {
  // Deletes in the order of the index. Sorting 100,000 expired conversations by id takes 135 ms, and every batch would
  // repeat it.
  const expired = (all: Conversations) => all.where("agentId", "=", agentId).where("updatedAt", "<", before);
  return deleteConversations(db, expired, "updatedAt");
}

/** Deletes an agent's conversations. @returns the number deleted */
export function deleteAgentConversations(db: Db, agentId: string): Promise<number> {
  return deleteConversations(db, (all) => all.where("agentId", "=", agentId));
}

/** Deletes these conversations of an organization. @returns the number deleted */
export function deleteConversationsById(db: Db, organizationId: string, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return Promise.resolve(0);
  return deleteConversations(db, (all) => all.where("organizationId", "=", organizationId).where("id", "in", ids));
}

function deleteConversations(
  db: Db,
  which: (all: Conversations) => Conversations,
  order: "id" | "updatedAt" = "id",
): Promise<number> {
  return deleteBySize(db, {
    next: (trx, limit) =>
      which(trx.selectFrom("conversations"))
        .select(["id", "agentId", conversationBytes.as("bytes")])
        .orderBy(order)
        .limit(limit)
        .execute(),
    async remove(trx, rows) {
      const ids = rows.map(({ id }) => id);
      const deleted = await trx.deleteFrom("conversations").where("id", "in", ids).returning("agentId").execute();
      for (const [agentId, { length }] of Map.groupBy(deleted, (row) => row.agentId)) {
        await trx
          .updateTable("agentCounters")
          .set({ conversations: sql`conversations - ${length}` })
          .where("agentId", "=", agentId)
          .execute();
      }
    },
    async shrink({ id }) {
      await deleteConversationEvents(db, id);
      await deleteMessages(db, id);
    },
  });
}

/**
 * Deletes a conversation's events, each of which can contain a whole transcript.
 * @returns the number of deleted events
 */
function deleteConversationEvents(db: Db, conversationId: string): Promise<number> {
  return deleteBySize(db, {
    next: (trx, limit) =>
      trx
        .selectFrom("events")
        .select(["id", eventBytes.as("bytes")])
        .where("conversationId", "=", conversationId)
        .orderBy("id")
        .limit(limit)
        .execute(),
    async remove(trx, rows) {
      const ids = rows.map(({ id }) => id);
      await trx.deleteFrom("events").where("id", "in", ids).execute();
    },
  });
}
