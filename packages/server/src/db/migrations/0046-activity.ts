import type { Kysely } from "kysely";
import { belongsTo } from "../belongs-to.ts";
import type { Tables } from "../tables.ts";

/**
 * Adds the recent activity of conversations for servers that share a database, the time at which the team was notified
 * of a request, and the session in which a page's tool is called.
 */
export async function activity(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable("conversationActivity")
    .$call(belongsTo("organizationId", "organizations"))
    .addColumn("conversationId", "text", (c) => c.notNull())
    .addColumn("at", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("conversationActivityKey", ["organizationId", "conversationId"])
    .execute();
  await db.schema
    .createIndex("conversationActivityAt")
    .on("conversationActivity")
    .columns(["organizationId", "at"])
    .execute();
  await db.schema.alterTable("handoffs").addColumn("announcedAt", "bigint").execute();
  await db.schema.alterTable("clientToolCalls").addColumn("sessionId", "text").execute();
}
