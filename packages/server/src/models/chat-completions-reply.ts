import {
  APICallError,
  type JSONArray,
  type JSONObject,
  type LanguageModelV4FinishReason,
  type LanguageModelV4Usage,
} from "@ai-sdk/provider";
import { newCallId } from "../ids.ts";
import { type CallInput, createCallInput } from "./call-input.ts";
import type { ModelPart } from "./chat-model.ts";
import { isObject } from "./json.ts";
import { ReplySizeError } from "./model-error.ts";
import { findErrorStatus, findProviderMessage } from "./provider-message.ts";

/**
 * Limit in characters for all tool calls of one reply and what is returned with them, so that a provider cannot exhaust
 * memory.
 */
const maxHeld = 1024 * 1024;
const maxCalls = 256;
/** Limits for the pieces of tool calls of one reply, and for events without any content, such as keep-alives. */
const maxPieces = 100_000;
const maxEmptyEvents = 100_000;

type Block = "text" | "reasoning";
type Call = {
  index: number | undefined;
  id: string;
  name: string;
  input: CallInput;
  /** what the server sent with the call besides id, name and arguments, such as a signature */
  members: JSONObject;
  functionMembers: JSONObject;
};
/** The state of a reply while it is being read. */
export type Completion = ReturnType<typeof createCompletion>;

// Fields are `unknown` because servers omit them or send other types. Each is checked where it is used.
type Member = { [name: string]: unknown };
export type CompletionEvent = Member & {
  choices?: ({ delta?: Member | null; message?: Member | null; finish_reason?: unknown } | null)[] | null;
};

/**
 * The members of a message with which providers identify its reasoning. Many refuse the results of the message's calls
 * without them.
 */
const returnedMembers = new Set([
  "reasoning_content",
  "reasoning",
  "reasoning_text",
  "reasoning_details",
  "reasoning_opaque",
  "reasoning_signature",
  "thinking_blocks",
  "thought_signature",
  "signature",
  "extra_content",
]);

type Fragment = {
  [member: string]: unknown;
  index?: unknown;
  id?: unknown;
  function?: { [member: string]: unknown; name?: unknown; arguments?: unknown } | null;
} | null;

/**
 * The members of an assistant message and of a call that a provider expects back with the result of the call, such as
 * reasoning and signatures. They are the metadata of `tool-call` parts under the key `chatCompletions`.
 */
export type ReturnedMembers = { message?: JSONObject; call?: JSONObject; function?: JSONObject };

export function createCompletion(url: string, emit: (part: ModelPart) => void) {
  return {
    url,
    emit,
    /** Whether any event has been read. */
    hasEvents: false,
    block: null as Block | null,
    blocks: 0,
    /** Text of the current block that has not been emitted yet. */
    text: "",
    calls: [] as Call[],
    /** The members of the message that are returned with its calls. */
    message: {} as JSONObject,
    /** The size of the calls and of `message` in characters. */
    heldLength: 0,
    pieces: 0,
    emptyEvents: 0,
    finishReason: undefined as string | undefined,
    /** Whether more of the reply has followed a reason for its end, which some gateways send with every event. */
    isUnfinished: false,
    usage: undefined as JSONObject | undefined,
    done: false,
  };
}

export function readEvent(completion: Completion, event: CompletionEvent) {
  completion.hasEvents = true;
  if (isError(event)) throw reportedError(completion.url, event);
  if (isObject(event.usage)) completion.usage = event.usage;
  const choice = event.choices?.[0];
  // Servers that ignore that a stream was requested send one whole message.
  const delta = choice?.delta ?? (completion.block === null && completion.blocks === 0 ? choice?.message : null);
  if (delta) {
    const before = completion.heldLength + completion.text.length;
    addText(completion, "reasoning", delta.reasoning_content || delta.reasoning || delta.reasoning_text);
    addText(completion, "reasoning", findThinking(delta.content));
    addText(completion, "text", delta.content);
    addText(completion, "text", delta.refusal);
    if (Array.isArray(delta.tool_calls)) for (const fragment of delta.tool_calls) addToCall(completion, fragment);
    else if (isObject(delta.function_call)) addToCall(completion, { function: delta.function_call });
    for (const name of Object.keys(delta)) if (returnedMembers.has(name)) keepMember(completion, name, delta[name]);
    const isMore = completion.heldLength + completion.text.length > before;
    if (isMore && completion.finishReason !== undefined) completion.isUnfinished = true;
    if (isMore) completion.emptyEvents -= 1;
  }
  completion.emptyEvents += 1;
  if (completion.emptyEvents > maxEmptyEvents)
    throw new ReplySizeError("The model sent too many events without content.");
  completion.finishReason = stringOrEmpty(choice?.finish_reason) || completion.finishReason;
}

