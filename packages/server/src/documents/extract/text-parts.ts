/** A part of a text. `start` is its offset in the whole text, in characters. */
export type TextPart = { start: number; text: string };

/** Maximum characters per part. */
export const TEXT_PART = 65_536;

/** Joins pieces of text into parts that each fit into a database row. Never splits a surrogate pair. */
export function* textParts(pieces: Iterable<string>): Generator<TextPart> {
  let start = 0;
  let waiting = "";
  for (const piece of pieces) {
    waiting += piece;
    while (waiting.length > TEXT_PART) {
      const code = waiting.charCodeAt(TEXT_PART - 1);
      const end = code >= 0xd800 && code < 0xdc00 ? TEXT_PART - 1 : TEXT_PART;
      yield { start, text: waiting.slice(0, end).toWellFormed() };
      waiting = waiting.slice(end);
      start += end;
    }
  }
  if (waiting !== "") yield { start, text: waiting.toWellFormed() };
}
