import type { Kysely } from "kysely";
import { belongsTo } from "../belongs-to.ts";
import type { Tables } from "../tables.ts";

/** The tags of an organization, and of its conversations. */
export async function tags(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable("tags")
    .addColumn("id", "text", (c) => c.primaryKey())
    .$call(belongsTo("organizationId", "organizations"))
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("nameKey", "text", (c) => c.notNull())
    .addColumn("createdAt", "bigint", (c) => c.notNull())
    .addUniqueConstraint("tagsName", ["organizationId", "nameKey"])
    .execute();
  await db.schema
    .createTable("conversationTags")
    // Not a foreign key: the rows are deleted with their conversation and their tag, and need no index for a third way.
    .addColumn("organizationId", "text", (c) => c.notNull())
    .$call(belongsTo("conversationId", "conversations"))
    .$call(belongsTo("tagId", "tags"))
    .addPrimaryKeyConstraint("conversationTagsKey", ["conversationId", "tagId"])
    .execute();
  await db.schema
    .createIndex("conversationTagsTag")
    .on("conversationTags")
    .columns(["tagId", "conversationId"])
    .execute();
}
