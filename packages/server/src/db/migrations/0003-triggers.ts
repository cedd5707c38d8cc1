import { type Kysely, sql } from "kysely";
import { belongsTo } from "../belongs-to.ts";
import type { DatabaseKind } from "../database-kind.ts";
import type { Tables } from "../tables.ts";

/** Triggers, the events that widgets report for them, and their counters. */
export async function triggers(db: Kysely<Tables>, kind: DatabaseKind): Promise<void> {
  await createTriggers(db);
  await createCounters(db);
  await createEvents(db, kind);
  // An index for finding a form by its name alone.
  await db.schema
    .createIndex("toolsFormName")
    .on("tools")
    .columns(["name", "id"])
    .where(sql.ref("executionType"), "=", sql.lit("form"))
    .execute();
}

async function createTriggers(db: Kysely<Tables>) {
  await db.schema
    .createTable("triggers")
    .addColumn("id", "text", (c) => c.primaryKey())
    .$call(belongsTo("organizationId", "organizations"))
    .$call(belongsTo("agentId", "agents"))
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("description", "text")
    .addColumn("triggerType", "text", (c) => c.notNull())
    .addColumn("conditions", "text", (c) => c.notNull())
    .addColumn("actionType", "text", (c) => c.notNull())
    .addColumn("actionConfig", "text", (c) => c.notNull())
    .addColumn("toolId", "text", (c) => c.references("tools.id").onDelete("set null"))
    .addColumn("triggerOnce", "integer", (c) => c.notNull())
    .addColumn("isEnabled", "integer", (c) => c.notNull())
    .addColumn("priority", "double precision", (c) => c.notNull())
    .addColumn("createdAt", "bigint", (c) => c.notNull())
    .addColumn("updatedAt", "bigint", (c) => c.notNull())
    .execute();
  await db.schema.createIndex("triggersAgent").on("triggers").columns(["agentId", "priority", "id"]).execute();
  await db.schema.createIndex("triggersOrganization").on("triggers").column("organizationId").execute();
  await db.schema.createIndex("triggersTool").on("triggers").column("toolId").execute();
}

async function createCounters(db: Kysely<Tables>) {
  await db.schema
    .createTable("triggerDays")
    .$call(belongsTo("triggerId", "triggers"))
    .addColumn("day", "text", (c) => c.notNull())
    .addColumn("fired", "bigint", (c) => c.notNull())
    .addColumn("converted", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("triggerDaysKey", ["triggerId", "day"])
    .execute();
}

/** Nothing refers to an event, so its id is a plain number, which is the cheapest type in both databases. */
async function createEvents(db: Kysely<Tables>, kind: DatabaseKind) {
  await db.schema
    .createTable("triggerEvents")
    .addColumn("id", kind === "sqlite" ? "integer" : "bigserial", (c) => c.primaryKey())
    .$call(belongsTo("agentId", "agents"))
    .addColumn("triggerId", "text")
    .addColumn("triggerName", "text", (c) => c.notNull())
    .addColumn("triggerType", "text", (c) => c.notNull())
    .addColumn("actionType", "text", (c) => c.notNull())
    .addColumn("eventType", "text", (c) => c.notNull())
    .addColumn("sessionId", "text")
    .addColumn("pagePath", "text")
    .addColumn("day", "text", (c) => c.notNull())
    .addColumn("createdAt", "bigint", (c) => c.notNull())
    .execute();
  await db.schema.createIndex("triggerEventsAgent").on("triggerEvents").columns(["agentId", "id"]).execute();
  await db.schema.createIndex("triggerEventsDay").on("triggerEvents").column("day").execute();
}
