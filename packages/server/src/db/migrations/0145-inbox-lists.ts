import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Tables } from "../tables.ts";

/**
 * Lets the inbox list and count the unread, open, resolved and snoozed conversations of an organization using indexes
 * alone: `agentId` and `trashedAt` tell which of them are visible. Counting 93,000 resolved conversations took twice as
 * long with their rows.
 */
export async function inboxLists(db: Kysely<Tables>): Promise<void> {
  for (const name of ["conversationsUnreadOf", "conversationsOpen", "conversationsResolved"]) {
    await db.schema.dropIndex(name).execute();
  }
  const createIndex = (name: string, condition: RawBuilder<boolean>) =>
    db.schema
      .createIndex(name)
      .on("conversations")
      .columns(["organizationId", "updatedAt", "id", "agentId", "trashedAt"])
      .where(condition)
      .execute();
  await createIndex("conversationsUnreadOf", sql<boolean>`"lastMessageAt" > coalesce("readAt", 0)`);
  await createIndex("conversationsOpen", sql<boolean>`status = 'open'`);
  await createIndex("conversationsResolved", sql<boolean>`status = 'resolved'`);
  await createIndex("conversationsSnoozedOf", sql<boolean>`status = 'snoozed'`);
}
