import type { ChatEvent, NoticeCode, Source, StopReason, Usage } from "@foyer/contract";
import { findSuggestions, type Piece, type ToolPiece } from "../../conversations/message-pieces.ts";
import { listCitedSources } from "../../conversations/sources.ts";
import type { ToolOutcome } from "../../tools/tool-outcome.ts";

/**
 * A reply as Server-Sent Events. The id of an event is `<message id>:<position>`. Every event advances the position by
 * one, and a text delta by the number of UTF-16 code units in its text. Therefore any process can rebuild the events
 * after any position from the reply's pieces at any later time, regardless of how the text was split into deltas.
 */
export type ReplyStart = { conversationId: string; messageId: string; conversationToken: string | null };
export type ReplyEnding = { stopReason: StopReason; usage?: Usage; error?: { code: string; message: string } };

/** Formats events in order and tracks the position. */
export function createEventWriter(messageId: string, position = 0) {
  const write = (event: ChatEvent, length = 1) => {
    position += length;
    return `id: ${messageId}:${position}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
  };
  return {
    start: ({ conversationId, conversationToken }: ReplyStart) =>
      write({ type: "message_start", conversationId, messageId, conversationToken }),
    openText: (index: number) => write({ type: "content_block_start", index }),
    text: (index: number, text: string) => {
      // Written by hand because it runs for every token of every reply.
      position += text.length;
      return `id: ${messageId}:${position}\nevent: content_block_delta\ndata: {"type":"content_block_delta","index":${index},"delta":{"type":"text_delta","text":${JSON.stringify(text)}}}\n\n`;
    },
    closeText: (index: number) => write({ type: "content_block_stop", index }),
    toolUse: (index: number, { id, name, label = null, toolId, executionType, input }: ToolPiece) =>
      write({ type: "tool_use_start", index, id, name, label, toolId, executionType, input }),
    toolResult: (index: number, { id, name }: ToolPiece, outcome: ToolOutcome) =>
      write({ type: "tool_result", index, toolUseId: id, name, ...visitorOutcome(outcome) }),
    notice: (code: NoticeCode) => write({ type: "notice", code }),
    sources: (sources: Source[]) => write({ type: "sources", sources }),
    suggestions: (suggestions: string[]) => write({ type: "suggestions", suggestions }),
    failure: (error: { code: string; message: string }) => write({ type: "error", error }),
    stop: ({ stopReason, usage }: ReplyEnding) =>
      write({ type: "message_stop", messageId, stopReason, ...(usage ? { usage } : {}) }),
  };
}

function visitorOutcome({ result, isError, displayConfig, display, form }: ToolOutcome) {
  return { result, isError, displayConfig, display, ...(form ? { form } : {}) };
}

/**
 * The state of a reply. `end` is absent while it runs. `textIsOpen` means that the last text may still grow, and
 * `isComplete` that nothing but follow-up questions can be added.
 */
export type ReplyState = {
  start: ReplyStart;
  pieces: readonly Piece[];
  textIsOpen?: boolean;
  isComplete?: boolean;
  end?: ReplyEnding;
};

/** The events after a position. */
export function rebuildEvents(
  position: number,
  { start, pieces, textIsOpen = false, isComplete = false, end }: ReplyState,
): string {
  const events = createEventWriter(start.messageId);
  let output = "";
  let at = 0;
  const emit = (event: string, length = 1) => {
    at += length;
    if (at > position) output += event;
  };
  emit(events.start(start));
  let index = -1;
  pieces.forEach((piece, place) => {
    if (piece.type === "notice") {
      emit(events.notice(piece.code));
      return;
    }
    index += 1;
    if (piece.type === "tool") {
      emit(events.toolUse(index, piece));
      if (piece.result) emit(events.toolResult(index, piece, piece.result));
      return;
    }
    if (piece.type !== "text") return;
    emit(events.openText(index));
    const said = Math.min(Math.max(position - at, 0), piece.text.length);
    if (said > 0) events.text(index, piece.text.slice(0, said));
    at += said;
    if (said < piece.text.length) emit(events.text(index, piece.text.slice(said)), piece.text.length - said);
    if (!textIsOpen || place < pieces.length - 1) emit(events.closeText(index));
  });
  const suggestions = findSuggestions(pieces);
  // Suggestions among the pieces also mean that the text is complete, because another process may know nothing else
  // about the reply.
  const sources = isComplete || suggestions.length > 0 || end ? listCitedSources(pieces) : [];
  if (sources.length > 0) emit(events.sources(sources));
  if (suggestions.length > 0) emit(events.suggestions(suggestions));
  if (end?.error) emit(events.failure(end.error));
  if (end) emit(events.stop(end));
  return output;
}

/** The position in a `Last-Event-ID`, or 0 when it is missing or belongs to another reply. */
export function parsePosition(lastEventId: string | undefined, messageId: string): number {
  const [id, position] = lastEventId?.split(":") ?? [];
  return id === messageId && position && /^\d{1,9}$/.test(position) ? Number(position) : 0;
}
