import type { Kysely } from "kysely";
import { belongsTo } from "../belongs-to.ts";
import type { Tables } from "../tables.ts";

/** How many firings of a trigger in a session have not converted yet. `key` consists of both ids. */
export async function triggerFirings({ schema }: Kysely<Tables>): Promise<void> {
  await schema
    .createTable("triggerFirings")
    .addColumn("key", "text", (c) => c.primaryKey())
    .$call(belongsTo("agentId", "agents"))
    .addColumn("sessionId", "text", (c) => c.notNull())
    .addColumn("open", "bigint", (c) => c.notNull())
    .addColumn("day", "text", (c) => c.notNull())
    .execute();
  await schema.createIndex("triggerFiringsDay").on("triggerFirings").columns(["agentId", "day"]).execute();
}
