import { createChatCompletionsModel } from "./chat-completions.ts";
import { formatCall } from "./format-prompt.ts";
import { createSdkModel } from "./model-fetch.ts";
import { openaiPrompt } from "./prompt-formats.ts";
import { chatEndpoint, type Provider } from "./provider.ts";
import { openaiStream } from "./stream-formats.ts";

/**
 * Azure OpenAI. The names of its models are those of deployments. With an `apiVersion`, each deployment has a URL of its
 * own, under which it serves chat completions.
 */
export const azure: Provider = {
  label: "Azure OpenAI",
  defaultModel: null,
  prefix: null,
  baseUrl: ({ resourceName }) => `https://${resourceName}.openai.azure.com/openai`,
  defaultPath: "/openai",
  async connect(connection, modelId) {
    const { apiKey, baseUrl, server } = connection;
    if (server.apiVersion !== undefined) {
      const path = `/deployments/${encodeURIComponent(modelId)}/chat/completions`;
      return createChatCompletionsModel({
        provider: "azure",
        modelId,
        ...chatEndpoint(connection),
        url: `${baseUrl}${path}?api-version=${encodeURIComponent(server.apiVersion)}`,
        headers: { "api-key": apiKey ?? "" },
      });
    }
    const { createAzure } = await import("@ai-sdk/azure");
    return createSdkModel({ provider: "azure", modelId, connection }, openaiStream, (fetch) => {
      const responses = createAzure({ apiKey: apiKey ?? "", baseURL: baseUrl, fetch }).responses(modelId);
      return {
        doStream(call) {
          // The package's types know fewer values of `reasoning`, which Foyer sets in the body.
          const { reasoning: _, ...request } = formatCall(call, openaiPrompt);
          // Foyer stores the conversations itself, so Azure does not need to store them.
          return responses.doStream({ ...request, providerOptions: { azure: { store: false } } });
        },
      };
    });
  },
  // Azure lists the models that could be deployed, not the deployments.
  models: null,
  embeddings: null,
};
