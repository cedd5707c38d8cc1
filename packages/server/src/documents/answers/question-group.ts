import { createHash } from "node:crypto";
import { wordsOf } from "../search/words.ts";

const MAX_QUESTION = 500;
const ID_CHARACTERS = 22;

/** Articles. Adding, omitting or changing one does not change what a question asks. */
const articles = new Set(
  "a an the der die das den dem ein eine einen einem le la les un une el los las una il lo gli i o os as um uma".split(
    " ",
  ),
);

/**
 * The maximum number of characters that are stemmed. Stemming takes about 20 µs per word and language, on the event
 * loop.
 */
const MAX_GROUPED = 250;

/**
 * The stemmers, by ISO 639-1 code. They depend on the script alone, because a question is too short to detect its
 * language, and the languages of an agent's documents change.
 */
const stemmers = [
  { script: /\p{Script=Cyrillic}/u, languages: ["ru"] },
  { script: /\p{Script=Arabic}/u, languages: ["ar"] },
  { script: /\p{Script=Latin}/u, languages: ["en", "de", "fr", "es", "it", "pt"] },
];

/** Shortens a visitor's message to the single line that is recorded as the question. */
export function toQuestion(message: string): string {
  const start = message
    .slice(0, MAX_QUESTION * 2)
    .replace(/\s+/g, " ")
    .trim();
  return Array.from(start).slice(0, MAX_QUESTION).join("").toWellFormed();
}

/**
 * Identifies questions with the same words, regardless of their order, case, inflection and articles. Words are folded
 * and stemmed as in the search. Where several languages stem a word differently, the shortest stem is used. The id is
 * a hash, so it reveals nothing about a question that was deleted.
 * @returns null when the question contains no words except articles
 */
export function questionGroupKey(question: string): string | null {
  const languages = stemmers.find(({ script }) => script.test(question))?.languages ?? [];
  const analyzed = wordsOf(question.slice(0, MAX_GROUPED), languages);
  const meaningful = analyzed.filter(({ surface }) => !articles.has(surface));
  const words = new Set(meaningful.map(({ surface, terms }) => findShortest(terms) ?? surface));
  if (words.size === 0) return null;
  const sorted = [...words].sort();
  return createHash("sha256").update(sorted.join("\n")).digest("base64url").slice(0, ID_CHARACTERS);
}

function findShortest(terms: readonly string[]): string | undefined {
  return terms.toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1))[0];
}
