import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";

/** The team that shares a view of the inbox. When a team is deleted, the whole organization has its views. */
export async function teamViews({ schema }: Kysely<Tables>): Promise<void> {
  await schema
    .alterTable("inboxViews")
    .addColumn("teamId", "text", (c) => c.references("teams.id").onDelete("set null"))
    .execute();
  await schema.createIndex("inboxViewsTeam").on("inboxViews").column("teamId").execute();
}
