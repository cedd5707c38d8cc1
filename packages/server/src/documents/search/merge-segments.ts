import { setTimeout as rest } from "node:timers/promises";
import { type IndexConnection, placeholders, type Value } from "./index-connection.ts";
import {
  BLOCK_CHUNKS,
  compareTerms,
  openPostings,
  type Posting,
  packPostings,
  toNextPosting,
  unpackContents,
} from "./postings.ts";
import { UNDETERMINED } from "./stemmers.ts";

/** A segment to merge with others of its agent. */
export type MergedSegment = {
  id: number;
  organizationId: string;
  agentId: string;
  level: number;
  chunks: number;
  deadChunks: number;
  tokens: number;
  languages: string;
  analysis: number;
  firstNumber: number;
  lastNumber: number;
};

/**
 * Maximum rows and bytes per transaction. Other SQLite writers wait for it, so it must take only a few milliseconds.
 */
const ROWS_AT_ONCE = 200;
const BYTES_AT_ONCE = 256_000;
const ROWS_READ_AT_ONCE = 1_000;

type TermRows = { term: string; rows: Array<{ segment: MergedSegment; postings: Uint8Array }> };

/**
 * Writes the postings of several segments to a new segment, which then replaces them atomically. Until then, searches
 * use the old ones. An interrupted merge leaves a segment in state `building`, which the next maintenance deletes.
 */
export async function mergeSegments(
  connection: IndexConnection,
  sources: readonly MergedSegment[],
  level: number,
): Promise<void> {
  const ordered = sources.toSorted((a, b) => a.firstNumber - b.firstNumber);
  const live = sources.some(({ deadChunks }) => deadChunks > 0) ? await findLiveChunks(connection, ordered) : null;
  const id = await createSegment(connection, ordered, level);
  const writer = createPostingsWriter(connection, id);
  const lengths = new Map<number, number>();
  const terms = level === 1 && sources.every((source) => source.level === 0) ? readDocumentTerms : readSegmentTerms;
  for await (const { term, rows } of terms(connection, ordered)) {
    await writer.add(term, mergeRows(rows, live, lengths));
  }
  await writer.flush();
  await publish(connection, { id, sources: ordered, lengths: live === null ? null : lengths });
}

/** Numbers of the chunks that still belong to a document. */
async function findLiveChunks(connection: IndexConnection, sources: readonly MergedSegment[]): Promise<Set<number>> {
  const ids = sources.map(({ id }) => id);
  const rows = await connection.all<{ number: number }>(
    `select c.number from "indexedDocuments" d join "documentChunks" c
       on c."documentId" = d."documentId" and c.version = d.version
     where d."segmentId" in (${placeholders(ids)})`,
    ids,
  );
  return new Set(rows.map(({ number }) => number));
}

/** @returns the id of a new segment in state `building` for the documents of these segments */
export async function createSegment(
  connection: IndexConnection,
  sources: ReadonlyArray<Omit<MergedSegment, "id" | "level" | "deadChunks">>,
  level: number,
): Promise<number> {
  const [first] = sources;
  if (!first) throw new Error("A segment needs at least one source.");
  const languages = [...new Set(sources.flatMap((source) => (source.languages || UNDETERMINED).split(",")))].sort();
  const sum = (value: (source: (typeof sources)[number]) => number) =>
    sources.reduce((total, source) => total + value(source), 0);
  const values: Value[] = [
    first.organizationId,
    first.agentId,
    level,
    sum(({ chunks }) => chunks),
    sum(({ tokens }) => tokens),
    languages.join(","),
    Math.min(...sources.map(({ analysis }) => analysis)),
    Math.min(...sources.map(({ firstNumber }) => firstNumber)),
    Math.max(...sources.map(({ lastNumber }) => lastNumber)),
  ];
  const [row] = await connection.all<{ id: number }>(
    `insert into "indexSegments" ("organizationId", "agentId", level, chunks, tokens, languages, analysis,
       "firstNumber", "lastNumber", state, "deadChunks", bytes) values (${placeholders(values)}, 'building', 0, 0) returning id`,
    values,
  );
  if (!row) throw new Error("The segment was not created.");
  return row.id;
}

/** Merges single-document segments. They are small, so their terms are collected in memory. */
async function* readDocumentTerms(
  connection: IndexConnection,
  sources: readonly MergedSegment[],
): AsyncGenerator<TermRows> {
  const collected = createTermCollector<MergedSegment>();
  for (const segment of sources) {
    const rows = await connection.all<{ contents: Buffer | null }>(
      `select contents from "indexSegments" where id = ?`,
      [segment.id],
    );
    collected.add(segment, rows[0]?.contents ?? new Uint8Array());
  }
  yield* collected.inOrder();
}

/** Collects the postings of documents by term. */
export function createTermCollector<Source>() {
  const byTerm = new Map<string, Array<{ segment: Source; postings: Uint8Array }>>();
  return {
    /** @param contents packed postings, which are not copied */
    add(segment: Source, contents: Uint8Array): void {
      for (const { term, postings } of unpackContents(contents)) {
        const existing = byTerm.get(term);
        if (existing) existing.push({ segment, postings });
        else byTerm.set(term, [{ segment, postings }]);
      }
    },
    *inOrder() {
      for (const term of [...byTerm.keys()].sort(compareTerms)) yield { term, rows: byTerm.get(term) ?? [] };
    },
  };
}

