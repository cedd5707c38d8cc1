import { setImmediate as nextTurn } from "node:timers/promises";
import { sql, type UpdateObject } from "kysely";
import type { Db } from "../../db/open.ts";
import type { DocumentJobRow, DocumentRow } from "../../db/tables/documents.ts";
import type { Tables } from "../../db/tables.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Deps } from "../../deps.ts";
import { failpoint } from "../../failpoints.ts";
import { createLeasedQueue, LeaseLostError } from "../../jobs/leased-queue.ts";
import type { ExtractionError } from "../extract/extraction-error.ts";
import type { ExtractionResult } from "../extract/extraction-protocol.ts";
import type { FileStore, StoredFile } from "../file-store.ts";
import type { RunWrite } from "../ingestion-writes.ts";
import { deleteTexts } from "../retention.ts";
import { deleteChunks, replaceInIndex, setSearchable, stageChunks } from "../search/passage-index.ts";
import type { Trx } from "../store.ts";

/** A job that this process has leased. `fence` identifies the lease. */
export type LeasedJob = DocumentJobRow;

export type Progress = { stage: DocumentRow["stage"]; done: number; total: number };

/** Duration of a lease. After a crash, another process takes over the job when the lease expires. */
const LEASE_MS = 30_000;

/** The number of text parts that are written before the event loop runs other work. */
const TEXTS_AT_ONCE = 8;

export type JobQueue = ReturnType<typeof createJobQueue>;

/**
 * The queue of documents to process. Each claim and each renewal leases a job; only the holder of the newest lease can
 * write an outcome. All times come from the database clock.
 */
export function createJobQueue(
  { db, databaseKind }: Pick<Deps, "db" | "databaseKind">,
  files: FileStore,
  runWrite: RunWrite,
) {
  const leases = createLeasedQueue(
    { db, databaseKind },
    { table: "documentJobs", key: ["documentId"], leaseMs: LEASE_MS, onClaim: { attempts: sql`attempts + 1` } },
  );

  return {
    ...leases,
    claim: (limit: number, exceptOrganizations: readonly string[]): Promise<LeasedJob[]> =>
      runWrite(() => leases.claim(limit, exceptOrganizations)),
    async release(job: LeasedJob, waitMs: number): Promise<void> {
      await inTransaction(db, async (trx) => {
        await updateDocumentVersion(trx, job).set({ state: "queued", stage: null }).execute();
        await leases.release(job, waitMs, trx);
      });
    },
    /** The current document; undefined when it was deleted or has a newer version. */
    async document({ organizationId, documentId, version }: LeasedJob): Promise<DocumentRow | undefined> {
      return db
        .selectFrom("documents")
        .selectAll()
        .where("id", "=", documentId)
        .where("organizationId", "=", organizationId)
        .where("version", "=", version)
        .executeTakeFirst();
    },
    /** Whether a document is the page at which a site starts, or to which the start page redirects. */
    async isStartPage({ id, sourceId, url }: DocumentRow): Promise<boolean> {
      if (sourceId === null) return url !== null && URL.parse(url)?.pathname === "/";
      const start = db.selectFrom("sourcePages").select("url").where("sourceId", "=", sourceId);
      return (await start.where("documentId", "=", id).where("depth", "=", 0).executeTakeFirst()) !== undefined;
    },
    ...outcomes(db, files, runWrite),
    /** Stores what the job is doing. Has no effect once the outcome has been written. */
    async reportProgress(job: LeasedJob, { stage, done, total }: Progress): Promise<void> {
      await updateDocumentVersion(db, job)
        .set({ state: "processing", stage, progressDone: done, progressTotal: total })
        .where("state", "in", ["queued", "processing"])
        .execute();
    },
  };
}

