import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";

/** The position up to which events of a feed were deleted because the organization had too many. */
export async function droppedEvents(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .alterTable("eventFeeds")
    .addColumn("droppedThrough", "bigint", (c) => c.notNull().defaultTo(0))
    .execute();
}
