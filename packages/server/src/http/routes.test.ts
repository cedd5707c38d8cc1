import { subscribe, unsubscribe } from "node:diagnostics_channel";
import * as contract from "@foyer/contract";
import type { FastifyInstance, RouteOptions } from "fastify";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startServer, type TestServer } from "../../../../test/server.ts";
import { createMember, createOwner, signedInBrowser } from "../../../../test/session-client.ts";
import { createConversationToken } from "../auth/conversation-token.ts";
import { newId } from "../ids.ts";

/** Every route and who may call it. A new route must be added here deliberately. */
const everyRoute = [
  "GET /webhooks account",
  "POST /webhooks account",
  "GET /webhooks/:id account",
  "PATCH /webhooks/:id account",
  "DELETE /webhooks/:id account",
  "GET /webhooks/:id/secret account",
  "POST /webhooks/:id/secret/rotate account",
  "POST /webhooks/:id/test account",
  "GET /webhooks/:id/deliveries account",
  "POST /webhooks/:id/deliveries/:deliveryId/retry account",
  "POST /webhooks/:id/retry account",
  "GET /notices session",
  "PUT /notices session",
  "GET /notices/push-key session",
  "GET /notices/reach account",
  "POST /notices/email/test session",
  "POST /notices/push-subscriptions session",
  "DELETE /notices/push-subscriptions/:id session",
  "POST /notices/push-subscriptions/:id/test session",
  "GET /notice-channels account",
  "POST /notice-channels account",
  "PATCH /notice-channels/:id account",
  "DELETE /notice-channels/:id account",
  "POST /notice-channels/:id/test account",
  "POST /notice-channels/:id/link-code session",
  "DELETE /notice-channels/:id/link session",
  "GET /events account",
  "GET /events/feed account",
  "PUT /events/feed account",
  "GET /documents account",
  "POST /documents account",
  "POST /documents/upload account",
  "GET /documents/embeddings account",
  "GET /documents/limits account",
  "POST /documents/search account",
  "PUT /documents/by-key/:externalKey account",
  "PUT /documents/embeddings account",
  "POST /documents/bulk account",
  "GET /documents/unanswered account",
  "POST /documents/unanswered/dismiss account",
  "GET /documents/:id account",
  "GET /documents/:id/text account",
  "GET /documents/:id/chunks account",
  "GET /documents/:id/file account",
  "GET /documents/:id/uses account",
  "PUT /documents/:id account",
  "DELETE /documents/:id account",
  "POST /documents/:id/retry account",
  "GET /visitors/data account",
  "GET /visitors/export account",
  "POST /visitors/erase account",
  "GET /sources account",
  "POST /sources account",
  "POST /sources/preview account",
  "GET /sources/:id account",
  "GET /sources/:id/pages account",
  "PUT /sources/:id account",
  "DELETE /sources/:id account",
  "POST /sources/:id/sync account",
  "POST /sources/:id/stop account",
  "DELETE /form-submissions/:id account",
  "GET /form-submissions account",
  "GET /form-submissions/:id account",
  "GET /form-submissions/:id/files/:name account",
  "GET /form-submissions/analytics account",
  "GET /tools/:id/webhook-secret account",
  "OPTIONS /form-submissions/client-result public",
  "OPTIONS /form-submissions/event public",
  "OPTIONS /form-submissions/submit public",
  "POST /form-submissions/:id/retry account",
  "POST /form-submissions/retry account",
  "POST /form-submissions/client-result public",
  "POST /form-submissions/event public",
  "POST /form-submissions/submit visitor",
  "POST /tools/:id/webhook-secret/rotate account",
  "DELETE /agents/:id account",
  "DELETE /models/prices/:model account",
  "DELETE /models/providers/:provider account",
  "GET / public",
  "GET /agents account",
  "GET /agents/:id account",
  "GET /agents/:id/identity-secret account",
  "DELETE /agents/:id/images/:kind account",
  "GET /agents/:id/images/:kind public",
  "OPTIONS /agents/:id/images/:kind public",
  "PUT /agents/:id/images/:kind account",
  "GET /agents/:id/widget public",
  "OPTIONS /agents/:id/widget public",
  "GET /widget.js public",
  "GET /widget/:file public",
  "OPTIONS /widget.js public",
  "OPTIONS /widget/:file public",
  "POST /chat/attachments visitor",
  "OPTIONS /chat/attachments public",
  "GET /conversations/:id/attachments/:attachmentId conversation",
  "OPTIONS /attachments/:attachmentId public",
  "OPTIONS /conversations/:id/attachments/:attachmentId public",
  "GET /chat/:conversationId/stream conversation",
  "GET /conversations/:id/events conversation",
  "GET /inbox/events session",
  "GET /conversations account",
  "GET /conversations/analytics account",
  "GET /conversations/:id conversation",
  "GET /conversations/:id/messages/:messageId/trace conversation",
  "DELETE /conversations/:id conversation",
  "GET /visitors/:key account",
  "POST /visitors/:key/notes account",
  "DELETE /visitors/:key/notes/:noteId account",
  "GET /trash account",
  "DELETE /trash account",
  "DELETE /trash/:id account",
  "POST /agents/:id/trash account",
  "POST /agents/:id/restore account",
  "POST /conversations/:id/trash account",
  "POST /conversations/:id/restore account",
  "POST /documents/:id/trash account",
  "POST /documents/:id/restore account",
  "POST /tools/:id/trash account",
  "POST /tools/:id/restore account",
  "POST /triggers/:id/trash account",
  "POST /triggers/:id/restore account",
  "GET /conversations/:id/drafts session",
  "PUT /conversations/:id/drafts/:mode session",
  "GET /conversations/:id/notes account",
  "POST /conversations/:id/notes account",
  "DELETE /conversations/:id/notes/:noteId account",
  "GET /tags account",
  "PATCH /tags/:id account",
  "DELETE /tags/:id account",
  "POST /conversations/:id/seen conversation",
  "POST /conversations/:id/tags account",
  "DELETE /conversations/:id/tags/:tagId account",
  "POST /conversations/bulk session",
  "GET /conversations/bulk/:id session",
  "POST /conversations/bulk/:id/undo session",
  "GET /teams account",
  "POST /teams account",
  "GET /teams/:id account",
  "PATCH /teams/:id account",
  "DELETE /teams/:id account",
  "GET /inbox/analytics account",
  "GET /inbox/views session",
  "POST /inbox/presence session",
  "POST /inbox/views session",
  "PATCH /inbox/views/:id session",
  "DELETE /inbox/views/:id session",
  "GET /canned-replies account",
  "POST /canned-replies account",
  "PATCH /canned-replies/:id account",
  "DELETE /canned-replies/:id account",
  "GET /dashboard public",
  "GET /dashboard/* public",
  "GET /dashboard/push-worker.js public",
  "GET /dashboard/assets/:file public",
  "GET /conversation/:agentId public",
  "GET /demo/:agentId public",
  "GET /doctor session",
  "GET /doctor/stream session",
  "GET /docs public",
  "GET /docs/:page public",
  "GET /docs/assets/:file public",
  "GET /healthz public",
  "GET /metrics public",
  "GET /mail-recipients account",
  "POST /mail-recipients account",
  "GET /mail-recipients/confirm public",
  "GET /rate/:id public",
  "POST /rate/:id public",
  "POST /mail-recipients/confirm public",
  "POST /mail-recipients/:id/confirmation account",
  "DELETE /mail-recipients/:id account",
  "GET /models account",
  "GET /models/costs account",
  "GET /models/failures account",
  "GET /models/prices account",
  "GET /plan account",
  "GET /models/providers account",
  "GET /models/settings account",
  "GET /openapi.json public",
  "GET /packages/:file public",
  "GET /pages/:file public",
  "GET /preview/:agentId public",
  "GET /readyz public",
  "OPTIONS /chat public",
  "OPTIONS /chat/:conversationId/stop public",
  "OPTIONS /chat/:conversationId/stream public",
  "OPTIONS /conversations/:id/events public",
  "OPTIONS /conversations/:id/seen public",
  "OPTIONS /conversations/:id/typing public",
  "OPTIONS /chat/:conversationId/tool-claims public",
  "OPTIONS /chat/:conversationId/tool-results public",
  "OPTIONS /conversations/:id public",
  "OPTIONS /conversations/:id/feedback public",
  "DELETE /secrets/:name account",
  "DELETE /tools/:id account",
  "DELETE /triggers/:id account",
  "GET /triggers account",
  "GET /triggers/:id account",
  "GET /triggers/form/:toolIdOrName visitor",
  "GET /triggers/stats account",
  "GET /triggers/templates account",
  "GET /triggers/widget/:agentId public",
  "OPTIONS /triggers/event public",
  "OPTIONS /triggers/form/:toolIdOrName public",
  "OPTIONS /triggers/widget/:agentId public",
  "POST /triggers account",
  "POST /triggers/:id/duplicate account",
  "POST /triggers/:id/toggle account",
  "POST /triggers/event public",
  "PUT /triggers/:id account",
  "GET /secrets account",
  "GET /tools account",
  "GET /tools/:id account",
  "GET /tools/limits account",
  "GET /tools/errors account",
  "POST /secrets account",
  "POST /tools account",
  "POST /tools/:id/duplicate account",
  "POST /tools/:id/test account",
  "PUT /secrets/:name account",
  "PUT /tools/:id account",
  "PATCH /agents/:id account",
  "POST /agents account",
  "POST /agents/:id/duplicate account",
  "POST /agents/:id/publish account",
  "POST /agents/:id/discard-draft account",
  "PUT /agents/:id/rollout account",
  "GET /agents/:id/export account",
  "POST /agents/apply account",
  "DELETE /agents/:id/rollout account",
  "GET /agents/:id/replays account",
  "POST /agents/:id/replays account",
  "GET /agents/:id/replays/:replayId account",
  "DELETE /agents/:id/replays/:replayId account",
  "PUT /agents/:id/replays/:replayId/turns/:messageId/verdict account",
  "GET /agents/:id/tests account",
  "POST /agents/:id/tests account",
  "POST /agents/:id/tests/from-conversation account",
  "POST /agents/:id/tests/run account",
  "GET /agents/:id/tests/runs account",
  "GET /agents/:id/tests/runs/:runId account",
  "POST /agents/:id/tests/runs/:runId/stop account",
  "GET /agents/:id/tests/:testId account",
  "PATCH /agents/:id/tests/:testId account",
  "DELETE /agents/:id/tests/:testId account",
  "GET /agents/:id/versions account",
  "GET /agents/:id/versions/diff account",
  "GET /agents/:id/versions/:version account",
  "POST /agents/:id/versions/:version/restore account",
  "POST /agents/:id/identity-secret/rotate account",
  "POST /agents/:id/identity-token account",
  "POST /agents/:id/identity-token/check account",
  "POST /auth/setup public",
  "POST /auth/setup/check public",
  "PATCH /organization session",
  "PATCH /auth/profile user",
  "POST /auth/magic-link/verify public",
  "POST /auth/verify-email public",
  "DELETE /api-keys/:id session",
  "DELETE /invitations/:id session",
  "DELETE /members/:id session",
  "GET /api-keys session",
  "GET /audit-log session",
  "GET /attachments/:attachmentId public",
  "GET /auth/callback/:provider public",
  "GET /auth/magic-link/verify public",
  "GET /auth/options public",
  "GET /auth/session user",
  "GET /auth/sign-in/:provider public",
  "GET /auth/verify-email public",
  "GET /invitations session",
  "GET /invitations/:id public",
  "GET /members account",
  "GET /members/links session",
  "PATCH /members/:id session",
  "POST /api-keys session",
  "POST /auth/change-password user",
  "POST /auth/magic-link public",
  "POST /auth/request-password-reset public",
  "POST /auth/reset-password public",
  "POST /auth/send-verification-email public",
  "POST /auth/sign-in/email public",
  "POST /auth/sign-out user",
  "POST /auth/sign-up/email public",
  "POST /auth/switch-organization user",
  "POST /invitations session",
  "POST /invitations/:id/accept user",
  "OPTIONS /conversations public",
  "POST /chat visitor",
  "POST /conversations visitor",
  "POST /chat/:conversationId/stop conversation",
  "POST /chat/:conversationId/tool-claims conversation",
  "POST /chat/:conversationId/tool-results conversation",
  "POST /conversations/:id/feedback conversation",
  "GET /conversations/:id/rating conversation",
  "OPTIONS /conversations/:id/rating public",
  "POST /conversations/:id/rating conversation",
  "POST /conversations/:id/read account",
  "DELETE /conversations/:id/handoff conversation",
  "OPTIONS /conversations/:id/handoff public",
  "POST /conversations/:id/assign session",
  "POST /conversations/:id/close session",
  "POST /conversations/:id/draft session",
  "POST /conversations/:id/handoff conversation",
  "POST /conversations/:id/messages session",
  "POST /conversations/:id/return session",
  "POST /conversations/:id/revoke-links account",
  "POST /conversations/:id/resolve account",
  "POST /conversations/:id/reopen account",
  "POST /conversations/:id/snooze account",
  "POST /conversations/:id/takeover session",
  "POST /conversations/:id/typing conversation",
  "POST /models/providers/:provider/test account",
  "PUT /models/prices/:model account",
  "PUT /models/providers/:provider account",
  "PUT /models/settings/:model account",
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
      // Fastify uses the options again for the same route with a trailing slash, and a later hook may still set their
      // `config`.
      registered.push({ route, methods: [route.method].flat() as Method[], url: route.url });
    });
  };
  // Fastify publishes this event before it has any route, so no route is missed.
  subscribe("fastify.initialization", watch);
  server = await startServer();
  unsubscribe("fastify.initialization", watch);
  routes = registered.flatMap(({ route, methods, url }) =>
    methods.map((method) => ({ method, url, access: route.config?.access ?? "account" })),
  );
});
afterAll(() => server.stop());

