import { type Kysely, sql } from "kysely";
import type { Tables } from "../tables.ts";

/** Finds the emails that an organization sent lately to ask for ratings, which are limited per recipient. */
export async function ratingMailIndex({ schema }: Kysely<Tables>): Promise<void> {
  await schema
    .createIndex("handoffsRatingMails")
    .on("handoffs")
    .columns(["organizationId", "ratingMailedAt"])
    .where(sql<boolean>`"ratingMailedAt" is not null`)
    .execute();
}
