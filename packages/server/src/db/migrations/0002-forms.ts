import { type CreateTableBuilder, type Kysely, sql } from "kysely";
import { belongsTo } from "../belongs-to.ts";
import type { DatabaseKind } from "../database-kind.ts";
import type { Tables } from "../tables.ts";

/** Submissions with their files, deliveries and attempts, and the counters of forms. */
export async function forms(db: Kysely<Tables>, kind: DatabaseKind): Promise<void> {
  await createSubmissions(db, kind);
  await createDeliveries(db);
  await createFormSettings(db);
  await createCounters(db);
}

/** A tool may be deleted while its submissions remain, so no table here refers to `tools`. */
async function createSubmissions(db: Kysely<Tables>, kind: DatabaseKind) {
  await db.schema
    .createTable("submissions")
    .addColumn("id", "text", (c) => c.primaryKey())
    .$call(belongsTo("organizationId", "organizations"))
    .$call(belongsTo("agentId", "agents"))
    .addColumn("toolId", "text", (c) => c.notNull())
    .addColumn("toolName", "text", (c) => c.notNull())
    .addColumn("conversationId", "text")
    .addColumn("executionMode", "text", (c) => c.notNull())
    .addColumn("clientHandler", "text")
    .addColumn("formData", "text", (c) => c.notNull())
    .addColumn("fieldsCompleted", "text", (c) => c.notNull())
    .addColumn("impressionAt", "double precision")
    .addColumn("startedAt", "double precision")
    .addColumn("formInstanceId", "text", (c) => c.notNull())
    .addColumn("status", "text", (c) => c.notNull())
    .addColumn("clientResult", "text")
    .addColumn("createdAt", "bigint", (c) => c.notNull())
    .addColumn("updatedAt", "bigint", (c) => c.notNull())
    .execute();
  const index = (name: string) => db.schema.createIndex(`submissions${name}`).on("submissions");
  await index("Organization").columns(["organizationId", "id"]).execute();
  await index("Status").columns(["organizationId", "status", "id"]).execute();
  await index("Agent").columns(["agentId", "id"]).execute();
  await index("Tool").columns(["toolId", "id"]).execute();
  await index("Conversation").columns(["conversationId", "id"]).where("conversationId", "is not", null).execute();
  await db.schema
    .createTable("submissionFiles")
    .$call(belongsTo("submissionId", "submissions"))
    .addColumn("field", "text", (c) => c.notNull())
    .addColumn("prefix", "text", (c) => c.notNull())
    .addColumn("mediaType", "text", (c) => c.notNull())
    .addColumn("size", "integer", (c) => c.notNull())
    .addColumn("content", kind === "sqlite" ? "blob" : "bytea", (c) => c.notNull())
    .addPrimaryKeyConstraint("submissionFilesKey", ["submissionId", "field"])
    .execute();
}

async function createDeliveries(db: Kysely<Tables>) {
  await db.schema
    .createTable("deliveries")
    .addColumn("id", "text", (c) => c.primaryKey())
    .$call(belongsTo("submissionId", "submissions"))
    .addColumn("position", "integer", (c) => c.notNull())
    .addColumn("purpose", "text", (c) => c.notNull())
    .addColumn("type", "text", (c) => c.notNull())
    .addColumn("target", "text", (c) => c.notNull())
    .addColumn("host", "text", (c) => c.notNull())
    .addColumn("state", "text", (c) => c.notNull())
    .addColumn("attempts", "integer", (c) => c.notNull())
    .addColumn("attemptsBefore", "integer", (c) => c.notNull())
    .addColumn("dueAt", "bigint", (c) => c.notNull())
    .addColumn("fence", "integer", (c) => c.notNull())
    .addColumn("createdAt", "bigint", (c) => c.notNull())
    .addUniqueConstraint("deliveriesPosition", ["submissionId", "position"])
    .execute();
  // The index contains only pending deliveries, so it remains small regardless of how many have been delivered.
  await db.schema
    .createIndex("deliveriesDue")
    .on("deliveries")
    .columns(["dueAt", "host"])
    .where(sql.ref("state"), "=", sql.lit("pending"))
    .execute();
  await db.schema
    .createTable("deliveryAttempts")
    .$call(belongsTo("deliveryId", "deliveries"))
    .addColumn("number", "integer", (c) => c.notNull())
    .addColumn("startedAt", "bigint", (c) => c.notNull())
    .addColumn("durationMs", "integer", (c) => c.notNull())
    .addColumn("status", "integer")
    .addColumn("error", "text")
    .addColumn("detail", "text")
    .addColumn("response", "text")
    .addPrimaryKeyConstraint("deliveryAttemptsKey", ["deliveryId", "number"])
    .execute();
}