const isOpen = ({ access }: Route) => access === "public" || access === "visitor";
const formatRoute = ({ method, url, access }: Route) => `${method} ${url} ${access}`;
const conversationId = newId("conv");
const call = ({ method, url }: Route, headers = {}) =>
  server.app.inject({ method, url: url.replace(/:(conversationId|id)/, conversationId).replace(/:\w+/, "x"), headers });

it("the routes are exactly these, each with its access", () => {
  const found = routes.filter(({ method }) => method !== "HEAD");
  expect(found.map(formatRoute).sort()).toEqual([...everyRoute].sort());
});

it("each HEAD route has the access of its GET route", () => {
  const gets = new Set(routes.filter(({ method }) => method === "GET").map(formatRoute));
  const heads = routes.filter(({ method }) => method === "HEAD");
  expect(heads.length).toBeGreaterThan(5);
  for (const { url, access } of heads) {
    // Fastify reports `/docs` twice: for itself and for `/docs/`.
    expect(gets).toContain(formatRoute({ method: "GET", url: url.replace(/(.)\/$/, "$1"), access }));
  }
});

it("the routes cover every endpoint of the contract with the contract's access", () => {
  for (const endpoint of Object.values(contract)) {
    if (typeof endpoint !== "object" || !("method" in endpoint && "url" in endpoint)) continue;
    const { method, url, config } = endpoint;
    expect(routes.map(formatRoute)).toContain(formatRoute({ method, url, access: config.access }));
  }
});

