import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type ModelServer, startModelServer } from "../../../../test/model-server.ts";
import { chunk, type Exchange, eventStream } from "../../../../test/upstream.ts";
import { createConversationToken } from "../auth/conversation-token.ts";

const own = "anthropic/claude-haiku-4-5";
const second = "openai-compatible/small";

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer((url) => ({
    ANTHROPIC_BASE_URL: `${url}/first`,
    ANTHROPIC_API_KEY: "sk-first",
    OPENAI_COMPATIBLE_BASE_URL: `${url}/second`,
  }));
});
afterAll(() => server.stop());

/** An organization of its own for each test, because circuits are remembered per organization. */
let account: Awaited<ReturnType<ModelServer["server"]["createAccount"]>>;
beforeEach(async () => {
  account = await server.server.createAccount();
});

type Answer = (exchange: Exchange) => unknown;
const refuse =
  (status: number, headers: Record<string, string> = {}): Answer =>
  ({ response }) => {
    const error = { type: "error", error: { type: "some_error", message: "Too many requests" } };
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(error));
  };
const usage = { prompt_tokens: 100, completion_tokens: 20, prompt_tokens_details: { cached_tokens: 60 } };
const answer: Answer = (exchange) => {
  const { send, end } = eventStream(exchange);
  send(chunk({ role: "assistant", content: "All well." }));
  send({ ...chunk({}, "stop"), usage });
  send("[DONE]");
  end();
};

/** Counts the requests to each provider, which answer in this way. */
function script(first: Answer, other: Answer = answer) {
  const requests = { first: 0, second: 0 };
  server.upstream.script((exchange) => {
    if (exchange.body === "") return exchange.response.writeHead(404).end();
    const isFirst = exchange.request.url?.startsWith("/first");
    requests[isFirst ? "first" : "second"] += 1;
    return (isFirst ? first : other)(exchange);
  });
  return requests;
}

async function createAgent(settings: object = {}): Promise<string> {
  const payload = { name: "Harbour", model: own, fallbackModels: [second], ...settings };
  const { status, body } = await server.call("POST", "/agents", payload, account);
  expect(status, JSON.stringify(body)).toBe(201);
  return body.data.id;
}

const tokenOf = (conversationId: string) => createConversationToken(server.server.deps.encryption, conversationId);

async function readReply(conversationId: string) {
  const { body } = await server.call("GET", `/conversations/${conversationId}`, undefined, account);
  return body.data.messages.at(-1);
}

