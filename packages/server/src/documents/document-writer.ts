import type { Document, DocumentChanges } from "@foyer/contract";
import { omitUndefined } from "@foyer/contract/rules/omit-undefined";
import type { Logger } from "pino";
import type { Principal } from "../auth/sessions/authenticate.ts";
import { isDuplicate, isMissingReference } from "../db/database-errors.ts";
import type { DocumentRow } from "../db/tables/documents.ts";
import { AppError, notFound } from "../errors.ts";
import { failpoint } from "../failpoints.ts";
import type { SaveResponse } from "../http/idempotency.ts";
import { newId } from "../ids.ts";
import { readLimits } from "../plans/plan-limits.ts";
import { type DocumentContent, toDocument } from "./document-columns.ts";
import { checkDocumentBytes, countDocumentBytes } from "./document-quota.ts";
import type { FileStore, StoredFile } from "./file-store.ts";
import type { RunWrite } from "./ingestion-writes.ts";
import { removeFromIndex, setSearchable } from "./search/passage-index.ts";
import type { DocumentStore, Trx } from "./store.ts";

/** 202: the document is new or its content changed. 200: it already existed, or only its settings changed. */
export type Saved = { status: 200 | 202; document: Document };

/** A document to insert. `file` is the stored file of an upload. */
export type NewDocument = {
  principal: Pick<Principal, "organizationId" | "plan">;
  agentId: string;
  content: DocumentContent;
  file?: StoredFile;
  externalKey?: string;
  sourceId?: string;
  settings?: Settings;
  keep?: SaveResponse | undefined;
  alongside?: Alongside;
};

/** Additional writes in the document's transaction. Throwing rolls the transaction back. */
type Alongside = (trx: Trx, documentId: string) => Promise<void>;

export type Settings = Partial<Pick<DocumentRow, "isEnabled" | "citation">>;
export type DocumentWriter = ReturnType<typeof createDocumentWriter>;

type Parts = { store: DocumentStore; files: FileStore; runWrite: RunWrite; log: Logger; onQueued: () => void };

/** Writes documents together with their jobs and the search index. `onQueued` is called after a job was queued. */
export function createDocumentWriter(parts: Parts) {
  return {
    insert: (request: NewDocument) => insert(parts, request),
    replace: (row: DocumentRow, replacement: Replacement) => replace(parts, row, replacement),
    keepUnchanged: (row: DocumentRow, keep: SaveResponse | undefined) => keepUnchanged(parts, row, keep),
    changeSettings: (row: DocumentRow, settings: Settings) => changeSettings(parts, row, settings),
    processAgain: (row: DocumentRow, changes?: Partial<DocumentRow>) => processAgain(parts, row, changes),
    disable: (organizationId: string, rows: readonly Owned[]) => disable(parts, organizationId, rows),
    delete: (organizationId: string, rows: readonly Owned[]) => deleteRows(parts, organizationId, rows),
    discard: (fileId: string) => discard(parts, fileId),
  };
}

/**
 * Inserts a document. A document without key and source is not inserted if the agent already has one with the same
 * content.
 */
async function insert(parts: Parts, request: NewDocument): Promise<Saved> {
  const { store, runWrite } = parts;
  const { principal, agentId, content, file, keep } = request;
  const { organizationId } = principal;
  const { documentsPerAgent } = readLimits(principal.plan);
  const saved = await runWrite(() =>
    store.inTransaction(async (trx): Promise<Saved> => {
      await store.lockAgent(trx, agentId);
      const twin = isUnique(request) && (await store.byContent(trx, { organizationId, agentId }, content.contentHash));
      if (twin) {
        const found: Saved = { status: 200, document: toDocument(twin) };
        await keep?.(trx, agentId, found);
        return found;
      }
      if (
        documentsPerAgent !== null &&
        (await store.countWithin(trx, { organizationId, agentId })) >= documentsPerAgent
      )
        throw limitReached(principal.plan, documentsPerAgent);
      await reserveBytes(trx, organizationId, request);
      const row = createRow(request, await insertOriginal(parts, trx, request));
      await store.insert(trx, row);
      const created: Saved = { status: 202, document: toDocument(row) };
      await keep?.(trx, agentId, created);
      await request.alongside?.(trx, row.id);
      failpoint("document.committing");
      return created;
    }),
  ).catch((error: unknown) => {
    throw isMissingReference(error) ? notFound("Agent") : error;
  });
  if (file && saved.status === 200) discard(parts, file.id);
  failpoint("document.committed");
  if (saved.status === 202) parts.onQueued();
  return saved;
}

