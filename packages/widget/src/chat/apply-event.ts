import type { ChatEvent, Display, VisitorForm } from "@foyer/sdk";
import type { Messages } from "../locales/en.ts";
import type { ToolQuestion } from "../tools/page-tools.ts";
import { createReply, type Piece, type ReplyEntry, toReplyState } from "./conversation-state.ts";
import { isLasting } from "./error-messages.ts";

/** Returns the reply with one stream event applied. */
export function applyEvent(reply: ReplyEntry, event: ChatEvent, messages: Messages): ReplyEntry {
  switch (event.type) {
    case "message_start":
      // A second start belongs to another reply, so the pieces of the first one are discarded.
      return { ...createReply(reply.key), id: event.messageId };
    case "content_block_start":
      return withPiece(reply, event.index, { type: "text", text: "" });
    case "content_block_delta": {
      const piece = reply.pieces[event.index];
      const said = piece?.type === "text" ? piece.text : "";
      return withPiece(reply, event.index, { type: "text", text: said + event.delta.text });
    }
    case "tool_use_start": {
      const { id, name, label = null, executionType: kind, index } = event;
      return withPiece(reply, index, {
        type: "tool",
        id,
        name,
        label,
        kind,
        state: "running",
        result: null,
        display: null,
        form: null,
      });
    }
    case "tool_result": {
      const { toolUseId: id, name, index, result } = event;
      const started = reply.pieces[index];
      const display = event.display as Display | null;
      const form = (event.form ?? null) as VisitorForm | null;
      return withPiece(reply, index, {
        type: "tool",
        id,
        name,
        label: started?.type === "tool" ? started.label : null,
        kind: started?.type === "tool" ? (started.kind ?? null) : null,
        state: event.isError ? "failed" : "done",
        result,
        display,
        form,
      });
    }
    case "sources":
      return { ...reply, sources: event.sources };
    case "suggestions":
      return { ...reply, suggestions: event.suggestions };
    case "error":
      return isLasting(event.error.code)
        ? { ...reply, problem: messages.cannotAnswer, isLasting: true }
        : { ...reply, problem: messages.replyFailed };
    case "message_stop":
      return { ...reply, state: toReplyState(event.stopReason), isReconnecting: false };
    default:
      return reply;
  }
}

/** Replaces a piece. Receiving a piece also means that the connection works again. */
function withPiece(reply: ReplyEntry, index: number, piece: Piece): ReplyEntry {
  const pieces = [...reply.pieces];
  pieces[index] = piece;
  return { ...reply, pieces, isReconnecting: false };
}

/** Shows a question at the tool call that waits for it, or with null removes it. */
export function withQuestion(reply: ReplyEntry, callId: string, question: ToolQuestion | null): ReplyEntry {
  const pieces = reply.pieces.map((piece) =>
    piece.type === "tool" && piece.id === callId && piece.state === "running" ? { ...piece, question } : piece,
  );
  return { ...reply, pieces };
}
