import { chatCompletionsModel } from "./chat-completions.ts";
import { openaiFormat } from "./embedding-formats.ts";
import { bearer, chatEndpoint, namesInData, type Provider } from "./provider.ts";

/** Any server that implements chat completions. */
export const openaiCompatible: Provider = {
  label: "OpenAI-compatible server",
  defaultModel: null,
  prefix: null,
  baseUrl: null,
  defaultPath: "",
  connect: async (connection, modelId) =>
    chatCompletionsModel({ provider: "openai-compatible", modelId, ...chatEndpoint(connection) }),
  models: { path: "/models", headers: bearer, names: namesInData },
  embeddings: { format: openaiFormat, suggested: [] },
};
