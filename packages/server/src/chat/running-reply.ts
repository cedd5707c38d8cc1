import type { Piece, ToolPiece } from "../conversations/message-pieces.ts";
import { sourcesOf } from "../conversations/sources.ts";
import { AppError } from "../errors.ts";
import { ReplyLimitError } from "../models/model-error.ts";
import type { NumberedPassage, ToolOutcome } from "../tools/tool-outcome.ts";
import { failure } from "../tools/tool-outcome.ts";
import { eventsAfter, eventWriter, type ReplyEnding, type ReplyStart } from "./reply-events.ts";
import { createReplyRoom } from "./reply-room.ts";

/** Enough for one visitor with several tabs. */
const MAX_READERS = 20;

/** A client that follows a reply. Receives the formatted events and then the end. */
export type Reader = { write(events: string): void; end(): void };

export type RunningReply = ReturnType<typeof createRunningReply>;

type Options = { agentId: string; resumable: boolean; resumeWindow: number };

/**
 * A running reply: its content so far, its readers, and the means to stop it. A reply without readers is aborted
 * immediately or, when `resumable`, after `resumeWindow` milliseconds. Adding more than the reply can hold throws
 * ReplyLimitError.
 */
export function createRunningReply(start: ReplyStart, options: Options) {
  const pieces: Piece[] = [];
  const abort = new AbortController();
  const readers = createReaders(options, () => abort.abort());
  const done = Promise.withResolvers<void>();
  const events = eventWriter(start.messageId);
  let openText: number | null = null;
  let isComplete = false;
  const room = createReplyRoom();
  const { publish } = readers;

  const closeText = () => {
    if (openText === null) return;
    publish(events.closeText(openText));
    openText = null;
  };

  /** Ends the content of the reply and sends what it cites. */
  const complete = () => {
    if (isComplete) return;
    closeText();
    isComplete = true;
    const sources = sourcesOf(pieces);
    if (sources.length > 0) publish(events.sources(sources));
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
    /** resolves when the reply is stored and every reader has received its end */
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
    /** Keeps those passages of the prompt that the model cited. Call it after the last text. */
    keepCited(passages: readonly NumberedPassage[]) {
      closeText();
      pieces.push({ type: "passages", passages: passages.filter(({ isCited }) => isCited), total: passages.length });
    },
    /** Call it after the last text. Only suggestions can follow. */
    complete,
    /** Adds follow-up questions, unless the reply has no room for them. */
    suggest(suggestions: string[]) {
      const piece = { type: "suggestions" as const, suggestions };
      if (suggestions.length === 0 || !room.takeTool(piece)) return;
      complete();
      pieces.push(piece);
      publish(events.suggestions(suggestions));
    },
    end(ending: ReplyEnding) {
      complete();
      if (ending.error) publish(events.failure(ending.error));
      publish(events.stop(ending));
      readers.end();
      done.resolve();
    },
    /** Sends the events after the position and then new events. Returns a function that removes the reader. */
    follow(reader: Reader, position: number): () => void {
      const missed = () => eventsAfter(position, { start, pieces, textIsOpen: openText !== null, isComplete });
      return readers.add(reader, missed);
    },
  };
}

/** The clients that follow a reply. `onAbandoned` is called when no client is left and none comes back in time. */
function createReaders({ resumable, resumeWindow }: Options, onAbandoned: () => void) {
  const readers = new Set<Reader>();
  let lonely: NodeJS.Timeout | undefined;
  return {
    publish: (event: string) => readers.forEach((reader) => void reader.write(event)),
    /** Sends what the reader has missed, and then new events. Returns a function that removes it. */
    add(reader: Reader, missed: () => string): () => void {
      if (readers.size >= MAX_READERS) throw tooManyReaders();
      clearTimeout(lonely);
      reader.write(missed());
      readers.add(reader);
      return () => {
        if (!readers.delete(reader) || readers.size > 0) return;
        if (!resumable) return onAbandoned();
        lonely = setTimeout(onAbandoned, resumeWindow).unref();
      };
    },
    end() {
      for (const reader of readers) reader.end();
      readers.clear();
      clearTimeout(lonely);
    },
  };
}

function tooManyReaders() {
  return new AppError("RATE_LIMITED", "Too many clients are reading this reply.", {
    retryAfter: 5,
    limit: MAX_READERS,
  });
}
