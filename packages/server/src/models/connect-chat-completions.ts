import { chatCompletionsModel } from "./chat-completions.ts";
import { bearer, type Connection } from "./provider.ts";

/** A model behind any server that speaks chat completions. */
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
