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
    end(ending: ReplyEnding) {
      closeText();
      const sources = sourcesOf(pieces);
      if (sources.length > 0) publish(events.sources(sources));
      if (ending.error) publish(events.failure(ending.error));
      publish(events.stop(ending));
      for (const reader of readers) reader.end();
      readers.clear();
      clearTimeout(lonely);
      done.resolve();
    },
    /** Sends the events after the position and then new events. Returns a function that removes the reader. */
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
  return new AppError("RATE_LIMITED", "Too many clients are reading this reply.", {
    retryAfter: 5,
    limit: MAX_READERS,
  });
}
