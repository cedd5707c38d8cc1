import { openPostings, type PostingCursor, toNextPosting } from "./postings.ts";

const K1 = 1.2;
const B = 0.75;
/** Chunk numbers whose scores are summed at a time. */
const RANGE = 16_384;

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

/** Postings of a term in a segment, with the weight of the question's word. */
export type WeightedPostings = { postings: Uint8Array; base: number; weight: number };

export type Scored = { number: number; score: number };

/**
 * Sums BM25 scores by chunk, and returns the chunks with the best ones, best first. Of equal scores, the older chunk
 * comes first. It sums one range of chunk numbers after the other, because an array for a million chunks does not fit
 * into the processor's cache: with it, a search took twice as long.
 */
export function bestChunks(lists: readonly WeightedPostings[], averageLength: number, count: number): Scored[] {
  const cursors = lists.map(({ postings, base, weight }) => ({ weight, at: openPostings(postings, base) }));
  const sums = new Float64Array(RANGE);
  const found: Scored[] = [];
  let worst = 0;
  for (;;) {
    const start = cursors.reduce((first, { at }) => (at.isAtEnd ? first : Math.min(first, at.chunk)), Infinity);
    if (start === Infinity) break;
    let last = 0;
    for (const { at, weight } of cursors) last = Math.max(last, addScores({ sums, start, averageLength }, at, weight));
    for (let index = 0; index <= last; index++) {
      const score = sums[index] as number;
      if (score <= worst) continue;
      found.push({ number: start + index, score });
      if (found.length >= 4 * count) worst = keepBest(found, count);
    }
    sums.fill(0, 0, last + 1);
  }
  keepBest(found, count);
  return found;
}

/** `sums`: of the chunks from the number `start` on */
type Range = { sums: Float64Array; start: number; averageLength: number };

/** Moves the cursor to the end of the range. @returns the highest index at which it added a score */
function addScores({ sums, start, averageLength }: Range, at: PostingCursor, weight: number): number {
  let index = 0;
  while (!at.isAtEnd && at.chunk < start + RANGE) {
    const { frequency, length } = at;
    index = at.chunk - start;
    sums[index] =
      (sums[index] as number) +
      (weight * frequency * (K1 + 1)) / (frequency + K1 * (1 - B + (B * length) / averageLength));
    toNextPosting(at);
  }
  return index;
}

/** @returns the lowest score that is left, or 0 if there are fewer than `count` */
function keepBest(candidates: Scored[], count: number): number {
  candidates.sort((a, b) => b.score - a.score || a.number - b.number);
  candidates.length = Math.min(candidates.length, count);
  return candidates[count - 1]?.score ?? 0;
}
