import { openaiFormat } from "./embedding-formats.ts";
import { withFormat } from "./format-prompt.ts";
import { createSdkModel } from "./model-fetch.ts";
import { mistralPrompt } from "./prompt-formats.ts";
import { bearerHeaders, listModelIds, type Provider } from "./provider.ts";
import { mistralStream } from "./stream-formats.ts";

export const mistral: Provider = {
  label: "Mistral",
  defaultModel: "mistral-small-latest",
  prefix: /^mistral-/,
  baseUrl: "https://api.mistral.ai/v1",
  defaultPath: "/v1",
  async connect(connection, modelId) {
    const { createMistral } = await import("@ai-sdk/mistral");
    const { apiKey, baseUrl } = connection;
    return createSdkModel({ provider: "mistral", modelId, connection }, mistralStream, (fetch) =>
      withFormat(createMistral({ apiKey: apiKey ?? "", baseURL: baseUrl, fetch })(modelId), mistralPrompt),
    );
  },
  models: { path: "/models", headers: bearerHeaders, names: listModelIds },
  embeddings: { format: openaiFormat, suggested: ["mistral-embed"] },
};
