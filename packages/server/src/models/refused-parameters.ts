import { APICallError, type JSONArray, type JSONObject, type JSONValue } from "@ai-sdk/provider";
import { DAY_MS } from "@foyer/contract/rules/time";
import { LRUCache } from "lru-cache";
import { isObject } from "./json.ts";
import { hasReasoning, withoutReasoning } from "./reasoning.ts";

/**
 * What a model has refused, and how to send the request without it. Each entry finds the names of refused parts of a
 * request in an error, and changes the body of a request. The formats of all providers are JSON objects, so one table
 * serves them all.
 */
type Refusable = {
  /** the names of what the error refuses, `[""]` if there is only one thing to refuse, or [] */
  findRefused(error: string, body: JSONObject, provider: string): string[];
  remove(body: JSONObject, name: string): JSONObject;
};

/** Members without which no request works. */
const essential = new Set(["model", "messages", "input", "contents", "prompt", "tools", "system", "systemInstruction"]);
const chatCompletions = new Set(["openai-compatible", "ollama"]);

const refusables: Record<string, Refusable> = {
  /** Proxies with Anthropic's format may not know its cache. */
  cacheMarkers: {
    findRefused: (error, body) => (names(error, "cache_control") && hasCacheMarkers(body) ? [""] : []),
    remove: ({ tools, system, messages, ...body }) => ({
      ...body,
      ...(tools === undefined ? {} : { tools: withoutCacheMarkers(tools) }),
      ...(system === undefined ? {} : { system: withoutCacheMarkers(system) }),
      ...(messages === undefined
        ? {}
        : mapMessages({ messages }, ({ content = null, ...message }) => ({
            ...message,
            content: withoutCacheMarkers(content),
          }))),
    }),
  },
  /** How much the model thinks, under the name of any provider. */
  reasoning: {
    findRefused: (error, body) => {
      // An error about a message is about the thoughts in it.
      const isNamed = /\breason|think/i.test(error) && !/\bmessages\b|reasoning_content/i.test(error);
      return isNamed && hasReasoning(body) ? [""] : [];
    },
    remove: (body) => withoutReasoning(body),
  },
  /** Newer models of OpenAI require the second name, older servers know only the first. */
  outputLimitName: {
    findRefused: (error, body) => {
      const other = "max_tokens" in body ? "max_completion_tokens" : "max_tokens";
      const isNamed =
        names(error, other) && /unsupported|use |instead|not (?:supported|permitted)|unknown/i.test(error);
      return isNamed && ("max_tokens" in body || "max_completion_tokens" in body) ? [other] : [];
    },
    remove: ({ max_tokens, max_completion_tokens, ...body }, name) => {
      const limit = max_tokens ?? max_completion_tokens;
      return limit === undefined ? body : { ...body, [name]: limit };
    },
  },
  /** Any optional member of the body that the error names, such as `stream_options` or `temperature`. */
  member: {
    findRefused: (error, body, provider) =>
      isAboutSchema(error)
        ? []
        : Object.keys(body).filter(
            (name) => isOptional(name, provider) && body[name] !== undefined && names(error, name),
          ),
    remove: (body, name) => without(body, name),
  },
  /** The reader of chat completions accepts a whole message, too. */
  streaming: {
    findRefused: (error, body, provider) => {
      const refuses = /\bstream(?:ing)?\b[^_.]*(?:does not support|not supported|unsupported|not allowed)/i;
      return body.stream === true && chatCompletions.has(provider) && refuses.test(error) ? [""] : [];
    },
    remove: ({ stream_options: _, ...body }) => ({ ...body, stream: false }),
  },
  /** Gemini's format has its settings in one member. */
  generationSetting: {
    findRefused: (error, { generationConfig }) =>
      isObject(generationConfig) ? Object.keys(generationConfig).filter((name) => names(error, name)) : [],
    remove: (body, name) => {
      const generationConfig = isObject(body.generationConfig) ? without(body.generationConfig, name) : {};
      return { ...body, generationConfig };
    },
  },
  /** What providers send with a reply, and some do not accept back. */
  messageMember: {
    findRefused: (error, { messages }) =>
      isMissing(error) ? [] : listMemberNames(messages).filter((name) => names(error, name)),
    remove: (body, name) => mapMessages(body, (message) => withoutMember(message, name)),
  },
  /** Thinking models require their reasoning with each call, also with calls that they did not make themselves. */
  missingReasoning: {
    findRefused: (error, { messages }) =>
      Array.isArray(messages) && isMissing(error) && names(error, "reasoning_content") ? [""] : [],
    remove: (body) =>
      mapMessages(body, (message) =>
        message.role === "assistant" && message.tool_calls && message.reasoning_content === undefined
          ? { ...message, reasoning_content: "" }
          : message,
      ),
  },
  /** Gemini requires a signature with each call. This value stands for a call that another model or nobody made. */
  missingSignature: {
    findRefused: (error, { messages }) =>
      Array.isArray(messages) && isMissing(error) && names(error, "thought_signature") ? [""] : [],
    remove: (body) =>
      mapMessages(body, (message) =>
        Array.isArray(message.tool_calls) ? { ...message, tool_calls: message.tool_calls.map(withSignature) } : message,
      ),
  },
  nullContent: {
    findRefused: (error, { messages }) => {
      const hasNull =
        Array.isArray(messages) && messages.some((message) => isObject(message) && message.content === null);
      const refuses =
        /\bcontent\b[^.]{0,80}\b(?:none|null|string|required|missing|empty)\b|\b(?:none|null)\b[^.]{0,60}\bcontent\b/i;
      return hasNull && refuses.test(error) ? [""] : [];
    },
    remove: (body) =>
      mapMessages(body, (message) => (message.content === null ? { ...message, content: "" } : message)),
  },
  /** Instructions become part of the first message of the visitor. */
  instructions: {
    findRefused: (error, body) => (hasInstructions(body) && refusesInstructions(error) ? [""] : []),
    remove: withoutInstructions,
  },
  /** Keywords of JSON Schema in the tools' inputs. */
  schemaKeyword: {
    findRefused: (error, { tools }) => {
      if (!tools || !isAboutSchema(error)) return [];
      const used = listKeywords(tools);
      const named = optionalKeywords.filter((keyword) => used.has(keyword) && names(error, keyword));
      return named.length > 0 ? named : [...used];
    },
    remove: (body, keyword) =>
      body.tools ? { ...body, tools: withoutKeyword(body.tools, keyword) as JSONArray } : body,
  },
};

