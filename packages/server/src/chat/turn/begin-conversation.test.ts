import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { openChat } from "../../../../../test/chat-client.ts";
import { onBothDatabases, type TestDatabase } from "../../../../../test/databases.ts";
import { createAgent } from "../../../../../test/factories.ts";
import { startServer, type TestServer } from "../../../../../test/server.ts";
import { sayWords, startUpstream, type Upstream } from "../../../../../test/upstream.ts";

onBothDatabases("beginning a conversation without a reply", (createDatabase) => {
  let database: TestDatabase;
  let server: TestServer;
  let upstream: Upstream;
  let owner: Awaited<ReturnType<TestServer["createAccount"]>>;
  let agentId: string;

  beforeAll(async () => {
    database = await createDatabase();
    upstream = await startUpstream(sayWords("Fine."));
    const env = { OPENAI_COMPATIBLE_BASE_URL: upstream.url, FOYER_LIMIT_CHAT_PER_SESSION: "3" };
    server = await startServer({ database, env, listen: true });
    owner = await server.createAccount();
  });
  beforeEach(async () => {
    agentId = await createAgent(owner, { model: "openai/not-configured", handoff: { isEnabled: true } });
  });
  afterAll(async () => {
    await server.stop();
    await upstream.stop();
    await database.drop();
  });

  const messages = [{ role: "user", content: "My bike was stolen" }];
  async function begin(more: object = {}, headers: Record<string, string> = {}) {
    const payload = { agentId, messages, ...more };
    const response = await server.app.inject({ method: "POST", url: "/conversations", headers, payload });
    const { data, error } = response.json();
    return { status: response.statusCode, error, id: data?.conversationId, token: data?.conversationToken };
  }
  const read = async (id: string) => (await owner.call("GET", `/conversations/${id}`)).body.data;

  it("stores the messages, asks no model, and gives the token with which a person can be requested", async () => {
    const asked = upstream.exchanges.length;
    const { status, id, token } = await begin({ sessionId: "s-1", userEmail: "ada@example.com" });
    expect(status).toBe(201);
    expect(await read(id)).toMatchObject({
      title: "My bike was stolen",
      messageCount: 1,
      userEmail: "ada@example.com",
      messages: [{ role: "user", content: "My bike was stolen" }],
    });
    expect(upstream.exchanges).toHaveLength(asked);
    const headers = { authorization: `Bearer ${token}` };
    const request = await server.app.inject({
      method: "POST",
      url: `/conversations/${id}/handoff`,
      headers,
      payload: {},
    });
    expect([request.statusCode, request.json().data.handler]).toEqual([200, "waiting"]);
  });

  it("continues like every other conversation, and only with its token", async () => {
    const { id, token } = await begin({ sessionId: "s-2" });
    await owner.call("PATCH", `/agents/${agentId}`, { model: "openai-compatible/test" });
    const body = { agentId, conversationId: id, messages: [{ role: "user", content: "Hello?" }] };
    expect((await openChat(server.url, body)).response.status).toBe(404);
    const stream = await openChat(server.url, body, { authorization: `Bearer ${token}` });
    await stream.ended;
    const stored: Array<{ role: string; content: string }> = (await read(id)).messages;
    expect(stored.map(({ role, content }) => [role, content])).toEqual([
      ["user", "My bike was stolen"],
      ["user", "Hello?"],
      ["assistant", "Fine."],
    ]);
  });

  it("returns the conversation that the same message has already begun, here or with a reply", async () => {
    const key = (digit: string) => ({ sessionId: "s-3", messageKey: digit.repeat(32) });
    const first = await begin(key("a"));
    expect(await begin(key("a"))).toEqual(first);
    expect((await read(first.id)).messageCount).toBe(1);
    await owner.call("PATCH", `/agents/${agentId}`, { model: "openai-compatible/test" });
    const answered = await openChat(server.url, { agentId, messages, ...key("b"), sessionId: "s-4" });
    await answered.ended;
    const [start] = answered.events;
    const again = await begin({ ...key("b"), sessionId: "s-4" });
    expect(start).toMatchObject({ conversationId: again.id, conversationToken: again.token });
  });

  it("never touches another conversation, even with its id in the body", async () => {
    const { id } = await begin();
    const other = await begin({ conversationId: id, regenerate: true });
    expect(other.status).toBe(201);
    expect(other.id).not.toBe(id);
    expect((await read(id)).messageCount).toBe(1);
  });

  it("belongs to the agent's organization, whoever calls", async () => {
    const stranger = await server.createAccount();
    const { id } = await begin({}, stranger.headers);
    expect((await read(id)).agentId).toBe(agentId);
    expect((await stranger.call("GET", `/conversations/${id}`)).status).toBe(404);
  });

  it("counts against the limit of messages per session", async () => {
    const statuses = [];
    for (let index = 0; index < 4; index++) statuses.push((await begin({ sessionId: "s-5" })).status);
    expect(statuses).toEqual([201, 201, 201, 429]);
  });

  it("needs the visitor's consent when the agent asks for it", async () => {
    agentId = await createAgent(owner, { widget: { consentText: "We store what you write." } });
    expect(await begin()).toMatchObject({ status: 403, error: { code: "CONSENT_REQUIRED" } });
    const { id } = await begin({ consent: true });
    expect((await read(id)).consent.text).toBe("We store what you write.");
  });

  it("refuses pages that the agent does not allow, and unknown agents", async () => {
    agentId = await createAgent(owner, { allowedOrigins: ["https://shop.example"] });
    expect((await begin({}, { origin: "https://evil.example" })).status).toBe(403);
    expect((await begin({}, { origin: "https://shop.example" })).status).toBe(201);
    expect((await begin({ agentId: "agent_nobody" })).status).toBe(404);
  });
});
