import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";

/** What a visitor writes with a rating. */
export async function feedbackComments(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable("messages").addColumn("feedbackComment", "text").execute();
}