/** Whether an event reports an error. MiniMax reports the outcome of every reply in `base_resp`. */
function isError({ error, object, base_resp, choices, code, message, msg }: CompletionEvent): boolean {
  if (error || object === "error") return true;
  if (isObject(base_resp) && base_resp.status_code) return true;
  return !choices && Boolean(code) && typeof (message ?? msg) === "string";
}

/** The thoughts in a content of several parts, as Mistral sends them. */
function findThinking(content: unknown): unknown {
  if (!Array.isArray(content)) return undefined;
  return content.map((part) => (part?.type === "thinking" ? toText(part.thinking ?? part.text) : "")).join("");
}

function toText(content: unknown): string {
  if (!Array.isArray(content)) return stringOrEmpty(content);
  return content.map((part) => (part?.type === "thinking" ? "" : stringOrEmpty(part?.text))).join("");
}

function addText(completion: Completion, block: Block, content: unknown) {
  const text = toText(content);
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
  completion.pieces += 1;
  if (completion.pieces > maxPieces) throw tooLargeError();
  const { index, id, name, input } = readFragment(fragment);
  if (id === "" && name === "" && input === "") return;
  const continued = findCall(completion.calls, { index, id, name, input });
  if (continued && repeatsInput(continued, { id, name, input })) return;
  const isNext = continued !== undefined && isContinuedByNext(continued, { id, name, input });
  const call = continued && !isNext ? continued : createCall(index, continued);
  if (call !== continued) completion.calls.push(call);
  call.id ||= id;
  call.name ||= name;
  // Some servers send `{}` first.
  if (call.input.isEmptyObject()) call.input.clear();
  call.input.append(input);
  hold(completion, addMembers(call.members, fragment, ["index", "id", "type", "function"]));
  hold(completion, addMembers(call.functionMembers, fragment?.function, ["name", "arguments"]));
  hold(completion, id.length + name.length + input.length);
  if (completion.calls.length > maxCalls) throw tooLargeError();
}

function readFragment(fragment: Fragment) {
  const sent = fragment?.function?.arguments;
  return {
    index: numberOrUndefined(fragment?.index),
    id: stringOrEmpty(fragment?.id),
    name: stringOrEmpty(fragment?.function?.name),
    input: isObject(sent) || Array.isArray(sent) ? JSON.stringify(sent) : stringOrEmpty(sent),
  };
}

/** A new call. A server that leaves out the name of a second call means the tool of the first. */
function createCall(index: number | undefined, previous: Call | undefined): Call {
  return { index, id: "", name: previous?.name ?? "", input: createCallInput(), members: {}, functionMembers: {} };
}

type ReadFragment = { index?: number | undefined; id: string; name: string; input: string };

/**
 * Finds the call that a fragment belongs to, if any. The specification identifies it by `index`, but some servers send
 * no index, send 0 for every call, repeat the id and name in each fragment, or send a new id in each fragment.
 */
function findCall(calls: Call[], { index, id, name, input }: ReadFragment): Call | undefined {
  const sameId = id === "" ? undefined : calls.findLast((one) => one.id === id);
  if (sameId && (index === undefined || sameId.index === index)) return sameId;
  const call = calls.findLast((one) => index === undefined || one.index === index);
  if (!call) return undefined;
  const isOther = name !== "" && call.name !== "" && name !== call.name;
  if (isOther) return undefined;
  if (id === "" || call.id === "" || id === call.id) return call;
  return continuesWithNewId(call, name, input) ? call : undefined;
}

