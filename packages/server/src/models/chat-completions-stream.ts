import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import {
  type Completion,
  type CompletionEvent,
  closeBlock,
  emitEnd,
  flush,
  maxHeld,
  newCompletion,
  readEvent,
} from "./chat-completions-reply.ts";
import type { ModelPart } from "./chat-model.ts";

/** How many parts may wait for a slow reader before the source is paused. */
const maxQueued = 32;
/** How long a server may keep the connection open after its last event, in milliseconds. */
const lingerTime = 1000;

/**
 * Converts the body of a streamed chat completion into AI SDK parts: text and reasoning blocks, then `tool-call` parts,
 * then `finish`. All text that arrives in one chunk of bytes becomes one delta, because emitting a part costs more than
 * parsing a token. A tool call is emitted once, at the end, with its input exactly as the model wrote it and unvalidated.
 * There are no `tool-input-…`, `stream-start` or `response-metadata` parts, because nothing in Foyer uses them.
 *
 * A failure after the start is emitted as an `error` part, which is the last one: an error reported by the provider (as
 * `APICallError`), a line that is not JSON, a line or tool calls above 1 MiB, or a connection that closes too early.
 * Aborting `signal` makes the stream fail with the signal's reason. Aborting, canceling and errors destroy the body.
 */
export function readChatCompletion(body: Readable, url: string, signal?: AbortSignal): ReadableStream<ModelPart> {
  let stop = () => {};
  let settlePull = () => {};
  return new ReadableStream<ModelPart>(
    {
      start(controller) {
        stop = follow(body, url, signal, controller, () => settlePull());
      },
      // One pending pull is free, while a pull per part is not. The promise resolves when the source is paused, so the
      // next pull arrives once the reader has caught up.
      pull() {
        body.resume();
        return new Promise<void>((resolve) => {
          settlePull = resolve;
        });
      },
      cancel() {
        stop();
        body.destroy();
      },
    },
    { highWaterMark: 0 },
  );
}

/** Pushes the parts of the body into the stream until either of them ends. Returns a function that stops it early. */
function follow(
  body: Readable,
  url: string,
  signal: AbortSignal | undefined,
  controller: ReadableStreamDefaultController<ModelPart>,
  onPause: () => void,
): () => void {
  const completion = newCompletion(url, (part) => controller.enqueue(part));
  const decoder = new StringDecoder("utf8");
  let open = true;

  function stop() {
    open = false;
    signal?.removeEventListener("abort", abort);
  }
  function abort() {
    stop();
    controller.error(signal?.reason);
    body.destroy();
  }
  function fail(error: unknown) {
    stop();
    closeBlock(completion);
    controller.enqueue({ type: "error", error });
    controller.close();
    body.destroy();
  }
  /** An exception in an event listener would end the process. */
  function attempt(step: () => void) {
    if (!open) return;
    try {
      step();
    } catch (error) {
      fail(error);
    }
  }
  function finish() {
    emitEnd(completion);
    stop();
    controller.close();
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
      if (completion.done) return finish();
      flush(completion);
      if ((controller.desiredSize ?? 0) >= -maxQueued) return;
      body.pause();
      onPause();
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
  return stop;
}

/** Gives the server a moment to end its response, so that the connection can be reused, then closes it. */
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

/** The last line may lack its line feed or be cut off. A syntax error is ignored here because the caller reports the cut. */
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
  readEvent(completion, parseEvent(data));
}

function parseEvent(data: string): CompletionEvent {
  try {
    return JSON.parse(data) ?? {};
  } catch (cause) {
    throw new SyntaxError("The model sent a line that is not valid JSON.", { cause });
  }
}
