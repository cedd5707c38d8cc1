import { type Kysely, sql } from "kysely";
import type { Tables } from "../tables.ts";

/** Indexes for the list of conversations in the order of the latest activity, and for those that are unread. */
export async function activityOrder(db: Kysely<Tables>): Promise<void> {
  // The index already exists without the id, so messages have no additional index to update.
  await db.schema.dropIndex("conversationsUpdated").execute();
  await db.schema
    .createIndex("conversationsUpdated")
    .on("conversations")
    .columns(["agentId", "updatedAt", "id"])
    .execute();
  await db.schema
    .createIndex("conversationsUnread")
    .on("conversations")
    .columns(["agentId", "updatedAt", "id"])
    .where(sql<boolean>`"lastMessageAt" > coalesce("readAt", 0)`)
    .execute();
}
