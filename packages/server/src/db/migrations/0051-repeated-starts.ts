import { type Kysely, sql } from "kysely";
import type { Tables } from "../tables.ts";

/**
 * Who was notified of a request for a person, and the keys by which a first message that is sent again is recognized.
 */
export async function repeatedStarts(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .alterTable("handoffs")
    .addColumn("notified", "text", (c) => c.notNull().defaultTo("[]"))
    .execute();
  await db.schema.alterTable("conversations").addColumn("startKey", "text").execute();
  await db.schema
    .createIndex("conversationsStartKey")
    .unique()
    .on("conversations")
    .column("startKey")
    .where(sql.ref("startKey"), "is not", null)
    .execute();
}
