import type { PromptFormat } from "./format-prompt.ts";
import { toGeminiSchema, toObjectSchema } from "./tool-schema.ts";

/** Nine letters and digits, because Mistral refuses every other format and all others accept this one. */
const createPlainId = (number: number) => `call${String(number).padStart(5, "0")}`;
const isPlainId = (id: string) => /^[a-zA-Z0-9]{9}$/.test(id);
const isCommonId = (id: string) => /^[a-zA-Z0-9_-]{1,64}$/.test(id);
const isAnyId = (id: string) => id !== "";
const isPicture = (mediaType: string) => mediaType.startsWith("image/");

/** Anthropic refuses ids with other characters, such as the `functions.search:0` of Kimi. */
export const anthropicPrompt: PromptFormat = {
  acceptsId: isCommonId,
  acceptsOwnId: isCommonId,
  createId: createPlainId,
  keepsOwnNames: false,
  allowsTextWithCalls: true,
  maxDescription: Number.POSITIVE_INFINITY,
  toSchema: toObjectSchema,
  separatesInstructions: true,
  readsFile: () => true,
};

export const googlePrompt: PromptFormat = {
  ...anthropicPrompt,
  acceptsOwnId: isAnyId,
  toSchema: toGeminiSchema,
  separatesInstructions: false,
  // Gemini refuses GIF.
  readsFile: (mediaType) => mediaType !== "image/gif",
};

/** Mistral also refuses an assistant's message with both text and calls. */
export const mistralPrompt: PromptFormat = {
  acceptsId: isPlainId,
  acceptsOwnId: isPlainId,
  createId: createPlainId,
  keepsOwnNames: false,
  allowsTextWithCalls: false,
  maxDescription: Number.POSITIVE_INFINITY,
  toSchema: toObjectSchema,
  separatesInstructions: false,
  readsFile: isPicture,
};

/** OpenAI's Responses API. Azure and earlier models refuse longer descriptions. */
export const openaiPrompt: PromptFormat = { ...anthropicPrompt, maxDescription: 1_024, separatesInstructions: false };

/**
 * What a server of chat completions requires. It can run any model, and the chat templates of models have rules of their
 * own. The rules are therefore the strictest that suit every model, and the model's name adds those that contradict them.
 */
export function chatCompletionsPrompt(modelId: string): PromptFormat {
  if (mistralModels.test(modelId)) return { ...mistralPrompt, keepsOwnNames: true, maxDescription: 1_024 };
  const format: PromptFormat = {
    acceptsId: isPlainId,
    acceptsOwnId: isAnyId,
    createId: createPlainId,
    keepsOwnNames: true,
    allowsTextWithCalls: true,
    maxDescription: 1_024,
    toSchema: /gemini/i.test(modelId) ? toGeminiSchema : toObjectSchema,
    separatesInstructions: false,
    readsFile: isPicture,
  };
  return /kimi/i.test(modelId) ? { ...format, ...kimiIds } : format;
}

const mistralModels = /mi[sx]tral|ministral|magistral|codestral|devstral|pixtral/i;

/**
 * Kimi reads the name of the called tool in the id, and stops calling tools when it finds other ids in the conversation.
 * https://github.com/MoonshotAI/Kimi-K2/blob/main/docs/tool_call_guidance.md
 */
const isKimiId = (id: string, toolName: string) => id.startsWith(`functions.${toolName}:`);
const kimiIds = {
  acceptsId: isKimiId,
  acceptsOwnId: isKimiId,
  createId: (number: number, toolName: string) => `functions.${toolName}:${number}`,
};
