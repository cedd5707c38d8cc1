import { type Kysely, sql } from "kysely";
import { belongsTo } from "../belongs-to.ts";
import type { DatabaseKind } from "../database-kind.ts";
import type { Tables } from "../tables.ts";

/**
 * Webhooks for conversation events, the feed of events, and an outbox whose deliveries belong to a submission or to a
 * webhook.
 */
export async function events(db: Kysely<Tables>, kind: DatabaseKind): Promise<void> {
  await createWebhooks(db);
  await createEvents(db, kind);
  if (kind === "sqlite") await rebuildDeliveries(db);
  else await widenDeliveries(db);
  await createDeliveryIndexes(db);
  await freeIdempotencyKeys(db, kind);
}

async function createWebhooks(db: Kysely<Tables>) {
  await db.schema
    .createTable("webhooks")
    .addColumn("id", "text", (c) => c.primaryKey())
    .$call(belongsTo("organizationId", "organizations"))
    .addColumn("url", "text", (c) => c.notNull())
    .addColumn("description", "text")
    .addColumn("events", "text", (c) => c.notNull())
    .addColumn("agentIds", "text", (c) => c.notNull())
    .addColumn("payload", "text", (c) => c.notNull())
    .addColumn("idleMinutes", "integer", (c) => c.notNull())
    .addColumn("isEnabled", "integer", (c) => c.notNull())
    .addColumn("disabledReason", "text")
    .addColumn("failingSince", "bigint")
    .addColumn("secret", "text", (c) => c.notNull())
    .addColumn("previousSecret", "text")
    .addColumn("rotatedAt", "bigint")
    .addColumn("createdAt", "bigint", (c) => c.notNull())
    .addColumn("updatedAt", "bigint", (c) => c.notNull())
    .execute();
  await db.schema.createIndex("webhooksOrganization").on("webhooks").columns(["organizationId", "id"]).execute();
}

