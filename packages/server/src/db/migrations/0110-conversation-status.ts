import { MINUTE_MS } from "@foyer/contract/rules/time";
import { type Kysely, sql } from "kysely";
import type { Tables } from "../tables.ts";

const SILENT_MS = 30 * MINUTE_MS;

/** Whether a conversation is open, resolved, or comes back later. */
export async function conversationStatus(db: Kysely<Tables>): Promise<void> {
  const { schema } = db;
  await schema
    .alterTable("conversations")
    .addColumn("status", "text", (c) => c.notNull().defaultTo("open"))
    .execute();
  await schema.alterTable("conversations").addColumn("snoozedUntil", "bigint").execute();
  await schema.alterTable("conversations").addColumn("resolvedAt", "bigint").execute();
  await schema.alterTable("agents").addColumn("resolveAfter", "integer").execute();
  await schema.alterTable("agents").addColumn("resolveMessage", "text").execute();
  // As the agent's conversations resolve by themselves from now on.
  await sql`update conversations set status = 'resolved', "resolvedAt" = "updatedAt"
    where handler = 'agent' and "updatedAt" < ${Date.now() - SILENT_MS}`.execute(db);
  await schema
    .createIndex("conversationsOpen")
    .on("conversations")
    .columns(["organizationId", "updatedAt", "id"])
    .where(sql<boolean>`status = 'open'`)
    .execute();
  await schema
    .createIndex("conversationsSilent")
    .on("conversations")
    .column("updatedAt")
    .where(sql<boolean>`status = 'open' and handler <> 'waiting'`)
    .execute();
  await schema
    .createIndex("conversationsSnoozed")
    .on("conversations")
    .column("snoozedUntil")
    .where(sql<boolean>`"snoozedUntil" is not null`)
    .execute();
}
