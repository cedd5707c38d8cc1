import { sql } from "kysely";
import { compileOnce } from "../db/compiled-query.ts";
import type { Db } from "../db/open.ts";
import type { ConversationRow, MessageRow } from "../db/tables.ts";

export type HistoryRow = Pick<MessageRow, "id" | "role" | "content" | "pieces" | "position" | "createdAt">;
export type ReplyState = Pick<MessageRow, "content" | "pieces"> & { id: string; now: number };
export type ReplyEnd = ReplyState & Pick<MessageRow, "inputTokens" | "outputTokens"> & { stopReason: string };

type InsertMessage = Pick<
  MessageRow,
  "id" | "conversationId" | "position" | "role" | "content" | "stopReason" | "model"
> & {
  now: number;
};

export type ReplyQueries = ReturnType<typeof replyQueries>;

/** The chat's queries, each built once. */
export function replyQueries(db: Db) {
  return { ...conversationQueries(db), ...messageQueries(db) };
}

function conversationQueries(db: Db) {
  return {
    insertConversation: compileOnce<ConversationRow, never>((param) =>
      db.insertInto("conversations").values({
        ...{
          id: param("id"),
          organizationId: param("organizationId"),
          agentId: param("agentId"),
          title: param("title"),
        },
        ...{ messageCount: param("messageCount"), sessionId: param("sessionId"), userId: param("userId") },
        ...{ userEmail: param("userEmail"), userName: param("userName"), userMetadata: param("userMetadata") },
        ...{ createdAt: param("createdAt"), updatedAt: param("updatedAt") },
      }),
    ),
    count: compileOnce<{ agentId: string }, never>((param) =>
      db
        .updateTable("agentCounters")
        .set({ conversations: sql`conversations + 1` })
        .where("agentId", "=", param("agentId")),
    ),
    touch: compileOnce<{ id: string; added: number; now: number }, never>((param) =>
      db
        .updateTable("conversations")
        .set({ messageCount: sql`"messageCount" + ${param("added")}`, updatedAt: param("now") })
        .where("id", "=", param("id")),
    ),
  };
}

function messageQueries(db: Db) {
  return {
    requestStop: compileOnce<{ conversationId: string }, never>((param) =>
      db
        .updateTable("messages")
        .set({ stopRequested: 1 })
        .where("conversationId", "=", param("conversationId"))
        .where("role", "=", "assistant")
        .where("stopReason", "is", null),
    ),
    lastMessage: compileOnce<{ conversationId: string }, Pick<MessageRow, "id" | "role" | "position">>((param) =>
      db
        .selectFrom("messages")
        .select(["id", "role", "position"])
        .where("conversationId", "=", param("conversationId"))
        .orderBy("position", "desc")
        .limit(1),
    ),
    history: compileOnce<{ conversationId: string; limit: number }, HistoryRow>((param) =>
      db
        .selectFrom("messages")
        .select(["id", "role", "content", "pieces", "position", "createdAt"])
        .where("conversationId", "=", param("conversationId"))
        .orderBy("position", "desc")
        .limit(param("limit")),
    ),
    deleteMessage: compileOnce<{ id: string }, never>((param) =>
      db.deleteFrom("messages").where("id", "=", param("id")),
    ),
    insertMessage: compileOnce<InsertMessage, never>((param) =>
      db.insertInto("messages").values({
        ...{ id: param("id"), conversationId: param("conversationId"), position: param("position") },
        ...{ role: param("role"), content: param("content"), pieces: null, feedback: null, inputTokens: null },
        ...{ stopReason: param("stopReason"), model: param("model"), outputTokens: null, stopRequested: 0 },
        ...{ createdAt: param("now"), updatedAt: param("now") },
      }),
    ),
    checkpoint: compileOnce<ReplyState, { stopRequested: number }>((param) =>
      db
        .updateTable("messages")
        .set({ content: param("content"), pieces: param("pieces"), updatedAt: param("now") })
        .where("id", "=", param("id"))
        .where("stopReason", "is", null)
        .returning("stopRequested"),
    ),
    end: compileOnce<ReplyEnd, never>((param) =>
      db
        .updateTable("messages")
        .set({
          ...{ content: param("content"), pieces: param("pieces"), stopReason: param("stopReason") },
          ...{ inputTokens: param("inputTokens"), outputTokens: param("outputTokens"), updatedAt: param("now") },
        })
        .where("id", "=", param("id")),
    ),
  };
}
