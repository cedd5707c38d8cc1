import { setTimeout as rest } from "node:timers/promises";
import { ANALYSIS_VERSION, MAX_REANALYZED_CHUNKS } from "./analysis-version.ts";
import { type IndexConnection, placeholders } from "./index-connection.ts";
import { createPostingsWriter, createSegment, createTermCollector, type MergedSegment } from "./merge-segments.ts";
import { openPostings, type Posting, toNextPosting } from "./postings.ts";
import { analyzeChunks, type PreparedDocument } from "./prepare-document.ts";

/** The limits of one new segment, whose postings are collected in memory. */
const DOCUMENTS_AT_ONCE = 256;
const BYTES_AT_ONCE = 8_000_000;
/** The longest pause after a document, in milliseconds. Shorter analyses are followed by a pause of their duration. */
const MAX_REST_MS = 200;

/**
 * Analyzes the passages of one outdated segment again, or of an agent's outdated single-document segments, and replaces
 * the segments. Searches use the old ones until then. The passages keep their numbers, and thereby their vectors.
 * @param last the organization of the previous call; the next one in the order of ids follows, so that a large
 * organization does not delay the others
 * @returns the organization whose segment was analyzed; null when no segment is outdated
 */
export async function reanalyzeSegment(connection: IndexConnection, last: string): Promise<string | null> {
  const [oldest] = await connection.all<MergedSegment>(
    `select ${columns} from "indexSegments" where state = 'live' and analysis < ? and chunks <= ?
     order by "organizationId" <= ?, "organizationId", chunks, id limit 1`,
    [ANALYSIS_VERSION, MAX_REANALYZED_CHUNKS, last],
  );
  if (!oldest) return null;
  const { agentId, organizationId, level, id } = oldest;
  await connection.alone(agentId, async () => {
    const sources = await connection.all<MergedSegment>(
      `select ${columns} from "indexSegments" where "agentId" = ? and "organizationId" = ? and state = 'live'
         and analysis < ? and level = ? and (level = 0 or id = ?) order by id limit ${DOCUMENTS_AT_ONCE}`,
      [agentId, organizationId, ANALYSIS_VERSION, level, id],
    );
    if (sources.length > 0) await replaceSegments(connection, sources);
  });
  return organizationId;
}

const columns = `id, "organizationId", "agentId", level, chunks, "deadChunks", tokens, languages, analysis, "firstNumber",
  "lastNumber"`;

type Replacement = { id: number; documentIds: string[] };

async function replaceSegments(connection: IndexConnection, sources: readonly MergedSegment[]): Promise<void> {
  const replacements: Replacement[] = [];
  let analyzed: Analyzed[] = [];
  for await (const document of analyzeDocuments(connection, sources)) {
    analyzed.push(document);
    const bytes = analyzed.reduce((sum, { prepared }) => sum + prepared.contents.length, 0);
    if (analyzed.length < DOCUMENTS_AT_ONCE && bytes < BYTES_AT_ONCE) continue;
    replacements.push(await writeSegment(connection, analyzed));
    analyzed = [];
  }
  if (analyzed.length > 0) replacements.push(await writeSegment(connection, analyzed));
  await publish(connection, sources, replacements);
}

type IndexedDocument = {
  documentId: string;
  organizationId: string;
  agentId: string;
  version: number;
  title: string;
};

/** `numbers` are those of the document's chunks. */
type Analyzed = IndexedDocument & { prepared: PreparedDocument; numbers: number[] };

