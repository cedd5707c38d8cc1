import type { StopReason } from "@foyer/contract";
import type { Piece } from "../../conversations/message-pieces.ts";
import { listSearches } from "../../conversations/searches.ts";
import type { Answer } from "../../documents/answers/recorder.ts";
import { repeatsFacts } from "../../documents/answers/repeats-facts.ts";
import { isGreeting } from "../../documents/greetings.ts";

type Reply = {
  question: string;
  stopReason: StopReason;
  /** the documents in the prompt; null if the agent searched them instead */
  promptText: string | null;
};

/**
 * Whether a reply answered its question from the documents, and which ones it cites. A reply is unanswered when it
 * received documents but neither cites nor repeats any, and no other tool provided an answer. Greetings, and replies
 * that failed or were stopped, are not judged.
 */
export function toAnswer(
  pieces: readonly Piece[],
  { question, stopReason, promptText }: Reply,
): Pick<Answer, "question" | "reason" | "citedDocumentIds"> {
  const searches = listSearches(pieces).filter(({ isError }) => !isError);
  const cited = searches.flatMap(({ passages }) => passages.filter(({ isCited }) => isCited));
  const citedDocumentIds = cited.flatMap(({ documentId }) => documentId ?? []);
  const hasEnded = stopReason === "end_turn" || stopReason === "max_steps" || stopReason === "max_tokens";
  const isJudged = hasEnded && searches.length > 0 && !isGreeting(question);
  if (!isJudged || cited.length > 0 || pieces.some(isOtherSuccess)) return { question, reason: null, citedDocumentIds };
  const received = searches.reduce((sum, { total }) => sum + total, 0);
  if (received === 0) return { question, reason: "nothing_found", citedDocumentIds };
  const passages = promptText ?? pieces.map(searchResult).join("\n");
  const isAnswered = repeatsFacts({ reply: pieces.map(pieceText).join("\n"), question, passages });
  return { question, reason: isAnswered ? null : "not_cited", citedDocumentIds };
}

function searchResult(piece: Piece): string {
  return piece.type === "tool" && piece.executionType === "documents" ? (piece.result?.forModel ?? "") : "";
}

const pieceText = (piece: Piece): string => (piece.type === "text" ? piece.text : "");

function isOtherSuccess(piece: Piece): boolean {
  return piece.type === "tool" && piece.executionType !== "documents" && piece.result?.isError === false;
}
