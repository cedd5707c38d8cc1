import type { Kysely } from "kysely";
import { belongsTo } from "../belongs-to.ts";
import type { Tables } from "../tables.ts";

/** Bots in team chats: their threads, pending posts, received messages and linked members. */
export async function teamChats(db: Kysely<Tables>): Promise<void> {
  await createChats(db);
  await createThreads(db);
  await createMembers(db);
}

async function createChats(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable("teamChats")
    .addColumn("channelId", "text", (c) => c.primaryKey().references("noticeChannels.id").onDelete("cascade"))
    .$call(belongsTo("organizationId", "organizations"))
    .addColumn("platform", "text", (c) => c.notNull())
    .addColumn("chatId", "text", (c) => c.notNull())
    .addColumn("credentials", "text", (c) => c.notNull())
    .addColumn("tokenHash", "text", (c) => c.notNull().unique())
    .addColumn("botName", "text")
    .addColumn("chatTitle", "text")
    .addColumn("hasTopics", "integer", (c) => c.notNull())
    .addColumn("cursor", "text")
    .addColumn("state", "text", (c) => c.notNull())
    .addColumn("problem", "text")
    .addColumn("failures", "integer", (c) => c.notNull())
    .addColumn("fence", "integer", (c) => c.notNull())
    .addColumn("dueAt", "bigint")
    .execute();
  await db.schema.createIndex("teamChatsOrganization").on("teamChats").column("organizationId").execute();
  await db.schema.createIndex("teamChatsDue").on("teamChats").column("dueAt").execute();
}

async function createThreads(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable("teamChatThreads")
    .addColumn("id", "text", (c) => c.primaryKey())
    .$call(belongsTo("channelId", "noticeChannels"))
    .$call(belongsTo("conversationId", "conversations"))
    .addColumn("thread", "text")
    .addColumn("lastPost", "integer", (c) => c.notNull())
    .addUniqueConstraint("teamChatThreadsConversation", ["conversationId", "channelId"])
    .execute();
  await db.schema.createIndex("teamChatThreadsThread").on("teamChatThreads").columns(["channelId", "thread"]).execute();
  await db.schema
    .createTable("teamChatPosts")
    .addColumn("id", "text", (c) => c.primaryKey())
    .$call(belongsTo("channelId", "noticeChannels"))
    .addColumn("threadId", "text", (c) => c.references("teamChatThreads.id").onDelete("cascade"))
    .addColumn("number", "integer", (c) => c.notNull())
    .addColumn("kind", "text", (c) => c.notNull())
    .addColumn("subjectId", "text")
    .addColumn("text", "text")
    .addColumn("replyTo", "text")
    .addColumn("place", "text")
    .addColumn("sentParts", "integer", (c) => c.notNull())
    .addColumn("startedAt", "bigint")
    .addColumn("state", "text", (c) => c.notNull())
    .addColumn("createdAt", "bigint", (c) => c.notNull())
    .execute();
  await db.schema.createIndex("teamChatPostsThread").on("teamChatPosts").columns(["threadId", "number"]).execute();
  await db.schema.createIndex("teamChatPostsChannel").on("teamChatPosts").column("channelId").execute();
  await db.schema
    .createTable("teamChatMessages")
    .$call(belongsTo("channelId", "noticeChannels"))
    .addColumn("messageId", "text", (c) => c.notNull())
    .addColumn("threadId", "text", (c) => c.references("teamChatThreads.id").onDelete("cascade"))
    .addColumn("sentMessageId", "text")
    .addColumn("createdAt", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("teamChatMessagesKey", ["channelId", "messageId"])
    .execute();
  await db.schema
    .createIndex("teamChatMessagesThread")
    .on("teamChatMessages")
    .columns(["threadId", "sentMessageId"])
    .execute();
}

async function createMembers(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable("teamChatMembers")
    .$call(belongsTo("channelId", "noticeChannels"))
    .addColumn("senderId", "text", (c) => c.notNull())
    .$call(belongsTo("userId", "users"))
    .addColumn("senderName", "text", (c) => c.notNull())
    .addColumn("linkedAt", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("teamChatMembersKey", ["channelId", "senderId"])
    .execute();
  await db.schema.createIndex("teamChatMembersUser").on("teamChatMembers").column("userId").execute();
  await db.schema
    .createTable("teamChatCodes")
    .addColumn("codeHash", "text", (c) => c.primaryKey())
    .$call(belongsTo("channelId", "noticeChannels"))
    .$call(belongsTo("userId", "users"))
    .addColumn("expiresAt", "bigint", (c) => c.notNull())
    .addUniqueConstraint("teamChatCodesMember", ["channelId", "userId"])
    .execute();
  await db.schema.createIndex("teamChatCodesUser").on("teamChatCodes").column("userId").execute();
}