describe("a reply whose first model fails before its first word", () => {
  it.each([
    ["limits requests and asks for a long wait", refuse(429, { "retry-after": "30" }), 1],
    ["has an error", refuse(500), 2],
    ["is overloaded", refuse(529), 2],
    ["refuses the key", refuse(401), 1],
    ["forbids the key", refuse(403), 1],
    ["breaks the connection", (({ response }) => response.destroy()) satisfies Answer, 2],
  ])("is answered by the fallback model when the provider %s", async (_, first, attempts) => {
    const requests = script(first);
    const reply = await server.ask(await createAgent(), "Hello?");
    expect(reply.text).toBe("All well.");
    expect(requests).toEqual({ first: attempts, second: 1 });
    expect(await readReply(reply.conversationId)).toMatchObject({
      model: second,
      fallbackFrom: own,
      stopReason: "end_turn",
      failure: null,
    });
  });

  it.each([400, 413, 422])("ends with an error when the provider answers %i", async (status) => {
    const requests = script(refuse(status));
    const reply = await server.ask(await createAgent(), "Hello?");
    expect(reply.error).toMatchObject({ code: "MODEL_REFUSED" });
    expect(requests.second).toBe(0);
  });

  it.each([
    ["an unknown model", 404, { message: "The model `gpt-4.5-preview` has been deprecated", code: "model_not_found" }],
    ["a model that is gone", 410, { message: "Gone" }],
    ["no endpoint for the model", 404, { message: "No endpoints found for acme/model-1.", code: 404 }],
    ["an account without money", 402, { message: "Insufficient Balance" }],
    ["too little credit", 400, { message: "Your credit balance is too low to access the Anthropic API." }],
    ["a usage limit", 400, { message: "You have reached your specified API usage limits." }],
    ["a spent budget", 400, { message: "Budget has been exceeded! Max budget: 10.0", type: "budget_exceeded" }],
    ["a hard limit of the bill", 400, { message: "Limit reached", code: "billing_hard_limit_reached" }],
    ["an account in arrears", 400, { message: "Access denied.", code: "Arrearage" }],
    ["an invalid name of a model", 400, { message: "Invalid model name passed in model=gpt-4.5. Call `/v1/models`." }],
    ["a name in quotes", 400, { message: "The requested model 'acme/x' is not supported by any provider." }],
    ["a name that is not an id", 400, { message: "acme/x is not a valid model ID" }],
    ["a decommissioned model", 400, { message: "The model `llama-3` has been decommissioned." }],
    ["an identifier of Bedrock", 400, { message: "The provided model identifier is invalid." }],
    ["a server without a model", 400, { message: "No models loaded. Please load a model." }],
    ["a key that Google does not know", 400, { message: "API key not valid. Please pass a valid API key." }],
    ["a disabled organization", 400, { message: "This organization has been disabled." }],
  ])("is answered by the fallback model after a refusal that names %s", async (_, status, error) => {
    const refusal: Answer = ({ response }) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ error }));
    script(refusal);
    expect((await server.ask(await createAgent(), "Hello?")).text).toBe("All well.");
  });

  it.each([
    ["a tool about accounts", "Invalid schema for function 'get_credit_balance': In context=(), 'required' is missing"],
    ["a tool whose name stands alone", "tools.0: the schema of billing is invalid"],
    ["words of the visitor", 'messages.0.content: "Is my credit balance too low?" is not of type array'],
    ["a parameter of the model", "Unsupported value for this model: 'temperature' must be 1"],
    [
      "a prompt that is too long",
      "This model's maximum context length is 8192 tokens, your messages have 9000 tokens.",
    ],
    ["a content filter", "The response was filtered by the content management policy: billing."],
  ])("ends with an error after a refusal with 400 that names %s", async (_, message) => {
    const refusal: Answer = ({ response }) =>
      response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify({ error: { message } }));
    const requests = script(refusal);
    expect((await server.ask(await createAgent(), "Hello?")).error).toMatchObject({ code: "MODEL_REFUSED" });
    expect(requests.second).toBe(0);
  });

  it("is not told to the visitor, and listed for members", async () => {
    script(refuse(401));
    const agentId = await createAgent();
    const reply = await server.ask(agentId, "Hello?");
    expect(JSON.stringify(reply)).not.toContain("fallbackFrom");
    const { body } = await server.call("GET", "/models/failures", undefined, account);
    expect(body.data).toMatchObject([{ provider: "anthropic", count: 1, answered: 1, isOngoing: false }]);
    const analytics = await server.call("GET", `/conversations/analytics?agentId=${agentId}`, undefined, account);
    expect(analytics.body.data.totals).toMatchObject({ replies: 1, failedReplies: 0, fallbackReplies: 1 });
  });

  it("counts as the first model's if only its follow-up questions were asked of another one", async () => {
    let requests = 0;
    script(refuse(401), (exchange) => (requests++ === 0 ? answer : refuse(401))(exchange));
    const agentId = await createAgent({ model: second, fallbackModels: [own], followUps: true });
    const { conversationId } = await server.ask(agentId, "Hello?");
    expect(requests).toBe(2);
    expect(await readReply(conversationId)).toMatchObject({ model: second, fallbackFrom: null });
  });

  it("is answered when the first provider has no key at all", async () => {
    const requests = script(refuse(500));
    const agentId = await createAgent({ model: "mistral/mistral-small-latest" });
    expect((await server.ask(agentId, "Hello?")).text).toBe("All well.");
    expect(requests).toEqual({ first: 0, second: 1 });
  });

  it("ends with that model's error when no fallback model has a key", async () => {
    const requests = script(refuse(401));
    const reply = await server.ask(await createAgent({ fallbackModels: ["mistral/mistral-small-latest"] }), "Hello?");
    expect(reply.error).toMatchObject({ code: "MODEL_REFUSED" });
    expect(requests.first).toBe(1);
  });

  it("ends with the last model's error when every model fails", async () => {
    script(refuse(401), refuse(401));
    const reply = await server.ask(await createAgent(), "Hello?");
    expect(reply.error).toMatchObject({ code: "MODEL_REFUSED" });
    expect(await readReply(reply.conversationId)).toMatchObject({
      stopReason: "error",
      failure: { provider: "openai-compatible" },
    });
  });
});

