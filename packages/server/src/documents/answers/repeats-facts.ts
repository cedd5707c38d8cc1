/**
 * The maximum number of characters of the reply and the passages that are compared, which takes a few milliseconds on
 * the event loop.
 */
const MAX_COMPARED = 12_000;
/**
 * The minimum length of compared words. Shorter words, except numbers, are mostly articles, pronouns and prepositions.
 */
const MIN_LETTERS = 4;
/**
 * Words with the same beginning of this length count as forms of one word. Stemming would take 20 µs per word and
 * language.
 */
const STEM_LETTERS = 5;
/**
 * The minimum share of the words that a reply adds to its question which must occur in the passages. The refusals among
 * the tests stay below it.
 */
const MIN_SHARE = 0.5;

/**
 * Whether a reply repeats facts of the passages that it received: most of its words, besides those of the question,
 * occur in them. Some models never cite, and this recognizes their answers in every language. A reply that says that it
 * cannot answer mostly uses words that the passages do not contain.
 */
export function repeatsFacts({
  reply,
  question,
  passages,
}: {
  reply: string;
  question: string;
  passages: string;
}): boolean {
  const asked = factKeys(question);
  const own = [...factKeys(reply)].filter((word) => !asked.has(word));
  if (own.length === 0) return false;
  const known = factKeys(passages);
  return own.filter((word) => known.has(word)).length >= own.length * MIN_SHARE;
}

function factKeys(text: string): Set<string> {
  const folded = text.slice(0, MAX_COMPARED).normalize("NFKC").toLowerCase();
  const words = (folded.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).flatMap((word) =>
    unspaced.test(word) ? characterPairs(word) : word,
  );
  return new Set(words.filter(isMeaningful).map((word) => word.slice(0, STEM_LETTERS)));
}

/** Scripts that do not separate words. Pairs of their characters are compared instead. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

function characterPairs(run: string): string[] {
  const characters = Array.from(run);
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

/** Words of scripts without spaces are short, and so are character pairs. */
function isMeaningful(word: string): boolean {
  return word.length >= MIN_LETTERS || /\p{N}/u.test(word) || !/^[\p{Script=Latin}\p{Script=Cyrillic}]+$/u.test(word);
}