/** @throws 403 or 429 when the plan allows no more bytes */
async function reserveBytes(
  trx: Trx,
  organizationId: string,
  { content: { original }, file }: Pick<NewDocument, "content" | "file">,
): Promise<void> {
  const bytes = file?.bytes ?? original?.content.length ?? 0;
  await checkDocumentBytes(trx, organizationId, bytes);
  await countDocumentBytes(trx, organizationId, bytes);
}

const isUnique = ({ externalKey, sourceId }: NewDocument) => externalKey === undefined && sourceId === undefined;

async function insertOriginal({ files }: Parts, trx: Trx, request: NewDocument): Promise<string | null> {
  const { principal, agentId, content, file } = request;
  const { organizationId } = principal;
  if (file) {
    await files.insertReceived(trx, { organizationId, agentId }, file);
    return file.id;
  }
  return content.original && files.insertSmall(trx, { organizationId, agentId }, content.original.content);
}

function createRow(request: NewDocument, fileId: string | null): DocumentRow {
  const { principal, agentId, content, file, externalKey = null, sourceId = null, settings = {} } = request;
  const { kind, title, url, hasOwnTitle, original, contentHash } = content;
  const now = Date.now();
  return {
    id: newId("doc"),
    organizationId: principal.organizationId,
    agentId,
    sourceId,
    kind,
    title,
    url,
    hasOwnTitle: hasOwnTitle ? 1 : 0,
    readyTitle: null,
    readyUrl: null,
    externalKey,
    mimeType: original?.mimeType ?? "application/octet-stream",
    bytes: file?.bytes ?? original?.content.length ?? 0,
    fileId,
    charset: file?.declared.charset ?? null,
    declaredFormat: file?.declared.format ?? null,
    contentHash,
    uniqueContent: isUnique(request) ? contentHash : null,
    language: null,
    state: "queued",
    stage: null,
    progressDone: 0,
    progressTotal: 0,
    errorCode: null,
    errorMessage: null,
    warnings: "[]",
    version: 1,
    readyVersion: null,
    chunks: 0,
    characters: 0,
    isEnabled: settings.isEnabled ?? 1,
    citation: settings.citation ?? "link",
    createdAt: now,
    updatedAt: now,
    readyAt: null,
  };
}

/** The new content of a document. `file` is the stored file of an upload. */
export type Replacement = {
  content: DocumentContent;
  file?: StoredFile;
  settings?: Settings;
  keep?: SaveResponse | undefined;
  alongside?: Alongside;
};

/** Replaces a document's content. The current content stays in use until the new one is processed. */
async function replace(parts: Parts, row: DocumentRow, replacement: Replacement): Promise<Saved> {
  const { store, files, runWrite } = parts;
  const { content, file, settings = {}, keep, alongside } = replacement;
  const { kind, title, url, hasOwnTitle, original, contentHash } = content;
  const document = await runWrite(() =>
    store.inTransaction(async (trx) => {
      await reserveBytes(trx, row.organizationId, replacement);
      if (file) await files.insertReceived(trx, row, file);
      const fileId = file?.id ?? (original ? await files.insertSmall(trx, row, original.content) : null);
      const updated = await store.updateAndQueue(trx, row, {
        ...settings,
        kind,
        title,
        url,
        hasOwnTitle: hasOwnTitle ? 1 : 0,
        mimeType: original?.mimeType ?? row.mimeType,
        bytes: file?.bytes ?? original?.content.length ?? row.bytes,
        fileId,
        charset: file?.declared.charset ?? null,
        declaredFormat: file?.declared.format ?? null,
        contentHash,
        uniqueContent: row.uniqueContent === null ? null : contentHash,
      });
      if (updated) {
        await applySettings(trx, row, settings);
        await keep?.(trx, row.agentId, { status: 202, document: toDocument(updated) });
        await alongside?.(trx, row.id);
      }
      return updated;
    }),
  ).catch((error: unknown) => {
    if (!isDuplicate(error)) throw error;
    throw new AppError("CONFLICT", "Another document of this agent has the same content.");
  });
  if (!document) throw notFound("Document");
  if (row.fileId) discard(parts, row.fileId);
  parts.onQueued();
  return { status: 202, document: toDocument(document) };
}

/** Responds that the document already has this content, and stores the response for the request's Idempotency-Key. */
async function keepUnchanged({ store }: Parts, row: DocumentRow, keep: SaveResponse | undefined): Promise<Saved> {
  const saved: Saved = { status: 200, document: toDocument(row) };
  if (keep) await store.inTransaction((trx) => keep(trx, row.agentId, saved));
  return saved;
}

