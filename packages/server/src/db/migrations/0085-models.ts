import { type Kysely, sql } from "kysely";
import type { Tables } from "../tables.ts";

/** Fallback models, reasoning, and what each step of a reply did and cost. */
export async function models(db: Kysely<Tables>): Promise<void> {
  const { schema } = db;
  await schema
    .alterTable("agents")
    .addColumn("fallbackModels", "text", (c) => c.notNull().defaultTo("[]"))
    .execute();
  await schema
    .alterTable("agents")
    .addColumn("reasoning", "text", (c) => c.notNull().defaultTo("default"))
    .execute();
  await schema.alterTable("agents").addColumn("maxOutputTokens", "integer").execute();
  await schema.alterTable("agents").addColumn("monthlyCostBudget", "double precision").execute();
  await schema
    .alterTable("conversations")
    .addColumn("failedReplies", "integer", (c) => c.notNull().defaultTo(0))
    .execute();
  await schema.alterTable("messages").addColumn("fallbackFrom", "text").execute();
  await schema.alterTable("messages").addColumn("cachedInputTokens", "integer").execute();
  await schema.alterTable("messages").addColumn("cost", "double precision").execute();
  await schema
    .alterTable("replyFailures")
    .addColumn("isAnswered", "integer", (c) => c.notNull().defaultTo(0))
    .execute();
  await addModelCounters(db);
  await createSteps(db);
  await createModelDays(db);
  await createPrices(db);
}

/** The cost of earlier replies is unknown. */
export async function addModelCounters(db: Kysely<Tables>): Promise<void> {
  const { schema } = db;
  for (const name of ["fallbackReplies", "cachedInputTokens", "unknownCostReplies"]) {
    await schema
      .alterTable("conversationHours")
      .addColumn(name, "bigint", (c) => c.notNull().defaultTo(0))
      .execute();
  }
  await schema
    .alterTable("conversationHours")
    .addColumn("cost", "double precision", (c) => c.notNull().defaultTo(0))
    .execute();
  await sql`update "conversationHours" set "unknownCostReplies" = replies`.execute(db);
}

/** One row for each call of a model and each call of a tool, in the order in which they began. */
async function createSteps({ schema }: Kysely<Tables>): Promise<void> {
  await schema
    .createTable("replySteps")
    .addColumn("messageId", "text", (c) => c.notNull().references("messages.id").onDelete("cascade"))
    .addColumn("position", "integer", (c) => c.notNull())
    .addColumn("kind", "text", (c) => c.notNull())
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("provider", "text")
    .addColumn("model", "text")
    .addColumn("startedAt", "bigint", (c) => c.notNull())
    .addColumn("firstTokenMs", "integer")
    .addColumn("durationMs", "integer", (c) => c.notNull())
    .addColumn("inputTokens", "integer")
    .addColumn("cachedInputTokens", "integer")
    .addColumn("outputTokens", "integer")
    .addColumn("reasoningTokens", "integer")
    .addColumn("retries", "integer", (c) => c.notNull())
    .addColumn("fallbackFrom", "text")
    .addColumn("stopReason", "text")
    .addColumn("status", "text", (c) => c.notNull())
    .addColumn("bytes", "integer")
    .addColumn("cost", "double precision")
    .addPrimaryKeyConstraint("replyStepsPrimaryKey", ["messageId", "position"])
    .execute();
}

/** What each model of an agent has used on a day (UTC). Also a deleted conversation counts. */
async function createModelDays({ schema }: Kysely<Tables>): Promise<void> {
  await schema
    .createTable("modelDays")
    .addColumn("agentId", "text", (c) => c.notNull().references("agents.id").onDelete("cascade"))
    .addColumn("day", "text", (c) => c.notNull())
    .addColumn("model", "text", (c) => c.notNull())
    .addColumn("replies", "bigint", (c) => c.notNull())
    .addColumn("inputTokens", "bigint", (c) => c.notNull())
    .addColumn("cachedInputTokens", "bigint", (c) => c.notNull())
    .addColumn("outputTokens", "bigint", (c) => c.notNull())
    .addColumn("cost", "double precision", (c) => c.notNull())
    .addColumn("unknownCostReplies", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("modelDaysPrimaryKey", ["agentId", "day", "model"])
    .execute();
}

/** The prices that organizations have set, per million tokens. */
async function createPrices({ schema }: Kysely<Tables>): Promise<void> {
  await schema
    .createTable("modelPrices")
    .addColumn("organizationId", "text", (c) => c.notNull().references("organizations.id").onDelete("cascade"))
    .addColumn("model", "text", (c) => c.notNull())
    .addColumn("input", "double precision", (c) => c.notNull())
    .addColumn("cachedInput", "double precision")
    .addColumn("output", "double precision", (c) => c.notNull())
    .addColumn("currency", "text", (c) => c.notNull())
    .addColumn("updatedAt", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("modelPricesPrimaryKey", ["organizationId", "model"])
    .execute();
}
