import { afterAll, beforeAll, expect, it } from "vitest";
import { startServer, type TestServer } from "../../../../test/server.ts";
import { type Exchange, startUpstream, type Upstream } from "../../../../test/upstream.ts";

let server: TestServer;
let upstream: Upstream;
let organizationId: string;
beforeAll(async () => {
  upstream = await startUpstream();
  server = await startServer();
  const account = await server.createAccount();
  organizationId = account.organizationId;
  for (const provider of ["openai", "google", "mistral", "ollama", "openai-compatible", "anthropic"]) {
    const saved = await account.call("PUT", `/models/providers/${provider}`, { apiKey: "sk-1", baseUrl: upstream.url });
    expect(saved.status).toBe(200);
  }
});
afterAll(async () => {
  await server.stop();
  await upstream.stop();
});

const reply =
  (body: unknown, status = 200) =>
  ({ response }: Exchange) =>
    void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));

async function embed(model: string, texts = ["one", "two"]) {
  const embedder = await server.deps.models.embedder(organizationId, model);
  return embedder.embed({ texts, purpose: "document", timeoutMs: 5_000 });
}

it.each([
  ["openai/m", "/v1/embeddings"],
  ["mistral/m", "/v1/embeddings"],
  ["ollama/m:latest", "/v1/embeddings"],
  ["openai-compatible/team/m", "/embeddings"],
])("the embedder requests embeddings of %s at %s, and returns them in the order of the texts", async (model, path) => {
  const data = [
    { index: 1, embedding: [0, 2] },
    { index: 0, embedding: [1, 0] },
  ];
  upstream.script(reply({ data, usage: { prompt_tokens: 7, total_tokens: 7 } }));
  const vectors = [
    [1, 0],
    [0, 2],
  ];
  expect(await embed(model)).toEqual({ vectors, tokens: 7 });
  const [{ request, body }] = upstream.exchanges as [Exchange];
  expect([request.method, request.url, request.headers.authorization]).toEqual(["POST", path, "Bearer sk-1"]);
  expect(JSON.parse(body)).toEqual({ model: model.slice(model.indexOf("/") + 1), input: ["one", "two"] });
});

it("the embedder requests a batch from Google, and estimates the tokens that Google does not count", async () => {
  upstream.script(reply({ embeddings: [{ values: [1, 0] }, { values: [0, 1] }] }));
  expect(await embed("google/gemini-embedding-001")).toMatchObject({ tokens: 2 });
  const [{ request, body }] = upstream.exchanges as [Exchange];
  expect(request.url).toBe("/v1beta/models/gemini-embedding-001:batchEmbedContents");
  expect(request.headers["x-goog-api-key"]).toBe("sk-1");
  expect(JSON.parse(body).requests[0]).toEqual({
    model: "models/gemini-embedding-001",
    content: { parts: [{ text: "one" }] },
    taskType: "RETRIEVAL_DOCUMENT",
  });
});

it("the embedder accepts vectors without an index", async () => {
  upstream.script(reply({ data: [{ embedding: [1, 0] }, { embedding: [0, 1] }] }));
  expect((await embed("ollama/m")).vectors).toEqual([
    [1, 0],
    [0, 1],
  ]);
});

it.each([
  [{ data: [{ index: 0, embedding: [1, 0] }] }, /1 vectors for 2 texts/],
  [
    {
      data: [
        { index: 0, embedding: [1, 0] },
        { index: 0, embedding: [1, 0] },
      ],
    },
    /vectors/,
  ],
  [{ data: [{ embedding: [1, 0] }, { embedding: [1, 0, 0] }] }, /different lengths/],
  [{ data: [{ embedding: [0, 0] }, { embedding: [0, 0] }] }, /no usable vectors/],
  [{ data: [{ embedding: [1, null] }, { embedding: [1, 1] }] }, /no usable vectors/],
  [{ data: [null, 7] }, /no usable vectors/],
  [{ data: "many" }, /0 vectors/],
  ["text", /not JSON/],
  [{ data: [1, 2].map(() => ({ embedding: new Array(4_097).fill(1) })) }, /4097 dimensions. At most 4,096/],
])("the embedder rejects the response %#", async (body, message) => {
  upstream.script(reply(body));
  await expect(embed("openai/m")).rejects.toThrow(message);
});

it("the embedder explains why a provider failed, without the key", async () => {
  upstream.script(reply({ error: { message: "Incorrect API key provided: sk-1" } }, 401));
  await expect(embed("openai/m")).rejects.toMatchObject({ status: 401, message: expect.not.stringContaining("sk-1") });
});

it("Anthropic offers no embeddings", async () => {
  await expect(embed("anthropic/claude")).rejects.toMatchObject({ code: "MODEL_NOT_CONFIGURED" });
});
