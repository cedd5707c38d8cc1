import { type Kysely, sql } from "kysely";
import type { Tables } from "../tables.ts";

/** Agents that are being deleted, and whether a tool may use secrets that are not bound to hosts. */
export async function boundedWork(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable("agents").addColumn("deletedAt", "bigint").execute();
  // The index is nearly always empty, so excluding the content of deleted agents costs readers nothing.
  await db.schema
    .createIndex("agentsDeleted")
    .on("agents")
    .column("id")
    .where(sql.ref("deletedAt"), "is not", null)
    .execute();
  // Existing tools keep their permissions.
  await db.schema
    .alterTable("tools")
    .addColumn("mayUseUnboundSecrets", "integer", (c) => c.notNull().defaultTo(1))
    .execute();
}
