import { chatCompletionsModel } from "./chat-completions.ts";
import { bearer, type Connection, namesInData, type Provider } from "./provider.ts";

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

export function connectChatCompletions(
  provider: string,
  { apiKey, baseUrl, trust, outbound }: Connection,
  modelId: string,
) {
  return chatCompletionsModel({
    provider,
    modelId,
    url: `${baseUrl}/chat/completions`,
    headers: apiKey ? bearer(apiKey) : {},
    send: (request) => outbound.stream({ ...request, trust }),
  });
}
