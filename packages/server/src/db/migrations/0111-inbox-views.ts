import type { Kysely } from "kysely";
import { belongsTo } from "../belongs-to.ts";
import type { Tables } from "../tables.ts";

/** Saved filters of the inbox. */
export async function inboxViews({ schema }: Kysely<Tables>): Promise<void> {
  await schema
    .createTable("inboxViews")
    .addColumn("id", "text", (c) => c.primaryKey())
    .$call(belongsTo("organizationId", "organizations"))
    .addColumn("ownerId", "text", (c) => c.references("users.id").onDelete("cascade"))
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("filter", "text", (c) => c.notNull())
    .addColumn("sort", "text", (c) => c.notNull())
    .addColumn("columns", "text", (c) => c.notNull())
    .addColumn("createdAt", "bigint", (c) => c.notNull())
    .addColumn("updatedAt", "bigint", (c) => c.notNull())
    .execute();
  await schema.createIndex("inboxViewsOrganization").on("inboxViews").column("organizationId").execute();
  await schema.createIndex("inboxViewsOwner").on("inboxViews").column("ownerId").execute();
}
