import { type Kysely, sql } from "kysely";
import type { Tables } from "../tables.ts";

/**
 * Stores the redirect that an attempt met first. A submission whose webhook failed for good has the status
 * `webhook_failed`, even if its form has other deliveries, whose submissions had the status `failed` so far.
 */
export async function deliveryRedirects(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable("deliveryAttempts").addColumn("redirect", "text").execute();
  await sql`update submissions set status = 'webhook_failed' where status = 'failed' and exists (
    select 1 from deliveries where deliveries."submissionId" = submissions.id
      and deliveries.purpose = 'webhook' and deliveries.state = 'failed')`.execute(db);
}