/** Statuses with which servers refuse a parameter. */
const refusals = new Set([400, 404, 405, 415, 422, 500, 501]);
/** Servers are updated, so everything is sent again after a day. */
const learned = new LRUCache<string, Refused>({
  max: 10_000,
  ttl: DAY_MS,
});

type Refused = ReadonlyArray<readonly [kind: string, name: string]>;

export const listRefused = (key: string): Refused | undefined => learned.get(key);

/** Forgets what was learned after `listRefused` returned this. */
export function restoreRefused(key: string, refused: Refused | undefined): void {
  if (learned.get(key) === refused) return;
  if (refused) learned.set(key, refused);
  else learned.delete(key);
}

/** Creates the function that leaves out what the model has refused, or undefined if it has refused nothing. */
export function createEditor(key: string): ((body: JSONObject) => JSONObject) | undefined {
  const refused = learned.get(key);
  if (!refused) return undefined;
  return (body) => refused.reduce((edited, [kind, name]) => refusables[kind]?.remove(edited, name) ?? edited, body);
}

/**
 * Learns from an error what the model refuses of a request, for all later requests of this process.
 * @returns whether there is something new to leave out, so that the request should be repeated
 */
export function learnRefusal(
  { key, provider }: { key: string; provider: string },
  error: unknown,
  body: JSONObject | undefined,
): boolean {
  if (!APICallError.isInstance(error) || !body || !isRefusal(error)) return false;
  const text = describe(error);
  const known = learned.get(key) ?? [];
  for (const [kind, { findRefused }] of Object.entries(refusables)) {
    const found = findRefused(text, body, provider);
    const fresh = found.filter((name) => !known.some((one) => one[0] === kind && one[1] === name));
    if (fresh.length === 0) continue;
    learned.set(key, [...known, ...fresh.map((name) => [kind, name] as const)]);
    return true;
  }
  return false;
}

