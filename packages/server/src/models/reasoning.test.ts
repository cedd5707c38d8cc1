import { afterAll, beforeAll, expect, it } from "vitest";
import { type ModelServer, startModelServer } from "../../../../test/model-server.ts";
import { sayWords } from "../../../../test/upstream.ts";

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer((url) => ({
    OPENAI_BASE_URL: url,
    OPENAI_API_KEY: "sk-1",
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: "sk-ant-1",
    GOOGLE_GENERATIVE_AI_BASE_URL: url,
    GOOGLE_GENERATIVE_AI_API_KEY: "AIza1",
    MISTRAL_BASE_URL: url,
    MISTRAL_API_KEY: "m-1",
    OLLAMA_BASE_URL: url,
    OPENAI_COMPATIBLE_BASE_URL: url,
  }));
});
afterAll(() => server.stop());

/** Asks an agent with these settings. @returns the bodies of the requests to the provider, which refuses them */
async function ask(model: string, settings: object): Promise<Array<Record<string, unknown>>> {
  server.upstream.script(({ response }) =>
    response.writeHead(402, { "content-type": "application/json" }).end('{"error":{"message":"Pay first"}}'),
  );
  const { body } = await server.call("POST", "/agents", { name: "Harbour", model, ...settings });
  await server.ask(body.data.id, "Hello?");
  return server.sent();
}

it.each([
  ["openai/gpt-5", "low", { reasoning: { effort: "low" } }],
  ["openai-compatible/gpt-oss", "medium", { reasoning_effort: "medium" }],
  ["mistral/magistral-small", "low", { reasoning_effort: "none" }],
  ["mistral/magistral-small", "medium", { reasoning_effort: "high" }],
  ["ollama/qwen3:8b", "none", { think: false }],
  ["ollama/qwen3:8b", "high", { think: true }],
  ["ollama/gpt-oss:20b", "high", { think: "high" }],
  ["google/gemini-2.5-flash", "medium", { generationConfig: { thinkingConfig: { thinkingBudget: 4_096 } } }],
  ["google/gemini-3-pro-preview", "none", { generationConfig: { thinkingConfig: { thinkingLevel: "low" } } }],
  ["anthropic/claude-sonnet-4-5", "low", { thinking: { type: "enabled", budget_tokens: 1_024 } }],
  ["anthropic/claude-sonnet-4-5", "high", { thinking: { type: "enabled", budget_tokens: 16_384 } }],
  ["anthropic/claude-sonnet-4-5", "none", { thinking: { type: "disabled" } }],
  ["openai/gpt-5", "high", { reasoning: { effort: "high" } }],
  ["openai/gpt-5", "none", { reasoning: { effort: "none" } }],
  ["openai-compatible/gpt-oss", "none", { reasoning_effort: "none" }],
  ["openai-compatible/gpt-oss", "high", { reasoning_effort: "high" }],
  ["mistral/magistral-small", "none", { reasoning_effort: "none" }],
  ["mistral/magistral-small", "high", { reasoning_effort: "high" }],
  ["ollama/qwen3:8b", "low", { think: true }],
  ["google/gemini-2.5-flash", "none", { generationConfig: { thinkingConfig: { thinkingBudget: 0 } } }],
  ["google/gemini-2.5-flash", "high", { generationConfig: { thinkingConfig: { thinkingBudget: 16_384 } } }],
  ["google/gemini-3-pro-preview", "high", { generationConfig: { thinkingConfig: { thinkingLevel: "high" } } }],
  ["anthropic/claude-sonnet-4-5", "medium", { thinking: { type: "enabled", budget_tokens: 4_096 } }],
])("%s is asked to think at the level %s in its provider's words", async (model, reasoning, expected) => {
  const [sent] = await ask(model, { reasoning });
  expect(sent).toMatchObject(expected);
});

it("Claude's budget stays below the limit of its output, and its temperature is not sent", async () => {
  const [sent] = await ask("anthropic/claude-sonnet-4-5", { reasoning: "high", maxOutputTokens: 3_000 });
  expect(sent).toMatchObject({ max_tokens: 3_000, thinking: { budget_tokens: 2_999 } });
  expect(sent).not.toHaveProperty("temperature");
});

it.each([
  "openai/gpt-5",
  "openai-compatible/small",
  "mistral/mistral-small-latest",
  "ollama/qwen3:8b",
  "google/gemini-2.5-flash",
  "anthropic/claude-sonnet-4-5",
])("the default level changes nothing in a request to %s", async (model) => {
  const [unset] = await ask(model, {});
  const [set] = await ask(model, { reasoning: "default" });
  expect(JSON.stringify(set)).toBe(JSON.stringify(unset));
});

it("a server that refuses the setting is asked again without it, and not asked for it later", async () => {
  const { body } = await server.call("POST", "/agents", {
    name: "Harbour",
    model: "openai-compatible/plain",
    reasoning: "high",
  });
  server.upstream.script((exchange) => {
    if (!exchange.body.includes("reasoning_effort")) return sayWords("All well.")(exchange);
    const error = { error: { message: "This model does not support reasoning." } };
    exchange.response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify(error));
  });
  expect((await server.ask(body.data.id, "Hello?")).text).toBe("All well.");
  expect((await server.ask(body.data.id, "Hello?")).text).toBe("All well.");
  const efforts = server.sent().map((sent) => sent.reasoning_effort ?? null);
  expect(efforts).toEqual(["high", null, null]);
});

it("a compatible server that is asked to think has its text held back to the closing tag", async () => {
  const settings = { name: "Harbour", model: "openai-compatible/plain-thinker", reasoning: "low" };
  const { body } = await server.call("POST", "/agents", settings);
  server.upstream.script(sayWords("The margin ", "is 30 %.", "</think>", "We open at 9."));
  expect((await server.ask(body.data.id, "Hello?")).text).toBe("We open at 9.");
});

it("a reply of thoughts only is an error that says so to members", async () => {
  const { body } = await server.call("POST", "/agents", { name: "Harbour", model: "openai-compatible/pensive" });
  server.upstream.script(sayWords("<think>", "The margin is 30 %.", "</think>"));
  const reply = await server.ask(body.data.id, "Hello?");
  const stored = await server.storedReply(reply.conversationId);
  expect({ code: reply.error?.code, content: stored.content, message: stored.failure.message }).toEqual({
    code: "MODEL_UNAVAILABLE",
    content: "",
    message: expect.stringContaining("thoughts"),
  });
});

it("a reply that reaches the agent's limit of tokens keeps its text", async () => {
  const settings = { name: "Harbour", model: "openai-compatible/limited", maxOutputTokens: 5 };
  const { body } = await server.call("POST", "/agents", settings);
  server.upstream.script((exchange) => {
    exchange.response.writeHead(200, { "content-type": "text/event-stream" });
    const chunk = { choices: [{ index: 0, delta: { content: "We open at" }, finish_reason: "length" }] };
    exchange.response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
  });
  const reply = await server.ask(body.data.id, "Hello?");
  expect(server.sent()[0]).toMatchObject({ max_tokens: 5 });
  const stored = await server.storedReply(reply.conversationId);
  expect(stored).toMatchObject({ content: "We open at", stopReason: "max_tokens" });
});
