import { sql } from "kysely";
import { compileOnce } from "../../db/compiled-query.ts";
import type { Db } from "../../db/open.ts";
import type { Flag } from "../../db/tables/column-types.ts";
import type { ReplyStepRow } from "../../db/tables/models.ts";
import type { ConversationRow, MessageRow, ReplyFailureRow } from "../../db/tables.ts";
import type { ConversationSize } from "../conversation-size.ts";

export type HistoryRow = Pick<
  MessageRow,
  | "id"
  | "role"
  | "content"
  | "pieces"
  | "page"
  | "position"
  | "createdAt"
  | "authorName"
  | "model"
  | "fallbackFrom"
  | "promptState"
>;
export type ReplyState = Pick<MessageRow, "content" | "pieces"> & { id: string; now: number };
export type ReplyEnd = ReplyState &
  Pick<
    MessageRow,
    | "inputTokens"
    | "cachedInputTokens"
    | "outputTokens"
    | "removedLinks"
    | "model"
    | "fallbackFrom"
    | "promptState"
    | "cost"
  > & { stopReason: string };

/** The size of a conversation and its handler. */
type Grown = ConversationSize & Pick<ConversationRow, "handler" | "epoch" | "status">;

type Growth = { id: string; messages: number; textBytes: number; toolBytes: number; now: number };
type Preview = { id: string; role: "user" | "assistant"; preview: string; now: number };
type Claim = Pick<
  ConversationRow,
  "id" | "userId" | "userEmail" | "userName" | "userMetadata" | "isUserVerified" | "verifiedVisitor"
>;
type Finish = {
  id: string;
  replyId: string;
  epoch: number;
  failedTools: number;
  /** 1 when the reply ended with an error */
  failed: Flag;
  /** 0 when it is unknown */
  cost: number;
  /** 1 when the cost is unknown */
  isCostUnknown: Flag;
  now: number;
  textBytes: number;
  toolBytes: number;
};

type Finished = Pick<ConversationRow, "handler"> & { failedTools: number; failedReplies: number };

type LastMessage = Pick<MessageRow, "id" | "role" | "position" | "stopReason" | "updatedAt" | "authorName"> & {
  textBytes: number;
  toolBytes: number;
};

/** A client's key of a message, with its conversation. */
export type MessageKey = { conversationId: string; messageKey: string };

type InsertMessage = Pick<
  MessageRow,
  | "id"
  | "conversationId"
  | "position"
  | "role"
  | "content"
  | "page"
  | "messageKey"
  | "isSupplied"
  | "removedLinks"
  | "stopReason"
  | "model"
  | "agentVersion"
> & {
  now: number;
};

export type ReplyQueries = ReturnType<typeof replyQueries>;

/** The chat's queries, each compiled once. */
export function replyQueries(db: Db) {
  return { ...conversationQueries(db), ...sizeQueries(db), ...messageQueries(db), ...endQueries(db) };
}

function conversationQueries(db: Db) {
  return {
    insertConversation: compileOnce<ConversationRow & { startKey: string | null }, never>((param) =>
      db.insertInto("conversations").values({
        id: param("id"),
        organizationId: param("organizationId"),
        agentId: param("agentId"),
        title: param("title"),
        messageCount: param("messageCount"),
        sessionId: param("sessionId"),
        userId: param("userId"),
        userEmail: param("userEmail"),
        userName: param("userName"),
        userMetadata: param("userMetadata"),
        isUserVerified: param("isUserVerified"),
        verifiedVisitor: param("verifiedVisitor"),
        hasOwner: param("hasOwner"),
        isTest: param("isTest"),
        rolloutId: param("rolloutId"),
        textBytes: param("textBytes"),
        toolBytes: param("toolBytes"),
        context: param("context"),
        consent: param("consent"),
        startKey: param("startKey"),
        lastMessageRole: param("lastMessageRole"),
        lastMessagePreview: param("lastMessagePreview"),
        lastMessageAt: param("lastMessageAt"),
        createdAt: param("createdAt"),
        updatedAt: param("updatedAt"),
      }),
    ),
    count: compileOnce<{ agentId: string }, never>((param) =>
      db
        .updateTable("agentCounters")
        .set({ conversations: sql`conversations + 1` })
        .where("agentId", "=", param("agentId")),
    ),
  };
}

