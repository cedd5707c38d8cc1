import { type Kysely, sql } from "kysely";
import type { Tables } from "../tables.ts";

/**
 * Stores with each delivery the organization whose share of the outbox it uses. Deliveries that an earlier version
 * writes during the upgrade have none and share one.
 */
export async function deliveryOrganizations(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .alterTable("deliveries")
    .addColumn("organizationId", "text", (c) => c.notNull().defaultTo(""))
    .execute();
  await sql`
    update deliveries set "organizationId" = coalesce(
      (select "organizationId" from submissions where submissions.id = deliveries."submissionId"),
      (select "organizationId" from webhooks where webhooks.id = deliveries."webhookId"),
      (select "organizationId" from conversations where conversations.id = deliveries."conversationId"),
      '')`.execute(db);
}
