/** How much of an independent reader's text an extraction has, and what it has beyond it. */
export type Comparison = {
  /** the share of the reference's words that the extraction has, repetitions included */
  recall: number;
  words: number;
  missing: string[];
  /** distinct words that only the extraction has */
  invented: string[];
  /** numbers with their unit that only the extraction has */
  figures: string[];
};

const MAX_EXAMPLES = 40;

/** Separates the text that an extraction must have from text that it may have, such as the numbers of pages. */
export const OPTIONAL = "\n\u241e\n";

/** @param reference the text of an independent reader, with optional text after `OPTIONAL` */
export function compareTexts(extracted: string, reference: string): Comparison {
  const [required = "", optional = ""] = reference.split(OPTIONAL);
  const ours = tokenize(extracted);
  const theirs = tokenize(required);
  const left = countWords(ours);
  const squeezed = ours.join("");
  const missing = theirs.filter((word, index) => {
    const count = left.get(word) ?? 0;
    if (count > 0) left.set(word, count - 1);
    if (count > 0) return false;
    // The readers place spaces differently, and join words that were hyphenated at a line end.
    const around = (theirs[index - 1] ?? "") + word + (theirs[index + 1] ?? "");
    return around.length < 6 || !squeezed.includes(around);
  });
  const known = new Set([...theirs, ...tokenize(optional)]);
  const squeezedReference = theirs.join("");
  const invented = [...new Set(ours)].filter((word) => !known.has(word) && !squeezedReference.includes(word));
  return {
    recall: theirs.length === 0 ? 1 : 1 - missing.length / theirs.length,
    words: theirs.length,
    missing: missing.slice(0, MAX_EXAMPLES),
    invented: invented.slice(0, MAX_EXAMPLES),
    figures: findInventedFigures(extracted, reference),
  };
}

/** Words in lower case. Characters of scripts without spaces are words of their own. */
function tokenize(text: string): string[] {
  const words = text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\u00ad\u200b-\u200f\u2060\ufeff]/g, "")
    .match(
      /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}])[\p{L}\p{M}\p{N}])+/gu,
    );
  return words ?? [];
}

function countWords(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** A number with the unit that touches it. Signs are left out, because a hyphen before a number looks the same. */
const figure = /\p{Sc}?\d+(?:[.,:/]\d+)*(?:%|\p{Sc}|(?:kg|km|mm|cm|ml|mb|gb|eur|usd|chf)(?!\p{L}))?/giu;

/** Figures without spaces. Dates are left out, because the readers write them in different orders. */
function listFigures(text: string): string[] {
  const withoutDates = text
    .normalize("NFKC")
    // The numbers of list items, which some readers leave out.
    .replace(/^\d{1,3}\. /gm, "")
    .replace(/\d{1,4}([-./])\d{1,2}\1\d{1,4}(?:[ T]\d\d?:\d\d(:\d\d)?)?/g, " ");
  return (withoutDates.match(figure) ?? []).map((found) => found.replace(/\s/g, "").toLowerCase());
}

function findInventedFigures(extracted: string, reference: string): string[] {
  const known = new Set(listFigures(reference));
  const squeezed = reference.normalize("NFKC").replace(/\s/g, "").toLowerCase();
  return [...new Set(listFigures(extracted))]
    .filter((found) => !known.has(found) && !squeezed.includes(found))
    .slice(0, MAX_EXAMPLES);
}
