import { APICallError, type JSONObject } from "@ai-sdk/provider";
import { describe, expect, it } from "vitest";
import { createEditor, learnRefusal, listRefused, restoreRefused } from "./refused-parameters.ts";

let keys = 0;
const call = { id: "a", type: "function", function: { name: "f", arguments: "{}" } };
const body: JSONObject = {
  model: "m",
  messages: [
    { role: "system", content: "You sell bikes." },
    { role: "user", content: "Hi" },
    { role: "assistant", content: null, reasoning: "x", tool_calls: [call] },
  ],
  stream: true,
  stream_options: { include_usage: true },
  temperature: 0.3,
  max_tokens: 100,
  parallel_tool_calls: true,
  reasoning_effort: "low",
  tools: [
    {
      type: "function",
      function: {
        name: "f",
        parameters: {
          type: "object",
          additionalProperties: false,
          properties: { format: { type: "string", format: "date", pattern: "^a" } },
        },
      },
    },
  ],
};

function refuse(message: string, { status = 400, provider = "openai-compatible", sent = body } = {}) {
  const key = `model ${++keys}`;
  const error = new APICallError({ message, url: "", requestBodyValues: undefined, statusCode: status });
  const isLearned = learnRefusal({ key, provider }, error, sent);
  return { key, isLearned, edited: createEditor(key)?.(sent) ?? sent };
}

const { stream_options, temperature, max_tokens, parallel_tool_calls, reasoning_effort } = body;

describe("a parameter that the provider refuses is left out", () => {
  it.each([
    ["Validation error at #/stream_options: Extra inputs are not permitted", { stream_options }],
    ["Unsupported value: 'temperature' does not support 0.3 with this model.", { temperature }],
    ["Unrecognized request argument supplied: parallel_tool_calls", { parallel_tool_calls }],
    ["[{'loc': ('body', 'reasoning_effort'), 'msg': 'extra fields not permitted'}]", { reasoning_effort }],
  ])("after %s", (message, removed) => {
    const { isLearned, edited } = refuse(message);
    expect(isLearned).toBe(true);
    expect({ ...edited, ...removed }).toEqual(body);
    expect(Object.keys(edited)).toHaveLength(Object.keys(body).length - 1);
  });

  it("renames the limit of tokens", () => {
    const { edited } = refuse("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.");
    expect(edited).toMatchObject({ max_completion_tokens: max_tokens });
    expect(edited).not.toHaveProperty("max_tokens");
  });

  it("asks without a stream", () => {
    const { edited } = refuse("Unsupported value: 'stream' does not support true with this model.");
    expect(edited).toMatchObject({ stream: false });
    expect(edited).not.toHaveProperty("stream_options");
  });

  it.each([
    "System role not supported",
    "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
    "Only user and assistant roles are supported!",
  ])("moves the instructions into the visitor's message after %s", (message) => {
    expect(refuse(message).edited.messages).toMatchObject([{ role: "user", content: "You sell bikes.\n\nHi" }, {}]);
  });

  it("moves Gemini's instructions into the first message", () => {
    const sent = {
      systemInstruction: { parts: [{ text: "You sell bikes." }] },
      contents: [{ role: "user", parts: [{ text: "Hi" }] }],
    };
    const { edited } = refuse("Developer instruction is not enabled for models/gemma-3-27b-it", { sent });
    expect(edited).toEqual({ contents: [{ role: "user", parts: [{ text: "You sell bikes." }, { text: "Hi" }] }] });
  });

  it.each([
    "'messages.2' : property 'reasoning' is unsupported",
    "messages[2].reasoning: reasoning is not supported with this model",
  ])("removes what a provider does not accept back after %s", (message) => {
    expect(JSON.stringify(refuse(message).edited.messages)).not.toContain("reasoning");
  });

  it("removes a keyword of a schema, but no property of that name", () => {
    const { edited } = refuse("Invalid JSON payload: unknown name \"format\" at 'tools[0].function.parameters' schema");
    expect(edited.tools).toMatchObject([{ function: { parameters: { properties: { format: { pattern: "^a" } } } } }]);
    expect(JSON.stringify(edited.tools)).not.toContain('"date"');
  });

  it("removes all optional keywords when the error names none", () => {
    const { edited } = refuse("The JSON schema of the function is not valid.");
    expect(JSON.stringify(edited.tools)).not.toMatch(/additionalProperties|pattern/);
  });
});

describe("a member that the provider misses is added", () => {
  it("as empty reasoning", () => {
    const { edited } = refuse("Missing `reasoning_content` field in the assistant message at message index 2");
    expect(edited.messages).toMatchObject([{}, {}, { reasoning_content: "" }]);
  });

  it("as a signature that Gemini accepts for calls of others", () => {
    const { edited } = refuse("Function call is missing a thought_signature in functionCall parts.");
    const extra_content = { google: { thought_signature: expect.any(String) } };
    expect(edited.messages).toMatchObject([{}, {}, { tool_calls: [{ id: "a", extra_content }] }]);
  });

  it("as an empty content", () => {
    const { edited } = refuse("messages.2.content: none is not an allowed value");
    expect(edited.messages).toMatchObject([{}, {}, { content: "" }]);
  });
});

describe("nothing is learned", () => {
  it.each([
    ["Incorrect API key provided", 401],
    ["Rate limit reached for temperature", 429],
    ["The model does not exist", 404],
    ["Something failed", 500],
    ["This model's maximum context length is 8192 tokens. Please reduce the length of the messages.", 400],
  ])("from %s with status %d", (message, status) => {
    expect(refuse(message, { status }).isLearned).toBe(false);
  });

  it("twice from the same error, so that a request is not repeated for ever", () => {
    const { key } = refuse("temperature is not supported");
    const error = new APICallError({ message: "temperature", url: "", requestBodyValues: undefined, statusCode: 400 });
    expect(learnRefusal({ key, provider: "openai" }, error, body)).toBe(false);
  });

  it("about the limit of tokens that Anthropic requires", () => {
    const sent = { model: "m", messages: [], max_tokens: 10 };
    expect(refuse("max_tokens: 10 is invalid", { provider: "anthropic", sent }).isLearned).toBe(false);
  });
});

it("what was left out in vain is sent again", () => {
  const { key } = refuse("temperature is not supported");
  restoreRefused(key, undefined);
  expect(listRefused(key)).toBeUndefined();
  expect(createEditor(key)).toBeUndefined();
});
