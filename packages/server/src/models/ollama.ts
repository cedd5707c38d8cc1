import { chatCompletionsModel } from "./chat-completions.ts";
import { bearer, chatEndpoint, namesInData, type Provider } from "./provider.ts";

/** Ollama speaks chat completions under `/v1`; its usual address has no path. */
export const ollama: Provider = {
  label: "Ollama",
  defaultModel: null,
  prefix: null,
  baseUrl: null,
  usualPath: "/v1",
  otherPath: "/api",
  connect: async (connection, modelId) =>
    chatCompletionsModel({ provider: "ollama", modelId, ...chatEndpoint(connection) }),
  models: { path: "/models", headers: bearer, names: namesInData },
};
