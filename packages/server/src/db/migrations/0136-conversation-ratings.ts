import { type Kysely, sql } from "kysely";
import type { Tables } from "../tables.ts";

/** The rating of a whole conversation, and the agent's settings that ask for it. */
export async function conversationRatings({ schema }: Kysely<Tables>): Promise<void> {
  await schema.alterTable("agents").addColumn("askRating", "text").execute();
  await schema.alterTable("agents").addColumn("ratingQuestion", "text").execute();
  await schema.alterTable("conversations").addColumn("ratingAskedAt", "bigint").execute();
  await schema.alterTable("conversations").addColumn("ratingScore", "integer").execute();
  await schema.alterTable("conversations").addColumn("ratingComment", "text").execute();
  await schema.alterTable("conversations").addColumn("ratedAt", "bigint").execute();
  await schema
    .alterTable("conversations")
    .addColumn("ratingCorrections", "integer", (c) => c.notNull().defaultTo(0))
    .execute();
  await schema.alterTable("conversations").addColumn("ratingHandoffId", "text").execute();
  await schema
    .createIndex("conversationsRated")
    .on("conversations")
    .columns(["organizationId", "ratedAt"])
    .where(sql<boolean>`"ratedAt" is not null`)
    .execute();
}
