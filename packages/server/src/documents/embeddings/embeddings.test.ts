import type { DocumentEmbeddings, DocumentHit } from "@foyer/contract";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { onBothDatabases, type TestDatabase } from "../../../../../test/databases.ts";
import { conceptVector, type EmbeddingsServer, startEmbeddingsServer } from "../../../../../test/embeddings-server.ts";
import { createAgent } from "../../../../../test/factories.ts";
import { startServer, type TestServer } from "../../../../../test/server.ts";
import { inTransaction } from "../../db/transaction.ts";
import { replaceInIndex, stageChunks } from "../search/passage-index.ts";
import { createPassageSearch } from "../search/passage-search.ts";
import { prepareDocument } from "../search/prepare-document.ts";

const prepare = (title: string, texts: string[]) =>
  prepareDocument({
    title,
    languages: ["en"],
    passages: texts.map((text, ordinal) => ({ ordinal, heading: null, page: null, text, part: "body" })),
  });

const MODEL = "openai-compatible/concepts";

onBothDatabases("search by meaning", (createDatabase) => {
  let database: TestDatabase;
  let provider: EmbeddingsServer;
  let server: TestServer;
  let account: Awaited<ReturnType<TestServer["createAccount"]>>;
  let agentId: string;

  const start = () => startServer({ database, env: { OPENAI_COMPATIBLE_BASE_URL: provider.url } });
  beforeAll(async () => {
    database = await createDatabase();
    provider = await startEmbeddingsServer(conceptVector);
    server = await start();
  });
  afterAll(async () => {
    await server.stop();
    await provider.stop();
    await database.drop();
  });
  beforeEach(async () => {
    provider.reset();
    account = await server.createAccount();
    agentId = await createAgent(account);
  });
  afterEach(() => account.call("PUT", "/documents/embeddings", { model: null }));

  const choose = (model: string | null) => account.call("PUT", "/documents/embeddings", { model });
  const status = async (): Promise<DocumentEmbeddings> =>
    (await account.call("GET", `/documents/embeddings?agentId=${agentId}`)).body;
  const inState = (state: DocumentEmbeddings["state"], expected: Partial<DocumentEmbeddings> = {}) =>
    vi.waitFor(async () => expect(await status()).toMatchObject({ state, ...expected }), {
      timeout: 20_000,
      interval: 20,
    });

  async function add(title: string, text: string): Promise<string> {
    const { body } = await account.call("POST", "/documents", { agentId, kind: "text", title, text });
    await vi.waitFor(
      async () => expect((await account.call("GET", `/documents/${body.id}`)).body).toMatchObject({ state: "ready" }),
      { timeout: 60_000, interval: 20 },
    );
    return body.id;
  }

  async function search(query: string, of = server): Promise<DocumentHit[]> {
    const { headers } = account;
    const payload = { agentId, query };
    const response = await of.app.inject({ method: "POST", url: "/documents/search", headers, payload });
    expect(response.statusCode, response.body).toBe(200);
    return response.json().hits;
  }
  const found = async (query: string) => (await search(query)).map(({ title, matchedBy }) => `${title}: ${matchedBy}`);
  const vectors = (table: "chunkVectors" | "vectorSigns" = "chunkVectors") =>
    server.deps.db.selectFrom(table).selectAll().where("agentId", "=", agentId).execute();

  async function addShop() {
    await add("Parking", "You can leave your car behind the shop.");
    await add("Returns", "You get a refund within 30 days.");
  }

  it("is off until a model is chosen, and suggests models of the configured providers", async () => {
    await addShop();
    expect(await status()).toEqual({
      model: null,
      state: "off",
      passages: 2,
      vectors: 0,
      skipped: 0,
      tokens: 0,
      oversizedAgentIds: [],
      error: null,
      suggestions: [],
    });
    expect(await found("Where does my automobile go?")).toEqual([]);
    await account.call("PUT", "/models/providers/mistral", { apiKey: "sk-test" });
    expect((await status()).suggestions).toEqual(["mistral/mistral-embed"]);
    // Only the list of models was requested, which decides the default model.
    expect(provider.exchanges.filter(({ request }) => request.method === "POST")).toEqual([]);
  });

  it("finds passages that share no word with the question, and says how each was found", async () => {
    await addShop();
    expect((await choose(MODEL)).status).toBe(200);
    await inState("ready", { model: MODEL, passages: 2, vectors: 2, tokens: 10, error: null });
    expect(provider.texts).toContain("Parking\nYou can leave your car behind the shop.");
    const [first] = await search("Where does my automobile go?");
    expect(first).toMatchObject({ title: "Parking", matchedBy: "meaning", matched: [] });
    expect(first?.score).toBeGreaterThan(0.5);
    expect((await found("Where is the car?"))[0]).toBe("Parking: both");
  });

  it("finds a new document by its words while its vectors are being created", async () => {
    await choose(MODEL);
    await addShop();
    await inState("ready", { vectors: 2 });
    const asked = provider.next();
    provider.script(() => {});
    await add("Opening", "The store opens at nine, tomcats welcome.");
    const held = await asked;
    provider.reset();
    expect(await found("tomcats")).toContain("Opening: words");
    expect(await status()).toMatchObject({ state: "embedding", passages: 3, vectors: 2 });
    provider.answer(held);
    await inState("ready", { vectors: 3 });
  });

  it("searches by words alone when the provider takes longer than 800 ms, and shows it", async () => {
    await addShop();
    await choose(MODEL);
    await inState("ready");
    provider.script(() => {});
    const startedAt = performance.now();
    expect(await found("car")).toEqual(["Parking: words"]);
    expect(performance.now() - startedAt).toBeGreaterThan(700);
    expect(await status()).toMatchObject({ state: "failing", error: { message: "Timed out." } });
    provider.reset();
    expect((await found("automobile"))[0]).toBe("Parking: meaning");
    expect(await status()).toMatchObject({ state: "ready", error: null });
  });

  it.each([
    ["fails", () => provider.fail(500, "out of order"), "HTTP 500: out of order"],
    [
      "rejects the key",
      () => provider.fail(401, "Incorrect API key: sk-1234567890"),
      "HTTP 401: Incorrect API key: ***",
    ],
    ["answers with something else", () => provider.script(({ response }) => response.end("<html>")), /not JSON/],
    ["answers without vectors", () => provider.script(({ response }) => response.end("{}")), /0 vectors for 1/],
    [
      "answers with words for numbers",
      () => provider.script((exchange) => provider.answer(exchange, () => ["x"] as never)),
      /no usable vectors/,
    ],
    [
      "answers with vectors of another length",
      () => provider.script((exchange) => provider.answer(exchange, () => [1, 2, 3])),
      /3 dimensions, but the passages' vectors have 13/,
    ],
    ["closes the connection", () => provider.script(({ request }) => request.socket.destroy()), "Not reachable."],
  ])("searches by words alone when the provider %s", async (_what, script, message) => {
    await addShop();
    await choose(MODEL);
    await inState("ready");
    script();
    expect(await found("car")).toEqual(["Parking: words"]);
    const expected = typeof message === "string" ? message : expect.stringMatching(message);
    expect(await status()).toMatchObject({ state: "failing", error: { message: expected } });
  });

  it("does not wait for a provider that failed three times in a row", async () => {
    await addShop();
    await choose(MODEL);
    await inState("ready");
    provider.fail(503, "down");
    for (let n = 0; n < 5; n++) expect(await found("car")).toEqual(["Parking: words"]);
    expect(provider.exchanges).toHaveLength(3);
  });

  it("retries passages whose embedding failed, and shows why until it works", async () => {
    await choose(MODEL);
    provider.fail(429, "Quota exceeded");
    await addShop();
    await inState("failing", { vectors: 0, error: expect.objectContaining({ message: "HTTP 429: Quota exceeded" }) });
    expect(await found("car")).toEqual(["Parking: words"]);
    provider.reset();
    await inState("ready", { vectors: 2, error: null });
  });

  it("skips a passage that the provider rejects, and embeds the others", async () => {
    await add("First", "You get a refund.");
    await choose(MODEL);
    await inState("ready", { vectors: 1 });
    provider.script((exchange) => {
      if (!exchange.body.includes("unmentionable")) return provider.answer(exchange);
      return exchange.response.writeHead(400).end(JSON.stringify({ error: { message: "content policy" } }));
    });
    await add("Second", "Something unmentionable.");
    await add("Third", "You can leave your car here.");
    await inState("ready", { vectors: 2, skipped: 1, error: null });
  });

  it("does not mix vectors of different lengths", async () => {
    await addShop();
    await choose(MODEL);
    await inState("ready");
    provider.script((exchange) => provider.answer(exchange, () => [1, 2, 3]));
    await add("Opening", "The store opens at nine.");
    const message = expect.stringMatching(/with 3 dimensions instead of 13/);
    await inState("failing", { vectors: 2, error: expect.objectContaining({ message }) });
  });

  it("keeps searching with the old vectors while passages are embedded with another model", async () => {
    await addShop();
    await choose(MODEL);
    await inState("ready");
    const other = "openai-compatible/other";
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const other32 = (text: string) => [...conceptVector(text), ...conceptVector(text)];
    provider.script(async (exchange) => {
      const isOther = JSON.parse(exchange.body).model === "other";
      if (isOther && exchange.body.includes("refund")) await released;
      provider.answer(exchange, isOther ? other32 : conceptVector);
    });
    expect((await choose(other)).body).toMatchObject({ model: other, state: "embedding", vectors: 0 });
    expect((await found("automobile"))[0]).toBe("Parking: meaning");
    release();
    await inState("ready", { model: other, vectors: 2 });
    expect((await found("automobile"))[0]).toBe("Parking: meaning");
    await vi.waitFor(async () => expect((await vectors()).map(({ model }) => model)).toEqual([other, other]), 60_000);
  });

  it("embeds one organization's passages while another with many agents waits for a slow provider", async () => {
    const released = Promise.withResolvers<void>();
    let waiting = 0;
    provider.script(async (exchange) => {
      if (exchange.body.includes("slowly")) {
        waiting++;
        await released.promise;
      }
      provider.answer(exchange);
    });
    const slow = await server.createAccount();
    for (let count = 0; count < 5; count++) {
      const text = { kind: "text", title: "Slow", text: "This text is embedded slowly." };
      await slow.call("POST", "/documents", { agentId: await createAgent(slow), ...text });
    }
    await slow.call("PUT", "/documents/embeddings", { model: MODEL });
    await vi.waitFor(() => expect(waiting).toBeGreaterThan(1), 60_000);
    try {
      await addShop();
      await choose(MODEL);
      await inState("ready");
    } finally {
      released.resolve();
      await slow.call("PUT", "/documents/embeddings", { model: null });
    }
  });

  it("deletes a document's vectors with the document, even while they are being created", async () => {
    await choose(MODEL);
    const parking = await add("Parking", "You can leave your car behind the shop.");
    await inState("ready", { vectors: 1 });
    const asked = provider.next();
    provider.script(() => {});
    const { body } = await account.call("POST", "/documents", { agentId, kind: "text", title: "A", text: "A car." });
    const held = await asked;
    await account.call("DELETE", `/documents/${body.id}`);
    provider.reset();
    provider.answer(held);
    await inState("ready", { passages: 1, vectors: 1 });
    await account.call("DELETE", `/documents/${parking}`);
    expect(await status()).toMatchObject({ passages: 0, vectors: 0 });
    expect([await vectors(), await vectors("vectorSigns")]).toEqual([[], []]);
    expect(await found("automobile")).toEqual([]);
  });

  it("replaces a document's vectors when its content changes", async () => {
    await choose(MODEL);
    const id = await add("Parking", "You can leave your car behind the shop.");
    await inState("ready", { vectors: 1 });
    expect((await found("automobile"))[0]).toBe("Parking: meaning");
    const text = "You get a refund within 30 days.";
    const asked = provider.next();
    provider.script(() => {});
    await account.call("PUT", `/documents/${id}`, { text });
    const held = await asked;
    // The transaction that published the new version has deleted the old vectors, and the new ones are not there yet.
    expect([await vectors(), await vectors("vectorSigns")]).toEqual([[], []]);
    provider.reset();
    provider.answer(held);
    await vi.waitFor(async () => expect(await search("reimbursement")).toMatchObject([{ text }]), 60_000);
    expect(await vectors()).toHaveLength(1);
    expect(await found("automobile")).toEqual([]);
  });

  it("deletes all vectors when it is turned off or the agent is deleted", async () => {
    await addShop();
    await choose(MODEL);
    await inState("ready");
    await choose(null);
    await inState("off", { vectors: 0 });
    expect(await found("automobile")).toEqual([]);
    await vi.waitFor(async () => expect(await vectors()).toEqual([]), 60_000);
    await choose(MODEL);
    await vi.waitFor(async () => expect(await status()).toMatchObject({ state: "ready", vectors: 2 }), 70_000);
    await account.call("DELETE", `/agents/${agentId}`);
    const left = () =>
      server.deps.db.selectFrom("agentEmbeddings").selectAll().where("agentId", "=", agentId).execute();
    await vi.waitFor(async () => expect([await vectors(), await left()]).toEqual([[], []]), 60_000);
  }, 90_000);

  it("refuses a model that cannot be used, and says why", async () => {
    provider.fail(404, "The model `nothing` does not exist");
    const cases = [
      ["openai-compatible/nothing", /HTTP 404: The model `nothing` does not exist/],
      ["openai/text-embedding-3-small", /not configured/],
      ["anthropic/claude", /not configured/],
      ["concepts", /not configured/],
      ["openai-compatible/../../x", /not configured/],
    ] as const;
    for (const [model, message] of cases) {
      const { status, body } = await choose(model);
      expect([status, body.error.details[0].path], model).toEqual([400, "model"]);
      expect(JSON.stringify(body.error), model).toMatch(message);
    }
    expect((await status()).state).toBe("off");
  });

  it("keeps organizations apart", async () => {
    await addShop();
    await choose(MODEL);
    await inState("ready");
    const stranger = await server.createAccount();
    expect((await stranger.call("GET", `/documents/embeddings?agentId=${agentId}`)).status).toBe(404);
    expect((await stranger.call("POST", "/documents/search", { agentId, query: "car" })).status).toBe(404);
    expect((await stranger.call("GET", "/documents/embeddings")).body).toMatchObject({ model: null, passages: 0 });
    await stranger.call("PUT", "/documents/embeddings", { model: null });
    expect(await status()).toMatchObject({ state: "ready", vectors: 2 });
    const query = { organizationId: stranger.organizationId, agentId };
    const foreign = server.deps.db.selectFrom("chunkVectors").where("organizationId", "=", query.organizationId);
    expect(await foreign.selectAll().execute()).toEqual([]);
  });

  it("counts the tokens of passages and questions towards the agent and, with the server's key, the plan", async () => {
    await addShop();
    await choose(MODEL);
    await inState("ready", { tokens: 10 });
    const { db } = server.deps;
    const used = await db.selectFrom("agentMonths").select("tokens").where("agentId", "=", agentId).execute();
    const ofPlan = db.selectFrom("organizationMonths").select("tokens");
    expect(used).toEqual([{ tokens: 10 }]);
    expect(await ofPlan.where("organizationId", "=", account.organizationId).execute()).toEqual([{ tokens: 10 }]);
  });

  it("embeds a large document that became visible after others with higher numbers", async () => {
    const { db } = server.deps;
    const { organizationId } = account;
    const passageSearch = createPassageSearch({ db, address: database.address }, console);
    const large = prepare(
      "Large",
      Array.from({ length: 120 }, (_, n) => `Paragraph ${n} about the car.`),
    );
    const version = { organizationId, agentId, documentId: `${agentId}-large`, version: 1 };
    const small = { ...version, documentId: `${agentId}-small` };
    const meaning = { model: MODEL, vectors: [Float32Array.from(conceptVector("automobile"))] };
    const near = () => passageSearch.search({ organizationId, agentId, queries: ["?"], limit: 50, meaning });
    await choose(MODEL);
    const staged = await stageChunks(db, version, large);
    const refund = prepare("Small", ["You get a refund."]);
    await inTransaction(db, (trx) => replaceInIndex(trx, small, { prepared: refund }));
    await inState("ready", { passages: 1, vectors: 1 });
    expect(await near()).toEqual([]);
    await inTransaction(db, (trx) => replaceInIndex(trx, version, { prepared: large, staged }));
    await inState("ready", { passages: 121, vectors: 121 });
    expect((await near()).map(({ documentId }) => documentId)).toEqual(Array(3).fill(`${agentId}-large`));
    await passageSearch.close();
  });

  it("finds in every process what another one has embedded", async () => {
    if (database.address.kind === "sqlite") return;
    const other = await start();
    await choose(MODEL);
    await add("Parking", "You can leave your car behind the shop.");
    await inState("ready", { vectors: 1 });
    expect((await search("automobile", other))[0]).toMatchObject({ title: "Parking", matchedBy: "meaning" });
    await add("Garage", "Vehicles are repaired here.");
    await inState("ready", { vectors: 2 });
    const titles = (await search("automobile", other)).map(({ title }) => title);
    expect(titles).toEqual(["Parking", "Garage"]);
    await other.stop();
  });
});
