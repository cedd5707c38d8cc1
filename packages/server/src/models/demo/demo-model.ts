import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type {
  JSONValue,
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultOutput,
} from "@ai-sdk/provider";
import type { ModelPart, StreamModel } from "../chat-model.ts";
import { type Line, quote, splitInstructions, splitPassages } from "./quote.ts";
import { findRequestedTool, type ToolRequest } from "./tool-request.ts";
import { fold } from "./words.ts";

/** The pause after each word. The demo is about as fast as a hosted model, so that its text visibly streams. */
const PAUSE_MS = 8;
/** The usual rule of thumb for English text. */
const CHARACTERS_PER_TOKEN = 4;
const RESULT_LENGTH = 1200;
const MAX_ITEMS = 6;
/** The search of the agent's documents, see documents/search-tool.ts. */
const SEARCH_TOOL = "search_documents";

const announcement = "No model provider is configured, so Foyer's built-in demo answers here.";
const introduction =
  "I am Foyer's built-in demo. I am not an AI model: I quote this agent's documents and instructions.";

/**
 * The model `foyer/demo` needs no network and no key, and always gives the same answer to the same prompt. It quotes
 * and cites the results of the document search, or quotes the agent's instructions. It calls a tool when the message
 * clearly asks for it, and answers from the tool's result in the next step. It says what it is instead of pretending to
 * be an AI. Its stream fails when the signal is aborted, like a provider's. With `announce`, the reply begins by saying
 * that no model provider is configured. The caller sets it once per conversation.
 */
export function createDemoModel({ modelId, announce }: { modelId: string; announce: boolean }): StreamModel {
  return {
    provider: "foyer",
    modelId,
    async doStream(call) {
      return { stream: toStream(generateParts(call, announce)) };
    },
  };
}

function toStream(source: AsyncGenerator<ModelPart>): ReadableStream<ModelPart> {
  return new ReadableStream({
    async pull(controller) {
      const next = await source.next();
      if (next.done) controller.close();
      else controller.enqueue(next.value);
    },
  });
}

async function* generateParts(call: LanguageModelV4CallOptions, announce: boolean): AsyncGenerator<ModelPart> {
  call.abortSignal?.throwIfAborted();
  const reply = replyTo(call);
  const input = typeof reply === "string" ? "" : JSON.stringify(reply.input);
  yield { type: "stream-start", warnings: [] };
  let written = input.length;
  if (typeof reply === "string") {
    const text = announce && !hasSpoken(call.prompt) ? `${announcement}\n\n${reply}` : reply;
    written = text.length;
    yield { type: "text-start", id: "0" };
    for (const delta of splitWords(text)) {
      yield { type: "text-delta", id: "0", delta };
      await pause(PAUSE_MS, undefined, call.abortSignal && { signal: call.abortSignal });
    }
    yield { type: "text-end", id: "0" };
  } else {
    yield { type: "tool-call", toolCallId: `call_${randomUUID()}`, toolName: reply.toolName, input };
  }
  // The demo sees no files, and the bytes of one would take seconds to write as JSON.
  const prompt = JSON.stringify(call.prompt, (_, value) => (value?.type === "file" ? undefined : value));
  const read = estimateTokens(prompt.length);
  yield {
    type: "finish",
    finishReason: { unified: typeof reply === "string" ? "stop" : "tool-calls", raw: undefined },
    usage: {
      inputTokens: { total: read, noCache: read, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: estimateTokens(written), text: estimateTokens(written), reasoning: 0 },
    },
  };
}

const estimateTokens = (characters: number) => Math.ceil(characters / CHARACTERS_PER_TOKEN);

/** A word with the space after it. Scripts without spaces are split into pairs of characters. */
const splitWords = (text: string) => text.match(/[^\s\p{Lo}]+\s*|\p{Lo}[^\s]?\s*/gu) ?? [];

function replyTo({ prompt, tools = [], toolChoice }: LanguageModelV4CallOptions): string | ToolRequest {
  const last = prompt.at(-1);
  const results = last?.role === "tool" ? last.content.filter((part) => part.type === "tool-result") : [];
  const others = results.filter(({ toolName }) => toolName !== SEARCH_TOOL);
  if (others.length > 0) return others.map(({ toolName, output }) => describe(toolName, output)).join("\n\n");
  const message = readLastMessage(prompt);
  const callable = tools.filter((tool) => tool.type === "function" && tool.name !== SEARCH_TOOL);
  const request =
    toolChoice?.type === "none" ? null : findRequestedTool(message, callable as LanguageModelV4FunctionTool[]);
  if (request) return request;
  const passages = results.flatMap(({ output }) => (output.type === "text" ? splitPassages(output.value) : []));
  const facts = splitInstructions(
    prompt.flatMap(({ role, content }) => (role === "system" ? [content] : [])).join("\n\n"),
  );
  return answerSmallTalk(message, facts) ?? quote(passages, message) ?? quote(facts, message) ?? describeNothing(facts);
}

