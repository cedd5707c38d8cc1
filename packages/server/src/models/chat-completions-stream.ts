import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import {
  type Completion,
  type CompletionEvent,
  closeBlock,
  createCompletion,
  emitEnd,
  flush,
  readEvent,
  reportedError,
} from "./chat-completions-reply.ts";
import type { ModelPart } from "./chat-model.ts";
import { createEventStreamReader, maxEventCharacters } from "./event-stream.ts";
import { parseOrNull } from "./json.ts";

/** How long a server may keep the connection open after its last event, in milliseconds. */
const lingerTime = 1000;
/** How long after the reason for its end a reply may still get events, such as its token usage, in milliseconds. */
const quietTime = 3000;
/** The number of characters that an error quotes of a response that is no event stream. */
const quotedCharacters = 500;

/**
 * Reads the body of a streamed chat completion as AI SDK parts: text and reasoning blocks, then `tool-call` parts, then
 * `finish`. All text that arrives in one chunk of bytes becomes one delta, because passing on a part costs more than
 * parsing a token. A tool call is passed on once, at the end, with its input exactly as the model wrote it and
 * unvalidated. There are no `tool-input-…`, `stream-start` or `response-metadata` parts, because nothing in Foyer uses
 * them. Some servers ignore that a stream was requested, so a body that is one JSON completion, or one per line, is read
 * as well.
 *
 * `onPart` is called while the bytes are read, so the body is never read ahead of its receiver. A web stream in between
 * would cost a promise for each part. `onActivity` is called for every chunk of bytes, also for comments and other
 * keep-alives.
 *
 * Rejects with an error reported by the provider (as `APICallError`), for an event that is not JSON, an event or tool
 * calls above 1 MiB, or a connection that closes too early; with what `onPart` throws; and with the reason of the signal
 * once it is aborted. Text that arrived before a failure is passed on. All of these destroy the body.
 */
export function readChatCompletion(
  body: Readable,
  onPart: (part: ModelPart) => void,
  { url, signal, onActivity }: { url: string; signal?: AbortSignal | undefined; onActivity?: (() => void) | undefined },
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const completion = createCompletion(url, pass);
  const reader = createBodyReader(completion);
  const decoder = new StringDecoder("utf8");
  let quiet: NodeJS.Timeout | undefined;
  let isOpen = true;

  function stop() {
    isOpen = false;
    clearTimeout(quiet);
    signal?.removeEventListener("abort", abort);
  }
  function end(error: unknown) {
    stop();
    reject(error);
    body.destroy();
  }
  function abort() {
    end(signal?.reason);
  }
  /** Passes nothing on after the receiver has failed or aborted the call. */
  function pass(part: ModelPart) {
    if (!isOpen) return;
    try {
      onPart(part);
    } catch (error) {
      end(error);
      throw error;
    }
  }
  function fail(error: unknown) {
    attempt(() => closeBlock(completion));
    if (isOpen) end(error);
  }
  /** An exception in an event listener would end the process. */
  function attempt(step: () => void) {
    if (!isOpen) return;
    try {
      step();
    } catch (error) {
      if (isOpen) fail(error);
    }
  }
  function finish() {
    emitEnd(completion);
    if (!isOpen) return;
    stop();
    resolve();
    if (!body.readableEnded) letEnd(body);
  }
  function breakOff(cause?: unknown) {
    if (signal?.aborted) abort();
    else if (completion.finishReason !== undefined) finish();
    else throw new Error(describeEarlyEnd(reader.unread()), { cause });
  }

  /** Some servers keep the connection open after the last event. */
  function waitForQuiet() {
    quiet = setTimeout(() => attempt(finish), quietTime).unref();
  }

  body.on("data", (chunk: Buffer) =>
    attempt(() => {
      onActivity?.();
      reader.push(decoder.write(chunk));
      if (completion.done) return finish();
      flush(completion);
      clearTimeout(quiet);
      if (completion.finishReason !== undefined && !completion.isUnfinished) waitForQuiet();
    }),
  );
  body.on("end", () =>
    attempt(() => {
      reader.end(decoder.end());
      if (completion.done) finish();
      else breakOff();
    }),
  );
  body.on("error", (error) => attempt(() => breakOff(error)));
  body.on("close", () => attempt(() => breakOff()));
  signal?.addEventListener("abort", abort);
  if (signal?.aborted) abort();
  else if (body.destroyed) attempt(() => breakOff());
  return promise;
}

