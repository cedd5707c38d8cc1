import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";

/** What else happens when a canned reply is sent, as JSON. */
export async function replyActions(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable("cannedReplies").addColumn("actions", "text").execute();
}
