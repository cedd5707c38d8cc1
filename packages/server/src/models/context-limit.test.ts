import { APICallError, type LanguageModelV4Message, type LanguageModelV4Prompt } from "@ai-sdk/provider";
import { describe, expect, it } from "vitest";
import { fitRequest, learnContextLimit } from "./context-limit.ts";

const refusal = (message: string, statusCode = 400) =>
  new APICallError({ message, url: "https://models.example", requestBodyValues: {}, statusCode });

const user = (text: string): LanguageModelV4Message => ({ role: "user", content: [{ type: "text", text }] });
const assistant = (text: string): LanguageModelV4Message => ({ role: "assistant", content: [{ type: "text", text }] });
const call = (toolCallId: string): LanguageModelV4Message => ({
  role: "assistant",
  content: [{ type: "tool-call", toolCallId, toolName: "search_documents", input: {} }],
});
const result = (toolCallId: string, value: string): LanguageModelV4Message => ({
  role: "tool",
  content: [{ type: "tool-result", toolCallId, toolName: "search_documents", output: { type: "text", value } }],
});
const long = (label: string, length = 1_000) => label.padEnd(length, ".");
const turns: LanguageModelV4Prompt = [
  { role: "system", content: "You sell bikes." },
  user(long("One")),
  call("a"),
  result("a", long("Passages")),
  assistant(long("First")),
  user(long("Two")),
  assistant(long("Second")),
  user("Three"),
];

/** Each test has a model of its own, because what a model accepts is remembered. */
let models = 0;
const createKey = () => `org/provider/model-${models++}`;

/** The prompt after one refusal with this message. */
function retryAfter(message: string, prompt: LanguageModelV4Prompt, key = createKey()) {
  expect(learnContextLimit(key, refusal(message), { prompt })).toBe(true);
  return fitRequest(key, { prompt }).prompt;
}

