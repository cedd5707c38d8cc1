import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";

/** What was left out of a document, and the format that its upload or page declared. */
export async function documentWarnings(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .alterTable("documents")
    .addColumn("warnings", "text", (c) => c.notNull().defaultTo("[]"))
    .execute();
  await db.schema.alterTable("documents").addColumn("declaredFormat", "text").execute();
}
