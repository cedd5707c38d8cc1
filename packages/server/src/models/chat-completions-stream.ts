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

/** Parts that wait for a slow reader before the source is paused. */
const maxQueued = 32;
/** How long a server may keep the connection open after its last event, in milliseconds. */
const lingerTime = 1000;

/**
 * The body of a streamed chat completion as parts of the AI SDK: text and reasoning blocks, then `tool-call`s, then
 * `finish`. All text that arrives in one chunk of bytes leaves as one delta, since a part costs more than reading a token.
 * A call is emitted whole, at the end (no `tool-input-…` parts: nothing here shows half an input), with the input as the
 * model wrote it, unchecked; `stream-start` and `response-metadata` are left out too.
 *
 * What goes wrong after the start is an `error` part, the last one: what the provider reports (an `APICallError`), a line
 * that is not JSON, a line or tool calls above 1 MiB, a connection that ends before the reply does. Aborting `signal`
 * makes the stream fail with its reason. That, cancelling the stream, and every error destroy the body at once.
 */
export function readChatCompletion(body: Readable, url: string, signal?: AbortSignal): ReadableStream<ModelPart> {
  let stop = () => {};
  let settlePull = () => {};
  return new ReadableStream<ModelPart>(
    {
      start(controller) {
        stop = follow(body, url, signal, controller, () => settlePull());
      },
      // A pull that stays pending costs nothing, while one for each part does. It is settled when the source is paused,
      // so that the next one comes when the reader has caught up.
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

/** Pushes the parts of the body into the stream until one of them ends. Returns what makes it stop earlier. */
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
  /** Nothing may be thrown out of a listener: that would end the process. */
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

/** Lets a server end its response, so that the connection can be used again, but does not wait for it long. */
function letEnd(body: Readable) {
  const timer = setTimeout(() => body.destroy(), lingerTime).unref();
  body.once("close", () => clearTimeout(timer));
}

/** Reads the lines in a piece of the body, which may begin and end within one. */
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

/** The last line may lack its line feed, or be cut: then there is more to say than that it is not JSON. */
function readLastLine(completion: Completion, text: string) {
  try {
    readText(completion, `${text}\n`);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
}

/** Comments, blank lines and the names of events say nothing; every data line is an event of its own. */
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
