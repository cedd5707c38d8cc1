import { afterEach, describe, expect, it } from "vitest";
import { type ModelServer, startModelServer } from "../../../../test/model-server.ts";
import { type Exchange, sayWords, startUpstream } from "../../../../test/upstream.ts";

const cleanUps: Array<() => Promise<void>> = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function start(environment: (url: string) => Record<string, string>): Promise<ModelServer> {
  const server = await startModelServer(environment);
  cleanUps.push(server.stop);
  server.upstream.script(sayWords("From ", "the operator's."));
  return server;
}

/** The server of a second provider, as an organization might configure it. */
async function startOther() {
  const other = await startUpstream(sayWords("From ", "the account's."));
  cleanUps.push(other.stop);
  return other;
}

const compatible = (url: string) => ({
  OPENAI_COMPATIBLE_BASE_URL: `${url}/v1`,
  OPENAI_COMPATIBLE_API_KEY: "operator-key",
  FOYER_DEFAULT_MODEL: "openai-compatible/small",
});
const keys = (upstream: ModelServer["upstream"]) =>
  upstream.exchanges.map(({ request }) => request.headers.authorization ?? null);

describe("a provider that is not configured", () => {
  it("gets 503 as JSON before anything is stored or called, while another one is configured", async () => {
    const server = await start(compatible);
    for (const model of ["openai/gpt-5", "claude-sonnet-4-5", "ollama/qwen3", "nobody/x", "gemini-flash-latest"]) {
      const { response } = await server.open(await server.createAgent(model), "Hello?");
      expect([response.status, response.headers.get("content-type")]).toEqual([503, "application/json; charset=utf-8"]);
      const body = await response.json();
      expect(body).toEqual({ data: null, error: { code: "MODEL_NOT_CONFIGURED", message: expect.any(String) } });
      expect(body.error.message).toBe("The agent's model is not configured on this server.");
      expect(JSON.stringify(body)).not.toMatch(/operator-key|127\.0\.0\.1/);
    }
    expect(server.upstream.exchanges).toEqual([]);
    expect(await server.server.deps.db.selectFrom("messages").select("id").execute()).toEqual([]);
  });

  it.each([
    "../../admin/keys/new?x=",
    "gemini-pro/../../admin",
    "a#b",
    "a?b=c",
    "a%2e%2e/b",
    "a\\b",
    "//evil.example",
    " x",
  ])("is never called for the model %j, whose name would change the URL of the request", async (name) => {
    const server = await start((url) => ({
      GOOGLE_GENERATIVE_AI_API_KEY: "AIza1",
      GOOGLE_GENERATIVE_AI_BASE_URL: `${url}/google`,
    }));
    const agentId = await server.createAgent("google/gemini-flash-latest");
    const model = `google/${name}`;
    expect((await server.call("PATCH", `/agents/${agentId}`, { model })).status).toBe(400);
    // Simulates a value that an earlier version saved.
    await server.server.deps.db.updateTable("agents").set({ model }).where("id", "=", agentId).execute();
    const { response } = await server.open(agentId, "Hello?");
    expect([response.status, (await response.json()).error.code]).toEqual([503, "MODEL_NOT_CONFIGURED"]);
    expect(server.upstream.exchanges).toEqual([]);
  });

  it("is named to the organization's members and API keys only", async () => {
    const server = await start(compatible);
    const agentId = await server.createAgent("openai/gpt-5");
    const stranger = await server.server.createAccount();
    const messageFor = async ({ headers }: { headers: Record<string, string> }) => {
      const payload = { agentId, messages: [{ role: "user", content: "Hello?" }] };
      const response = await server.server.app.inject({ method: "POST", url: "/chat", headers, payload });
      return response.json().error.message;
    };
    expect(await messageFor(server.owner)).toBe("The model openai/gpt-5 is not configured on this server.");
    expect(await messageFor(stranger)).toBe("The agent's model is not configured on this server.");
  });

  it("is that of the default model for a model name without a provider", async () => {
    const server = await start(compatible);
    const named = await server.ask(await server.createAgent("mixtral"), "Hello?");
    expect(named.text).toBe("From the operator's.");
    expect(server.sent()).toMatchObject([{ model: "mixtral" }]);
    const { response } = await server.open(await server.createAgent("mistral-large-latest"), "Hello?");
    expect(response.status).toBe(503);
  });
});

