import type {
  DocumentErrorCode,
  DocumentKind,
  SourceErrorCode,
  SourcePageState,
  SourceSchedule,
} from "@foyer/contract";
import type { DocumentFormat } from "@foyer/contract/rules/document-formats";
import type { Flag, Instant, Json } from "./column-types.ts";
import type { TrashColumns } from "./trash.ts";

/** The tables of documents and of the sites that they come from, as Kysely sees them. */
export type DocumentTables = {
  documents: DocumentRow & TrashColumns;
  documentFiles: DocumentFileRow;
  documentFileParts: DocumentFilePartRow;
  documentTexts: DocumentTextRow;
  documentJobs: DocumentJobRow;
  sources: SourceRow;
  sourcePages: SourcePageRow;
};

export type DocumentRow = {
  id: string;
  organizationId: string;
  agentId: string;
  /** the site that a page belongs to */
  sourceId: string | null;
  kind: DocumentKind;
  /** of `version`, as requested or as read from the page */
  title: string;
  url: string | null;
  /** 1 when a member set the title; 0 for a page whose title comes from its content, which each sync updates */
  hasOwnTitle: Flag;
  /** title and URL of `readyVersion`, which replies cite; null before the first version is ready */
  readyTitle: string | null;
  readyUrl: string | null;
  externalKey: string | null;
  mimeType: string;
  bytes: number;
  /** the original of `version`; null for a page that was not fetched yet */
  fileId: string | null;
  /** the encoding that the HTTP response or the upload named for the original, such as `shift_jis` */
  charset: string | null;
  /** the format of the media type, or of the name of the upload or page; decides in doubt */
  declaredFormat: DocumentFormat | null;
  /** SHA-256 of the original, and of the title where it is part of the content */
  contentHash: string;
  /** unique within the agent: the content hash, null for documents that may have the same content as another one */
  uniqueContent: string | null;
  language: string | null;
  state: "queued" | "processing" | "ready" | "failed";
  stage: "fetching" | "extracting" | "indexing" | null;
  progressDone: number;
  progressTotal: number;
  errorCode: DocumentErrorCode | null;
  errorMessage: string | null;
  /** an array of `DocumentWarning`, about `readyVersion` */
  warnings: Json;
  /** number of the current content; each change of the content increments it */
  version: number;
  /** the version that the agent uses now */
  readyVersion: number | null;
  chunks: number;
  characters: number;
  isEnabled: Flag;
  citation: "link" | "title" | "hidden";
  createdAt: Instant;
  updatedAt: Instant;
  readyAt: Instant | null;
};

type DocumentFileRow = { id: string; organizationId: string; agentId: string; createdAt: Instant };

type DocumentFilePartRow = { fileId: string; number: number; content: Buffer };

/**
 * A part of the extracted text that starts at the character `start`. Only the parts of a document's `readyVersion` are
 * shown.
 */
type DocumentTextRow = { documentId: string; version: number; start: number; text: string };

/** A version of a document that is waiting to be processed or is being processed. */
export type DocumentJobRow = {
  documentId: string;
  organizationId: string;
  agentId: string;
  version: number;
  /** how often it was claimed */
  attempts: number;
  /** when it may be claimed, by the database's clock: the next attempt, or the end of a lease */
  dueAt: Instant;
  /** number of the lease; only the holder of the newest lease may record the outcome */
  fence: number;
};

export type SourceRow = {
  id: string;
  organizationId: string;
  agentId: string;
  /** where the crawl starts */
  url: string;
  /** host and port of `url`; at most one source of a host is `running` */
  host: string;
  include: Json;
  exclude: Json;
  /** the only pages to read; null for all that are found */
  urls: Json | null;
  schedule: SourceSchedule;
  maxPages: number;
  /** `deleting`: hidden from readers while its documents are deleted in the background */
  state: "idle" | "queued" | "running" | "deleting";
  errorCode: SourceErrorCode | null;
  errorMessage: string | null;
  /** number of the current sync */
  sync: number;
  phase: "discovering" | "reading" | "removing";
  /** 0 when the current sync could not find all pages, so that pages it did not find may still exist */
  isComplete: Flag;
  /** how often the current sync was claimed since it last made progress */
  attempts: number;
  /** number of the lease; only the holder of the newest lease may write */
  fence: number;
  /** the next sync, or the end of a lease on the current one; null when no sync is planned */
  dueAt: Instant | null;
  lastSyncAt: Instant | null;
  createdAt: Instant;
  updatedAt: Instant;
};

export type SourcePageRow = {
  sourceId: string;
  url: string;
  documentId: string | null;
  /** `pending` until the current sync has read it */
  state: SourcePageState;
  /** why it was skipped, is missing or failed */
  reason: string | null;
  etag: string | null;
  lastModified: string | null;
  /** of the extracted text, not of the bytes */
  contentHash: string | null;
  /** number of links between the start and the page; pages with fewer are read first */
  depth: number;
  /** the last sync that found the page */
  sync: number;
  /** complete syncs in a row that could not use the page */
  misses: number;
};
