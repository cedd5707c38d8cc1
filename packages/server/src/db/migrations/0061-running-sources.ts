import { type Kysely, sql } from "kysely";
import type { Tables } from "../tables.ts";

/**
 * Lets organizations read the same host at the same time. Otherwise, anyone could add a host to keep the sites of other
 * organizations there from being read.
 */
export async function runningSources(db: Kysely<Tables>): Promise<void> {
  await db.schema.dropIndex("sourcesRunningHost").execute();
  await db.schema
    .createIndex("sourcesRunningHost")
    .unique()
    .on("sources")
    .columns(["organizationId", "host"])
    .where(sql.ref("state"), "=", sql.lit("running"))
    .execute();
}
