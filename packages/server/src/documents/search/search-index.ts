import { stopWords } from "../../stop-words.ts";
import { fuse, type MatchedBy } from "./fuse.ts";
import type { IndexConnection } from "./index-connection.ts";
import { analyzeText } from "./prepare-document.ts";
import type { Segment } from "./read-index.ts";
import { type ChunkRow, readChunks, readSegments } from "./read-index.ts";
import { readTerms } from "./read-terms.ts";
import { rerank } from "./rerank.ts";
import { type Meaning, searchVectors } from "./search-vectors.ts";
import type { SegmentMemory } from "./segment-memory.ts";
import { alternativeTerms, isEndingTerm, mayBeJoined, type Spelling, spellingsOf } from "./spellings.ts";
import { foldMarks, stemmerFor, UNDETERMINED } from "./stemmers.ts";
import type { VectorMemory } from "./vector-memory.ts";
import { highestScore, type QueryTerm, rankChunks, type Scored } from "./word-scores.ts";
import { stemWord, type Word, wordsOf } from "./words.ts";

export type PassageQuery = {
  organizationId: string;
  agentId: string;
  /** 1 to 3 questions; a passage is scored by the question that it answers best */
  queries: readonly string[];
  /** 1 to 50; 6 by default */
  limit?: number;
  /** ISO 639-1 codes; by default those of the agent's documents */
  languages?: readonly string[];
  /** the questions' vectors, to search by meaning as well */
  meaning?: Meaning | null;
};

export type PassageHit = {
  documentId: string;
  /** identifies the chunk within this version of the document */
  chunkId: string;
  ordinal: number;
  /** the question of an FAQ entry */
  heading: string | null;
  page: number | null;
  text: string;
  /** 0 to 1: how much of the question the passage covers, or how near it is in meaning */
  score: number;
  /** the words of the question that were found, as written in the question */
  matched: string[];
  matchedBy: MatchedBy;
};

/** The maximum number of candidates whose texts are compared with the question. */
const CANDIDATES = 50;
const MAX_PER_DOCUMENT = 3;
const DEFAULT_LIMIT = 6;
/** The maximum number of words of a question that are searched. Longer questions are pasted texts. */
const MAX_WORDS = 64;
const MAX_QUERY_LENGTH = 2_000;
/** The maximum number of stemmers applied to a question, starting with the languages of most chunks. */
const MAX_LANGUAGES = 6;
/** The maximum number of candidates that are checked to find enough that are enabled and not deleted. */
const MAX_LOOKED_AT = 12_800;

/** The data that a search thread keeps between two searches. */
export type SearchMemory = { vectors: VectorMemory; segments: SegmentMemory };

/** `terms` are the words of the questions that the chunk matches. */
type Found = { chunk: ChunkRow; score: number; terms: QueryTerm[] };
type Ranked = Found & { matchedBy: MatchedBy };

/** Searches an agent's index on a connection that reads a snapshot. Results are the same on both databases. */
export async function searchIndex(
  connection: IndexConnection,
  memory: SearchMemory,
  query: PassageQuery,
): Promise<PassageHit[]> {
  const segments = await readSegments(connection, memory.segments, query);
  if (segments.length === 0) return [];
  const languages = query.languages && query.languages.length > 0 ? query.languages : listLanguages(segments);
  const byWords = await rankByWords(connection, { query, segments, languages });
  const byMeaning = await rankByMeaning(connection, { memory: memory.vectors, query, languages, byWords });
  const ranked = byMeaning.length === 0 ? byWords : fuseRankings(byWords, byMeaning);
  return limitPerDocument(ranked, query.limit ?? DEFAULT_LIMIT).map((found) => toHit(found, languages));
}

type Search = { query: PassageQuery; segments: readonly Segment[]; languages: readonly string[] };

