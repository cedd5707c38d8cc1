import { type Kysely, sql } from "kysely";
import { belongsTo } from "../belongs-to.ts";
import type { Tables } from "../tables.ts";

/** Changes of many conversations that run in the background, and the conversations of each. */
export async function bulkActions({ schema }: Kysely<Tables>): Promise<void> {
  await schema
    .createTable("bulkActions")
    .addColumn("id", "text", (c) => c.primaryKey())
    .$call(belongsTo("organizationId", "organizations"))
    .$call(belongsTo("userId", "users"))
    .addColumn("change", "text", (c) => c.notNull())
    .addColumn("selection", "text")
    .addColumn("state", "text", (c) => c.notNull())
    .addColumn("isUndoRequested", "integer", (c) => c.notNull())
    .addColumn("lastCollected", "text")
    .addColumn("total", "integer", (c) => c.notNull())
    .addColumn("done", "integer", (c) => c.notNull())
    .addColumn("skipped", "integer", (c) => c.notNull())
    .addColumn("undone", "integer", (c) => c.notNull())
    .addColumn("failures", "integer", (c) => c.notNull())
    .addColumn("createdAt", "bigint", (c) => c.notNull())
    .addColumn("finishedAt", "bigint")
    .addColumn("dueAt", "bigint")
    .addColumn("fence", "integer", (c) => c.notNull())
    .execute();
  await schema
    .createIndex("bulkActionsDue")
    .on("bulkActions")
    .column("dueAt")
    .where(sql<boolean>`"dueAt" is not null`)
    .execute();
  await schema.createIndex("bulkActionsOrganization").on("bulkActions").column("organizationId").execute();
  await schema.createIndex("bulkActionsUser").on("bulkActions").column("userId").execute();
  await schema
    .createTable("bulkItems")
    .addColumn("bulkId", "text", (c) => c.notNull().references("bulkActions.id").onDelete("cascade"))
    .addColumn("conversationId", "text", (c) => c.notNull().references("conversations.id").onDelete("cascade"))
    .addColumn("organizationId", "text", (c) => c.notNull())
    .addColumn("state", "text", (c) => c.notNull())
    .addColumn("before", "text")
    .addPrimaryKeyConstraint("bulkItemsPrimaryKey", ["bulkId", "conversationId"])
    .execute();
  await schema.createIndex("bulkItemsState").on("bulkItems").columns(["bulkId", "state", "conversationId"]).execute();
  await schema.createIndex("bulkItemsConversation").on("bulkItems").column("conversationId").execute();
}
