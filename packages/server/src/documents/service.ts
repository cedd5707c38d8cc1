import type { Document, DocumentChanges, DocumentCreate, DocumentDetail, DocumentQuery } from "@foyer/contract";
import type { AgentService } from "../agents/service.ts";
import type { Principal } from "../auth/sessions/authenticate.ts";
import { isDuplicate } from "../db/database-errors.ts";
import type { DocumentRow } from "../db/tables/documents.ts";
import type { Deps } from "../deps.ts";
import { AppError, invalid, notFound } from "../errors.ts";
import type { PartialBody } from "../http/body-rules.ts";
import type { SaveResponse } from "../http/idempotency.ts";
import { isId } from "../ids.ts";
import { OutboundError } from "../outbound/outbound-error.ts";
import { readLimits } from "../plans/plan-limits.ts";
import {
  checkContent,
  currentTitleAndUrl,
  type DocumentContent,
  faqContent,
  fileContent,
  pageContent,
  parseFaq,
  textContent,
  toContent,
  toDocument,
} from "./document-columns.ts";
import { checkDocumentBytes } from "./document-quota.ts";
import { type DocumentWriter, pickSettings, type Saved } from "./document-writer.ts";
import { declaredType } from "./extract/declared-type.ts";
import { fileLimits } from "./extract/limits.ts";
import type { FileStore, StoredFile } from "./file-store.ts";
import { type SearchDeps, searchPassages } from "./search/search-passages.ts";
import type { DocumentStore } from "./store.ts";

const MAX_PAGE = 200;
const DEFAULT_PAGE = 50;
const MAX_TEXT = 100_000;
const DEFAULT_HITS = 6;
const MAX_HITS = 50;
/** The number of documents per transaction of a bulk action, so that no transaction blocks the event loop. */
const BATCH = 20;

type Parts = {
  agents: AgentService;
  store: DocumentStore;
  files: FileStore;
  writer: DocumentWriter;
  /** Removes a group from the unanswered questions. Ids that do not exist are ignored. */
  markAnswered(group: { organizationId: string; agentId: string; groupId: string }): Promise<void>;
};
type ServiceDeps = Pick<Deps, "db" | "outbound"> & SearchDeps;
type BulkAction = "delete" | "enable" | "disable" | "retry";

export type DocumentService = ReturnType<typeof createDocumentService>;

