import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";

/** What visitors proved about themselves, and the parts of tools and agents that depend on it. */
export async function identity(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable("conversations").addColumn("verifiedVisitor", "text").execute();
  await db.schema.alterTable("submissions").addColumn("userId", "text").execute();
  await db.schema.alterTable("submissions").addColumn("verifiedVisitor", "text").execute();
  await db.schema
    .alterTable("agents")
    .addColumn("tellModel", "text", (c) => c.notNull().defaultTo("[]"))
    .execute();
  await db.schema.alterTable("tools").addColumn("httpBody", "text").execute();
  await db.schema.alterTable("tools").addColumn("requires", "text").execute();
  await db.schema
    .alterTable("tools")
    .addColumn("sendVisitorToken", "integer", (c) => c.notNull().defaultTo(0))
    .execute();
}