async function rankByWords(connection: IndexConnection, search: Search): Promise<Ranked[]> {
  const byNumber = new Map<number, Ranked>();
  for (const text of search.query.queries) {
    const question = { connection, ...search, text: text.slice(0, MAX_QUERY_LENGTH) };
    for (const { chunk, score, terms } of await searchOnce(question)) {
      const existing = byNumber.get(chunk.number);
      byNumber.set(chunk.number, {
        chunk,
        score: Math.max(score, existing?.score ?? 0),
        terms: [...(existing?.terms ?? []), ...terms],
        matchedBy: "words",
      });
    }
  }
  return [...byNumber.values()].sort((a, b) => b.score - a.score || a.chunk.number - b.chunk.number);
}

type MeaningSearch = Omit<Search, "segments"> & { memory: VectorMemory; byWords: readonly Ranked[] };

/** Empty when the questions have no vectors or the agent's passages have none of that model. */
async function rankByMeaning(
  connection: IndexConnection,
  { memory, query, languages, byWords }: MeaningSearch,
): Promise<Ranked[]> {
  const near = await searchVectors(connection, memory, query);
  if (near.length === 0) return [];
  const known = new Map(byWords.map(({ chunk }) => [chunk.number, chunk]));
  const unread = near.map(({ number }) => number).filter((number) => !known.has(number));
  for (const chunk of await readChunks(connection, query, unread)) known.set(chunk.number, chunk);
  const terms = query.queries.flatMap((text) => parseQueryTerms(text.slice(0, MAX_QUERY_LENGTH), languages));
  return near.flatMap(({ number, similarity }) => {
    const chunk = known.get(number);
    return chunk ? [{ chunk, score: Math.max(0, similarity), terms, matchedBy: "meaning" as const }] : [];
  });
}

/** The scores keep the order of the joined list. The first passage gets the higher of the two lists' best scores. */
function fuseRankings(byWords: readonly Ranked[], byMeaning: readonly Ranked[]): Ranked[] {
  const fused = fuse(byWords, byMeaning, ({ chunk }) => chunk.number);
  const highest = Math.min(1, Math.max(byWords[0]?.score ?? 0, byMeaning[0]?.score ?? 0));
  const share = highest / (fused[0]?.score ?? 1);
  return fused.map(({ item, matchedBy, score }) => ({ ...item, matchedBy, score: score * share }));
}

type Question = {
  connection: IndexConnection;
  query: PassageQuery;
  segments: readonly Segment[];
  languages: readonly string[];
  text: string;
};

async function searchOnce({ connection, query, segments, languages, text }: Question): Promise<Found[]> {
  const all = segments.reduce((sum, { chunks }) => sum + chunks, 0);
  const tokens = segments.reduce((sum, segment) => sum + segment.tokens, 0);
  const terms = parseQueryTerms(text, languages);
  const postings = await readTerms({ connection, segments, all, languages }, terms);
  if (postings.length === 0) return [];
  const byTerm = Map.groupBy(postings, ({ term }) => term);
  const lists = terms.flatMap(({ terms: alternatives, weight }) =>
    alternatives.flatMap((term) => (byTerm.get(term) ?? []).map((list) => ({ ...list, weight }))),
  );
  const averageLength = tokens / Math.max(1, all);
  const candidates = await loadLiveCandidates(connection, query, (count) => rankChunks(lists, averageLength, count));
  const reranked = rerank(
    text,
    candidates.map(({ chunk }) => chunk),
    candidates.map(({ score }) => score),
  );
  // Dividing by the highest possible score makes scores comparable between questions.
  const coverage = Math.min(1, (candidates[0]?.score ?? 0) / (highestScore(terms) || 1));
  return candidates.map(({ chunk }, index) => ({
    chunk,
    score: (reranked[index] ?? 0) * coverage,
    terms,
  }));
}

/** The distinct words of a question, each with its stems in the languages. */
function parseQueryTerms(text: string, languages: readonly string[]): QueryTerm[] {
  const byStems = new Map<string, QueryTerm>();
  const add = (surface: string, terms: string[], spellingOf: readonly string[] | null) => {
    const key = terms.join(" ");
    if (!byStems.has(key)) byStems.set(key, { surface, terms, chunks: 0, weight: 0, ownWeight: 0, spellingOf });
  };
  const words = wordsOf(text, languages);
  for (const { surface, terms } of words) {
    add(surface, [...new Set([...terms, ...alternativeTerms(surface, languages)])], null);
    if (byStems.size >= MAX_WORDS) break;
  }
  const spellings = [...spellingsOf(text, languages), ...joinAdjacent(words, languages)];
  for (const { surface, terms, parts } of spellings.slice(0, MAX_WORDS)) add(surface, terms, parts);
  return [...byStems.values()];
}

