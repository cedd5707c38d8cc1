import type { LanguageModelV4, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { ProviderName } from "./provider-environment.ts";

/** The part of the AI SDK's `LanguageModel` that the agent loop uses. */
export type ChatModel = Pick<LanguageModelV4, "provider" | "modelId" | "doStream">;

/** `source` is the connection of the model, null for the built-in demo. It never leaves the server. */
export type ChosenModel = ChatModel & {
  source: { provider: ProviderName; apiKey: string | null; baseUrl: string } | null;
  /** true when the call uses the operator's key from the environment instead of the organization's own key */
  isOperatorPaid: boolean;
};

export type ModelPart = LanguageModelV4StreamPart;
