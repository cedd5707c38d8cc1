import { setImmediate as nextTurn } from "node:timers/promises";
import type { Kysely, SelectQueryBuilder, Transaction } from "kysely";
import type { Tables } from "../../db/tables.ts";
import { inTransaction } from "../../db/transaction.ts";
import { waitForStartingReplies } from "../../starting-replies.ts";
import { ANALYSIS_VERSION } from "./analysis-version.ts";
import { queueEmbedding, removeVectors } from "./passage-vectors.ts";
import type { PreparedDocument } from "./prepare-document.ts";

type AgentScope = { organizationId: string; agentId: string };
type DocumentVersion = AgentScope & { documentId: string; version: number };
type DocumentSelection = AgentScope & { documentIds: readonly string[] };

/**
 * The number of rows per statement. SQLite runs statements on the event loop, so writing a large document yields to it
 * between statements.
 */
const ROWS_AT_ONCE = 100;

/**
 * Writes the chunks of a large version in advance, in small transactions, because committing thousands of rows at once
 * blocks SQLite for 40 ms and more. Searches do not find them until `replaceInIndex` makes the version current.
 * @returns the number of the first chunk, or null when the version is small and `replaceInIndex` writes its chunks
 */
export async function stageChunks(
  db: Kysely<Tables>,
  { organizationId, agentId, documentId, version }: DocumentVersion,
  { chunks }: PreparedDocument,
): Promise<number | null> {
  if (chunks.length <= ROWS_AT_ONCE) return null;
  await waitForStartingReplies();
  // A process that crashed or lost its lease may have left some chunks of this version.
  await deleteChunks(db, { documentId, version });
  const scope = { organizationId, agentId };
  const firstNumber = await inTransaction(db, (trx) => takeNumbers(trx, scope, chunks.length));
  await insertChunks(db, { ...scope, documentId, version, firstNumber }, chunks);
  return firstNumber;
}

type ChunkSelection = Pick<DocumentVersion, "documentId"> & {
  /** deletes only chunks of this version */
  version?: number;
  /** deletes only chunks of versions before this one */
  before?: number;
};

/**
 * Deletes chunks that searches no longer find, in small transactions: those of a deleted document, of a replaced
 * version, or of a version that never became current. Chunks that remain after a crash are deleted by index
 * maintenance.
 */
export async function deleteChunks(db: Kysely<Tables>, { documentId, version, before }: ChunkSelection): Promise<void> {
  const some = db
    .selectFrom("documentChunks")
    .select(["agentId", "number"])
    .where("documentId", "=", documentId)
    .$if(version !== undefined, (query) => query.where("version", "=", version ?? 0))
    .$if(before !== undefined, (query) => query.where("version", "<", before ?? 0))
    .limit(ROWS_AT_ONCE) as SelectQueryBuilder<Tables, "documentChunks", { agentId: string; number: number }>;
  for (;;) {
    const { numDeletedRows } = await db
      .deleteFrom("documentChunks")
      .where(({ eb, refTuple }) => eb(refTuple("agentId", "number"), "in", some.$asTuple("agentId", "number")))
      .executeTakeFirst();
    if (numDeletedRows < BigInt(ROWS_AT_ONCE)) return;
    await nextTurn();
  }
}

/**
 * Makes this version the one that searches find. Delete the chunks of earlier versions afterwards with `deleteChunks`.
 * `staged` is the result of `stageChunks` for this version.
 */
