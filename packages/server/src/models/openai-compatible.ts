import { createChatCompletionsModel } from "./chat-completions.ts";
import { openaiFormat } from "./embedding-formats.ts";
import { bearerHeaders, chatEndpoint, listModelIds, type Provider } from "./provider.ts";

/** Any server that implements chat completions. */
export const openaiCompatible: Provider = {
  label: "OpenAI-compatible server",
  defaultModel: null,
  prefix: null,
  baseUrl: null,
  defaultPath: "",
  connect: async (connection, modelId) =>
    createChatCompletionsModel({ provider: "openai-compatible", modelId, ...chatEndpoint(connection) }),
  models: { path: "/models", headers: bearerHeaders, names: listModelIds },
  embeddings: { format: openaiFormat, suggested: [] },
};
