import type { NoticeCode } from "@foyer/contract";
import { countParts, type Piece, type ToolPiece } from "../../conversations/message-pieces.ts";
import { listCitedSources } from "../../conversations/sources.ts";
import { ReplyLimitError } from "../../models/model-error.ts";
import type { NumberedPassage, ToolOutcome } from "../../tools/tool-outcome.ts";
import { failure } from "../../tools/tool-outcome.ts";
import type { createEventWriter } from "./reply-events.ts";
import { createReplyRoom } from "./reply-room.ts";

/** The content of a running reply. Every addition is published as an event. */
export function createReplyContent(events: ReturnType<typeof createEventWriter>, publish: (event: string) => void) {
  const pieces: Piece[] = [];
  const room = createReplyRoom();
  let openText: number | null = null;
  let isComplete = false;
  let isFrozen = false;

  const closeText = () => {
    if (openText === null) return;
    publish(events.closeText(openText));
    openText = null;
  };

  /** Ends the content of the reply and sends the cited sources. */
  const complete = () => {
    if (isComplete) return;
    closeText();
    isComplete = true;
    const sources = listCitedSources(pieces);
    if (sources.length > 0) publish(events.sources(sources));
  };

  /** Notices have no index in the stream. Counted here, because a reply can have a million pieces. */
  let noticeCount = 0;
  const say = (text: string) => {
    const last = pieces.at(-1);
    if (openText !== null && last?.type === "text") last.text += text;
    else {
      openText = pieces.length - noticeCount;
      pieces.push({ type: "text", text });
      publish(events.openText(openText));
    }
    publish(events.text(openText, text));
  };

  return {
    pieces,
    room,
    state: () => ({ pieces, textIsOpen: openText !== null, isComplete }),
    /** Rejects all further content. */
    freeze(): void {
      if (!isFrozen) closeText();
      isFrozen = true;
    },
    text(said: string) {
      if (isFrozen) return;
      const { text, isCut } = room.takeText(said, { isNewBlock: openText === null });
      if (text !== "") say(text);
      if (isCut) throw new ReplyLimitError();
    },
    closeText,
    /** Tells the visitor something about the reply, once. */
    notice(code: NoticeCode) {
      if (isFrozen || pieces.some((piece) => piece.type === "notice" && piece.code === code)) return;
      closeText();
      pieces.push({ type: "notice", code });
      noticeCount++;
      publish(events.notice(code));
    },
    toolUse(piece: ToolPiece) {
      if (isFrozen) return;
      closeText();
      if (!room.takeTool(piece)) throw new ReplyLimitError();
      publish(events.toolUse(pieces.length - noticeCount, piece));
      pieces.push(piece);
    },
    toolResult(piece: ToolPiece, outcome: ToolOutcome) {
      if (isFrozen) return;
      const fits = room.takeTool(outcome);
      piece.result = fits ? outcome : failure("The result does not fit into this reply.");
      publish(events.toolResult(countParts(pieces.slice(0, pieces.indexOf(piece))), piece, piece.result));
      if (!fits) throw new ReplyLimitError();
    },
    /** Stores the passages of the prompt that the model cited. Call this after the last text. */
    keepCited(passages: readonly NumberedPassage[]) {
      closeText();
      pieces.push({ type: "passages", passages: passages.filter(({ isCited }) => isCited), total: passages.length });
    },
    /** Call this after the last text. Only suggestions can follow. */
    complete,
    /** Adds follow-up questions, unless the reply has no room for them. */
    suggest(suggestions: string[]) {
      const piece = { type: "suggestions" as const, suggestions };
      if (isFrozen || suggestions.length === 0 || !room.takeTool(piece)) return;
      complete();
      pieces.push(piece);
      publish(events.suggestions(suggestions));
    },
  };
}
