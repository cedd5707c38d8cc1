import type { ServerKind } from "@foyer/contract";

/** A known service or program, with what its dialog is filled with. */
export type ServerPreset = {
  label: string;
  kind: ServerKind;
  /** the suggested name, which begins the ids of its models */
  name: string;
  baseUrl: string;
  /** where its key comes from, or what its models are called */
  hint: string;
};

export const otherServer: ServerPreset = {
  label: "Another server with OpenAI's chat completions",
  kind: "openai-compatible",
  name: "",
  baseUrl: "",
  hint: "The base URL usually ends in /v1.",
};

export const serverPresets: readonly ServerPreset[] = [
  {
    label: "Azure OpenAI",
    kind: "azure",
    name: "my-azure",
    baseUrl: "",
    hint: "The key is under “Keys and Endpoint” of the resource. Models are called like your deployments.",
  },
  {
    label: "Amazon Bedrock",
    kind: "bedrock",
    name: "my-bedrock",
    baseUrl: "",
    hint: "Use a Bedrock API key, or an access key that may call InvokeModelWithResponseStream.",
  },
  {
    label: "OpenRouter",
    kind: "openai-compatible",
    name: "openrouter",
    baseUrl: "https://openrouter.ai/api/v1",
    hint: "Keys are at openrouter.ai/keys. Models are called like anthropic/claude-sonnet-4.5.",
  },
  {
    label: "Groq",
    kind: "openai-compatible",
    name: "groq",
    baseUrl: "https://api.groq.com/openai/v1",
    hint: "Keys are at console.groq.com/keys.",
  },
  {
    label: "DeepSeek",
    kind: "openai-compatible",
    name: "deepseek",
    baseUrl: "https://api.deepseek.com/v1",
    hint: "Keys are at platform.deepseek.com.",
  },
  {
    label: "xAI",
    kind: "openai-compatible",
    name: "xai",
    baseUrl: "https://api.x.ai/v1",
    hint: "Keys are at console.x.ai.",
  },
  {
    label: "Together",
    kind: "openai-compatible",
    name: "together",
    baseUrl: "https://api.together.xyz/v1",
    hint: "Keys are in the settings at api.together.ai.",
  },
  {
    label: "Fireworks",
    kind: "openai-compatible",
    name: "fireworks",
    baseUrl: "https://api.fireworks.ai/inference/v1",
    hint: "Models are called like accounts/fireworks/models/llama-v3p3-70b-instruct.",
  },
  {
    label: "Cerebras",
    kind: "openai-compatible",
    name: "cerebras",
    baseUrl: "https://api.cerebras.ai/v1",
    hint: "Keys are at cloud.cerebras.ai.",
  },
  {
    label: "Ollama",
    kind: "openai-compatible",
    name: "my-ollama",
    baseUrl: "http://localhost:11434/v1",
    hint: "Needs no key. For a single Ollama, you can also connect the provider of this name.",
  },
  {
    label: "vLLM",
    kind: "openai-compatible",
    name: "vllm",
    baseUrl: "http://localhost:8000/v1",
    hint: "The key is the value of --api-key, if you set one. Start it with --enable-auto-tool-choice to use tools.",
  },
  {
    label: "LM Studio",
    kind: "openai-compatible",
    name: "lm-studio",
    baseUrl: "http://localhost:1234/v1",
    hint: "Needs no key. Start the server on the Developer page.",
  },
  otherServer,
];