/** Secrets remain after their tool was deleted, because pending deliveries are still signed with them. */
async function createFormSettings(db: Kysely<Tables>) {
  await db.schema
    .createTable("webhookSecrets")
    .addColumn("toolId", "text", (c) => c.primaryKey())
    .$call(belongsTo("agentId", "agents"))
    .addColumn("secret", "text", (c) => c.notNull())
    .addColumn("previousSecret", "text")
    .addColumn("rotatedAt", "bigint")
    .execute();
  await db.schema.createIndex("webhookSecretsAgent").on("webhookSecrets").column("agentId").execute();
  await db.schema
    .createTable("failureNotices")
    .addColumn("toolId", "text", (c) => c.primaryKey())
    .$call(belongsTo("agentId", "agents"))
    .addColumn("sentAt", "bigint", (c) => c.notNull())
    .execute();
  await db.schema.createIndex("failureNoticesAgent").on("failureNotices").column("agentId").execute();
}

async function createCounters(db: Kysely<Tables>) {
  await db.schema
    .createTable("formInstances")
    .addColumn("toolId", "text", (c) => c.notNull())
    .addColumn("id", "text", (c) => c.notNull())
    .$call(belongsTo("agentId", "agents"))
    .addColumn("day", "text", (c) => c.notNull())
    .addColumn("isStarted", "integer", (c) => c.notNull())
    .addColumn("fields", "text", (c) => c.notNull())
    .addPrimaryKeyConstraint("formInstancesKey", ["toolId", "id"])
    .execute();
  await db.schema.createIndex("formInstancesDay").on("formInstances").column("day").execute();
  await db.schema.createIndex("formInstancesAgent").on("formInstances").column("agentId").execute();
  await db.schema
    .createTable("formDays")
    .addColumn("toolId", "text", (c) => c.notNull())
    .addColumn("day", "text", (c) => c.notNull())
    .$call(belongsTo("agentId", "agents"))
    .$call(counter("impressions"))
    .$call(counter("started"))
    .$call(counter("submitted"))
    .$call(counter("successful"))
    .$call(counter("failed"))
    .addPrimaryKeyConstraint("formDaysKey", ["toolId", "day"])
    .execute();
  await db.schema.createIndex("formDaysAgent").on("formDays").columns(["agentId", "day"]).execute();
  await db.schema
    .createTable("formFieldDays")
    .addColumn("toolId", "text", (c) => c.notNull())
    .addColumn("day", "text", (c) => c.notNull())
    .addColumn("field", "text", (c) => c.notNull())
    .$call(belongsTo("agentId", "agents"))
    .$call(counter("completed"))
    .addPrimaryKeyConstraint("formFieldDaysKey", ["toolId", "day", "field"])
    .execute();
  await db.schema.createIndex("formFieldDaysAgent").on("formFieldDays").columns(["agentId", "day"]).execute();
}

function counter<const N extends string>(column: N) {
  return <T extends string, C extends string>(builder: CreateTableBuilder<T, C>) =>
    builder.addColumn(column, "bigint", (c) => c.notNull());
}
