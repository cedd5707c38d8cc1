import {
  APICallError,
  type LanguageModelV4CallOptions,
  type LanguageModelV4Message,
  type LanguageModelV4Prompt,
  type LanguageModelV4ToolResultOutput,
} from "@ai-sdk/provider";

type Request = Omit<LanguageModelV4CallOptions, "abortSignal">;
type UserMessage = Extract<LanguageModelV4Message, { role: "user" }>;
type ToolMessage = Extract<LanguageModelV4Message, { role: "tool" }>;

/** Statuses that providers return for a request with tools to a model that cannot call them. OpenRouter uses 404. */
const REJECTIONS = new Set([400, 404, 422, 501]);
const aboutTools = /\btools?\b|\btool[ _-](?:use|calls?|calling|choice)\b|\bfunction[ _-]call(?:s|ing)?\b/i;
const unsupported =
  /\bnot (?:currently )?support|\bunsupported\b|n't support|\bnot enabled\b|\bno endpoints? found\b|\brequires --/i;

/** Whether the provider rejected the request because the model cannot call tools. */
export function rejectsTools(error: unknown): boolean {
  if (!APICallError.isInstance(error) || !REJECTIONS.has(error.statusCode ?? 0)) return false;
  const text = `${error.message}\n${error.responseBody?.slice(0, 2_000) ?? ""}`;
  return aboutTools.test(text) && unsupported.test(text);
}

/**
 * The request for a model that cannot call tools: calls are left out, and their results become text of the visitor's
 * turn. A model without tools can then still answer from the results of the search before it was called.
 */
export function withoutTools({ tools: _, toolChoice: __, prompt, ...rest }: Request): Request {
  return { ...rest, prompt: joinUserMessages(prompt.flatMap(withoutCalls)) };
}

function withoutCalls(message: LanguageModelV4Message): LanguageModelV4Message[] {
  if (message.role === "tool") return [{ role: "user", content: message.content.flatMap(toResultTexts) }];
  if (message.role !== "assistant") return [message];
  const content = message.content.filter(({ type }) => type !== "tool-call" && type !== "reasoning");
  return content.length > 0 ? [{ ...message, content }] : [];
}

function toResultTexts(part: ToolMessage["content"][number]): UserMessage["content"] {
  if (part.type !== "tool-result") return [];
  return [
    { type: "text", text: `[Result of ${part.toolName}, not written by the visitor]\n${outputText(part.output)}` },
  ];
}

function outputText(output: LanguageModelV4ToolResultOutput): string {
  switch (output.type) {
    case "text":
    case "error-text":
      return output.value;
    case "json":
    case "error-json":
      return JSON.stringify(output.value);
    case "content":
      return output.value.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
    case "execution-denied":
      return output.reason ?? "The call was not allowed.";
  }
}

/**
 * Joins consecutive messages of the visitor, because not every model accepts two messages of the same role in a row.
 */
function joinUserMessages(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  const messages: LanguageModelV4Message[] = [];
  for (const message of prompt) {
    const last = messages.at(-1);
    if (last?.role === "user" && message.role === "user") {
      messages[messages.length - 1] = { ...last, content: [...last.content, ...message.content] };
    } else {
      messages.push(message);
    }
  }
  return messages;
}