async function createEvents(db: Kysely<Tables>, kind: DatabaseKind) {
  await db.schema
    .alterTable("conversations")
    .addColumn("eventSequence", "integer", (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema
    .createTable("events")
    .addColumn("number", kind === "sqlite" ? "integer" : "bigserial", (c) =>
      // Without `autoIncrement`, SQLite could give the number of a deleted event to a new one.
      kind === "sqlite" ? c.primaryKey().autoIncrement() : c.primaryKey(),
    )
    .addColumn("id", "text", (c) => c.notNull().unique())
    .$call(belongsTo("organizationId", "organizations"))
    .addColumn("agentId", "text", (c) => c.references("agents.id").onDelete("cascade"))
    .addColumn("conversationId", "text", (c) => c.references("conversations.id").onDelete("cascade"))
    .addColumn("sequence", "integer")
    .addColumn("type", "text", (c) => c.notNull())
    .addColumn("data", "text", (c) => c.notNull())
    .addColumn("position", "bigint")
    .addColumn("createdAt", "bigint", (c) => c.notNull())
    .execute();
  const index = (name: string) => db.schema.createIndex(`events${name}`).on("events");
  await index("Agent").columns(["agentId", "id"]).where("agentId", "is not", null).execute();
  await index("Conversation").columns(["conversationId", "sequence"]).where("conversationId", "is not", null).execute();
  await index("Feed").columns(["organizationId", "position"]).where(sql.ref("position"), "is not", null).execute();
  // Events that the feed does not include yet.
  await index("New").columns(["organizationId", "number"]).where(sql.ref("position"), "is", null).execute();
  await db.schema
    .createTable("eventFeeds")
    .addColumn("organizationId", "text", (c) => c.primaryKey().references("organizations.id").onDelete("cascade"))
    .addColumn("isEnabled", "integer", (c) => c.notNull())
    .addColumn("lastPosition", "bigint", (c) => c.notNull())
    .execute();
  await db.schema
    .createTable("idleTimers")
    .addColumn("conversationId", "text", (c) => c.primaryKey().references("conversations.id").onDelete("cascade"))
    .$call(belongsTo("organizationId", "organizations"))
    .addColumn("lastMessageAt", "bigint", (c) => c.notNull())
    .addColumn("reportedMinutes", "integer", (c) => c.notNull())
    .addColumn("dueAt", "bigint", (c) => c.notNull())
    .execute();
  await db.schema.createIndex("idleTimersDue").on("idleTimers").column("dueAt").execute();
  await db.schema.createIndex("idleTimersOrganization").on("idleTimers").column("organizationId").execute();
}

/** PostgreSQL changes the columns in place. */
async function widenDeliveries(db: Kysely<Tables>) {
  await db.schema
    .alterTable("deliveries")
    .addColumn("kind", "text", (c) => c.notNull().defaultTo("submission"))
    .addColumn("webhookId", "text", (c) => c.references("webhooks.id").onDelete("cascade"))
    .addColumn("eventId", "text", (c) => c.references("events.id").onDelete("cascade"))
    .execute();
  await db.schema
    .alterTable("deliveries")
    .alterColumn("submissionId", (c) => c.dropNotNull())
    .alterColumn("kind", (c) => c.dropDefault())
    .execute();
}

const copiedColumns = [
  ...(["id", "submissionId", "position", "purpose", "type", "target", "host", "state"] as const),
  ...(["attempts", "attemptsBefore", "dueAt", "fence", "createdAt"] as const),
];

/**
 * SQLite cannot make a column nullable, so the rows move to new tables. The attempts move first, because dropping their
 * deliveries would delete them. Renaming a table also renames it in the references to it.
 */
async function rebuildDeliveries(db: Kysely<Tables>) {
  await db.schema
    .createTable("newDeliveries")
    .addColumn("id", "text", (c) => c.primaryKey())
    .addColumn("kind", "text", (c) => c.notNull())
    .addColumn("submissionId", "text", (c) => c.references("submissions.id").onDelete("cascade"))
    .addColumn("webhookId", "text", (c) => c.references("webhooks.id").onDelete("cascade"))
    .addColumn("eventId", "text", (c) => c.references("events.id").onDelete("cascade"))
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
  await db.schema
    .createTable("newDeliveryAttempts")
    .$call(belongsTo("deliveryId", "newDeliveries"))
    .addColumn("number", "integer", (c) => c.notNull())
    .addColumn("startedAt", "bigint", (c) => c.notNull())
    .addColumn("durationMs", "integer", (c) => c.notNull())
    .addColumn("status", "integer")
    .addColumn("error", "text")
    .addColumn("detail", "text")
    .addColumn("response", "text")
    .addPrimaryKeyConstraint("deliveryAttemptsKey", ["deliveryId", "number"])
    .execute();
  const columns = sql.join(copiedColumns.map((name) => sql.ref(name)));
  await sql`insert into "newDeliveries" (kind, ${columns}) select 'submission', ${columns} from deliveries`.execute(db);
  await sql`insert into "newDeliveryAttempts" select "deliveryId", number, "startedAt", "durationMs", status, error,
    detail, response from "deliveryAttempts"`.execute(db);
  await db.schema.dropTable("deliveryAttempts").execute();
  await db.schema.dropTable("deliveries").execute();
  await db.schema.alterTable("newDeliveries").renameTo("deliveries").execute();
  await db.schema.alterTable("newDeliveryAttempts").renameTo("deliveryAttempts").execute();
  await db.schema
    .createIndex("deliveriesDue")
    .on("deliveries")
    .columns(["dueAt", "host"])
    .where(sql.ref("state"), "=", sql.lit("pending"))
    .execute();
}

async function createDeliveryIndexes(db: Kysely<Tables>) {
  const index = (name: string) => db.schema.createIndex(`deliveries${name}`).on("deliveries");
  await index("Webhook").columns(["webhookId", "id"]).where("webhookId", "is not", null).execute();
  await index("WebhookState").columns(["webhookId", "state", "id"]).where("webhookId", "is not", null).execute();
  await index("Event").column("eventId").where("eventId", "is not", null).execute();
}

/** A response may belong to no agent, for example when a webhook was created. */
async function freeIdempotencyKeys(db: Kysely<Tables>, kind: DatabaseKind) {
  if (kind === "postgres") {
    await db.schema
      .alterTable("idempotencyKeys")
      .alterColumn("agentId", (c) => c.dropNotNull())
      .execute();
    return;
  }
  await db.schema
    .createTable("newIdempotencyKeys")
    .addColumn("id", "text", (c) => c.primaryKey())
    .addColumn("agentId", "text", (c) => c.references("agents.id").onDelete("cascade"))
    .addColumn("requestHash", "text", (c) => c.notNull())
    .addColumn("answer", "text", (c) => c.notNull())
    .addColumn("createdAt", "bigint", (c) => c.notNull())
    .execute();
  await sql`insert into "newIdempotencyKeys" select id, "agentId", "requestHash", answer, "createdAt"
    from "idempotencyKeys"`.execute(db);
  await db.schema.dropTable("idempotencyKeys").execute();
  await db.schema.alterTable("newIdempotencyKeys").renameTo("idempotencyKeys").execute();
  await db.schema.createIndex("idempotencyKeysCreated").on("idempotencyKeys").column("createdAt").execute();
  await db.schema.createIndex("idempotencyKeysAgent").on("idempotencyKeys").column("agentId").execute();
}