export function createDocumentService(deps: ServiceDeps, { agents, store, files, writer, markAnswered }: Parts) {
  const { db, outbound } = deps;

  function createContent(input: Omit<DocumentCreate, "agentId">): DocumentContent {
    checkContent({ body: input, refused: nothing }, (url) => checkPageAddress(outbound, url));
    return toContent(input);
  }

  async function change(rows: readonly DocumentRow[], action: Exclude<BulkAction, "delete">) {
    for (const row of rows) {
      if (action === "retry") await retryRow(writer, row);
      else await writer.changeSettings(row, { isEnabled: action === "enable" ? 1 : 0 });
    }
    return rows.length;
  }

  /** Adds the documents of the hits. Drops hits of documents that were deleted after the search. */
  async function withDocuments<Hit extends { documentId: string }>(organizationId: string, hits: readonly Hit[]) {
    const rows = await store.getAll(organizationId, [...new Set(hits.map(({ documentId }) => documentId))]);
    const byId = new Map(rows.map((row) => [row.id, row]));
    return hits.flatMap((hit) => {
      const document = byId.get(hit.documentId);
      return document ? [{ hit, document }] : [];
    });
  }

  return {
    async list(organizationId: string, { limit, offset = 0, ...filter }: DocumentQuery) {
      const page = { limit: Math.min(limit ?? DEFAULT_PAGE, MAX_PAGE), offset };
      const { rows, total } = await store.list(organizationId, filter, page);
      return { documents: rows.map(toDocument), pagination: { total, ...page } };
    },
    async get(organizationId: string, id: string): Promise<DocumentDetail> {
      const row = await findDocument(store, organizationId, id);
      const faq = row.kind === "faq" && row.fileId ? parseFaq(await files.readText(row.fileId)) : null;
      return { ...toDocument(row), faq };
    },
    async text(
      organizationId: string,
      id: string,
      { offset = 0, limit = MAX_TEXT }: { offset?: number; limit?: number },
    ) {
      const row = await findDocument(store, organizationId, id);
      const text = await store.text(row, offset, Math.min(limit, MAX_TEXT));
      const end = offset + text.length;
      return { text, offset, nextOffset: end < row.characters ? end : null, characters: row.characters };
    },
    async chunks(organizationId: string, id: string, { limit, offset = 0 }: { limit?: number; offset?: number }) {
      const row = await findDocument(store, organizationId, id);
      const page = { limit: Math.min(limit ?? DEFAULT_PAGE, MAX_PAGE), offset };
      return { chunks: await store.chunks(row, page), pagination: { total: row.chunks, ...page } };
    },
    /** The original. Its content is read while it is sent. */
    async file(organizationId: string, id: string) {
      const { title, kind, mimeType, fileId } = await findDocument(store, organizationId, id);
      if (fileId === null) throw new AppError("NOT_FOUND", "The page has not been fetched yet, so there is no file.");
      return { title, kind, mimeType, content: files.read(fileId) };
    },
    async limits({ organizationId, plan }: Principal, agentId: string) {
      await agents.get(organizationId, agentId);
      const current = await store.count(organizationId, agentId);
      const limit = readLimits(plan).documentsPerAgent;
      return { current, limit, planId: plan, canCreate: limit === null || current < limit, ...fileLimits };
    },
    /** Checks the valid part of a body that its schema refuses. @throws 400 */
    checkPartOfNew: (part: PartialBody<DocumentCreate>): void =>
      checkContent(part, (url) => checkPageAddress(outbound, url)),
    /** Checks the valid part of a body that its schema refuses. @throws 400, or 404 */
    async checkPart(organizationId: string, id: string, { body }: PartialBody<DocumentChanges>): Promise<void> {
      const { kind } = await findDocument(store, organizationId, id);
      if (kind === "page" && body.url) checkPageAddress(outbound, body.url);
    },
    async create(principal: Principal, { agentId, ...input }: DocumentCreate, keep?: SaveResponse): Promise<Saved> {
      const { organizationId } = principal;
      const { unansweredId: groupId } = input;
      await agents.get(organizationId, agentId);
      const content = createContent(input);
      const saved = await writer.insert({ principal, agentId, content, settings: pickSettings(input), keep });
      if (groupId) await markAnswered({ organizationId, agentId, groupId });
      return saved;
    },
    async putByKey(principal: Principal, externalKey: string, { agentId, ...input }: DocumentCreate): Promise<Saved> {
      const { organizationId } = principal;
      await agents.get(organizationId, agentId);
      const content = createContent(input);
      const settings = pickSettings(input);
      const saved = await saveByKey(async () => {
        const row = await store.byKey(organizationId, agentId, externalKey);
        if (!row) return writer.insert({ principal, agentId, content, externalKey, settings });
        if (row.contentHash === content.contentHash) return writer.changeSettings(row, settings);
        return writer.replace(row, { content, settings });
      });
      if (input.unansweredId) await markAnswered({ organizationId, agentId, groupId: input.unansweredId });
      return saved;
    },
    async update(organizationId: string, id: string, input: DocumentChanges): Promise<Saved> {
      const row = await findDocument(store, organizationId, id);
      const settings = pickSettings(input);
      if (row.kind === "file" || (row.kind === "page" && !input.url)) {
        const naming = changedTitle(row, input);
        // Titles are searchable, so a new title requires indexing the document again.
        return naming === null
          ? writer.changeSettings(row, settings)
          : writer.processAgain(row, { ...settings, ...naming });
      }
      const content = checkAddress(outbound, await applyContentChanges(row, input, files));
      if (content.contentHash === row.contentHash) return writer.changeSettings(row, settings);
      return writer.replace(row, { content, settings });
    },
    async delete(organizationId: string, id: string): Promise<void> {
      await writer.delete(organizationId, [await findDocument(store, organizationId, id)]);
    },
    async retry(organizationId: string, id: string): Promise<Document> {
      return (await retryRow(writer, await findDocument(store, organizationId, id))).document;
    },
    /** Receives the body of an upload. The caller passes the file on to `addFile`, or discards it. */
    async receive(
      { organizationId }: Principal,
      { agentId, name, body, contentType }: UploadedBody,
    ): Promise<StoredFile> {
      await agents.get(organizationId, agentId);
      // Without this, a file that is refused afterwards would first be written.
      await checkDocumentBytes(db, organizationId, 1);
      const file = await files.receive({ organizationId, agentId }, limitBytes(body), declaredType(contentType, name));
      if (file.bytes > 0) return file;
      writer.discard(file.id);
      throw new AppError("VALIDATION_ERROR", "The body is empty. Send the file as the body of the request.");
    },
    discard: writer.discard,
    async addFile(
      principal: Principal,
      { agentId, name, externalKey }: Upload,
      { file, keep }: { file: StoredFile; keep?: SaveResponse | undefined },
    ): Promise<Saved> {
      const content = fileContent(name, file);
      const save = async (): Promise<Saved> => {
        if (externalKey === undefined) return writer.insert({ principal, agentId, content, file, keep });
        const row = await store.byKey(principal.organizationId, agentId, externalKey);
        if (!row) return writer.insert({ principal, agentId, content, file, externalKey, keep });
        if (row.contentHash !== content.contentHash) return writer.replace(row, { content, file, keep });
        writer.discard(file.id);
        return writer.keepUnchanged(row, keep);
      };
      try {
        return await saveByKey(save);
      } catch (error) {
        // After any other error, the document may have been stored, and the file then belongs to it.
        if (error instanceof AppError) writer.discard(file.id);
        throw error;
      }
    },
    titlesOf: (organizationId: string, ids: readonly string[]): Promise<string[]> =>
      store.titles(
        organizationId,
        [...new Set(ids)].filter((id) => isId("doc", id)),
      ),
    /** Changes the documents that exist. @returns the number of changed documents */
    async bulk(organizationId: string, ids: readonly string[], action: BulkAction): Promise<number> {
      const validIds = [...new Set(ids)].filter((id) => isId("doc", id));
      let changed = 0;
      for (let start = 0; start < validIds.length; start += BATCH) {
        const rows = await store.getAll(organizationId, validIds.slice(start, start + BATCH));
        changed += action === "delete" ? await writer.delete(organizationId, rows) : await change(rows, action);
        await new Promise(setImmediate);
      }
      return changed;
    },
    knowledgeSize: store.knowledgeSize,
    allPassages: store.allPassages,
    /** Passages for a reply, best first. */
    async passagesFor(organizationId: string, agentId: string, queries: readonly string[]) {
      const { hits } = await searchPassages(deps, { organizationId, agentId, queries, limit: DEFAULT_HITS });
      return (await withDocuments(organizationId, hits)).map(({ hit, document }) => ({
        documentId: document.id,
        ordinal: hit.ordinal,
        ...currentTitleAndUrl(document),
        page: hit.page,
        heading: hit.heading,
        text: hit.text,
        citation: document.citation,
        score: hit.score,
        matched: hit.matched,
      }));
    },
    /** Passages that the agent's search would find. */
    async search({ organizationId }: Principal, { agentId, query, limit }: SearchInput) {
      await agents.get(organizationId, agentId);
      const found = await searchPassages(deps, {
        organizationId,
        agentId,
        queries: [query],
        limit: Math.min(limit ?? DEFAULT_HITS, MAX_HITS),
      });
      const hits = (await withDocuments(organizationId, found.hits)).map(({ hit, document }) => {
        const { documentId, page, heading, text, score, matched, matchedBy } = hit;
        const { title, url } = currentTitleAndUrl(document);
        return { documentId, title, url, page, heading, text, score, matched, matchedBy };
      });
      return { hits, ms: found.ms };
    },
  };
}