/** Joins adjacent words of a question, which may be one word in a passage. */
function joinAdjacent(words: readonly Word[], languages: readonly string[]): Spelling[] {
  const stems = languages.map(stemmerFor);
  return words.slice(1).flatMap(({ surface: second }, index) => {
    const first = words[index]?.surface ?? "";
    if (!mayBeJoined(first, second)) return [];
    return [{ surface: first + second, terms: stemWord(first + second, stems), parts: [first, second] }];
  });
}

/** The best candidates that are enabled and not deleted. Reads growing batches until there are enough. */
async function loadLiveCandidates(
  connection: IndexConnection,
  query: PassageQuery,
  bestOf: (count: number) => Scored[],
): Promise<Array<{ chunk: ChunkRow; score: number }>> {
  const live: Array<{ chunk: ChunkRow; score: number }> = [];
  for (let from = 0, count = CANDIDATES; from < MAX_LOOKED_AT; from = count, count *= 4) {
    const best = bestOf(count).slice(from);
    const rows = await readChunks(
      connection,
      query,
      best.map(({ number }) => number),
    );
    const byNumber = new Map(rows.map((row) => [row.number, row]));
    for (const { number, score } of best) {
      const chunk = byNumber.get(number);
      if (chunk && live.length < CANDIDATES) live.push({ chunk, score });
    }
    if (live.length === CANDIDATES || best.length < count - from) break;
  }
  return live;
}

function findMatchedWords({ chunk, terms }: Found, languages: readonly string[]): string[] {
  const text = [chunk.title, chunk.heading, chunk.question, chunk.text].join("\n");
  const missing = new Set(terms.flatMap((term) => term.terms));
  const inText = new Set<string>();
  // Without the endings of compounds, when the question asks for none: they are half as many terms as there are words.
  const options = { hasEndings: [...missing].some(isEndingTerm) };
  for (const name of analyzeText(text, languages, options).terms) if (missing.delete(name)) inText.add(name);
  const found = terms.filter((term) => term.terms.some((name) => inText.has(name)));
  const surfaces = found.map(({ surface }) => surface).filter((surface) => !stopWords.has(foldMarks(surface)));
  return [...new Set(surfaces)];
}

function listLanguages(segments: readonly Segment[]): string[] {
  const chunks = new Map<string, number>();
  for (const segment of segments) {
    for (const language of (segment.languages || UNDETERMINED).split(",")) {
      chunks.set(language, (chunks.get(language) ?? 0) + segment.chunks);
    }
  }
  const ordered = [...chunks].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  return ordered.slice(0, MAX_LANGUAGES).map(([language]) => language);
}

/** Keeps at most three passages per document. */
function limitPerDocument(ranked: readonly Ranked[], limit: number): Ranked[] {
  const perDocument = new Map<string, number>();
  const allowed = ranked.filter(({ chunk }) => {
    const count = (perDocument.get(chunk.documentId) ?? 0) + 1;
    perDocument.set(chunk.documentId, count);
    return count <= MAX_PER_DOCUMENT;
  });
  return allowed.slice(0, limit);
}

function toHit(found: Ranked, languages: readonly string[]): PassageHit {
  const { documentId, version, ordinal, heading, question, page, text } = found.chunk;
  return {
    documentId,
    chunkId: `${documentId}.${version}.${ordinal}`,
    ordinal,
    heading: heading ?? question?.split("\n")[0] ?? null,
    page,
    text,
    score: Math.round(found.score * 10_000) / 10_000,
    matched: findMatchedWords(found, languages),
    matchedBy: found.matchedBy,
  };
}
