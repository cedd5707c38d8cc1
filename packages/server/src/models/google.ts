import { googleFormat } from "./embedding-formats.ts";
import { withFormat } from "./format-prompt.ts";
import { createSdkModel } from "./model-fetch.ts";
import { googlePrompt } from "./prompt-formats.ts";
import type { Provider } from "./provider.ts";
import { googleStream } from "./stream-formats.ts";

/** Gemini, through Google's Generative Language API. */
export const google: Provider = {
  label: "Google",
  defaultModel: "gemini-flash-latest",
  prefix: /^gemini-/,
  baseUrl: "https://generativelanguage.googleapis.com/v1beta",
  defaultPath: "/v1beta",
  async connect(connection, modelId) {
    const { createGoogle } = await import("@ai-sdk/google");
    const { apiKey, baseUrl } = connection;
    return createSdkModel({ provider: "google", modelId, connection }, googleStream, (fetch) =>
      withFormat(createGoogle({ apiKey: apiKey ?? "", baseURL: baseUrl, fetch })(modelId), googlePrompt),
    );
  },
  models: {
    path: "/models?pageSize=200",
    headers: (apiKey) => ({ "x-goog-api-key": apiKey }),
    names: (body) => {
      const models = (body as { models?: Array<{ name?: string; supportedGenerationMethods?: string[] }> } | null)
        ?.models;
      return (models ?? [])
        .filter((model) => model.supportedGenerationMethods?.includes("generateContent") ?? true)
        .map((model) => model.name?.replace(/^models\//, "") ?? "")
        .filter(Boolean);
    },
  },
  embeddings: { format: googleFormat, suggested: ["gemini-embedding-001"] },
};
