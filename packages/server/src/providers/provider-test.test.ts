import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startServer, type TestServer } from "../../../../test/server.ts";
import { type Exchange, startUpstream, type Upstream } from "../../../../test/upstream.ts";

let server: TestServer;
let upstream: Upstream;
let account: Awaited<ReturnType<TestServer["createAccount"]>>;
beforeAll(async () => {
  upstream = await startUpstream();
  server = await startServer({ env: { MISTRAL_API_KEY: "operator-key", MISTRAL_BASE_URL: upstream.url } });
});
beforeEach(async () => {
  account = await server.createAccount();
  upstream.script(answer(500));
});
afterAll(async () => {
  await server.stop();
  await upstream.stop();
});

const key = "sk-1234567890-secret";
const own = (path = "/v1") => ({ apiKey: key, baseUrl: `${upstream.url}${path}` });
const models = { data: [{ id: "small" }] };
const answer =
  (status: number, body: unknown = {}) =>
  ({ response }: Exchange) =>
    void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
const text = (exchange: Exchange) => void exchange.response.writeHead(200).end("<html>Welcome</html>");
const seen = () => upstream.exchanges.map(({ request }) => [request.method, request.url]);

async function tryOut(provider: string, body: object = own()) {
  const { status, body: answered } = await account.call("POST", `/models/providers/${provider}/test`, body);
  expect(status, JSON.stringify(answered)).toBe(200);
  expect(answered).toEqual({ data: expect.anything(), error: null });
  const { success, durationMs, error } = answered.data;
  expect([success, Number.isInteger(durationMs)]).toEqual([error === null, true]);
  expect(String(error)).not.toContain(key);
  expect(String(error)).not.toContain("operator-key");
  return error;
}

it.each([
  ["openai", "/v1/models", "authorization", `Bearer ${key}`],
  ["mistral", "/v1/models", "authorization", `Bearer ${key}`],
  ["anthropic", "/v1/models?limit=100", "x-api-key", key],
  ["google", "/v1/models?pageSize=200", "x-goog-api-key", key],
  ["openai-compatible", "/v1/models", "authorization", `Bearer ${key}`],
  ["ollama", "/v1/models", "authorization", `Bearer ${key}`],
])("testing %s requests its list of models and saves nothing", async (provider, url, header, value) => {
  upstream.script(answer(200, provider === "google" ? { models: [{ name: "models/small" }] } : models));
  expect(await tryOut(provider)).toBeNull();
  expect(upstream.exchanges.map(({ request }) => [request.url, request.headers[header]])).toEqual([[url, value]]);
  expect(await server.deps.db.selectFrom("providerSettings").selectAll().execute()).toEqual([]);
});

it.each([
  [401, { error: { message: `Incorrect API key provided: ${key}` } }, /rejected the key \(HTTP 401\)/],
  [403, {}, /rejected the key/],
  [400, { error: { message: "API key not valid. Please pass a valid API key." } }, /rejected the key/],
  [404, {}, /not found at this URL/],
  [429, { error: { message: `Quota of ${key} exceeded` } }, /HTTP 429: Quota of \*\*\* exceeded/],
  [500, {}, /HTTP 500/],
  [200, {}, /lists no models/],
  // The member who tests a key may be a different person than the one who saved it.
  [500, { error: { message: `${"x".repeat(285)} ${key}` } }, /x \*\*\*$/],
])("testing a provider explains a list request that gets %d %j", async (status, body, expected) => {
  upstream.script(answer(status, body));
  expect(await tryOut("openai")).toMatch(expected);
});

it.each(["openai", "google", "anthropic"])("testing %s accepts any response to the list request", async (provider) => {
  for (const list of ["many", 7, { id: "small" }, [null], [7], [{ name: 7 }]]) {
    upstream.script(answer(200, { data: list, models: list }));
    expect(await tryOut(provider), JSON.stringify(list)).not.toBeNull();
  }
});

it("testing a provider explains an invalid URL", async () => {
  upstream.script(text);
  expect(await tryOut("openai")).toMatch(/does not respond like OpenAI/);
  upstream.script(({ response }) => void response.writeHead(302, { location: "https://elsewhere.example/" }).end());
  expect(await tryOut("openai")).toMatch(/redirect.*elsewhere\.example/i);
  expect(await tryOut("openai", { apiKey: key, baseUrl: "http://127.0.0.1:9" })).toMatch(/127\.0\.0\.1:9/);
  for (const baseUrl of ["http://169.254.169.254/v1", "ftp://models.example", "nonsense"]) {
    expect(await tryOut("openai", { apiKey: key, baseUrl }), baseUrl).not.toBeNull();
  }
});

it("testing a provider refuses private addresses when others can reach the server", async () => {
  const open = await startServer({ env: { BASE_URL: "https://chat.example" } });
  const { headers } = await open.createAccount();
  const url = "/models/providers/openai/test";
  const response = await open.app.inject({ method: "POST", url, headers, payload: own() });
  expect(response.json().data).toMatchObject({ success: false, error: expect.stringMatching(/may not be called/) });
  expect(upstream.exchanges).toEqual([]);
  await open.stop();
});