function readLastMessage(prompt: LanguageModelV4Prompt): string {
  const message = prompt.findLast(({ role }) => role === "user");
  // The text parts before the last one are notes for the model.
  const text = message?.role === "user" ? message.content.findLast((part) => part.type === "text") : undefined;
  return text?.text ?? "";
}

/** True when the assistant has already written text since the visitor's last message. */
function hasSpoken(prompt: LanguageModelV4Prompt): boolean {
  const asked = prompt.findLastIndex((message) => message.role === "user");
  return prompt
    .slice(asked + 1)
    .some(({ role, content }) => role === "assistant" && content.some((part) => part.type === "text"));
}

/** A name may follow the greeting ("Hello Harbour"). */
const greeting =
  /^(?:hi|hello|hey|good (?:morning|afternoon|evening|day)|hallo|guten tag|bonjour|hola|ciao|こんにちは|你好)(?: [\p{L}]+)?[\s!.,]*$/u;
const thanks = /^(?:thanks?|thank you|danke|merci|gracias)(?: (?:you|a lot|so much|very much))?[\s!.]*$/;
const identity =
  /\b(?:are you|is this|am i talking to) (?:an? |the )?(?:real |actual )?(?:ai|bot|chatbot|robot|human|person|machine|llm|language model)\b|\b(?:who|what) are you\b|\bwhat can you do\b|^help\W*$/;

function answerSmallTalk(message: string, facts: readonly Line[]): string | null {
  const text = fold(message.slice(0, 200)).trim();
  if (identity.test(text)) return `${introduction} ${offer(facts)}`.trim();
  if (greeting.test(text)) return `Hello. ${introduction} ${offer(facts)}`.trim();
  if (thanks.test(text)) return `You are welcome. ${offer(facts)}`.trim();
  return /^(?:bye|goodbye|see you)[\s!.]*$/.test(text) ? "Goodbye. Come back whenever you have a question." : null;
}

function describeNothing(facts: readonly Line[]): string {
  return `I found nothing about that in what I was given. ${introduction} ${offer(facts)}`.trim();
}

/** Names the headings of the instructions. */
function offer(facts: readonly Line[]): string {
  const topics = new Set(facts.map(({ heading }) => heading).filter((heading) => heading && !heading.endsWith("?")));
  return topics.size > 0 ? `You can ask me about: ${[...topics].slice(0, 5).join(", ")}.` : "";
}

function describe(toolName: string, output: LanguageModelV4ToolResultOutput): string {
  const name = toolName.replaceAll("_", " ");
  if (output.type === "execution-denied") return `"${name}" was not allowed. ${clip(output.reason ?? "")}`.trim();
  const content = output.type === "content" ? output.value.map((part) => ("text" in part ? part.text : "")) : [];
  const value = output.type === "content" ? content.join("\n") : parse(output.value);
  if (output.type.startsWith("error")) return `That did not work: "${name}" failed. ${clip(readMessage(value))}`.trim();
  const text = clip(format(value));
  // The tools that show a form say so in their result.
  if (/\bform(?: (?:was|is))?[ _]shown\b/i.test(text)) return "Please fill in the form.";
  return text === "" ? `"${name}" gave no result.` : text;
}

function readMessage(error: JSONValue): string {
  if (typeof error !== "object" || error === null) return format(error);
  if ("message" in error) return format(error.message ?? null);
  return "error" in error ? readMessage(error.error ?? null) : format(error);
}

function parse(value: JSONValue): JSONValue {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** Each item or field is a line; what is nested in one follows on the same line. */
function format(value: JSONValue, depth = 0): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value !== "object" || value === null) return String(value ?? "").trim();
  const entries = Object.entries(value).filter(([, field]) => field !== null && field !== "");
  const texts = entries.slice(0, MAX_ITEMS).map(([key, field]) => {
    const text = depth < 5 ? format(field ?? null, depth + 1) : "…";
    return Array.isArray(value) ? text : `${formatLabel(key)}: ${text}`;
  });
  if (entries.length > MAX_ITEMS) texts.push(`and ${entries.length - MAX_ITEMS} more`);
  return depth > 0 || texts.length < 2 ? texts.join(", ") : texts.map((text) => `- ${text}`).join("\n");
}

function formatLabel(key: string): string {
  const words = key.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2").replace(/[_-]+/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1).toLowerCase();
}

/** Truncates between words if possible, and never within a character. */
function clip(text: string): string {
  if (text.length <= RESULT_LENGTH) return text;
  const space = text.lastIndexOf(" ", RESULT_LENGTH);
  const cut = text.slice(0, space > RESULT_LENGTH / 2 ? space : RESULT_LENGTH);
  return `${cut.replace(/[\uD800-\uDBFF]$/, "").trim()} …`;
}
