import { type Kysely, sql } from "kysely";
import type { Tables } from "../tables.ts";

/**
 * What the replies of a conversation, and the replies and drafts of an agent in a month, have cost, and when the team was
 * notified that an agent has used most of a budget. The cost of earlier replies is unknown.
 */
export async function conversationCosts(db: Kysely<Tables>): Promise<void> {
  const { schema } = db;
  await schema
    .alterTable("conversations")
    .addColumn("cost", "double precision", (c) => c.notNull().defaultTo(0))
    .execute();
  await schema
    .alterTable("conversations")
    .addColumn("unknownCostReplies", "integer", (c) => c.notNull().defaultTo(0))
    .execute();
  await sql`update conversations set "unknownCostReplies" = (select count(*) from messages
    where messages."conversationId" = conversations.id and messages.model is not null
    and messages."stopReason" is not null)`.execute(db);
  await schema
    .alterTable("agentMonths")
    .addColumn("cost", "double precision", (c) => c.notNull().defaultTo(0))
    .execute();
  for (const name of ["tokensNotifiedAt", "costNotifiedAt"]) {
    await schema.alterTable("agentMonths").addColumn(name, "bigint").execute();
  }
}