type Row = { term: string; block: number; postings: Buffer };

/** Merges larger segments by reading all of them in parallel, in the order of the terms. */
async function* readSegmentTerms(
  connection: IndexConnection,
  sources: readonly MergedSegment[],
): AsyncGenerator<TermRows> {
  const cursors: Array<Awaited<ReturnType<typeof openCursor>>> = [];
  // Opened sequentially because they share a connection.
  for (const segment of sources) cursors.push(await openCursor(connection, segment));
  for (;;) {
    let term: string | null = null;
    for (const { row } of cursors) {
      if (row !== null && (term === null || compareTerms(row.term, term) < 0)) term = row.term;
    }
    if (term === null) return;
    const rows: TermRows["rows"] = [];
    for (const cursor of cursors) {
      while (cursor.row?.term === term) {
        rows.push({ segment: cursor.segment, postings: cursor.row.postings });
        await cursor.next();
      }
    }
    yield { term, rows };
  }
}

async function openCursor(connection: IndexConnection, segment: MergedSegment) {
  let rows: Row[] = [];
  let index = 0;
  let last: Pick<Row, "term" | "block"> = { term: "", block: -1 };
  const cursor = {
    segment,
    row: null as Row | null,
    async next() {
      if (index === rows.length) {
        rows = await connection.all<Row>(
          `select term, block, postings from "indexPostings" where "segmentId" = ? and (term, block) > (?, ?)
           order by term, block limit ${ROWS_READ_AT_ONCE}`,
          [segment.id, last.term, last.block],
        );
        index = 0;
        last = rows.at(-1) ?? last;
      }
      cursor.row = rows[index++] ?? null;
    },
  };
  await cursor.next();
  return cursor;
}

/**
 * Merges postings in ascending order without deleted chunks. `lengths` collects the lengths of the remaining chunks.
 */
function mergeRows(rows: TermRows["rows"], live: ReadonlySet<number> | null, lengths: Map<number, number>): Posting[] {
  const postings: Posting[] = [];
  let isAscending = true;
  let previous = -1;
  for (const { segment, postings: packed } of rows) {
    const base = segment.level === 0 ? segment.firstNumber : 0;
    for (const cursor = openPostings(packed, base); !cursor.isAtEnd; toNextPosting(cursor)) {
      const { chunk, frequency, length } = cursor;
      if (live !== null) {
        if (!live.has(chunk)) continue;
        lengths.set(chunk, length);
      }
      isAscending &&= chunk > previous;
      previous = chunk;
      postings.push({ chunk, frequency, length });
    }
  }
  return isAscending ? postings : postings.sort((a, b) => a.chunk - b.chunk);
}

/** Writes the postings of a segment in small transactions. Call `flush` after the last term. */
export function createPostingsWriter(connection: IndexConnection, segmentId: number) {
  let values: Value[] = [];
  let rows = 0;
  let bytes = 0;
  async function flush() {
    if (rows === 0) return;
    const startedAt = performance.now();
    const list = Array.from({ length: rows }, () => "(?, ?, ?, ?, ?)").join(", ");
    await connection.writing(() =>
      connection.all(`insert into "indexPostings" ("segmentId", term, block, chunks, postings) values ${list}`, values),
    );
    values = [];
    rows = 0;
    bytes = 0;
    // Pause so that other writers can proceed, because SQLite has no queue for its write lock.
    await rest(Math.min(20, Math.ceil(performance.now() - startedAt)));
  }
  return {
    flush,
    /** @param postings all postings of the term, in ascending order */
    async add(term: string, postings: readonly Posting[]) {
      for (let start = 0; start < postings.length; start += BLOCK_CHUNKS) {
        const block = postings.slice(start, start + BLOCK_CHUNKS);
        const packed = Buffer.from(packPostings(block));
        values.push(segmentId, term, start / BLOCK_CHUNKS, block.length, packed);
        rows++;
        bytes += packed.length;
        if (rows >= ROWS_AT_ONCE || bytes >= BYTES_AT_ONCE) await flush();
      }
    },
  };
}

/** Makes searches use the new segment. Counts documents that were deleted in the meantime as dead. */
async function publish(
  connection: IndexConnection,
  {
    id,
    sources,
    lengths,
  }: { id: number; sources: readonly MergedSegment[]; lengths: ReadonlyMap<number, number> | null },
) {
  const ids = sources.map(({ id: source }) => source);
  await connection.writing(async () => {
    await connection.all(`update "indexedDocuments" set "segmentId" = ? where "segmentId" in (${placeholders(ids)})`, [
      id,
      ...ids,
    ]);
    if (lengths !== null) {
      const tokens = [...lengths.values()].reduce((sum, length) => sum + length, 0);
      await connection.all(`update "indexSegments" set chunks = ?, tokens = ? where id = ?`, [
        lengths.size,
        tokens,
        id,
      ]);
    }
    await connection.all(
      `update "indexSegments" set state = 'live', "deadChunks" = chunks -
         (select coalesce(sum(chunks), 0) from "indexedDocuments" where "segmentId" = ?) where id = ?`,
      [id, id],
    );
    await connection.all(`delete from "indexSegments" where level = 0 and id in (${placeholders(ids)})`, ids);
    await connection.all(`update "indexSegments" set state = 'dead' where id in (${placeholders(ids)})`, ids);
  });
}
