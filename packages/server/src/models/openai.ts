import { openaiFormat } from "./embedding-formats.ts";
import { formatCall } from "./format-prompt.ts";
import { createSdkModel } from "./model-fetch.ts";
import { openaiPrompt } from "./prompt-formats.ts";
import { bearerHeaders, listModelIds, type Provider } from "./provider.ts";
import { openaiStream } from "./stream-formats.ts";

/** OpenAI's Responses API. */
export const openai: Provider = {
  label: "OpenAI",
  defaultModel: "gpt-5.4-mini",
  prefix: /^(gpt-|o\d)/,
  baseUrl: "https://api.openai.com/v1",
  defaultPath: "/v1",
  async connect(connection, modelId) {
    const { createOpenAI } = await import("@ai-sdk/openai");
    const { apiKey, baseUrl } = connection;
    return createSdkModel({ provider: "openai", modelId, connection }, openaiStream, (fetch) => {
      const responses = createOpenAI({ apiKey: apiKey ?? "", baseURL: baseUrl, fetch }).responses(modelId);
      return {
        // Foyer stores the conversations itself, so OpenAI does not need to store them.
        doStream: (call) =>
          responses.doStream({ ...formatCall(call, openaiPrompt), providerOptions: { openai: { store: false } } }),
      };
    });
  },
  models: {
    path: "/models",
    headers: bearerHeaders,
    // The list contains models of every kind. The following kinds cannot chat.
    names: (body) =>
      listModelIds(body).filter(
        (name) => !/embed|tts|audio|image|whisper|dall-e|moderation|realtime|transcribe/.test(name),
      ),
  },
  embeddings: { format: openaiFormat, suggested: ["text-embedding-3-small", "text-embedding-3-large"] },
};
