/** A text with all occurrences of the words highlighted. A word also matches as the beginning of a longer word. */
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

/** Splits a text into parts. Every second part is a match. */
export function splitAtWords(text: string, words: readonly string[]): string[] {
  const alternatives = words
    .filter((word) => word.trim() !== "")
    .toSorted((one, other) => other.length - one.length)
    .map((word) => word.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  if (alternatives.length === 0) return [text];
  // Chinese, Japanese and Thai have no spaces between words, so a match can start anywhere.
  const before = "(?<![\\p{Script=Latin}\\p{Script=Cyrillic}\\p{Script=Greek}\\p{N}])";
  return text.split(new RegExp(`${before}(${alternatives.join("|")})`, "giu"));
}
