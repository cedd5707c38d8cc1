import {
  APICallError,
  type JSONObject,
  type LanguageModelV4FinishReason,
  type LanguageModelV4Usage,
} from "@ai-sdk/provider";
import { newCallId } from "../ids.ts";
import { type CompletionEvent, createEventParser, type ErrorBody } from "./chat-completion-events.ts";
import type { ModelPart } from "./chat-model.ts";

/** Limit in characters for one line, and for all tool calls of one reply, so that a provider cannot exhaust memory. */
export const maxHeld = 1024 * 1024;
const maxCalls = 256;

type Block = "text" | "reasoning";
type Call = { index: number | undefined; id: string; name: string; input: string };
/** The state of a reply while it is being read. */
export type Completion = ReturnType<typeof createCompletion>;

type Fragment = { index?: unknown; id?: unknown; function?: { name?: unknown; arguments?: unknown } | null } | null;

export function createCompletion(url: string, emit: (part: ModelPart) => void) {
  return {
    url,
    emit,
    /** The start of an incomplete line. */
    rest: "",
    block: null as Block | null,
    blocks: 0,
    /** Text of the current block that has not been emitted yet. */
    text: "",
    calls: [] as Call[],
    callsLength: 0,
    finishReason: undefined as string | undefined,
    usage: undefined as JSONObject | undefined,
    done: false,
    parseEvent: createEventParser(),
  };
}

export function readEvent(completion: Completion, event: CompletionEvent) {
  if (event.error || event.object === "error") throw reportedError(completion.url, event);
  if (isObject(event.usage)) completion.usage = event.usage;
  const choice = event.choices?.[0];
  const delta = choice?.delta;
  if (delta) {
    addText(completion, "reasoning", delta.reasoning_content || delta.reasoning);
    addText(completion, "text", delta.content);
    addText(completion, "text", delta.refusal);
    if (Array.isArray(delta.tool_calls)) for (const fragment of delta.tool_calls) addToCall(completion, fragment);
  }
  completion.finishReason = stringOrEmpty(choice?.finish_reason) || completion.finishReason;
}

function addText(completion: Completion, block: Block, content: unknown) {
  const text = Array.isArray(content)
    ? content.map((part) => stringOrEmpty(part?.text)).join("")
    : stringOrEmpty(content);
  if (text === "") return;
  if (completion.block !== block) {
    closeBlock(completion);
    completion.block = block;
    completion.blocks += 1;
    completion.emit({ type: `${block}-start`, id: String(completion.blocks) });
  }
  completion.text += text;
}

export function flush(completion: Completion) {
  if (completion.block === null || completion.text === "") return;
  completion.emit({ type: `${completion.block}-delta`, id: String(completion.blocks), delta: completion.text });
  completion.text = "";
}

export function closeBlock(completion: Completion) {
  if (completion.block === null) return;
  flush(completion);
  completion.emit({ type: `${completion.block}-end`, id: String(completion.blocks) });
  completion.block = null;
}

function addToCall(completion: Completion, fragment: Fragment) {
  closeBlock(completion);
  const id = stringOrEmpty(fragment?.id);
  const name = stringOrEmpty(fragment?.function?.name);
  const sent = fragment?.function?.arguments;
  const input = isObject(sent) ? JSON.stringify(sent) : stringOrEmpty(sent);
  const index = numberOrUndefined(fragment?.index);
  const continued = openCall(completion.calls, index, id, name);
  const call = continued ?? { index, id, name, input: "" };
  if (!continued) completion.calls.push(call);
  call.id ||= id;
  call.name ||= name;
  call.input += input;
  completion.callsLength += id.length + name.length + input.length;
  const isTooMuch = completion.callsLength > maxHeld || completion.calls.length > maxCalls;
  if (isTooMuch) throw new Error("The model's tool calls are too large.");
}

/**
 * Finds the call that a fragment continues, if any. The specification identifies it by `index`, but some servers send
 * no index, send 0 for every call, or repeat the id and name in each fragment.
 */
function openCall(calls: Call[], index: number | undefined, id: string, name: string): Call | undefined {
  const call = calls.findLast((one) => (index === undefined ? id === "" || one.id === id : one.index === index));
  if (!call || name === "" || call.name === "") return call;
  const isAnother = id === "" ? index === undefined : call.id !== "" && call.id !== id;
  return isAnother || call.name !== name ? undefined : call;
}

/** Emits the tool calls and the finish part, which are complete only at the end of the stream. */
export function emitEnd(completion: Completion) {
  closeBlock(completion);
  if (completion.calls.some((call) => call.name === "")) throw new Error("The model called a tool without naming it.");
  for (const { id, name, input } of completion.calls) {
    const toolCallId = id || newCallId();
    completion.emit({ type: "tool-call", toolCallId, toolName: name, input: input.trim() === "" ? "{}" : input });
  }
  completion.emit({ type: "finish", usage: toUsage(completion.usage), finishReason: toFinishReason(completion) });
}

/** Many servers report `stop` after tool calls, and some report nothing. */
function toFinishReason({ finishReason: raw, calls }: Completion): LanguageModelV4FinishReason {
  if (raw === undefined || raw === "stop") return { unified: calls.length > 0 ? "tool-calls" : "stop", raw };
  if (raw === "tool_calls" || raw === "function_call") return { unified: "tool-calls", raw };
  if (raw === "content_filter") return { unified: "content-filter", raw };
  return { unified: raw === "length" || raw === "error" ? raw : "other", raw };
}

/** Some servers omit reasoning tokens from `completion_tokens`, but all include them in `total_tokens`. */
function toUsage(usage: JSONObject | undefined): LanguageModelV4Usage {
  const input = numberOrUndefined(usage?.prompt_tokens);
  const { prompt_tokens_details: read, completion_tokens_details: wrote } = usage ?? {};
  const cacheRead = isObject(read) ? numberOrUndefined(read.cached_tokens) : undefined;
  const reasoning = isObject(wrote) ? numberOrUndefined(wrote.reasoning_tokens) : undefined;
  const written = numberOrUndefined(usage?.completion_tokens);
  const all = numberOrUndefined(usage?.total_tokens);
  const output = written === undefined ? undefined : Math.max(written, (all ?? 0) - (input ?? 0));
  return {
    inputTokens: { total: input, noCache: subtract(input, cacheRead), cacheRead, cacheWrite: undefined },
    outputTokens: { total: output, text: subtract(output, reasoning), reasoning },
    ...(usage && { raw: usage }),
  };
}

/**
 * Extracts the message from an error body in any of the known formats. At most 1,000 characters; "" if there is none.
 */
export function findProviderMessage({ error, message, detail }: ErrorBody): string {
  const said = [isObject(error) ? error.message : error, message, detail].find((text) => stringOrEmpty(text) !== "");
  return stringOrEmpty(said).slice(0, 1000);
}

function reportedError(url: string, event: ErrorBody): APICallError {
  const code = isObject(event.error) ? numberOrUndefined(event.error.code) : undefined;
  return new APICallError({
    message: findProviderMessage(event) || "The model's server reported an error.",
    url,
    requestBodyValues: undefined,
    ...(code !== undefined && code >= 400 && code < 600 && { statusCode: code }),
  });
}

function isObject(value: unknown): value is JSONObject {
  return typeof value === "object" && value !== null;
}

function stringOrEmpty(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function numberOrUndefined(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

function subtract(total: number | undefined, part: number | undefined): number | undefined {
  return total === undefined ? undefined : Math.max(0, total - (part ?? 0));
}
