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

/** Separates renderings of the same file, such as two orders of its text. The one that is nearer counts. */
export const ALTERNATIVE = "\n\u241d\n";

/** @param reference the text of an independent reader, see `OPTIONAL` and `ALTERNATIVE` */
export function compareTexts(extracted: string, reference: string): Comparison {
  const [first = "", ...others] = reference.split(ALTERNATIVE);
  let best = compareWith(extracted, first);
  for (const other of others) {
    const comparison = compareWith(extracted, other);
    if (comparison.recall > best.recall) best = comparison;
  }
  return { ...best, figures: findInventedFigures(extracted, reference) };
}

function compareWith(extracted: string, reference: string): Comparison {
  const [required = "", optional = ""] = reference.split(OPTIONAL);
  const ours = tokenize(extracted);
  const theirs = tokenize(required);
  const left = countWords(ours);
  const squeezed = ours.join("");
  const take = (word: string) => {
    const count = left.get(word) ?? 0;
    if (count > 0) left.set(word, count - 1);
    return count > 0;
  };
  const missing = theirs
    .map((word, index) => ({ word, index }))
    .filter(({ word }) => !take(word))
    .filter(({ word, index }) => !takeParts(word) && !isJoined(index))
    .map(({ word }) => word);

  /** The readers place spaces differently, and the extraction leaves out the number of a footnote: "rather1". */
  function takeParts(word: string): boolean {
    const [, noted = ""] = /^(\p{L}{3,})(?:\d{1,3}|[ivx]{1,4})$/u.exec(word) ?? [];
    if (take(noted)) return true;
    for (let cut = 1; cut < word.length; cut++) {
      const [start, end] = [word.slice(0, cut), word.slice(cut)];
      const isFound = (left.get(start) ?? 0) > 0 && (left.get(end) ?? 0) > 0;
      if (isFound && (start !== end || (left.get(start) ?? 0) > 1)) return take(start) && take(end);
    }
    return false;
  }

  /** A word that was hyphenated at a line end, or that is part of a longer one, is found among its neighbours. */
  function isJoined(index: number): boolean {
    let around = theirs[index] ?? "";
    for (let distance = 1; distance < 6 && (distance === 1 || around.length < 6); distance++) {
      around = (theirs[index - distance] ?? "") + around + (theirs[index + distance] ?? "");
    }
    return around.length >= 6 && squeezed.includes(around);
  }
  const known = new Set([...theirs, ...tokenize(optional)]);
  const squeezedReference = theirs.join("");
  const invented = [...new Set(ours)].filter((word) => !known.has(word) && !squeezedReference.includes(word));
  return {
    recall: theirs.length === 0 ? 1 : 1 - missing.length / theirs.length,
    words: theirs.length,
    missing: missing.slice(0, MAX_EXAMPLES),
    invented: invented.slice(0, MAX_EXAMPLES),
    figures: [],
  };
}

/** Words in lower case. Characters of scripts without spaces are words of their own. */
function tokenize(text: string): string[] {
  const words = unifyDates(unifyNumbers(text.normalize("NFKC").toLowerCase()))
    .replace(/[\u00ad\u200b-\u200f\u2060\ufeff]/g, "")
    // pdftotext reverses the letters of the joined lam and alef, so their order does not count.
    .replace(/[\u0622\u0623\u0625\u0627\u0644]{2,}/g, (letters) => [...letters].sort().join(""))
    .match(
      /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}])[\p{L}\p{M}\p{N}])+/gu,
    );
  return words ?? [];
}

/** Programs show numbers with a different number of digits, so that only the first seven of longer ones count. */
const unifyNumbers = (text: string) =>
  text.replace(/(?<![\d.,])\d+\.\d+(?![\d.,])/g, (number) =>
    number.length > 8 ? String(Number(Number(number).toPrecision(7))) : number,
  );

const months = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
/** The whole name of a month, or its first three letters. */
const month = `(${months.join("|")})(?:uary|ruary|ch|il|e|y|ust|tember|ober|ember)?(?![a-z])`;
/** Dates in the orders that programs show them in. */
const datePatterns = [
  /(?<![\d.,/-])(\d{1,4})([-./])(\d{1,2})\2(\d{1,4})(?![\d/-])/g,
  new RegExp(`(?<!\\d)(\\d{1,2})([-\\s.]{0,3})${month}[-\\s,.]{0,3}(\\d{4}|\\d\\d)?(?!\\d)`, "g"),
  new RegExp(`(?<![a-z])${month}[-\\s.]{1,3}(\\d{1,4})(?:[-\\s,.]{1,3}(\\d{4}))?(?!\\d)`, "g"),
];

/** Replaces a date with its numbers: the extraction writes dates as in ISO 8601, and spreadsheets in any order. */
function unifyDates(text: string): string {
  return datePatterns.reduce(
    (result, pattern) =>
      result.replace(pattern, (...match) => {
        const parts = match.slice(1, -2).filter((part) => typeof part === "string" && /[a-z\d]/.test(part));
        // LibreOffice counts the days before March 1900 from another date.
        if (parts.some((part) => part === "1899" || part === "1900")) return " ";
        const numbers = parts.map((part) => {
          const index = months.indexOf(part);
          return index >= 0 ? index + 1 : Number(part) % 100;
        });
        return ` ${numbers.join(" ")} `;
      }),
    text,
  );
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
  const withoutDates = unifyNumbers(text.normalize("NFKC"))
    // The numbers of list items, which some readers leave out.
    .replace(/^\d{1,3}\. /gm, "")
    .replace(/\d{1,4}([-./])\d{1,2}\1\d{1,4}(?:[ T]\d\d?:\d\d(:\d\d)?)?/g, " ");
  return (withoutDates.match(figure) ?? []).map((found) => found.replace(/\s/g, "").toLowerCase());
}

function findInventedFigures(extracted: string, reference: string): string[] {
  const known = new Set(listFigures(reference));
  const squeezed = unifyNumbers(reference).normalize("NFKC").replace(/\s/g, "").toLowerCase();
  return [...new Set(listFigures(extracted))]
    .filter((found) => !known.has(found) && !squeezed.includes(found))
    .slice(0, MAX_EXAMPLES);
}
