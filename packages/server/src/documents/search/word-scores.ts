import { openPostings, type PostingCursor } from "./postings.ts";

const K1 = 1.2;
const B = 0.75;
/** The number of chunk numbers whose scores are summed together. */
const RANGE = 16_384;

/** A word of the query with its stems in the agent's languages. A passage matches if it contains any of them. */
export type QueryTerm = {
  surface: string;
  terms: string[];
  /** number of chunks that contain it */
  chunks: number;
  weight: number;
  /** the weight of the word itself, when similar terms replace it; 0 for another spelling of other words */
  ownWeight: number;
  /** the words, as written in the question, of which this is another spelling; null for a word */
  spellingOf: readonly string[] | null;
};

/** The inverse document frequency of a word that `chunks` of `all` chunks contain. */
export function termWeight(chunks: number, all: number): number {
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
 * Sums BM25 scores by chunk and returns the chunks with the best scores, best first. Of chunks with equal scores, the
 * older one comes first. It sums one range of chunk numbers after the other, because an array for a million chunks does
 * not fit into the processor's cache, with which a search took twice as long.
 */
export function rankChunks(lists: readonly WeightedPostings[], averageLength: number, count: number): Scored[] {
  const cursors = lists.map(({ postings, base, weight }) => ({ weight, at: openPostings(postings, base) }));
  const sums = new Float64Array(RANGE);
  const norms = Float64Array.from({ length: NORMS }, (_, length) => lengthNorm(length, averageLength));
  const found: Scored[] = [];
  let worst = 0;
  for (;;) {
    const start = cursors.reduce((first, { at }) => (at.isAtEnd ? first : Math.min(first, at.chunk)), Infinity);
    if (start === Infinity) break;
    let last = 0;
    for (const { at, weight } of cursors) {
      if (!at.isAtEnd) last = Math.max(last, addScores({ sums, start, norms, averageLength }, at, weight));
    }
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

/** The number of lengths whose norms are in a table. Longer chunks are rare. */
const NORMS = 1_024;

/** The amount that a chunk's length adds to the frequency of each of its words. */
const lengthNorm = (length: number, averageLength: number) => K1 * (1 - B + (B * length) / averageLength);

/** `sums` are the scores of the chunks from the number `start` on. `norms` are indexed by a chunk's length. */
type Range = { sums: Float64Array; start: number; norms: Float64Array; averageLength: number };

/**
 * Moves the cursor to the end of the range. It reads the bytes itself, because a search of a large index reads 300,000
 * postings, and `toNextPosting` for each of them took half as long again.
 * @returns the highest index at which it added a score
 */
function addScores(range: Range, cursor: PostingCursor, weight: number): number {
  const { sums, start, norms, averageLength } = range;
  const { reader } = cursor;
  const { bytes } = reader;
  let { at } = reader;
  let { chunk, frequency, length } = cursor;
  let index = 0;
  while (chunk < start + RANGE) {
    index = chunk - start;
    const norm = length < NORMS ? (norms[length] as number) : lengthNorm(length, averageLength);
    sums[index] = (sums[index] as number) + (weight * frequency * (K1 + 1)) / (frequency + norm);
    cursor.isAtEnd = at >= bytes.length;
    if (cursor.isAtEnd) break;
    let byte = bytes[at++] as number;
    let gap = byte & 127;
    for (let shift = 7; byte > 127; shift += 7) {
      byte = bytes[at++] as number;
      gap |= (byte & 127) << shift;
    }
    chunk += gap;
    byte = bytes[at++] as number;
    frequency = byte & 127;
    for (let shift = 7; byte > 127; shift += 7) {
      byte = bytes[at++] as number;
      frequency |= (byte & 127) << shift;
    }
    byte = bytes[at++] as number;
    length = byte & 127;
    for (let shift = 7; byte > 127; shift += 7) {
      byte = bytes[at++] as number;
      length |= (byte & 127) << shift;
    }
  }
  reader.at = at;
  cursor.chunk = chunk;
  cursor.frequency = frequency;
  cursor.length = length;
  return index;
}

/** @returns the lowest remaining score, or 0 if there are fewer than `count` */
function keepBest(candidates: Scored[], count: number): number {
  candidates.sort((a, b) => b.score - a.score || a.number - b.number);
  candidates.length = Math.min(candidates.length, count);
  return candidates[count - 1]?.score ?? 0;
}
