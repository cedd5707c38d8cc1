import type { DatabaseAddress } from "../packages/server/src/db/database-kind.ts";
import { connect, type IndexConnection, type Value } from "../packages/server/src/documents/search/index-connection.ts";
import { BLOCK_CHUNKS, compareTerms } from "../packages/server/src/documents/search/postings.ts";
import { wordsOf } from "../packages/server/src/documents/search/words.ts";
import { syntheticTexts } from "./synthetic-passages.ts";

const CHUNKS_PER_DOCUMENT = 100;
/** The number of documents in a segment of a large agent after merging. */
const DOCUMENTS_PER_SEGMENT = 2_000;
const LANGUAGE = "en";
const ROWS_AT_ONCE = 100;
const BYTES_AT_ONCE = 1_000_000;
/** The number of chunks after which the progress is printed. */
const LOG_EVERY = 200_000;

type Owner = { organizationId: string; agentId: string };
type Document = { id: string; title: string; firstNumber: number; texts: string[] };

/**
 * Writes the index of an agent with many synthetic passages to all databases concurrently. The rows are the same as if
 * the documents had been added one by one and merged, which takes three times as long.
 */
export async function fillIndex(addresses: readonly DatabaseAddress[], owner: Owner, chunks: number): Promise<void> {
  const startedAt = performance.now();
  const connections = await Promise.all(addresses.map((address) => connect(address, "write")));
  for (const connection of connections)
    if (connection.kind === "sqlite") await connection.all("pragma synchronous = off");
  for (let added = 0; added < chunks; ) {
    const segment = createSegment(added);
    const documents: Document[] = [];
    for (let n = 0; n < DOCUMENTS_PER_SEGMENT && added < chunks; n++) {
      const number = added / CHUNKS_PER_DOCUMENT;
      const document = {
        id: `${owner.agentId}/doc_${number}`,
        title: `Document ${number}`,
        firstNumber: added,
        texts: syntheticTexts(number, Math.min(CHUNKS_PER_DOCUMENT, chunks - added)),
      };
      segment.add(document);
      documents.push(document);
      added += document.texts.length;
      if (added % LOG_EVERY === 0)
        console.error(`${added} of ${chunks} chunks after ${Math.round((performance.now() - startedAt) / 1_000)} s`);
    }
    await Promise.all(connections.map((connection) => write(connection, owner, documents, segment)));
  }
  for (const connection of connections) {
    await connection.all(`insert into "agentIndexes" ("agentId", "organizationId", "nextNumber") values (?, ?, ?)`, [
      owner.agentId,
      owner.organizationId,
      chunks,
    ]);
    if (connection.kind === "postgres") await connection.all("analyze");
    await connection.close();
  }
  console.error(`${chunks} chunks written after ${Math.round((performance.now() - startedAt) / 1_000)} s`);
}

type Segment = ReturnType<typeof createSegment>;

function createSegment(firstNumber: number) {
  const byTerm = new Map<string, PostingBlocks>();
  let chunks = 0;
  let tokens = 0;

  function addChunk(number: number, terms: readonly string[]): void {
    const frequencies = new Map<string, number>();
    for (const term of terms) frequencies.set(term, (frequencies.get(term) ?? 0) + 1);
    for (const [term, frequency] of frequencies) {
      const blocks = byTerm.get(term) ?? createPostingBlocks();
      byTerm.set(term, blocks);
      blocks.add(number, frequency, terms.length);
    }
    chunks++;
    tokens += terms.length;
  }

  return {
    add({ title, firstNumber: first, texts }: Document): void {
      const titleTerms = splitTerms(title);
      for (const [index, text] of texts.entries()) addChunk(first + index, [...titleTerms, ...splitTerms(text)]);
    },
    /** The columns of the segment's row. */
    row: () => ({ chunks, tokens, firstNumber, lastNumber: firstNumber + chunks - 1 }),
    /** The rows of its postings, in the order of their key. */
    *postings(): Generator<{ term: string; block: number; chunks: number; packed: Buffer }> {
      for (const term of [...byTerm.keys()].sort(compareTerms)) {
        for (const [block, found] of (byTerm.get(term)?.finish() ?? []).entries()) yield { term, block, ...found };
      }
    },
  };
}

