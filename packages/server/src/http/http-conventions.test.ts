import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPostgres } from "../../../../test/databases.ts";
import { startServer, type TestServer } from "../../../../test/server.ts";
import { createApp } from "../app.ts";
import { createApiKeys } from "../auth/api-keys/api-keys.ts";
import { generateKey } from "../auth/api-keys/key-format.ts";
import { insertKey, listKeys } from "../auth/api-keys/store.ts";
import { readEnvironment } from "../create-deps.ts";
import type { App } from "./app.ts";

type Account = Awaited<ReturnType<TestServer["createAccount"]>>;

let server: TestServer;
let owner: Account;
let agentId: string;
beforeAll(async () => {
  server = await startServer({ listen: true });
  owner = await server.createAccount();
  const createAgent = { method: "POST", url: "/agents", headers: owner.headers, payload: { name: "Desk" } } as const;
  agentId = (await server.app.inject(createAgent)).json().data.id;
});
afterAll(() => server.stop());

const expectedError = (code: string) => ({ data: null, error: { code, message: expect.stringMatching(/\S/) } });
const createChatBody = () => ({ agentId, messages: [{ role: "user", content: "Hello" }] });

it("a compressed body is refused with the encoding that its header names", async () => {
  const headers = { ...owner.headers, "content-type": "application/json", "content-encoding": "gzip" };
  const payload = gzipSync(JSON.stringify({ name: "Desk" }));
  const { statusCode, body } = await server.app.inject({ method: "POST", url: "/agents", headers, payload });
  expect([statusCode, body]).toEqual([415, expect.stringContaining("compressed (Content-Encoding: gzip)")]);
});

