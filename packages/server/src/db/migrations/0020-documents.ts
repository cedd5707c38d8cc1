import { type Kysely, sql } from "kysely";
import { belongsTo } from "../belongs-to.ts";
import type { DatabaseKind } from "../database-kind.ts";
import type { Tables } from "../tables.ts";

/** Documents with their originals, texts and jobs, and the sites that pages come from. */
export async function documents(db: Kysely<Tables>, kind: DatabaseKind): Promise<void> {
  await createSources(db);
  await createDocuments(db);
  await createFiles(db, kind);
  await createTexts(db);
  await createJobs(db);
  await createSourcePages(db);
}

async function createDocuments(db: Kysely<Tables>) {
  await db.schema
    .createTable("documents")
    .addColumn("id", "text", (c) => c.primaryKey())
    .$call(belongsTo("organizationId", "organizations"))
    .$call(belongsTo("agentId", "agents"))
    .addColumn("sourceId", "text", (c) => c.references("sources.id").onDelete("cascade"))
    .addColumn("kind", "text", (c) => c.notNull())
    .addColumn("title", "text", (c) => c.notNull())
    .addColumn("url", "text")
    .addColumn("externalKey", "text")
    .addColumn("mimeType", "text", (c) => c.notNull())
    .addColumn("bytes", "bigint", (c) => c.notNull())
    .addColumn("fileId", "text")
    .addColumn("contentHash", "text", (c) => c.notNull())
    .addColumn("uniqueContent", "text")
    .addColumn("language", "text")
    .addColumn("state", "text", (c) => c.notNull())
    .addColumn("stage", "text")
    .addColumn("progressDone", "integer", (c) => c.notNull())
    .addColumn("progressTotal", "integer", (c) => c.notNull())
    .addColumn("errorCode", "text")
    .addColumn("errorMessage", "text")
    .addColumn("version", "integer", (c) => c.notNull())
    .addColumn("readyVersion", "integer")
    .addColumn("chunks", "integer", (c) => c.notNull())
    .addColumn("characters", "integer", (c) => c.notNull())
    .addColumn("isEnabled", "integer", (c) => c.notNull())
    .addColumn("citation", "text", (c) => c.notNull())
    .addColumn("createdAt", "bigint", (c) => c.notNull())
    .addColumn("updatedAt", "bigint", (c) => c.notNull())
    .addColumn("readyAt", "bigint")
    .execute();
  await db.schema.createIndex("documentsOrganization").on("documents").columns(["organizationId", "id"]).execute();
  await db.schema.createIndex("documentsAgent").on("documents").columns(["agentId", "id"]).execute();
  await db.schema.createIndex("documentsFile").on("documents").column("fileId").execute();
  await db.schema.createIndex("documentsSource").on("documents").column("sourceId").execute();
  await db.schema.createIndex("documentsKey").unique().on("documents").columns(["agentId", "externalKey"]).execute();
  await db.schema
    .createIndex("documentsContent")
    .unique()
    .on("documents")
    .columns(["agentId", "uniqueContent"])
    .execute();
}

/** An original is stored in parts, so that writing or reading 25 MB never holds up the event loop. */
async function createFiles(db: Kysely<Tables>, kind: DatabaseKind) {
  await db.schema
    .createTable("documentFiles")
    .addColumn("id", "text", (c) => c.primaryKey())
    .$call(belongsTo("organizationId", "organizations"))
    .$call(belongsTo("agentId", "agents"))
    .addColumn("createdAt", "bigint", (c) => c.notNull())
    .execute();
  await db.schema.createIndex("documentFilesAgent").on("documentFiles").column("agentId").execute();
  await db.schema.createIndex("documentFilesCreated").on("documentFiles").column("createdAt").execute();
  await db.schema
    .createTable("documentFileParts")
    .$call(belongsTo("fileId", "documentFiles"))
    .addColumn("number", "integer", (c) => c.notNull())
    .addColumn("content", kind === "sqlite" ? "blob" : "bytea", (c) => c.notNull())
    .addPrimaryKeyConstraint("documentFilePartsKey", ["fileId", "number"])
    .execute();
}

