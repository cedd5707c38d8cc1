/** What pdf.js says about the drawing of a page. A glyph is an object, a number moves the next one. */
export type Operators = { argsArray: readonly unknown[] };
type Glyph = { unicode: string };

/** Alef before lam: either the article, or a joined lam and alef that pdf.js has reversed. */
export const maybeReversed = /[\u0622\u0623\u0625\u0627]\u0644/;
const arabicRun = /[\u0620-\u065f\u066e-\u06d3]+/g;

/**
 * Finds the Arabic words of a page whose glyphs for two letters pdf.js has reversed together with the line: it reads
 * السلام as السالم. Words that also occur without such a glyph are left out.
 * @returns the right spelling of each wrong one
 */
export function findReversedWords({ argsArray }: Operators): Map<string, string> {
  const corrections = new Map<string, string>();
  const plain = new Set<string>();
  for (const args of argsArray) {
    const letters = Array.isArray(args) ? readGlyphs(args[0]) : [];
    if (letters.length === 0) continue;
    const wrong = [...letters.join("")].reverse().join("").match(arabicRun) ?? [];
    const right = letters.toReversed().join("").match(arabicRun) ?? [];
    if (wrong.length !== right.length) continue;
    for (const [index, word] of wrong.entries()) {
      const correct = right[index] ?? word;
      if (correct === word) plain.add(word);
      else corrections.set(word, correct);
    }
  }
  for (const word of plain) corrections.delete(word);
  return corrections;
}

/** The text of each glyph that an operator shows, in the order on the page. */
export function readGlyphs(shown: unknown): string[] {
  if (!Array.isArray(shown)) return [];
  return shown.flatMap((glyph: Partial<Glyph> | number | null) =>
    typeof glyph === "object" && typeof glyph?.unicode === "string" ? [glyph.unicode] : [],
  );
}

export const correctWords = (text: string, corrections: ReadonlyMap<string, string>): string =>
  text.replace(arabicRun, (word) => corrections.get(word) ?? word);