async function changeSettings({ store }: Parts, row: DocumentRow, settings: Settings): Promise<Saved> {
  if (Object.keys(settings).length === 0) return { status: 200, document: toDocument(row) };
  const updated = await store.inTransaction(async (trx) => {
    const changed = await store.update(trx, row, { ...settings, updatedAt: Date.now() });
    if (changed) await applySettings(trx, row, settings);
    return changed;
  });
  if (!updated) throw notFound("Document");
  return { status: 200, document: toDocument(updated) };
}

/** Processes the same original again. `changes` holds columns other than the content. */
async function processAgain(parts: Parts, row: DocumentRow, changes: Partial<DocumentRow> = {}): Promise<Saved> {
  const { store } = parts;
  const updated = await store.inTransaction(async (trx) => {
    const changed = await store.updateAndQueue(trx, row, changes);
    if (changed) await applySettings(trx, row, changes);
    return changed;
  });
  if (!updated) throw notFound("Document");
  if (row.fileId !== null && updated.fileId !== row.fileId) discard(parts, row.fileId);
  parts.onQueued();
  return { status: 202, document: toDocument(updated) };
}

async function applySettings(trx: Trx, row: DocumentRow, { isEnabled }: Settings): Promise<void> {
  if (isEnabled === undefined || isEnabled === row.isEnabled) return;
  const { organizationId, agentId, id } = row;
  await setSearchable(trx, { organizationId, agentId, documentIds: [id], isEnabled: isEnabled === 1 });
}

type Owned = Pick<DocumentRow, "id" | "agentId">;

/** Hides documents from replies and searches. */
async function disable({ store }: Parts, organizationId: string, rows: readonly Owned[]): Promise<void> {
  await store.inTransaction(async (trx) => {
    await store.disable(
      trx,
      organizationId,
      rows.map(({ id }) => id),
    );
    for (const [agentId, own] of Map.groupBy(rows, (row) => row.agentId)) {
      await setSearchable(trx, { organizationId, agentId, documentIds: own.map(({ id }) => id), isEnabled: false });
    }
  });
}

/** @returns the number of deleted documents */
async function deleteRows(parts: Parts, organizationId: string, rows: readonly Owned[]): Promise<number> {
  if (rows.length === 0) return 0;
  const { store } = parts;
  const ids = rows.map(({ id }) => id);
  await shrinkLarge(parts, organizationId, ids);
  const deleted = await store.inTransaction(async (trx) => {
    const deleted = await store.delete(trx, organizationId, ids);
    for (const [agentId, own] of Map.groupBy(deleted, (row) => row.agentId)) {
      await removeFromIndex(trx, { organizationId, agentId, documentIds: own.map(({ id }) => id) });
    }
    return deleted;
  });
  for (const { id, fileId } of deleted) {
    if (fileId) discard(parts, fileId);
    await store.deletePassages(id).catch((error: unknown) => {
      parts.log.warn({ err: error, id }, "could not delete the passages of a deleted document yet");
    });
  }
  return deleted.length;
}

/**
 * Deletes most of the data of large documents before the transaction that deletes the documents, which would otherwise
 * block SQLite for too long. A crash in between leaves a disabled document that can be deleted or retried.
 */
async function shrinkLarge(parts: Parts, organizationId: string, ids: readonly string[]): Promise<void> {
  const large = await parts.store.large(organizationId, ids);
  if (large.length === 0) return;
  await disable(parts, organizationId, large);
  for (const document of large) await parts.store.shrink(organizationId, document);
}

/** Deletes an original that no document refers to anymore. If this fails, housekeeping deletes it later. */
function discard({ files, log }: Parts, fileId: string): void {
  files
    .deleteFile(fileId)
    .catch((error: unknown) => log.warn({ err: error, fileId }, "could not delete an unused original yet"));
}

/** The settings that a request changes. `null` resets a setting to its default. */
export function pickSettings({ isEnabled, citation }: Pick<DocumentChanges, "isEnabled" | "citation">): Settings {
  return omitUndefined({
    isEnabled: isEnabled === undefined ? undefined : isEnabled === false ? 0 : 1,
    citation: citation === null ? "link" : citation,
  });
}

/** The plan allows no more documents for the agent. */
export function limitReached(plan: string, documentsPerAgent: number) {
  return new AppError(
    "DOCUMENT_LIMIT_REACHED",
    `The plan ${plan} allows ${documentsPerAgent} documents for each agent. Delete some, or choose a larger plan.`,
  );
}
