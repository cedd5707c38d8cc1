import type { Kysely } from "kysely";
import { belongsTo } from "../belongs-to.ts";
import type { Tables } from "../tables.ts";

/** The page of a message, follow-up questions, and tools that run in the visitor's page. */
export async function page(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable("messages").addColumn("page", "text").execute();
  await db.schema
    .alterTable("agents")
    .addColumn("pageQuery", "text", (c) => c.notNull().defaultTo("[]"))
    .execute();
  await db.schema
    .alterTable("agents")
    .addColumn("followUps", "integer", (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable("tools").addColumn("clientResultSchema", "text").execute();
  await db.schema
    .createTable("clientToolCalls")
    .$call(belongsTo("messageId", "messages"))
    .addColumn("toolUseId", "text", (c) => c.notNull())
    .addColumn("conversationId", "text", (c) => c.notNull())
    .addColumn("toolId", "text", (c) => c.notNull())
    .addColumn("claimedBy", "text")
    .addColumn("outcome", "text")
    .addColumn("digest", "text")
    .addColumn("createdAt", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("clientToolCallsKey", ["messageId", "toolUseId"])
    .execute();
  await db.schema
    .createIndex("clientToolCallsConversation")
    .on("clientToolCalls")
    .columns(["conversationId", "toolUseId"])
    .execute();
}