/** Gives the server a moment to end its response, so that the connection can be reused, and then closes it. */
function letEnd(body: Readable) {
  const timer = setTimeout(() => body.destroy(), lingerTime).unref();
  body.once("close", () => clearTimeout(timer));
}

/** Feeds the text of a body to the completion, as an event stream or, if it starts like JSON, as JSON. */
function createBodyReader(completion: Completion) {
  const stream = createEventStreamReader((data, event) => {
    const isRead = readData(completion, data, event);
    if (completion.done) stream.stop();
    return isRead;
  });
  /** the body so far, until its kind is known or, for JSON, to its end */
  let held = "";
  let kind: "unknown" | "events" | "json" = "unknown";

  function push(text: string) {
    if (kind === "events") {
      if (!completion.hasEvents && held.length < quotedCharacters) held += text;
      return stream.push(text);
    }
    held += text;
    if (kind === "unknown") kind = findKind(held);
    if (kind === "events") stream.push(held);
    if (kind === "events") held = held.slice(0, quotedCharacters);
    else if (held.length > maxEventCharacters) throw new Error("The model sent a response of more than 1 MiB.");
  }

  return {
    push,
    /** The last event may be cut off. A syntax error is ignored here because the caller reports the cut. */
    end(text: string) {
      try {
        push(text);
        if (kind === "json") readJsonBody(completion, held);
        else stream.end();
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
      }
    },
    /** The start of a body in which there was no event. */
    unread: () => (completion.hasEvents ? "" : held.slice(0, quotedCharacters)),
  };
}

function findKind(text: string): "unknown" | "events" | "json" {
  const first = text.replace(/^\uFEFF/, "").trimStart()[0];
  if (first === undefined) return "unknown";
  return first === "{" || first === "[" ? "json" : "events";
}

/** Reads a body that is one JSON value, or has one on each line. */
function readJsonBody(completion: Completion, text: string) {
  const body = parseOrNull(text.replace(/^\uFEFF/, ""));
  if (body !== null) return readJsonValue(completion, body);
  for (const line of text.split(/\r\n?|\n/)) {
    const json = line.replace(/^(?:\uFEFF|data:)/, "").trim();
    if (json !== "" && json !== "[DONE]") readJsonValue(completion, JSON.parse(json));
  }
}

function readJsonValue(completion: Completion, value: unknown) {
  const body = Array.isArray(value) ? value[0] : value;
  const event = typeof body === "object" && body !== null ? body : {};
  if (!Array.isArray(event.choices)) throw reportedError(completion.url, event);
  readEvent(completion, event);
  completion.done ||= event.choices.some((choice: { message?: unknown } | null) => choice?.message);
}

/**
 * Reads the data of an event. Data that cannot be an object, such as `ping`, is ignored.
 * @returns whether the data is complete
 */
function readData(
  completion: Completion,
  data: string,
  { name, isWhole }: { name: string; isWhole: boolean },
): boolean {
  if (!data.startsWith("{")) {
    completion.done = /^"?\[DONE\]"?$/i.test(data);
    if (completion.done) return true;
    if (name === "error") throw reportedError(completion.url, { error: data });
    return true;
  }
  let event: CompletionEvent;
  try {
    event = JSON.parse(data);
  } catch (error) {
    if (isWhole) throw new SyntaxError("The model sent a line that is not valid JSON.", { cause: error });
    return false;
  }
  if (name === "error") throw reportedError(completion.url, event);
  readEvent(completion, event);
  return true;
}

function describeEarlyEnd(unread: string): string {
  const quoted = unread.replace(/\s+/g, " ").trim();
  return `The model's reply ended early.${quoted ? ` The server sent no event, but: ${quoted}` : ""}`;
}
