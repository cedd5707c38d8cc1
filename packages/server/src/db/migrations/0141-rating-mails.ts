import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";

/** When the email that asks for a rating was sent, so that a visitor gets it at most once. */
export async function ratingMails({ schema }: Kysely<Tables>): Promise<void> {
  await schema.alterTable("handoffs").addColumn("ratingMailedAt", "bigint").execute();
}
