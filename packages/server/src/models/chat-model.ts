import type { LanguageModelV4, LanguageModelV4StreamPart } from "@ai-sdk/provider";

/** What the agent loop needs of a model: the streaming half of the AI SDK's `LanguageModel`. */
export type ChatModel = Pick<LanguageModelV4, "provider" | "modelId" | "doStream">;

export type ModelPart = LanguageModelV4StreamPart;
