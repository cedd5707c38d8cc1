import { Readable } from "node:stream";
import { anthropic } from "../../packages/server/src/models/anthropic.ts";
import type { ModelCall } from "../../packages/server/src/models/chat-model.ts";
import { google } from "../../packages/server/src/models/google.ts";
import { mistral } from "../../packages/server/src/models/mistral.ts";
import { ollama } from "../../packages/server/src/models/ollama.ts";
import { openai } from "../../packages/server/src/models/openai.ts";
import { openaiCompatible } from "../../packages/server/src/models/openai-compatible.ts";
import type { Provider } from "../../packages/server/src/models/provider.ts";
import type { Outbound } from "../../packages/server/src/outbound/guarded-request.ts";
import {
  type Refuse,
  refuseAnthropic,
  refuseChatTemplate,
  refuseDeepseek,
  refuseGemini,
  refuseKimi,
  refuseMistral,
  refuseOpenaiChat,
  refuseResponses,
} from "./strict-providers.ts";

/** A provider as Foyer reaches it, what it refuses, and the ids of its calls: the n-th of a conversation or of a reply. */
export type Strict = {
  provider: Provider;
  model: string;
  refuse: Refuse;
  createId(n: number, toolName: string): string;
};

const strict: Record<string, Strict> = {
  OpenAI: {
    provider: openai,
    model: "gpt-5.4-mini",
    refuse: refuseResponses,
    createId: (n) => `call_${"Ab3".repeat(8)}${n}`,
  },
  Anthropic: {
    provider: anthropic,
    model: "claude-haiku-4-5",
    refuse: refuseAnthropic,
    createId: (n) => `toolu_01${"Xy9".repeat(7)}${n}`,
  },
  Gemini: { provider: google, model: "gemini-3-pro-preview", refuse: refuseGemini, createId: (n) => `${n}` },
  Mistral: {
    provider: mistral,
    model: "mistral-small-latest",
    refuse: refuseMistral,
    createId: (n) => `Rk2dL${1000 + n}`,
  },
  "OpenAI's chat completions": {
    provider: openaiCompatible,
    model: "gpt-4o",
    refuse: refuseOpenaiChat,
    createId: (n) => `call_${"Zz1".repeat(8)}${n}`,
  },
  "Mistral by chat completions": {
    provider: openaiCompatible,
    model: "mistralai/Devstral-Small",
    refuse: refuseMistral,
    createId: (n) => `Qw3rT${1000 + n}`,
  },
  DeepSeek: {
    provider: openaiCompatible,
    model: "deepseek-chat",
    refuse: refuseDeepseek,
    createId: (n) => `call_0_${"a1b2c3d4-".repeat(4)}${n}`,
  },
  Kimi: {
    provider: openaiCompatible,
    model: "kimi-k2-0905-preview",
    refuse: refuseKimi,
    createId: (n, name) => `functions.${name}:${n}`,
  },
  vLLM: {
    provider: openaiCompatible,
    model: "google/gemma-3-27b-it",
    refuse: refuseChatTemplate,
    createId: (n) => `chatcmpl-tool-${"f0".repeat(16)}${n}`,
  },
  // Ollama counts from 0 in every reply.
  Ollama: { provider: ollama, model: "qwen3:8b", refuse: refuseChatTemplate, createId: (n) => `call_${n % 3}` },
};
export const strictNames = Object.keys(strict);
export const findStrict = (name: string) => strict[name] as Strict;

/** The body of the request that the provider receives for this call. */
export async function send({ provider, model }: Strict, call: ModelCall): Promise<never> {
  let body = "";
  const outbound = {
    stream: async (request: { body: string }) => {
      body = request.body;
      return { status: 200, headers: {}, body: Readable.from([]) };
    },
    fetch: () => async (_: unknown, init: { body: string }) => {
      body = init.body;
      return new Response("", { headers: { "content-type": "text/event-stream" } });
    },
  } as unknown as Outbound;
  const chat = await provider.connect(
    {
      kind: "openai-compatible",
      apiKey: "k",
      baseUrl: "https://provider.example/v1",
      server: {},
      trust: "operator",
      organizationId: null,
      outbound,
    },
    model,
  );
  if ("streamTo" in chat) await chat.streamTo(call, () => {}).catch(() => {});
  else await (await chat.doStream(call)).stream.cancel();
  return JSON.parse(body) as never;
}
