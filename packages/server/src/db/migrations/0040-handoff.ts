import { type Kysely, sql } from "kysely";
import { belongsTo } from "../belongs-to.ts";
import type { Tables } from "../tables.ts";

/**
 * Handlers and assignees of conversations, authors of messages, requests for a person, and counters of how often and
 * how fast they were answered.
 */
export async function handoff(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .alterTable("agents")
    .addColumn("handoff", "text", (c) => c.notNull().defaultTo("{}"))
    .execute();
  await db.schema.alterTable("messages").addColumn("authorId", "text").execute();
  await db.schema.alterTable("messages").addColumn("authorName", "text").execute();
  await extendConversations(db);
  await createHandoffs(db);
  await createCounters(db);
}

async function extendConversations(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .alterTable("conversations")
    .addColumn("handler", "text", (c) => c.notNull().defaultTo("agent"))
    .execute();
  for (const column of ["epoch", "minReplyEpoch", "failedTools"]) {
    await db.schema
      .alterTable("conversations")
      .addColumn(column, "integer", (c) => c.notNull().defaultTo(0))
      .execute();
  }
  await db.schema.alterTable("conversations").addColumn("assigneeId", "text").execute();
  await db.schema.alterTable("conversations").addColumn("waitingSince", "bigint").execute();
  await db.schema
    .alterTable("conversations")
    .addColumn("changedAt", "bigint", (c) => c.notNull().defaultTo(0))
    .execute();
  // Both indexes contain few conversations, because most are never handed over.
  await db.schema
    .createIndex("conversationsHandler")
    .on("conversations")
    .columns(["organizationId", "handler", "waitingSince"])
    .where(sql.ref("handler"), "<>", sql.lit("agent"))
    .execute();
  await db.schema
    .createIndex("conversationsChanged")
    .on("conversations")
    .columns(["organizationId", "changedAt"])
    .where(sql.ref("changedAt"), ">", sql.lit(0))
    .execute();
}

async function createHandoffs(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable("handoffs")
    .addColumn("id", "text", (c) => c.primaryKey())
    .addColumn("organizationId", "text", (c) => c.notNull())
    .addColumn("agentId", "text", (c) => c.notNull())
    .$call(belongsTo("conversationId", "conversations"))
    .addColumn("cause", "text", (c) => c.notNull())
    .addColumn("reason", "text")
    .addColumn("summary", "text")
    .addColumn("email", "text")
    .addColumn("requestedAt", "bigint", (c) => c.notNull())
    .addColumn("promisedAt", "bigint")
    .addColumn("takenAt", "bigint")
    .addColumn("takenBy", "text")
    .addColumn("answeredAt", "bigint")
    .addColumn("endedAt", "bigint")
    .addColumn("endedBy", "text")
    .addColumn("note", "text")
    .addColumn("escalatedTo", "integer", (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema
    .createIndex("handoffsConversation")
    .on("handoffs")
    .columns(["conversationId", "requestedAt"])
    .execute();
  await db.schema
    .createIndex("handoffsCurrent")
    .unique()
    .on("handoffs")
    .column("conversationId")
    .where(sql<boolean>`"endedAt" is null`)
    .execute();
  await db.schema
    .createIndex("handoffsWaiting")
    .on("handoffs")
    .column("promisedAt")
    .where(sql<boolean>`"takenAt" is null and "endedAt" is null`)
    .execute();
}

async function createCounters(db: Kysely<Tables>): Promise<void> {
  let table = db.schema
    .createTable("handoffDays")
    .$call(belongsTo("agentId", "agents"))
    .addColumn("day", "text", (c) => c.notNull())
    .addColumn("cause", "text", (c) => c.notNull());
  for (const column of ["requested", "conversations", "taken", "waitedMs", "answered", "answerMs", "inTime"]) {
    table = table.addColumn(column, "bigint", (c) => c.notNull()) as never;
  }
  await table.addPrimaryKeyConstraint("handoffDaysKey", ["agentId", "day", "cause"]).execute();
}
