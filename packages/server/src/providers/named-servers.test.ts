import { createRequire } from "node:module";
import type * as eventStreamCodec from "@smithy/eventstream-codec";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openChat } from "../../../../test/chat-client.ts";
import { onBothDatabases, type TestDatabase } from "../../../../test/databases.ts";
import { createAgent, createTool } from "../../../../test/factories.ts";
import { startServer, type TestServer } from "../../../../test/server.ts";
import { type Exchange, eventStream, sayWords, startUpstream, type Upstream } from "../../../../test/upstream.ts";
import { readEnvironment } from "../create-deps.ts";

// The package's modules for bundlers cannot be loaded by Node.js.
const { EventStreamCodec }: typeof eventStreamCodec = createRequire(import.meta.url)("@smithy/eventstream-codec");
const key = "sk-1234567890-secret";

onBothDatabases("a server under a name of its own", (createDatabase) => {
  let database: TestDatabase;
  let server: TestServer;
  let upstream: Upstream;
  let owner: Awaited<ReturnType<TestServer["createAccount"]>>;

  beforeAll(async () => {
    database = await createDatabase();
    upstream = await startUpstream();
    server = await startServer({
      database,
      listen: true,
      env: {
        OPENAI_COMPATIBLE_BASE_URL_MY_LAB: `${upstream.url}/lab/v1`,
        OPENAI_COMPATIBLE_API_KEY_MY_LAB: "operator-key",
        FOYER_DEFAULT_MODEL: "my-lab/house",
        FOYER_LIMIT_CHAT_PER_IP: "0",
      },
    });
  });
  beforeEach(async () => {
    owner = await server.createAccount();
    upstream.script(sayWords("Hello."));
  });
  afterAll(async () => {
    await server.stop();
    await upstream.stop();
    await database.drop();
  });

  const put = (name: string, body: object) => owner.call("PUT", `/models/providers/${name}`, body);
  const compatible = (path = "/v1") => ({ kind: "openai-compatible", baseUrl: `${upstream.url}${path}`, apiKey: key });
  const list = async () =>
    (await owner.call("GET", "/models/providers")).body.data as Array<{ provider: string; kind: string | null }>;
  /** Chats as a visitor. @returns the reply as members see it, and the requests that reached the provider */
  async function chat(agentId: string) {
    upstream.exchanges.length = 0;
    const stream = await openChat(server.url, { agentId, messages: [{ role: "user", content: "Hi" }] });
    await stream.ended;
    const { conversationId } = stream.events[0] as unknown as { conversationId: string };
    const { body } = await owner.call("GET", `/conversations/${conversationId}`);
    const sent = upstream.exchanges.filter(({ request }) => request.method === "POST");
    return { reply: body.data.messages[1], sent };
  }

  it("is the prefix of the ids of its models", async () => {
    expect((await put("groq", compatible("/groq/v1"))).status).toBe(200);
    expect((await put("openrouter", compatible("/router/v1"))).status).toBe(200);
    for (const [name, path] of [
      ["groq", "/groq/v1/chat/completions"],
      ["openrouter", "/router/v1/chat/completions"],
    ] as const) {
      const agentId = await createAgent(owner, { model: `${name}/meta/llama-4` });
      const { reply, sent } = await chat(agentId);
      expect([reply.content, reply.model]).toEqual(["Hello.", `${name}/meta/llama-4`]);
      expect([sent[0]?.request.url, sent[0]?.request.headers.authorization]).toEqual([path, `Bearer ${key}`]);
      expect(JSON.parse(sent[0]?.body ?? "").model).toBe("meta/llama-4");
    }
  });

  it("of the environment is used without any setting", async () => {
    const { reply, sent } = await chat(await createAgent(owner));
    expect([reply.content, reply.model]).toEqual(["Hello.", "my-lab/house"]);
    expect([sent[0]?.request.url, sent[0]?.request.headers.authorization]).toEqual([
      "/lab/v1/chat/completions",
      "Bearer operator-key",
    ]);
  });

  it.each(["sk-1\n", "sk-1\r\nx-other: 1", "sk\u0000"])(
    "does not accept the key %j, which no header can carry",
    async (apiKey) => {
      expect((await put("groq", { ...compatible(), apiKey })).status).toBe(400);
    },
  );

  it("is listed with its kind, and without its key", async () => {
    await put("groq", compatible());
    const providers = await list();
    expect(providers.filter(({ kind }) => kind !== null)).toEqual([
      {
        provider: "my-lab",
        label: "my-lab",
        kind: "openai-compatible",
        needsBaseUrl: true,
        source: "environment",
        baseUrl: null,
        resourceName: null,
        apiVersion: null,
        region: null,
      },
      {
        provider: "groq",
        label: "groq",
        kind: "openai-compatible",
        needsBaseUrl: true,
        source: "account",
        baseUrl: `${upstream.url}/v1`,
        resourceName: null,
        apiVersion: null,
        region: null,
      },
    ]);
    expect(JSON.stringify(providers)).not.toContain(key);
  });

  it("lists its models under its name", async () => {
    await put("groq", compatible());
    upstream.script(({ request, response }) => {
      response.writeHead(request.url === "/v1/models" ? 200 : 404, { "content-type": "application/json" });
      response.end(JSON.stringify({ data: [{ id: "llama-4" }] }));
    });
    const { body } = await owner.call("GET", "/models");
    expect(body.data.map(({ id }: { id: string }) => id)).toContain("groq/llama-4");
  });

  it("is changed without naming its kind again, and deleted", async () => {
    await put("groq", compatible("/old"));
    expect((await put("groq", { baseUrl: `${upstream.url}/new`, apiKey: key })).body.data.baseUrl).toBe(
      `${upstream.url}/new`,
    );
    expect((await owner.call("DELETE", "/models/providers/groq")).status).toBe(200);
    expect((await list()).map(({ provider }) => provider)).not.toContain("groq");
    expect((await put("groq", { baseUrl: upstream.url })).status).toBe(404);
  });

  it("can be a fallback model, which an unknown server cannot", async () => {
    await put("groq", compatible());
    const agentId = await createAgent(owner, { fallbackModels: ["groq/llama-4"] });
    upstream.script((exchange) =>
      exchange.request.url?.startsWith("/lab")
        ? void exchange.response.writeHead(503).end()
        : sayWords("From Groq.")(exchange),
    );
    const { reply } = await chat(agentId);
    expect([reply.content, reply.model, reply.fallbackFrom]).toEqual(["From Groq.", "groq/llama-4", "my-lab/house"]);
    const refused = await owner.call("PATCH", `/agents/${agentId}`, { fallbackModels: ["nobody/llama-4"] });
    expect([refused.status, refused.body.error.details[0].path]).toEqual([400, "fallbackModels.0"]);
  });

  it("belongs to one organization", async () => {
    await put("groq", compatible());
    const other = await server.createAccount();
    const listed = (await other.call("GET", "/models/providers")).body.data;
    expect(listed.map(({ provider }: { provider: string }) => provider)).not.toContain("groq");
    expect((await other.call("POST", "/models/providers/groq/test", {})).status).toBe(404);
    expect((await other.call("DELETE", "/models/providers/groq")).status).toBe(404);
    const agentId = await createAgent(other, { model: "groq/llama-4" });
    const stream = await openChat(server.url, { agentId, messages: [{ role: "user", content: "Hi" }] });
    expect(stream.response.status).toBe(503);
  });

  it.each(["openai", "openai-compatible", "azure", "bedrock", "foyer"])("cannot be named %s", async (name) => {
    const { status, body } = await put(name, compatible());
    expect([status, body.error.details[0].path]).toEqual([400, "provider"]);
  });

  it.each(["Groq", "g", "9groq", "my_lab", "gröq", "a".repeat(32), "groq.com"])("cannot be named %s", async (name) => {
    const { status, body } = await put(encodeURIComponent(name), compatible());
    expect([status, body.error.details[0].path]).toEqual([400, "provider"]);
  });

  it("needs a kind when its name is new", async () => {
    expect((await put("groq", { baseUrl: upstream.url })).status).toBe(404);
  });

  it.each([
    [{ kind: "openai-compatible" }, "baseUrl"],
    [{ kind: "azure", resourceName: "shop" }, "apiKey"],
    [{ kind: "azure", apiKey: key }, "resourceName"],
    [{ kind: "azure", apiKey: key, resourceName: "shop.evil/x" }, "resourceName"],
    [{ kind: "bedrock", apiKey: key }, "region"],
    [{ kind: "bedrock", region: "eu-central-1" }, "apiKey"],
    [{ kind: "bedrock", region: "eu-central-1", accessKeyId: "AKIA" }, "secretAccessKey"],
    [{ kind: "bedrock", region: "x.evil.example/", apiKey: key }, "region"],
    [{ kind: "vertex", apiKey: key }, "kind"],
    [{ kind: "openai-compatible", baseUrl: "http://169.254.169.254/v1" }, "baseUrl"],
  ])("is refused with the path of what is missing or wrong: %j", async (body, path) => {
    const refused = await put("server", body);
    expect([refused.status, refused.body.error.details[0].path]).toEqual([400, path]);
  });

  it("is one of at most 50", async () => {
    for (let n = 0; n < 50; n++) expect((await put(`server-${n}`, compatible())).status).toBe(200);
    expect((await put("one-more", compatible())).status).toBe(409);
    expect((await put("server-7", compatible())).status).toBe(200);
  });

  it("of Azure is asked through its responses, with its key", async () => {
    await put("shop-azure", { kind: "azure", baseUrl: `${upstream.url}/openai`, apiKey: key });
    upstream.script((exchange) => {
      const { send, end } = eventStream(exchange);
      const response = { id: "r1", created_at: 1, model: "gpt-5", service_tier: null };
      send({ type: "response.created", response });
      send({ type: "response.output_item.added", output_index: 0, item: { type: "message", id: "m1" } });
      send({ type: "response.output_text.delta", item_id: "m1", delta: "From Azure." });
      send({ type: "response.output_item.done", output_index: 0, item: { type: "message", id: "m1" } });
      send({ type: "response.completed", response: { usage: { input_tokens: 7, output_tokens: 3 } } });
      end();
    });
    const { reply, sent } = await chat(await createAgent(owner, { model: "shop-azure/my-deployment" }));
    expect([reply.content, reply.usage]).toMatchObject(["From Azure.", { inputTokens: 7, outputTokens: 3 }]);
    expect([sent[0]?.request.url?.split("?")[0], sent[0]?.request.headers["api-key"]]).toEqual([
      "/openai/responses",
      key,
    ]);
    expect(JSON.parse(sent[0]?.body ?? "")).toMatchObject({ model: "my-deployment", store: false, stream: true });
  });

  it("of Azure with a version is asked at the URL of the deployment", async () => {
    const settings = { kind: "azure", baseUrl: `${upstream.url}/openai`, apiKey: key, apiVersion: "2024-10-21" };
    await put("old-azure", settings);
    const { reply, sent } = await chat(await createAgent(owner, { model: "old-azure/my-deployment" }));
    expect(reply.content).toBe("Hello.");
    expect([sent[0]?.request.url, sent[0]?.request.headers["api-key"]]).toEqual([
      "/openai/deployments/my-deployment/chat/completions?api-version=2024-10-21",
      key,
    ]);
  });

  describe("of Bedrock", () => {
    const codec = new EventStreamCodec(
      (bytes) => Buffer.from(bytes).toString(),
      (text) => Buffer.from(text),
    );
    /** Answers with the events of a Converse stream, in their binary form. */
    function converse({ response }: Exchange, events: Array<[type: string, payload: object]>) {
      response.writeHead(200, { "content-type": "application/vnd.amazon.eventstream" });
      for (const [type, payload] of events) {
        const text = (value: string) => ({ type: "string" as const, value });
        response.write(
          codec.encode({
            headers: {
              ":event-type": text(type),
              ":content-type": text("application/json"),
              ":message-type": text("event"),
            },
            body: Buffer.from(JSON.stringify(payload)),
          }),
        );
      }
      response.end();
    }
    const said = (text: string): Array<[string, object]> => [
      ["messageStart", { role: "assistant" }],
      ["contentBlockDelta", { contentBlockIndex: 0, delta: { text } }],
      ["contentBlockStop", { contentBlockIndex: 0 }],
      ["messageStop", { stopReason: "end_turn" }],
      ["metadata", { usage: { inputTokens: 11, outputTokens: 4, totalTokens: 15 }, metrics: { latencyMs: 1 } }],
    ];
    const region = "eu-central-1";

    it("is asked with its API key, and its binary stream is read", async () => {
      await put("aws", { kind: "bedrock", region, baseUrl: upstream.url, apiKey: key });
      upstream.script((exchange) => converse(exchange, said("From Bedrock.")));
      const { reply, sent } = await chat(await createAgent(owner, { model: "aws/eu.amazon.nova-lite-v1:0" }));
      expect([reply.content, reply.usage]).toMatchObject(["From Bedrock.", { inputTokens: 11, outputTokens: 4 }]);
      expect([sent[0]?.request.url, sent[0]?.request.headers.authorization]).toEqual([
        "/model/eu.amazon.nova-lite-v1%3A0/converse-stream",
        `Bearer ${key}`,
      ]);
    });

    it("is asked with a signature when it has an access key", async () => {
      const keys = { accessKeyId: "AKIAEXAMPLE", secretAccessKey: "a secret of the account" };
      await put("aws", { kind: "bedrock", region, baseUrl: upstream.url, ...keys });
      upstream.script((exchange) => converse(exchange, said("Signed.")));
      const { reply, sent } = await chat(await createAgent(owner, { model: "aws/eu.amazon.nova-lite-v1:0" }));
      expect(reply.content).toBe("Signed.");
      expect(sent[0]?.request.headers.authorization).toMatch(
        /^AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE\/\d{8}\/eu-central-1\/bedrock\/aws4_request, SignedHeaders=\S+, Signature=[0-9a-f]{64}$/,
      );
      expect(JSON.stringify(await list())).not.toContain("a secret of the account");
    });

    it("calls tools and receives their results", async () => {
      await put("aws", { kind: "bedrock", region, baseUrl: upstream.url, apiKey: key });
      const agentId = await createAgent(owner, { model: "aws/eu.amazon.nova-lite-v1:0" });
      await createTool(owner, { agentId, name: "stock", executionType: "mock", mockResponse: "7 bikes" } as never);
      let step = 0;
      upstream.script((exchange) => {
        if (step++ > 0) return converse(exchange, said("Seven."));
        const toolUse = { toolUseId: "call_1", name: "stock" };
        return converse(exchange, [
          ["messageStart", { role: "assistant" }],
          ["contentBlockStart", { contentBlockIndex: 0, start: { toolUse } }],
          ["contentBlockDelta", { contentBlockIndex: 0, delta: { toolUse: { input: "{}" } } }],
          ["contentBlockStop", { contentBlockIndex: 0 }],
          ["messageStop", { stopReason: "tool_use" }],
          ["metadata", { usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 }, metrics: { latencyMs: 1 } }],
        ]);
      });
      const { reply, sent } = await chat(agentId);
      expect([reply.content, reply.toolCalls.length]).toEqual(["Seven.", 1]);
      expect(sent[1]?.body).toContain("7 bikes");
    });

    it("shows members its own error", async () => {
      await put("aws", { kind: "bedrock", region, baseUrl: upstream.url, apiKey: key });
      upstream.script(
        ({ response }) =>
          void response
            .writeHead(400, { "content-type": "application/json" })
            .end(JSON.stringify({ message: "The provided model identifier is invalid." })),
      );
      const { reply } = await chat(await createAgent(owner, { model: "aws/nothing" }));
      expect(reply.failure.message).toContain("The provided model identifier is invalid.");
    });
  });

  describe("when it is tested", () => {
    const call = (input: string) => ({
      index: 0,
      id: "call_1",
      type: "function",
      function: { name: "say", arguments: input },
    });
    const test = async (name: string, body: object) =>
      (await owner.call("POST", `/models/providers/${name}/test`, body)).body.data;
    const answer =
      (reply: (exchange: Exchange) => unknown) =>
      (exchange: Exchange): unknown =>
        exchange.request.method === "GET"
          ? void exchange.response
              .writeHead(200, { "content-type": "application/json" })
              .end(JSON.stringify({ data: [{ id: "small" }, { id: "large" }] }))
          : reply(exchange);

    it("reports its models, streaming, calls of tools and pictures", async () => {
      upstream.script(
        answer((exchange) => {
          const { send, end } = eventStream(exchange);
          send({ choices: [{ index: 0, delta: { tool_calls: [call('{"word":"Hello"}')] } }] });
          send({ choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] });
          send("[DONE]");
          end();
        }),
      );
      const tested = await test("groq", { ...compatible(), sendMessage: true });
      expect(tested).toMatchObject({
        success: true,
        error: null,
        models: ["small", "large"],
        streaming: true,
        toolCalls: true,
        images: true,
      });
      expect(upstream.exchanges[1]?.body).toContain("data:image/png;base64,");
      expect((await list()).map(({ provider }) => provider)).not.toContain("groq");
    });

    it("is asked again without a picture when the model refuses it", async () => {
      upstream.script(
        answer((exchange) =>
          exchange.body.includes("image_url")
            ? void exchange.response
                .writeHead(400, { "content-type": "application/json" })
                .end(JSON.stringify({ error: { message: "This model does not support images." } }))
            : sayWords("Hello")(exchange),
        ),
      );
      expect(await test("groq", { ...compatible(), sendMessage: true })).toMatchObject({
        success: true,
        reply: { model: "small", text: "Hello" },
        toolCalls: false,
        images: false,
      });
    });

    it("reports the provider's own sentence when it fails", async () => {
      upstream.script(
        answer(
          ({ response }) =>
            void response
              .writeHead(403, { "content-type": "application/json" })
              .end(JSON.stringify({ error: { message: "Your account has no access to this model." } })),
        ),
      );
      expect(await test("groq", { ...compatible(), sendMessage: true })).toMatchObject({
        success: false,
        error: "HTTP 403: Your account has no access to this model.",
        streaming: null,
        toolCalls: null,
        images: null,
      });
    });

    it("needs the name of a model for a provider without a list", async () => {
      const settings = { kind: "azure", baseUrl: `${upstream.url}/openai`, apiKey: key, apiVersion: "2024-10-21" };
      expect((await test("shop-azure", settings)).error).toBe("Name a model to test with. The provider lists none.");
      upstream.script(sayWords("Hello"));
      expect(await test("shop-azure", { ...settings, model: "gpt" })).toMatchObject({ success: true, models: [] });
    });
  });
});

