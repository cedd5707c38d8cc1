import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import {
  type Completion,
  closeBlock,
  createCompletion,
  emitEnd,
  flush,
  maxHeld,
  readEvent,
} from "./chat-completions-reply.ts";
import type { ModelPart } from "./chat-model.ts";

/** How long a server may keep the connection open after its last event, in milliseconds. */
const lingerTime = 1000;

/**
 * Reads the body of a streamed chat completion as AI SDK parts: text and reasoning blocks, then `tool-call` parts, then
 * `finish`. All text that arrives in one chunk of bytes becomes one delta, because passing on a part costs more than
 * parsing a token. A tool call is passed on once, at the end, with its input exactly as the model wrote it and
 * unvalidated. There are no `tool-input-…`, `stream-start` or `response-metadata` parts, because nothing in Foyer uses
 * them.
 *
 * `onPart` is called while the bytes are read, so the body is never read ahead of its receiver. A web stream in between
 * would cost a promise for each part.
 *
 * Rejects with an error reported by the provider (as `APICallError`), for a line that is not JSON, a line or tool calls
 * above 1 MiB, or a connection that closes too early; with what `onPart` throws; and with the reason of the signal once
 * it is aborted. Text that arrived before a failure is passed on. All of these destroy the body.
 */
export function readChatCompletion(
  body: Readable,
  onPart: (part: ModelPart) => void,
  { url, signal }: { url: string; signal?: AbortSignal | undefined },
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const completion = createCompletion(url, pass);
  const decoder = new StringDecoder("utf8");
  let isOpen = true;

  function stop() {
    isOpen = false;
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
    else throw new Error("The model's reply ended early.", { cause });
  }

  body.on("data", (chunk: Buffer) =>
    attempt(() => {
      readText(completion, decoder.write(chunk));
      if (completion.done) finish();
      else flush(completion);
    }),
  );
  body.on("end", () =>
    attempt(() => {
      readLastLine(completion, decoder.end());
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

/** Parses the lines in a chunk of the body. A chunk may start and end in the middle of a line. */
function readText(completion: Completion, text: string) {
  let start = 0;
  while (start < text.length && !completion.done) {
    const end = text.indexOf("\n", start);
    completion.rest += end === -1 ? text.slice(start) : text.slice(start, end);
    if (completion.rest.length > maxHeld) throw new Error("The model sent a line of more than 1 MiB.");
    if (end === -1) return;
    const line = completion.rest;
    completion.rest = "";
    readLine(completion, line);
    start = end + 1;
  }
}

/**
 * The last line may lack its line feed or be cut off. A syntax error is ignored here because the caller reports the
 * cut.
 */
function readLastLine(completion: Completion, text: string) {
  try {
    readText(completion, `${text}\n`);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
}

/** Every `data:` line is a complete event. Comments, blank lines and event names carry no information. */
function readLine(completion: Completion, line: string) {
  if (!line.startsWith("data:")) return;
  const data = line.slice(5).trim();
  if (data === "") return;
  completion.done = data === "[DONE]";
  if (completion.done) return;
  readEvent(completion, completion.parseEvent(data));
}