/** Some servers report a parameter that they don't know with status 500. */
function isRefusal(error: APICallError): boolean {
  const { statusCode } = error;
  if (statusCode === undefined) return true;
  const isAboutParameter = /param|field|argument|support|permitted|unknown|unrecognized/i.test(describe(error));
  return refusals.has(statusCode) && (statusCode < 500 || isAboutParameter);
}

const describe = ({ message, responseBody = "" }: APICallError) => `${message}\n${responseBody.slice(0, 4_000)}`;

/**
 * Whether the text has this name as a word of its own. `max_tokens` is not a word in `max_tokens_limit`. Names that are
 * words of everyday language, such as `text`, must be quoted.
 */
function names(text: string, name: string): boolean {
  const isTerm = /_|[a-z][A-Z]|^\$|^temperature$/.test(name);
  const word = `(?<![\\w])${RegExp.escape(name)}(?![\\w])`;
  return new RegExp(
    isTerm ? word : `["'\`]${word}["'\`]|[\\]\\d]\\.${word}|${word} (?:parameter|keyword|field)`,
    "i",
  ).test(text);
}

const isMissing = (error: string) =>
  /\b(?:missing|required|must (?:be|include|have|contain)|lacks|absent|without)\b/i.test(error);

/** Anthropic refuses a request without `max_tokens`. */
function isOptional(name: string, provider: string): boolean {
  return !essential.has(name) && name !== "stream" && !(name === "max_tokens" && provider === "anthropic");
}

const isAboutSchema = (error: string) =>
  /schema|function_?declarations?|(?:tools?|functions?)[.[\d\]]*[^ ]*parameters|input_schema/i.test(error);

function mapMessages(body: JSONObject, change: (message: JSONObject) => JSONObject): JSONObject {
  if (!Array.isArray(body.messages)) return body;
  return { ...body, messages: body.messages.map((message) => (isObject(message) ? change(message) : message)) };
}

const hasCacheMarkers = ({ tools, system, messages }: JSONObject) =>
  JSON.stringify([tools, system, messages]).includes('"cache_control"');

function withoutCacheMarkers(blocks: JSONValue): JSONValue {
  return Array.isArray(blocks)
    ? blocks.map((block) => (isObject(block) ? without(block as JSONObject, "cache_control") : block))
    : blocks;
}

const ownMessageMembers = new Set(["role", "content", "tool_calls", "tool_call_id"]);
const ownCallMembers = new Set(["id", "type", "function"]);

function listMemberNames(messages: unknown): string[] {
  if (!Array.isArray(messages)) return [];
  const found = new Set<string>();
  for (const message of messages) {
    if (!isObject(message)) continue;
    for (const name of Object.keys(message)) if (!ownMessageMembers.has(name)) found.add(name);
    const calls = Array.isArray(message.tool_calls) ? message.tool_calls : [];
    for (const call of calls) {
      for (const name of Object.keys(isObject(call) ? call : {})) if (!ownCallMembers.has(name)) found.add(name);
    }
  }
  return [...found];
}

function without(object: JSONObject, name: string): JSONObject {
  const { [name]: _, ...rest } = object;
  return rest;
}

function withoutMember(message: JSONObject, name: string): JSONObject {
  const rest = without(message, name);
  if (!Array.isArray(rest.tool_calls)) return rest;
  return { ...rest, tool_calls: rest.tool_calls.map((call) => (isObject(call) ? without(call, name) : call)) };
}

