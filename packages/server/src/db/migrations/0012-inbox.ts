import { type Kysely, sql } from "kysely";
import { belongsTo } from "../belongs-to.ts";
import type { Tables } from "../tables.ts";

/** Read state and failure marks of conversations, hourly counters of agents, and how visitors see a tool. */
export async function inbox(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable("tools").addColumn("label", "text").execute();
  await db.schema
    .alterTable("tools")
    .addColumn("resultFor", "text", (c) => c.notNull().defaultTo("both"))
    .execute();
  await db.schema.alterTable("conversations").addColumn("readAt", "bigint").execute();
  await db.schema
    .alterTable("conversations")
    .addColumn("isPlayground", "integer", (c) => c.notNull().defaultTo(0))
    .execute();
  // What is there already was seen by somebody, or is too old to call for attention.
  await db.updateTable("conversations").set({ readAt: sql`"updatedAt"` }).execute();
  // Few replies fail; without the index the filter would read whole conversations.
  await db.schema
    .createIndex("messagesFailed")
    .on("messages")
    .column("conversationId")
    .where(sql.ref("stopReason"), "=", sql.lit("error"))
    .execute();
  await createAgentHours(db);
}

async function createAgentHours(db: Kysely<Tables>) {
  const table = db.schema
    .createTable("agentHours")
    .$call(belongsTo("agentId", "agents"))
    .addColumn("hour", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("agentHoursKey", ["agentId", "hour"]);
  const counters = ["conversations", "messages", "replies", "failedReplies", "ratedUp", "ratedDown"] as const;
  await [...counters, "inputTokens", "outputTokens"]
    .reduce((builder, name) => builder.addColumn(name, "bigint", (c) => c.notNull().defaultTo(0)), table)
    .execute();
}
