import { type Kysely, type RawBuilder, sql } from "kysely";
import { belongsTo } from "../belongs-to.ts";
import type { DatabaseKind } from "../database-kind.ts";
import type { Tables } from "../tables.ts";

/** Finding and erasing a visitor's data, retention per agent, and the consent that a visitor gave. */
export async function visitorData(db: Kysely<Tables>, kind: DatabaseKind): Promise<void> {
  await indexVisitors(db, kind);
  await createErasures(db);
  await db.schema
    .alterTable("agents")
    .addColumn("retention", "text", (c) => c.notNull().defaultTo("{}"))
    .execute();
  await db.schema.alterTable("conversations").addColumn("consent", "text").execute();
  await db.schema.alterTable("auditLog").addColumn("details", "text").execute();
}

/** Most conversations have few of these fields, so each index holds only the rows that have its field. */
async function indexVisitors(db: Kysely<Tables>, kind: DatabaseKind) {
  const index = (name: string, column: string, by: RawBuilder<unknown> = sql.ref(column)) =>
    sql`create index ${sql.ref(name)} on conversations ("organizationId", ${by}, id)
      where ${sql.ref(column)} is not null`.execute(db);
  await index("conversationsByUser", "userId");
  await index("conversationsBySession", "sessionId");
  // Addresses are compared regardless of case. SQLite's built-in collation folds only ASCII, but it needs no function,
  // which a connection could define differently.
  const folded = kind === "sqlite" ? sql`"userEmail" collate nocase` : sql`lower("userEmail")`;
  await index("conversationsByEmail", "userEmail", folded);
  // Retention is set per agent, so expired conversations are looked up per agent.
  await db.schema.dropIndex("conversationsUpdated").execute();
  await db.schema.createIndex("conversationsUpdated").on("conversations").columns(["agentId", "updatedAt"]).execute();
  await db.schema.dropIndex("triggerEventsDay").execute();
  await db.schema.createIndex("triggerEventsDay").on("triggerEvents").columns(["agentId", "day"]).execute();
  await sql`create index "triggerEventsSession" on "triggerEvents" ("sessionId", "agentId")
    where "sessionId" is not null`.execute(db);
}

async function createErasures(db: Kysely<Tables>) {
  await db.schema
    .createTable("visitorErasures")
    .addColumn("id", "text", (c) => c.primaryKey())
    .$call(belongsTo("organizationId", "organizations"))
    .addColumn("erasedAt", "bigint", (c) => c.notNull())
    .addColumn("identifierHash", "text", (c) => c.notNull())
    .addColumn("counts", "text", (c) => c.notNull())
    .addColumn("receivers", "text", (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex("visitorErasuresOrganization")
    .on("visitorErasures")
    .columns(["organizationId", "id"])
    .execute();
  // Keyed hashes, so that the ledger reveals nothing about the people who were erased.
  await db.schema
    .createTable("erasureLedger")
    .$call(belongsTo("organizationId", "organizations"))
    .addColumn("kind", "text", (c) => c.notNull())
    .addColumn("hash", "text", (c) => c.notNull())
    .addColumn("erasedAt", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("erasureLedgerKey", ["organizationId", "kind", "hash"])
    .execute();
}