it("after a refused key, replies go to the fallback model without asking the first one", async () => {
  const requests = script(refuse(401));
  const agentId = await createAgent();
  await server.ask(agentId, "Hello?");
  await server.ask(agentId, "Hello again?");
  expect(requests).toEqual({ first: 1, second: 2 });
  const { body } = await server.server.app.inject({ method: "GET", url: "/metrics" });
  expect(body).toContain('foyer_model_fallbacks_total{from="anthropic",to="openai-compatible",reason="circuit_open"}');
});

it("a model that the key may not use leaves other models of the provider to their agents", async () => {
  const requests = script(({ response, body }) => refuse(body.includes("haiku") ? 403 : 400)({ response } as Exchange));
  await server.ask(await createAgent(), "Hello?");
  const other = await createAgent({ name: "Marina", model: "anthropic/claude-sonnet-4-5" });
  const { error } = await server.ask(other, "Hello?");
  expect([requests, error?.code]).toEqual([{ first: 2, second: 1 }, "MODEL_REFUSED"]);
});

it("a model is asked again at once when the organization has entered another key", async () => {
  const requests = script(refuse(401));
  const enter = (apiKey: string) =>
    server.call("PUT", "/models/providers/anthropic", { apiKey, baseUrl: `${server.upstream.url}/first` }, account);
  await enter("sk-refused");
  const agentId = await createAgent();
  await server.ask(agentId, "Hello?");
  await enter("sk-another");
  await server.ask(agentId, "Hello?");
  expect(requests.first).toBe(2);
});

it("the trace of a reply has its steps, tokens and failed attempts", async () => {
  script(refuse(500));
  const { conversationId, messageId } = await server.ask(await createAgent(), "Hello?");
  const url = `/conversations/${conversationId}/messages/${messageId}/trace`;
  const { body } = await server.call("GET", url, undefined, account);
  const tokens = { inputTokens: 100, cachedInputTokens: 60, outputTokens: 20, reasoningTokens: 0 };
  expect(body.data.steps).toMatchObject([
    { kind: "model", name: "reply", model: second, fallbackFrom: own, retries: 2, status: "ok", ...tokens },
  ]);
  expect(body.data.totals).toMatchObject({ ...tokens, cost: null, currency: "USD" });
});

it("the trace of a reply has the sizes of the prompt's parts", async () => {
  script(refuse(401));
  const { conversationId, messageId } = await server.ask(
    await createAgent({ systemPrompt: "You sell bikes." }),
    "Hello?",
  );
  const url = `/conversations/${conversationId}/messages/${messageId}/trace`;
  const { body } = await server.call("GET", url, undefined, account);
  expect(body.data.steps[0].promptSize).toEqual({ instructions: 15, documents: 0, tools: 0, history: 6 });
});

