import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type {
  JSONValue,
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultOutput,
} from "@ai-sdk/provider";
import type { ModelPart, StreamModel } from "../chat-model.ts";
import { listTopics, quote, splitInstructions, splitPassages } from "./quote.ts";
import { findRequestedTool, type ToolRequest } from "./tool-request.ts";
import { fold, stemWords } from "./words.ts";

/** The pause after each word. The demo is about as fast as a hosted model, so that its text visibly streams. */
const PAUSE_MS = 8;
/** The usual rule of thumb for English text. */
const CHARACTERS_PER_TOKEN = 4;
const RESULT_LENGTH = 1200;
const MAX_FIELDS = 6;
const MAX_ITEMS = 5;
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
  const read = estimateTokens(call.prompt.reduce((sum, message) => sum + countCharacters(message), 0));
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

function countCharacters(message: LanguageModelV4Message): number {
  if (message.role === "system") return message.content.length;
  return message.content.reduce((sum: number, part) => {
    if (part.type === "text") return sum + part.text.length;
    if (part.type === "tool-call") return sum + (JSON.stringify(part.input) ?? "").length;
    return part.type === "tool-result" ? sum + JSON.stringify(part.output).length : sum;
  }, 0);
}

/** A word with the space after it. Scripts without spaces are split into pairs of characters. */
function splitWords(text: string): string[] {
  return (
    text.match(
      /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]{1,2}\s*|[^\s\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]+\s*/gu,
    ) ?? []
  );
}

function replyTo({ prompt, tools = [], toolChoice }: LanguageModelV4CallOptions): string | ToolRequest {
  const results = findLastResults(prompt);
  const isSearch = ({ toolName }: ToolResult) => toolName === SEARCH_TOOL;
  const others = results.filter((result) => !isSearch(result));
  if (others.length > 0) return answerFromResults(others);
  const systemPrompt = prompt.flatMap((message) => (message.role === "system" ? [message.content] : [])).join("\n\n");
  const [message = "", earlier = ""] = prompt.flatMap(userTexts).reverse();
  const callable = tools.filter((tool) => tool.type === "function" && tool.name !== SEARCH_TOOL);
  const request =
    toolChoice?.type === "none" ? null : findRequestedTool(message, callable as LanguageModelV4FunctionTool[]);
  if (request) return request;
  const passages = results.filter(isSearch).flatMap(({ output }) => splitPassages(outputText(output)));
  return (
    answerSmallTalk(message, systemPrompt) ??
    quote(passages, message) ??
    quote(splitInstructions(systemPrompt), message, earlier) ??
    describeNothingFound(systemPrompt)
  );
}

type ToolResult = Extract<Results[number], { type: "tool-result" }>;

function findLastResults(prompt: LanguageModelV4Prompt): ToolResult[] {
  const last = prompt.at(-1);
  return last?.role === "tool" ? last.content.filter((part) => part.type === "tool-result") : [];
}

function outputText(output: LanguageModelV4ToolResultOutput): string {
  return output.type === "text" ? output.value : "";
}

function userTexts(message: LanguageModelV4Message): string[] {
  if (message.role !== "user") return [];
  // The text parts before the last one are notes for the model.
  return [message.content.findLast((part) => part.type === "text")?.text ?? ""];
}

/** True when the assistant has already written text since the visitor's last message. */
function hasSpoken(prompt: LanguageModelV4Prompt): boolean {
  const asked = prompt.findLastIndex((message) => message.role === "user");
  return prompt
    .slice(asked + 1)
    .some(({ role, content }) => role === "assistant" && content.some((part) => part.type === "text"));
}

const greeting =
  /^(?:hi|hello|hey|good (?:morning|afternoon|evening|day)|hallo|moin|servus|guten (?:tag|morgen|abend)|bonjour|bonsoir|salut|hola|ciao|こんにちは|こんばんは|おはよう|你好|您好)(?!\p{L})/u;
const thanks = /^(?:thanks?|thank you|thx|many thanks|danke|vielen dank|merci|gracias|ありがとう|谢谢|多谢)/;
const farewell = /^(?:bye|goodbye|good night|see you|tschuss|auf wiedersehen|au revoir|adios)\b/;
const identity =
  /\b(?:are you|is this|am i talking to|bist du|sind sie|es-tu|etes-vous) (?:an? |the |ein |eine |une? )?(?:real |actual )?(?:ai|bot|chatbot|robot|human|person|machine|llm|chatgpt|gpt|claude|gemini|language model|ki|mensch|ia|humain)\b|\b(?:who|what) are you\b|\bwhat can you do\b|\bhow can you help\b|^help\W*$/;

function answerSmallTalk(message: string, systemPrompt: string): string | null {
  const text = fold(message.slice(0, 200)).trim();
  if (identity.test(text)) return `${introduction} ${offer(systemPrompt)}`.trim();
  if (message.length > 200 || /[?？]/.test(text)) return null;
  // A name may follow the greeting ("Hello Harbour"). A message that is a whole sentence gets an answer instead.
  const isOnly = (pattern: RegExp, more: number) =>
    pattern.test(text) && stemWords(text.replace(pattern, "")).length <= more;
  if (isOnly(greeting, 1)) return `Hello. ${introduction} ${offer(systemPrompt)}`.trim();
  if (isOnly(thanks, 2)) return `You are welcome. ${offer(systemPrompt)}`.trim();
  return isOnly(farewell, 1) ? "Goodbye. Come back whenever you have a question." : null;
}

