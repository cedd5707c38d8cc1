import { type Kysely, sql } from "kysely";
import { belongsTo } from "../belongs-to.ts";
import type { Tables } from "../tables.ts";

/** Pictures and files in the chat, and what visitors of an agent can attach. */
export async function attachments(db: Kysely<Tables>): Promise<void> {
  const { schema } = db;
  await schema
    .alterTable("agents")
    .addColumn("attachments", "text", (c) => c.notNull().defaultTo("{}"))
    .execute();
  await schema
    .createTable("attachments")
    .addColumn("id", "text", (c) => c.primaryKey())
    .$call(belongsTo("organizationId", "organizations"))
    .$call(belongsTo("agentId", "agents"))
    .addColumn("sessionId", "text")
    .addColumn("conversationId", "text", (c) => c.references("conversations.id").onDelete("cascade"))
    .addColumn("messageId", "text", (c) => c.references("messages.id").onDelete("cascade"))
    .addColumn("position", "integer", (c) => c.notNull())
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("type", "text", (c) => c.notNull())
    .addColumn("size", "integer", (c) => c.notNull())
    .addColumn("width", "integer")
    .addColumn("height", "integer")
    .addColumn("fileId", "text", (c) => c.notNull())
    .addColumn("text", "text")
    .addColumn("createdAt", "bigint", (c) => c.notNull())
    .execute();
  await schema.createIndex("attachmentsAgent").on("attachments").column("agentId").execute();
  await schema.createIndex("attachmentsOrganization").on("attachments").column("organizationId").execute();
  await schema.createIndex("attachmentsConversation").on("attachments").column("conversationId").execute();
  await schema.createIndex("attachmentsMessage").on("attachments").column("messageId").execute();
  await schema.createIndex("attachmentsFile").on("attachments").column("fileId").execute();
  await sql`create index "attachmentsUnused" on attachments ("createdAt") where "messageId" is null`.execute(db);
}
