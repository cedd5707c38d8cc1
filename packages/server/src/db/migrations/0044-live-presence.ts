import type { Kysely } from "kysely";
import { belongsTo } from "../belongs-to.ts";
import type { Tables } from "../tables.ts";

/** Who is typing and who has the inbox open, for servers that share a database. */
export async function livePresence(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable("livePresence")
    .$call(belongsTo("organizationId", "organizations"))
    .addColumn("conversationId", "text", (c) => c.notNull())
    .addColumn("who", "text", (c) => c.notNull())
    .addColumn("until", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("livePresenceKey", ["organizationId", "conversationId", "who"])
    .execute();
  await db.schema.createIndex("livePresenceUntil").on("livePresence").columns(["organizationId", "until"]).execute();
}
