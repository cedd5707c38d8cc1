import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";

/** The value that shows whether the server has the secret with which the database was encrypted. */
export async function secretCheck({ schema }: Kysely<Tables>): Promise<void> {
  await schema
    .createTable("secretChecks")
    .addColumn("id", "integer", (column) => column.primaryKey())
    .addColumn("value", "varchar(64)", (column) => column.notNull())
    .execute();
}