/** Whether a fragment with a new id continues the input of a call, because its server sends a new id each time. */
function continuesWithNewId(call: Call, name: string, input: string): boolean {
  if (name === "" || call.input.isComplete()) return false;
  return call.input.length === 0 || !/^\s*\{/.test(input) || /[:,[]/.test(call.input.last());
}

/**
 * Whether a fragment repeats the whole input of a call, as some gateways do in their last event, also encoded twice. Two
 * calls of one tool with the same input have ids or names of their own.
 */
function repeatsInput(call: Call, { id, name, input }: ReadFragment): boolean {
  // A repeated input is as long as the input, so comparing them costs no more than reading the fragment.
  if (input === "" || input.length < call.input.length || !call.input.isComplete()) return false;
  if (id === "" ? name !== "" : id !== call.id) return false;
  const text = call.input.text();
  return input === text || input === JSON.stringify(text);
}

/** Whether the fragment is the start of another call, although nothing but the completeness of the first call says so. */
function isContinuedByNext(call: Call, { id, name, input }: ReadFragment): boolean {
  if (call.input.isEmptyObject() && name === "" && id === "") return false;
  if (id !== "" && id === call.id) return false;
  const startsAnother = name !== "" ? call.name !== "" : /^\s*\{/.test(input);
  return startsAnother && call.input.isComplete();
}

/**
 * Keeps the members that the reader does not know. A later value replaces an earlier one, except for null.
 * @returns the size of the new members
 */
function addMembers(members: JSONObject, sent: unknown, known: string[]): number {
  if (!isObject(sent)) return 0;
  let added = 0;
  for (const [name, value] of Object.entries(sent)) {
    if (known.includes(name) || value === null || value === undefined) continue;
    if (!(name in members)) added += name.length + JSON.stringify(value).length;
    members[name] = value;
  }
  return added;
}

/** Joins what the fragments of a message have in a member: texts and lists are continued, other values replaced. */
function keepMember(completion: Completion, name: string, value: unknown) {
  if (value === null || value === undefined) return;
  const { message } = completion;
  const previous = message[name];
  if (typeof value === "string") message[name] = stringOrEmpty(previous) + value;
  else if (Array.isArray(value)) message[name] = joinDetails(Array.isArray(previous) ? previous : [], value);
  else message[name] = value as JSONObject;
  hold(completion, typeof value === "string" ? value.length : JSON.stringify(value).length);
}

/** Joins consecutive fragments of one detail, such as OpenRouter's `reasoning_details`: their texts are continued. */
function joinDetails(details: JSONArray, fragments: JSONArray): JSONArray {
  // The details are changed in place, because copying them for each event would take quadratic time.
  for (const fragment of fragments) {
    const last = details.at(-1);
    const isContinued = isObject(last) && isObject(fragment) && last.type === fragment.type;
    if (isContinued && fragment.index !== undefined && last.index === fragment.index) joinDetail(last, fragment);
    else details.push(fragment);
  }
  return details;
}

const continuedTexts = ["text", "summary", "data", "thinking"];

function joinDetail(detail: JSONObject, fragment: JSONObject): void {
  for (const [name, value] of Object.entries(fragment)) {
    const previous = detail[name];
    const isText = typeof previous === "string" && typeof value === "string" && continuedTexts.includes(name);
    if (isText) detail[name] = previous + value;
    else if (value !== null && value !== undefined) detail[name] = value;
  }
}

function hold(completion: Completion, characters: number) {
  completion.heldLength += characters;
  if (completion.heldLength > maxHeld) throw tooLargeError();
}

const tooLargeError = () => new ReplySizeError("The model's tool calls are too large.");

/** Emits the tool calls and the finish part, which are complete only at the end of the stream. */
export function emitEnd(completion: Completion) {
  closeBlock(completion);
  if (completion.calls.some((call) => call.name === "")) throw new Error("The model called a tool without naming it.");
  for (const [position, { id, name, input, members, functionMembers }] of completion.calls.entries()) {
    const message = position === 0 ? completion.message : {};
    completion.emit({
      type: "tool-call",
      toolCallId: id || newCallId(),
      toolName: name,
      input: input.text().trim() === "" ? "{}" : input.text(),
      ...toMetadata({ message, call: members, function: functionMembers }),
    });
  }
  completion.emit({ type: "finish", usage: toUsage(completion.usage), finishReason: toFinishReason(completion) });
}

function toMetadata(members: Required<ReturnedMembers>): { providerMetadata?: { chatCompletions: JSONObject } } {
  const sent = Object.entries(members).filter(([, values]) => Object.keys(values).length > 0);
  return sent.length === 0 ? {} : { providerMetadata: { chatCompletions: Object.fromEntries(sent) } };
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
  const cacheRead = isObject(read) ? numberOrUndefined(read.cached_tokens) : findCachedTokens(usage);
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

/** The names that DeepSeek, Moonshot and Mistral have for the tokens that were read from the cache. */
function findCachedTokens(usage: JSONObject | undefined): number | undefined {
  return numberOrUndefined(usage?.prompt_cache_hit_tokens ?? usage?.cached_tokens ?? usage?.num_cached_tokens);
}

export function reportedError(url: string, event: object): APICallError {
  const statusCode = findErrorStatus(event);
  return new APICallError({
    message: findProviderMessage(event) || "The model's server reported an error.",
    url,
    requestBodyValues: undefined,
    responseBody: JSON.stringify(event),
    ...(statusCode !== undefined && { statusCode }),
  });
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
