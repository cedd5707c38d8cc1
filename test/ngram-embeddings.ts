import { wordsOf } from "../packages/server/src/documents/search/words.ts";

const DIMENSIONS = 512;

/**
 * An embedding model without weights. It uses character n-grams of the words, weighted by their rarity in the texts
 * that it was fitted to, and projects them onto a few hundred dimensions by signed hashing. Texts that share parts of
 * words are near each other, even with typing errors or other inflections.
 */
export function createNgramModel(texts: readonly string[]) {
  const occurrences = new Map<string, number>();
  for (const text of texts) {
    for (const gram of countGrams(text).keys()) occurrences.set(gram, (occurrences.get(gram) ?? 0) + 1);
  }
  const rarity = (gram: string) => Math.log(1 + (texts.length + 1) / ((occurrences.get(gram) ?? 0) + 0.5));
  return {
    dimensions: DIMENSIONS,
    /** @returns a vector of length 1 */
    embed(text: string): number[] {
      const vector = new Array<number>(DIMENSIONS).fill(0);
      for (const [gram, count] of countGrams(text)) {
        if (!occurrences.has(gram)) continue;
        const hash = hashGram(gram);
        const weight = (1 + Math.log(count)) * rarity(gram) ** 2;
        vector[hash % DIMENSIONS] = (vector[hash % DIMENSIONS] ?? 0) + (hash & 0x4000_0000 ? weight : -weight);
      }
      // A text without a known n-gram gets an arbitrary direction, because providers never return a vector of zeros.
      if (!vector.some((component) => component !== 0)) vector[0] = 1;
      const length = Math.hypot(...vector);
      return vector.map((component) => component / length);
    },
  };
}

function countGrams(text: string): Map<string, number> {
  const grams = new Map<string, number>();
  for (const { surface } of wordsOf(text, [])) {
    const word = ` ${surface} `;
    for (const size of [3, 4, 5]) {
      for (let start = 0; start + size <= word.length; start++) {
        const gram = word.slice(start, start + size);
        grams.set(gram, (grams.get(gram) ?? 0) + 1);
      }
    }
  }
  return grams;
}

function hashGram(gram: string): number {
  let hash = 0x811c9dc5;
  for (const character of gram) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}
