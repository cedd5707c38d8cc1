import type { LanguageModelV4CallOptions, LanguageModelV4Message } from "@ai-sdk/provider";
import type { StreamModel } from "./chat-model.ts";

const marker = { anthropic: { cacheControl: { type: "ephemeral" } } } as const;
/** The agent's instructions, and its documents. Anthropic accepts four markers. */
const MAX_INSTRUCTIONS = 2;

/**
 * Asks Anthropic to cache the request up to the last tool, the instructions, the documents and the last message. It then
 * reads the longest beginning that an earlier request had, too, from its cache. Only Anthropic's own API receives the
 * markers.
 */
export function withCacheMarkers(model: StreamModel): StreamModel {
  return {
    provider: model.provider,
    modelId: model.modelId,
    doStream: (call) => model.doStream(addMarkers(call)),
  };
}

function addMarkers(call: LanguageModelV4CallOptions): LanguageModelV4CallOptions {
  const { tools, prompt } = call;
  const last = prompt.length - 1;
  const marked = prompt.map((message, index) => {
    const isInstruction = message.role === "system" && index < MAX_INSTRUCTIONS;
    return isInstruction || index === last ? withMarker(message) : message;
  });
  const lastTool = (tools?.length ?? 0) - 1;
  return {
    ...call,
    prompt: marked,
    ...(tools && {
      tools: tools.map((tool, index) =>
        index === lastTool && tool.type === "function" ? { ...tool, providerOptions: marker } : tool,
      ),
    }),
  };
}

/** The SDK puts the marker of a message on its last block. */
const withMarker = (message: LanguageModelV4Message): LanguageModelV4Message => ({
  ...message,
  providerOptions: { ...message.providerOptions, ...marker },
});