it("exactly the routes that are not public respond 401 without a key", async () => {
  for (const route of routes) {
    const { statusCode, headers } = await call(route);
    if (isOpen(route)) expect(statusCode, formatRoute(route)).not.toBe(401);
    else expect([statusCode, headers["www-authenticate"]], formatRoute(route)).toEqual([401, "Bearer"]);
  }
});

it("a conversation token is accepted only by the routes of its conversation", async () => {
  const bearer = (id: string) => ({ authorization: `Bearer ${createConversationToken(server.deps.encryption, id)}` });
  for (const route of routes) {
    if (isOpen(route)) continue;
    const [own, other] = [await call(route, bearer(conversationId)), await call(route, bearer(newId("conv")))];
    expect(other.statusCode, formatRoute(route)).toBe(401);
    if (route.access !== "conversation") expect(own.statusCode, formatRoute(route)).toBe(401);
    // Only members may read a trace. Elsewhere the token is allowed, but there is no such conversation.
    else if (route.url === contract.getReplyTrace.url) expect(own.statusCode).toBe(403);
    else expect([400, 404], formatRoute(route)).toContain(own.statusCode);
  }
});

it("an API key is accepted everywhere except on routes for signed-in users", async () => {
  const { headers } = await server.createAccount();
  for (const route of routes) {
    const { statusCode } = await call(route, headers);
    if (route.access === "session" || route.access === "user") expect(statusCode, formatRoute(route)).toBe(403);
    else expect([401, 403], formatRoute(route)).not.toContain(statusCode);
  }
});

