import {
  APICallError,
  type LanguageModelV4CallOptions,
  type LanguageModelV4Message,
  type LanguageModelV4Prompt,
} from "@ai-sdk/provider";
import { HOUR_MS } from "@foyer/contract/rules/time";
import { LRUCache } from "lru-cache";
import { replaceFiles } from "./prompt-files.ts";

type Request = Omit<LanguageModelV4CallOptions, "abortSignal">;

/**
 * The bytes of a prompt and its tools that a model accepts, by organization and model. Longer prompts are tried again
 * after an hour, because servers are restarted with other limits.
 */
const learnedLimits = new LRUCache<string, number>({ max: 10_000, ttl: HOUR_MS });

/** How much of a text is kept when the prompt is still too long without the earlier messages, in characters. */
const SHORTEST_TEXT = 500;
/** The part of the limit by which the earlier messages are shortened at a time. */
const SHORTENING_STEP = 0.125;
/** The part of the limit in a provider's message that is used, because bytes are only roughly proportional to tokens. */
const MARGIN = 0.9;

/** Returns the request, shortened to the limit of this model if it is known. */
export function fitRequest(key: string, request: Request): Request {
  const limit = learnedLimits.get(key);
  return limit === undefined ? request : shortenRequest(request, limit);
}

/**
 * Learns from a refusal of a prompt that is too long.
 * @param request the request that was refused
 * @returns whether a shorter request can be tried
 */
export function learnContextLimit(key: string, error: unknown, request: Request): boolean {
  const text = readErrorText(error);
  if (!isTooLong(error, text)) return false;
  const size = sizeOf(request);
  const limit = Math.floor(size * readRatio(text));
  if (sizeOf(shortenRequest(request, limit)) >= size) return false;
  learnedLimits.set(key, limit);
  return true;
}

/** The sentences with which providers and servers refuse a prompt that is too long. */
const tooLong = [
  // OpenAI, Azure, vLLM, DeepSeek, OpenRouter, llama.cpp, LM Studio, Cloudflare
  /context[_ -]?(?:length|window|size|limit)/i,
  // Anthropic, Bedrock, Groq, GitHub Models, Fireworks, Ollama
  /\b(?:prompt|inputs?|request(?: body| entity)?|payload|content|messages?) (?:is |are |was )?too (?:long|large|big)/i,
  // Gemini, Vertex, Kimi, Cohere
  /token (?:count|limit)|tokens? [\w\s()]*exceed|exceed[\w\s]* tokens?\b/i,
  // Mistral: "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length"
  /too large for model|too many (?:input )?tokens/i,
  // xAI, Zhipu, Qwen, SGLang, Text Generation Inference
  /maximum (?:prompt|model|input|sequence) length|max(?:imum)? length|input length|longer than the|must (?:be <=|have less than) \d+/i,
  /reduce (?:the|your) (?:length|message|input|prompt)|tokens must be reduced/i,
];

/** A rate limit also counts tokens, but only a request that exceeds it alone becomes possible by being shorter. */
const tooLongForRate = /request too large|too large for|must be reduced|reduce (?:the|your) (?:length|message|input)/i;

