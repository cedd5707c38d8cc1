import { type Kysely, sql } from "kysely";
import { belongsTo } from "../belongs-to.ts";
import type { DatabaseKind } from "../database-kind.ts";
import type { Tables } from "../tables.ts";

/**
 * Adds the choice of an embedding model, how far each agent's passages are embedded, and the sign bits of the vectors.
 *
 * Like the passage index, `agentEmbeddings` and `vectorSigns` don't reference `agents`: index maintenance deletes the
 * rows of deleted agents in small batches.
 */
export async function embeddings(db: Kysely<Tables>, kind: DatabaseKind): Promise<void> {
  await db.schema
    .createTable("embeddingSettings")
    .addColumn("organizationId", "text", (c) => c.primaryKey().references("organizations.id").onDelete("cascade"))
    .addColumn("model", "text", (c) => c.notNull())
    .addColumn("queryError", "text")
    .addColumn("queryErrorAt", "bigint")
    .addColumn("updatedAt", "bigint", (c) => c.notNull())
    .execute();
  await createProgress(db);
  await createSigns(db, kind);
}

async function createProgress(db: Kysely<Tables>) {
  const count = (name: string) => [name, "bigint"] as const;
  await db.schema
    .createTable("agentEmbeddings")
    .addColumn("agentId", "text", (c) => c.notNull())
    .addColumn("model", "text", (c) => c.notNull())
    .$call(belongsTo("organizationId", "organizations"))
    .addColumn(...count("nextNumber"), (c) => c.notNull())
    .addColumn(...count("endNumber"), (c) => c.notNull())
    .addColumn(...count("batches"), (c) => c.notNull().defaultTo(0))
    .addColumn(...count("vectors"), (c) => c.notNull().defaultTo(0))
    .addColumn(...count("skipped"), (c) => c.notNull().defaultTo(0))
    .addColumn(...count("tokens"), (c) => c.notNull().defaultTo(0))
    .addColumn("dimensions", "integer")
    .addColumn("isRetired", "integer", (c) => c.notNull().defaultTo(0))
    .addColumn("readyAt", "bigint")
    .addColumn("dueAt", "bigint")
    .addColumn("fence", "integer", (c) => c.notNull().defaultTo(0))
    .addColumn("attempts", "integer", (c) => c.notNull().defaultTo(0))
    .addColumn("error", "text")
    .addColumn("errorAt", "bigint")
    .addPrimaryKeyConstraint("agentEmbeddingsKey", ["agentId", "model"])
    .execute();
  await db.schema.createIndex("agentEmbeddingsOrganization").on("agentEmbeddings").column("organizationId").execute();
  await db.schema
    .createIndex("agentEmbeddingsDue")
    .on("agentEmbeddings")
    .column("dueAt")
    .where(sql.ref("dueAt"), "is not", null)
    .execute();
}

/**
 * One row holds the signs of the passages of a document that were embedded together; the first has the row's number.
 */
async function createSigns(db: Kysely<Tables>, kind: DatabaseKind) {
  await db.schema
    .createTable("vectorSigns")
    .addColumn("agentId", "text", (c) => c.notNull())
    .addColumn("model", "text", (c) => c.notNull())
    .addColumn("batch", "bigint", (c) => c.notNull())
    .addColumn("number", "bigint", (c) => c.notNull())
    .addColumn("organizationId", "text", (c) => c.notNull())
    .addColumn("documentId", "text", (c) => c.notNull())
    .addColumn("passages", "integer", (c) => c.notNull())
    .addColumn("signs", kind === "sqlite" ? "blob" : "bytea", (c) => c.notNull())
    .addPrimaryKeyConstraint("vectorSignsKey", ["agentId", "model", "batch", "number"])
    .$call((table) => (kind === "sqlite" ? table.modifyEnd(sql`without rowid`) : table))
    .execute();
  await db.schema.createIndex("vectorSignsDocument").on("vectorSigns").column("documentId").execute();
  if (kind === "sqlite") return;
  // Neither column can be compressed, but PostgreSQL would try on every write.
  await sql`alter table "vectorSigns" alter column signs set storage external`.execute(db);
  await sql`alter table "chunkVectors" alter column vector set storage external`.execute(db);
}