/** Routes that members may not call. Admins may not call some of them either. */
const forAdmins = [
  /^(POST|DELETE) \/mail-recipients\b/,
  /^DELETE \/(trash|trash\/:id|(agents|conversations|documents|form-submissions|sources|tools|triggers)\/:id)$/,
  /^POST \/agents\/apply$/,
  /^(POST|PATCH|DELETE) \/members\b/,
  /^PATCH \/organization$/,
  /^PUT \/documents\/embeddings$/,
  /^\w+ \/(api-keys|doctor|invitations|secrets|visitors(?!\/:key)|models\/providers)\b/,
  /^(PUT|DELETE) \/models\/(prices|settings)\b/,
  /^\w+ \/agents\/:id\/identity-secret\b/,
  /^\w+ \/agents\/:id\/identity-token$/,
  /^\w+ \/tools\/:id\/webhook-secret\b/,
  /^(POST|PATCH|DELETE) \/webhooks\b/,
  /^(POST|PATCH|DELETE) \/notice-channels\b(?!\/:id\/link)/,
  /^\w+ \/webhooks\/:id\/secret\b/,
  /^PUT \/events\/feed$/,
  /^(POST|PATCH|DELETE) \/teams\b/,
];
const forOwners = [/^\w+ \/audit-log$/, /^\w+ \/members\/links$/];