it("a conversation token cannot read a trace, and another organization finds none", async () => {
  script(refuse(500));
  const { conversationId, messageId } = await server.ask(await createAgent(), "Hello?");
  const url = `/conversations/${conversationId}/messages/${messageId}/trace`;
  const asVisitor = await server.call("GET", url, undefined, {
    ...account,
    headers: { authorization: `Bearer ${tokenOf(conversationId)}` },
  });
  expect(asVisitor.status).toBe(403);
  const stranger = await server.server.createAccount();
  expect((await server.call("GET", url, undefined, stranger)).status).toBe(404);
});

it("a reply costs what its price says, and a later price changes no stored reply", async () => {
  script(refuse(401));
  const price = { input: 10, cachedInput: 1, output: 50 };
  const path = `/models/prices/${encodeURIComponent(second)}`;
  expect((await server.call("PUT", path, price, account)).status).toBe(200);
  const agentId = await createAgent();
  const { conversationId } = await server.ask(agentId, "Hello?");
  // 40 tokens at 10, 60 cached ones at 1 and 20 at 50, per million.
  expect((await readReply(conversationId)).cost).toBeCloseTo(0.00146, 10);
  await server.call("PUT", path, { ...price, output: 500 }, account);
  expect((await readReply(conversationId)).cost).toBeCloseTo(0.00146, 10);
  const costs = await server.call("GET", `/models/costs?agentId=${agentId}&model=${second}`, undefined, account);
  expect(costs.body.data.cost).toBeCloseTo(0.01046, 10);
});

it("a reply of the built-in demo costs nothing", async () => {
  const { conversationId } = await server.ask(await createAgent({ model: "foyer/demo", fallbackModels: [] }), "Hello?");
  expect(await readReply(conversationId)).toMatchObject({ model: "foyer/demo", cost: 0 });
});

it("a cost budget that is used up stops replies", async () => {
  const requests = script(refuse(401));
  await server.call("PUT", `/models/prices/${encodeURIComponent(second)}`, { input: 10, output: 50 }, account);
  const agentId = await createAgent({ monthlyCostBudget: 0.001, budgetMessage: "See you next month." });
  await server.ask(agentId, "Hello?");
  expect((await server.ask(agentId, "Hello?")).text).toBe("See you next month.");
  expect(requests.second).toBe(1);
});

it("a visitor waits for a person after as many failed replies as the agent allows", async () => {
  script(refuse(401), refuse(401));
  const agentId = await createAgent({ handoff: { isEnabled: true, failedReplies: 2 } });
  const first = await server.ask(agentId, "Hello?");
  const { conversationId } = first;
  const read = async () => (await server.call("GET", `/conversations/${conversationId}`, undefined, account)).body.data;
  expect((await read()).handler).toBe("agent");
  await server.ask(agentId, "And now?", { conversationId, conversationToken: tokenOf(conversationId) });
  expect(await read()).toMatchObject({ handler: "waiting", handoffs: [{ cause: "failed_reply" }] });
});

it.each([
  ["an id without a slash", { fallbackModels: ["small"] }],
  ["an unknown provider", { fallbackModels: ["nowhere/small"] }],
  ["the agent's own model", { fallbackModels: [own] }],
])("%s is refused as a fallback model, by its place in the list", async (_, settings) => {
  const payload = { name: "Harbour", model: own, ...settings };
  const { status, body } = await server.call("POST", "/agents", payload, account);
  expect([status, body.error.details]).toMatchObject([400, [{ path: "fallbackModels.0" }]]);
});

/** JSON as it is sent, because `1e999`, which is read as Infinity, cannot be written by `JSON.stringify`. */
async function send(method: "POST" | "PUT" | "PATCH", url: string, payload: string) {
  const headers = { ...account.headers, "content-type": "application/json" };
  const response = await server.server.app.inject({ method, url, headers, payload });
  return { status: response.statusCode, error: response.json().error };
}