async function createTexts(db: Kysely<Tables>) {
  await db.schema
    .createTable("documentTexts")
    .$call(belongsTo("documentId", "documents"))
    .addColumn("version", "integer", (c) => c.notNull())
    .addColumn("start", "integer", (c) => c.notNull())
    .addColumn("text", "text", (c) => c.notNull())
    .addPrimaryKeyConstraint("documentTextsKey", ["documentId", "version", "start"])
    .execute();
}

async function createJobs(db: Kysely<Tables>) {
  await db.schema
    .createTable("documentJobs")
    .addColumn("documentId", "text", (c) => c.primaryKey().references("documents.id").onDelete("cascade"))
    .$call(belongsTo("organizationId", "organizations"))
    .$call(belongsTo("agentId", "agents"))
    .addColumn("version", "integer", (c) => c.notNull())
    .addColumn("attempts", "integer", (c) => c.notNull())
    .addColumn("dueAt", "bigint", (c) => c.notNull())
    .addColumn("fence", "integer", (c) => c.notNull())
    .execute();
  await db.schema.createIndex("documentJobsDue").on("documentJobs").column("dueAt").execute();
  await db.schema.createIndex("documentJobsAgent").on("documentJobs").column("agentId").execute();
}

async function createSources(db: Kysely<Tables>) {
  await db.schema
    .createTable("sources")
    .addColumn("id", "text", (c) => c.primaryKey())
    .$call(belongsTo("organizationId", "organizations"))
    .$call(belongsTo("agentId", "agents"))
    .addColumn("url", "text", (c) => c.notNull())
    .addColumn("include", "text", (c) => c.notNull())
    .addColumn("exclude", "text", (c) => c.notNull())
    .addColumn("urls", "text")
    .addColumn("schedule", "text", (c) => c.notNull())
    .addColumn("maxPages", "integer", (c) => c.notNull())
    .addColumn("state", "text", (c) => c.notNull())
    .addColumn("errorCode", "text")
    .addColumn("errorMessage", "text")
    .addColumn("sync", "integer", (c) => c.notNull())
    .addColumn("isDiscovered", "integer", (c) => c.notNull())
    .addColumn("fence", "integer", (c) => c.notNull())
    .addColumn("dueAt", "bigint")
    .addColumn("lastSyncAt", "bigint")
    .addColumn("createdAt", "bigint", (c) => c.notNull())
    .addColumn("updatedAt", "bigint", (c) => c.notNull())
    .execute();
  await db.schema.createIndex("sourcesOrganization").on("sources").columns(["organizationId", "id"]).execute();
  await db.schema.createIndex("sourcesAgent").on("sources").columns(["agentId", "id"]).execute();
  await db.schema
    .createIndex("sourcesDue")
    .on("sources")
    .column("dueAt")
    .where(sql.ref("dueAt"), "is not", null)
    .execute();
}

async function createSourcePages(db: Kysely<Tables>) {
  await db.schema
    .createTable("sourcePages")
    .$call(belongsTo("sourceId", "sources"))
    .addColumn("url", "text", (c) => c.notNull())
    .addColumn("documentId", "text", (c) => c.references("documents.id").onDelete("set null"))
    .addColumn("state", "text", (c) => c.notNull())
    .addColumn("reason", "text")
    .addColumn("etag", "text")
    .addColumn("lastModified", "text")
    .addColumn("contentHash", "text")
    .addColumn("sync", "integer", (c) => c.notNull())
    .addColumn("misses", "integer", (c) => c.notNull())
    .addPrimaryKeyConstraint("sourcePagesKey", ["sourceId", "url"])
    .execute();
  await db.schema.createIndex("sourcePagesState").on("sourcePages").columns(["sourceId", "state", "url"]).execute();
  await db.schema.createIndex("sourcePagesDocument").on("sourcePages").column("documentId").execute();
}
