import { hashGrams } from "./character-grams.ts";

export type Candidate = {
  /** question and other wordings of an FAQ entry, one per line */
  question: string | null;
  title: string;
  heading: string | null;
  text: string;
};

/** The maximum number of characters of a passage that are compared. */
const MAX_TEXT = 6_000;
/** Weight of the word score. The other half is the overlap of character 4-grams. */
const WORDS_SHARE = 0.5;

/**
 * Compares questions with passages by their character 4-grams, weighted by how rare each is among the candidates. This
 * matches what stems miss: compounds, typos and word order.
 * @param wordScores the score of each candidate on any scale, best first
 * @returns a score from 0 to 1 for each candidate
 */
export function rerank(query: string, candidates: readonly Candidate[], wordScores: readonly number[]): number[] {
  const grams = hashQueryGrams(query);
  const passages = candidates.map(({ question, title, heading, text }) => {
    const wordings = question === null ? [] : question.split("\n");
    const whole = [question === null ? title : (wordings[0] ?? ""), heading ?? "", text].join(" ").slice(0, MAX_TEXT);
    return { whole: grams.find(whole), wordings: wordings.map(grams.find) };
  });
  const weights = weighByRarity(
    grams.size,
    passages.map(({ whole, wordings }) => [whole, ...wordings]),
  );
  const total = weights.reduce((sum, weight) => sum + weight, 0) || 1;
  const rarest = Math.log(1 + (candidates.length - 0.5) / 1.5);
  const highest = wordScores[0] || 1;
  return passages.map(({ whole, wordings }, index) => {
    const weigh = ({ found }: Found) => found.reduce((sum, gram) => sum + (weights[gram] ?? 0), 0);
    let overlap = weigh(whole) / total;
    let nearest = 0;
    for (const wording of wordings) {
      const shared = weigh(wording);
      // A short wording that says nothing else is closer than a long text that contains the same words among others.
      const similarity = (2 * shared) / (total + shared + (wording.size - wording.found.length) * rarest);
      nearest = Math.max(nearest, 0.5 * (shared / total) + 0.5 * similarity);
    }
    if (wordings.length > 0) overlap = 0.5 * overlap + 0.5 * nearest;
    return WORDS_SHARE * ((wordScores[index] ?? 0) / highest) + (1 - WORDS_SHARE) * overlap;
  });
}

/** `found`: the query's grams that a text contains. `size`: an upper bound for the distinct grams in the text. */
type Found = { found: number[]; size: number };

/**
 * The lower bits of a code, which select its slot in a hash table of 8 KB. The table fits into the processor's
 * first-level cache.
 */
const MASK = 0xfff;

/** The query's 4-grams, numbered in the order of their first occurrence. */
function hashQueryGrams(query: string) {
  const codes: number[] = [];
  // Uses a hash table, because a search looks up 25,000 grams and a `Map` takes twice as long. `last` is 1 + the last
  // number with the same lower bits. `before` is, for each number, 1 + the previous number with the same lower bits.
  const last = new Uint16Array(MASK + 1);
  const before: number[] = [];
  const gramNumber = (code: number): number => {
    let next = last[code & MASK] as number;
    while (next !== 0 && codes[next - 1] !== code) next = before[next - 1] as number;
    return next - 1;
  };
  for (const code of hashGrams(query)) {
    if (gramNumber(code) !== -1) continue;
    before.push(last[code & MASK] as number);
    last[code & MASK] = codes.push(code);
  }
  const seen = new Uint32Array(codes.length);
  let turn = 0;
  return {
    size: codes.length,
    find(text: string): Found {
      turn++;
      const found: number[] = [];
      const grams = hashGrams(text);
      for (let index = 0; index < grams.length; index++) {
        const code = grams[index] as number;
        // Most grams of a passage are not in the query.
        if (last[code & MASK] === 0) continue;
        const number = gramNumber(code);
        if (number === -1 || seen[number] === turn) continue;
        seen[number] = turn;
        found.push(number);
      }
      return { found, size: grams.length };
    },
  };
}

/** How well each gram distinguishes the candidates. */
function weighByRarity(size: number, passages: readonly Found[][]): number[] {
  const counts = new Array<number>(size).fill(0);
  const lastCounted = new Int32Array(size).fill(-1);
  for (const [index, units] of passages.entries()) {
    for (const { found } of units) {
      for (const gram of found) {
        if (lastCounted[gram] === index) continue;
        lastCounted[gram] = index;
        counts[gram] = (counts[gram] ?? 0) + 1;
      }
    }
  }
  return counts.map((count) => Math.log(1 + (passages.length - count + 0.5) / (count + 0.5)));
}
