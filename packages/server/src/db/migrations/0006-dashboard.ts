import { type Kysely, sql } from "kysely";
import type { Tables } from "../tables.ts";

/** Ratings that can be found, and how tools failed last. */
export async function dashboard(db: Kysely<Tables>): Promise<void> {
  // Few messages are rated; without it a list would read whole conversations to find the one that is.
  await db.schema
    .createIndex("messagesFeedback")
    .on("messages")
    .columns(["conversationId", "position", "feedback"])
    .where(sql.ref("feedback"), "is not", null)
    .execute();
  await db.schema
    .createTable("toolErrors")
    .addColumn("toolId", "text", (c) => c.primaryKey().references("tools.id").onDelete("cascade"))
    .addColumn("at", "bigint", (c) => c.notNull())
    .addColumn("message", "text", (c) => c.notNull())
    .addColumn("recoveredAt", "bigint")
    .execute();
}