function describeNothingFound(systemPrompt: string): string {
  return `I found nothing about that in what I was given. ${introduction} ${offer(systemPrompt)}`.trim();
}

function offer(systemPrompt: string): string {
  const topics = listTopics(systemPrompt);
  return topics.length > 0 ? `You can ask me about: ${topics.join(", ")}.` : "";
}

type Results = Extract<LanguageModelV4Message, { role: "tool" }>["content"];

function answerFromResults(results: readonly ToolResult[]): string {
  return results.map(({ toolName, output }) => describe(toolName, output)).join("\n\n");
}

function describe(toolName: string, output: LanguageModelV4ToolResultOutput): string {
  const name = toolName.replaceAll("_", " ");
  switch (output.type) {
    case "error-text":
    case "error-json":
      return `That did not work: "${name}" failed. ${readMessage(output.value)}`.trim();
    case "execution-denied":
      return `"${name}" was not allowed. ${clip(output.reason ?? "")}`.trim();
    case "content":
      return describeValue(name, output.value.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n"));
    default:
      return describeValue(name, output.value);
  }
}

function readMessage(error: JSONValue): string {
  const outer = typeof error === "object" && error !== null && "error" in error ? error.error : error;
  if (typeof outer !== "object" || outer === null) return clip(formatScalar(outer));
  return clip("message" in outer && typeof outer.message === "string" ? outer.message : formatList(outer));
}

/** Matches results that say that a form is on the screen, as the tools that show a form return. */
const formShown =
  /\bform(?:[ _-](?:was|is|has been))?[ _-](?:shown|displayed|presented)\b|\b(?:showed|shown|showing|displayed) (?:the|a|this) (?:\w+ )?form\b/i;

function describeValue(name: string, value: JSONValue): string {
  const text = typeof value === "string" ? value.trim() : JSON.stringify(value);
  if (formShown.test(text.slice(0, 500))) return "Please fill in the form.";
  const parsed = typeof value === "string" ? parse(text) : value;
  const answer = clip(typeof parsed === "object" && parsed !== null ? formatList(parsed) : formatScalar(parsed));
  return answer === "" ? `"${name}" gave no result.` : answer;
}

function parse(text: string): JSONValue {
  if (!/^[[{]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Formats fields as lines, and items as lines of fields. Values that are nested deeper are left out. */
function formatList(value: JSONValue): string {
  if (isList(value)) {
    const items = value.slice(0, MAX_ITEMS).map((item) => `- ${inline(item)}`);
    const more = value.length > MAX_ITEMS ? `\n\nThere are ${value.length - MAX_ITEMS} more.` : "";
    return items.filter((item) => item !== "- ").join("\n") + more;
  }
  const containsObjects = (field: JSONValue) => isList(field) && field.some((item) => typeof item === "object");
  const fields = listFields(value);
  const lines = fields
    .filter(([, field]) => !containsObjects(field))
    .map(([label, field]) => `${label}: ${inline(field)}`);
  const lists = fields
    .filter(([, field]) => containsObjects(field))
    .map(([label, field]) => `${label}:\n${formatList(field)}`);
  const text = lines.length > 1 ? lines.map((line) => `- ${line}`).join("\n") : lines.join("");
  return [text, ...lists].filter((part) => part !== "").join("\n\n");
}

const isList = (value: JSONValue): value is readonly JSONValue[] => Array.isArray(value);
const joinTexts = (texts: string[]) => texts.filter((text) => text !== "").join(", ");

function inline(value: JSONValue): string {
  if (isList(value)) return joinTexts(value.slice(0, MAX_ITEMS).map(formatScalar));
  if (typeof value !== "object" || value === null) return formatScalar(value);
  const fields = listFields(value).map(
    ([label, field]) => [label, isList(field) ? inline(field) : formatScalar(field)] as const,
  );
  return joinTexts(fields.map(([label, text]) => (text === "" ? "" : `${label}: ${text}`)));
}

function listFields(value: JSONValue): [string, JSONValue][] {
  const filled = Object.entries(value ?? {}).filter(([, field]) => field !== null && field !== "");
  return filled.slice(0, MAX_FIELDS).map(([key, field]) => [formatLabel(key), field ?? null]);
}

function formatLabel(key: string): string {
  const words = key.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2").replace(/[_-]+/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1).toLowerCase();
}

function formatScalar(value: JSONValue | undefined): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "string" || typeof value === "number" ? String(value).trim() : "";
}

/** Truncates between words if possible, and never within a character. */
function clip(text: string): string {
  const whole = text.trim();
  if (whole.length <= RESULT_LENGTH) return whole;
  const space = whole.lastIndexOf(" ", RESULT_LENGTH);
  const cut = whole.slice(0, space > RESULT_LENGTH / 2 ? space : RESULT_LENGTH);
  return `${cut.replace(/[\uD800-\uDBFF]$/, "").trim()} …`;
}
