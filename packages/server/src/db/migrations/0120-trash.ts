import type { Kysely } from "kysely";
import { belongsTo } from "../belongs-to.ts";
import type { Tables } from "../tables.ts";

/** The trash: agents, conversations, documents, tools and triggers that can be restored for some time. */
export async function trash(db: Kysely<Tables>): Promise<void> {
  const { schema } = db;
  await schema.alterTable("conversations").addColumn("trashedAt", "bigint").execute();
  await schema.alterTable("documents").addColumn("trashedAt", "bigint").execute();
  await schema
    .createTable("trash")
    .addColumn("id", "text", (c) => c.primaryKey())
    .$call(belongsTo("organizationId", "organizations"))
    .$call(belongsTo("agentId", "agents"))
    .addColumn("kind", "text", (c) => c.notNull())
    .addColumn("conversationId", "text", (c) => c.references("conversations.id").onDelete("cascade"))
    .addColumn("documentId", "text", (c) => c.references("documents.id").onDelete("cascade"))
    .addColumn("name", "text")
    .addColumn("content", "text")
    .addColumn("trashedBy", "text")
    .addColumn("trashedAt", "bigint", (c) => c.notNull())
    .addColumn("isPurging", "integer", (c) => c.notNull().defaultTo(0))
    .execute();
  await schema.createIndex("trashOrganization").on("trash").columns(["organizationId", "trashedAt", "id"]).execute();
  await schema.createIndex("trashAgent").on("trash").column("agentId").execute();
  await schema.createIndex("trashConversation").on("trash").column("conversationId").execute();
  await schema.createIndex("trashDocument").on("trash").column("documentId").execute();
  await schema.createIndex("trashTime").on("trash").column("trashedAt").execute();
}
