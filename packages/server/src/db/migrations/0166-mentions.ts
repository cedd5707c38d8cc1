import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";

/** The members whom a note mentions. */
export async function mentions({ schema }: Kysely<Tables>): Promise<void> {
  await schema
    .alterTable("conversationNotes")
    .addColumn("mentions", "text", (column) => column.notNull().defaultTo("[]"))
    .execute();
}
