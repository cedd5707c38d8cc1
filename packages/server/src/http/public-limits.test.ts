import { afterEach, describe, expect, it, vi } from "vitest";
import { openChat } from "../../../../test/chat-client.ts";
import { startServer, type TestServer } from "../../../../test/server.ts";
import { createOwner, password } from "../../../../test/session-client.ts";
import { sayWords, startUpstream } from "../../../../test/upstream.ts";

/** A public base URL, so that limits per IP address also apply to loopback clients. */
const BASE_URL = "https://chat.example.com";

const servers: TestServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
});

/** A server with an agent, and a function that says hello to it. */
async function startWithAgent(env: Record<string, string>, listen = false) {
  const server = await startServer({ env, listen });
  servers.push(server);
  const { headers } = await server.createAccount();
  const makeAgent = async () =>
    (await server.app.inject({ method: "POST", url: "/agents", headers, payload: { name: "Desk" } })).json().data.id;
  const agentId: string = await makeAgent();
  const messages = [{ role: "user", content: "Hello" }];
  const sendMessage = (body: object = {}, remoteAddress = "203.0.113.9", sent: Record<string, string> = {}) =>
    server.app.inject({
      ...({ method: "POST", url: "/chat", remoteAddress, headers: sent } as const),
      payload: { agentId, messages, ...body },
    });
  return { server, say: sendMessage, makeAgent, body: { agentId, messages } };
}

type Answer = Awaited<ReturnType<Awaited<ReturnType<typeof startWithAgent>>["say"]>>;

function expectLimited(response: Answer, limit: number) {
  const error = { code: "RATE_LIMITED", message: expect.any(String) };
  expect([response.statusCode, response.json()]).toEqual([429, { data: null, error }]);
  expect(Number(response.headers["retry-after"])).toBeGreaterThan(0);
  expect(Number(response.headers["retry-after"])).toBeLessThanOrEqual(60);
  expect(response.headers["x-ratelimit-limit"]).toBe(String(limit));
  expect(response.headers["x-ratelimit-remaining"]).toBe("0");
  expect(Number(response.headers["x-ratelimit-reset"])).toBeGreaterThan(Date.now() / 1_000 - 1);
}