async function* analyzeDocuments(
  connection: IndexConnection,
  sources: readonly MergedSegment[],
): AsyncGenerator<Analyzed> {
  const ids = sources.map(({ id }) => id);
  for (let last = ""; ; ) {
    const documents = await connection.all<IndexedDocument>(
      `select "documentId", "organizationId", "agentId", version, title from "indexedDocuments"
       where "segmentId" in (${placeholders(ids)}) and "documentId" > ? order by "documentId"
       limit ${DOCUMENTS_AT_ONCE}`,
      [...ids, last],
    );
    for (const document of documents) {
      const startedAt = performance.now();
      const analyzed = await analyzeDocument(connection, document);
      // Leave half of the core to the replies, which share the processor.
      await rest(Math.min(MAX_REST_MS, Math.ceil(performance.now() - startedAt)));
      if (analyzed) yield analyzed;
    }
    if (documents.length < DOCUMENTS_AT_ONCE) return;
    last = documents.at(-1)?.documentId ?? "";
  }
}

/** @returns null when the chunks of the document were deleted in the meantime */
async function analyzeDocument(connection: IndexConnection, document: IndexedDocument): Promise<Analyzed | null> {
  const { documentId, version, organizationId, title } = document;
  const rows = await connection.all<PreparedDocument["chunks"][number] & { number: number }>(
    `select number, ordinal, heading, page, question, text from "documentChunks"
     where "documentId" = ? and version = ? and "organizationId" = ? order by number`,
    [documentId, version, organizationId],
  );
  if (rows.length === 0) return null;
  const prepared = analyzeChunks({ title, languages: null, chunks: rows });
  return { ...document, prepared, numbers: rows.map(({ number }) => number) };
}

async function writeSegment(connection: IndexConnection, documents: readonly Analyzed[]): Promise<Replacement> {
  const id = await createSegment(
    connection,
    documents.map(({ organizationId, agentId, prepared, numbers }) => ({
      organizationId,
      agentId,
      chunks: numbers.length,
      tokens: prepared.tokens,
      languages: prepared.languages.join(","),
      analysis: ANALYSIS_VERSION,
      firstNumber: numbers[0] ?? 0,
      lastNumber: numbers.at(-1) ?? 0,
    })),
    1,
  );
  const collected = createTermCollector<Analyzed>();
  for (const document of documents) collected.add(document, document.prepared.contents);
  const writer = createPostingsWriter(connection, id);
  for (const { term, rows } of collected.inOrder()) {
    const postings = rows.flatMap(({ segment: { numbers }, postings: packed }) => numberPostings(packed, numbers));
    await writer.add(
      term,
      postings.sort((a, b) => a.chunk - b.chunk),
    );
  }
  await writer.flush();
  return { id, documentIds: documents.map(({ documentId }) => documentId) };
}

/** Replaces the ordinals within a document with the numbers of its chunks. */
function numberPostings(packed: Uint8Array, numbers: readonly number[]): Posting[] {
  const postings: Posting[] = [];
  for (const cursor = openPostings(packed, 0); !cursor.isAtEnd; toNextPosting(cursor)) {
    const { chunk, frequency, length } = cursor;
    postings.push({ chunk: numbers[chunk] ?? 0, frequency, length });
  }
  return postings;
}

/** Makes searches use the new segments. Counts documents that were deleted or replaced in the meantime as dead. */
async function publish(
  connection: IndexConnection,
  sources: readonly MergedSegment[],
  replacements: readonly Replacement[],
): Promise<void> {
  const ids = sources.map(({ id }) => id);
  await connection.writing(async () => {
    for (const { id, documentIds } of replacements) {
      await connection.all(
        `update "indexedDocuments" set "segmentId" = ?
         where "segmentId" in (${placeholders(ids)}) and "documentId" in (${placeholders(documentIds)})`,
        [id, ...ids, ...documentIds],
      );
      await connection.all(
        `update "indexSegments" set state = 'live', "deadChunks" = chunks -
           (select coalesce(sum(chunks), 0) from "indexedDocuments" where "segmentId" = ?) where id = ?`,
        [id, id],
      );
    }
    await connection.all(`delete from "indexSegments" where level = 0 and id in (${placeholders(ids)})`, ids);
    await connection.all(`update "indexSegments" set state = 'dead' where id in (${placeholders(ids)})`, ids);
  });
}
