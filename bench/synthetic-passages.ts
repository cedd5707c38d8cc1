import { type PreparedDocument, prepareDocument } from "../packages/server/src/documents/search/prepare-document.ts";

export const bigAgent = "agent_big";
export const smallAgent = "agent_small";

const VOCABULARY = 60_000;
const WORDS_PER_CHUNK = 80;

/**
 * The passages of a document. Words are as frequent as in a natural language: the n-th word is 1/n as frequent as the
 * first.
 */
export function syntheticTexts(number: number, chunks: number): string[] {
  const random = createGenerator(number + 1);
  return Array.from({ length: chunks }, () =>
    Array.from({ length: WORDS_PER_CHUNK }, () => wordAt(rankOf(random()))).join(" "),
  );
}

export function syntheticDocument(number: number, chunks: number): PreparedDocument {
  const passages = syntheticTexts(number, chunks).map((text, ordinal) => ({
    ordinal,
    heading: null,
    page: null,
    text,
    part: "body" as const,
  }));
  return prepareDocument({ title: `Document ${number}`, languages: ["en"], passages });
}

/** Each question has three words of medium frequency, two rare ones, and three that occur nearly everywhere. */
export function syntheticQuestions(count: number): string[] {
  const random = createGenerator(7);
  const between = (low: number, high: number) => wordAt(low + Math.floor(random() * (high - low)));
  return Array.from({ length: count }, () =>
    [
      between(1, 10),
      between(1, 30),
      between(100, 2_000),
      between(5, 50),
      between(200, 5_000),
      between(5_000, VOCABULARY),
      between(300, 3_000),
      between(2_000, VOCABULARY),
    ].join(" "),
  );
}

const rankOf = (random: number) => Math.floor(VOCABULARY ** random);

const syllables = "ba be bi bo bu da de di do du fa fe fi fo fu ga ge gi go gu ka ke ki ko ku la le li lo lu".split(
  " ",
);

const words: string[] = [];

function wordAt(rank: number): string {
  words[rank] ??= toWord(rank);
  return words[rank];
}

function toWord(rank: number): string {
  let word = "";
  for (let rest = rank + 30; rest > 0; rest = Math.floor(rest / syllables.length))
    word += syllables[rest % syllables.length];
  return `${word}n`;
}

/** Generates the same numbers from 0 to 1 in every run. */
function createGenerator(seed: number): () => number {
  let state = seed * 2_654_435_761;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
