import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";

/** Ties a browser's notices to the session that turned them on, and names the member who ended a handoff. */
export async function endings(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .alterTable("pushSubscriptions")
    .addColumn("sessionId", "text", (c) => c.references("sessions.id").onDelete("cascade"))
    .execute();
  await db.schema.createIndex("pushSubscriptionsSession").on("pushSubscriptions").column("sessionId").execute();
  await db.schema.alterTable("handoffs").addColumn("endedById", "text").execute();
}
