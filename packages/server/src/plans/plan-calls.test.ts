import { afterEach, describe, expect, it, vi } from "vitest";
import { createPostgres, onBothDatabases } from "../../../../test/databases.ts";
import { startServer, type TestServer } from "../../../../test/server.ts";
import { createOwner, signedInBrowser } from "../../../../test/session-client.ts";
import { generateKey } from "../auth/api-keys/key-format.ts";
import { insertKey } from "../auth/api-keys/store.ts";
import { createConversationToken } from "../auth/conversation-token.ts";
import { newId } from "../ids.ts";

type Account = Awaited<ReturnType<TestServer["createAccount"]>>;
type Answer = { status: number; limit: string | undefined; remaining: number; reset: number; retryAfter: number };

const onByDefault = Object.fromEntries(
  ["FREE", "STARTER", "GROWTH", "PRO"].map((plan) => [`FOYER_LIMIT_API_${plan}`, ""]),
);

const cleanups: Array<() => Promise<void>> = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

async function start(options: Parameters<typeof startServer>[0] = {}) {
  const server = await startServer({ ...options, env: { ...onByDefault, ...options.env } });
  cleanups.push(() => server.stop());
  return server;
}

/** Retries the call while the server rejects it uncounted because it is overloaded, which happens on a slow machine. */
async function getCounted(server: TestServer, account: Pick<Account, "headers">): Promise<Answer> {
  for (;;) {
    const answer = await get(server, account);
    if (answer.status !== 503 || answer.limit !== undefined) return answer;
    await new Promise(setImmediate);
  }
}

async function get(server: TestServer, account: Pick<Account, "headers">, url = "/agents"): Promise<Answer> {
  return toAnswer(await server.app.inject({ method: "GET", url, headers: account.headers }));
}

function toAnswer({ statusCode, headers }: Awaited<ReturnType<TestServer["app"]["inject"]>>): Answer {
  return {
    status: statusCode,
    limit: headers["x-ratelimit-limit"]?.toString(),
    remaining: Number(headers["x-ratelimit-remaining"]),
    reset: Number(headers["x-ratelimit-reset"]),
    retryAfter: Number(headers["retry-after"]),
  };
}

/** Holds for any minute: of the calls in one minute, exactly the first `limit` passed, each with its own number. */
function expectExact(answers: readonly Answer[], limit: number) {
  for (const [reset, ofMinute] of Map.groupBy(answers, (answer) => answer.reset)) {
    expect(reset % 60).toBe(0);
    const passed = ofMinute.filter(({ status }) => status !== 429);
    expect(passed).toHaveLength(Math.min(limit, ofMinute.length));
    const places = passed.map(({ remaining }) => remaining).sort((a, b) => b - a);
    expect(places).toEqual(passed.map((_, index) => limit - 1 - index));
  }
}

onBothDatabases("a plan's requests per minute", (createDatabase) => {
  it.each([
    ["free", 20],
    ["starter", 60],
    ["growth", 200],
    ["unheard-of", 20],
  ])("for %s are %d", async (plan, limit) => {
    const database = await createDatabase();
    cleanups.push(database.drop);
    const server = await start({ database });
    const [account, other] = [await server.createAccount(plan), await server.createAccount(plan)];
    const answers = await Promise.all(Array.from({ length: limit + 10 }, () => getCounted(server, account)));
    expectExact(answers, limit);
    for (const answer of answers) {
      expect([answer.limit, answer.status !== 429 || answer.remaining === 0]).toEqual([String(limit), true]);
    }
    expect((await getCounted(server, other)).status).toBe(200);
  });
});

