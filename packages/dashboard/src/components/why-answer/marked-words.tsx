/** A text with all occurrences of the words highlighted. Whole words are, also those that begin with a longer word. */
export function MarkedWords({ text, words }: { text: string; words: readonly string[] }) {
  return splitAtWords(text, words).map((part, index) =>
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text keep their positions
      <mark key={index} className="rounded-[2px] bg-[#fcd34d] text-[#1c1917]">
        {part}
      </mark>
    ) : (
      part
    ),
  );
}

/** Chinese, Japanese and Thai have no spaces between words, so a match can start and end anywhere in them. */
const letter = "[\\p{Script=Latin}\\p{Script=Cyrillic}\\p{Script=Greek}\\p{N}\\p{M}]";

/** A shorter word only matches a whole word, because many unrelated words begin with it. */
const MIN_BEGINNING = 4;

/** Splits a text into parts. Every second part is a match. */
export function splitAtWords(text: string, words: readonly string[]): string[] {
  const alternatives = words
    .filter((word) => word.trim() !== "")
    .toSorted((one, other) => other.length - one.length)
    .map((word) => {
      const pattern = word.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
      return word.length < MIN_BEGINNING ? `${pattern}(?!${letter})` : `${pattern}${letter}*`;
    });
  if (alternatives.length === 0) return [text];
  return text.split(new RegExp(`(?<!${letter})(${alternatives.join("|")})`, "giu"));
}
