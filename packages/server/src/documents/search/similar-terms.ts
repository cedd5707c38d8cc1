/** A word is compared with the terms that share a prefix of this length. */
export const PREFIX_LENGTH = 3;
const MIN_LENGTH = 5;
/** The minimum length of a shared beginning. Unrelated words share shorter ones. */
const MIN_COMPOUND = 5;
const MAX_SIMILAR = 6;

/** Whether to search for similar terms. Character pairs and short words have too many. */
export const hasSimilarTerms = (term: string): boolean => term.length >= MIN_LENGTH;

/**
 * Indexed terms that a term without matches may have meant, closest first: spellings that differ by a typo, or terms
 * that share the beginning of a compound.
 */
export function findSimilarTerms(term: string, indexed: Iterable<string>): string[] {
  const found: Array<{ name: string; distance: number }> = [];
  for (const name of indexed) {
    const distance = termDistance(term, name);
    if (distance !== null) found.push({ name, distance });
  }
  found.sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1));
  return found.slice(0, MAX_SIMILAR).map(({ name }) => name);
}

/** The edit distance, or the length that a compound adds; null when the terms are unrelated. */
function termDistance(term: string, name: string): number | null {
  const allowed = term.length >= 8 ? 2 : 1;
  if (Math.abs(term.length - name.length) <= allowed) {
    const edits = editDistance(term, name);
    if (edits <= allowed) return edits;
  }
  const shorter = Math.min(term.length, name.length);
  if (shorter < MIN_COMPOUND || !(term.startsWith(name) || name.startsWith(term))) return null;
  return 2 + Math.abs(term.length - name.length) / 10;
}

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
