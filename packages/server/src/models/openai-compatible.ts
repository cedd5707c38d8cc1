import { connectChatCompletions } from "./connect-chat-completions.ts";
import { bearer, namesInData, type Provider } from "./provider.ts";

/** Chat completions on any server that speaks them. */
export const openaiCompatible: Provider = {
  label: "OpenAI-compatible server",
  defaultModel: null,
  prefix: null,
  baseUrl: null,
  usualPath: "",
  connect: async (connection, model) => connectChatCompletions("openai-compatible", connection, model),
  models: { path: "/models", headers: bearer, names: namesInData },
};
