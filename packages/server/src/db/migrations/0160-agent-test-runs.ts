import type { Kysely } from "kysely";
import { belongsTo } from "../belongs-to.ts";
import type { Tables } from "../tables.ts";

/** Runs of tests in the background. What they say of a test is deleted with it. */
export async function agentTestRuns(db: Kysely<Tables>): Promise<void> {
  const { schema } = db;
  await schema
    .createTable("agentTestRuns")
    .addColumn("id", "text", (c) => c.primaryKey())
    .addColumn("organizationId", "text", (c) => c.notNull())
    .$call(belongsTo("agentId", "agents"))
    .addColumn("status", "text", (c) => c.notNull())
    .addColumn("problem", "text")
    .addColumn("version", "text", (c) => c.notNull())
    .addColumn("snapshot", "text", (c) => c.notNull())
    .addColumn("hash", "text", (c) => c.notNull())
    .addColumn("repeat", "integer", (c) => c.notNull())
    .addColumn("isAwaited", "integer", (c) => c.notNull())
    .addColumn("createdAt", "bigint", (c) => c.notNull())
    .addColumn("finishedAt", "bigint")
    .addColumn("dueAt", "bigint")
    .addColumn("fence", "integer", (c) => c.notNull())
    .execute();
  await schema.createIndex("agentTestRunsAgent").on("agentTestRuns").columns(["agentId", "id"]).execute();
  await schema
    .createIndex("agentTestRunsDue")
    .on("agentTestRuns")
    .column("dueAt")
    .where("dueAt", "is not", null)
    .execute();
  await schema
    .createTable("agentTestOutcomes")
    .$call(belongsTo("runId", "agentTestRuns"))
    .addColumn("position", "integer", (c) => c.notNull())
    .$call(belongsTo("testId", "agentTests"))
    .addColumn("failures", "text")
    .addPrimaryKeyConstraint("agentTestOutcomesPrimaryKey", ["runId", "position"])
    .execute();
  await schema.createIndex("agentTestOutcomesTest").on("agentTestOutcomes").column("testId").execute();
}
