import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";

/** The format of the messages to a notice channel, if a member chose one. */
export async function chatFormats(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable("noticeChannels").addColumn("format", "text").execute();
}
