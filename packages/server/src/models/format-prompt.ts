import type {
  JSONSchema7,
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
} from "@ai-sdk/provider";
import { parseExactJson } from "../exact-json.ts";
import type { StreamModel } from "./chat-model.ts";
import { toFallback } from "./prompt-files.ts";
import { withoutTools } from "./without-tools.ts";

/** What a provider requires of a request beyond the format of its API. */
export type PromptFormat = {
  /** whether the provider accepts this id of an earlier call; all others are replaced */
  acceptsId(id: string, toolName: string): boolean;
  /** the same for a call of the running reply, whose id the provider itself has sent */
  acceptsOwnId(id: string, toolName: string): boolean;
  /** Creates an id for a call. `number` counts the calls of the prompt from 0. */
  createId(number: number, toolName: string): string;
  /** whether the names of calls of the running reply are returned as they came, even if no tool has such a name */
  keepsOwnNames: boolean;
  /** whether an assistant message can contain text and calls at the same time */
  allowsTextWithCalls: boolean;
  /** the longest description of a tool, in characters; longer ones move into the instructions */
  maxDescription: number;
  toSchema(schema: JSONSchema7): JSONSchema7;
  /** whether the agent's instructions and its documents remain messages of their own */
  separatesInstructions: boolean;
  /** whether pictures and files of this media type are sent; others are replaced by their text */
  readsFile(mediaType: string): boolean;
};

type Assistant = Extract<LanguageModelV4Message, { role: "assistant" }>;
type ToolCall = Extract<Assistant["content"][number], { type: "tool-call" }>;
type ToolMessage = Extract<LanguageModelV4Message, { role: "tool" }>;
type ToolResult = Extract<ToolMessage["content"][number], { type: "tool-result" }>;

/** Marks a call of an earlier reply that the same model has written. */
export const ownCall = { providerOptions: { foyer: { isOwn: true } } };

const isOwnCall = ({ providerOptions }: ToolCall) => providerOptions?.foyer?.isOwn === true;

/** Rewrites each call before the provider's package converts it. */
export function withFormat(model: StreamModel, format: PromptFormat): StreamModel {
  return {
    provider: model.provider,
    modelId: model.modelId,
    readsFile: format.readsFile,
    doStream: (call) => model.doStream(formatCall(call, format)),
  };
}

/**
 * Rewrites a request so that its receiver accepts it, whichever provider wrote the earlier replies of the conversation.
 * The messages then have the one order that every provider accepts: the visitor and the assistant alternate, the visitor
 * comes first, each call has exactly one result, directly after it, and the last message is not the assistant's.
 */
export function formatCall(call: LanguageModelV4CallOptions, format: PromptFormat): LanguageModelV4CallOptions {
  const hasTools = call.tools !== undefined && call.tools.length > 0;
  const prompt = hasTools ? call.prompt : withoutEarlierCalls(call.prompt);
  const lastUser = prompt.findLastIndex(({ role }) => role === "user");
  const cleaned = prompt.flatMap((message, index) => {
    const toName = format.keepsOwnNames && index > lastUser ? (name: string) => name : toToolName;
    return cleanMessage(message, format, toName);
  });
  const messages = replaceCallIds(addBridges(joinMessages(pairResults(cleaned), format)), format);
  if (!call.tools) return { ...call, prompt: messages };
  const tools = call.tools.map((tool) => formatTool(tool, format));
  return { ...call, prompt: withLongDescriptions(messages, call.tools, format), tools };
}

/**
 * Turns the calls of earlier replies into text. Gateways to Anthropic refuse them when the request offers no tools, for
 * example after they were deleted.
 */
function withoutEarlierCalls(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  const lastUser = prompt.findLastIndex(({ role }) => role === "user");
  return [
    ...withoutTools({ prompt: prompt.slice(0, Math.max(lastUser, 0)) }).prompt,
    ...prompt.slice(Math.max(lastUser, 0)),
  ];
}

type Tool = NonNullable<LanguageModelV4CallOptions["tools"]>[number];

function formatTool(tool: Tool, { maxDescription, toSchema }: PromptFormat): Tool {
  if (tool.type !== "function") return tool;
  const { description = "", inputSchema } = tool;
  const isLong = description.length > maxDescription;
  const shortened = isLong ? { description: `${description.slice(0, maxDescription - 1)}…`.toWellFormed() } : {};
  return { ...tool, ...shortened, inputSchema: toSchema(inputSchema) };
}

