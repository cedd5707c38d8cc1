import { type IndexConnection, placeholders } from "./index-connection.ts";
import type { TermPostings } from "./postings.ts";
import { findInContents, findTerms, type SegmentContents, toWantedTerms } from "./segment-contents.ts";
import type { SegmentMemory } from "./segment-memory.ts";

/** Maximum terms with the same prefix that are read from one segment. */
const MAX_TERMS = 500;

export type Segment = {
  id: number;
  level: number;
  chunks: number;
  deadChunks: number;
  tokens: number;
  languages: string;
  firstNumber: number;
  lastNumber: number;
  /** the postings of a single document; null when they are in `indexPostings` */
  contents: SegmentContents | null;
};

/** Postings of a term in a segment. Adding `base` to their chunks gives chunk numbers. */
export type SegmentPostings = TermPostings & { base: number };

type PostingsRow = { segmentId: number; term: string; block: number; chunks: number };

export async function readSegments(
  connection: IndexConnection,
  memory: SegmentMemory,
  { organizationId, agentId }: { organizationId: string; agentId: string },
): Promise<Segment[]> {
  const rows = await connection.all<Omit<Segment, "contents">>(
    `select id, level, chunks, "deadChunks", tokens, languages, "firstNumber", "lastNumber"
     from "indexSegments" where "agentId" = ? and state = 'live' and "organizationId" = ? order by id`,
    [agentId, organizationId],
  );
  const single = rows.filter(({ level }) => level === 0).map(({ id }) => id);
  const contents = await memory.load(connection, organizationId, single);
  return rows.map((row) => ({ ...row, contents: contents.get(row.id) ?? null }));
}

/** Finds the terms in single-document segments, whose postings were read together with the segments. */
export function findInDocuments(segments: readonly Segment[], terms: readonly string[]): SegmentPostings[] {
  const wanted = toWantedTerms(terms);
  return segments.flatMap(({ contents, firstNumber }) =>
    contents === null ? [] : findInContents(contents, wanted).map((found) => ({ ...found, base: firstNumber })),
  );
}

/** Counts the chunks of the merged segments that contain each term. */
export async function countInSegments(
  connection: IndexConnection,
  segmentIds: readonly number[],
  terms: readonly string[],
): Promise<PostingsRow[]> {
  if (segmentIds.length === 0 || terms.length === 0) return [];
  return connection.all<PostingsRow>(
    `select "segmentId", term, block, chunks from "indexPostings"
     where "segmentId" in (${placeholders(segmentIds)}) and term in (${placeholders(terms)})`,
    [...segmentIds, ...terms],
  );
}

/** The merged segments' postings of these terms, in blocks below `blocks`. */
export async function readPostings(
  connection: IndexConnection,
  { segmentIds, terms, blocks }: { segmentIds: readonly number[]; terms: readonly string[]; blocks: number },
): Promise<SegmentPostings[]> {
  if (segmentIds.length === 0 || terms.length === 0) return [];
  const rows = await connection.all<TermPostings>(
    `select term, chunks, postings from "indexPostings"
     where "segmentId" in (${placeholders(segmentIds)}) and term in (${placeholders(terms)}) and block < ?`,
    [...segmentIds, ...terms, blocks],
  );
  return rows.map((row) => ({ ...row, base: 0 }));
}

export type ChunkRow = {
  number: number;
  documentId: string;
  version: number;
  ordinal: number;
  heading: string | null;
  page: number | null;
  question: string | null;
  text: string;
  title: string;
};

/** Reads the chunks that belong to the current version of an enabled document, in no particular order. */
export async function readChunks(
  connection: IndexConnection,
  { organizationId, agentId }: { organizationId: string; agentId: string },
  numbers: readonly number[],
): Promise<ChunkRow[]> {
  if (numbers.length === 0) return [];
  return connection.all<ChunkRow>(
    `select c.number, c."documentId", c.version, c.ordinal, c.heading, c.page, c.question, c.text, d.title
     from "documentChunks" c join "indexedDocuments" d
       on d."documentId" = c."documentId" and d.version = c.version and d."agentId" = c."agentId" and d."isEnabled" = 1
     where c."agentId" = ? and c.number in (${placeholders(numbers)}) and c."organizationId" = ?`,
    [agentId, ...numbers, organizationId],
  );
}

/** Returns terms of the index that begin with one of the prefixes, at most a few thousand for each prefix. */
export async function readTermsWithPrefixes(
  connection: IndexConnection,
  segments: readonly Segment[],
  prefixes: readonly string[],
): Promise<Set<string>> {
  const wanted = toWantedTerms(prefixes);
  const inDocuments = segments.flatMap(({ contents }) => (contents === null ? [] : findTerms(contents, wanted)));
  const merged = segments.filter(({ level }) => level > 0);
  // Send all of these statements without waiting, so that PostgreSQL receives them before it answers the first.
  const inSegments = await Promise.all(
    merged.flatMap(({ id }) =>
      prefixes.map((prefix) =>
        connection.all<{ term: string }>(
          `select term from "indexPostings" where "segmentId" = ? and block = 0 and term >= ? and term < ?
           order by term limit ${MAX_TERMS}`,
          [id, prefix, `${prefix}\uffff`],
        ),
      ),
    ),
  );
  return new Set([...inDocuments, ...inSegments.flat().map(({ term }) => term)]);
}
