/** Below this, a number counts things, such as "two ways", more often than it states a fact. */
const MIN_NUMBER = 10;

const citation = /\[\d{1,3}(?:\s*,\s*\d{1,3})*\]/g;
const address = /https?:\/\/[^\s)\]>"'<]+|[^\s<>()[\]"']+@[^\s<>()[\]"']+\.[a-z]{2,}/gi;
const number = /\d+(?:[.,'’\u00a0\u202f]\d+)*/g;

/** The numbers and addresses of a text, in a form that is the same for every way to write them. */
export function listFacts(text: string): Set<string> {
  const plain = text.replace(citation, " ");
  const addresses = (plain.match(address) ?? []).map((found) => found.replace(/[.,;:!?]+$/, "").toLowerCase());
  const numbers = (plain.replace(address, " ").match(number) ?? []).map(toNumber);
  return new Set([
    ...addresses,
    ...numbers.filter((value) => value >= MIN_NUMBER || !Number.isInteger(value)).map(String),
  ]);
}

/** `1,250.00`, `1.250,00` and `1250` are the same number. */
function toNumber(text: string): number {
  const [, whole = "", , decimals = ""] = /^(.*?)(?:([.,])(\d{1,2}))?$/.exec(text) ?? [];
  return Number(`${whole.replace(/\D/g, "")}.${decimals}`);
}

/** The sentences of a text in a form that ignores letter case and punctuation; short ones are left out. */
export function listSentences(text: string): Set<string> {
  return new Set(
    text
      .split(/[.!?…\n]+(?=\s|$)/)
      .map((sentence) =>
        sentence
          .toLowerCase()
          .replace(/[^\p{L}\p{N}]+/gu, " ")
          .trim(),
      )
      .filter((sentence) => sentence.split(" ").length >= MIN_WORDS),
  );
}

const MIN_WORDS = 3;
/** A sentence is a rule of the agent when it occurs in this many replies, and in this share of them. */
const MIN_REPLIES = 3;
const MIN_SHARE = 0.6;

/** The sentences that an agent says again and again, such as a notice that its owner requires. */
export function listFormulas(replies: readonly string[]): Set<string> {
  const counts = new Map<string, number>();
  for (const reply of replies) for (const one of listSentences(reply)) counts.set(one, (counts.get(one) ?? 0) + 1);
  const needed = Math.max(MIN_REPLIES, replies.length * MIN_SHARE);
  return new Set([...counts].filter(([, count]) => count >= needed).map(([sentence]) => sentence));
}
