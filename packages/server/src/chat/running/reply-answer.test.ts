import { describe, expect, it } from "vitest";
import type { Piece, ToolPiece } from "../../conversations/message-pieces.ts";
import type { NumberedPassage, ToolOutcome } from "../../tools/tool-outcome.ts";
import { toAnswer } from "./reply-answer.ts";

const question = "Do you sell surfboards?";
const call = (executionType: string, outcome: Partial<ToolOutcome> = {}): ToolPiece => ({
  type: "tool",
  id: "call_1",
  name: executionType,
  toolId: null,
  executionType,
  input: { queries: [question] },
  result: { result: null, isError: false, displayConfig: null, display: null, forModel: "", ...outcome },
});
const passage: NumberedPassage = {
  n: 1,
  title: "Hours",
  url: null,
  page: null,
  snippet: "",
  citation: "link",
  documentId: "doc_1",
};
const said: Piece = { type: "text", text: "I don't know." };
const reasonOf = (...pieces: Piece[]) =>
  toAnswer(pieces, { question, stopReason: "end_turn", promptText: null }).reason;

describe("the verdict on a reply", () => {
  it("depends on what the search found and what the reply cites", () => {
    expect(reasonOf(call("documents"), said)).toBe("nothing_found");
    expect(reasonOf(call("documents", { passages: [passage] }), said)).toBe("not_cited");
    const cited = [call("documents", { passages: [passage] }), { type: "text" as const, text: "No [1]." }];
    expect(toAnswer(cited, { question, stopReason: "end_turn", promptText: null })).toEqual({
      question,
      reason: null,
      citedDocumentIds: ["doc_1"],
    });
  });

  it("is `answered` when the reply repeats what the search found or the prompt says, without citing it", () => {
    const answer: Piece = { type: "text", text: "Until 18 on Mondays." };
    const hours = "On Mondays we are open from 9 to 18.";
    expect(reasonOf(call("documents", { passages: [passage], forModel: hours }), answer)).toBeNull();
    expect(reasonOf(call("documents", { passages: [passage], forModel: hours }), said)).toBe("not_cited");
    const inPrompt: Piece = { type: "passages", passages: [], total: 1 };
    expect(toAnswer([answer, inPrompt], { question, stopReason: "end_turn", promptText: hours }).reason).toBeNull();
  });

  it("is `answered` when another tool succeeded, but not when that tool failed", () => {
    expect(reasonOf(call("documents"), call("http"), said)).toBeNull();
    expect(reasonOf(call("documents"), call("http", { isError: true }), said)).toBe("nothing_found");
  });

  it("is not given without a search, after a failed search, for a greeting, or when the reply did not end", () => {
    expect(reasonOf(said)).toBeNull();
    expect(reasonOf(call("documents", { isError: true }), said)).toBeNull();
    const pieces = [call("documents"), said];
    expect(toAnswer(pieces, { question: "Thanks!", stopReason: "end_turn", promptText: null }).reason).toBeNull();
    expect(toAnswer(pieces, { question, stopReason: "error", promptText: null }).reason).toBeNull();
    expect(toAnswer(pieces, { question, stopReason: "aborted", promptText: null }).reason).toBeNull();
  });
});