describe("a self-hosted provider", () => {
  const environment = (url: string) => ({ OPENAI_COMPATIBLE_BASE_URL: `${url}/v1`, OPENAI_COMPATIBLE_API_KEY: "key" });
  /** Lists these models, and replies to chats. */
  const listing =
    (...ids: string[]) =>
    (exchange: Exchange) => {
      if (exchange.request.method !== "GET") return sayWords("From ", "the model.")(exchange);
      exchange.response.setHeader("content-type", "application/json");
      exchange.response.end(JSON.stringify({ data: ids.map((id) => ({ id })) }));
    };
  const createDefaultAgent = async (server: ModelServer) =>
    (await server.call("POST", "/agents", { name: "Harbour", systemPrompt: "You sell bikes." })).body.data;

  it("makes the first chat model that it lists the default", async () => {
    const server = await start(environment);
    server.upstream.script(listing("nomic-embed-text", "qwen3", "llama4"));
    const agent = await createDefaultAgent(server);
    expect(agent).toMatchObject({ model: "openai-compatible/qwen3", modelIsDefault: true });
    expect((await server.ask(agent.id, "Hello?")).text).toBe("From the model.");
    expect(await server.server.deps.models.describeDefault()).toEqual({
      modelId: "openai-compatible/qwen3",
      withoutDefault: [],
    });
  });

  it("keeps its default model while it lists it, in whatever order", async () => {
    const server = await start(environment);
    server.upstream.script(listing("qwen3", "llama4"));
    const agent = await createDefaultAgent(server);
    const defaultOf = async () => {
      const { body } = await server.call("GET", "/models");
      return body.data.find(({ isDefault }: { isDefault: boolean }) => isDefault).id;
    };
    server.upstream.script(listing("llama4", "qwen3"));
    expect(await defaultOf()).toBe("openai-compatible/qwen3");
    server.upstream.script(listing("llama4"));
    expect(await defaultOf()).toBe("openai-compatible/llama4");
    expect((await server.call("GET", `/agents/${agent.id}`)).body.data.model).toBe("openai-compatible/llama4");
  });

  it("is named as connected without a default model when it lists none", async () => {
    const server = await start(environment);
    server.upstream.script(({ response }) => response.writeHead(404).end());
    expect((await createDefaultAgent(server)).model).toBe("foyer/demo");
    expect(await server.server.deps.models.describeDefault()).toEqual({
      modelId: "foyer/demo",
      withoutDefault: ["openai-compatible"],
    });
  });

  it("does not become the default beside a provider with a key", async () => {
    const server = await start((url) => ({ ...environment(url), MISTRAL_API_KEY: "key" }));
    server.upstream.script(listing("qwen3"));
    expect((await createDefaultAgent(server)).model).toBe("mistral/mistral-small-latest");
  });
});

describe("the demo model", () => {
  const announcement = "No model provider is configured";

  it("replies for every model while nothing is configured, and says so once per conversation", async () => {
    const server = await start(() => ({}));
    for (const model of ["openai/gpt-5", "claude-sonnet-4-5", "whatever"]) {
      const agentId = await server.createAgent(model);
      const first = await server.ask(agentId, "What do you sell?");
      expect(first.text).toContain(announcement);
      expect(first.text.split(announcement)).toHaveLength(2);
      expect(first.stop.stopReason).toBe("end_turn");
      const { conversationId } = first;
      const second = await server.ask(agentId, "Do you sell bikes?", { conversationId });
      expect(second.text).not.toBe("");
      expect(second.text).not.toContain(announcement);
      expect((await server.ask(agentId, "What do you sell?")).text).toContain(announcement);
    }
    expect(server.upstream.exchanges).toEqual([]);
  });

  it("does not mention configuration when it was chosen, and can be chosen beside a provider", async () => {
    for (const environment of [() => ({}), compatible]) {
      const server = await start(environment);
      const reply = await server.ask(await server.createAgent("foyer/demo"), "Do you sell bikes?");
      expect(reply.text).not.toBe("");
      expect(reply.text).not.toContain(announcement);
      expect(server.upstream.exchanges).toEqual([]);
    }
  });
});

