import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";

/** Distinguishes a delivery that is being sent from one that is waiting for its next attempt. */
export async function deliveryLeases(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .alterTable("deliveries")
    .addColumn("isLeased", "integer", (c) => c.notNull().defaultTo(0))
    .execute();
}
