import { createChatCompletionsModel } from "./chat-completions.ts";
import { openaiFormat } from "./embedding-formats.ts";
import { bearerHeaders, chatEndpoint, listModelIds, type Provider } from "./provider.ts";

/** Ollama serves chat completions under `/v1`. The base URL that people usually enter has no path. */
export const ollama: Provider = {
  label: "Ollama",
  defaultModel: null,
  prefix: null,
  baseUrl: null,
  defaultPath: "/v1",
  alternatePath: "/api",
  connect: async (connection, modelId) =>
    createChatCompletionsModel({ provider: "ollama", modelId, ...chatEndpoint(connection) }),
  models: { path: "/models", headers: bearerHeaders, names: listModelIds },
  embeddings: { format: openaiFormat, suggested: ["bge-m3", "embeddinggemma"] },
};
