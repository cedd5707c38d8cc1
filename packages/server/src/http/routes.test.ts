import { subscribe, unsubscribe } from "node:diagnostics_channel";
import * as contract from "@foyer/contract";
import type { FastifyInstance, RouteOptions } from "fastify";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startServer, type TestServer } from "../../../../test/server.ts";
import { conversationToken } from "../auth/conversation-token.ts";
import { newId } from "../ids.ts";

/** Every address there is, and who may call it. A new one has to be written down here, by somebody who thought of it. */
const everyRoute = [
  "DELETE /agents/:id account",
  "DELETE /conversations/:id account",
  "DELETE /models/providers/:provider account",
  "GET / public",
  "GET /agents account",
  "GET /agents/:id account",
  "GET /agents/:id/identity-secret account",
  "GET /chat/:conversationId/stream conversation",
  "GET /conversations account",
  "GET /conversations/:id conversation",
  "GET /dashboard public",
  "GET /dashboard/setup public",
  "GET /demo/:agentId public",
  "GET /docs public",
  "GET /docs/json public",
  "GET /docs/static/* public",
  "GET /docs/static/index.html public",
  "GET /docs/static/swagger-initializer.js public",
  "GET /docs/yaml public",
  "GET /healthz public",
  "GET /metrics public",
  "GET /models account",
  "GET /models/providers account",
  "GET /openapi.json public",
  "GET /pages/:file public",
  "GET /readyz public",
  "OPTIONS /chat public",
  "OPTIONS /chat/:conversationId/stop public",
  "OPTIONS /chat/:conversationId/stream public",
  "OPTIONS /conversations/:id public",
  "OPTIONS /conversations/:id/feedback public",
  "DELETE /secrets/:name account",
  "DELETE /tools/:id account",
  "GET /secrets account",
  "GET /tools account",
  "GET /tools/:id account",
  "GET /tools/limits account",
  "POST /secrets account",
  "POST /tools account",
  "POST /tools/:id/test account",
  "PUT /secrets/:name account",
  "PUT /tools/:id account",
  "PATCH /agents/:id account",
  "POST /agents account",
  "POST /agents/:id/identity-secret/rotate account",
  "POST /auth/setup public",
  "POST /chat public",
  "POST /chat/:conversationId/stop conversation",
  "POST /conversations/:id/feedback conversation",
  "PUT /models/providers/:provider account",
];

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD" | "OPTIONS";
type Route = { method: Method; url: string; access: contract.Access };

let server: TestServer;
let routes: Route[];
beforeAll(async () => {
  const registered: Array<{ route: RouteOptions; methods: Method[]; url: string }> = [];
  const watch = (message: unknown) => {
    const { fastify } = message as { fastify: FastifyInstance };
    fastify.addHook("onRoute", (route) => {
      // The options are used again for the same route with a slash; their `config` may still be set by a later hook.
      registered.push({ route, methods: [route.method].flat() as Method[], url: route.url });
    });
  };
  // Fastify announces itself before it has any route, so that none escapes.
  subscribe("fastify.initialization", watch);
  server = await startServer();
  unsubscribe("fastify.initialization", watch);
  routes = registered.flatMap(({ route, methods, url }) =>
    methods.map((method) => ({ method, url, access: route.config?.access ?? "account" })),
  );
});
afterAll(() => server.stop());

const line = ({ method, url, access }: Route) => `${method} ${url} ${access}`;
const conversationId = newId("conv");
const call = ({ method, url }: Route, headers = {}) =>
  server.app.inject({ method, url: url.replace(/:(conversationId|id)/, conversationId).replace(/:\w+/, "x"), headers });

it("there are these routes and no other, each open to whom it should be", () => {
  const found = routes.filter(({ method }) => method !== "HEAD");
  expect(found.map(line).sort()).toEqual([...everyRoute].sort());
});

it("each HEAD is open to whom its GET is", () => {
  const gets = new Set(routes.filter(({ method }) => method === "GET").map(line));
  const heads = routes.filter(({ method }) => method === "HEAD");
  expect(heads.length).toBeGreaterThan(5);
  for (const { url, access } of heads) {
    // Fastify announces `/docs` once for itself and for `/docs/`.
    expect(gets).toContain(line({ method: "GET", url: url.replace(/(.)\/$/, "$1"), access }));
  }
});

it("has every endpoint of the contract, with the contract's access", () => {
  for (const endpoint of Object.values(contract)) {
    if (typeof endpoint !== "object" || !("method" in endpoint && "url" in endpoint)) continue;
    const { method, url, config } = endpoint;
    expect(routes.map(line)).toContain(line({ method, url, access: config.access }));
  }
});

it("answers 401 without a key wherever it is not public, and nowhere else", async () => {
  for (const route of routes) {
    const { statusCode, headers } = await call(route);
    if (route.access === "public") expect(statusCode, line(route)).not.toBe(401);
    else expect([statusCode, headers["www-authenticate"]], line(route)).toEqual([401, "Bearer"]);
  }
});

it("lets a conversation's token to that conversation's routes only, and no further", async () => {
  const bearer = (id: string) => ({ authorization: `Bearer ${conversationToken(server.deps.secrets, id)}` });
  for (const route of routes) {
    if (route.access === "public") continue;
    const [own, other] = [await call(route, bearer(conversationId)), await call(route, bearer(newId("conv")))];
    expect(other.statusCode, line(route)).toBe(401);
    if (route.access === "account") expect(own.statusCode, line(route)).toBe(401);
    else expect([400, 404], line(route)).toContain(own.statusCode); // let in, and there is no such conversation
  }
});

it("lets an account's key in everywhere", async () => {
  const { headers } = await server.createAccount();
  for (const route of routes) expect([401, 403], line(route)).not.toContain((await call(route, headers)).statusCode);
});
