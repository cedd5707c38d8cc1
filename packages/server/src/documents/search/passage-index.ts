import type { Transaction } from "kysely";
import type { Tables } from "../../db/tables.ts";

/**
 * A piece of a document as extraction found it. A FAQ entry has one `question` passage for its question and one for
 * each other wording; those are not found by themselves but make the `body` passages (the answer) easier to find.
 */
export type Passage = {
  /** 0, 1, 2, … within the document */
  ordinal: number;
  heading: string | null;
  /** counts from 1; null for formats without pages */
  page: number | null;
  text: string;
  part: "question" | "body";
};

/** A document ready for the index. Structured-cloneable, so that it can be made in another process. */
export type PreparedDocument = {
  title: string;
  /** ISO 639-1 codes of the stemmers that were used */
  languages: string[];
  chunks: PreparedChunk[];
  /** words of all chunks after analysis, each counted as often as it occurs */
  tokens: number;
  /** the packed postings */
  contents: Uint8Array;
};

type PreparedChunk = Omit<Passage, "part"> & {
  /** question and other wordings of a FAQ entry, one a line; null elsewhere */
  question: string | null;
};

type DocumentInput = {
  title: string;
  /** ISO 639-1 codes; empty or null: detected from the text */
  languages: readonly string[] | null;
  passages: readonly Passage[];
};

type AgentScope = { organizationId: string; agentId: string };
type DocumentVersion = AgentScope & { documentId: string; version: number };
type DocumentSelection = AgentScope & { documentIds: readonly string[] };

/**
 * Analyzes a document: pure CPU, about 10 MB of text a second. Run it outside the event loop.
 */
export function prepareDocument(_document: DocumentInput): PreparedDocument {
  throw new Error("not implemented");
}

/** Makes this version the one that searches find. The earlier version and its chunks are deleted. */
export async function replaceInIndex(
  _trx: Transaction<Tables>,
  _version: DocumentVersion,
  _prepared: PreparedDocument,
): Promise<void> {
  throw new Error("not implemented");
}

/** Deletes the documents' chunks, vectors and index entries. Unknown ids are ignored. */
export async function removeFromIndex(_trx: Transaction<Tables>, _documents: DocumentSelection): Promise<void> {
  throw new Error("not implemented");
}

/** Shows or hides documents in searches without indexing them again. */
export async function setSearchable(
  _trx: Transaction<Tables>,
  _documents: DocumentSelection & { isEnabled: boolean },
): Promise<void> {
  throw new Error("not implemented");
}
