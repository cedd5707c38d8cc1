import type { Source } from "@foyer/contract";
import type { Piece } from "./message-pieces.ts";

/** Matches citations such as `[1]` and `[1, 3]`. */
export const citationPattern = /\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\]/g;

/** The passages that a reply cites, in the order of their numbers. Documents that may not be shown are left out. */
export function sourcesOf(pieces: readonly Piece[]): Source[] {
  const passages = pieces.flatMap((piece) => (piece.type === "tool" ? (piece.result?.passages ?? []) : []));
  if (passages.length === 0) return [];
  const cited = new Set<number>();
  for (const piece of pieces) {
    if (piece.type !== "text") continue;
    for (const [, numbers = ""] of piece.text.matchAll(citationPattern)) {
      for (const number of numbers.split(",")) cited.add(Number(number));
    }
  }
  // Several searches of a reply can return the same passage, always under the same number.
  const byNumber = new Map(passages.map((passage) => [passage.n, passage]));
  return [...byNumber.values()]
    .filter(({ n, citation }) => cited.has(n) && citation !== "hidden")
    .map(({ n, title, url, page, snippet, citation }) => ({
      n,
      title,
      url: citation === "link" ? url : null,
      page,
      snippet,
    }))
    .sort((a, b) => a.n - b.n);
}
