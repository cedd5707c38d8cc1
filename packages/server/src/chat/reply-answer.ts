import type { StopReason } from "@foyer/contract";
import type { Piece } from "../conversations/message-pieces.ts";
import { searchesOf } from "../conversations/searches.ts";
import type { Answer } from "../documents/answers/recorder.ts";
import { isGreeting } from "../documents/greetings.ts";

/**
 * Whether a reply answered its question from the documents, and which ones it cites. Judged by what happened, not by
 * the reply's wording, which depends on the model and the language: the reply received documents but cites none, and no
 * other tool provided an answer. Greetings, and replies that failed or were stopped, are not judged.
 */
export function answerOf(
  pieces: readonly Piece[],
  { question, stopReason }: { question: string; stopReason: StopReason },
): Pick<Answer, "question" | "reason" | "citedDocumentIds"> {
  const searches = searchesOf(pieces).filter(({ isError }) => !isError);
  const cited = searches.flatMap(({ passages }) => passages.filter(({ isCited }) => isCited));
  const citedDocumentIds = cited.flatMap(({ documentId }) => documentId ?? []);
  const hasEnded = stopReason === "end_turn" || stopReason === "max_steps";
  const isJudged = hasEnded && searches.length > 0 && !isGreeting(question);
  if (!isJudged || cited.length > 0 || pieces.some(isOtherSuccess)) return { question, reason: null, citedDocumentIds };
  const received = searches.reduce((sum, { total }) => sum + total, 0);
  return { question, reason: received === 0 ? "nothing_found" : "not_cited", citedDocumentIds };
}

function isOtherSuccess(piece: Piece): boolean {
  return piece.type === "tool" && piece.executionType !== "documents" && piece.result?.isError === false;
}
