import { setImmediate as nextTurn } from "node:timers/promises";
import type { Transaction } from "kysely";
import type { Tables } from "../../db/tables.ts";
import type { PreparedDocument } from "./prepare-document.ts";

type AgentScope = { organizationId: string; agentId: string };
type DocumentVersion = AgentScope & { documentId: string; version: number };
type DocumentSelection = AgentScope & { documentIds: readonly string[] };

/** Rows a statement. SQLite runs it within the process, so larger documents let the event loop turn in between. */
const ROWS_AT_ONCE = 100;

/** Makes this version the one that searches find. The earlier version and its chunks are deleted. */
export async function replaceInIndex(
  trx: Transaction<Tables>,
  { organizationId, agentId, documentId, version }: DocumentVersion,
  prepared: PreparedDocument,
): Promise<void> {
  const { chunks } = prepared;
  const scope = { organizationId, agentId };
  const firstNumber = await takeNumbers(trx, scope, chunks.length);
  const previous = await trx
    .selectFrom("indexedDocuments")
    .select("isEnabled")
    .where("documentId", "=", documentId)
    .where("organizationId", "=", organizationId)
    .executeTakeFirst();
  await removeFromIndex(trx, { ...scope, documentIds: [documentId] });
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
  for (let start = 0; start < chunks.length; start += ROWS_AT_ONCE) {
    if (start > 0) await nextTurn();
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
    await trx.insertInto("documentChunks").values(rows).execute();
  }
}

/** Numbers of an agent's chunks are dense, so that a search can add up scores in an array. @returns the first */
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

/** Deletes the documents' chunks, vectors and index entries. Unknown ids are ignored. */
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
      .returning(["segmentId", "chunks", "version"])
      .executeTakeFirst();
    if (!removed) continue;
    const { segmentId, chunks, version } = removed;
    const single = trx.deleteFrom("indexSegments").where("id", "=", segmentId).where("level", "=", 0);
    if ((await single.executeTakeFirst()).numDeletedRows === 0n) {
      await trx
        .updateTable("indexSegments")
        .set((set) => ({ deadChunks: set("deadChunks", "+", chunks) }))
        .where("id", "=", segmentId)
        .execute();
    }
    await trx.deleteFrom("chunkVectors").where("documentId", "=", documentId).execute();
    await removeChunks(trx, { organizationId, documentId, version });
  }
}

async function removeChunks(
  trx: Transaction<Tables>,
  { organizationId, documentId, version }: { organizationId: string; documentId: string; version: number },
) {
  for (let from = 0; ; from += ROWS_AT_ONCE) {
    const deleted = await trx
      .deleteFrom("documentChunks")
      .where("documentId", "=", documentId)
      .where("organizationId", "=", organizationId)
      .where("version", "=", version)
      .where("ordinal", "<", from + ROWS_AT_ONCE)
      .executeTakeFirst();
    if (deleted.numDeletedRows < BigInt(ROWS_AT_ONCE)) {
      // Ordinals may have gaps; whatever is left goes in one statement.
      await trx.deleteFrom("documentChunks").where("documentId", "=", documentId).execute();
      return;
    }
    await nextTurn();
  }
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
