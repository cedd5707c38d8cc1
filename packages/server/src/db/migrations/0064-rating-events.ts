import { type Kysely, sql } from "kysely";
import type { Tables } from "../tables.ts";

/**
 * The last `message.rated` event of each message, and when a later change is reported. The index on announced requests
 * for a person counts those of an agent within the last minutes.
 */
export async function ratingEvents(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable("messages").addColumn("ratingReported", "text").execute();
  await db.schema.alterTable("messages").addColumn("ratingReportedAt", "bigint").execute();
  await db.schema.alterTable("messages").addColumn("ratingDueAt", "bigint").execute();
  await db.schema
    .createIndex("messagesRatingDue")
    .on("messages")
    .column("ratingDueAt")
    .where(sql.ref("ratingDueAt"), "is not", null)
    .execute();
  await db.schema.createIndex("handoffsAnnounced").on("handoffs").columns(["agentId", "announcedAt"]).execute();
}
