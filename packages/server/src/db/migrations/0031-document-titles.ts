import { type Kysely, sql } from "kysely";
import type { Tables } from "../tables.ts";

/**
 * Separates the title and URL that a member entered from those that the agent uses. A title that a member gave to a
 * page survives its syncs, and replies cite a version under its own title and URL, also while it is being replaced or
 * after its replacement failed.
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
  // Until now, a single page kept its first title, so none of these titles change.
  const isKept = sql<boolean>`kind <> 'page' or ("sourceId" is null and title <> substr(url, 1, 500))`;
  await db.updateTable("documents").set({ hasOwnTitle: 1 }).where(isKept).execute();
}
