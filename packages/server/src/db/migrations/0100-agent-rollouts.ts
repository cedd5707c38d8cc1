import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";

/** The version of an agent that a part of its new conversations gets, and the conversations that drew it. */
export async function agentRollouts(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable("agents").addColumn("rollout", "text").execute();
  await db.schema.alterTable("conversations").addColumn("rolloutId", "text").execute();
}
