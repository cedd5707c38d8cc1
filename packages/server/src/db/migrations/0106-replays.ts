import type { Kysely } from "kysely";
import { belongsTo } from "../belongs-to.ts";
import type { Tables } from "../tables.ts";

/** Replays of conversations with other versions of an agent. What they say of a conversation is deleted with it. */
export async function replays(db: Kysely<Tables>): Promise<void> {
  const { schema } = db;
  await schema
    .createTable("replays")
    .addColumn("id", "text", (c) => c.primaryKey())
    .addColumn("organizationId", "text", (c) => c.notNull())
    .$call(belongsTo("agentId", "agents"))
    .addColumn("status", "text", (c) => c.notNull())
    .addColumn("problem", "text")
    .addColumn("fromVersion", "text", (c) => c.notNull())
    .addColumn("toVersion", "text", (c) => c.notNull())
    .addColumn("fromSnapshot", "text", (c) => c.notNull())
    .addColumn("toSnapshot", "text", (c) => c.notNull())
    .addColumn("checks", "text", (c) => c.notNull())
    .addColumn("isCompared", "integer", (c) => c.notNull())
    .addColumn("maxCost", "double precision")
    .addColumn("estimate", "text", (c) => c.notNull())
    .addColumn("cost", "double precision", (c) => c.notNull())
    .addColumn("pendingCost", "double precision", (c) => c.notNull())
    .addColumn("createdAt", "bigint", (c) => c.notNull())
    .addColumn("finishedAt", "bigint")
    .addColumn("dueAt", "bigint")
    .addColumn("fence", "integer", (c) => c.notNull())
    .execute();
  await schema.createIndex("replaysAgent").on("replays").columns(["agentId", "id"]).execute();
  await schema.createIndex("replaysDue").on("replays").column("dueAt").where("dueAt", "is not", null).execute();
  await schema
    .createTable("replayTurns")
    .$call(belongsTo("replayId", "replays"))
    .addColumn("position", "integer", (c) => c.notNull())
    .$call(belongsTo("conversationId", "conversations"))
    .addColumn("messageId", "text", (c) => c.notNull())
    .addColumn("outcome", "text")
    .addColumn("baseline", "text")
    .addColumn("candidate", "text")
    .addColumn("baselineDiverged", "integer", (c) => c.notNull())
    .addColumn("baselineTokens", "bigint", (c) => c.notNull())
    .addColumn("baselineCost", "double precision", (c) => c.notNull())
    .addColumn("baselineMs", "bigint", (c) => c.notNull())
    .addColumn("candidateTokens", "bigint", (c) => c.notNull())
    .addColumn("candidateCost", "double precision", (c) => c.notNull())
    .addColumn("candidateMs", "bigint", (c) => c.notNull())
    .addColumn("modelVerdict", "text")
    .addColumn("verdict", "text")
    .addPrimaryKeyConstraint("replayTurnsPrimaryKey", ["replayId", "position"])
    .execute();
  await schema.createIndex("replayTurnsConversation").on("replayTurns").column("conversationId").execute();
}