type SearchInput = { agentId: string; query: string; limit?: number | null };

const nothing: ReadonlySet<string> = new Set();

/**
 * Repeats `save` when another request has created a document with the same external key since `save` looked for it. The
 * second attempt replaces that document.
 */
async function saveByKey(save: () => Promise<Saved>): Promise<Saved> {
  try {
    return await save();
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    return save();
  }
}

/** The body of an upload as it arrives. `contentType` names the encoding, and decides about the format in doubt. */
type UploadedBody = {
  agentId: string;
  name: string;
  body: AsyncIterable<Buffer> | Iterable<Buffer>;
  contentType: string | undefined;
};

type Upload = { agentId: string; name: string; externalKey?: string | undefined };

async function findDocument(store: DocumentStore, organizationId: string, id: string): Promise<DocumentRow> {
  const row = isId("doc", id) ? await store.get(organizationId, id) : undefined;
  if (!row) throw notFound("Document");
  return row;
}

/** Fetches a page again, or processes any other document again from its original. */
async function retryRow(writer: DocumentWriter, row: DocumentRow): Promise<Saved> {
  if (row.kind === "file" && row.fileId === null) {
    throw new AppError("CONFLICT", "The file could not be read and was deleted. Upload a corrected file.");
  }
  return writer.processAgain(row, row.kind === "page" && row.url !== null ? { fileId: null } : {});
}