describe("the log", () => {
  const lines: Array<{ level: number; requestId: string; msg: string; status: number; path: string }> = [];
  let app: App;
  let drain: () => Promise<void>;
  beforeAll(async () => {
    const log = pino({ level: "debug" }, { write: (line) => lines.push(JSON.parse(line)) });
    ({ app, drain } = await createApp({ ...server.deps, log }));
  });
  afterAll(async () => {
    await drain();
    await app.close();
  });

  it("has the request id that the response has, which the caller cannot set", async () => {
    const { headers } = owner;
    const seen = new Set<unknown>();
    for (const call of [
      { url: "/agents?limit=secret", headers, status: 200 },
      { url: "/agents", status: 401 },
      { url: "/nothing", status: 404 },
      { method: "PUT", url: "/agents", headers, status: 405 },
      {
        method: "POST",
        url: "/agents",
        headers: { ...headers, "content-type": "application/json" },
        payload: "{",
        status: 400,
      },
      { method: "POST", url: "/agents", headers, payload: "x".repeat(1_100_000), status: 413 },
      {
        method: "POST",
        url: "/agents",
        headers: { ...headers, "content-type": "text/csv" },
        payload: "a",
        status: 415,
      },
      { method: "POST", url: "/chat", payload: createChatBody(), status: 200 },
      { method: "HEAD", url: "/agents", headers, status: 200 },
      {
        method: "OPTIONS",
        url: "/chat",
        headers: { origin: "https://a.example", "access-control-request-method": "POST" },
        status: 204,
      },
    ] as const) {
      const { status, ...options } = call;
      const asked = { ...("headers" in options ? options.headers : {}), "x-request-id": "mine" };
      const response = await app.inject({ ...options, headers: asked });
      expect(response.statusCode, JSON.stringify(call)).toBe(status);
      const id = response.headers["x-request-id"];
      expect(id).toMatch(/^[0-9a-f-]{36}$/);
      expect(seen.has(id)).toBe(false);
      seen.add(id);
      const path = call.url.split("?")[0];
      expect(lines.filter((line) => line.requestId === id && line.msg === "request")).toMatchObject([{ status, path }]);
    }
    expect(JSON.stringify(lines)).not.toContain("secret");
    expect(JSON.stringify(lines)).not.toContain(owner.key);
  });

  it("has an id for a malformed URL, which is in its response", async () => {
    const response = await app.inject({ url: "/agents/%E0%A4%A", headers: owner.headers });
    expect([response.statusCode, response.json()]).toEqual([400, expectedError("VALIDATION_ERROR")]);
    expect(response.headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("shows pages and their files at debug level only, unless they are missing", async () => {
    lines.length = 0;
    for (const url of ["/dashboard", "/pages/icon.svg", "/dashboard/assets/none.js", "/agents"]) await app.inject(url);
    const seen = lines.filter(({ msg }) => msg === "request").map(({ path, level }) => [path, level]);
    const { debug, info } = pino.levels.values;
    expect(seen).toEqual([
      ["/dashboard", debug],
      ["/pages/icon.svg", debug],
      ["/dashboard/assets/none.js", info],
      ["/agents", info],
    ]);
  });

  it.each([
    ["short text", "auto", "a terminal"],
    ["JSON", "auto", "a pipe"],
    ["JSON", "json", "a terminal"],
    ["short text", "text", "a pipe"],
  ])("is %s in the format %s on %s", (written, FOYER_LOG_FORMAT, output) => {
    const { isTTY } = process.stdout;
    process.stdout.isTTY = output === "a terminal";
    try {
      expect(readEnvironment({ FOYER_LOG_FORMAT }).terminal !== null).toBe(written === "short text");
    } finally {
      process.stdout.isTTY = isTTY;
    }
  });
});

describe("authentication", () => {
  const createAuthHeader = (change: (key: string) => string) => ({ authorization: `Bearer ${change(owner.key)}` });
  const changeLastCharacter = (key: string) => key.slice(0, -1) + (key.endsWith("A") ? "B" : "A");
  it.each([
    ["no key", () => ({})],
    ["another scheme", () => ({ authorization: `Basic ${owner.key}` })],
    ["the key without its scheme", () => ({ authorization: owner.key })],
    ["an empty key", () => ({ authorization: "Bearer " })],
    ["two keys", () => ({ authorization: `Bearer ${owner.key} ${owner.key}` })],
    ["garbage", () => ({ authorization: "Bearer \u00ff\u00fe'--%00" })],
    ["a very long key", () => createAuthHeader((key) => key.repeat(100))],
    ["a mistyped checksum", () => createAuthHeader(changeLastCharacter)],
    ["a key of another server", () => ({ authorization: `Bearer ${generateKey()}` })],
    ["a key in the wrong case", () => createAuthHeader((key) => key.toUpperCase())],
    ["a forged token of a conversation", () => ({ authorization: "Bearer fct_x" })],
    ["a cookie", () => ({ cookie: `foyer_session=${owner.key}` })],
  ])("responds 401 to %s", async (_, headers) => {
    const response = await server.app.inject({ url: "/agents", headers: headers() });
    expect([response.statusCode, response.json()]).toEqual([401, expectedError("UNAUTHORIZED")]);
    expect(response.headers["www-authenticate"]).toBe("Bearer");
  });

  it("accepts the scheme in any case", async () => {
    const headers = { authorization: `bEARER  ${owner.key}` };
    expect((await server.app.inject({ url: "/agents", headers })).statusCode).toBe(200);
  });

  it("refuses a key from its last millisecond, here immediately and in another process within 5 s", async () => {
    const database = await createPostgres();
    const [here, there] = [await startServer({ database }), await startServer({ database })];
    let now = Date.now();
    const keys = createApiKeys(there.deps.db, there.deps.log, () => now);
    const { app: elsewhere, drain } = await createApp({ ...there.deps, keys });
    const { organizationId, headers } = await here.createAccount();
    const readStatus = async (app: App, sent: { authorization: string } = headers) =>
      (await app.inject({ url: "/agents", headers: sent })).statusCode;

    const key = generateKey();
    await insertKey(here.deps.db, { organizationId, createdBy: null, name: "short", key, expiresAt: now + 1_000 });
    const short = { authorization: `Bearer ${key}` };
    expect(await readStatus(elsewhere, short)).toBe(200);
    now += 1_000;
    expect(await readStatus(elsewhere, short)).toBe(401);

    expect([await readStatus(here.app), await readStatus(elsewhere)]).toEqual([200, 200]);
    const [first] = await listKeys(here.deps.db, organizationId);
    expect(await here.deps.keys.revoke(organizationId, first?.id ?? "")).toBe(true);
    expect(await readStatus(here.app)).toBe(401);
    now += 5_000;
    expect(await readStatus(elsewhere)).toBe(401);

    await drain();
    await elsewhere.close();
    await Promise.all([here.stop(), there.stop()]);
    await database.drop();
  });
});

describe("URLs", () => {
  /** Sends the path unchanged, because HTTP clients would normalize it. */
  const sendRaw = (path: string, method = "GET", headers: object = owner.headers) =>
    new Promise<{ status: number | undefined; allow: unknown; body: string }>((resolve, reject) => {
      const port = new URL(server.url).port;
      const call = request({ port, host: "127.0.0.1", path, method, headers: { ...headers } }, async (response) => {
        let body = "";
        for await (const chunk of response) body += chunk;
        resolve({ status: response.statusCode, allow: response.headers.allow, body });
      });
      call.on("error", reject).end();
    });

  it.each([
    "//agents",
    "/AGENTS",
    "/Agents",
    "/agents//",
    "/./agents",
    "/triggers/widget/../agents",
    "/agents/..",
    "/agents;x=1",
    "/agents%2f",
    "/agents.json",
    "/agents%00",
    "/chat/../agents",
    "/agents/%2e%2e/agents",
    "/api/agents",
    "/nothing",
    "/index.html",
    "/.env",
    "/docs/../../../etc/passwd",
    "/docs/..%2f..%2fpackage.json",
  ])("such as %s are not found", async (path) => {
    const known = await sendRaw(path);
    expect([known.status, JSON.parse(known.body)], known.body).toEqual([404, expectedError("NOT_FOUND")]);
    expect([401, 404]).toContain((await sendRaw(path, "GET", {})).status);
  });

  it.each(["/agents", "/agents/", "/%61gents/", "/agents/?x=1"])("such as %s are the list of agents", async (path) => {
    expect((await sendRaw(path)).status).toBe(200);
  });

  it.each([
    ["PUT", "/agents", "GET, HEAD, POST"],
    ["DELETE", "/agents", "GET, HEAD, POST"],
    ["POST", "/agents/x", "GET, HEAD, PATCH, DELETE"],
    ["GET", "/chat", "POST"],
    ["GET", "/chat?x=/agents", "POST"],
    ["PROPFIND", "/chat", "POST"],
    ["TRACE", "/agents", "GET, HEAD, POST"],
    ["OPTIONS", "/agents", "GET, HEAD, POST"],
    ["OPTIONS", "/chat", "POST"],
    ["PUT", "/conversations", "GET, HEAD, POST"],
    ["POST", "/healthz", "GET, HEAD"],
  ])("for %s %s get 405 with the allowed methods", async (method, path, allow) => {
    const answer = await sendRaw(path, method, {});
    expect([answer.status, JSON.parse(answer.body)]).toEqual([405, expectedError("METHOD_NOT_ALLOWED")]);
    expect(String(answer.allow).split(", ").sort()).toEqual(allow.split(", ").sort());
  });

  it("respond to HEAD as to GET, without a body", async () => {
    for (const [path, headers, status] of [
      ["/agents", owner.headers, 200],
      ["/agents", {}, 401],
      [`/agents/${agentId}`, owner.headers, 200],
      ["/healthz", {}, 200],
      ["/nothing", {}, 404],
      ["/chat", {}, 405],
    ] as const) {
      expect(await sendRaw(path, "HEAD", headers), path).toMatchObject({ status, body: "" });
    }
  });

  it("that do not exist get 404 for OPTIONS", async () => {
    expect((await sendRaw("/nothing", "OPTIONS", {})).status).toBe(404);
  });
});

describe("request bodies", () => {
  it.each(["application/json", "text/plain", "garbage", "multipart/form-data", "application/x-www-form-urlencoded"])(
    "that are empty with type %s count as none",
    async (type) => {
      const headers = { ...owner.headers, "content-type": type };
      for (const length of [{}, { "content-length": "0" }]) {
        const call = {
          method: "POST",
          url: `/agents/${agentId}/identity-secret/rotate`,
          headers: { ...headers, ...length },
        } as const;
        expect((await server.app.inject(call)).statusCode).toBe(200);
        const missing = await server.app.inject({ ...call, url: "/agents" });
        expect([missing.statusCode, missing.json().error.details]).toEqual([
          400,
          [{ path: "", code: "type", message: "must be object" }],
        ]);
      }
    },
  );

  it("that are far too large are read before the connection closes, so every client reads the error", async () => {
    const length = 10_000_000;
    const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
    const answer = text(socket);
    const head = ["POST /chat HTTP/1.1", "host: localhost", "connection: close", "content-type: application/json"];
    socket.write(`${head.join("\r\n")}\r\ncontent-length: ${length}\r\n\r\n`);
    const part = Buffer.alloc(1_000_000, "x");
    for (let sent = 0; sent < length; sent += part.length) {
      if (!socket.write(part)) await once(socket, "drain");
    }
    expect(await answer).toMatch(/^HTTP\/1\.1 413 [\s\S]*"code":"PAYLOAD_TOO_LARGE"/);
  });

  it("may contain unknown fields, with or without a charset in the type", async () => {
    for (const type of ["application/json", "application/json; charset=utf-8", "APPLICATION/JSON"]) {
      const payload = JSON.stringify({ name: "Known", isAdmin: true, id: "agent_x", nested: { a: [1] } });
      const headers = { ...owner.headers, "content-type": type };
      const response = await server.app.inject({ method: "POST", url: "/agents", headers, payload });
      expect(response.statusCode).toBe(201);
      expect(response.json().data).not.toHaveProperty("isAdmin");
      expect(response.json().data.id).not.toBe("agent_x");
    }
  });
});

describe("cross-origin requests", () => {
  const origin = "https://shop.example";
  const open = [
    ["POST", "/chat"],
    ["GET", "/chat/conv_x/stream"],
    ["POST", "/chat/conv_x/stop"],
    ["GET", "/conversations/conv_x"],
    ["DELETE", "/conversations/conv_x"],
    ["POST", "/conversations/conv_x/feedback"],
  ] as const;
  const closed = [
    "GET /agents",
    "POST /agents",
    "PATCH /agents/x",
    "GET /conversations",
    "GET /models",
    "PUT /models/providers/openai",
    "GET /nothing",
    "GET /healthz",
    "GET /metrics",
    "GET /openapi.json",
    "POST /auth/setup",
  ].map((line) => line.split(" ") as ["GET" | "POST" | "PATCH" | "DELETE" | "PUT", string]);

  it.each(open)(
    "to %s %s are allowed from any origin, without credentials, and can read the limits",
    async (method, url) => {
      const headers = {
        origin,
        "access-control-request-method": method,
        "access-control-request-headers": "authorization",
      };
      const preflight = await server.app.inject({ method: "OPTIONS", url, headers });
      expect(preflight.statusCode).toBe(204);
      const actual = await server.app.inject({ method, url, headers: { origin } });
      expect(actual.statusCode).toBeGreaterThanOrEqual(400);
      for (const response of [preflight, actual]) {
        expect(response.headers["access-control-allow-origin"]).toBe("*");
        expect(response.headers).not.toHaveProperty("access-control-allow-credentials");
      }
      const splitHeader = (name: string) => String(preflight.headers[name]).toLowerCase().split(", ");
      expect(splitHeader("access-control-allow-methods")).toContain(method.toLowerCase());
      expect(splitHeader("access-control-allow-headers")).toEqual(
        expect.arrayContaining(["authorization", "content-type", "x-filename"]),
      );
      const exposed = String(actual.headers["access-control-expose-headers"]).toLowerCase().split(", ");
      for (const name of ["limit", "remaining", "reset"]) expect(exposed).toContain(`x-ratelimit-${name}`);
      expect(exposed).toContain("retry-after");
    },
  );

  it.each(open)("to %s %s may have the headers that a page's tracing adds", async (method, url) => {
    const added = ["sentry-trace", "baggage", "traceparent", "x-datadog-trace-id", "x-anything"];
    const headers = {
      origin,
      "access-control-request-method": method,
      "access-control-request-headers": added.join(","),
    };
    const preflight = await server.app.inject({ method: "OPTIONS", url, headers });
    const allowed = String(preflight.headers["access-control-allow-headers"]).split(/,\s*/);
    expect(allowed).toEqual(expect.arrayContaining(added));
  });

  it.each(closed)("to %s %s are not allowed", async (method, url) => {
    const headers = { ...owner.headers, origin };
    const preflight = await server.app.inject({
      method: "OPTIONS",
      url,
      headers: { origin, "access-control-request-method": method },
    });
    const actual = await server.app.inject({ method, url, headers });
    for (const response of [preflight, actual]) {
      expect(Object.keys(response.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
    }
  });

  it("get the same preflight response with or without an origin", async () => {
    const headers = { "access-control-request-method": "POST" };
    expect((await server.app.inject({ method: "OPTIONS", url: "/chat", headers })).statusCode).toBe(204);
  });

  it("are not allowed for a method that the route does not open", async () => {
    const headers = { origin, "access-control-request-method": "DELETE" };
    const preflight = await server.app.inject({ method: "OPTIONS", url: "/triggers/event", headers });
    expect(preflight.headers).not.toHaveProperty("access-control-allow-origin");
  });

  it.each(["__proto__", "constructor", "X", ""])("with the method %j are refused in the preflight", async (method) => {
    const headers = { origin, "access-control-request-method": method };
    const response = await server.app.inject({ method: "OPTIONS", url: "/chat", headers });
    expect([response.statusCode, response.json()]).toEqual([405, expectedError("METHOD_NOT_ALLOWED")]);
  });
});