/** Queries that update a conversation's size, preview and owner. */
function sizeQueries(db: Db) {
  return {
    /** Adds to the counts of messages and bytes, and returns the new size. */
    grow: compileOnce<Growth, Grown>((param) =>
      db
        .updateTable("conversations")
        .set({
          messageCount: sql`"messageCount" + ${param("messages")}`,
          textBytes: sql`"textBytes" + ${param("textBytes")}`,
          toolBytes: sql`"toolBytes" + ${param("toolBytes")}`,
          updatedAt: param("now"),
          // Live streams read conversations by this time while the visitor waits for a person or talks to one.
          changedAt: sql`case when handler = 'agent' then "changedAt" else ${param("now")} end`,
        })
        .where("id", "=", param("id"))
        .where("trashedAt", "is", null)
        .returning(["messageCount", "textBytes", "toolBytes", "handler", "epoch", "status"]),
    ),
    /** Releases the position of a reply that does not begin. */
    passOn: compileOnce<{ id: string }, never>((param) =>
      db.updateTable("conversations").set({ messageCount: sql`"messageCount" - 1` }).where("id", "=", param("id")),
    ),
    preview: compileOnce<Preview, never>((param) =>
      db
        .updateTable("conversations")
        .set({
          lastMessageRole: param("role"),
          lastMessagePreview: param("preview"),
          lastMessageAt: param("now"),
        })
        .where("id", "=", param("id")),
    ),
    /** Stores the visitor's consent, unless there is earlier consent. */
    consent: compileOnce<{ id: string; consent: string }, never>((param) =>
      db
        .updateTable("conversations")
        .set({ consent: param("consent") })
        .where("id", "=", param("id"))
        .where("consent", "is", null),
    ),
    /** Assigns a conversation to a user, unless another user has proven that the conversation is theirs. */
    claim: compileOnce<Claim, never>((param) =>
      db
        .updateTable("conversations")
        .set({
          userId: param("userId"),
          userEmail: param("userEmail"),
          userName: param("userName"),
          userMetadata: param("userMetadata"),
          isUserVerified: param("isUserVerified"),
          verifiedVisitor: param("verifiedVisitor"),
          hasOwner: 1,
        })
        .where("id", "=", param("id"))
        .where(
          sql<boolean>`"userId" is null
            or (${param("isUserVerified")} = 1 and ("isUserVerified" = 0 or "userId" = ${param("userId")}))`,
        ),
    ),
    /**
     * Adds the size and cost of a finished reply if the reply still runs and nobody has taken the conversation over since it
     * began. Also locks the conversation for that update. Only a condition on the conversation's own row sees a
     * takeover that commits while PostgreSQL waits for the lock.
     */
    finish: compileOnce<Finish, Finished>((param) =>
      db
        .updateTable("conversations")
        .set({
          textBytes: sql`"textBytes" + ${param("textBytes")}`,
          toolBytes: sql`"toolBytes" + ${param("toolBytes")}`,
          changedAt: sql`case when handler = 'agent' then "changedAt" else ${param("now")} end`,
          failedTools: sql`"failedTools" + ${param("failedTools")}`,
          failedReplies: sql`case when ${param("failed")} = 1 then "failedReplies" + 1 else 0 end`,
          cost: sql`cost + ${param("cost")}`,
          unknownCostReplies: sql`"unknownCostReplies" + ${param("isCostUnknown")}`,
        })
        .where("id", "=", param("id"))
        .where("minReplyEpoch", "<=", param("epoch"))
        .where("id", "=", (where) =>
          where
            .selectFrom("messages")
            .select("conversationId")
            .where("messages.id", "=", param("replyId"))
            .where("stopReason", "is", null),
        )
        .returning(["handler", "failedTools", "failedReplies"]),
    ),
  };
}

