import { openaiFormat } from "./embedding-formats.ts";
import { withFormat } from "./format-prompt.ts";
import { mistralPrompt } from "./prompt-formats.ts";
import { bearerHeaders, listModelIds, type Provider } from "./provider.ts";

export const mistral: Provider = {
  label: "Mistral",
  defaultModel: "mistral-small-latest",
  prefix: /^mistral-/,
  baseUrl: "https://api.mistral.ai/v1",
  defaultPath: "/v1",
  async connect({ apiKey, baseUrl, trust, outbound }, model) {
    const { createMistral } = await import("@ai-sdk/mistral");
    return withFormat(
      createMistral({ apiKey: apiKey ?? "", baseURL: baseUrl, fetch: outbound.fetch(trust) })(model),
      mistralPrompt,
    );
  },
  models: { path: "/models", headers: bearerHeaders, names: listModelIds },
  embeddings: { format: openaiFormat, suggested: ["mistral-embed"] },
};
