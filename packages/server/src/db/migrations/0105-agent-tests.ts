import type { Kysely } from "kysely";
import { belongsTo } from "../belongs-to.ts";
import type { Tables } from "../tables.ts";

/** Tests of agents. A test that was kept from a conversation is deleted with it. */
export async function agentTests(db: Kysely<Tables>): Promise<void> {
  const { schema } = db;
  await schema
    .createTable("agentTests")
    .addColumn("id", "text", (c) => c.primaryKey())
    .addColumn("organizationId", "text", (c) => c.notNull())
    .$call(belongsTo("agentId", "agents"))
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("turns", "text", (c) => c.notNull())
    .addColumn("checks", "text", (c) => c.notNull())
    .addColumn("results", "text", (c) => c.notNull())
    .addColumn("conversationId", "text", (c) => c.references("conversations.id").onDelete("cascade"))
    .addColumn("createdAt", "bigint", (c) => c.notNull())
    .addColumn("updatedAt", "bigint", (c) => c.notNull())
    .execute();
  await schema.createIndex("agentTestNames").unique().on("agentTests").columns(["agentId", "name"]).execute();
  await schema.createIndex("agentTestsConversation").on("agentTests").column("conversationId").execute();
  await schema
    .alterTable("agents")
    .addColumn("publishRequiresTests", "integer", (c) => c.notNull().defaultTo(0))
    .execute();
}
