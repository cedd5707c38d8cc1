import { expect, it } from "vitest";
import { isKnownBlind } from "./blind-models.ts";

it.each([
  "gpt-3.5-turbo",
  "o3-mini",
  "deepseek-chat",
  "deepseek-r1:14b",
  "codestral-latest",
  "open-mistral-nemo",
  "llama3.1:8b",
  "meta-llama/Llama-3.3-70B-Instruct",
  "qwen2.5:7b",
  "qwen3-coder-480b",
  "gemma2:9b",
  "gemma3:1b",
  "phi4-mini",
  "openai/gpt-oss-120b",
  "eu.amazon.nova-micro-v1:0",
  "moonshotai/kimi-k2-instruct",
])("knows that %s cannot see pictures", (name) => {
  expect(isKnownBlind("openai-compatible", name)).toBe(true);
});

it.each([
  "gpt-4o",
  "gpt-4.1",
  "gpt-5.4-mini",
  "claude-sonnet-4-5",
  "gemini-2.5-flash",
  "mistral-small-latest",
  "pixtral-12b",
  "llama3.2-vision",
  "us.meta.llama3-2-11b-instruct-v1:0",
  "meta-llama/llama-4-scout",
  "qwen2.5vl:7b",
  "qwen/qwen2.5-vl-72b-instruct",
  "qwen3-vl-30b",
  "gemma-3-4b-it",
  "gemma3:4b",
  "phi-4-multimodal-instruct",
  "phi-3.5-vision-instruct",
  "glm-4.5v",
  "granite-3.2-vision",
  "an-unknown-model",
])("does not take %s for a model that cannot see pictures", (name) => {
  expect(isKnownBlind("openai-compatible", name)).toBe(false);
});

it("knows that the demo cannot see pictures", () => {
  expect(isKnownBlind("foyer", "foyer/demo")).toBe(true);
});