function endQueries(db: Db) {
  return {
    checkpoint: compileOnce<ReplyState, { stopRequested: number }>((param) =>
      db
        .updateTable("messages")
        .set({ content: param("content"), pieces: param("pieces"), updatedAt: param("now") })
        .where("id", "=", param("id"))
        .where("stopReason", "is", null)
        .returning("stopRequested"),
    ),
    isHandedOver: compileOnce<{ id: string; epoch: number }, { id: string }>((param) =>
      db
        .selectFrom("conversations")
        .select("id")
        .where("id", "=", param("id"))
        .where("minReplyEpoch", ">", param("epoch")),
    ),
    /**
     * Stores the end of a reply and returns whether it is the last message. No row when it has ended or was deleted.
     */
    end: compileOnce<ReplyEnd, { isLast: boolean | Flag }>((param) =>
      db
        .updateTable("messages")
        .set({
          content: param("content"),
          pieces: param("pieces"),
          removedLinks: param("removedLinks"),
          stopReason: param("stopReason"),
          inputTokens: param("inputTokens"),
          cachedInputTokens: param("cachedInputTokens"),
          outputTokens: param("outputTokens"),
          model: param("model"),
          fallbackFrom: param("fallbackFrom"),
          promptState: param("promptState"),
          cost: param("cost"),
          updatedAt: param("now"),
        })
        .where("id", "=", param("id"))
        .where("stopReason", "is", null)
        .returning(
          sql<boolean | Flag>`not exists (select 1 from messages as later
            where later."conversationId" = messages."conversationId" and later.position > messages.position)`.as(
            "isLast",
          ),
        ),
    ),
    fail: compileOnce<ReplyFailureRow, never>((param) =>
      db.insertInto("replyFailures").values({
        messageId: param("messageId"),
        conversationId: param("conversationId"),
        organizationId: param("organizationId"),
        agentId: param("agentId"),
        provider: param("provider"),
        model: param("model"),
        code: param("code"),
        message: param("message"),
        providerStatus: param("providerStatus"),
        isAnswered: param("isAnswered"),
        at: param("at"),
      }),
    ),
    step: compileOnce<ReplyStepRow, never>((param) =>
      db.insertInto("replySteps").values({
        messageId: param("messageId"),
        position: param("position"),
        kind: param("kind"),
        name: param("name"),
        provider: param("provider"),
        model: param("model"),
        startedAt: param("startedAt"),
        firstTokenMs: param("firstTokenMs"),
        durationMs: param("durationMs"),
        inputTokens: param("inputTokens"),
        cachedInputTokens: param("cachedInputTokens"),
        outputTokens: param("outputTokens"),
        reasoningTokens: param("reasoningTokens"),
        retries: param("retries"),
        fallbackFrom: param("fallbackFrom"),
        stopReason: param("stopReason"),
        status: param("status"),
        bytes: param("bytes"),
        promptInstructions: param("promptInstructions"),
        promptDocuments: param("promptDocuments"),
        promptTools: param("promptTools"),
        promptHistory: param("promptHistory"),
        cost: param("cost"),
      }),
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
    lastMessage: compileOnce<{ conversationId: string }, LastMessage>((param) =>
      db
        .selectFrom("messages")
        .select(["id", "role", "position", "stopReason", "updatedAt", "authorName"])
        .select(sql<number>`octet_length(content)`.as("textBytes"))
        .select(sql<number>`coalesce(octet_length(pieces), 0)`.as("toolBytes"))
        .where("conversationId", "=", param("conversationId"))
        .orderBy("position", "desc")
        .limit(1),
    ),
    /**
     * Returns the newest messages, newest first: at most `limit`, and none after the message that exceeds `maxBytes`.
     */
    history: compileOnce<{ conversationId: string; limit: number; maxBytes: number }, HistoryRow>((param) =>
      db
        .selectFrom("messages")
        .select(["id", "role", "content", "pieces", "page", "position", "createdAt", "authorName"])
        .select(["model", "fallbackFrom", "promptState"])
        .where(
          "id",
          "in",
          sql<string>`(select id from (
            select id, sum(bytes) over (order by position desc) - bytes as newer from (
              select id, position, octet_length(content) + coalesce(octet_length(pieces), 0)
                + coalesce(octet_length(page), 0) as bytes from messages
              where "conversationId" = ${param("conversationId")} order by position desc limit ${param("limit")}
            ) as newest
          ) as sized where newer < ${param("maxBytes")})`,
        )
        .orderBy("position", "desc"),
    ),
    /** The message with this key, if the client has sent it before. */
    byKey: compileOnce<MessageKey, Pick<MessageRow, "content" | "position">>((param) =>
      db
        .selectFrom("messages")
        .select(["content", "position"])
        .where("conversationId", "=", param("conversationId"))
        .where("messageKey", "=", param("messageKey")),
    ),
    deleteMessage: compileOnce<{ id: string }, never>((param) =>
      db.deleteFrom("messages").where("id", "=", param("id")),
    ),
    insertMessage: compileOnce<InsertMessage, never>((param) =>
      db.insertInto("messages").values({
        id: param("id"),
        conversationId: param("conversationId"),
        position: param("position"),
        role: param("role"),
        content: param("content"),
        page: param("page"),
        messageKey: param("messageKey"),
        isSupplied: param("isSupplied"),
        removedLinks: param("removedLinks"),
        pieces: null,
        feedback: null,
        inputTokens: null,
        feedbackComment: null,
        stopReason: param("stopReason"),
        model: param("model"),
        agentVersion: param("agentVersion"),
        outputTokens: null,
        stopRequested: 0,
        createdAt: param("now"),
        updatedAt: param("now"),
      }),
    ),
  };
}
