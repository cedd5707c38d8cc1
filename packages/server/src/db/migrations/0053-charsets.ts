import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";

/** The encoding of a document's original, for pages that only the HTTP header describes. */
export async function charsets(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable("documents").addColumn("charset", "text").execute();
}
