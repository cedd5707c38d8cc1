import type { LanguageModelV4, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { ProviderName } from "./provider-environment.ts";

/** What the agent loop needs of a model: the streaming half of the AI SDK's `LanguageModel`. */
export type ChatModel = Pick<LanguageModelV4, "provider" | "modelId" | "doStream">;

/** `source` is where the model is reached; null for the built-in demo. It stays on the server. */
export type ChosenModel = ChatModel & {
  source: { provider: ProviderName; apiKey: string | null; baseUrl: string } | null;
  /** true when the operator's key from the environment pays, and not one of the organization's own */
  isOperatorPaid: boolean;
};

export type ModelPart = LanguageModelV4StreamPart;
