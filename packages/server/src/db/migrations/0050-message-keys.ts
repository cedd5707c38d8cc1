import { type Kysely, sql } from "kysely";
import type { Tables } from "../tables.ts";

/** The client's keys of messages, by which a message that is sent again is recognized. */
export async function messageKeys(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable("messages").addColumn("messageKey", "text").execute();
  await db.schema
    .createIndex("messagesKey")
    .unique()
    .on("messages")
    .columns(["conversationId", "messageKey"])
    .where(sql.ref("messageKey"), "is not", null)
    .execute();
}