it("testing a provider requests the shortest reply when a server has no list", async () => {
  const reply = (status: number, body: unknown) =>
    upstream.script((exchange) =>
      exchange.request.method === "GET"
        ? answer(404, { detail: "Not Found" })(exchange)
        : answer(status, body)(exchange),
    );
  reply(200, { choices: [] });
  expect(await tryOut("openai-compatible", { ...own(), model: "small" })).toBeNull();
  expect(seen()).toEqual([
    ["GET", "/v1/models"],
    ["POST", "/v1/chat/completions"],
  ]);
  expect(JSON.parse(upstream.exchanges[1]?.body ?? "")).toMatchObject({ model: "small", max_tokens: 1 });
  reply(404, { error: { message: "The model `test` does not exist" } });
  expect(await tryOut("openai-compatible")).toBeNull();
  expect(await tryOut("openai-compatible", { ...own(), model: "smal" })).toMatch(/HTTP 404: The model/);
  reply(401, { error: { message: "Unauthorized" } });
  expect(await tryOut("openai-compatible")).toMatch(/rejected the key/);
  expect(await tryOut("openai-compatible", { baseUrl: own().baseUrl })).toMatch(/requires a key/);
  reply(404, {});
  expect(await tryOut("openai-compatible")).toMatch(/not found at this URL/);
});

it("testing a provider uses saved settings by default, and sends a saved key nowhere else", async () => {
  upstream.script(answer(200, models));
  await account.call("PUT", "/models/providers/openai", own("/mine"));
  expect(await tryOut("openai", {})).toBeNull();
  expect(seen()).toEqual([["GET", "/mine/models"]]);
  upstream.script(answer(200, models));
  const moved = await account.call("POST", "/models/providers/openai/test", { baseUrl: `${upstream.url}/thief` });
  const missing = { path: "apiKey", code: "required", message: expect.any(String) };
  expect([moved.status, moved.body.error.details]).toEqual([400, [missing]]);
  expect(seen()).toEqual([]);
  expect((await account.call("POST", "/models/providers/google/test", {})).status).toBe(404);
  expect((await account.call("POST", "/models/providers/nobody/test", {})).status).toBe(404);
});

describe("testing a provider with a message", () => {
  const list = answer(200, models);
  const say = answer(200, { choices: [{ message: { content: "Hello." }, finish_reason: "stop" }] });
  const script = (reply: typeof say) =>
    upstream.script((exchange) => (exchange.request.method === "GET" ? list(exchange) : reply(exchange)));
  const test = async (provider: string, body: object) => {
    const { body: answered } = await account.call("POST", `/models/providers/${provider}/test`, body);
    return answered.data;
  };

  it("requests a reply from the first listed model and shows what was sent and received", async () => {
    script(say);
    const { success, reply, exchanges } = await test("openai-compatible", { ...own(), sendMessage: true });
    expect([success, reply]).toEqual([true, { model: "small", text: "Hello." }]);
    expect(exchanges).toMatchObject([
      { request: { method: "GET" }, response: { status: 200, body: JSON.stringify(models) } },
      {
        request: {
          method: "POST",
          url: `${upstream.url}/v1/chat/completions`,
          headers: { authorization: "***" },
          body: expect.stringContaining('"model":"small"'),
        },
        response: { status: 200, body: expect.stringContaining("Hello."), isTruncated: false },
      },
    ]);
  });

  it("shows the provider's refusal completely and without the key", async () => {
    script(answer(400, { error: { message: `The model of ${key} is not ready.` } }));
    const tested = await test("openai-compatible", { ...own(), sendMessage: true });
    expect(tested).toMatchObject({ success: false, error: "HTTP 400: The model of *** is not ready.", reply: null });
    expect(tested.exchanges[1].response).toMatchObject({ status: 400, body: expect.stringContaining("is not ready") });
    expect(JSON.stringify(tested)).not.toContain(key);
  });

  it("shows the exchange of a provider with its own package, and bounds it", async () => {
    script(answer(200, { id: "x".repeat(50_000) }));
    const { success, exchanges } = await test("mistral", { ...own(), sendMessage: true });
    expect(success).toBe(false);
    expect(exchanges[1].response).toMatchObject({ status: 200, isTruncated: true });
    expect(exchanges[1].response.body).toHaveLength(16_384);
  });

  it("does not show the operator's address", async () => {
    script(say);
    const { success, exchanges } = await test("mistral", { sendMessage: true });
    expect([success, exchanges.length]).toEqual([true, 2]);
    expect(exchanges[1].request.url).toBe("(address)/chat/completions");
    expect(JSON.stringify(exchanges)).not.toContain(new URL(upstream.url).host);
    expect(JSON.stringify(exchanges)).not.toContain("operator-key");
  });
});

it("testing a provider does not reveal the operator's URL to an organization", async () => {
  upstream.script(answer(200, models));
  expect(await tryOut("mistral", {})).toBeNull();
  expect(upstream.exchanges[0]?.request.headers.authorization).toBe("Bearer operator-key");
  upstream.script(answer(500, { error: { message: "db.internal is down" } }));
  expect(await tryOut("mistral", {})).toBe("HTTP 500.");
  upstream.script(({ request }) => request.socket.destroy());
  expect(await tryOut("mistral", {})).toBe("Not reachable.");
  // An address that the organization entered never receives the operator's key.
  upstream.script(answer(200, models));
  expect((await account.call("POST", "/models/providers/mistral/test", { baseUrl: upstream.url })).status).toBe(400);
  expect(seen()).toEqual([]);
});
