import { type Kysely, sql } from "kysely";
import type { Tables } from "../tables.ts";

/**
 * Separates what a member wrote from what the agent uses. A title that a member gave to a page survives its syncs, and
 * replies cite a version under its own title and URL, also while or after a replacement of it fails.
 */
export async function documentTitles(db: Kysely<Tables>): Promise<void> {
  for (const column of ["readyTitle", "readyUrl"]) {
    await db.schema.alterTable("documents").addColumn(column, "text").execute();
  }
  await db.schema
    .alterTable("documents")
    .addColumn("hasOwnTitle", "integer", (c) => c.notNull().defaultTo(0))
    .execute();
  await db
    .updateTable("documents")
    .set((set) => ({ readyTitle: set.ref("title"), readyUrl: set.ref("url") }))
    .where("readyVersion", "is not", null)
    .execute();
  // A single page kept its first title until now, so none of them changes.
  const isKept = sql<boolean>`kind <> 'page' or ("sourceId" is null and title <> substr(url, 1, 500))`;
  await db.updateTable("documents").set({ hasOwnTitle: 1 }).where(isKept).execute();
}