describe("an organization's own provider", () => {
  it("takes precedence over the environment for this organization until it is deleted, and its key is never returned", async () => {
    const server = await start(compatible);
    const other = await startOther();
    const stranger = await server.server.createAccount();
    const agentId = await server.createAgent("openai-compatible/small");
    const strangersAgent = await server.createAgent("openai-compatible/small", stranger);
    const url = "/models/providers/openai-compatible";
    const put = await server.call("PUT", url, { apiKey: "account-key", baseUrl: `${other.url}/v1/` });
    const named = { kind: null, resourceName: null, apiVersion: null, region: null };
    const info = { provider: "openai-compatible", label: "OpenAI-compatible server", needsBaseUrl: true, ...named };
    expect([put.status, put.body.data]).toEqual([200, { ...info, source: "account", baseUrl: `${other.url}/v1` }]);

    expect((await server.ask(agentId, "Hello?")).text).toBe("From the account's.");
    expect([keys(other), keys(server.upstream)]).toEqual([["Bearer account-key"], []]);
    expect((await server.ask(strangersAgent, "Hello?")).text).toBe("From the operator's.");
    expect([keys(other), keys(server.upstream)]).toEqual([["Bearer account-key"], ["Bearer operator-key"]]);

    const seen = [
      put.text,
      (await server.call("GET", "/models/providers")).text,
      (await server.call("GET", "/models")).text,
    ];
    expect(seen.join()).not.toMatch(/account-key|operator-key/);
    expect(seen.join()).not.toContain(new URL(server.upstream.url).host);
    const rows = await server.server.deps.db.selectFrom("providerSettings").selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain("account-key");
    const strangers = await server.call("GET", "/models/providers", undefined, stranger);
    expect(strangers.body.data).toContainEqual({ ...info, source: "environment", baseUrl: null });
    expect(strangers.text).not.toContain(new URL(other.url).host);

    expect((await server.call("DELETE", url, undefined, stranger)).status).toBe(404);
    expect((await server.call("DELETE", url)).status).toBe(200);
    expect((await server.ask(agentId, "Hello?")).text).toBe("From the operator's.");
  });

  it("never combines the operator's key with the organization's URL, or the reverse", async () => {
    const server = await start((url) => ({ ...compatible(url), OPENAI_API_KEY: "sk-operator", OPENAI_BASE_URL: url }));
    const other = await startOther();
    await server.call("PUT", "/models/providers/openai-compatible", { baseUrl: other.url });
    expect((await server.ask(await server.createAgent("openai-compatible/small"), "Hello?")).text).toBe(
      "From the account's.",
    );
    expect(keys(other)).toEqual([null]);
    // A key without a URL uses the provider's own address, and nothing may be sent to the operator's.
    await server.call("PUT", "/models/providers/openai", { apiKey: "sk-account" });
    const calls: string[] = [];
    const { outbound } = server.server.deps;
    const { fetch } = outbound;
    outbound.fetch = () => async (input) => {
      calls.push(String(input));
      return new Response("", { status: 401 });
    };
    expect((await server.ask(await server.createAgent("openai/gpt-5"), "Hello?")).error).toBeDefined();
    outbound.fetch = fetch;
    expect(calls).toEqual(["https://api.openai.com/v1/responses"]);
    expect(server.upstream.exchanges).toEqual([]);
  });

  it("switches the organization from the demo to its own model", async () => {
    const server = await start(() => ({}));
    const other = await startOther();
    const agentId = await server.createAgent("ollama/qwen3");
    expect((await server.call("PUT", "/models/providers/ollama", { baseUrl: other.url })).status).toBe(200);
    expect((await server.ask(agentId, "Hello?")).text).toBe("From the account's.");
    expect(other.exchanges[0]?.request.url).toBe("/v1/chat/completions");
  });

  it.each([
    ["openai", {}, "apiKey"],
    ["openai", { baseUrl: "https://models.example" }, "apiKey"],
    ["ollama", { apiKey: "x" }, "baseUrl"],
    ["openai-compatible", { baseUrl: "ftp://models.example" }, "baseUrl"],
    ["openai-compatible", { baseUrl: "not an address" }, "baseUrl"],
    ["openai-compatible", { baseUrl: "http://user:password@models.example" }, "baseUrl"],
    ["openai-compatible", { baseUrl: "http://169.254.169.254/v1" }, "baseUrl"],
    ["openai-compatible", { baseUrl: "http://[fd00:ec2::254]/v1" }, "baseUrl"],
  ])("%s with %j is refused", async (provider, body, path) => {
    const server = await start(() => ({}));
    const { status, body: answer } = await server.call("PUT", `/models/providers/${provider}`, body);
    expect([status, answer.error]).toMatchObject([400, { code: "VALIDATION_ERROR", details: [{ path }] }]);
    const listed = (await server.call("GET", "/models/providers")).body.data;
    expect(listed).toHaveLength(6);
    expect(listed.every((entry: { source: string | null }) => entry.source === null)).toBe(true);
  });

  it("gets 404 when there is no such provider", async () => {
    const server = await start(() => ({}));
    expect((await server.call("PUT", "/models/providers/nobody", { apiKey: "x" })).status).toBe(404);
    expect((await server.call("DELETE", "/models/providers/openai")).status).toBe(404);
  });

  it("may not be in the operator's network when others can reach the server", async () => {
    const canary = await startOther();
    const { port } = new URL(canary.url);
    const server = await start(() => ({ BASE_URL: "https://chat.example.com" }));
    for (const host of [
      "127.0.0.1",
      "2130706433",
      "0x7f.1",
      "[::1]",
      "[::ffff:127.0.0.1]",
      "10.0.0.1",
      "192.168.1.1",
    ]) {
      const body = { baseUrl: `http://${host}:${port}/v1` };
      const { status, body: answer } = await server.call("PUT", "/models/providers/openai-compatible", body);
      expect([host, status, answer.error]).toMatchObject([host, 400, { details: [{ path: "baseUrl" }] }]);
    }
    // The address behind a host name is checked when it is called.
    const byName = { baseUrl: `http://localhost:${port}/v1` };
    expect((await server.call("PUT", "/models/providers/openai-compatible", byName)).status).toBe(200);
    const reply = await server.ask(await server.createAgent("openai-compatible/small"), "Hello?");
    expect(reply.error).toEqual({ code: "MODEL_UNAVAILABLE", message: "The model cannot be reached right now." });
    await server.call("GET", "/models");
    expect(canary.exchanges).toEqual([]);
  });
});

