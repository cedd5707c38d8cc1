import type { Kysely } from "kysely";
import { belongsTo } from "../belongs-to.ts";
import type { Tables } from "../tables.ts";

/**
 * Adds the settings of notices to members and team chats, the timers of handoffs, and deliveries that belong to a
 * conversation.
 */
export async function notices(db: Kysely<Tables>): Promise<void> {
  await createSettings(db);
  await createTimers(db);
  await db.schema
    .createTable("serverKeys")
    .addColumn("name", "text", (c) => c.primaryKey())
    .addColumn("publicKey", "text", (c) => c.notNull())
    .addColumn("privateKey", "text", (c) => c.notNull())
    .addColumn("createdAt", "bigint", (c) => c.notNull())
    .execute();
  await db.schema
    .alterTable("deliveries")
    .addColumn("conversationId", "text", (c) => c.references("conversations.id").onDelete("cascade"))
    .execute();
  await db.schema
    .createIndex("deliveriesConversation")
    .on("deliveries")
    .column("conversationId")
    .where("conversationId", "is not", null)
    .execute();
}

async function createSettings(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable("noticeSettings")
    .$call(belongsTo("organizationId", "organizations"))
    .$call(belongsTo("userId", "users"))
    .addColumn("email", "integer", (c) => c.notNull())
    .addColumn("push", "integer", (c) => c.notNull())
    .addPrimaryKeyConstraint("noticeSettingsKey", ["organizationId", "userId"])
    .execute();
  await db.schema.createIndex("noticeSettingsUser").on("noticeSettings").column("userId").execute();
  await db.schema
    .createTable("pushSubscriptions")
    .addColumn("id", "text", (c) => c.primaryKey())
    .$call(belongsTo("organizationId", "organizations"))
    .$call(belongsTo("userId", "users"))
    .addColumn("endpoint", "text", (c) => c.notNull())
    .addColumn("p256dh", "text", (c) => c.notNull())
    .addColumn("auth", "text", (c) => c.notNull())
    .addColumn("label", "text", (c) => c.notNull())
    .addColumn("createdAt", "bigint", (c) => c.notNull())
    .addUniqueConstraint("pushSubscriptionsEndpoint", ["endpoint", "organizationId"])
    .execute();
  const subscriptions = (name: string) => db.schema.createIndex(`pushSubscriptions${name}`).on("pushSubscriptions");
  await subscriptions("Member").columns(["organizationId", "userId", "id"]).execute();
  await subscriptions("User").column("userId").execute();
  await db.schema
    .createTable("noticeChannels")
    .addColumn("id", "text", (c) => c.primaryKey())
    .$call(belongsTo("organizationId", "organizations"))
    .addColumn("kind", "text", (c) => c.notNull())
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("url", "text")
    .addColumn("isEnabled", "integer", (c) => c.notNull())
    .addColumn("lastError", "text")
    .addColumn("lastSentAt", "bigint")
    .addColumn("createdAt", "bigint", (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex("noticeChannelsOrganization")
    .on("noticeChannels")
    .columns(["organizationId", "id"])
    .execute();
}

async function createTimers(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable("handoffTimers")
    .$call(belongsTo("conversationId", "conversations"))
    .addColumn("kind", "text", (c) => c.notNull())
    .$call(belongsTo("organizationId", "organizations"))
    .addColumn("handoffId", "text", (c) => c.notNull())
    .addColumn("step", "integer", (c) => c.notNull())
    .addColumn("dueAt", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("handoffTimersKey", ["conversationId", "kind"])
    .execute();
  await db.schema.createIndex("handoffTimersDue").on("handoffTimers").column("dueAt").execute();
  await db.schema.createIndex("handoffTimersOrganization").on("handoffTimers").column("organizationId").execute();
}
