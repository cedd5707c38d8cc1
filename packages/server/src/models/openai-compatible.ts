import { chatCompletionsModel } from "./chat-completions.ts";
import { bearer, chatEndpoint, namesInData, type Provider } from "./provider.ts";

/** Chat completions on any server that speaks them. */
export const openaiCompatible: Provider = {
  label: "OpenAI-compatible server",
  defaultModel: null,
  prefix: null,
  baseUrl: null,
  usualPath: "",
  connect: async (connection, modelId) =>
    chatCompletionsModel({ provider: "openai-compatible", modelId, ...chatEndpoint(connection) }),
  models: { path: "/models", headers: bearer, names: namesInData },
};
