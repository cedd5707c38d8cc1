import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";

/** The hosts that an agent's replies may link to, and those to which a message's links were removed. */
export async function removedLinks(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .alterTable("agents")
    .addColumn("linkHosts", "text", (c) => c.notNull().defaultTo("[]"))
    .execute();
  await db.schema.alterTable("messages").addColumn("removedLinks", "text").execute();
}