function withSignature(call: unknown): JSONObject {
  const own = isObject(call) ? call : {};
  if (isObject(own.extra_content)) return own;
  return { ...own, extra_content: { google: { thought_signature: "skip_thought_signature_validator" } } };
}

const isInstruction = (message: unknown): message is JSONObject =>
  isObject(message) && (message.role === "system" || message.role === "developer");

function hasInstructions({ messages, input, systemInstruction }: JSONObject): boolean {
  return (
    [messages, input].some((list) => Array.isArray(list) && list.some(isInstruction)) || Boolean(systemInstruction)
  );
}

function refusesInstructions(error: string): boolean {
  const isNamed =
    /\b(?:system|developer)\b[^.]{0,40}\b(?:role|message|prompt|instruction)|role[^.]{0,60}\b(?:system|developer)\b|only user and assistant roles/i;
  return isNamed.test(error) && /support|enabled|allowed|invalid|only|unknown|unexpected|must/i.test(error);
}

function withoutInstructions(body: JSONObject): JSONObject {
  if (body.systemInstruction) {
    const { systemInstruction, contents, ...rest } = body;
    const parts = isObject(systemInstruction) && Array.isArray(systemInstruction.parts) ? systemInstruction.parts : [];
    const [first, ...others] = Array.isArray(contents) ? contents : [];
    if (!isObject(first) || !Array.isArray(first.parts)) return rest;
    return { ...rest, contents: [{ ...first, parts: [...parts, ...first.parts] }, ...others] };
  }
  const member = Array.isArray(body.messages) ? "messages" : "input";
  const list = body[member];
  if (!Array.isArray(list)) return body;
  const texts = list.filter(isInstruction).map(({ content }) => (typeof content === "string" ? content : ""));
  const others = list.filter((message) => !isInstruction(message));
  const index = others.findIndex((message) => isObject(message) && message.role === "user");
  const first = others[index];
  if (texts.length === 0 || !isObject(first)) return body;
  const merged = { ...first, content: prepend(texts.join("\n\n"), first.content) };
  return { ...body, [member]: others.map((message, position) => (position === index ? merged : message)) };
}

function prepend(text: string, content: JSONObject[string]): JSONObject[string] {
  if (typeof content === "string") return `${text}\n\n${content}`;
  if (!Array.isArray(content)) return text;
  const type = isObject(content[0]) ? (content[0].type ?? "text") : "text";
  return [{ type, text }, ...content];
}

/** Keywords that a model can do without: the server validates each input itself. */
const optionalKeywords = [
  "$schema",
  "$id",
  "$comment",
  "title",
  "default",
  "examples",
  "format",
  "pattern",
  "const",
  "contentEncoding",
  "contentMediaType",
  "readOnly",
  "writeOnly",
  "deprecated",
  "nullable",
  "additionalProperties",
  "patternProperties",
  "propertyNames",
  "unevaluatedProperties",
  "minProperties",
  "maxProperties",
  "dependencies",
  "dependentRequired",
  "minLength",
  "maxLength",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minItems",
  "maxItems",
  "uniqueItems",
  "contains",
  "prefixItems",
  "additionalItems",
  "if",
  "then",
  "else",
  "not",
  "allOf",
  "anyOf",
  "oneOf",
  "strict",
];

/** The keywords that appear in the schemas. Names of properties are no keywords. */
function listKeywords(value: unknown, isProperties = false, found = new Set<string>()): Set<string> {
  if (Array.isArray(value)) for (const item of value) listKeywords(item, false, found);
  if (!isObject(value)) return found;
  for (const [name, member] of Object.entries(value)) {
    if (!isProperties && optionalKeywords.includes(name)) found.add(name);
    listKeywords(member, !isProperties && name === "properties", found);
  }
  return found;
}

function withoutKeyword(value: unknown, keyword: string, isProperties = false): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutKeyword(item, keyword));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => isProperties || name !== keyword)
      .map(([name, member]) => [name, withoutKeyword(member, keyword, !isProperties && name === "properties")]),
  );
}
