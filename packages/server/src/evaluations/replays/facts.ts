import { withoutMarkdown, withPlainNumbers, withPlainSigns } from "../plain-text.ts";

/** Below this, a number counts things, such as "two ways", more often than it states a fact. */
const MIN_NUMBER = 10;

const citation = /\[\d{1,3}(?:\s*,\s*\d{1,3})*\]/g;
const address = /https?:\/\/[^\s)\]>"'<]+|[^\s<>()[\]"']+@[^\s<>()[\]"']+\.[a-z]{2,}/gi;
const fact = /\btel\d+|\d{2}[:/]\d{2}(?!\d)|\d+(?:\.\d+)?/g;

/** The numbers, times, dates and addresses of a text, in a form that is the same for every way to write them. */
export function listFacts(text: string): Set<string> {
  const plain = text.replace(citation, " ");
  const addresses = (plain.match(address) ?? []).map((found) => found.replace(/[.,;:!?]+$/, "").toLowerCase());
  const words = withPlainSigns(withoutMarkdown(plain.replace(address, " "))).toLowerCase();
  // "9:00 to 18:00" and "9 to 18" are the same hours.
  const facts = (withPlainNumbers(words).match(fact) ?? []).map((found) => found.replace(/^0?(\d+):00$/, "$1"));
  const isCount = (found: string) => Number.isInteger(Number(found)) && Number(found) < MIN_NUMBER;
  return new Set([...addresses, ...facts.filter((found) => !isCount(found))]);
}

const MIN_WORDS = 3;
const sentenceEnd = /[.!?…\n]+(?=\s|$)/;

/** The sentences of a text in a form that ignores letter case and punctuation; short ones are left out. */
export function listSentences(text: string): Set<string> {
  return new Set(text.split(sentenceEnd).map(toPlainSentence).filter(isLongEnough));
}

/** The text without these sentences, which are as in `listSentences`. */
export function removeSentences(text: string, removed: ReadonlySet<string>): string {
  const kept = text.split(sentenceEnd).filter((sentence) => !removed.has(toPlainSentence(sentence)));
  return kept.join(". ").trim();
}

const isLongEnough = (sentence: string) => sentence.split(" ").length >= MIN_WORDS;

function toPlainSentence(sentence: string): string {
  return withPlainSigns(sentence)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

/** A sentence is a rule of the agent when it occurs in this many replies, and in this share of them. */
const MIN_REPLIES = 3;
const MIN_SHARE = 0.6;
/** The same for replies that called the same tools, which are fewer and more alike. */
const MIN_SIMILAR_REPLIES = 5;
const MIN_SIMILAR_SHARE = 0.9;

/** A reply, and the names of the tools that it called. */
export type SaidReply = { text: string; calls: readonly string[] };

/**
 * The sentences that an agent says again and again, such as a notice that its owner requires: in most of its replies, or
 * whenever it has called certain tools, as in a notice after each price.
 */
export function listFormulas(replies: readonly SaidReply[]): Set<string> {
  const similar = Map.groupBy(replies, ({ calls }) => JSON.stringify([...new Set(calls)].toSorted()));
  return new Set([
    ...findRepeated(replies, { replies: MIN_REPLIES, share: MIN_SHARE }),
    ...[...similar.values()].flatMap((group) =>
      findRepeated(group, { replies: MIN_SIMILAR_REPLIES, share: MIN_SIMILAR_SHARE }),
    ),
  ]);
}

function findRepeated(replies: readonly SaidReply[], min: { replies: number; share: number }): string[] {
  const counts = new Map<string, number>();
  for (const { text } of replies) for (const one of listSentences(text)) counts.set(one, (counts.get(one) ?? 0) + 1);
  const needed = Math.max(min.replies, replies.length * min.share);
  return [...counts].filter(([, count]) => count >= needed).map(([sentence]) => sentence);
}
