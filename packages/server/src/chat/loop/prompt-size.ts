import type { LanguageModelV4FunctionTool, LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { PromptSize } from "@foyer/contract";
import { toFallback } from "../../models/prompt-files.ts";

/** `documentCharacters` is the length of the documents in the instructions. */
type PromptOptions = {
  tools: readonly LanguageModelV4FunctionTool[];
  documentCharacters: number;
  /** whether the tool of this name searches the documents */
  isSearch(toolName: string): boolean;
};

/**
 * Measures the prompt of each step of a reply. A step adds messages to those of the step before, so only these are
 * measured.
 */
export function createPromptMeter({ tools, documentCharacters, isSearch }: PromptOptions) {
  const size: PromptSize = {
    instructions: 0 - documentCharacters,
    documents: documentCharacters,
    tools: tools.length === 0 ? 0 : JSON.stringify(tools).length,
    history: 0,
  };
  let measured = 0;
  return (prompt: LanguageModelV4Prompt): PromptSize => {
    for (const message of prompt.slice(measured)) addMessage(size, message, isSearch);
    measured = prompt.length;
    return { ...size };
  };
}

function addMessage(size: PromptSize, message: LanguageModelV4Message, isSearch: PromptOptions["isSearch"]): void {
  if (message.role === "system") {
    size.instructions += message.content.length;
    return;
  }
  for (const part of message.content) {
    if (part.type === "text" || part.type === "reasoning") size.history += part.text.length;
    else if (part.type === "file") size.history += toFallback(part).text.length;
    else if (part.type === "tool-call") size.history += JSON.stringify(part.input)?.length ?? 0;
    else if (part.type === "tool-result" && "value" in part.output && typeof part.output.value === "string") {
      size[isSearch(part.toolName) ? "documents" : "history"] += part.output.value.length;
    }
  }
}
