import { setImmediate as nextTurn } from "node:timers/promises";
import { type DeleteQueryBuilder, type DeleteResult, type SelectQueryBuilder, sql, type Transaction } from "kysely";
import { deleteBySize } from "../../db/clean-up.ts";
import { eventBytes, sumEventBytes } from "../../db/event-rows.ts";
import type { Db } from "../../db/open.ts";
import { takeWithinBytes } from "../../db/page-bytes.ts";
import type { ConversationRow, Tables } from "../../db/tables.ts";
import { afterCommit, inTransaction } from "../../db/transaction.ts";
import { deleteOriginalsById } from "../../documents/retention.ts";
import { listAttachedFiles } from "../attachments/store.ts";
import { messageBytes } from "../message-bytes.ts";
import type { Change, Emit } from "./change.ts";

type Conversations = SelectQueryBuilder<Tables, "conversations", object>;
type Deletion = DeleteQueryBuilder<Tables, "conversations", DeleteResult>;

/** The number of bytes that are deleted in one transaction, which takes about 10 ms on SQLite. */
const DELETED_BYTES = 4 * 1024 * 1024;
/** The number of messages that are measured at a time. */
const MEASURED_MESSAGES = 200;
/**
 * Conversations above this size are deleted in several transactions. Only conversations from before the size limit can
 * be much larger.
 */
const LARGE_BYTES = 4 * 1024 * 1024;

/** The size of a message besides its text: its row and its index entries. */
const ROW_BYTES = 512;

/** The size of the notes of a conversation. */
const noteBytes = sql<number>`coalesce((select sum(octet_length(text)) from "conversationNotes"
  where "conversationNotes"."conversationId" = conversations.id), 0)`;

/** The size of a conversation with its notes and events. */
const conversationBytes = sql<number>`"textBytes" + "toolBytes" + "messageCount" * ${sql.lit(ROW_BYTES)}
  + ${noteBytes} + ${sumEventBytes("conversationId", "conversations.id")}`;

/** Deletes conversations at the request of a visitor or member. */
export function createErasure(db: Db, emit: Emit) {
  return {
    /** Deletes these conversations of an organization. @returns the number deleted */
    async erase(organizationId: string, ids: readonly string[]): Promise<number> {
      if (ids.length === 0) return 0;
      const which = (all: Conversations) => all.where("organizationId", "=", organizationId).where("id", "in", ids);
      return deleteConversations(db, which, { emit });
    },
    /** @returns false when the conversation does not exist */
    async delete({ organizationId, id, textBytes, toolBytes }: Deletable): Promise<boolean> {
      if (Number(textBytes) + Number(toolBytes) > LARGE_BYTES) await deleteMessages(db, id);
      const files = await listAttachedFiles(db, [id]);
      const isDeleted = await inTransaction(db, async (trx) => {
        const deleted = await remove(trx, (all) =>
          all.where("id", "=", id).where("organizationId", "=", organizationId),
        );
        await emit(trx, deleted);
        return deleted.length > 0;
      });
      if (isDeleted) await deleteOriginalsById(db, files);
      return isDeleted;
    },
  };
}

type Deletable = Pick<ConversationRow, "id" | "organizationId" | "textBytes" | "toolBytes">;

/** Deletes an agent's conversations without a message since `before` (milliseconds). @returns the number deleted */
export function deleteOlderThan(db: Db, agentId: string, before: number): Promise<number> {
  // Deletes in the order of the index. Sorting 100,000 expired conversations by id takes 135 ms, and every batch would
  // repeat it.
  const expired = (all: Conversations) => all.where("agentId", "=", agentId).where("updatedAt", "<", before);
  return deleteConversations(db, expired, { order: "updatedAt" });
}

/** Deletes the conversations of an agent that was deleted. @returns the number deleted */
export function deleteAgentConversations(db: Db, agentId: string): Promise<number> {
  return deleteConversations(db, (all) => all.where("agentId", "=", agentId), {});
}

/** Without `emit`, the listeners are not called, because no one follows conversations of a deleted agent or very old ones. */
async function deleteConversations(
  db: Db,
  which: (all: Conversations) => Conversations,
  { order = "id", emit }: { order?: "id" | "updatedAt"; emit?: Emit },
): Promise<number> {
  let files: string[] = [];
  const total = await deleteBySize(db, {
    next: (trx, limit) =>
      which(trx.selectFrom("conversations"))
        .select(["id", "agentId", conversationBytes.as("bytes")])
        .orderBy(order)
        .limit(limit)
        .execute(),
    async remove(trx, rows) {
      const ids = rows.map(({ id }) => id);
      const found = await listAttachedFiles(trx, ids);
      const deleted = await remove(trx, (all) => all.where("id", "in", ids));
      await emit?.(trx, deleted);
      afterCommit(trx, () => {
        files = files.concat(found);
      });
    },
    async shrink({ id }) {
      await deleteConversationEvents(db, id);
      await deleteMessages(db, id);
    },
  });
  await deleteOriginalsById(db, files);
  return total;
}

/** Deletes conversations with their messages, and updates the counters of their agents. */
async function remove(trx: Transaction<Tables>, which: (all: Deletion) => Deletion): Promise<Change[]> {
  const deleted = await which(trx.deleteFrom("conversations"))
    .returning(["id", "agentId", "organizationId", "trashedAt"])
    .execute();
  // Conversations in the trash are not counted.
  const counted = deleted.filter(({ trashedAt }) => trashedAt === null);
  for (const [agentId, { length }] of Map.groupBy(counted, (row) => row.agentId)) {
    await trx
      .updateTable("agentCounters")
      .set({ conversations: sql`conversations - ${length}` })
      .where("agentId", "=", agentId)
      .execute();
  }
  return deleted.map(({ id, organizationId }) => ({ kind: "erased", organizationId, conversationId: id }));
}

/**
 * Deletes the messages of a conversation that is too large for one transaction, and lets other writers proceed after
 * each part.
 */
async function deleteMessages(db: Db, conversationId: string): Promise<void> {
  for (;;) {
    const sizes = await db
      .selectFrom("messages")
      .select(["position", messageBytes.as("bytes")])
      .where("conversationId", "=", conversationId)
      .orderBy("position")
      .limit(MEASURED_MESSAGES)
      .execute();
    const last = takeWithinBytes(sizes, DELETED_BYTES).at(-1);
    if (!last) return;
    await db
      .deleteFrom("messages")
      .where("conversationId", "=", conversationId)
      .where("position", "<=", last.position)
      .execute();
    await nextTurn();
  }
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
