import { type Kysely, sql } from "kysely";
import type { Tables } from "../tables.ts";

/** An index for rated messages, and the last failures of tools. */
export async function dashboard(db: Kysely<Tables>): Promise<void> {
  // Few messages are rated. Without this index, a list would read whole conversations to find the rated one.
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