describe("the rate limiter", () => {
  it("limits messages per session and agent, whatever the IP address, but not those without a session", async () => {
    const { server, say, makeAgent } = await startWithAgent({ FOYER_LIMIT_CHAT_PER_SESSION: "2" });
    const session = { sessionId: "visitor" };
    expect((await say(session)).statusCode).toBe(200);
    expect((await say(session, "198.51.100.7")).statusCode).toBe(200);
    expectLimited(await say(session), 2);
    expectLimited(await say(session, "198.51.100.8"), 2);
    expect((await say({ sessionId: "another" })).statusCode).toBe(200);
    expect((await say({ ...session, agentId: await makeAgent() })).statusCode).toBe(200);
    for (let i = 0; i < 4; i++) expect((await say()).statusCode).toBe(200);
    expect(await server.deps.db.selectFrom("conversations").select("id").execute()).toHaveLength(8);
  });

  it.each([
    ["GET", "/conversations/ID"],
    ["DELETE", "/conversations/ID/handoff"],
    ["POST", "/conversations/ID/feedback"],
    ["POST", "/chat/ID/tool-claims"],
    ["POST", "/chat/ID/tool-results"],
    ["POST", "/chat/ID/stop"],
    ["GET", "/chat/ID/stream"],
  ] as const)(
    "counts %s %s against the chat's limit per IP address, except for the organization",
    async (method, url) => {
      const { server, say } = await startWithAgent({ BASE_URL, FOYER_LIMIT_CHAT_PER_IP: "3" });
      const { headers } = await server.createAccount();
      const [, start = ""] = /data: (.*)/.exec((await say({ sessionId: "s" })).body) ?? [];
      const { conversationId, conversationToken } = JSON.parse(start);
      const call = (sent: Record<string, string>, remoteAddress = "203.0.113.9") =>
        server.app.inject({ method, url: url.replace("ID", conversationId), remoteAddress, headers: sent });
      const token = { authorization: `Bearer ${conversationToken}` };
      for (let index = 0; index < 2; index++) expect((await call(token)).statusCode).not.toBe(429);
      expectLimited(await call(token), 3);
      expectLimited(await say(), 3);
      expect((await call(token, "203.0.113.10")).statusCode).not.toBe(429);
      expect((await call(headers)).statusCode).not.toBe(429);
    },
  );

  it("counts conversations that begin without a reply against the chat's limit per IP address", async () => {
    const { server, say, body: payload } = await startWithAgent({ BASE_URL, FOYER_LIMIT_CHAT_PER_IP: "2" });
    const begin = (remoteAddress: string) =>
      server.app.inject({ method: "POST", url: "/conversations", remoteAddress, payload });
    expect((await say()).statusCode).toBe(200);
    expect((await begin("203.0.113.9")).statusCode).toBe(201);
    expectLimited(await begin("203.0.113.9"), 2);
    expectLimited(await say(), 2);
    expect((await begin("203.0.113.10")).statusCode).toBe(201);
  });

  it("refuses bodies of visitors with more than 5,000 values, and accepts them from members", async () => {
    const { server, say, body } = await startWithAgent({ BASE_URL });
    const { headers } = await server.createAccount();
    const names = Object.fromEntries(Array.from({ length: 6_000 }, (_, index) => [`k${index}`, 0]));
    const refused = await say(names);
    expect([refused.statusCode, refused.json().error.message]).toEqual([400, "The body has more than 5,000 values."]);
    const payload = { name: "Desk", ...names };
    const created = await server.app.inject({ method: "POST", url: "/agents", headers, payload });
    expect(created.statusCode).toBe(201);
    expect((await say({ padding: "x".repeat(200_000), ...body })).statusCode).toBe(200);
  });

  it("counts large and refused bodies more than once against the address", async () => {
    const { say } = await startWithAgent({ BASE_URL, FOYER_LIMIT_CHAT_PER_IP: "20" });
    const left = ({ headers }: Answer) => Number(headers["x-ratelimit-remaining"]);
    expect(left(await say())).toBe(19);
    expect(left(await say({ padding: "x".repeat(4 * 65_536) }))).toBe(14);
    expect((await say({ extra: Array.from({ length: 6_000 }, () => 0) })).statusCode).toBe(400);
    expect(left(await say())).toBe(3);
    expect(left(await say({ padding: "x".repeat(65_536) }, "203.0.113.10"))).toBe(18);
    expectLimited(await say({ padding: "x".repeat(4 * 65_536) }), 20);
  });

  it("limits the requests of each signed-in user", async () => {
    const server = await startServer({ env: { BASE_URL, FOYER_LIMIT_SESSION_PER_USER: "3" } });
    servers.push(server);
    const signIn = async () => {
      const { email } = await createOwner(server);
      const headers = { origin: BASE_URL, "content-type": "application/json" };
      const payload = { email, password };
      const signedIn = await server.app.inject({ method: "POST", url: "/auth/sign-in/email", headers, payload });
      const cookie = signedIn.cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
      return () => server.app.inject({ url: "/agents", headers: { cookie } });
    };
    const [one, other] = [await signIn(), await signIn()];
    for (let index = 0; index < 3; index++) expect((await one()).statusCode).toBe(200);
    expectLimited(await one(), 3);
    expect((await other()).statusCode).toBe(200);
  });

  it("limits requests for a person per IP address, however many conversations there are", async () => {
    const { server, say } = await startWithAgent({ BASE_URL });
    const ask = async (remoteAddress: string) => {
      const [, start = ""] = /data: (.*)/.exec((await say({ sessionId: "s" })).body) ?? [];
      const { conversationId, conversationToken } = JSON.parse(start);
      const headers = { authorization: `Bearer ${conversationToken}` };
      const url = `/conversations/${conversationId}/handoff`;
      return server.app.inject({ method: "POST", url, remoteAddress, headers, payload: {} });
    };
    for (let index = 0; index < 5; index++) expect((await ask("203.0.113.9")).statusCode).not.toBe(429);
    const refused = await ask("203.0.113.9");
    expectLimited(refused, 5);
    expect(refused.json().error.message).toContain("Too many requests for a person from your address. Try again in");
    expect((await ask("203.0.113.10")).statusCode).not.toBe(429);
  });

  it("limits messages per IP address, whatever the session and an untrusted X-Forwarded-For", async () => {
    const { say } = await startWithAgent({ BASE_URL, FOYER_LIMIT_CHAT_PER_IP: "2" });
    const from = (number: number) =>
      say({ sessionId: `s${number}` }, "127.0.0.1", {
        "x-forwarded-for": `198.51.100.${number}`,
        forwarded: `for=${number}`,
      });
    expect([(await from(1)).statusCode, (await from(2)).statusCode]).toEqual([200, 200]);
    expectLimited(await from(3), 2);
    expect((await say({}, "203.0.113.10")).statusCode).toBe(200);
  });

  it("limits messages per IP address that a trusted proxy names, and ignores the header of others", async () => {
    const { say } = await startWithAgent({
      BASE_URL,
      FOYER_LIMIT_CHAT_PER_IP: "1",
      FOYER_TRUST_PROXY: "127.0.0.1,10.0.0.0/8",
    });
    const by = (forwarded: string, proxy = "127.0.0.1") => say({}, proxy, { "x-forwarded-for": forwarded });
    expect((await by("198.51.100.1")).statusCode).toBe(200);
    expect((await by("198.51.100.2")).statusCode).toBe(200);
    expectLimited(await by("198.51.100.1"), 1);
    expectLimited(await by("192.0.2.77, 198.51.100.1"), 1); // the client itself wrote the leftmost address
    expectLimited(await by("192.0.2.78, 198.51.100.1, 10.1.2.3"), 1);
    expect((await by("192.0.2.79", "203.0.113.50")).statusCode).toBe(200); // this proxy is not trusted
    expectLimited(await by("192.0.2.80", "203.0.113.50"), 1);
  });

  it("limits messages per /64 network for IPv6, and per IPv4 address when it is mapped", async () => {
    const { say } = await startWithAgent({ BASE_URL, FOYER_LIMIT_CHAT_PER_IP: "1" });
    expect((await say({}, "2001:db8:1:2::1")).statusCode).toBe(200);
    expectLimited(await say({}, "2001:db8:1:2:ffff:eeee:dddd:cccc"), 1);
    expect((await say({}, "2001:db8:1:3::1")).statusCode).toBe(200);
    expect((await say({}, "::ffff:203.0.113.5")).statusCode).toBe(200);
    expectLimited(await say({}, "203.0.113.5"), 1);
    expect((await say({}, "::ffff:203.0.113.6")).statusCode).toBe(200);
  });

  it("does not limit messages from loopback to a loopback server, and none when the limit is 0", async () => {
    const local = await startWithAgent({ FOYER_LIMIT_CHAT_PER_IP: "1" });
    for (const address of ["127.0.0.1", "::1", "::ffff:127.0.0.1"]) {
      expect([(await local.say({}, address)).statusCode, (await local.say({}, address)).statusCode]).toEqual([
        200, 200,
      ]);
    }
    expect((await local.say()).statusCode).toBe(200);
    expectLimited(await local.say(), 1);
    const off = await startWithAgent({ BASE_URL, FOYER_LIMIT_CHAT_PER_IP: "0", FOYER_LIMIT_CHAT_PER_SESSION: "0" });
    for (let i = 0; i < 5; i++) expect((await off.say({ sessionId: "s" })).statusCode).toBe(200);
  });

  it("sends the rate-limit headers of messages in every response: success, error and exempt", async () => {
    const { server, say } = await startWithAgent({
      BASE_URL,
      FOYER_LIMIT_CHAT_PER_IP: "5",
      FOYER_LIMIT_CHAT_PER_SESSION: "3",
    });
    const readLimitState = ({ statusCode, headers }: Answer) => [
      statusCode,
      headers["x-ratelimit-limit"],
      headers["x-ratelimit-remaining"],
    ];
    const first = await say({}, "203.0.113.9", { origin: "https://shop.example" });
    expect(readLimitState(first)).toEqual([200, "5", "4"]);
    expect(Number(first.headers["x-ratelimit-reset"])).toBeGreaterThan(Date.now() / 1_000);
    expect(first.headers["access-control-expose-headers"]).toContain("x-ratelimit-remaining");
    expect(readLimitState(await say({ sessionId: "s" }))).toEqual([200, "3", "2"]);
    expect(readLimitState(await say({ messages: [] }))).toEqual([400, "5", "2"]);
    expect(readLimitState(await say({ agentId: "agent_x" }))).toEqual([404, "5", "1"]);
    const payload = { toolId: "tool_x", formData: {}, fieldsCompleted: [] };
    for (const url of ["/triggers/event", "/form-submissions/submit", "/form-submissions/event"]) {
      const answer = await server.app.inject({ method: "POST", url, payload });
      expect(answer.headers["x-ratelimit-limit"], url).toBeDefined();
    }
    const exempt = await startWithAgent({ FOYER_LIMIT_CHAT_PER_IP: "5" });
    for (let i = 0; i < 2; i++) expect(readLimitState(await exempt.say({}, "127.0.0.1"))).toEqual([200, "5", "5"]);
  });

  it("lets a page of another origin read the rate-limit headers of a message", async () => {
    const { say } = await startWithAgent({ FOYER_LIMIT_CHAT_PER_SESSION: "1" });
    await say({ sessionId: "s" });
    const response = await say({ sessionId: "s" }, "203.0.113.9", { origin: "https://shop.example" });
    expectLimited(response, 1);
    expect(response.headers["access-control-allow-origin"]).toBe("*");
    expect(response.headers["access-control-expose-headers"]).toContain("retry-after");
  });
});

describe("concurrent replies", () => {
  it.each([
    ["FOYER_LIMIT_RUNNING_PER_IP", 429, "RATE_LIMITED"],
    ["FOYER_LIMIT_RUNNING", 503, "OVERLOADED"],
  ])("are refused over %s with %d until one has ended", async (variable, status, code) => {
    const upstream = await startUpstream(); // does not respond until it is scripted
    const models = { FOYER_DEFAULT_MODEL: "openai-compatible/stub", OPENAI_COMPATIBLE_BASE_URL: upstream.url };
    const { server, body } = await startWithAgent({ BASE_URL, ...models, [variable]: "1" }, true);
    const first = await openChat(server.url, body);
    await first.until("message_start");

    const second = await openChat(server.url, body);
    expect(second.response.status).toBe(status);
    expect(await second.response.json()).toEqual({ data: null, error: { code, message: expect.any(String) } });
    expect(Number(second.response.headers.get("retry-after"))).toBeGreaterThan(0);

    upstream.script(sayWords("Hello"));
    first.leave();
    await vi.waitFor(async () => {
      const third = await openChat(server.url, body);
      expect(third.response.status).toBe(200);
      await third.ended;
    }, 30_000);
    await upstream.stop();
  });
});
