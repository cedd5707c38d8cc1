import { createHmac } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { joinText, openChat } from "../../../../../test/chat-client.ts";
import { onBothDatabases, type TestDatabase } from "../../../../../test/databases.ts";
import { createAgent } from "../../../../../test/factories.ts";
import { startServer, type TestServer } from "../../../../../test/server.ts";
import { chunk, eventStream, sayWords, startUpstream, type Upstream } from "../../../../../test/upstream.ts";

onBothDatabases("continuing a conversation", (createDatabase) => {
  let database: TestDatabase;
  let server: TestServer;
  let upstream: Upstream;
  let owner: Awaited<ReturnType<TestServer["createAccount"]>>;
  let agentId: string;

  beforeAll(async () => {
    database = await createDatabase();
    upstream = await startUpstream();
    const env = { OPENAI_COMPATIBLE_BASE_URL: upstream.url, FOYER_DEFAULT_MODEL: "openai-compatible/test" };
    server = await startServer({ database, env, listen: true });
    owner = await server.createAccount();
  });
  beforeEach(async () => {
    upstream.script(sayWords("Fine."));
    agentId = await createAgent(owner);
  });
  afterAll(async () => {
    await server.stop();
    await upstream.stop();
    await database.drop();
  });

  const bearer = (token: string | null) => ({ authorization: `Bearer ${token}` });
  async function ask(more: object, headers: Record<string, string> = {}) {
    const stream = await openChat(
      server.url,
      { agentId, messages: [{ role: "user", content: "Hi" }], ...more },
      headers,
    );
    await stream.ended;
    const [start] = stream.events;
    const { conversationId = "", conversationToken = null } = start?.type === "message_start" ? start : {};
    return { status: stream.response.status, conversationId, conversationToken, events: stream.events };
  }
  const messagesOf = async (id: string) => (await owner.call("GET", `/conversations/${id}`)).body.data.messages;
  async function createSigner(id: string) {
    const { identitySecret } = (await owner.call("GET", `/agents/${id}/identity-secret`)).body.data;
    return (userId: string) => createHmac("sha256", identitySecret).update(userId).digest("hex");
  }

  it.each([{ sessionId: "s-1" }, { userId: "u-1" }, { userEmail: "ada@example.com" }])(
    "is refused for one that began with %j when the request has only its id",
    async (visitor) => {
      const { conversationId, conversationToken } = await ask(visitor);
      const other = await ask({ sessionId: "s-2" });
      const stranger = await server.createAccount();
      expect((await ask({ conversationId })).status).toBe(404);
      expect((await ask({ conversationId, ...visitor })).status).toBe(404);
      expect((await ask({ conversationId, regenerate: true })).status).toBe(404);
      expect((await ask({ conversationId }, bearer(other.conversationToken))).status).toBe(404);
      expect((await ask({ conversationId }, stranger.headers)).status).toBe(404);
      expect(await messagesOf(conversationId)).toHaveLength(2);

      const continued = await ask({ conversationId }, bearer(conversationToken));
      expect(continued).toMatchObject({ status: 200, conversationToken });
      expect((await ask({ conversationId }, owner.headers)).status).toBe(200);
      expect(await messagesOf(conversationId)).toHaveLength(6);
    },
  );

  it("works with a signed user id for that user's conversation only", async () => {
    const sign = await createSigner(agentId);
    const { conversationId } = await ask({ userId: "u-1" });
    const proven = (userId: string) => ({ userId, userHash: sign(userId) });
    expect((await ask({ conversationId, ...proven("u-1") })).status).toBe(200);
    expect((await ask({ conversationId, ...proven("u-2") })).status).toBe(404);
    expect((await ask({ conversationId, userId: "u-1", userHash: sign("u-2") })).status).toBe(404);
  });

  it("requires the user's signature in addition to the token when the agent requires identities", async () => {
    agentId = await createAgent(owner, { name: "Strict", requireIdentity: true });
    const sign = await createSigner(agentId);
    const ada = { userId: "u-1", userHash: sign("u-1") };
    const { conversationId, conversationToken } = await ask(ada);
    expect((await ask({ conversationId }, bearer(conversationToken))).status).toBe(404);
    const eve = { userId: "u-2", userHash: sign("u-2") };
    expect((await ask({ conversationId, ...eve }, bearer(conversationToken))).status).toBe(404);
    expect((await ask({ conversationId, ...ada }, bearer(conversationToken))).status).toBe(200);
  });

  it("works by id for one without a visitor, but grants no token and no regeneration", async () => {
    const { conversationId, conversationToken } = await ask({});
    expect(conversationToken).toMatch(/^fct_/);
    const continued = await ask({ conversationId });
    expect(continued).toMatchObject({ status: 200, conversationToken: null });
    expect((await ask({ conversationId, regenerate: true })).status).toBe(404);
  });

  it("never ends a running reply for a request that has only the id", async () => {
    const gate = Promise.withResolvers<void>();
    upstream.script(async (exchange) => {
      const { send, end } = eventStream(exchange);
      send(chunk({ content: "First " }));
      await gate.promise;
      send(chunk({ content: "and last." }, "stop"));
      send("[DONE]");
      end();
    });
    const running = await openChat(server.url, { agentId, messages: [{ role: "user", content: "Go" }] });
    const start = await running.until("message_start");
    await running.until("content_block_delta");
    const conversationId = start.type === "message_start" ? start.conversationId : "";
    expect((await ask({ conversationId })).status).toBe(409);
    gate.resolve();
    await running.ended;
    expect(joinText(running.events)).toBe("First and last.");
    expect(await messagesOf(conversationId)).toHaveLength(2);
  });

  it("assigns an anonymous conversation to the user who signs in with its token, and to no other", async () => {
    const { conversationId, conversationToken } = await ask({ sessionId: "s-1" });
    const userOf = async () => (await owner.call("GET", `/conversations/${conversationId}`)).body.data.userId;
    await ask({ conversationId, sessionId: "s-2", userId: "u-1" }, bearer(conversationToken));
    expect(await userOf()).toBe(null);
    await ask({ conversationId, sessionId: "s-1", userId: "u-1", userName: "Ada" }, bearer(conversationToken));
    expect(await userOf()).toBe("u-1");
    await ask({ conversationId, sessionId: "s-1", userId: "u-2" }, bearer(conversationToken));
    expect(await userOf()).toBe("u-1");
  });

  it("marks a user as verified only when the hash proves the id, even for a conversation that is claimed later", async () => {
    const userHash = (await createSigner(agentId))("ceo");
    const verifiedIn = async ({ conversationId }: { conversationId: string }) =>
      (await owner.call("GET", `/conversations/${conversationId}`)).body.data.userVerified;
    expect(await verifiedIn(await ask({ userId: "ceo", userEmail: "ceo@example.com" }))).toBe(false);
    expect(await verifiedIn(await ask({ userId: "ceo", userHash: "0".repeat(64) }))).toBe(false);
    expect(await verifiedIn(await ask({ userId: "ceo", userHash }))).toBe(true);
    const claimed = await ask({ sessionId: "s-9" });
    expect(await verifiedIn(claimed)).toBe(false);
    const { conversationId } = claimed;
    await ask({ conversationId, sessionId: "s-9", userId: "ceo", userHash }, bearer(claimed.conversationToken));
    expect(await verifiedIn(claimed)).toBe(true);
  });

  it("after a bubble starts with its stored text, for the visitor and the model", async () => {
    const bubble = {
      name: "Hello",
      triggerType: "exit_intent",
      conditions: {},
      actionType: "show_bubble",
      actionConfig: { message: "Looking for a bike?" },
    };
    const { body: trigger } = await owner.call("POST", `/triggers?agentId=${agentId}`, bubble);
    const { conversationId } = await ask({ sessionId: "s-1", triggerId: trigger.id });
    const said = (await messagesOf(conversationId)).map(({ role, content }: { role: string; content: string }) => [
      role,
      content,
    ]);
    expect(said).toEqual([
      ["assistant", "Looking for a bike?"],
      ["user", "Hi"],
      ["assistant", "Fine."],
    ]);
    const { messages } = JSON.parse(upstream.exchanges.at(-1)?.body ?? "{}");
    expect(messages.slice(-2)).toEqual([
      { role: "assistant", content: "Looking for a bike?" },
      { role: "user", content: "Hi" },
    ]);
    const unknown = await ask({ sessionId: "s-1", triggerId: "trigger_of_nobody" });
    expect(await messagesOf(unknown.conversationId)).toHaveLength(2);
  });

  it("keeps the visit's context, and lists the last message and failed replies", async () => {
    const context = { page: "https://user:pw@shop.example/a?utm=1#token", referrer: "javascript:1", language: "de-CH" };
    const phone = { "user-agent": "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Mobile/15E148" };
    const { conversationId } = await ask({ sessionId: "s-1", context }, phone);
    upstream.script(({ response }) => response.writeHead(401).end(JSON.stringify({ error: { message: "Bad key" } })));
    const failed = await ask({ sessionId: "s-2" });
    const { body } = await owner.call("GET", `/conversations?agentId=${agentId}`);
    expect(body.data).toMatchObject([
      { id: failed.conversationId, hasFailedReply: true, lastMessage: { role: "user", text: "Hi" } },
      {
        id: conversationId,
        isUnread: true,
        hasFailedReply: false,
        lastMessage: { role: "assistant", text: "Fine." },
        context: {
          page: "https://shop.example/a?utm=1",
          referrer: null,
          device: "mobile",
          language: "de-CH",
          country: null,
        },
      },
    ]);
    const filtered = await owner.call("GET", `/conversations?agentId=${agentId}&failed=true`);
    expect(filtered.body.data).toHaveLength(1);
    const [, reply] = await messagesOf(failed.conversationId);
    expect(reply.failure).toMatchObject({ message: "Bad key", providerStatus: 401, provider: "openai-compatible" });
    const seen = await server.app.inject({
      method: "GET",
      url: `/conversations/${failed.conversationId}`,
      headers: bearer(failed.conversationToken),
    });
    expect(seen.body).not.toContain("Bad key");
    const { body: failures } = await owner.call("GET", "/models/failures");
    expect(failures.data).toMatchObject([{ provider: "openai-compatible", count: 1, isOngoing: true }]);
  });

  it.each([
    ["2,000 messages", { messageCount: 1_999 }],
    ["2 MiB of text", { textBytes: 2 * 1024 * 1024 - 4 * 1024 }],
  ])("is refused when the message and its reply do not fit into %s, and stores nothing", async (_, size) => {
    const { conversationId, conversationToken } = await ask({ sessionId: "s-1" });
    await server.deps.db.updateTable("conversations").set(size).where("id", "=", conversationId).execute();
    const refused = await openChat(
      server.url,
      { agentId, conversationId, messages: [{ role: "user", content: "More" }] },
      bearer(conversationToken),
    );
    expect(refused.response.status).toBe(409);
    expect((await refused.response.json()).error).toMatchObject({
      code: "CONVERSATION_TOO_LONG",
      message: expect.stringContaining("2000 messages and 2 MiB"),
    });
    expect(await messagesOf(conversationId)).toHaveLength(2);
  });

  it("is accepted while the message and its reply fit into 2,000 messages", async () => {
    const { conversationId, conversationToken } = await ask({ sessionId: "s-1" });
    const { db } = server.deps;
    await db.updateTable("conversations").set({ messageCount: 1_998 }).where("id", "=", conversationId).execute();
    expect((await ask({ conversationId }, bearer(conversationToken))).status).toBe(200);
  });

  it("ends a reply that reaches 1 MiB of text, and stores it", async () => {
    const closed = Promise.withResolvers<void>();
    upstream.script((exchange) => {
      const { send } = eventStream(exchange);
      exchange.response.once("close", closed.resolve);
      const flood = () => {
        while (!exchange.response.destroyed && send(chunk({ content: "x".repeat(50_000) })));
        exchange.response.once("drain", flood);
      };
      flood();
    });
    const { conversationId, events } = await ask({ sessionId: "s-1" });
    expect(events.at(-1)).toMatchObject({ type: "message_stop", stopReason: "max_steps" });
    await closed.promise;
    const [, reply] = await messagesOf(conversationId);
    expect(reply.content).toHaveLength(1024 * 1024);
  });
});
