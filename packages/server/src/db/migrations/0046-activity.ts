import type { Kysely } from "kysely";
import { belongsTo } from "../belongs-to.ts";
import type { Tables } from "../tables.ts";

/** Records in which conversations something has just happened, for servers that share a database. */
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
}
