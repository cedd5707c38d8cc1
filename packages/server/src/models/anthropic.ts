import { withCacheMarkers } from "./cache-markers.ts";
import { withFormat } from "./format-prompt.ts";
import { createSdkModel } from "./model-fetch.ts";
import { anthropicPrompt } from "./prompt-formats.ts";
import { withPlainNames } from "./property-names.ts";
import { listModelIds, type Provider } from "./provider.ts";
import { anthropicStream } from "./stream-formats.ts";

export const anthropic: Provider = {
  label: "Anthropic",
  defaultModel: "claude-haiku-4-5",
  prefix: /^claude-/,
  baseUrl: "https://api.anthropic.com/v1",
  defaultPath: "/v1",
  async connect(connection, modelId) {
    const { createAnthropic } = await import("@ai-sdk/anthropic");
    const { apiKey, baseUrl } = connection;
    return createSdkModel({ provider: "anthropic", modelId, connection }, anthropicStream, (fetch) =>
      withFormat(
        withCacheMarkers(withPlainNames(createAnthropic({ apiKey: apiKey ?? "", baseURL: baseUrl, fetch })(modelId))),
        anthropicPrompt,
      ),
    );
  },
  models: {
    path: "/models?limit=100",
    headers: (apiKey) => ({ "x-api-key": apiKey, "anthropic-version": "2023-06-01" }),
    names: listModelIds,
  },
  embeddings: null,
};
