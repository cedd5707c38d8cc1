import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";

/** The version of the text analysis that produced a segment's terms. 0: before other spellings had terms. */
export async function segmentAnalysis(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .alterTable("indexSegments")
    .addColumn("analysis", "integer", (c) => c.notNull().defaultTo(0))
    .execute();
}
