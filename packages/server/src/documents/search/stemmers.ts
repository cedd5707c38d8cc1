import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/** The language of texts that are too short to detect theirs, by its ISO 639-2 code. */
export const UNDETERMINED = "und";

/** Languages with a stemmer, by ISO 639-1 code. Words of other languages are compared unstemmed. */
const algorithms: Readonly<Record<string, string>> = {
  ar: "arabic",
  ca: "catalan",
  cs: "czech",
  da: "danish",
  de: "german",
  en: "english",
  es: "spanish",
  eu: "basque",
  fi: "finnish",
  fr: "french",
  ga: "irish",
  hu: "hungarian",
  hy: "armenian",
  it: "italian",
  nl: "dutch",
  no: "norwegian",
  pt: "portuguese",
  ro: "romanian",
  ru: "russian",
  sl: "slovene",
  sv: "swedish",
  ta: "tamil",
  tr: "turkish",
};

/**
 * Languages in which people often omit accents when typing, so accents are removed before stemming. In other languages
 * an accent marks a different letter, which the stemmer's rules need.
 */
const foldedFirst = new Set(["ca", "de", "en", "es", "fr", "it", "nl", "pt"]);

/** Limits the cache to about 5 MB per language. */
const MAX_CACHED_WORDS = 50_000;

export type Stem = (word: string) => string;
const stemmers = new Map<string, Stem>();

/** The stemmer of a language, with its results cached. Without one, words only lose their accents. */
export function stemmerFor(language: string): Stem {
  const cached = stemmers.get(language);
  if (cached) return cached;
  const algorithm = algorithms[language];
  if (algorithm === undefined) return foldMarks;
  // Loaded when the first stemmer is needed, because the package takes 10 MB. On the server's main thread, this is the
  // first question that no document answers or whose reply is rated down.
  const { newStemmer }: typeof import("snowball-stemmers") = require("snowball-stemmers");
  const stemmer = newStemmer(algorithm);
  const isFoldedFirst = foldedFirst.has(language);
  const cache = new Map<string, string>();
  const stem = (word: string) => {
    const cached = cache.get(word);
    if (cached !== undefined) return cached;
    const result = foldMarks(stemmer.stem(isFoldedFirst ? foldMarks(word) : word));
    if (cache.size >= MAX_CACHED_WORDS) cache.clear();
    cache.set(word, result);
    return result;
  };
  stemmers.set(language, stem);
  return stem;
}

const mark = /\p{M}+/gu;
const special: Readonly<Record<string, string>> = { ß: "ss", æ: "ae", œ: "oe", ø: "o", đ: "d", ł: "l", ı: "i" };
const specialLetters = /[ßæœøđłı]/g;

/** Removes accents and vowel points. Only for scripts in which they do not distinguish words: see `words.ts`. */
export function foldMarks(word: string): string {
  return /^[a-z0-9]*$/.test(word)
    ? word
    : word
        .normalize("NFD")
        .replace(mark, "")
        .replace(specialLetters, (letter) => special[letter] ?? letter)
        .normalize("NFC");
}
