import { type SelectQueryBuilder, sql, type Transaction } from "kysely";
import { deleteBySize, deleteInBatches } from "../db/clean-up.ts";
import type { Db } from "../db/open.ts";
import type { Tables } from "../db/tables.ts";
import { createFileStore } from "./file-store.ts";

/** The number of text parts of a large document, up to 64 Ki characters each, that one transaction deletes. */
const PARTS_PER_BATCH = 32;

/** An upper bound of a document's size if its text is in the Latin alphabet. The original is deleted separately. */
const documentBytes = sql<number>`1024 + characters * 2`;

/**
 * Deletes originals that no document refers to, such as those of interrupted uploads.
 * @returns the number of deleted originals
 */
export function deleteUnusedOriginals(db: Db, now: number): Promise<number> {
  return createFileStore(db).deleteOrphans(now);
}

/**
 * Deletes an agent's documents with their originals, texts and jobs, and its sites. Index maintenance deletes the
 * passages, because only its thread writes the search index.
 * @returns the number of deleted documents
 */
export async function deleteAgentDocuments(db: Db, agentId: string): Promise<number> {
  await endSyncs(db, agentId);
  await deleteJobs(db, agentId);
  await deleteSourcePages(db, { agentId });
  const documents = await deleteRows(db, agentId);
  await deleteOriginals(db, agentId);
  await db.deleteFrom("sources").where("agentId", "=", agentId).execute();
  return documents;
}

/** Revokes the leases of running syncs, which then add no more documents. */
async function endSyncs(db: Db, agentId: string): Promise<void> {
  const ended = { state: "idle", dueAt: null, fence: sql<number>`fence + 1` } as const;
  await db.updateTable("sources").set(ended).where("agentId", "=", agentId).execute();
}

/** Deletes the jobs. The worker stops processing documents that have no job. */
function deleteJobs(db: Db, agentId: string): Promise<number> {
  return deleteInBatches(db, async (trx, limit) => {
    const some = trx.selectFrom("documentJobs").select("documentId").where("agentId", "=", agentId).limit(limit);
    const deleted = await trx.deleteFrom("documentJobs").where("documentId", "in", some).executeTakeFirst();
    return Number(deleted.numDeletedRows);
  });
}

/** Deletes the pages of an agent's sites, or of one site, a few at a time. */
export function deleteSourcePages(db: Db, of: { agentId: string } | { sourceId: string }): Promise<number> {
  return deleteInBatches(db, async (trx, limit) => {
    const sources = trx
      .selectFrom("sources")
      .select("id")
      .where((row) => ("agentId" in of ? row("agentId", "=", of.agentId) : row("id", "=", of.sourceId)));
    const some = trx
      .selectFrom("sourcePages")
      .select(["sourceId", "url"])
      .where("sourceId", "in", sources)
      .limit(limit) as SelectQueryBuilder<Tables, "sourcePages", { sourceId: string; url: string }>;
    const deleted = trx
      .deleteFrom("sourcePages")
      .where(({ eb, refTuple }) => eb(refTuple("sourceId", "url"), "in", some.$asTuple("sourceId", "url")));
    return Number((await deleted.executeTakeFirst()).numDeletedRows);
  });
}

function deleteRows(db: Db, agentId: string): Promise<number> {
  return deleteBySize(db, {
    next: (trx, limit) =>
      trx
        .selectFrom("documents")
        .select(["id", documentBytes.as("bytes")])
        .where("agentId", "=", agentId)
        .orderBy("id")
        .limit(limit)
        .execute(),
    async remove(trx, rows) {
      const ids = rows.map(({ id }) => id);
      await trx.deleteFrom("documents").where("id", "in", ids).execute();
    },
    shrink: ({ id }) => deleteTexts(db, { documentId: id }),
  });
}

/** Deletes the text of a document, or of its versions before `before`, a few parts at a time. */
export function deleteTexts(db: Db, { documentId, before }: { documentId: string; before?: number }): Promise<number> {
  const deleteSome = async (trx: Transaction<Tables>, limit: number) => {
    const some = trx
      .selectFrom("documentTexts")
      .select(["documentId", "version", "start"])
      .where("documentId", "=", documentId)
      .$if(before !== undefined, (query) => query.where("version", "<", before ?? 0))
      .limit(limit) as SelectQueryBuilder<
      Tables,
      "documentTexts",
      { documentId: string; version: number; start: number }
    >;
    const deleted = trx
      .deleteFrom("documentTexts")
      .where(({ eb, refTuple }) =>
        eb(refTuple("documentId", "version", "start"), "in", some.$asTuple("documentId", "version", "start")),
      );
    return Number((await deleted.executeTakeFirst()).numDeletedRows);
  };
  return deleteInBatches(db, deleteSome, PARTS_PER_BATCH);
}

/**
 * Deletes files that no row names any more, part by part, because one transaction for all of them would block other
 * work. What remains after a crash is deleted with the unused originals.
 */
export async function deleteOriginalsById(db: Db, ids: readonly string[]): Promise<void> {
  const files = createFileStore(db);
  for (const id of ids) await files.deleteFile(id);
}

async function deleteOriginals(db: Db, agentId: string): Promise<void> {
  const files = createFileStore(db);
  const next = db.selectFrom("documentFiles").select("id").where("agentId", "=", agentId).limit(1);
  for (let file = await next.executeTakeFirst(); file; file = await next.executeTakeFirst()) {
    await files.deleteFile(file.id);
  }
}
