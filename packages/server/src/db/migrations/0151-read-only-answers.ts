import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";

/** The read-only fields of a submission whose value the visitor could have changed. */
export async function readOnlyAnswers({ schema }: Kysely<Tables>): Promise<void> {
  await schema.alterTable("submissions").addColumn("changedByVisitor", "text").execute();
}
