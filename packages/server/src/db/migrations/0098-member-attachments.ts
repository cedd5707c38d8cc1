import { type Kysely, sql } from "kysely";
import type { Tables } from "../tables.ts";

/** Pictures and files that members and API keys upload, for messages and for notes. */
export async function memberAttachments(db: Kysely<Tables>): Promise<void> {
  const { schema } = db;
  await schema.alterTable("attachments").addColumn("uploaderId", "text").execute();
  await schema
    .alterTable("attachments")
    .addColumn("noteId", "text", (c) => c.references("conversationNotes.id").onDelete("cascade"))
    .execute();
  await schema.createIndex("attachmentsNote").on("attachments").column("noteId").execute();
  await schema.dropIndex("attachmentsUnused").execute();
  await sql`create index "attachmentsUnused" on attachments ("createdAt")
    where "messageId" is null and "noteId" is null`.execute(db);
}