describe("servers of the environment", () => {
  const read = (environment: Record<string, string>) =>
    readEnvironment({
      FOYER_DATA_DIR: "/tmp",
      FOYER_SECRET: "a secret of the tests, long enough for the server",
      ...environment,
    });

  it("have lower-case names with hyphens", () => {
    const { config } = read({
      OPENAI_COMPATIBLE_BASE_URL_GROQ: "https://api.groq.example/openai/v1/",
      OPENAI_COMPATIBLE_API_KEY_GROQ: "k",
      OPENAI_COMPATIBLE_BASE_URL_MY_LAB: "http://lab:8000/v1",
    });
    expect([...config.models.providers]).toEqual([
      ["groq", { kind: "openai-compatible", apiKey: "k", baseUrl: "https://api.groq.example/openai/v1", server: {} }],
      ["my-lab", { kind: "openai-compatible", apiKey: null, baseUrl: "http://lab:8000/v1", server: {} }],
    ]);
  });

  it.each([
    ["OPENAI_COMPATIBLE_BASE_URL_OPENAI", {}],
    ["OPENAI_COMPATIBLE_BASE_URL_AZURE", {}],
    ["OPENAI_COMPATIBLE_BASE_URL_FOYER", {}],
    ["OPENAI_COMPATIBLE_BASE_URL_9", {}],
    ["OPENAI_COMPATIBLE_BASE_URL_my_lab", { OPENAI_COMPATIBLE_BASE_URL_MY_LAB: "http://lab:8000/v1" }],
  ])("stop the start when %s names no server", (variable, more) => {
    expect(() => read({ [variable]: "http://lab:8001/v1", ...more })).toThrow(variable);
  });
});
