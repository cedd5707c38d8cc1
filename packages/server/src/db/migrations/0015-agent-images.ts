import type { Kysely } from "kysely";
import { belongsTo } from "../belongs-to.ts";
import type { DatabaseKind } from "../database-kind.ts";
import type { Tables } from "../tables.ts";

/** Logos, avatars and launcher images, kept apart from the rows that every chat request reads. */
export async function agentImages(db: Kysely<Tables>, kind: DatabaseKind): Promise<void> {
  for (const column of ["logoVersion", "avatarVersion", "launcherVersion"]) {
    await db.schema.alterTable("agents").addColumn(column, "text").execute();
  }
  await db.schema
    .createTable("agentImages")
    .$call(belongsTo("agentId", "agents"))
    .addColumn("kind", "text", (c) => c.notNull())
    .addColumn("mediaType", "text", (c) => c.notNull())
    .addColumn("content", kind === "sqlite" ? "blob" : "bytea", (c) => c.notNull())
    .addPrimaryKeyConstraint("agentImagesKey", ["agentId", "kind"])
    .execute();
}
