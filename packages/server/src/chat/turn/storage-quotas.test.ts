import { afterAll, beforeAll, expect, it } from "vitest";
import { openChat } from "../../../../../test/chat-client.ts";
import { onBothDatabases, type TestDatabase } from "../../../../../test/databases.ts";
import { createAgent } from "../../../../../test/factories.ts";
import { startServer, type TestServer } from "../../../../../test/server.ts";
import { sayWords, startUpstream, type Upstream } from "../../../../../test/upstream.ts";
import type { Change } from "../../conversations/log/change.ts";
import type { AgentRow } from "../../db/tables.ts";
import { inTransaction } from "../../db/transaction.ts";
import { addBytesToday, DOCUMENTS } from "../../plans/byte-quota.ts";
import { createChatBytes } from "./chat-bytes.ts";

const MB = 1_000_000;

onBothDatabases("the quotas of storage", (createDatabase) => {
  let database: TestDatabase;
  let server: TestServer;
  let model: Upstream;
  beforeAll(async () => {
    database = await createDatabase();
    model = await startUpstream(sayWords("Fine."));
    const env = {
      OPENAI_COMPATIBLE_BASE_URL: model.url,
      FOYER_DEFAULT_MODEL: "openai-compatible/test",
      FOYER_LIMIT_CHAT_BYTES_PER_DAY: "100000",
      FOYER_LIMIT_CHAT_PER_SESSION: "0",
    };
    server = await startServer({ database, env, listen: true });
  });
  afterAll(async () => {
    await server.stop();
    await model.stop();
    await database.drop();
  });

  type Account = Awaited<ReturnType<TestServer["createAccount"]>>;
  const user = (content: string) => ({ role: "user", content });
  const say = (agentId: string, messages: object[]) =>
    server.app.inject({ method: "POST", url: "/chat", payload: { agentId, messages } });
  const upload = (account: Account, agentId: string, payload: string | Buffer, name = "a.txt") =>
    server.app.inject({
      method: "POST",
      url: `/documents/upload?agentId=${agentId}&name=${name}`,
      headers: { ...account.headers, "content-type": "application/octet-stream" },
      payload,
    });

  it("let a plan have a number of agents, however many are created at once", async () => {
    const account = await server.createAccount("free");
    const ids = await Promise.all(Array.from({ length: 9 }, () => createAgent(account)));
    const attempts = await Promise.all(Array.from({ length: 4 }, () => account.call("POST", "/agents", { name: "x" })));
    expect(attempts.map(({ status }) => status).sort()).toEqual([201, 403, 403, 403]);
    const refused = attempts.find(({ status }) => status === 403);
    expect(refused?.body.error).toMatchObject({
      code: "AGENT_LIMIT_REACHED",
      message: "The plan free allows 10 agents. Delete one, or choose a larger plan.",
    });
    expect((await account.call("POST", `/agents/${ids[0]}/duplicate`)).status).toBe(403);
    await account.call("DELETE", `/agents/${ids[0]}`);
    expect((await account.call("POST", "/agents", { name: "x" })).status).toBe(201);
    expect((await (await server.createAccount("free")).call("POST", "/agents", { name: "x" })).status).toBe(201);
  });

  it("refuse documents above the plan's bytes of a day, for that organization only", async () => {
    const [account, other] = [await server.createAccount("free"), await server.createAccount("free")];
    const agentId = await createAgent(account);
    expect((await upload(account, agentId, "The first text.")).statusCode).toBe(202);
    const { organizationId } = account;
    await addBytesToday(server.deps.db, { organizationId, subject: DOCUMENTS }, 200 * MB);
    const refused = await upload(account, agentId, "The second text.");
    expect([refused.statusCode, refused.json().error.message]).toEqual([
      429,
      "The plan free allows 200 MB of new documents a day. Try again tomorrow (UTC).",
    ]);
    const text = { agentId, kind: "text", title: "A", text: "The third text." };
    expect((await account.call("POST", "/documents", text)).status).toBe(429);
    expect((await upload(other, await createAgent(other), "The second text.")).statusCode).toBe(202);
  });

  it("refuse documents above the plan's bytes in total until some are deleted", async () => {
    const account = await server.createAccount("free");
    const agentId = await createAgent(account);
    const { id } = (await upload(account, agentId, "The first text.")).json();
    await server.deps.db
      .updateTable("documents")
      .set({ bytes: 500 * MB })
      .where("id", "=", id)
      .execute();
    const refused = await upload(account, agentId, "The second text.");
    expect([refused.statusCode, refused.json().error.code]).toEqual([403, "DOCUMENT_LIMIT_REACHED"]);
    expect((await account.call("DELETE", `/documents/${id}`)).status).toBe(200);
    expect((await upload(account, agentId, "The second text.")).statusCode).toBe(202);
  });

  it("keep no original of a file that failed for its content", async () => {
    const account = await server.createAccount();
    const agentId = await createAgent(account);
    const { id } = (await upload(account, agentId, "%PDF-1.7 damaged", "a.pdf")).json();
    const read = async () => (await account.call("GET", `/documents/${id}`)).body;
    await expect.poll(async () => (await read()).state, { timeout: 30_000 }).toBe("failed");
    const files = server.deps.db.selectFrom("documentFiles").select("id").where("agentId", "=", agentId);
    await expect.poll(() => files.execute()).toEqual([]);
    expect((await account.call("POST", `/documents/${id}/retry`)).body.error).toMatchObject({
      code: "CONFLICT",
      message: "The file could not be read and was deleted. Upload a corrected file.",
    });
  }, 60_000);

  it("let a conversation begin with at most 65,536 characters", async () => {
    const agentId = await createAgent(await server.createAccount());
    const messages = Array.from({ length: 3 }, () => user("x".repeat(30_000)));
    const refused = await say(agentId, messages);
    expect([refused.statusCode, refused.json().error.details]).toEqual([
      400,
      [expect.objectContaining({ path: "messages", message: expect.stringContaining("at most 65536 characters") })],
    ]);
    expect((await say(agentId, messages.slice(1))).statusCode).toBe(200);
  });

  it("limit the text that visitors store with an agent in a day, for that agent only", async () => {
    const account = await server.createAccount();
    const agentId = await createAgent(account);
    const messages = [user("x".repeat(30_000))];
    for (let index = 0; index < 3; index++) expect((await say(agentId, messages)).statusCode).toBe(200);
    const refused = await say(agentId, messages);
    expect([refused.statusCode, refused.json().error.message]).toEqual([
      429,
      "This agent cannot store more messages today. Try again tomorrow (UTC).",
    ]);
    expect((await say(await createAgent(account), messages)).statusCode).toBe(200);
  });

  /** Limits of 1,000 bytes a day and agent, and 100 per address, for texts of 50 bytes. */
  async function createSmallQuota() {
    const { config, db } = server.deps;
    const limits = { ...config.limits, chatBytesPerDay: 1_000, chatBytesPerIp: 100 };
    const bytes = createChatBytes({ db, config: { ...config, limits } });
    const account = await server.createAccount();
    const newAgent = async () => {
      const id = await createAgent(account);
      return db.selectFrom("agents").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
    };
    const messages = [{ content: "x".repeat(50), page: null }];
    /** @returns whether the text was stored */
    const send = async (agent: AgentRow, ip: string | null): Promise<boolean> => {
      const isAllowed = await bytes.check(agent, messages, ip).then(
        () => true,
        () => false,
      );
      const { id: agentId, organizationId } = agent;
      const stored = { kind: "turn", organizationId, agentId, turn: { messages } } as unknown as Change;
      if (isAllowed) await inTransaction(db, (trx) => bytes.listener(trx, [stored]));
      return isAllowed;
    };
    return { send, newAgent };
  }

  it("limit the text of an address in a day, and count none that the agent refuses", async () => {
    const { send, newAgent } = await createSmallQuota();
    const [full, agent, other] = [await newAgent(), await newAgent(), await newAgent()];
    for (let index = 0; index < 20; index++) await send(full, null);
    for (let index = 0; index < 3; index++) expect(await send(full, "192.0.2.1")).toBe(false);
    const sent = [await send(agent, "192.0.2.1"), await send(other, "192.0.2.1"), await send(agent, "192.0.2.1")];
    expect(sent).toEqual([true, true, false]);
    expect(await send(agent, "192.0.2.2")).toBe(true);
  });

  it("leave most of an agent's day to others, however many addresses of one network send text", async () => {
    const { send, newAgent } = await createSmallQuota();
    const agent = await newAgent();
    const flood = async (network: string) => {
      let stored = 0;
      for (let index = 0; index < 10; index++) {
        if (await send(agent, `${network}:${index.toString(16)}::/64`)) stored++;
      }
      return stored;
    };
    // A quarter of the day is five texts.
    expect(await flood("2001:db8:1")).toBe(5);
    expect(await flood("2001:db8:2")).toBe(5);
    expect(await flood("2001:db8:3")).toBe(5);
    expect(await flood("2001:db8:4")).toBeLessThan(4);
    expect(await send(agent, "192.0.2.1")).toBe(true);
  });

  it("store only the last message of a request that a token budget refuses", async () => {
    const account = await server.createAccount();
    const agentId = await createAgent(account, { monthlyTokenBudget: 0 });
    const history = [user("One"), { role: "assistant", content: "Two" }, user("Three")];
    const stream = await openChat(server.url, { agentId, messages: history });
    const start = await stream.until("message_start");
    await stream.ended;
    const id = start.type === "message_start" ? start.conversationId : "";
    const { messages } = (await account.call("GET", `/conversations/${id}`)).body.data;
    expect(messages.map(({ content }: { content: string }) => content).slice(0, -1)).toEqual(["Three"]);
  });

  it("point events to a text above 16 KB instead of repeating it", async () => {
    const account = await server.createAccount();
    const agentId = await createAgent(account);
    await account.call("PUT", "/events/feed", { isEnabled: true });
    await say(agentId, [user("Short"), user("x".repeat(20_000))]);
    const { events } = (await account.call("GET", "/events?types=message.created")).body;
    const sent = events.filter(({ type }: { type: string }) => type === "message.created");
    const [{ conversationId }] = sent;
    expect(sent.map(({ data: { messageId: _, ...data } }: { data: { messageId: string } }) => data)).toEqual([
      { content: "Short" },
      { contentRef: { url: `/conversations/${conversationId}`, bytes: 20_000 } },
    ]);
  });
});
