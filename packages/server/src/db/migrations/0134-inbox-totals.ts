import { type Kysely, sql } from "kysely";
import type { Tables } from "../tables.ts";

/** Indexes for the unread and the resolved conversations of an organization, which the inbox counts and lists. */
export async function inboxTotals(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createIndex("conversationsUnreadOf")
    .on("conversations")
    .columns(["organizationId", "updatedAt", "id"])
    .where(sql<boolean>`"lastMessageAt" > coalesce("readAt", 0)`)
    .execute();
  await db.schema
    .createIndex("conversationsResolved")
    .on("conversations")
    .columns(["organizationId", "updatedAt", "id"])
    .where(sql<boolean>`status = 'resolved'`)
    .execute();
}
