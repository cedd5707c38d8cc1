import type { Kysely } from "kysely";
import { belongsTo } from "../belongs-to.ts";
import type { Tables } from "../tables.ts";

/**
 * Names of uploaded files, mail recipients, confirmation mails, and the counters that limit what visitors can store.
 */
export async function formBounds(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable("submissionFiles").addColumn("name", "text").execute();
  await db.schema.alterTable("tools").addColumn("formConfirmation", "text").execute();
  await db.schema.alterTable("tools").addColumn("disabledAt", "bigint").execute();
  await db.schema
    .createTable("mailRecipients")
    .addColumn("id", "text", (c) => c.primaryKey())
    .$call(belongsTo("organizationId", "organizations"))
    .addColumn("address", "text", (c) => c.notNull())
    .addColumn("tokenHash", "text", (c) => c.notNull().unique())
    .addColumn("tokenExpiresAt", "bigint", (c) => c.notNull())
    .addColumn("confirmedAt", "bigint")
    .addColumn("createdAt", "bigint", (c) => c.notNull())
    .addUniqueConstraint("mailRecipientsAddress", ["organizationId", "address"])
    .execute();
  await db.schema
    .createTable("submissionDays")
    .$call(belongsTo("agentId", "agents"))
    .addColumn("day", "text", (c) => c.notNull())
    .addColumn("bytes", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("submissionDaysKey", ["agentId", "day"])
    .execute();
  // The key is a form's id, or a hash of the visitor's address.
  await db.schema
    .createTable("confirmationDays")
    .addColumn("key", "text", (c) => c.notNull())
    .addColumn("day", "text", (c) => c.notNull())
    .addColumn("sent", "integer", (c) => c.notNull())
    .addPrimaryKeyConstraint("confirmationDaysKey", ["key", "day"])
    .execute();
}