it.each(["member", "admin", "owner"] as const)(
  "a session with the role %s may call what the role allows",
  async (role) => {
    const { organizationId } = await createOwner(server);
    const { email } = await createMember(server, organizationId, role);
    const browser = await signedInBrowser(server, email);
    const cookie = `foyer_session=${browser.cookies.get("foyer_session")}`;
    // Signing out ends the session, so this route comes last.
    const isLast = ({ url }: Route) => Number(url === "/auth/sign-out");
    // The stream of the inbox never ends, so it has tests of its own.
    const closed = routes
      .filter((route) => !isOpen(route) && route.url !== contract.inboxEvents.url)
      .sort((a, b) => isLast(a) - isLast(b));
    let refusals = 0;
    for (const route of closed) {
      const name = `${route.method} ${route.url}`;
      const needsAdmin = route.access !== "user" && forAdmins.some((pattern) => pattern.test(name));
      const needsOwner = forOwners.some((pattern) => pattern.test(name));
      const mayCall = role === "owner" || (role === "admin" ? !needsOwner : !needsOwner && !needsAdmin);
      const { statusCode, headers } = await call(route, { cookie, "sec-fetch-site": "same-origin" });
      if (mayCall) expect([401, 403], name).not.toContain(statusCode);
      else expect([statusCode, headers["www-authenticate"]], name).toEqual([403, undefined]);
      if (!mayCall) refusals++;
    }
    expect(refusals > 0).toBe(role !== "owner");
  },
);

it("a user without an organization can read only their session", async () => {
  const { email, organizationId } = await createOwner(server);
  const browser = await signedInBrowser(server, email);
  await server.deps.db.deleteFrom("organizations").where("id", "=", organizationId).execute();
  expect((await browser.call("GET", "/auth/session")).body).toMatchObject({ organization: null, role: null });
  for (const route of routes.filter((route) => !isOpen(route) && route.access !== "user")) {
    const headers = { cookie: `foyer_session=${browser.cookies.get("foyer_session")}` };
    expect((await call(route, headers)).statusCode, formatRoute(route)).toBe(403);
  }
});
