import { detectLanguage } from "./detect-language.ts";
import { type Posting, packContents } from "./postings.ts";
import { buildsCompounds, endingTerm, spellingsOf } from "./spellings.ts";
import { wordsOf } from "./words.ts";

/**
 * A piece of a document from extraction. An FAQ entry has a `question` passage for its question and one for each other
 * wording. Searches never return those; they make the `body` passages (the answer) easier to find.
 */
export type Passage = {
  /** 0, 1, 2, … within the document */
  ordinal: number;
  heading: string | null;
  /** counts from 1; null for formats without pages */
  page: number | null;
  text: string;
  part: "question" | "body";
};

/** A document ready for the index. It is structured-cloneable, so that another process can prepare it. */
export type PreparedDocument = {
  title: string;
  /** ISO 639-1 codes of the stemmers that were used */
  languages: string[];
  chunks: PreparedChunk[];
  /** number of words in all chunks after analysis, repetitions included */
  tokens: number;
  /** the packed postings */
  contents: Uint8Array;
};

type PreparedChunk = Omit<Passage, "part"> & {
  /** question and other wordings of an FAQ entry, one per line; null for other kinds */
  question: string | null;
};

type DocumentInput = {
  title: string;
  /** ISO 639-1 codes; when empty or null, the language is detected from the text */
  languages: readonly string[] | null;
  passages: readonly Passage[];
  /** called for each chunk, with the number of processed chunks and the total */
  onProgress?: (done: number, total: number) => void;
};

type ChunksInput = Omit<DocumentInput, "passages"> & { chunks: PreparedChunk[] };

/** The weight of a word in an FAQ entry's question or wordings, relative to one in its answer. */
const QUESTION_WEIGHT = 3;

/** Analyzes a document. This is CPU-bound (a few MB of text per second), so run it outside the event loop. */
export function prepareDocument({ passages, ...input }: DocumentInput): PreparedDocument {
  return analyzeChunks({ ...input, chunks: toChunks(passages) });
}

/** Analyzes the chunks of a document, which the index stores, with the same result as its passages. */
export function analyzeChunks({ title, languages, chunks, onProgress }: ChunksInput): PreparedDocument {
  const stemmedFor = languages && languages.length > 0 ? [...languages] : detectLanguages(title, chunks);
  const terms = new Map<string, Posting[]>();
  let tokens = 0;
  for (const [index, chunk] of chunks.entries()) {
    onProgress?.(index, chunks.length);
    const { frequencies, length } = countTerms(title, chunk, stemmedFor);
    tokens += length;
    for (const [term, frequency] of frequencies) {
      const posting = { chunk: index, frequency, length };
      const postings = terms.get(term);
      if (postings) postings.push(posting);
      else terms.set(term, [posting]);
    }
  }
  return { title, languages: stemmedFor, chunks, tokens, contents: packContents(terms) };
}

/**
 * Converts passages to chunks. Every chunk of an FAQ answer includes the question. A question without an answer is a
 * chunk of its own.
 */
function toChunks(passages: readonly Passage[]): PreparedChunk[] {
  const questions = passages.filter(({ part }) => part === "question").map(({ text }) => text);
  const bodies = passages.filter(({ part }) => part === "body");
  const question = questions.length > 0 ? questions.join("\n") : null;
  const found = bodies.length > 0 ? bodies : passages.slice(0, 1).map((passage) => ({ ...passage, text: "" }));
  return found.map(({ ordinal, heading, page, text }) => ({ ordinal, heading, page, question, text }));
}

function detectLanguages(title: string, chunks: readonly PreparedChunk[]): string[] {
  const sample = [title];
  let length = 0;
  for (const { question, text } of chunks) {
    sample.push(question ?? "", text);
    length += text.length;
    if (length > 4_000) break;
  }
  const language = detectLanguage(sample.join("\n"));
  return language === null ? [] : [language];
}

/** The terms under which a text is found, in any order and with repetitions, and the number of its words. */
export function analyzeText(
  text: string,
  languages: readonly string[],
  { hasEndings = buildsCompounds(languages) } = {},
): { terms: string[]; words: number } {
  const words = wordsOf(text, languages);
  const terms = words.flatMap((word) => word.terms);
  if (hasEndings) terms.push(...terms.flatMap((term) => endingTerm(term) ?? []));
  for (const spelling of spellingsOf(text, languages)) terms.push(...spelling.terms);
  return { terms, words: words.length };
}

function countTerms(title: string, chunk: PreparedChunk, languages: readonly string[]) {
  const frequencies = new Map<string, number>();
  let length = 0;
  const add = (text: string | null, weight: number) => {
    if (text === null || text === "") return;
    const { terms, words } = analyzeText(text, languages);
    for (const term of terms) frequencies.set(term, (frequencies.get(term) ?? 0) + weight);
    // Further spellings of the same words do not make the passage longer.
    length += words * weight;
  };
  if (chunk.question === null) add(title, 1);
  add(chunk.question, chunk.text === "" ? 1 : QUESTION_WEIGHT);
  if (chunk.heading !== title && chunk.heading !== chunk.question) add(chunk.heading, 1);
  add(chunk.text, 1);
  return { frequencies, length };
}
