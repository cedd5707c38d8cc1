import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";

/** The times of a request within the office hours, and the index for the figures of a period. */
export async function handoffTimes({ schema }: Kysely<Tables>): Promise<void> {
  await schema.alterTable("handoffs").addColumn("openAnswerMs", "bigint").execute();
  await schema.alterTable("handoffs").addColumn("openEndMs", "bigint").execute();
  await schema.createIndex("handoffsOfPeriod").on("handoffs").columns(["agentId", "requestedAt"]).execute();
}
