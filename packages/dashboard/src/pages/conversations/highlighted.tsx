/** A text with every occurrence of the search highlighted. */
export function Highlighted({ text, query }: { text: string; query: string }) {
  return splitAtMatches(text, query).map(({ part, isMatch }, index) =>
    isMatch ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text keep their positions
      <mark key={index} className="rounded-[2px] bg-[#fcd34d] text-[#1c1917]">
        {part}
      </mark>
    ) : (
      part
    ),
  );
}

type TextSegment = { part: string; isMatch: boolean };

/**
 * Splits a text at the occurrences of a search, ignoring case like the server. The joined parts are the original text.
 */
export function splitAtMatches(text: string, query: string): TextSegment[] {
  const lower = text.toLowerCase();
  const needle = query.trim().toLowerCase();
  // Some letters change their length in lower case, which would shift the positions.
  if (needle === "" || lower.length !== text.length) return [{ part: text, isMatch: false }];
  const parts: TextSegment[] = [];
  let done = 0;
  for (let at = lower.indexOf(needle); at !== -1; at = lower.indexOf(needle, done)) {
    if (at > done) parts.push({ part: text.slice(done, at), isMatch: false });
    done = at + needle.length;
    parts.push({ part: text.slice(at, done), isMatch: true });
  }
  if (done < text.length) parts.push({ part: text.slice(done), isMatch: false });
  return parts;
}
