import type { Kysely } from "kysely";
import { belongsTo } from "../belongs-to.ts";
import type { Tables } from "../tables.ts";

/** Internal notes of conversations, and an organization's canned replies. */
export async function notesAndCannedReplies(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable("conversationNotes")
    .addColumn("id", "text", (c) => c.primaryKey())
    .$call(belongsTo("organizationId", "organizations"))
    .$call(belongsTo("conversationId", "conversations"))
    // Not a foreign key, because a note outlives its author's account.
    .addColumn("authorId", "text")
    .addColumn("authorName", "text", (c) => c.notNull())
    .addColumn("text", "text", (c) => c.notNull())
    .addColumn("createdAt", "bigint", (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex("conversationNotesConversation")
    .on("conversationNotes")
    .columns(["conversationId", "id"])
    .execute();
  // Used when an organization is deleted.
  await db.schema
    .createIndex("conversationNotesOrganization")
    .on("conversationNotes")
    .column("organizationId")
    .execute();
  await db.schema
    .createTable("cannedReplies")
    .addColumn("id", "text", (c) => c.primaryKey())
    .$call(belongsTo("organizationId", "organizations"))
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("text", "text", (c) => c.notNull())
    .addColumn("createdAt", "bigint", (c) => c.notNull())
    .addColumn("updatedAt", "bigint", (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex("cannedRepliesOrganization")
    .on("cannedReplies")
    .columns(["organizationId", "id"])
    .execute();
}
