import { forEachPosting, type TermPostings } from "./postings.ts";
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
      const offset = base - first;
      forEachPosting(postings, (chunk, frequency, length) => {
        const score = (weight * frequency * (K1 + 1)) / (frequency + K1 * (1 - B + (B * length) / averageLength));
        if (isDense) dense[chunk + offset] = (dense[chunk + offset] ?? 0) + score;
        else sparse.set(chunk + base, (sparse.get(chunk + base) ?? 0) + score);
      });
    },
    /** The chunks with the best scores, best first. Of equal scores, the older chunk comes first. */
    best(count: number): Array<{ number: number; score: number }> {
      const heap: Array<{ number: number; score: number }> = [];
      const offer = (number: number, score: number) => {
        if (heap.length >= 2 * count && score <= (heap[count - 1]?.score ?? 0)) return;
        heap.push({ number, score });
        if (heap.length >= 4 * count) keepBest(heap, count);
      };
      if (isDense) {
        for (let i = 0; i < dense.length; i++) {
          const score = dense[i] ?? 0;
          if (score > 0) offer(first + i, score);
        }
      } else {
        for (const [number, score] of sparse) offer(number, score);
      }
      keepBest(heap, count);
      return heap;
    },
  };
}

function keepBest(candidates: Array<{ number: number; score: number }>, count: number) {
  candidates.sort((a, b) => b.score - a.score || a.number - b.number);
  candidates.length = Math.min(candidates.length, count);
}