/** Moves descriptions that are too long for the provider into the instructions, so that the model reads all of them. */
function withLongDescriptions(
  prompt: LanguageModelV4Prompt,
  tools: readonly Tool[],
  { maxDescription }: PromptFormat,
): LanguageModelV4Prompt {
  const long = tools.flatMap((tool) => {
    const description = tool.type === "function" ? (tool.description ?? "") : "";
    return description.length > maxDescription ? [`# The tool ${tool.name}\n\n${description}`] : [];
  });
  if (long.length === 0) return prompt;
  const [first, ...rest] = prompt;
  if (first?.role !== "system") return [{ role: "system", content: long.join("\n\n") }, ...prompt];
  return [{ ...first, content: [first.content, ...long].join("\n\n") }, ...rest];
}

/** Removes blank texts, which Anthropic refuses, and values that a provider cannot parse. */
function cleanMessage(
  message: LanguageModelV4Message,
  format: PromptFormat,
  toName: (name: string) => string,
): LanguageModelV4Message[] {
  switch (message.role) {
    case "system":
      return isBlank(message.content) ? [] : [{ ...message, content: message.content.toWellFormed() }];
    case "user": {
      const content = message.content
        .map((part) => (part.type === "file" && !format.readsFile(part.mediaType) ? toFallback(part) : part))
        .flatMap(cleanText);
      // A message without any text still is the visitor's turn.
      return [{ ...message, content: content.length > 0 ? content : [{ type: "text", text: "[empty message]" }] }];
    }
    case "assistant":
      return cleanAssistant(message, format, toName);
    case "tool":
      return [{ ...message, content: message.content.map(cleanResult) }];
  }
}

function cleanAssistant(
  message: Assistant,
  { allowsTextWithCalls }: PromptFormat,
  toName: (name: string) => string,
): Assistant[] {
  const hasCalls = message.content.some(({ type }) => type === "tool-call");
  const content = message.content.flatMap((part): Assistant["content"] => {
    if (part.type === "tool-call") {
      return [{ ...part, toolName: toName(part.toolName), input: toObject(part.input) }];
    }
    if (hasCalls && !allowsTextWithCalls && isWrittenText(part)) return [];
    return part.type === "text" ? cleanText(part) : [part];
  });
  return content.length > 0 ? [{ ...message, content }] : [];
}

/** Whether the part was text of the model's message: its text, or thoughts that it wrote into its text. */
function isWrittenText({ type, providerOptions }: Assistant["content"][number]): boolean {
  return type === "text" || (type === "reasoning" && providerOptions?.chatCompletions?.isText === true);
}

function cleanText<T extends { type: string }>(part: T | { type: "text"; text: string }): T[] {
  if (!("text" in part) || part.type !== "text") return [part as T];
  return isBlank(part.text) ? [] : [{ ...part, text: part.text.toWellFormed() } as unknown as T];
}

/** The result's name is that of its call, see `pairResults`. */
function cleanResult(part: ToolMessage["content"][number]): ToolMessage["content"][number] {
  if (part.type !== "tool-result") return part;
  const { output } = part;
  if (output.type !== "text" && output.type !== "error-text") return part;
  const value = isBlank(output.value) ? "(no output)" : output.value.toWellFormed();
  return { ...part, output: { ...output, value } };
}

/** True for a text without a visible character. Providers differ in the characters that they count as white space. */
function isBlank(text: string): boolean {
  return !/[^\p{Z}\p{Cc}\p{Cf}]/u.test(text);
}

/**
 * The name of a call. A model can invent names that a provider refuses to read again. Gemini requires a letter or an underscore at the start, and OpenAI
 * at most 64 characters.
 */
function toToolName(name: string): string {
  const plain = name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64);
  return /^[a-zA-Z_]/.test(plain) ? plain : `_${plain.slice(0, 63)}`;
}

/** Every provider requires the input of a call to be an object, and a model can send anything. */
function toObject(input: unknown): unknown {
  if (input === null || input === undefined) return {};
  const object = typeof input === "object" && !Array.isArray(input) ? input : { input };
  const text = JSON.stringify(object);
  // JSON writes a lone surrogate as an escape sequence, which strict parsers refuse.
  if (!/\\ud[89a-f]/i.test(text)) return object;
  return parseExactJson(text.replace(/\\(?:\\|(ud[89a-f][0-9a-f]{2}))/gi, (found, lone) => (lone ? "\\ufffd" : found)));
}

