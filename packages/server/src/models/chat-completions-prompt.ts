import {
  type LanguageModelV4CallOptions,
  type LanguageModelV4Message,
  type LanguageModelV4ToolResultOutput,
  UnsupportedFunctionalityError,
} from "@ai-sdk/provider";
import type { ReturnedMembers } from "./chat-completions-reply.ts";

type ToolCall = {
  [member: string]: unknown;
  id: string;
  type: "function";
  function: { [member: string]: unknown; name: string; arguments: string };
};

type ContentPart = { type: "text"; text: string } | { type: "image_url"; image_url: { url: string } };

export type ChatMessage =
  | { role: "system"; content: string }
  | { role: "user"; content: string | ContentPart[] }
  | { [member: string]: unknown; role: "assistant"; content: string | null; tool_calls?: ToolCall[] }
  | { role: "tool"; tool_call_id: string; content: string };

export type ChatTool = {
  type: "function";
  function: { name: string; description?: string; parameters: unknown };
};

export type ChatToolChoice = "auto" | "none" | "required" | { type: "function"; function: { name: string } };

/**
 * Converts the prompt to the `messages` of a chat completion. Content without pictures becomes plain text, which every
 * compatible server accepts. Reasoning, signatures and other members that the provider sent with a call are returned as they came.
 * Other reasoning is omitted because the format has no field for it.
 * @throws UnsupportedFunctionalityError for files other than pictures, and for parts that the format cannot represent
 */
export function toChatMessages(prompt: LanguageModelV4CallOptions["prompt"]): ChatMessage[] {
  return prompt.flatMap(toChatMessageList);
}

/** Converts the tools, or returns undefined when there are none, because servers reject an empty list. */
export function toChatTools(tools: LanguageModelV4CallOptions["tools"]): ChatTool[] | undefined {
  if (!tools?.length) return undefined;
  return tools.map((tool) => {
    if (tool.type !== "function") throw unsupportedError("provider tool");
    const { name, description, inputSchema } = tool;
    return { type: "function", function: { name, ...(description && { description }), parameters: inputSchema } };
  });
}

export function toChatToolChoice(choice: LanguageModelV4CallOptions["toolChoice"]): ChatToolChoice | undefined {
  return choice?.type === "tool" ? { type: "function", function: { name: choice.toolName } } : choice?.type;
}

function toChatMessageList(message: LanguageModelV4Message): ChatMessage[] {
  switch (message.role) {
    case "system":
      return [{ role: "system", content: message.content }];
    case "user":
      return [{ role: "user", content: toUserContent(message.content) }];
    case "assistant":
      return [toAssistantMessage(message)];
    case "tool":
      return message.content.map((part) => {
        if (part.type !== "tool-result") throw unsupportedError(part.type);
        return { role: "tool", tool_call_id: part.toolCallId, content: formatToolResult(part.output) };
      });
  }
}

type UserContent = Extract<LanguageModelV4Message, { role: "user" }>["content"];

function toUserContent(content: UserContent): string | ContentPart[] {
  if (content.every((part) => part.type === "text")) return content.map(requireText).join("\n");
  return content.map((part) => {
    if (part.type === "text") return { type: "text", text: part.text };
    if (!part.mediaType.startsWith("image/") || part.data.type !== "data") throw unsupportedError(part.type);
    const { data } = part.data;
    const base64 = typeof data === "string" ? data : Buffer.from(data).toString("base64");
    return { type: "image_url", image_url: { url: `data:${part.mediaType};base64,${base64}` } };
  });
}

function toAssistantMessage(message: Extract<LanguageModelV4Message, { role: "assistant" }>): ChatMessage {
  let text = "";
  let returned: ReturnedMembers["message"] = {};
  const calls: ToolCall[] = [];
  for (const part of message.content) {
    if (part.type === "text") text += part.text;
    else if (part.type === "tool-call") {
      const input = JSON.stringify(part.input ?? {});
      const members: ReturnedMembers = part.providerOptions?.chatCompletions ?? {};
      returned = { ...returned, ...members.message };
      const called = { ...members.function, name: part.toolName, arguments: input };
      calls.push({ ...members.call, id: part.toolCallId, type: "function", function: called });
    } else if (part.type !== "reasoning") throw unsupportedError(part.type);
    else if (part.providerOptions?.chatCompletions?.isText) text += part.text;
  }
  if (calls.length === 0) return { role: "assistant", content: text };
  return { ...returned, role: "assistant", content: text || null, tool_calls: calls };
}

function formatToolResult(output: LanguageModelV4ToolResultOutput): string {
  switch (output.type) {
    case "text":
    case "error-text":
      return output.value;
    case "json":
    case "error-json":
      return JSON.stringify(output.value);
    case "content":
      return output.value.map(requireText).join("\n");
    case "execution-denied":
      return output.reason ?? "The call was not allowed.";
  }
}

function requireText(part: { type: "text"; text: string } | { type: "file" | "custom" }): string {
  if (part.type !== "text") throw unsupportedError(part.type);
  return part.text;
}

function unsupportedError(part: string) {
  return new UnsupportedFunctionalityError({ functionality: `a ${part} part in a chat completion` });
}