it.each([
  ['"input": -1', "input"],
  ['"input": "much"', "input"],
  ['"input": "NaN"', "input"],
  ['"input": null', "input"],
  ['"input": 1e999', "input"],
  ['"cachedInput": -0.1', "cachedInput"],
  ['"cachedInput": 1e999', "cachedInput"],
  ['"output": -1', "output"],
  ['"output": 1e999', "output"],
  ['"output": 1000001', "output"],
  ['"currency": "ABC"', "currency"],
  ['"currency": "usd"', "currency"],
  ['"currency": ""', "currency"],
  ['"currency": 5', "currency"],
])("%s is refused as a part of a price", async (part, path) => {
  const payload = `{ "input": 1, "output": 1, ${part} }`;
  const { status, error } = await send("PUT", "/models/prices/groq%2Fllama", payload);
  expect([status, error.details]).toMatchObject([400, [{ path }]]);
});

it.each([
  ['"fallbackModels": ["a/1", "a/2", "a/3", "a/4"]', "fallbackModels"],
  [`"fallbackModels": ["${second}", "${second}"]`, "fallbackModels"],
  ['"fallbackModels": [""]', "fallbackModels.0"],
  ['"fallbackModels": [5]', "fallbackModels.0"],
  [`"fallbackModels": ["${second}", "nowhere/small"]`, "fallbackModels.1"],
  ['"fallbackModels": "one"', "fallbackModels"],
  ['"reasoning": "maximal"', "reasoning"],
  ['"maxOutputTokens": 0', "maxOutputTokens"],
  ['"maxOutputTokens": 200001', "maxOutputTokens"],
  ['"maxOutputTokens": 1.5', "maxOutputTokens"],
  ['"monthlyCostBudget": -1', "monthlyCostBudget"],
  ['"monthlyCostBudget": "NaN"', "monthlyCostBudget"],
  ['"monthlyCostBudget": 1e999', "monthlyCostBudget"],
  ['"handoff": { "failedReplies": 0 }', "handoff.failedReplies"],
  ['"handoff": { "failedReplies": 11 }', "handoff.failedReplies"],
])("%s is refused as a setting of an agent, by its path", async (part, path) => {
  const created = await send("POST", "/agents", `{ "name": "Harbour", "model": "${own}", ${part} }`);
  expect([created.status, created.error.details]).toMatchObject([400, [{ path }]]);
  const changed = await send("PATCH", `/agents/${await createAgent()}`, `{ ${part} }`);
  expect([changed.status, changed.error.details]).toMatchObject([400, [{ path }]]);
});

it("a model that is one of the agent's fallback models is refused as its own model", async () => {
  const agentId = await createAgent();
  const { status, body } = await server.call("PATCH", `/agents/${agentId}`, { model: second }, account);
  expect([status, body.error.details]).toMatchObject([400, [{ path: "fallbackModels.0" }]]);
});

it("the costs of an agent that the organization does not have are not found", async () => {
  const stranger = await server.server.createAccount();
  const url = `/models/costs?agentId=${await createAgent()}`;
  expect((await server.call("GET", url, undefined, account)).status).toBe(200);
  expect((await server.call("GET", url, undefined, stranger)).status).toBe(404);
});

it("all prices of an organization have one currency, even if they are set at the same time", async () => {
  const put = (model: string, currency: string) =>
    server.call("PUT", `/models/prices/groq%2F${model}`, { input: 1, output: 1, currency }, account);
  const answers = await Promise.all(["EUR", "USD", "GBP", "EUR"].map((currency, n) => put(`m${n}`, currency)));
  const stored = new Set(answers.filter(({ status }) => status === 200).map(({ body }) => body.data.currency));
  expect(stored.size).toBe(1);
});

it("another currency than that of the organization's prices is refused", async () => {
  await server.call("PUT", "/models/prices/groq%2Fllama", { input: 1, output: 1, currency: "EUR" }, account);
  const { status, body } = await server.call("PUT", "/models/prices/xai%2Fgrok", { input: 1, output: 1 }, account);
  expect([status, body.error.details]).toMatchObject([400, [{ path: "currency" }]]);
});
