import type { Kysely } from "kysely";
import { belongsTo } from "../belongs-to.ts";
import type { Tables } from "../tables.ts";

/** What members have written in conversations and not sent. */
export async function messageDrafts({ schema }: Kysely<Tables>): Promise<void> {
  await schema
    .createTable("messageDrafts")
    .$call(belongsTo("conversationId", "conversations"))
    .$call(belongsTo("userId", "users"))
    .addColumn("mode", "text", (c) => c.notNull())
    .$call(belongsTo("organizationId", "organizations"))
    .addColumn("text", "text", (c) => c.notNull())
    .addColumn("attachmentIds", "text", (c) => c.notNull())
    .addColumn("actions", "text")
    .addColumn("updatedAt", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("messageDraftsKey", ["conversationId", "userId", "mode"])
    .execute();
  await schema
    .createIndex("messageDraftsOwner")
    .on("messageDrafts")
    .columns(["userId", "organizationId", "updatedAt"])
    .execute();
  // Used when an organization is deleted.
  await schema.createIndex("messageDraftsOrganization").on("messageDrafts").column("organizationId").execute();
}