describe("a prompt that is too long", () => {
  it.each([
    [
      "OpenAI",
      400,
      "This model's maximum context length is 4097 tokens. However, you requested 4612 tokens (4100 in the messages, 512 in the completion).",
    ],
    [
      "OpenAI's Responses API",
      400,
      "Your input exceeds the context window of this model. Please adjust your input and try again.",
    ],
    [
      "OpenAI, for a rate",
      429,
      "Request too large for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Requested 40000. The input or output tokens must be reduced in order to run successfully.",
    ],
    ["Anthropic", 400, "prompt is too long: 210000 tokens > 200000 maximum"],
    [
      "Anthropic, with its output",
      400,
      "input length and `max_tokens` exceed context limit: 190000 + 64000 > 200000, decrease input length or `max_tokens` and try again",
    ],
    ["a proxy", 413, "<html><title>413 Request Entity Too Large</title></html>"],
    ["Gemini", 400, "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."],
    [
      "Vertex",
      400,
      "Unable to submit request because the input token count is 2000000 but model only supports up to 1048576.",
    ],
    [
      "Mistral",
      400,
      "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
    ],
    ["Groq", 400, "Please reduce the length of the messages or completion."],
    [
      "Groq, for a rate",
      413,
      "Request too large for model `llama` on tokens per minute (TPM): Limit 6000, Requested 7000, please reduce your message size and try again.",
    ],
    ["vLLM", 400, "The decoder prompt (length 5000) is longer than the maximum model length of 4096."],
    ["SGLang", 400, "The input (5000 tokens) is longer than the model's context length (4096 tokens)."],
    ["llama.cpp", 400, "the request exceeds the available context size (4096 tokens), try increasing it"],
    [
      "LM Studio",
      400,
      "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens",
    ],
    ["Ollama", 400, "prompt too long; exceeded max context length by 905 tokens"],
    [
      "Text Generation Inference",
      422,
      "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9000 `inputs` tokens and 100 `max_new_tokens`",
    ],
    ["Bedrock", 400, "Input is too long for requested model."],
    ["xAI", 400, "This model's maximum prompt length is 131072 but the request contains 537812 tokens."],
    ["Kimi", 400, "Invalid request: Your request exceeded model token limit: 8192"],
    ["Qwen", 400, "Range of input length should be [1, 30720]"],
    ["Zhipu", 400, "Prompt exceeds max length"],
    ["MiniMax", 400, "invalid params, context window exceeds limit"],
    ["Cohere", 400, "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 4200."],
    ["GitHub Models", 413, "Request body too large for gpt-4o model. Max size: 8000 tokens."],
    ["Fireworks", 400, "The prompt is too long: 5000, model maximum context length: 4096"],
    [
      "Cloudflare",
      413,
      "The estimated number of input and maximum output tokens (9000) exceeded this model context window limit (8000).",
    ],
  ])("is recognized in the words of %s (%i)", (_, status, message) => {
    expect(learnContextLimit(createKey(), refusal(message, status), { prompt: turns })).toBe(true);
  });

  it("is recognized in an error inside the stream", () => {
    const error = { type: "error", error: { code: "context_length_exceeded", message: "Too much." } };
    expect(learnContextLimit(createKey(), error, { prompt: turns })).toBe(true);
  });

  it.each([
    [
      429,
      "Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 20000, Requested 15000. Please try again in 10s.",
    ],
    [429, "This request would exceed the rate limit for your organization of 20,000 input tokens per minute."],
    [429, "Too many tokens, please wait before trying again."],
    [429, "You exceeded your current quota, please check your plan and billing details."],
    [400, "max_tokens is too large: 64000. This model supports at most 16384 completion tokens."],
    [400, "Invalid 'tools[1].function.description': string too long. Expected a string with maximum length 1024."],
    [401, "Invalid token"],
    [500, "Internal server error"],
  ])("is not seen in another refusal: %i %s", (status, message) => {
    expect(learnContextLimit(createKey(), refusal(message, status), { prompt: turns })).toBe(false);
  });

  it("loses its oldest turns, and keeps the instructions and the last message", () => {
    expect(retryAfter("prompt is too long", turns)).toEqual([turns[0], turns[5], turns[6], turns[7]]);
  });

  it("is shortened in proportion to the limit in the message", () => {
    const retried = retryAfter(
      "This model's maximum context length is 4097 tokens. However, you requested 4612 tokens.",
      turns,
    );
    expect(retried).toEqual([turns[0], ...turns.slice(5)]);
  });

  it("keeps the running reply, and cuts the passages that it has found", () => {
    const running = [...turns, call("b"), result("b", long("Found", 20_000))];
    const retried = retryAfter("prompt is too long", running);
    expect(retried.slice(0, 3)).toEqual([turns[0], turns[7], call("b")]);
    expect(JSON.stringify(retried).length).toBeLessThan(JSON.stringify(running).length / 2);
    expect(JSON.stringify(retried[3])).toContain("Found...");
  });

  it("cuts the end of the instructions when there is nothing else to leave out", () => {
    const [system, message] = retryAfter("prompt is too long", [
      { role: "system", content: long("You sell bikes.", 20_000) },
      user("Hi"),
    ]);
    expect(system).toMatchObject({ content: expect.stringMatching(/^You sell bikes\.+\n\[The rest was left out/) });
    expect(message).toEqual(user("Hi"));
  });

  it("is sent in full again when nothing of it can be left out", () => {
    expect(learnContextLimit(createKey(), refusal("prompt is too long"), { prompt: [user("Hi")] })).toBe(false);
  });

  it("is remembered for its model only", () => {
    const key = createKey();
    retryAfter("prompt is too long", turns, key);
    expect(fitRequest(key, { prompt: turns }).prompt).not.toEqual(turns);
    expect(fitRequest(createKey(), { prompt: turns }).prompt).toBe(turns);
  });
});
