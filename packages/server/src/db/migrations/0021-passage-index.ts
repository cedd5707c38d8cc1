import { type Kysely, sql } from "kysely";
import type { DatabaseKind } from "../database-kind.ts";
import type { Tables } from "../tables.ts";

/**
 * Adds the passages of documents, the inverted index over them, and their embeddings.
 *
 * No table references `agents`: deleting an agent with a million passages in one statement would hold SQLite, and with
 * it the event loop, for seconds. Index maintenance deletes the rows of agents that no longer exist in small batches.
 */
export async function passageIndex(db: Kysely<Tables>, kind: DatabaseKind): Promise<void> {
  await createChunks(db, kind);
  await createIndexedDocuments(db);
  await createSegments(db, kind);
  await createPostings(db, kind);
  await createVectors(db, kind);
}

const blob = (kind: DatabaseKind) => (kind === "sqlite" ? "blob" : "bytea");

/** Numbers are never reused: postings of a deleted chunk stay in the index until their segment is rewritten. */
async function createChunks(db: Kysely<Tables>, kind: DatabaseKind) {
  await db.schema
    .createTable("agentIndexes")
    .addColumn("agentId", "text", (c) => c.primaryKey())
    .addColumn("organizationId", "text", (c) => c.notNull())
    .addColumn("nextNumber", "bigint", (c) => c.notNull())
    .execute();
  await db.schema
    .createTable("documentChunks")
    .addColumn("agentId", "text", (c) => c.notNull())
    .addColumn("number", "bigint", (c) => c.notNull())
    .addColumn("organizationId", "text", (c) => c.notNull())
    .addColumn("documentId", "text", (c) => c.notNull())
    .addColumn("version", "integer", (c) => c.notNull())
    .addColumn("ordinal", "integer", (c) => c.notNull())
    .addColumn("heading", "text")
    .addColumn("page", "integer")
    .addColumn("question", "text")
    .addColumn("text", "text", (c) => c.notNull())
    .addPrimaryKeyConstraint("documentChunksKey", ["agentId", "number"])
    .$call((table) => (kind === "sqlite" ? table.modifyEnd(sql`without rowid`) : table))
    .execute();
  await db.schema
    .createIndex("documentChunksDocument")
    .on("documentChunks")
    .columns(["documentId", "version", "ordinal"])
    .unique()
    .execute();
}

async function createIndexedDocuments(db: Kysely<Tables>) {
  await db.schema
    .createTable("indexedDocuments")
    .addColumn("documentId", "text", (c) => c.primaryKey())
    .addColumn("organizationId", "text", (c) => c.notNull())
    .addColumn("agentId", "text", (c) => c.notNull())
    .addColumn("version", "integer", (c) => c.notNull())
    .addColumn("segmentId", "bigint", (c) => c.notNull())
    .addColumn("title", "text", (c) => c.notNull())
    .addColumn("chunks", "integer", (c) => c.notNull())
    .addColumn("isEnabled", "integer", (c) => c.notNull())
    .execute();
  const index = (name: string) => db.schema.createIndex(`indexedDocuments${name}`).on("indexedDocuments");
  await index("Agent").column("agentId").execute();
  await index("Segment").column("segmentId").execute();
}

async function createSegments(db: Kysely<Tables>, kind: DatabaseKind) {
  await db.schema
    .createTable("indexSegments")
    .addColumn("id", kind === "sqlite" ? "integer" : "bigserial", (c) =>
      kind === "sqlite" ? c.primaryKey().autoIncrement() : c.primaryKey(),
    )
    .addColumn("organizationId", "text", (c) => c.notNull())
    .addColumn("agentId", "text", (c) => c.notNull())
    .addColumn("state", "text", (c) => c.notNull())
    .addColumn("level", "integer", (c) => c.notNull())
    .addColumn("chunks", "integer", (c) => c.notNull())
    .addColumn("deadChunks", "integer", (c) => c.notNull())
    .addColumn("tokens", "bigint", (c) => c.notNull())
    .addColumn("languages", "text", (c) => c.notNull())
    .addColumn("firstNumber", "bigint", (c) => c.notNull())
    .addColumn("lastNumber", "bigint", (c) => c.notNull())
    .addColumn("bytes", "integer", (c) => c.notNull())
    .addColumn("contents", blob(kind))
    .execute();
  await db.schema.createIndex("indexSegmentsAgent").on("indexSegments").columns(["agentId", "state"]).execute();
}

async function createPostings(db: Kysely<Tables>, kind: DatabaseKind) {
  await db.schema
    .createTable("indexPostings")
    .addColumn("segmentId", "bigint", (c) => c.notNull())
    // Sorted by bytes, the order in which maintenance merges segments.
    .addColumn("term", kind === "sqlite" ? "text" : sql`text collate "C"`, (c) => c.notNull())
    .addColumn("block", "integer", (c) => c.notNull())
    .addColumn("chunks", "integer", (c) => c.notNull())
    .addColumn("postings", blob(kind), (c) => c.notNull())
    .addPrimaryKeyConstraint("indexPostingsKey", ["segmentId", "term", "block"])
    .$call((table) => (kind === "sqlite" ? table.modifyEnd(sql`without rowid`) : table))
    .execute();
  if (kind === "sqlite") return;
  // Postings are packed already; PostgreSQL would try to compress them on every write.
  await sql`alter table "indexPostings" alter column postings set storage external`.execute(db);
  await sql`alter table "indexSegments" alter column contents set storage external`.execute(db);
}

async function createVectors(db: Kysely<Tables>, kind: DatabaseKind) {
  await db.schema
    .createTable("chunkVectors")
    .addColumn("agentId", "text", (c) => c.notNull())
    .addColumn("model", "text", (c) => c.notNull())
    .addColumn("number", "bigint", (c) => c.notNull())
    .addColumn("organizationId", "text", (c) => c.notNull())
    .addColumn("documentId", "text", (c) => c.notNull())
    .addColumn("vector", blob(kind), (c) => c.notNull())
    .addPrimaryKeyConstraint("chunkVectorsKey", ["agentId", "model", "number"])
    .$call((table) => (kind === "sqlite" ? table.modifyEnd(sql`without rowid`) : table))
    .execute();
  await db.schema.createIndex("chunkVectorsDocument").on("chunkVectors").column("documentId").execute();
}
