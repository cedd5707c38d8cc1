import type { Kysely } from "kysely";
import { belongsTo } from "../belongs-to.ts";
import type { DatabaseKind } from "../database-kind.ts";
import type { Tables } from "../tables.ts";

/** Accounts, keys, agents, tools and conversations. */
export async function initial(db: Kysely<Tables>, kind: DatabaseKind): Promise<void> {
  await createAccounts(db, kind);
  await createKeys(db);
  await createAgents(db);
  await createTools(db);
  await createConversations(db);
}

/** better-auth's models: it expects real dates and booleans where the database has them. */
async function createAccounts(db: Kysely<Tables>, kind: DatabaseKind) {
  const date = kind === "sqlite" ? "text" : "timestamptz";
  await db.schema
    .createTable("organizations")
    .addColumn("id", "text", (c) => c.primaryKey())
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("slug", "text", (c) => c.notNull().unique())
    .addColumn("logo", "text")
    .addColumn("metadata", "text")
    .addColumn("plan", "text", (c) => c.notNull())
    .addColumn("createdAt", date, (c) => c.notNull())
    .execute();
  await db.schema
    .createTable("users")
    .addColumn("id", "text", (c) => c.primaryKey())
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("email", "text", (c) => c.notNull().unique())
    .addColumn("emailVerified", "boolean", (c) => c.notNull().defaultTo(false))
    .addColumn("image", "text")
    .addColumn("createdAt", date, (c) => c.notNull())
    .addColumn("updatedAt", date, (c) => c.notNull())
    .execute();
  await db.schema
    .createTable("identities")
    .addColumn("id", "text", (c) => c.primaryKey())
    .$call(belongsTo("userId", "users"))
    .addColumn("providerId", "text", (c) => c.notNull())
    .addColumn("accountId", "text", (c) => c.notNull())
    .addColumn("password", "text")
    .addColumn("accessToken", "text")
    .addColumn("refreshToken", "text")
    .addColumn("idToken", "text")
    .addColumn("accessTokenExpiresAt", date)
    .addColumn("refreshTokenExpiresAt", date)
    .addColumn("scope", "text")
    .addColumn("createdAt", date, (c) => c.notNull())
    .addColumn("updatedAt", date, (c) => c.notNull())
    .addUniqueConstraint("identitiesProviderAccount", ["providerId", "accountId"])
    .execute();
  await db.schema.createIndex("identitiesUser").on("identities").column("userId").execute();
  await db.schema
    .createTable("members")
    .addColumn("id", "text", (c) => c.primaryKey())
    .$call(belongsTo("organizationId", "organizations"))
    .$call(belongsTo("userId", "users"))
    .addColumn("role", "text", (c) => c.notNull())
    .addColumn("createdAt", date, (c) => c.notNull())
    .addUniqueConstraint("membersOnce", ["organizationId", "userId"])
    .execute();
  await db.schema.createIndex("membersUser").on("members").column("userId").execute();
}

