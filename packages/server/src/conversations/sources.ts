import type { Source } from "@foyer/contract";
import type { NumberedPassage } from "../tools/tool-outcome.ts";
import type { Piece } from "./message-pieces.ts";

/** Matches citations such as `[1]` and `[1, 3]`. */
export const citationPattern = /\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\]/g;

/** The passages that a reply cites, ordered by number. Hidden documents are left out. */
export function listCitedSources(pieces: readonly Piece[]): Source[] {
  const passages = pieces.flatMap(listPassages);
  if (passages.length === 0) return [];
  const cited = findCitedNumbers(pieces);
  return toSources(passages.filter(({ n, citation }) => cited.has(n) && citation !== "hidden"));
}

function listPassages(piece: Piece): NumberedPassage[] {
  if (piece.type === "passages") return piece.passages;
  return piece.type === "tool" ? (piece.result?.passages ?? []) : [];
}

/** The numbers that the text of a reply cites. */
export function findCitedNumbers(pieces: readonly Piece[]): Set<number> {
  const cited = new Set<number>();
  for (const piece of pieces) {
    if (piece.type !== "text") continue;
    for (const [, numbers = ""] of piece.text.matchAll(citationPattern)) {
      for (const number of numbers.split(",")) cited.add(Number(number));
    }
  }
  return cited;
}

function toSources(passages: readonly NumberedPassage[]): Source[] {
  // Several searches of a reply can return the same passage, always under the same number.
  const byNumber = new Map(passages.map((passage) => [passage.n, passage]));
  return [...byNumber.values()]
    .map(({ n, title, url, page, snippet, citation }) => ({
      n,
      title,
      url: citation === "link" ? url : null,
      page,
      snippet,
    }))
    .sort((a, b) => a.n - b.n);
}
