import { eachGram } from "./character-grams.ts";

export type Candidate = {
  /** question and other wordings of a FAQ entry, one per line */
  question: string | null;
  title: string;
  heading: string | null;
  text: string;
};

/** Maximum characters of a passage that are compared. */
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
  const grams = queryGrams(query);
  const passages = candidates.map(({ question, title, heading, text }) => {
    const wordings = question === null ? [] : question.split("\n");
    const whole = [question === null ? title : (wordings[0] ?? ""), heading ?? "", text].join(" ").slice(0, MAX_TEXT);
    return { whole: grams.find(whole), wordings: wordings.map(grams.find) };
  });
  const weights = rarity(
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
      // A short wording that says nothing else is closer than a long text that contains these words among others.
      const similarity = (2 * shared) / (total + shared + (wording.size - wording.found.length) * rarest);
      nearest = Math.max(nearest, 0.5 * (shared / total) + 0.5 * similarity);
    }
    if (wordings.length > 0) overlap = 0.5 * overlap + 0.5 * nearest;
    return WORDS_SHARE * ((wordScores[index] ?? 0) / highest) + (1 - WORDS_SHARE) * overlap;
  });
}

/** `found`: the query's grams that a text contains. `size`: an upper bound for the distinct grams in the text. */
type Found = { found: number[]; size: number };

/** The query's 4-grams, numbered in the order of their first occurrence. */
function queryGrams(query: string) {
  const ids = new Map<number, number>();
  eachGram(query, (code) => {
    if (!ids.has(code)) ids.set(code, ids.size);
  });
  // Most grams of a passage are not in the query, and checking one bit is faster than a map lookup.
  const bits = new Uint8Array(65_536);
  for (const code of ids.keys()) bits[code & 0xffff] = 1;
  const seen = new Uint32Array(ids.size);
  let turn = 0;
  return {
    size: ids.size,
    find(text: string): Found {
      turn++;
      const found: number[] = [];
      let size = 0;
      eachGram(text, (code) => {
        size++;
        if (bits[code & 0xffff] === 0) return;
        const id = ids.get(code);
        if (id === undefined || seen[id] === turn) return;
        seen[id] = turn;
        found.push(id);
      });
      return { found, size };
    },
  };
}

/** How well each gram distinguishes the candidates. */
function rarity(size: number, passages: readonly Found[][]): number[] {
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