describe("GET /models", () => {
  const list = (...ids: string[]) => JSON.stringify({ data: ids.map((id) => ({ id })) });

  it("lists the providers' models with the default marked, and the usual model of a provider that fails", async () => {
    const server = await start((url) => ({
      OPENAI_API_KEY: "sk-1",
      OPENAI_BASE_URL: `${url}/openai`,
      ANTHROPIC_API_KEY: "sk-ant-1",
      ANTHROPIC_BASE_URL: `${url}/anthropic`,
      GOOGLE_GENERATIVE_AI_API_KEY: "AIza1",
      GOOGLE_GENERATIVE_AI_BASE_URL: `${url}/google`,
      OLLAMA_BASE_URL: `${url}/ollama`,
      FOYER_DEFAULT_MODEL: "openai/gpt-5",
    }));
    server.upstream.script(({ request, response }) => {
      const { url = "", headers } = request;
      if (url === "/openai/models" && headers.authorization === "Bearer sk-1") {
        return response.end(list("gpt-5", "text-embedding-3-small"));
      }
      if (url.startsWith("/anthropic/models") && headers["x-api-key"] === "sk-ant-1")
        return response.end(list("claude-x"));
      if (url.startsWith("/google/models") && headers["x-goog-api-key"] === "AIza1") {
        const usable = { name: "models/gemini-y", supportedGenerationMethods: ["generateContent"] };
        return response.end(JSON.stringify({ models: [usable, { name: "models/e", supportedGenerationMethods: [] }] }));
      }
      return response.writeHead(500).end("out of order");
    });
    const { status, body } = await server.call("GET", "/models");
    expect([status, body.error]).toEqual([200, null]);
    expect(body.data).toEqual([
      { id: "foyer/demo", provider: "foyer", name: "Demo (no AI)", isDefault: false },
      { id: "openai/gpt-5", provider: "openai", name: "gpt-5", isDefault: true },
      { id: "anthropic/claude-x", provider: "anthropic", name: "claude-x", isDefault: false },
      { id: "google/gemini-y", provider: "google", name: "gemini-y", isDefault: false },
    ]);
    server.upstream.script(({ response }) => response.writeHead(500).end("out of order"));
    const ids = (await server.call("GET", "/models")).body.data.map(({ id }: { id: string }) => id);
    const usual = ["openai/gpt-5.4-mini", "anthropic/claude-haiku-4-5", "google/gemini-flash-latest"];
    expect(ids).toEqual(["foyer/demo", ...usual]);
  });

  it("lists the organization's own models and requires a key", async () => {
    const server = await start(() => ({}));
    const other = await startOther();
    other.script(({ response }) => response.end(list("qwen3:8b")));
    await server.call("PUT", "/models/providers/ollama", { baseUrl: other.url });
    const ids = async (owner = server.owner) =>
      (await server.call("GET", "/models", undefined, owner)).body.data.map(({ id }: { id: string }) => id);
    expect(await ids()).toEqual(["foyer/demo", "ollama/qwen3:8b"]);
    expect(await ids(await server.server.createAccount())).toEqual(["foyer/demo"]);
    for (const url of ["/models", "/models/providers"]) {
      expect((await server.server.app.inject({ method: "GET", url })).statusCode).toBe(401);
    }
  });

  it.each([
    [{}, "foyer/demo"],
    [{ OLLAMA_BASE_URL: "http://127.0.0.1:1" }, "foyer/demo"],
    [{ MISTRAL_API_KEY: "m", ANTHROPIC_API_KEY: "a" }, "anthropic/claude-haiku-4-5"],
    [{ MISTRAL_API_KEY: "m", FOYER_DEFAULT_MODEL: "mistral/codestral" }, "mistral/codestral"],
  ])("with %j gives a new agent %s", async (environment, model) => {
    const server = await start(() => environment);
    const { body } = await server.call("POST", "/agents", { name: "Plain" });
    expect(body.data.model).toBe(model);
  });
});
