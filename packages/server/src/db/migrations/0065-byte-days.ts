import type { Kysely } from "kysely";
import { belongsTo } from "../belongs-to.ts";
import type { Tables } from "../tables.ts";

/** The bytes that an organization and its agents' visitors stored on a day, and an index to add up its documents. */
export async function byteDays(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable("byteDays")
    .$call(belongsTo("organizationId", "organizations"))
    .addColumn("subject", "text", (c) => c.notNull())
    .addColumn("day", "text", (c) => c.notNull())
    .addColumn("bytes", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("byteDaysKey", ["organizationId", "subject", "day"])
    .execute();
  await db.schema.createIndex("byteDaysDay").on("byteDays").column("day").execute();
  await db.schema
    .createIndex("documentsBytes")
    .on("documents")
    .columns(["organizationId", "fileId", "bytes"])
    .execute();
}
