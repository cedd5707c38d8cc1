import type { Piece, ToolPiece } from "../conversations/message-pieces.ts";
import { AppError } from "../errors.ts";
import { ReplyLimitError } from "../models/model-error.ts";
import type { ToolOutcome } from "../tools/tool-outcome.ts";
import { failure } from "../tools/tool-outcome.ts";
import { eventsAfter, eventWriter, type ReplyEnding, type ReplyStart } from "./reply-events.ts";
import { createReplyRoom } from "./reply-room.ts";

/** One visitor with a few tabs, not a crowd. */
const MAX_READERS = 20;

/** Somebody who follows a reply: gets the events as text, then the end. */
export type Reader = { write(events: string): void; end(): void };

export type RunningReply = ReturnType<typeof createRunningReply>;

type Options = { agentId: string; resumable: boolean; resumeWindow: number };

/**
 * A reply while it is made: what was said so far, who listens, and how to end it. Without a reader it is aborted, at
 * once or, when `resumable`, after `resumeWindow` milliseconds. Whoever adds more than a reply holds gets a
 * ReplyLimitError.
 */
export function createRunningReply(start: ReplyStart, options: Options) {
  const pieces: Piece[] = [];
  const readers = new Set<Reader>();
  const abort = new AbortController();
  const done = Promise.withResolvers<void>();
  const events = eventWriter(start.messageId);
  let openText: number | null = null;
  let lonely: NodeJS.Timeout | undefined;
  const room = createReplyRoom();

  const publish = (event: string) => readers.forEach((reader) => void reader.write(event));
  const closeText = () => {
    if (openText === null) return;
    publish(events.closeText(openText));
    openText = null;
  };

  const say = (text: string) => {
    const last = pieces.at(-1);
    if (openText !== null && last?.type === "text") last.text += text;
    else {
      openText = pieces.push({ type: "text", text }) - 1;
      publish(events.openText(openText));
    }
    publish(events.text(openText, text));
  };

  events.start(start);
  return {
    ...start,
    agentId: options.agentId,
    pieces,
    room,
    signal: abort.signal,
    /** resolves when the reply is stored and every reader was told */
    done: done.promise,
    abort: () => abort.abort(),
    text(said: string) {
      const { text, isCut } = room.takeText(said, { isNewBlock: openText === null });
      if (text !== "") say(text);
      if (isCut) throw new ReplyLimitError();
    },
    closeText,
    toolUse(piece: ToolPiece) {
      closeText();
      if (!room.takeTool(piece)) throw new ReplyLimitError();
      publish(events.toolUse(pieces.push(piece) - 1, piece));
    },
    toolResult(piece: ToolPiece, outcome: ToolOutcome) {
      const fits = room.takeTool(outcome);
      piece.result = fits ? outcome : failure("The result does not fit into this reply.");
      publish(events.toolResult(pieces.indexOf(piece), piece, piece.result));
      if (!fits) throw new ReplyLimitError();
    },
    end(ending: ReplyEnding) {
      closeText();
      if (ending.error) publish(events.failure(ending.error));
      publish(events.stop(ending));
      for (const reader of readers) reader.end();
      readers.clear();
      clearTimeout(lonely);
      done.resolve();
    },
    /** Sends what was said after the position, then everything as it comes. Returns how to leave. */
    follow(reader: Reader, position: number): () => void {
      if (readers.size >= MAX_READERS) throw tooManyReaders();
      clearTimeout(lonely);
      reader.write(eventsAfter(position, { start, pieces, textIsOpen: openText !== null }));
      readers.add(reader);
      return () => {
        if (!readers.delete(reader) || readers.size > 0) return;
        if (!options.resumable) return abort.abort();
        lonely = setTimeout(() => abort.abort(), options.resumeWindow).unref();
      };
    },
  };
}

function tooManyReaders() {
  return new AppError("RATE_LIMITED", "Too many readers follow this reply.", { retryAfter: 5, limit: MAX_READERS });
}
