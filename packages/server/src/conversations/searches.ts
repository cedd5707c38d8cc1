import type { FoundPassage, ReplySearch } from "@foyer/contract";
import type { NumberedPassage } from "../tools/tool-outcome.ts";
import type { Piece, ToolPiece } from "./message-pieces.ts";
import { findCitedNumbers } from "./sources.ts";

/** Returns what a reply read from the documents: its searches in order, or the passages in its prompt. */
export function listSearches(pieces: readonly Piece[]): ReplySearch[] {
  const cited = findCitedNumbers(pieces);
  return pieces.flatMap((piece): ReplySearch[] => {
    if (piece.type === "tool" && piece.executionType === "documents") return [toSearch(piece, cited)];
    if (piece.type !== "passages") return [];
    const passages = piece.passages.map((passage) => toFoundPassage(passage, cited));
    return [{ kind: "prompt", queries: [], ms: null, isError: false, passages, total: piece.total }];
  });
}

function toSearch({ input, result }: ToolPiece, cited: ReadonlySet<number>): ReplySearch {
  const passages = (result?.passages ?? []).map((passage) => toFoundPassage(passage, cited));
  return {
    kind: "search",
    queries: parseQueries(input),
    ms: result?.searchMs ?? null,
    isError: result?.isError ?? false,
    passages,
    total: passages.length,
  };
}

function toFoundPassage(passage: NumberedPassage, cited: ReadonlySet<number>): FoundPassage {
  return {
    n: passage.n,
    documentId: passage.documentId ?? null,
    title: passage.title,
    heading: passage.heading ?? null,
    url: passage.url,
    page: passage.page,
    snippet: passage.snippet,
    score: passage.score ?? null,
    matched: passage.matched ?? [],
    isCited: passage.isCited === true || cited.has(passage.n),
  };
}

/** The queries of a call. The model can send any value. */
function parseQueries(input: unknown): string[] {
  const { queries } = (input ?? {}) as { queries?: unknown };
  return Array.isArray(queries) ? queries.filter((query) => typeof query === "string") : [];
}
