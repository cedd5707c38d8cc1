import { withFormat } from "./format-prompt.ts";
import { anthropicPrompt } from "./prompt-formats.ts";
import { listModelIds, type Provider } from "./provider.ts";

export const anthropic: Provider = {
  label: "Anthropic",
  defaultModel: "claude-haiku-4-5",
  prefix: /^claude-/,
  baseUrl: "https://api.anthropic.com/v1",
  defaultPath: "/v1",
  async connect({ apiKey, baseUrl, trust, outbound }, model) {
    const { createAnthropic } = await import("@ai-sdk/anthropic");
    return withFormat(
      createAnthropic({ apiKey: apiKey ?? "", baseURL: baseUrl, fetch: outbound.fetch(trust) })(model),
      anthropicPrompt,
    );
  },
  models: {
    path: "/models?limit=100",
    headers: (apiKey) => ({ "x-api-key": apiKey, "anthropic-version": "2023-06-01" }),
    names: listModelIds,
  },
  embeddings: null,
};