function isTooLong(error: unknown, text: string): boolean {
  const status = APICallError.isInstance(error) ? error.statusCode : undefined;
  if (status === 413) return true;
  if (status === 401 || status === 402 || status === 403 || status === 404) return false;
  if (status === 429 || /per (?:min|day)|rate.?limit|please wait|quota/i.test(text)) return tooLongForRate.test(text);
  // A refusal of another part: "max_tokens is too large: 64000. This model supports at most 16384 completion tokens."
  if (/(?:string|array) too long|max_(?:completion_|output_)?tokens\b['"`]* (?:is too large|must be)/i.test(text))
    return false;
  return tooLong.some((pattern) => pattern.test(text));
}

function readErrorText(error: unknown): string {
  if (APICallError.isInstance(error)) return `${error.message}\n${error.responseBody?.slice(0, 4_000) ?? ""}`;
  if (error instanceof Error)
    return error.cause === undefined ? error.message : `${error.message}\n${readErrorText(error.cause)}`;
  return typeof error === "string" ? error : (JSON.stringify(error) ?? "").slice(0, 4_000);
}

/**
 * The part of the prompt that the model accepts, by the two largest numbers of the message, which are the prompt's size
 * and the limit in most of them. Half when there are none. A wrong guess costs one more try.
 */
function readRatio(text: string): number {
  const numbers = [...text.replace(/(?<=\d)[,_](?=\d{3})/g, "").matchAll(/\d{3,9}/g)].map(([digits]) => Number(digits));
  const [largest = 0, second = 0] = [...new Set(numbers)].sort((a, b) => b - a);
  const ratio = largest > 0 ? (second / largest) * MARGIN : 0;
  return ratio > 0.2 ? ratio : 0.5;
}

/**
 * Leaves out the oldest turns until the request has at most `limit` bytes. An eighth of the limit is left out at a time,
 * so that several requests in a row have the same start, which providers read from their cache. The instructions, the last message of the
 * visitor and the running reply are kept. If they are too long themselves, their texts are cut: first the results of
 * tools, such as passages of documents, then the end of the instructions, which contains the documents, and then the
 * message.
 */
function shortenRequest(request: Request, limit: number): Request {
  const { prompt } = request;
  let excess = sizeOf(request) - limit;
  if (excess <= 0) return request;
  const stepSize = Math.ceil(limit * SHORTENING_STEP);
  let left = Math.ceil(excess / stepSize) * stepSize;
  const firstTurn = Math.max(
    prompt.findIndex(({ role }) => role !== "system"),
    0,
  );
  const lastTurn = Math.max(
    prompt.findLastIndex(({ role }) => role === "user"),
    firstTurn,
  );
  let start = firstTurn;
  while (start < lastTurn && (left > 0 || prompt[start]?.role !== "user")) {
    const size = sizeOf(prompt[start++]);
    excess -= size;
    left -= size;
  }
  const kept = [...prompt.slice(0, firstTurn), ...prompt.slice(start)];
  return { ...request, prompt: excess > 0 ? cutTexts(kept, excess) : kept };
}

function cutTexts(prompt: LanguageModelV4Prompt, excess: number): LanguageModelV4Prompt {
  let left = excess;
  const cut = (text: string) => {
    const length = Math.max(SHORTEST_TEXT, text.length - Math.max(left, 0) - shortened.length);
    if (left <= 0 || length + shortened.length >= text.length) return text;
    const start = text.slice(0, length).toWellFormed() + shortened;
    left -= sizeOf(text) - sizeOf(start);
    return start;
  };
  const messages = [...prompt];
  for (const role of ["tool", "system", "user"] as const) {
    for (const [index, message] of messages.entries()) {
      if (message.role === role) messages[index] = withTexts(message, cut);
    }
  }
  return messages;
}

const shortened = "\n[The rest was left out because it is too long.]";

function withTexts(message: LanguageModelV4Message, change: (text: string) => string): LanguageModelV4Message {
  if (message.role === "system") return { ...message, content: change(message.content) };
  if (message.role === "user") {
    const content = message.content.map((part) => (part.type === "text" ? { ...part, text: change(part.text) } : part));
    return { ...message, content };
  }
  if (message.role !== "tool") return message;
  const content = message.content.map((part) => {
    if (part.type !== "tool-result" || (part.output.type !== "text" && part.output.type !== "error-text")) return part;
    return { ...part, output: { ...part.output, value: change(part.output.value) } };
  });
  return { ...message, content };
}

/** The size in bytes, which is closer to the number of tokens than the number of characters is in most languages. */
function sizeOf(value: Request | LanguageModelV4Message | string | undefined): number {
  return Buffer.byteLength(JSON.stringify(toMeasured(value)) ?? "");
}

/** Pictures and files count as their texts, because their bytes say little about their tokens. */
function toMeasured(value: Request | LanguageModelV4Message | string | undefined) {
  if (typeof value !== "object") return value;
  return "prompt" in value ? [replaceFiles(value.prompt), value.tools] : replaceFiles([value])[0];
}
