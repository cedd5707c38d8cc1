import { randomUUID } from "node:crypto";
import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import {
  APICallError,
  type JSONObject,
  type LanguageModelV4FinishReason,
  type LanguageModelV4Usage,
} from "@ai-sdk/provider";
import type { ModelPart } from "./chat-model.ts";

/** Of one line, and of all tool calls of one reply, in characters: what a provider can make us hold. */
const maxHeld = 1024 * 1024;
const maxCalls = 256;
/** Parts that wait for a slow reader before the source is paused. */
const maxQueued = 32;
/** How long a server may keep the connection open after its last event, in milliseconds. */
const lingerTime = 1000;
/** This many templates in a row that fit no line show that the server's lines differ in more than their text. */
const maxVainTemplates = 4;

type Block = "text" | "reasoning";
type Call = { index: number | undefined; id: string; name: string; input: string };
/** A line that begins and ends like this does nothing but add the text in between to the block. */
type Template = { before: string; after: string; block: Block };
type Reply = ReturnType<typeof newReply>;

// What servers send is checked where it is used: all of it may be missing or of another type.
type ErrorBody = { error?: unknown; object?: unknown; message?: unknown; detail?: unknown };
type Delta = { [name in "content" | "refusal" | "reasoning_content" | "reasoning" | "tool_calls"]?: unknown };
type Event = ErrorBody & {
  usage?: unknown;
  choices?: ({ delta?: Delta | null; finish_reason?: unknown } | null)[] | null;
};
type Fragment = { index?: unknown; id?: unknown; function?: { name?: unknown; arguments?: unknown } | null } | null;

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
  const reply = newReply(url, (part) => controller.enqueue(part));
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
    closeBlock(reply);
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
    emitEnd(reply);
    stop();
    controller.close();
    if (!body.readableEnded) letEnd(body);
  }
  function breakOff(cause?: unknown) {
    if (signal?.aborted) abort();
    else if (reply.finishReason !== undefined) finish();
    else throw new Error("The model's reply ended early.", { cause });
  }

  body.on("data", (chunk: Buffer) =>
    attempt(() => {
      readText(reply, decoder.write(chunk));
      if (reply.done) return finish();
      flush(reply);
      if ((controller.desiredSize ?? 0) >= -maxQueued) return;
      body.pause();
      onPause();
    }),
  );
  body.on("end", () =>
    attempt(() => {
      readLastLine(reply, decoder.end());
      if (reply.done) finish();
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

function newReply(url: string, emit: (part: ModelPart) => void) {
  return {
    url,
    emit,
    /** The beginning of a line whose end has not arrived. */
    rest: "",
    template: null as Template | null,
    vainTemplates: 0,
    block: null as Block | null,
    blocks: 0,
    /** Text of the block that has not been emitted. */
    text: "",
    calls: [] as Call[],
    callsLength: 0,
    finishReason: undefined as string | undefined,
    usage: undefined as JSONObject | undefined,
    done: false,
  };
}

/** Reads the lines in a piece of the body, which may begin and end within one. */
function readText(reply: Reply, text: string) {
  let start = 0;
  while (start < text.length && !reply.done) {
    const taken = reply.rest === "" ? readTemplateLine(reply, text, start) : 0;
    start += taken;
    if (taken > 0) continue;
    const end = text.indexOf("\n", start);
    reply.rest += end === -1 ? text.slice(start) : text.slice(start, end);
    if (reply.rest.length > maxHeld) throw new Error("The model sent a line of more than 1 MiB.");
    if (end === -1) return;
    const line = reply.rest;
    reply.rest = "";
    readLine(reply, line);
    start = end + 1;
  }
}

/** The last line may lack its line feed, or be cut: then there is more to say than that it is not JSON. */
function readLastLine(reply: Reply, text: string) {
  try {
    readText(reply, `${text}\n`);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
}

/** Comments, blank lines and the names of events say nothing; every data line is an event of its own. */
function readLine(reply: Reply, line: string) {
  if (!line.startsWith("data:")) return;
  const data = line.slice(5).trim();
  if (data === "") return;
  reply.done = data === "[DONE]";
  if (reply.done) return;
  const event = parseEvent(data);
  readEvent(reply, event);
  if (reply.vainTemplates > maxVainTemplates || line.includes("\\")) return;
  reply.vainTemplates += 1;
  reply.template = reply.vainTemplates > maxVainTemplates ? null : (templateOf(line, event) ?? reply.template);
}

/** Reads the line at `start` if it is whole and fits the template, in a fifth of the time. Returns its length, else 0. */
function readTemplateLine(reply: Reply, text: string, start: number): number {
  if (reply.template === null) return 0;
  const { before, after, block } = reply.template;
  const from = start + before.length;
  // Comparing a slice costs a quarter of `startsWith`.
  if (text.slice(start, from) !== before) return 0;
  const quote = text.indexOf('"', from);
  const next = quote + after.length;
  if (quote === -1 || next - start > maxHeld || text.slice(quote, next) !== after) return 0;
  const piece = text.slice(from, quote);
  // Escapes, and what JSON forbids unescaped, are for the parser.
  if (/[\\\p{Cc}]/u.test(piece)) return 0;
  addText(reply, block, piece);
  reply.vainTemplates = 0;
  return next - start;
}

/**
 * Most lines of a reply are equal but for their text. If this line is such a one, then what surrounds its text: proven by
 * parsing it around a longer text. Any string may then stand there, for where a string begins and ends does not depend on
 * what is in it.
 */
function templateOf(line: string, event: Event): Template | null {
  const { block, text } = effectOf(event);
  const at = line.indexOf(`"${text}"`, line.indexOf('"delta"'));
  if (block === null || at === -1) return null;
  const before = line.slice(0, at + 1);
  const after = line.slice(at + 1 + text.length);
  const longer = `${text}+`;
  const proof = effectOf(parseEvent(`${before}${longer}${after}`.slice(5)));
  return proof.block === block && proof.text === longer ? { before, after: `${after}\n`, block } : null;
}

/** What the event adds to which block; block is null when it does anything else. */
function effectOf(event: Event): Pick<Reply, "block" | "text"> {
  const reply = newReply("", () => {});
  readEvent(reply, event);
  const { block, blocks, text, calls, usage, finishReason } = reply;
  const isOnlyText = blocks === 1 && calls.length === 0 && usage === undefined && finishReason === undefined;
  return { block: isOnlyText ? block : null, text };
}

function parseEvent(data: string): Event {
  try {
    return JSON.parse(data) ?? {};
  } catch (cause) {
    throw new SyntaxError("The model sent a line that is not valid JSON.", { cause });
  }
}

function readEvent(reply: Reply, event: Event) {
  if (event.error || event.object === "error") throw reportedError(reply.url, event);
  if (isObject(event.usage)) reply.usage = event.usage;
  const choice = event.choices?.[0];
  const delta = choice?.delta;
  if (delta) {
    addText(reply, "reasoning", delta.reasoning_content || delta.reasoning);
    addText(reply, "text", delta.content);
    addText(reply, "text", delta.refusal);
    if (Array.isArray(delta.tool_calls)) for (const fragment of delta.tool_calls) addToCall(reply, fragment);
  }
  reply.finishReason = string(choice?.finish_reason) || reply.finishReason;
}

function addText(reply: Reply, block: Block, content: unknown) {
  const text = Array.isArray(content) ? content.map((part) => string(part?.text)).join("") : string(content);
  if (text === "") return;
  if (reply.block !== block) {
    closeBlock(reply);
    reply.block = block;
    reply.blocks += 1;
    reply.emit({ type: `${block}-start`, id: String(reply.blocks) });
  }
  reply.text += text;
}

function flush(reply: Reply) {
  if (reply.block === null || reply.text === "") return;
  reply.emit({ type: `${reply.block}-delta`, id: String(reply.blocks), delta: reply.text });
  reply.text = "";
}

function closeBlock(reply: Reply) {
  if (reply.block === null) return;
  flush(reply);
  reply.emit({ type: `${reply.block}-end`, id: String(reply.blocks) });
  reply.block = null;
}

function addToCall(reply: Reply, fragment: Fragment) {
  closeBlock(reply);
  const id = string(fragment?.id);
  const name = string(fragment?.function?.name);
  const sent = fragment?.function?.arguments;
  const input = isObject(sent) ? JSON.stringify(sent) : string(sent);
  const index = number(fragment?.index);
  const continued = openCall(reply.calls, index, id, name);
  const call = continued ?? { index, id, name, input: "" };
  if (!continued) reply.calls.push(call);
  call.id ||= id;
  call.name ||= name;
  call.input += input;
  reply.callsLength += id.length + name.length + input.length;
  const isTooMuch = reply.callsLength > maxHeld || reply.calls.length > maxCalls;
  if (isTooMuch) throw new Error("The model's tool calls are too large.");
}

/**
 * The call that a fragment continues, if any. By the book `index` tells; some servers send none, or 0 for every call, or
 * repeat id and name in each fragment.
 */
function openCall(calls: Call[], index: number | undefined, id: string, name: string): Call | undefined {
  const call = calls.findLast((one) => (index === undefined ? id === "" || one.id === id : one.index === index));
  if (!call || name === "" || call.name === "") return call;
  const isAnother = id === "" ? index === undefined : call.id !== "" && call.id !== id;
  return isAnother || call.name !== name ? undefined : call;
}

/** Emits what is only known at the end. */
function emitEnd(reply: Reply) {
  closeBlock(reply);
  if (reply.calls.some((call) => call.name === "")) throw new Error("The model called a tool without naming it.");
  for (const { id, name, input } of reply.calls) {
    const toolCallId = id || `call_${randomUUID()}`;
    reply.emit({ type: "tool-call", toolCallId, toolName: name, input: input.trim() === "" ? "{}" : input });
  }
  reply.emit({ type: "finish", usage: toUsage(reply.usage), finishReason: toFinishReason(reply) });
}

/** Many servers say `stop` after tool calls, and some say nothing. */
function toFinishReason({ finishReason: raw, calls }: Reply): LanguageModelV4FinishReason {
  if (raw === undefined || raw === "stop") return { unified: calls.length > 0 ? "tool-calls" : "stop", raw };
  if (raw === "tool_calls" || raw === "function_call") return { unified: "tool-calls", raw };
  if (raw === "content_filter") return { unified: "content-filter", raw };
  return { unified: raw === "length" || raw === "error" ? raw : "other", raw };
}

/** Some servers leave reasoning out of `completion_tokens` but never out of `total_tokens`. */
function toUsage(usage: JSONObject | undefined): LanguageModelV4Usage {
  const input = number(usage?.prompt_tokens);
  const { prompt_tokens_details: read, completion_tokens_details: wrote } = usage ?? {};
  const cacheRead = isObject(read) ? number(read.cached_tokens) : undefined;
  const reasoning = isObject(wrote) ? number(wrote.reasoning_tokens) : undefined;
  const written = number(usage?.completion_tokens);
  const all = number(usage?.total_tokens);
  const output = written === undefined ? undefined : Math.max(written, (all ?? 0) - (input ?? 0));
  return {
    inputTokens: { total: input, noCache: minus(input, cacheRead), cacheRead, cacheWrite: undefined },
    outputTokens: { total: output, text: minus(output, reasoning), reasoning },
    ...(usage && { raw: usage }),
  };
}

/** What a provider says in an error body, in the forms seen so far: at most 1,000 characters, "" when it says nothing. */
export function providerMessage({ error, message, detail }: ErrorBody): string {
  const said = [isObject(error) ? error.message : error, message, detail].find((text) => string(text) !== "");
  return string(said).slice(0, 1000);
}

function reportedError(url: string, event: ErrorBody): APICallError {
  const code = isObject(event.error) ? number(event.error.code) : undefined;
  return new APICallError({
    message: providerMessage(event) || "The model's server reported an error.",
    url,
    requestBodyValues: undefined,
    ...(code !== undefined && code >= 400 && code < 600 && { statusCode: code }),
  });
}

function isObject(value: unknown): value is JSONObject {
  return typeof value === "object" && value !== null;
}

function string(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function number(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

function minus(total: number | undefined, part: number | undefined): number | undefined {
  return total === undefined ? undefined : Math.max(0, total - (part ?? 0));
}