/** Gives each call one result, directly after it and in the order of the calls. Results without a call are left out. */
function pairResults(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  return prompt.flatMap((message, index): LanguageModelV4Message[] => {
    if (message.role === "tool") return [];
    if (message.role !== "assistant") return [message];
    const calls = message.content.filter((part) => part.type === "tool-call");
    if (calls.length === 0) return [message];
    const results = listResultsAfter(prompt, index);
    return [message, { role: "tool", content: calls.map((call) => takeResult(call, results)) }];
  });
}

function listResultsAfter(prompt: LanguageModelV4Prompt, index: number): ToolResult[] {
  const results: ToolResult[] = [];
  for (const message of prompt.slice(index + 1)) {
    if (message.role !== "tool") break;
    results.push(...message.content.filter((part) => part.type === "tool-result"));
  }
  return results;
}

/** Takes the result out of the list, because several calls of a step can have the same id. */
function takeResult({ toolCallId, toolName }: ToolCall, results: ToolResult[]): ToolResult {
  const found = results.findIndex((result) => result.toolCallId === toolCallId);
  const [result] = found < 0 ? [] : results.splice(found, 1);
  const output = { type: "error-text" as const, value: "The call was interrupted." };
  return { ...(result ?? { type: "tool-result", toolCallId, output }), toolName };
}

function joinMessages(prompt: LanguageModelV4Prompt, { separatesInstructions }: PromptFormat): LanguageModelV4Prompt {
  const joined: LanguageModelV4Message[] = [];
  for (const message of prompt) {
    const last = joined.at(-1);
    if (last?.role === "user" && message.role === "user") {
      joined[joined.length - 1] = { ...last, content: [...last.content, ...message.content] };
    } else if (last?.role === "assistant" && message.role === "assistant") {
      joined[joined.length - 1] = { ...last, content: [...last.content, ...message.content] };
    } else if (last?.role === "system" && message.role === "system" && !separatesInstructions) {
      joined[joined.length - 1] = { ...last, content: `${last.content}\n\n${message.content}` };
    } else {
      joined.push(message);
    }
  }
  return joined;
}

/**
 * Adds the messages that are missing where an assistant's message comes first or last, or where a reply ended after a
 * tool's result. Mistral refuses a visitor's message after a result, and every strict chat template refuses the others.
 */
function addBridges(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  const messages: LanguageModelV4Message[] = [];
  for (const message of prompt) {
    const last = messages.at(-1);
    if (message.role === "assistant" && (!last || last.role === "system")) {
      messages.push(userText("[The visitor has not written anything yet.]"));
    }
    if (message.role === "user" && last?.role === "tool") {
      messages.push({ role: "assistant", content: [{ type: "text", text: "[This reply was interrupted.]" }] });
    }
    messages.push(message);
  }
  const last = messages.at(-1);
  if (!last || last.role === "system") messages.push(userText("[The visitor has not written anything yet.]"));
  if (last?.role === "assistant") messages.push(userText("[Write the next message.]"));
  return messages;
}

const userText = (text: string): LanguageModelV4Message => ({ role: "user", content: [{ type: "text", text }] });

/**
 * Replaces the ids that the receiver does not accept, and those that the conversation has used before. The same
 * conversation always gets the same ids, so that a provider's prompt cache stays valid.
 */
function replaceCallIds(prompt: LanguageModelV4Prompt, format: PromptFormat): LanguageModelV4Prompt {
  const lastUser = prompt.findLastIndex(({ role }) => role === "user");
  const used = new Set<string>();
  let count = 0;
  let ids: string[] = [];
  const chooseId = ({ toolCallId, toolName }: ToolCall, isOwn: boolean) => {
    const isAccepted = isOwn ? format.acceptsOwnId(toolCallId, toolName) : format.acceptsId(toolCallId, toolName);
    const isKept = isAccepted && !used.has(toolCallId);
    let id = isKept ? toolCallId : format.createId(count, toolName);
    for (let number = count + 1; !isKept && used.has(id); number++) id = format.createId(number, toolName);
    used.add(id);
    count += 1;
    ids.push(id);
    return id;
  };
  return prompt.map((message, index): LanguageModelV4Message => {
    if (message.role === "assistant") {
      ids = [];
      const content = message.content.map((part) =>
        part.type === "tool-call" ? { ...part, toolCallId: chooseId(part, isOwnCall(part) || index > lastUser) } : part,
      );
      return { ...message, content };
    }
    if (message.role !== "tool") return message;
    const content = message.content.map((part, place) =>
      part.type === "tool-result" ? { ...part, toolCallId: ids[place] ?? part.toolCallId } : part,
    );
    return { ...message, content };
  });
}
