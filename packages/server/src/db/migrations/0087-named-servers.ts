import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";

/** Model servers under names of their own. */
export async function namedServers({ schema }: Kysely<Tables>): Promise<void> {
  await schema.alterTable("providerSettings").addColumn("kind", "text").execute();
  await schema
    .alterTable("providerSettings")
    .addColumn("server", "text", (c) => c.notNull().defaultTo("{}"))
    .execute();
  await schema.alterTable("providerSettings").addColumn("secretKey", "text").execute();
}
