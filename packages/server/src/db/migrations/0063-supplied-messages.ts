import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";

/**
 * Marks messages that a client sent in the agent's name. Earlier ones cannot be told from replies. `linkVersion` is part
 * of the tokens in emailed links, which are revoked by increasing it.
 */
export async function suppliedMessages(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .alterTable("messages")
    .addColumn("isSupplied", "smallint", (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema
    .alterTable("conversations")
    .addColumn("linkVersion", "integer", (c) => c.notNull().defaultTo(0))
    .execute();
}
