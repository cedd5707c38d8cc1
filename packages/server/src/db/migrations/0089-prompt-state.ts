import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";

/** What the prompt of a reply contained besides the stored messages. */
export async function promptState(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable("messages").addColumn("promptState", "text").execute();
}