export async function replaceInIndex(
  trx: Transaction<Tables>,
  { organizationId, agentId, documentId, version }: DocumentVersion,
  { prepared, staged = null }: { prepared: PreparedDocument; staged?: number | null | undefined },
): Promise<void> {
  const { chunks } = prepared;
  const scope = { organizationId, agentId };
  const firstNumber = staged ?? (await takeNumbers(trx, scope, chunks.length));
  const previous = await trx
    .selectFrom("indexedDocuments")
    .select("isEnabled")
    .where("documentId", "=", documentId)
    .where("organizationId", "=", organizationId)
    .executeTakeFirst();
  if (previous) await removeFromIndex(trx, { ...scope, documentIds: [documentId] });
  const segment = await trx
    .insertInto("indexSegments")
    .values({
      organizationId,
      agentId,
      state: "live",
      level: 0,
      chunks: chunks.length,
      deadChunks: 0,
      tokens: prepared.tokens,
      languages: prepared.languages.join(","),
      analysis: ANALYSIS_VERSION,
      firstNumber,
      lastNumber: firstNumber + Math.max(0, chunks.length - 1),
      bytes: prepared.contents.length,
      contents: Buffer.from(prepared.contents),
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  await trx
    .insertInto("indexedDocuments")
    .values({
      documentId,
      organizationId,
      agentId,
      version,
      segmentId: segment.id,
      title: prepared.title,
      chunks: chunks.length,
      isEnabled: previous?.isEnabled ?? 1,
    })
    .execute();
  if (staged === null) await insertChunks(trx, { ...scope, documentId, version, firstNumber }, chunks);
  await queueEmbedding(trx, scope, { first: firstNumber, end: firstNumber + chunks.length });
}

async function insertChunks(
  db: Kysely<Tables>,
  { organizationId, agentId, documentId, version, firstNumber }: DocumentVersion & { firstNumber: number },
  chunks: PreparedDocument["chunks"],
): Promise<void> {
  for (let start = 0; start < chunks.length; start += ROWS_AT_ONCE) {
    if (start > 0) await waitForStartingReplies();
    const rows = chunks.slice(start, start + ROWS_AT_ONCE).map(({ ordinal, heading, page, question, text }, index) => ({
      number: firstNumber + start + index,
      organizationId,
      agentId,
      documentId,
      version,
      ordinal,
      heading,
      page,
      question,
      text,
    }));
    await db.insertInto("documentChunks").values(rows).execute();
  }
}

/**
 * Allocates chunk numbers. They are dense within an agent, so a search can sum scores in an array.
 * @returns the first allocated number
 */
async function takeNumbers(trx: Transaction<Tables>, { organizationId, agentId }: AgentScope, count: number) {
  const { nextNumber } = await trx
    .insertInto("agentIndexes")
    .values({ agentId, organizationId, nextNumber: count })
    .onConflict((conflict) =>
      conflict.column("agentId").doUpdateSet((set) => ({ nextNumber: set("agentIndexes.nextNumber", "+", count) })),
    )
    .returning("nextNumber")
    .executeTakeFirstOrThrow();
  return nextNumber - count;
}

/**
 * Deletes the documents' vectors and index entries, so that no search finds them. Unknown ids are ignored. Delete their
 * chunks afterwards with `deleteChunks`: committing thousands of rows at once would hold SQLite.
 */
export async function removeFromIndex(
  trx: Transaction<Tables>,
  { organizationId, agentId, documentIds }: DocumentSelection,
): Promise<void> {
  for (const documentId of documentIds) {
    const removed = await trx
      .deleteFrom("indexedDocuments")
      .where("documentId", "=", documentId)
      .where("agentId", "=", agentId)
      .where("organizationId", "=", organizationId)
      .returning(["segmentId", "chunks"])
      .executeTakeFirst();
    if (!removed) continue;
    const { segmentId, chunks } = removed;
    const single = trx.deleteFrom("indexSegments").where("id", "=", segmentId).where("level", "=", 0);
    if ((await single.executeTakeFirst()).numDeletedRows === 0n) {
      await trx
        .updateTable("indexSegments")
        .set((set) => ({ deadChunks: set("deadChunks", "+", chunks) }))
        .where("id", "=", segmentId)
        .execute();
    }
  }
  // After all documents, because storing vectors also locks documents before the agent's progress.
  await removeVectors(trx, { organizationId, agentId, documentIds });
}

/** Shows or hides documents in searches without indexing them again. */
export async function setSearchable(
  trx: Transaction<Tables>,
  { organizationId, agentId, documentIds, isEnabled }: DocumentSelection & { isEnabled: boolean },
): Promise<void> {
  if (documentIds.length === 0) return;
  await trx
    .updateTable("indexedDocuments")
    .set({ isEnabled: isEnabled ? 1 : 0 })
    .where("documentId", "in", [...documentIds])
    .where("agentId", "=", agentId)
    .where("organizationId", "=", organizationId)
    .execute();
}
