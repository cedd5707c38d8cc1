import { type Kysely, sql } from "kysely";
import type { Tables } from "../tables.ts";

/** The time that a member had a conversation within the office hours, and the index for the ratings of a period. */
export async function ratingFigures({ schema }: Kysely<Tables>): Promise<void> {
  await schema.alterTable("handoffs").addColumn("openHandlingMs", "bigint").execute();
  await schema
    .createIndex("conversationsAsked")
    .on("conversations")
    .columns(["agentId", "createdAt"])
    .where(sql<boolean>`"ratingAskedAt" is not null`)
    .execute();
}
