import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";

/** Each reply counts the documents that its agent can use; without this index it would also read the disabled ones. */
export async function searchableDocuments(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createIndex("documentsSearchable")
    .on("documents")
    .columns(["agentId", "isEnabled", "readyVersion"])
    .execute();
}
