import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";

/** Members who are away, and who got a conversation when and how. */
export async function memberPresence({ schema }: Kysely<Tables>): Promise<void> {
  await schema
    .alterTable("members")
    .addColumn("isAway", "smallint", (column) => column.notNull().defaultTo(0))
    .execute();
  await schema.alterTable("handoffs").addColumn("assignedAt", "bigint").execute();
  await schema
    .alterTable("handoffs")
    .addColumn("isAutomatic", "smallint", (column) => column.notNull().defaultTo(0))
    .execute();
}
