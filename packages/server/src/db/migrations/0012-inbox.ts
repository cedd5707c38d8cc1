import { type Kysely, sql } from "kysely";
import type { Tables } from "../tables.ts";

/** Adds the read state of conversations, the index for failed replies, and how visitors see a tool. */
export async function inbox(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable("tools").addColumn("label", "text").execute();
  await db.schema
    .alterTable("tools")
    .addColumn("resultFor", "text", (c) => c.notNull().defaultTo("both"))
    .execute();
  await db.schema.alterTable("conversations").addColumn("readAt", "bigint").execute();
  // Existing conversations count as read, so that an upgrade doesn't mark the whole inbox as unread.
  await db.updateTable("conversations").set({ readAt: sql`"updatedAt"` }).execute();
  // Few replies fail. Without this index, the filter would read whole conversations.
  await db.schema
    .createIndex("messagesFailed")
    .on("messages")
    .column("conversationId")
    .where(sql.ref("stopReason"), "=", sql.lit("error"))
    .execute();
}
