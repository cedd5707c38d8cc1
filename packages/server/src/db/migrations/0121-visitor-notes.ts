import type { Kysely } from "kysely";
import { belongsTo } from "../belongs-to.ts";
import type { Tables } from "../tables.ts";

/** Notes of members about a visitor, whom the table names like conversations do, see conversations/visitor-key.ts. */
export async function visitorNotes(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable("visitorNotes")
    .addColumn("id", "text", (c) => c.primaryKey())
    .$call(belongsTo("organizationId", "organizations"))
    .addColumn("kind", "text", (c) => c.notNull())
    .addColumn("value", "text", (c) => c.notNull())
    .addColumn("authorId", "text")
    .addColumn("authorName", "text", (c) => c.notNull())
    .addColumn("text", "text", (c) => c.notNull())
    .addColumn("createdAt", "bigint", (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex("visitorNotesPerson")
    .on("visitorNotes")
    .columns(["organizationId", "kind", "value", "id"])
    .execute();
}
