import { type Kysely, sql } from "kysely";
import { belongsTo } from "../belongs-to.ts";
import type { DatabaseKind } from "../database-kind.ts";
import type { Tables } from "../tables.ts";

/** Responses stored for an Idempotency-Key, and usage counted against plans and budgets. */
export async function limits(db: Kysely<Tables>, kind: DatabaseKind): Promise<void> {
  await createIdempotencyKeys(db);
  await createPlanMinutes(db, kind);
  await createTokenCounters(db);
}

async function createIdempotencyKeys(db: Kysely<Tables>) {
  await db.schema
    .createTable("idempotencyKeys")
    .addColumn("id", "text", (c) => c.primaryKey())
    .$call(belongsTo("agentId", "agents"))
    .addColumn("requestHash", "text", (c) => c.notNull())
    .addColumn("answer", "text", (c) => c.notNull())
    .addColumn("createdAt", "bigint", (c) => c.notNull())
    .execute();
  await db.schema.createIndex("idempotencyKeysCreated").on("idempotencyKeys").column("createdAt").execute();
  await db.schema.createIndex("idempotencyKeysAgent").on("idempotencyKeys").column("agentId").execute();
}

/**
 * The counters are written with every call and irrelevant after a minute, so PostgreSQL does not need to make them
 * durable.
 */
async function createPlanMinutes(db: Kysely<Tables>, kind: DatabaseKind) {
  const table = db.schema.createTable("planMinutes");
  await (kind === "postgres" ? table.modifyFront(sql`unlogged`) : table)
    .addColumn("organizationId", "text", (c) => c.primaryKey().references("organizations.id").onDelete("cascade"))
    .addColumn("minute", "bigint", (c) => c.notNull())
    .addColumn("calls", "bigint", (c) => c.notNull())
    .execute();
}

async function createTokenCounters(db: Kysely<Tables>) {
  await db.schema
    .createTable("agentMonths")
    .$call(belongsTo("agentId", "agents"))
    .addColumn("month", "text", (c) => c.notNull())
    .addColumn("tokens", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("agentMonthsKey", ["agentId", "month"])
    .execute();
  await db.schema
    .createTable("visitorDays")
    .$call(belongsTo("agentId", "agents"))
    .addColumn("visitor", "text", (c) => c.notNull())
    .addColumn("day", "text", (c) => c.notNull())
    .addColumn("tokens", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("visitorDaysKey", ["agentId", "visitor", "day"])
    .execute();
  await db.schema.createIndex("visitorDaysDay").on("visitorDays").column("day").execute();
}
