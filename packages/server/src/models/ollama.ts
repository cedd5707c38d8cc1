import { connectChatCompletions } from "./connect-chat-completions.ts";
import { bearer, namesInData, type Provider } from "./provider.ts";

/** Ollama speaks chat completions under `/v1`; its usual address has no path. */
export const ollama: Provider = {
  label: "Ollama",
  defaultModel: null,
  prefix: null,
  baseUrl: null,
  usualPath: "/v1",
  otherPath: "/api",
  connect: async (connection, model) => connectChatCompletions("ollama", connection, model),
  models: { path: "/models", headers: bearer, names: namesInData },
};