/** The writes of a lease holder. Nothing is written when the lease was lost. */
function outcomes(db: Db, files: FileStore, runWrite: RunWrite) {
  return {
    /** Sets a fetched page as the document's original. @returns false when the lease was lost */
    async attachFile(job: LeasedJob, file: StoredFile): Promise<boolean> {
      return inTransaction(db, async (trx) => {
        const fence = trx.selectFrom("documentJobs").select("fence").where("documentId", "=", job.documentId);
        const attached = updateDocumentVersion(trx, job)
          .set({
            fileId: file.id,
            bytes: file.bytes,
            charset: file.declared.charset,
            declaredFormat: file.declared.format,
          })
          .where(fence, "=", job.fence);
        if ((await attached.executeTakeFirst()).numUpdatedRows === 0n) return false;
        await files.insertReceived(trx, job, file);
        return true;
      });
    },
    /** Publishes the new version atomically. @returns false when the lease was lost and nothing was written */
    async complete(job: LeasedJob, { title, mimeType, warnings, texts, prepared }: ExtractionResult): Promise<boolean> {
      const { organizationId, agentId, documentId, version } = job;
      const last = texts.at(-1);
      const changes = {
        title,
        readyTitle: title,
        readyUrl: sql<string | null>`url`,
        mimeType,
        language: prepared.languages[0] ?? null,
        state: "ready" as const,
        errorCode: null,
        errorMessage: null,
        warnings: JSON.stringify(warnings),
        readyVersion: version,
        chunks: prepared.chunks.length,
        characters: last ? last.start + last.text.length : 0,
        readyAt: Date.now(),
      };
      const staged = await stageChunks(db, job, prepared);
      if (staged !== null) failpoint("document.staged");
      const publish = async (trx: Trx, { isEnabled }: Pick<DocumentRow, "isEnabled">) => {
        await replaceInIndex(trx, { organizationId, agentId, documentId, version }, { prepared, staged });
        if (isEnabled === 0) {
          await setSearchable(trx, { organizationId, agentId, documentIds: [documentId], isEnabled: false });
        }
        for (const [index, { start, text }] of texts.entries()) {
          if (index % TEXTS_AT_ONCE === TEXTS_AT_ONCE - 1) await nextTurn();
          await trx.insertInto("documentTexts").values({ documentId, version, start, text }).execute();
        }
        failpoint("document.indexing");
      };
      const isDone = await runWrite(() => settle(db, job, { changes, work: publish }));
      failpoint("document.indexed");
      if (isDone && version > 1) await deleteEarlierVersions(db, { documentId, before: version });
      if (!isDone && staged !== null) await deleteChunks(db, { documentId, version });
      return isDone;
    },
    /**
     * Records why a version cannot be processed. The previous version stays visible. A file that failed for its content
     * would fail again, so its original is deleted.
     */
    async fail(job: LeasedJob, { code, message }: Pick<ExtractionError, "code" | "message">): Promise<boolean> {
      const failed = { state: "failed", errorCode: code, errorMessage: message } as const;
      if (!contentErrors.has(code)) return settle(db, job, { changes: failed, work: async () => {} });
      const { fileId } = (await readOriginalOf(db, job)) ?? { fileId: null };
      const isFailed = await settle(db, job, { changes: { ...failed, fileId: null }, work: async () => {} });
      if (isFailed && fileId !== null) await files.deleteFile(fileId);
      return isFailed;
    },
  };
}

/** The errors for which the content of a file is the cause. */
const contentErrors: ReadonlySet<string> = new Set([
  "ENCRYPTED",
  "NO_TEXT",
  "TOO_LARGE",
  "TOO_MANY_PAGES",
  "NOT_SUPPORTED",
  "DAMAGED",
]);

/** The original of an uploaded file. */
function readOriginalOf(db: Db, { documentId, organizationId, version }: LeasedJob) {
  return db
    .selectFrom("documents")
    .select("fileId")
    .where("id", "=", documentId)
    .where("organizationId", "=", organizationId)
    .where("version", "=", version)
    .where("kind", "=", "file")
    .executeTakeFirst();
}

/** Deletes the data of earlier versions in small transactions. Nothing reads it anymore. */
async function deleteEarlierVersions(db: Db, version: { documentId: string; before: number }): Promise<void> {
  await deleteChunks(db, version);
  await deleteTexts(db, version);
}

/**
 * Writes an outcome and deletes the job, or writes nothing when the lease was lost. Locks the document before its job,
 * as all other code does. A different order could deadlock with a request that changes the document.
 */
async function settle(
  db: Db,
  job: LeasedJob,
  {
    changes,
    work,
  }: {
    changes: UpdateObject<Tables, "documents">;
    work: (trx: Trx, document: Pick<DocumentRow, "isEnabled">) => Promise<void>;
  },
): Promise<boolean> {
  try {
    await inTransaction(db, async (trx) => {
      const settled = { ...changes, stage: null, progressDone: 0, progressTotal: 0, updatedAt: Date.now() };
      const document = await updateDocumentVersion(trx, job).set(settled).returning("isEnabled").executeTakeFirst();
      if (!document) throw new LeaseLostError();
      const held = trx.deleteFrom("documentJobs").where("documentId", "=", job.documentId);
      const finished = await held.where("fence", "=", job.fence).executeTakeFirst();
      if (finished.numDeletedRows === 0n) throw new LeaseLostError();
      await work(trx, document);
    });
    return true;
  } catch (error) {
    if (error instanceof LeaseLostError) return false;
    throw error;
  }
}

/** An update of the document that applies only while it has the job's version. */
function updateDocumentVersion(executor: Pick<Trx, "updateTable">, { organizationId, documentId, version }: LeasedJob) {
  return executor
    .updateTable("documents")
    .where("id", "=", documentId)
    .where("organizationId", "=", organizationId)
    .where("version", "=", version);
}
