/**
 * The constant of reciprocal rank fusion. The higher it is, the less the first ranks differ. 60 is the value of the
 * original paper.
 */
const RANK_OFFSET = 60;

/** Which of the two lists a passage is in. */
export type MatchedBy = "words" | "meaning" | "both";

export type Fused<Item> = { item: Item; matchedBy: MatchedBy; score: number };

/**
 * Merges two ranked lists by reciprocal rank fusion: only ranks count, so the lists' scores need not be comparable.
 * Passages that the lists rank in opposite order score the same, and the order of `words` decides.
 * @param idOf returns the same id for an item that is in both lists, of which the item of `words` is used
 * @returns all items of both lists, best first. A score is 1 for an item that is first in both.
 */
export function fuse<Item>(
  words: readonly Item[],
  meaning: readonly Item[],
  idOf: (item: Item) => number,
): Array<Fused<Item>> {
  const byId = new Map<number, Fused<Item>>();
  for (const [rank, item] of words.entries()) {
    byId.set(idOf(item), { item, matchedBy: "words", score: scoreRank(rank) });
  }
  for (const [rank, item] of meaning.entries()) {
    const known = byId.get(idOf(item));
    const score = scoreRank(rank);
    if (known) byId.set(idOf(item), { item: known.item, matchedBy: "both", score: known.score + score });
    else byId.set(idOf(item), { item, matchedBy: "meaning", score });
  }
  return [...byId.values()].sort((a, b) => b.score - a.score);
}

const scoreRank = (rank: number) => (RANK_OFFSET + 1) / (RANK_OFFSET + 1 + rank) / 2;
