import { type MessageKey, replyQueries } from "../conversations/log/queries.ts";
import type { StopRequest } from "../conversations/log/replies.ts";
import type { Db } from "../db/open.ts";
import type { MessageRow } from "../db/tables.ts";

export type ReplyStore = ReturnType<typeof createReplyStore>;

/** Reads stored messages and replies, and whether running replies should stop. */
export function createReplyStore(db: Db) {
  const queries = replyQueries(db);
  return {
    /**
     * A visitor's message by its key, and the agent's reply to it. `reply` is undefined when the agent did not reply,
     * because a person had the conversation. @returns null when no message with this key is stored
     */
    async sentMessage(key: MessageKey): Promise<{ content: string; reply: MessageRow | undefined } | null> {
      const [message] = (await queries.byKey(db, key)).rows;
      if (!message) return null;
      const next = await db
        .selectFrom("messages")
        .selectAll()
        .where("conversationId", "=", key.conversationId)
        .where("position", ">", message.position)
        .orderBy("position")
        .limit(1)
        .executeTakeFirst();
      const isReply = next?.role === "assistant" && next.authorName === null;
      return { content: message.content, reply: isReply ? next : undefined };
    },
    /** The conversation that began with this key. */
    async begunWith({
      organizationId,
      startKey,
    }: {
      organizationId: string;
      startKey: string;
    }): Promise<string | null> {
      const row = await db
        .selectFrom("conversations")
        .select("id")
        .where("organizationId", "=", organizationId)
        .where("startKey", "=", startKey)
        .executeTakeFirst();
      return row?.id ?? null;
    },
    async latestReply(conversationId: string): Promise<MessageRow | undefined> {
      return db
        .selectFrom("messages")
        .selectAll()
        .where("conversationId", "=", conversationId)
        .where("role", "=", "assistant")
        .where("authorName", "is", null)
        .where("isSupplied", "=", 0)
        .orderBy("position", "desc")
        .limit(1)
        .executeTakeFirst();
    },
    /** How these replies should stop, by their ids. A reply that no longer exists should stop too. */
    async stopRequested(ids: readonly string[]): Promise<Map<string, StopRequest>> {
      const found = await db
        .selectFrom("messages")
        .select(["id", "stopRequested", "stopReason"])
        .where("id", "in", ids)
        .execute();
      const stopped = new Map<string, StopRequest>(ids.map((id) => [id, "stop"]));
      for (const { id, stopRequested, stopReason } of found) {
        if (stopRequested === 2) stopped.set(id, "hand over");
        else if (stopRequested === 0 && stopReason === null) stopped.delete(id);
      }
      return stopped;
    },
  };
}
