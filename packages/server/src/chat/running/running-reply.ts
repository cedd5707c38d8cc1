import { AppError } from "../../errors.ts";
import { createReplyContent } from "../stream/reply-content.ts";
import { createEventWriter, type ReplyEnding, type ReplyStart, rebuildEvents } from "../stream/reply-events.ts";
import { createReplyGate } from "./reply-gate.ts";

/** The maximum number of readers, which is enough for one visitor with several tabs. */
const MAX_READERS = 20;

/** A client that follows a reply. Receives the formatted events and then the end. */
export type Reader = { write(events: string): void; end(): void };

export type RunningReply = ReturnType<typeof createRunningReply>;

type Options = {
  agentId: string;
  /** the session of the turn that is answered */
  sessionId?: string | null;
  resumable: boolean;
  resumeWindow: number;
  /** true when another process may take the conversation over */
  isShared?: boolean;
};

/**
 * A running reply: its content so far, its readers, and the means to stop it. A reply without readers is aborted
 * immediately or, when `resumable`, after `resumeWindow` milliseconds. Adding more than fits into the reply throws
 * ReplyLimitError.
 */
export function createRunningReply(start: ReplyStart, options: Options) {
  const abort = new AbortController();
  const readers = createReaders(options, () => abort.abort());
  const gate = createReplyGate(readers.publish, options.isShared ?? false);
  const done = Promise.withResolvers<void>();
  const events = createEventWriter(start.messageId);
  const { state, freeze, ...content } = createReplyContent(events, gate.publish);
  let isHandedOver = false;
  let ended: ReplyEnding | undefined;

  const isInterrupted = () => gate.isHolding || gate.hasDropped || isHandedOver;

  events.start(start);
  return {
    ...start,
    ...content,
    agentId: options.agentId,
    sessionId: options.sessionId ?? null,
    signal: abort.signal,
    /** resolves when the reply is stored and every reader has received its end */
    done: done.promise,
    abort: () => abort.abort(),
    /** Stops the reply because a person has the conversation. From then on, only the end is sent. */
    handOver(): void {
      freeze();
      gate.close();
      isHandedOver = true;
      abort.abort();
    },
    get isHandedOver() {
      return isHandedOver;
    },
    /** Tells the readers that the model thinks, with a comment that is no event of the reply. */
    thinking: () => readers.publish(": thinking\n\n"),
    /** See reply-gate.ts. */
    confirm: gate.confirm,
    /** Whether text is held back until `confirm` is called. */
    get isHolding() {
      return gate.isHolding;
    },
    /**
     * Ends the streams. Held text is dropped, because it is unknown whether the agent may still send it. When
     * `isStored`, such a stream ends without `message_stop`: its client then resumes, and receives the rest from the
     * database.
     */
    end(ending: ReplyEnding, { isStored = false } = {}) {
      content.complete();
      ended = ending;
      const mustResume = isStored && gate.isHolding;
      gate.close();
      if (ending.error) readers.publish(events.failure(ending.error));
      if (!mustResume) readers.publish(events.stop(ending));
      readers.end();
      done.resolve();
    },
    /**
     * Whether the reply cannot be followed: while text is held back, and after a takeover, its content can include text
     * that was never sent. The stored reply can be followed instead.
     */
    get isInterrupted() {
      return isInterrupted();
    },
    /**
     * Sends the events after the position and then new events. Returns a function that removes the reader.
     * @throws 503 while the reply is interrupted
     */
    follow(reader: Reader, position: number): () => void {
      if (isInterrupted()) {
        throw new AppError("OVERLOADED", "The reply is interrupted. Try again.", { retryAfter: 1 });
      }
      const now = { start, ...state() };
      if (ended) {
        reader.write(rebuildEvents(position, { ...now, end: ended }));
        reader.end();
        return () => {};
      }
      return readers.add(reader, () => rebuildEvents(position, now));
    },
  };
}

/** The clients that follow a reply. `onAbandoned` is called when the last client has left and none returns in time. */
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
