import type { IndexConnection } from "./index-connection.ts";
import { BLOCK_CHUNKS } from "./postings.ts";
import {
  countInSegments,
  findInDocuments,
  readPostings,
  readTermsWithPrefixes,
  type Segment,
  type SegmentPostings,
} from "./read-index.ts";
import { findSimilarTerms, hasSimilarTerms, PREFIX_LENGTH } from "./similar-terms.ts";
import { type QueryTerm, termWeight } from "./word-scores.ts";

/**
 * The maximum number of postings that a search reads, four bytes each. The rarest terms come first, and at least one is
 * always read.
 */
const MAX_POSTINGS = 300_000;
/** Up to this number of chunks, all postings are read together. In larger indexes, they are counted first. */
const SMALL_INDEX = 20_000;
/** A number that exceeds the number of blocks of any term, and fits into PostgreSQL's 32-bit `integer`. */
const MAX_BLOCKS = 1_000_000;
/**
 * The maximum number of words of a question for which similar terms are searched. Each takes a scan of the terms with
 * its prefix.
 */
const MAX_UNKNOWN = 4;
/** The weight of a term that is only similar to the question's word. */
const SIMILAR_WEIGHT = 0.6;

type Index = { connection: IndexConnection; segments: readonly Segment[]; all: number };

/** Sets the weights of the terms and reads the postings of the rarest ones. */
export async function readTerms(index: Index, terms: readonly QueryTerm[]): Promise<SegmentPostings[]> {
  const lookup = await lookUp(index, termNames(terms));
  for (const term of terms) {
    term.chunks = countChunks(term, lookup.counts, index.all);
    term.weight = termWeight(term.chunks, index.all);
    term.ownWeight = term.weight;
  }
  const unknown = terms.filter(({ chunks, terms: [name = ""] }) => chunks === 0 && hasSimilarTerms(name));
  const replaced = unknown.slice(0, MAX_UNKNOWN);
  await replaceBySimilar(index, replaced);
  const similarLookup = await lookUp(
    index,
    termNames(replaced).filter((name) => !lookup.names.has(name)),
  );
  const counts = new Map([...lookup.counts, ...similarLookup.counts]);
  for (const term of replaced) {
    term.chunks = countChunks(term, counts, index.all);
    term.weight = SIMILAR_WEIGHT * termWeight(term.chunks, index.all);
  }
  if (index.all <= SMALL_INDEX) return [...lookup.postings, ...similarLookup.postings];

  const chosen = new Set(termNames(limitTerms(terms)));
  const merged = await readPostings(index.connection, {
    segmentIds: mergedIds(index.segments),
    terms: [...chosen],
    // Only a single word can exceed the limit. In that case, only the oldest blocks of every segment are read.
    blocks: Math.max(1, Math.ceil(MAX_POSTINGS / BLOCK_CHUNKS)),
  });
  return [...findInDocuments(index.segments, [...chosen]), ...merged];
}

const termNames = (terms: readonly QueryTerm[]) => [...new Set(terms.flatMap((term) => term.terms))];
const mergedIds = (segments: readonly Segment[]) => segments.filter(({ level }) => level > 0).map(({ id }) => id);

function countChunks({ terms }: QueryTerm, counts: ReadonlyMap<string, number>, all: number) {
  return Math.min(
    all,
    terms.reduce((sum, name) => sum + (counts.get(name) ?? 0), 0),
  );
}

/** Counts the chunks that contain each term. In a small index, also reads the postings. */
async function lookUp({ connection, segments, all }: Index, names: readonly string[]) {
  const isSmall = all <= SMALL_INDEX;
  const segmentIds = mergedIds(segments);
  const inDocuments = findInDocuments(segments, names);
  const inSegments = isSmall ? await readPostings(connection, { segmentIds, terms: names, blocks: MAX_BLOCKS }) : [];
  const counted = isSmall ? inSegments : await countInSegments(connection, segmentIds, names);
  const counts = new Map<string, number>();
  for (const { term, chunks } of [...inDocuments, ...counted]) counts.set(term, (counts.get(term) ?? 0) + chunks);
  return { names: new Set(names), counts, postings: [...inDocuments, ...inSegments] };
}

async function replaceBySimilar({ connection, segments }: Index, unknown: readonly QueryTerm[]): Promise<void> {
  const prefixes = new Set(termNames(unknown).map((name) => name.slice(0, PREFIX_LENGTH)));
  if (prefixes.size === 0) return;
  const indexed = [...(await readTermsWithPrefixes(connection, segments, [...prefixes]))];
  for (const term of unknown) {
    const found = term.terms.flatMap((name) => {
      const prefix = name.slice(0, PREFIX_LENGTH);
      return findSimilarTerms(
        name,
        indexed.filter((other) => other.startsWith(prefix)),
      );
    });
    if (found.length > 0) term.terms = [...new Set(found)];
  }
}

function limitTerms(terms: readonly QueryTerm[]): QueryTerm[] {
  const byRarity = terms.filter(({ chunks }) => chunks > 0).sort((a, b) => a.chunks - b.chunks);
  let sum = 0;
  return byRarity.filter(({ chunks }, index) => {
    sum += chunks;
    return index === 0 || sum <= MAX_POSTINGS;
  });
}
