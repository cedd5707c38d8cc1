/** A word is compared with the terms that share a prefix of this length. */
export const PREFIX_LENGTH = 3;
const MIN_LENGTH = 4;
/** The minimum length of a shared beginning. Unrelated words share shorter ones. */
const MIN_COMPOUND = 5;
const MAX_SIMILAR = 6;

/** Whether to search for similar terms. Character pairs, short words and short numbers have too many. */
export const hasSimilarTerms = (word: string): boolean =>
  word.length >= MIN_LENGTH &&
  !/^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(word) &&
  (word.length > MIN_LENGTH || /^\p{L}+$/u.test(word));

/**
 * Indexed terms that a term without matches may have meant, closest first: spellings that differ by a typo, or terms
 * that share the beginning of a compound.
 */
export function findSimilarTerms(term: string, indexed: Iterable<string>, word = term): string[] {
  const found: Array<{ name: string; distance: number }> = [];
  for (const name of indexed) {
    const distance = termDistance(term, name, word);
    if (distance !== null) found.push({ name, distance });
  }
  found.sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1));
  return found.slice(0, MAX_SIMILAR).map(({ name }) => name);
}

/** The lower-case letters of the scripts that separate words with spaces. Other letters are not inserted or replaced. */
const alphabets = [
  ["a", "z"],
  ["α", "ω"],
  ["а", "џ"],
  ["ա", "ֆ"],
  ["א", "ת"],
  ["ء", "ي"],
  ["ა", "ჰ"],
].map(([first = "", last = ""]) => {
  const start = first.charCodeAt(0);
  return Array.from({ length: last.charCodeAt(0) - start + 1 }, (_, index) => String.fromCharCode(start + index));
});

/**
 * The terms of which this one may be a misspelling with one error in its beginning: a letter that is missing, too many,
 * wrong or exchanged with the next. Terms with the same beginning are read from the index.
 */
export function listTypoForms(term: string): string[] {
  const alphabet = alphabets.find((letters) => letters.includes(term[0] ?? "")) ?? [];
  const forms: string[] = [];
  for (let at = 0; at < PREFIX_LENGTH; at++) {
    const before = term.slice(0, at);
    const after = term.slice(at + 1);
    forms.push(before + after, before + after.slice(0, 1) + term.charAt(at) + after.slice(1));
    for (const letter of alphabet) forms.push(before + letter + after, before + letter + term.slice(at));
  }
  return forms;
}

/** The edit distance, or the length that a compound adds; null when the terms are unrelated. */
function termDistance(term: string, name: string, word: string): number | null {
  const allowed = term.length >= 8 ? 2 : 1;
  if (Math.abs(term.length - name.length) <= allowed) {
    const edits = editDistance(term, name);
    if (edits <= allowed && (word.length > MIN_LENGTH || isLikelyMeant(term, name))) return edits;
  }
  const shorter = Math.min(term.length, name.length);
  if (shorter < MIN_COMPOUND || !(term.startsWith(name) || name.startsWith(term))) return null;
  return 2 + Math.abs(term.length - name.length) / 10;
}

/** A short word has many neighbours. Those with a letter more, or with the same letters, are the likely ones. */
const isLikelyMeant = (term: string, name: string) =>
  name.length > term.length || [...name].sort().join("") === [...term].sort().join("");

/** Damerau-Levenshtein distance: insertions, deletions, substitutions, and transpositions of adjacent characters. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let edits = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        edits = Math.min(edits, (beforeLast[j - 2] ?? 0) + 1);
      }
      row.push(edits);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
