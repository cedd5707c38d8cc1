import { createPostingColumns, type PostingColumns, type TermPostings, unpackPostings } from "./postings.ts";
import type { Segment } from "./read-index.ts";

const K1 = 1.2;
const B = 0.75;
/** Beyond this range of chunk numbers, most of which are deleted, a map takes less memory than an array. */
const MAX_DENSE = 8_000_000;

/** A word of the query with its stems in the agent's languages. A passage matches if it contains any of them. */
export type QueryTerm = {
  surface: string;
  terms: string[];
  /** number of chunks that contain it */
  chunks: number;
  weight: number;
  /** the weight of the word itself, when similar terms replace it */
  ownWeight: number;
};

/** The inverse document frequency of a word that `chunks` of `all` chunks contain. */
export function weightOf(chunks: number, all: number): number {
  return Math.log(1 + (all - chunks + 0.5) / (chunks + 0.5));
}

/** The highest BM25 score that a passage can reach for these words. */
export function highestScore(terms: readonly QueryTerm[]): number {
  return terms.reduce((sum, { ownWeight }) => sum + ownWeight * (K1 + 1), 0);
}

/**
 * Sums BM25 scores by chunk number. The order of the segments does not matter, because a chunk is in only one of them.
 */
export function createScores(segments: readonly Segment[], averageLength: number) {
  const first = Math.min(...segments.map(({ firstNumber }) => firstNumber));
  const last = Math.max(...segments.map(({ lastNumber }) => lastNumber));
  const isDense = last - first < MAX_DENSE;
  const dense = new Float64Array(isDense ? last - first + 1 : 0);
  const sparse = new Map<number, number>();
  return {
    add({ postings }: Pick<TermPostings, "postings">, weight: number, base: number): void {
      unpackPostings(postings, columns);
      toScores(columns, weight, averageLength);
      if (isDense) addDense(dense, columns, base - first);
      else addSparse(sparse, columns, base);
    },
    /** The chunks with the best scores, best first. Of equal scores, the older chunk comes first. */
    best(count: number): Scored[] {
      return isDense ? bestOfDense(dense, first, count) : bestOfSparse(sparse, count);
    },
  };
}

type Scored = { number: number; score: number };

const columns = createPostingColumns();

/** Replaces the frequencies by the scores of the postings. */
function toScores({ count, frequencies, lengths }: PostingColumns, weight: number, averageLength: number) {
  for (let index = 0; index < count; index++) {
    const frequency = frequencies[index] as number;
    const length = lengths[index] as number;
    frequencies[index] = (weight * frequency * (K1 + 1)) / (frequency + K1 * (1 - B + (B * length) / averageLength));
  }
}

function addDense(dense: Float64Array, { count, chunks, frequencies: scores }: PostingColumns, offset: number) {
  for (let index = 0; index < count; index++) {
    const at = (chunks[index] as number) + offset;
    dense[at] = (dense[at] as number) + (scores[index] as number);
  }
}

function addSparse(sparse: Map<number, number>, { count, chunks, frequencies: scores }: PostingColumns, base: number) {
  for (let index = 0; index < count; index++) {
    const number = (chunks[index] as number) + base;
    sparse.set(number, (sparse.get(number) ?? 0) + (scores[index] as number));
  }
}

function bestOfDense(dense: Float64Array, first: number, count: number): Scored[] {
  const found: Scored[] = [];
  // Of equal scores the older chunk comes first, so a later one has to exceed the worst.
  let worst = 0;
  for (let index = 0; index < dense.length; index++) {
    const score = dense[index] as number;
    if (score <= worst) continue;
    found.push({ number: first + index, score });
    if (found.length >= 4 * count) worst = keepBest(found, count);
  }
  keepBest(found, count);
  return found;
}

function bestOfSparse(sparse: ReadonlyMap<number, number>, count: number): Scored[] {
  const found: Scored[] = [];
  let worst = 0;
  for (const [number, score] of sparse) {
    if (score < worst) continue;
    found.push({ number, score });
    if (found.length >= 4 * count) worst = keepBest(found, count);
  }
  keepBest(found, count);
  return found;
}

/** @returns the lowest score that is left */
function keepBest(candidates: Scored[], count: number): number {
  candidates.sort((a, b) => b.score - a.score || a.number - b.number);
  candidates.length = Math.min(candidates.length, count);
  return candidates.at(-1)?.score ?? 0;
}