/**
 * Returns the columns that a new title of a file or page changes, or null if it changes none. The title `null` restores
 * the page's own title.
 */
function changedTitle(row: DocumentRow, { title }: DocumentChanges): Partial<DocumentRow> | null {
  if (title === undefined) return null;
  if (title === null) return row.kind === "page" && row.hasOwnTitle === 1 ? { hasOwnTitle: 0 } : null;
  const isNamed = title.trim() === row.title && row.hasOwnTitle === 1;
  return isNamed ? null : { title: title.trim(), hasOwnTitle: 1 };
}

/** The content of a text, FAQ entry or page after the changes of a request. */
async function applyContentChanges(
  row: DocumentRow,
  input: DocumentChanges,
  files: FileStore,
): Promise<DocumentContent> {
  const { fileId } = row;
  const readOriginal = async () => (fileId === null ? "" : files.readText(fileId));
  if (row.kind === "text") {
    return textContent(input.title?.trim() ?? row.title, input.text ?? (await readOriginal()));
  }
  if (row.kind === "page") {
    const ownTitle = input.title === undefined && row.hasOwnTitle === 1 ? row.title : null;
    return pageContent(input.url ?? row.url ?? "", input.title?.trim() ?? ownTitle);
  }
  const faq = parseFaq(await readOriginal());
  return faqContent({
    question: input.question?.trim() ?? faq.question,
    otherWordings: input.otherWordings === undefined ? faq.otherWordings : (input.otherWordings ?? []),
    answer: input.answer ?? faq.answer,
  });
}

/** @throws 413 as soon as the body exceeds the maximum file size */
async function* limitBytes(body: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > fileLimits.maxFileBytes) throw fileTooLargeError();
    yield chunk;
  }
}

export function fileTooLargeError(): AppError {
  const megabytes = fileLimits.maxFileBytes / 1024 / 1024;
  return new AppError("PAYLOAD_TOO_LARGE", `The file is larger than ${megabytes} MB. Split it into smaller files.`);
}

/** @throws 400 when this server cannot read the page */
const checkPageAddress = (outbound: Deps["outbound"], url: string) => checkAddress(outbound, pageContent(url, null));

function checkAddress(outbound: Deps["outbound"], content: DocumentContent): DocumentContent {
  try {
    if (content.url !== null) outbound.checkUrl(content.url);
    return content;
  } catch (error) {
    throw error instanceof OutboundError ? invalid("url", error.message, "format") : error;
  }
}