async function createKeys(db: Kysely<Tables>) {
  await db.schema
    .createTable("apiKeys")
    .addColumn("id", "text", (c) => c.primaryKey())
    .$call(belongsTo("organizationId", "organizations"))
    .addColumn("createdBy", "text", (c) => c.references("users.id").onDelete("set null"))
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("hash", "text", (c) => c.notNull().unique())
    .addColumn("start", "text", (c) => c.notNull())
    .addColumn("createdAt", "bigint", (c) => c.notNull())
    .addColumn("lastUsedAt", "bigint")
    .addColumn("expiresAt", "bigint")
    .execute();
  await db.schema.createIndex("apiKeysOrganization").on("apiKeys").column("organizationId").execute();
  await db.schema
    .createTable("providerSettings")
    .$call(belongsTo("organizationId", "organizations"))
    .addColumn("provider", "text", (c) => c.notNull())
    .addColumn("apiKey", "text")
    .addColumn("baseUrl", "text")
    .addColumn("updatedAt", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("providerSettingsKey", ["organizationId", "provider"])
    .execute();
}

async function createAgents(db: Kysely<Tables>) {
  await db.schema
    .createTable("agents")
    .addColumn("id", "text", (c) => c.primaryKey())
    .$call(belongsTo("organizationId", "organizations"))
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("slug", "text", (c) => c.notNull())
    .addColumn("model", "text", (c) => c.notNull())
    .addColumn("systemPrompt", "text")
    .addColumn("temperature", "double precision", (c) => c.notNull())
    .addColumn("widget", "text", (c) => c.notNull())
    .addColumn("allowedOrigins", "text", (c) => c.notNull())
    .addColumn("allowedImageHosts", "text", (c) => c.notNull())
    .addColumn("requireIdentity", "integer", (c) => c.notNull())
    .addColumn("identitySecret", "text", (c) => c.notNull())
    .addColumn("monthlyTokenBudget", "bigint")
    .addColumn("budgetMessage", "text")
    .addColumn("createdAt", "bigint", (c) => c.notNull())
    .addColumn("updatedAt", "bigint", (c) => c.notNull())
    .addUniqueConstraint("agentsSlug", ["organizationId", "slug"])
    .execute();
  await db.schema
    .createTable("agentCounters")
    .addColumn("agentId", "text", (c) => c.primaryKey().references("agents.id").onDelete("cascade"))
    .addColumn("conversations", "bigint", (c) => c.notNull())
    .execute();
}

async function createTools(db: Kysely<Tables>) {
  await db.schema
    .createTable("tools")
    .addColumn("id", "text", (c) => c.primaryKey())
    .$call(belongsTo("organizationId", "organizations"))
    .$call(belongsTo("agentId", "agents"))
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("description", "text", (c) => c.notNull())
    .addColumn("executionType", "text", (c) => c.notNull())
    .addColumn("inputSchema", "text", (c) => c.notNull())
    .addColumn("isEnabled", "integer", (c) => c.notNull())
    .addColumn("displayConfig", "text")
    .addColumn("mockResponse", "text")
    .addColumn("httpUrl", "text")
    .addColumn("httpMethod", "text")
    .addColumn("httpHeaders", "text")
    .addColumn("formSchema", "text")
    .addColumn("formExecutionMode", "text")
    .addColumn("formWebhookUrl", "text")
    .addColumn("formClientHandler", "text")
    .addColumn("formPostActions", "text")
    .addColumn("createdAt", "bigint", (c) => c.notNull())
    .addColumn("updatedAt", "bigint", (c) => c.notNull())
    .addUniqueConstraint("toolsName", ["agentId", "name"])
    .execute();
  await db.schema.createIndex("toolsOrganization").on("tools").column("organizationId").execute();
  await db.schema
    .createTable("secrets")
    .$call(belongsTo("organizationId", "organizations"))
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("value", "text", (c) => c.notNull())
    .addColumn("hosts", "text", (c) => c.notNull())
    .addColumn("createdAt", "bigint", (c) => c.notNull())
    .addColumn("updatedAt", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("secretsKey", ["organizationId", "name"])
    .execute();
}

async function createConversations(db: Kysely<Tables>) {
  await db.schema
    .createTable("conversations")
    .addColumn("id", "text", (c) => c.primaryKey())
    .$call(belongsTo("organizationId", "organizations"))
    .$call(belongsTo("agentId", "agents"))
    .addColumn("title", "text", (c) => c.notNull())
    .addColumn("messageCount", "integer", (c) => c.notNull())
    .addColumn("sessionId", "text")
    .addColumn("userId", "text")
    .addColumn("userEmail", "text")
    .addColumn("userName", "text")
    .addColumn("userMetadata", "text")
    .addColumn("createdAt", "bigint", (c) => c.notNull())
    .addColumn("updatedAt", "bigint", (c) => c.notNull())
    .execute();
  await db.schema.createIndex("conversationsAgent").on("conversations").columns(["agentId", "id"]).execute();
  await db.schema.createIndex("conversationsUser").on("conversations").columns(["agentId", "userId", "id"]).execute();
  await db.schema.createIndex("conversationsUpdated").on("conversations").column("updatedAt").execute();
  await db.schema
    .createTable("messages")
    .addColumn("id", "text", (c) => c.primaryKey())
    .$call(belongsTo("conversationId", "conversations"))
    .addColumn("position", "integer", (c) => c.notNull())
    .addColumn("role", "text", (c) => c.notNull())
    .addColumn("content", "text", (c) => c.notNull())
    .addColumn("pieces", "text")
    .addColumn("feedback", "text")
    .addColumn("stopReason", "text")
    .addColumn("stopRequested", "integer", (c) => c.notNull().defaultTo(0))
    .addColumn("model", "text")
    .addColumn("inputTokens", "integer")
    .addColumn("outputTokens", "integer")
    .addColumn("createdAt", "bigint", (c) => c.notNull())
    .addColumn("updatedAt", "bigint", (c) => c.notNull())
    .addUniqueConstraint("messagesPosition", ["conversationId", "position"])
    .execute();
}
