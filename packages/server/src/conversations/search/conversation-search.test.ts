import { sql } from "kysely";
import { afterAll, beforeAll, expect, it } from "vitest";
import { insertConversation } from "../../../../../test/conversation-seed.ts";
import { onBothDatabases, type TestDatabase } from "../../../../../test/databases.ts";
import { createAgent } from "../../../../../test/factories.ts";
import { startServer, type TestServer } from "../../../../../test/server.ts";
import { hasText, prepareTextSearch } from "./find-text.ts";
import { type ConversationTextIndex, createConversationTextIndex } from "./text-index.ts";

onBothDatabases("the search of conversations", (createDatabase) => {
  let database: TestDatabase;
  let server: TestServer;
  let account: Awaited<ReturnType<TestServer["createAccount"]>>;
  let agentId: string;
  let index: ConversationTextIndex;
  beforeAll(async () => {
    database = await createDatabase();
    server = await startServer({ database });
    account = await server.createAccount();
    agentId = await createAgent(account);
    index = createConversationTextIndex({ db: server.deps.db, address: database.address }, server.deps.log);
  });
  afterAll(async () => {
    await index.stop();
    await server.stop();
    await database.drop();
  });

  const add = (...contents: string[]) =>
    insertConversation(
      server.deps.db,
      { organizationId: account.organizationId, agentId },
      {},
      contents.map((content) => ({ content, stopReason: "end_turn" })),
    );
  const indexAll = () => index.index(Date.now() + 1_000);
  const find = async (q: string): Promise<string[]> => {
    const { body } = await account.call("GET", `/conversations?agentId=${agentId}&q=${encodeURIComponent(q)}`);
    expect(body.pagination.total).toBe(body.data.length);
    return body.data.map((row: { id: string }) => row.id);
  };
  const countIndexed = async () => {
    const { rows } = await sql<{ n: number }>`select count(*) as n from "searchTexts"`.execute(server.deps.db);
    return Number(rows[0]?.n);
  };

  it("finds the same before and after the conversations are indexed", async () => {
    const bike = await add("A red bike, 100% wool_saddle", "It costs 20 €.");
    const sushi = await add("注文した商品の配送はいつですか");
    const umlauts = await add("Äpfel und ÖL", "Straße İzmir ΟΔΟΣ");
    const expected: Array<[string, string[]]> = [
      ["RED BIKE", [bike]],
      ["ed bi", [bike]],
      ["100% wool_", [bike]],
      ["re_%bike", []],
      ["dd", [bike]],
      ["€", [bike]],
      ["配送", [sushi]],
      ["送", [sushi]],
      ["äPFEL UND öl", [umlauts]],
      ["zmir", [umlauts]],
      ["traße", [umlauts]],
      ["zeppelin", []],
    ];
    const search = async () => {
      const found: Array<[string, string[]]> = [];
      for (const [q] of expected) found.push([q, await find(q)]);
      return found;
    };
    expect(await search()).toEqual(expected);
    await indexAll();
    expect(await countIndexed()).toBe(3);
    expect(await search()).toEqual(expected);
  });

  it("finds a message that arrives after its conversation was indexed, and indexes it later", async () => {
    const payload = { agentId, messages: [{ role: "user", content: "First words" }] };
    const started = await server.app.inject({ method: "POST", url: "/chat", payload });
    const id = started.body.match(/conv_[0-9a-z]{26}/)?.[0] ?? "";
    const token = started.body.match(/"conversationToken":"([^"]+)"/)?.[1] ?? "";
    await indexAll();
    const next = { agentId, conversationId: id, messages: [{ role: "user", content: "A xylophone" }] };
    const headers = { "foyer-conversation-token": token };
    const answered = await server.app.inject({ method: "POST", url: "/chat", payload: next, headers });
    expect(answered.statusCode).toBe(200);
    expect(await find("xylophone")).toEqual([id]);
    await indexAll();
    expect(await find("xylophone")).toEqual([id]);
    expect(await find("first words")).toEqual([id]);
  });

  it("leaves a reply that is running, and everything after it, to the next time", async () => {
    const { db } = server.deps;
    const id = await add("A quagga", "It is");
    await db
      .updateTable("messages")
      .set({ stopReason: null, updatedAt: Date.now() })
      .where("conversationId", "=", id)
      .execute();
    const before = await countIndexed();
    await indexAll();
    expect(await countIndexed()).toBe(before);
    await db
      .updateTable("messages")
      .set({ content: "It is an okapi", stopReason: "end_turn" })
      .where("conversationId", "=", id)
      .where("position", "=", 1)
      .execute();
    expect(await find("okapi")).toEqual([id]);
    await indexAll();
    expect(await countIndexed()).toBe(before + 1);
    expect(await find("okapi")).toEqual([id]);
  });

  it("finds the same when it begins with the list, as it does for a text that many conversations can contain", async () => {
    for (let number = 0; number < 3; number++) await add(`A common gizmo ${number}`);
    await indexAll();
    const prepared = await prepareTextSearch(server.deps, account.organizationId, "gizmo");
    expect(prepared.candidates).toBe("few");
    const found: number[] = [];
    for (const candidates of ["some", "many"] as const) {
      const matching = server.deps.db
        .selectFrom("conversations")
        .select("id")
        .where("organizationId", "=", account.organizationId)
        .where(hasText(server.deps.databaseKind, { ...prepared, candidates }));
      const rows = await server.deps.reads.run(matching, { lane: "search", owner: account.organizationId });
      found.push(rows.length);
    }
    expect(found).toEqual([3, 3]);
  });

  it("removes the index of a conversation with it, and never finds another organization's", async () => {
    const id = await add("A wombat");
    await indexAll();
    const before = await countIndexed();
    const other = await server.createAccount();
    const foreign = await other.call("GET", `/conversations?status=open&q=wombat`);
    expect(foreign.body.data).toEqual([]);
    await account.call("DELETE", `/conversations/${id}`);
    expect(await countIndexed()).toBe(before - 1);
    const left =
      server.deps.databaseKind === "sqlite"
        ? await sql<{ n: number }>`select count(*) as n from "searchKeys_docsize"`.execute(server.deps.db)
        : null;
    expect(Number(left?.rows[0]?.n ?? before - 1)).toBe(before - 1);
  });
});