describe("the response to a call with a key", () => {
  const NOON = Date.UTC(2026, 0, 31, 12);

  async function startAt(time: number, env: Record<string, string> = {}) {
    vi.useFakeTimers({ toFake: ["Date"], now: time });
    const server = await start({ env });
    return { server, account: await server.createAccount("free") };
  }

  it("shows what is left of the clock minute, which starts at the same time for everyone", async () => {
    const { server, account } = await startAt(NOON + 12_300);
    const reset = NOON / 1_000 + 60;
    for (let left = 19; left >= 0; left--) {
      expect(await get(server, account)).toMatchObject({ status: 200, limit: "20", remaining: left, reset });
    }
    expect(await get(server, account)).toEqual({ status: 429, limit: "20", remaining: 0, reset, retryAfter: 48 });
    vi.setSystemTime(NOON + 59_999);
    expect(await get(server, account)).toMatchObject({ status: 429, reset, retryAfter: 1 });
    vi.setSystemTime(NOON + 60_000);
    expect(await get(server, account)).toMatchObject({ status: 200, remaining: 19, reset: reset + 60 });
  });

  it("has an error in the common format at the limit", async () => {
    const { server, account } = await startAt(NOON + 50_000, { FOYER_LIMIT_API_FREE: "1" });
    await get(server, account);
    const { body } = await account.call("POST", "/agents", { name: "Desk" });
    const message = "The plan free allows 1 requests a minute. Try again in 10 s.";
    expect(body).toEqual({ data: null, error: { code: "RATE_LIMITED", message } });
    expect(await server.deps.db.selectFrom("agents").selectAll().execute()).toEqual([]);
  });

  it("has the headers in every case, and counts", async () => {
    const { server, account } = await startAt(NOON);
    const call = async (
      method: "GET" | "HEAD" | "POST" | "PATCH" | "DELETE",
      url: string,
      payload?: string,
      type?: string,
    ) =>
      toAnswer(
        await server.app.inject({
          method,
          url,
          headers: { ...account.headers, ...(type ? { "content-type": type } : {}) },
          ...(payload === undefined ? {} : { payload }),
        }),
      );
    const json = "application/json";
    const answers = [
      await call("POST", "/agents", '{"name":"Desk"}', json),
      await call("POST", "/agents", "{}", json),
      await call("POST", "/agents", '{"name":', json),
      await call("POST", "/agents", "name=Desk", "application/x-www-form-urlencoded"),
      await call("POST", "/agents", `{"name":"${"x".repeat(1_100_000)}"}`, json),
      await call("GET", `/agents/${newId("agent")}`),
      await call("DELETE", "/agents/x"),
      await call("HEAD", "/agents"),
      await call("GET", "/conversations?agentId=x&limit=0"),
      await call("GET", `/chat/${newId("conv")}/stream`),
      await call("GET", "/api-keys"),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 400, 400, 415, 413, 404, 404, 200, 400, 404, 403]);
    expect(answers.map(({ remaining }) => remaining)).toEqual(answers.map((_, index) => 19 - index));
  });

  it("counts all keys of an organization together", async () => {
    const { server, account } = await startAt(NOON);
    const key = generateKey();
    const { organizationId } = account;
    await insertKey(server.deps.db, { organizationId, createdBy: null, name: "second", key, expiresAt: null });
    expect((await get(server, account)).remaining).toBe(19);
    expect((await get(server, { headers: { authorization: `Bearer ${key}` } })).remaining).toBe(18);
    expect((await get(server, account)).remaining).toBe(17);
  });

  it("has no headers and is not counted without a valid key", async () => {
    const { server, account } = await startAt(NOON);
    const conversation = newId("conv");
    const token = `Bearer ${createConversationToken(server.deps.encryption, conversation)}`;
    const without = [
      [{}, "/agents", 401],
      [{ authorization: "Bearer fyr_wrong" }, "/agents", 401],
      [{ authorization: `Bearer ${generateKey()}` }, "/agents", 401],
      [{ authorization: `Bearer ${account.key}x` }, "/agents", 401],
      [{ authorization: token }, `/conversations/${conversation}`, 404],
      [account.headers, "/healthz", 200],
      [account.headers, "/demo/x", 404],
    ] as const;
    for (const [headers, url, status] of without) {
      expect(await get(server, { headers: headers as never }, url)).toMatchObject({ status, limit: undefined });
    }
    expect((await get(server, account)).remaining).toBe(19);
  });

  it("has no headers for a call with a session", async () => {
    const server = await start();
    const { email, organizationId } = await createOwner(server);
    const key = generateKey();
    await insertKey(server.deps.db, { organizationId, createdBy: null, name: "k", key, expiresAt: null });
    const browser = await signedInBrowser(server, email);
    for (let call = 0; call < 3; call++) {
      const { status, headers } = await browser.call("GET", "/agents");
      expect([status, headers["x-ratelimit-limit"]]).toEqual([200, undefined]);
    }
    const { limit, remaining } = await get(server, { headers: { authorization: `Bearer ${key}` } });
    expect(Number(limit) - remaining).toBe(1);
  });

  it("has no headers and no limit when the variable is 0", async () => {
    const { server, account } = await startAt(NOON, { FOYER_LIMIT_API_FREE: "0" });
    for (let call = 0; call < 30; call++) {
      expect(await get(server, account)).toMatchObject({ status: 200, limit: undefined });
    }
    const other = await server.createAccount("growth");
    expect(await get(server, other)).toMatchObject({ limit: "200", remaining: 199 });
  });
});

it("is exact across two processes on one PostgreSQL database", async () => {
  const database = await createPostgres();
  cleanups.push(database.drop);
  const [here, there] = [await start({ database }), await start({ database })];
  const account = await here.createAccount("pro");
  // More concurrent calls than the pools of both servers have connections. An overloaded server rejects calls
  // uncounted.
  const answers: Answer[] = [];
  const callers = Array.from({ length: 60 }, async (_, index) => {
    while (answers.length < 1_200) answers.push(await getCounted(index % 2 === 0 ? here : there, account));
  });
  await Promise.all(callers);
  expectExact(answers, 1_000);
  expect(answers.every(({ limit }) => limit === "1000")).toBe(true);
});
