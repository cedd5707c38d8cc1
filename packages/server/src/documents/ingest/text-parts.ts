/** A part of a text, and where it starts in the whole, in characters. */
export type TextPart = { start: number; text: string };

/** Characters per part, at most. */
export const TEXT_PART = 65_536;

/** Joins pieces of text to parts that fit into a row each. A surrogate pair is never cut. */
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
