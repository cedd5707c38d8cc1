import { type Kysely, sql } from "kysely";
import { belongsTo } from "../belongs-to.ts";
import type { DatabaseKind } from "../database-kind.ts";
import type { Tables } from "../tables.ts";

/** Sessions, pending links, invitations and the audit log. */
export async function signIn(db: Kysely<Tables>, kind: DatabaseKind): Promise<void> {
  await createSessions(db, kind);
  await createInvitations(db, kind);
  await createAuditLog(db);
  // The operator created all existing users, at the terminal, with environment variables or with the printed link.
  await db.updateTable("users").set({ emailVerified: sql`true` }).execute();
}

/** better-auth's models: it expects real dates where the database has them. */
const dateOf = (kind: DatabaseKind) => (kind === "sqlite" ? "text" : "timestamptz");

async function createSessions(db: Kysely<Tables>, kind: DatabaseKind) {
  const date = dateOf(kind);
  await db.schema
    .createTable("sessions")
    .addColumn("id", "text", (c) => c.primaryKey())
    .$call(belongsTo("userId", "users"))
    .addColumn("token", "text", (c) => c.notNull().unique())
    .addColumn("expiresAt", date, (c) => c.notNull())
    .addColumn("ipAddress", "text")
    .addColumn("userAgent", "text")
    .addColumn("activeOrganizationId", "text", (c) => c.references("organizations.id").onDelete("set null"))
    .addColumn("createdAt", date, (c) => c.notNull())
    .addColumn("updatedAt", date, (c) => c.notNull())
    .execute();
  await db.schema.createIndex("sessionsUser").on("sessions").column("userId").execute();
  await db.schema.createIndex("sessionsOrganization").on("sessions").column("activeOrganizationId").execute();
  await db.schema.createIndex("sessionsExpiry").on("sessions").column("expiresAt").execute();
  await db.schema
    .createTable("verifications")
    .addColumn("id", "text", (c) => c.primaryKey())
    .addColumn("identifier", "text", (c) => c.notNull())
    .addColumn("value", "text", (c) => c.notNull())
    .addColumn("expiresAt", date, (c) => c.notNull())
    .addColumn("createdAt", date, (c) => c.notNull())
    .addColumn("updatedAt", date, (c) => c.notNull())
    .execute();
  await db.schema.createIndex("verificationsIdentifier").on("verifications").column("identifier").execute();
  await db.schema.createIndex("verificationsExpiry").on("verifications").column("expiresAt").execute();
}

async function createInvitations(db: Kysely<Tables>, kind: DatabaseKind) {
  const date = dateOf(kind);
  await db.schema
    .createTable("invitations")
    .addColumn("id", "text", (c) => c.primaryKey())
    .$call(belongsTo("organizationId", "organizations"))
    .addColumn("email", "text", (c) => c.notNull())
    .addColumn("role", "text", (c) => c.notNull())
    .addColumn("status", "text", (c) => c.notNull())
    .addColumn("expiresAt", date, (c) => c.notNull())
    .$call(belongsTo("inviterId", "users"))
    .addColumn("createdAt", date, (c) => c.notNull())
    .execute();
  await db.schema.createIndex("invitationsOrganization").on("invitations").column("organizationId").execute();
  await db.schema.createIndex("invitationsEmail").on("invitations").column("email").execute();
  await db.schema
    .createTable("pendingLinks")
    .addColumn("id", "text", (c) => c.primaryKey())
    .addColumn("kind", "text", (c) => c.notNull())
    .addColumn("email", "text", (c) => c.notNull())
    .addColumn("url", "text", (c) => c.notNull())
    .addColumn("createdAt", "bigint", (c) => c.notNull())
    .addColumn("expiresAt", "bigint", (c) => c.notNull())
    .execute();
  await db.schema.createIndex("pendingLinksEmail").on("pendingLinks").column("email").execute();
}

async function createAuditLog(db: Kysely<Tables>) {
  await db.schema
    .createTable("auditLog")
    .addColumn("id", "text", (c) => c.primaryKey())
    .$call(belongsTo("organizationId", "organizations"))
    .addColumn("at", "bigint", (c) => c.notNull())
    .addColumn("actorType", "text", (c) => c.notNull())
    .addColumn("actorId", "text", (c) => c.notNull())
    .addColumn("actorName", "text", (c) => c.notNull())
    .addColumn("action", "text", (c) => c.notNull())
    .addColumn("resource", "text")
    .addColumn("resourceId", "text")
    .addColumn("ip", "text", (c) => c.notNull())
    .execute();
  await db.schema.createIndex("auditLogOrganization").on("auditLog").columns(["organizationId", "id"]).execute();
  await db.schema.createIndex("auditLogAt").on("auditLog").column("at").execute();
}