/** The synthetic words are the same in all passages, so each is analyzed once. */
const analyzed = new Map<string, string>();

function splitTerms(text: string): string[] {
  return text.split(" ").map((word) => {
    const analyzedTerms = analyzed.get(word);
    if (analyzedTerms !== undefined) return analyzedTerms;
    const term = wordsOf(word, [LANGUAGE])[0]?.terms[0] ?? "";
    analyzed.set(word, term);
    return term;
  });
}

type PostingBlocks = ReturnType<typeof createPostingBlocks>;

/** Packs the postings of a term like `packPostings`, without an object for each. */
function createPostingBlocks() {
  const finished: Array<{ chunks: number; packed: Buffer }> = [];
  let bytes = Buffer.alloc(64);
  let size = 0;
  let chunks = 0;
  let previous = 0;

  function put(value: number): void {
    let rest = value;
    for (; rest > 127; rest = Math.floor(rest / 128)) bytes[size++] = (rest % 128) + 128;
    bytes[size++] = rest;
  }

  function endBlock(): void {
    if (chunks > 0) finished.push({ chunks, packed: Buffer.from(bytes.subarray(0, size)) });
    size = 0;
    chunks = 0;
    previous = 0;
  }

  return {
    add(chunk: number, frequency: number, length: number): void {
      if (size + 16 > bytes.length) bytes = Buffer.concat([bytes, Buffer.alloc(bytes.length)]);
      put(chunk - previous);
      put(frequency);
      put(length);
      previous = chunk;
      if (++chunks === BLOCK_CHUNKS) endBlock();
    },
    finish() {
      endBlock();
      return finished;
    },
  };
}

async function write(
  connection: IndexConnection,
  { organizationId, agentId }: Owner,
  documents: readonly Document[],
  segment: Segment,
): Promise<void> {
  const { chunks, tokens, firstNumber, lastNumber } = segment.row();
  const [row] = await connection.all<{ id: number }>(
    `insert into "indexSegments" ("organizationId", "agentId", state, level, chunks, "deadChunks", tokens, languages,
       "firstNumber", "lastNumber", bytes) values (?, ?, 'live', 2, ?, 0, ?, ?, ?, ?, 0) returning id`,
    [organizationId, agentId, chunks, tokens, LANGUAGE, firstNumber, lastNumber],
  );
  if (!row) throw new Error("The segment was not created.");
  const { id } = row;
  const passages = createRows(
    connection,
    "documentChunks",
    "agentId, number, organizationId, documentId, version, ordinal, text",
  );
  const indexed = createRows(
    connection,
    "indexedDocuments",
    "documentId, organizationId, agentId, version, segmentId, title, chunks, isEnabled",
  );
  for (const document of documents) {
    for (const [ordinal, text] of document.texts.entries()) {
      await passages.add([agentId, document.firstNumber + ordinal, organizationId, document.id, 1, ordinal, text]);
    }
    await indexed.add([document.id, organizationId, agentId, 1, id, document.title, document.texts.length, 1]);
  }
  const postings = createRows(connection, "indexPostings", "segmentId, term, block, chunks, postings");
  for (const { term, block, chunks: count, packed } of segment.postings()) {
    await postings.add([id, term, block, count, packed], packed.length);
  }
  for (const rows of [passages, indexed, postings]) await rows.flush();
}

/** Inserts many rows in each statement. */
function createRows(connection: IndexConnection, table: string, columns: string) {
  const names = columns.split(", ");
  const row = `(${names.map(() => "?").join(", ")})`;
  const insert = `insert into "${table}" (${names.map((name) => `"${name}"`).join(", ")}) values `;
  let values: Value[] = [];
  let bytes = 0;

  async function flush(): Promise<void> {
    if (values.length === 0) return;
    const rows = new Array(values.length / names.length).fill(row);
    const taken = values;
    values = [];
    bytes = 0;
    await connection.writing(() => connection.all(insert + rows.join(", "), taken));
  }

  return {
    flush,
    async add(added: readonly Value[], size = 0): Promise<void> {
      values.push(...added);
      bytes += size;
      if (values.length >= ROWS_AT_ONCE * names.length || bytes >= BYTES_AT_ONCE) await flush();
    },
  };
}
