import type { NoticeCode, ReplyNotice, ToolCall } from "@foyer/contract";
import type { MessageRow } from "../db/tables.ts";
import type { NumberedPassage, ToolOutcome } from "../tools/tool-outcome.ts";

/** A tool call as it is streamed and stored. `result` is absent while it runs. */
export type ToolPiece = {
  type: "tool";
  id: string;
  name: string;
  /** absent in replies stored by earlier versions */
  label?: string | null;
  toolId: string | null;
  executionType: string | null;
  input: unknown;
  result?: ToolOutcome;
  /** how the model's own messages contained the call; absent in replies stored by earlier versions */
  sent?: SentCall;
};

/**
 * `step` counts the steps of the reply that called tools. `id` and `input` are those of the model where the call has
 * others, and `note` was added to the result.
 */
export type SentCall = { step: number; id?: string; input?: unknown; note?: string };

type TextPiece = { type: "text"; text: string };

/** The passages that a reply cites, out of `total` in its prompt. It follows all texts and has no event of its own. */
type PassagesPiece = { type: "passages"; passages: NumberedPassage[]; total: number };

/** Follow-up questions for the visitor. They come last, and the model does not read them again. */
type SuggestionsPiece = { type: "suggestions"; suggestions: string[] };

/** Something that the visitor should know about the reply, at the place where it became known. */
type NoticePiece = { type: "notice"; code: NoticeCode };

/** A reply is a sequence of pieces: texts and tool calls, in the order in which they arrived. */
export type Piece = TextPiece | ToolPiece | PassagesPiece | SuggestionsPiece | NoticePiece;

/** The text of a reply without its tool calls. */
export function joinText(pieces: readonly Piece[]): string {
  return pieces.map((piece) => (piece.type === "text" ? piece.text : "")).join("");
}

/** A piece as it is stored. A text that is the whole content of the message is not stored twice. */
type StoredPiece = Exclude<Piece, TextPiece> | { type: "text"; text?: string };

/** The columns for these pieces. A reply that is a single text needs no JSON. */
export function toColumns(pieces: readonly Piece[]): Pick<MessageRow, "content" | "pieces"> {
  const isPlain = pieces.length === 0 || (pieces.length === 1 && pieces[0]?.type === "text");
  const hasOneText = pieces.filter(({ type }) => type === "text").length === 1;
  const stored = pieces.map((piece): StoredPiece => (hasOneText && piece.type === "text" ? { type: "text" } : piece));
  return { content: joinText(pieces), pieces: isPlain ? null : JSON.stringify(stored) };
}

export function parsePieces(row: Pick<MessageRow, "content" | "pieces">): Piece[] {
  if (row.pieces) {
    const stored: StoredPiece[] = JSON.parse(row.pieces);
    return stored.map((piece) => (piece.type === "text" ? { type: "text", text: piece.text ?? row.content } : piece));
  }
  return row.content ? [{ type: "text", text: row.content }] : [];
}

/** `forModel` is included for members only, because a tool may hide its result from visitors. */
export function listToolCalls(pieces: readonly Piece[], { isMember = false } = {}): ToolCall[] {
  let textBefore = 0;
  return pieces.flatMap((piece) => {
    if (piece.type === "text") {
      textBefore += piece.text.length;
      return [];
    }
    if (piece.type !== "tool") return [];
    const { result, type: _, sent: __, ...call } = piece;
    const { isError = false, display = null, form = null } = result ?? {};
    return [
      {
        ...call,
        label: call.label ?? null,
        result: result?.result ?? null,
        ...(isMember ? { forModel: result?.forModel ?? null } : {}),
        isError,
        display,
        form: form && { ...form, label: form.label ?? null },
        textBefore,
      },
    ];
  });
}

/** What the visitor was told about a reply besides its text. */
export function listNotices(pieces: readonly Piece[]): ReplyNotice[] {
  return pieces.flatMap((piece) => (piece.type === "notice" ? [{ code: piece.code }] : []));
}

/**
 * The number of texts and tool calls among these pieces, which is the `index` of the next one in the stream. Notices do
 * not count, because clients count the parts of a reply.
 */
export function countParts(pieces: readonly Piece[]): number {
  return pieces.filter(({ type }) => type !== "notice").length;
}

/** The follow-up questions of a reply; empty when there are none. */
export function findSuggestions(pieces: readonly Piece[]): string[] {
  return pieces.flatMap((piece) => (piece.type === "suggestions" ? piece.suggestions : []));
}
