import { Readable } from "node:stream";
import * as contract from "@foyer/contract";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import * as bad from "../../../../test/bad-bodies.ts";
import { createPostgres, onBothDatabases, type TestDatabase } from "../../../../test/databases.ts";
import { startServer, type TestServer } from "../../../../test/server.ts";
import { createMember, signedInBrowser } from "../../../../test/session-client.ts";
import { sayWords, startUpstream, type Upstream } from "../../../../test/upstream.ts";
import { newId } from "../ids.ts";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
type Endpoint = {
  method: Method;
  url: string;
  config: { access: contract.Access };
  schema: { body?: bad.Schema; querystring?: bad.Schema };
};

const endpoints = Object.entries(contract)
  .filter(([, value]) => typeof value === "object" && "method" in value && "url" in value)
  .map(([name, value]) => ({ name, ...(value as Endpoint) }));
/** Endpoints that accept any bytes as their body. */
const acceptsBytes = ({ name }: { name: string }) => name === "uploadDocument" || name === "uploadAttachment";
const withBody = endpoints.flatMap((endpoint) =>
  endpoint.schema.body && !acceptsBytes(endpoint) ? [{ ...endpoint, body: endpoint.schema.body }] : [],
);
const writing = endpoints.filter((endpoint) => endpoint.method !== "GET" && !acceptsBytes(endpoint));
// Endpoints that create a resource under a name that does not exist yet.
const createdByKey = ["putSecret", "putDocumentByKey", "putModelPrice", "putModelSetting"];
// A signed link is checked before the id in it.
const signed = "getSignedAttachment";
const withParameter = endpoints.filter(
  ({ name, url }) => url.includes(":") && !createdByKey.includes(name) && name !== signed,
);

onBothDatabases("bad input", (createDatabase) => {
  let database: TestDatabase;
  let upstream: Upstream;
  let server: TestServer;
  let owner: World;
  let stranger: World;
  beforeAll(async () => {
    database = await createDatabase();
    // The demo model pauses between words, which takes a minute for all chats of these tests.
    upstream = await startUpstream(sayWords("Hello"));
    const env = { OPENAI_COMPATIBLE_BASE_URL: `${upstream.url}/v1`, FOYER_LIMIT_SIGN_IN_PER_ADDRESS: "0" };
    server = await startServer({ database, env });
    owner = await populate(server);
    stranger = await populate(server);
  });
  // Make agents without a model use the demo model again, after a test saved a provider that does not respond.
  beforeEach(async () => {
    await server.deps.db
      .updateTable("agents")
      .set({ model: "openai-compatible/test" })
      .where("id", "=", owner.agentId)
      .where("model", "is", null)
      .execute();
  });
  // Reset the state after a failed test, so that one failure does not spread to all other tests.
  afterEach(async ({ task }) => {
    if (task.result?.state === "fail") owner = await populate(server);
  });
  afterAll(async () => {
    await server.stop();
    await upstream.stop();
    await database.drop();
  });

  type Call = { method: Method; url: string; payload?: string | Buffer | Readable; type?: string };
  const send = async ({ method, url, payload, type = "application/json" }: Call) => {
    const body = payload === undefined ? {} : { payload };
    const chunked = payload instanceof Readable ? { "transfer-encoding": "chunked" } : {};
    const credentials = forPeople.test(url) ? owner.session : owner.headers;
    const headers = { ...credentials, ...(payload === undefined ? {} : { "content-type": type }), ...chunked };
    const response = await server.app.inject({ method, url, headers, ...body });
    return { status: response.statusCode, text: response.body };
  };
  const json = ({ method, url }: Endpoint, body: unknown, ids: Ids = owner) =>
    send({ method, url: fillPath(url, ids), payload: JSON.stringify(body) });
  const get = (url: string) => send({ method: "GET", url });

  /** Reads every row of every table, except for the one value that reads may change. */
  const readAllRows = async () => {
    const { db } = server.deps;
    const own = ["agents", "agentCounters", "tools", "conversations", "messages", "providerSettings"] as const;
    const ofTriggers = ["triggers", "triggerDays", "triggerEvents"] as const;
    const ofForms = ["submissions", "deliveries", "formInstances", "formDays"] as const;
    const tables = [...own, ...ofTriggers, ...ofForms, "organizations", "users", "members", "identities"] as const;
    const dump = await Promise.all(tables.map((table) => db.selectFrom(table).selectAll().execute()));
    const keys = await db.selectFrom("apiKeys").select(["id", "hash", "expiresAt"]).execute();
    return JSON.stringify([...dump, keys].map((rows) => rows.map((row) => JSON.stringify(row)).sort()));
  };
  const expectNoWrites = async (calls: () => Promise<void>) => {
    const before = await readAllRows();
    await calls();
    expect(await readAllRows()).toBe(before);
  };

  /** PostgreSQL rejects texts that SQLite stores: those with NUL, and those that are not valid Unicode. */
  const isStrict = createDatabase === createPostgres;

  // These bodies are rejected before any query, so one database is enough.
  if (!isStrict) {
    it.each(withBody)("for $name gets an error with the path of every wrong value", async (endpoint) => {
      const cases = [...bad.wrongBodies(endpoint.body, createValidBody(endpoint.name, owner))];
      expect(cases.length).toBeGreaterThan(5);
      await expectNoWrites(async () => {
        for (const { path, body } of cases) {
          const label = `${path} in ${JSON.stringify(body)?.slice(0, 200)}`;
          const error = expectError(await json(endpoint, body), label);
          expect(error, label).toMatchObject({ status: 400, code: "VALIDATION_ERROR" });
          expect(
            error.details?.map((detail) => detail.path),
            label,
          ).toContain(path);
        }
      });
    });

    // All endpoints except submitForm share one JSON parser.
    it.each(writing.filter(({ name }) => ["chat", "submitForm"].includes(name)))(
      "for $name is refused when it is not JSON, hostile or of another type",
      async (endpoint) => {
        await expectNoWrites(async () => {
          const call = { method: endpoint.method, url: fillPath(endpoint.url, owner) };
          for (const payload of [...bad.brokenJson, ...bad.hostileJson(createValidBody(endpoint.name, owner))]) {
            const label = payload.toString("latin1", 0, 120);
            const error = expectError(await send({ ...call, payload }), label);
            expect(error, label).toMatchObject({ status: 400, code: "VALIDATION_ERROR" });
          }
          for (const type of bad.otherTypes) {
            const error = expectError(await send({ ...call, payload: "{}", type }), type);
            expect(error, type).toMatchObject({ status: 415, code: "UNSUPPORTED_MEDIA_TYPE" });
          }
        });
      },
    );

    it("is refused by every endpoint when it is not JSON, hostile, of another type or too large", async () => {
      await expectNoWrites(async () => {
        for (const { name, method, url } of writing) {
          const call = { method, url: fillPath(url, owner) };
          for (const payload of ["[1,", '{"__proto__":{"isAdmin":true}}']) {
            const error = expectError(await send({ ...call, payload }), name);
            expect(error, name).toMatchObject({ status: 400, code: "VALIDATION_ERROR" });
          }
          const typed = expectError(await send({ ...call, payload: "{}", type: "text/plain" }), name);
          expect(typed, name).toMatchObject({ status: 415, code: "UNSUPPORTED_MEDIA_TYPE" });
          // The limits of submissions, which have room for files, and of agents as files have their own tests.
          if (name === "submitForm" || name === "applyAgents") continue;
          const large = JSON.stringify({ name: "x".repeat(1024 * 1024) });
          for (const payload of [large, Readable.from([large.slice(0, 10), large.slice(10)])]) {
            const error = expectError(await send({ ...call, payload }), name);
            expect(error, name).toMatchObject({ status: 413, code: "PAYLOAD_TOO_LARGE" });
          }
        }
      });
    });
  }

  it.each(withParameter)("for $name cannot use ids of another organization", async (endpoint) => {
    const valid = createValidBody(endpoint.name, owner);
    const unknown = await json(endpoint, valid, nobodys);
    expect(expectError(unknown)).toMatchObject({ status: 404, code: "NOT_FOUND" });
    await expectNoWrites(async () => {
      for (const id of isStrict ? bad.oddIds : bad.oddIds.slice(0, 3)) {
        const url = endpoint.url.replace(/:\w+/, id);
        const { status } = expectError(
          await send({ method: endpoint.method, url, payload: JSON.stringify(valid) }),
          id,
        );
        expect([400, 404], id).toContain(status);
      }
      // A name is looked up only in the caller's organization, and public endpoints have no such caller.
      if (!["public", "visitor"].includes(endpoint.config.access) && !/:(provider|name)/.test(endpoint.url))
        expect(await json(endpoint, valid, stranger)).toEqual(unknown);
    });
  });

  if (isStrict) {
    it.each(withBody)("for $name with unusual text is accepted or refused, and never fails", async (endpoint) => {
      for (const text of ["a\0b", "\ud800 \udc00x \uffff\ufffe", "\u202e\u200b %00' or 1=1 -- {{y}}\\"]) {
        for (const { path, body } of bad.withText(text, endpoint.body, createValidBody(endpoint.name, owner))) {
          const answer = await json(endpoint, body);
          const label = `${JSON.stringify(text)} as ${path}: ${answer.text.slice(0, 200)}`;
          expect(answer.status, label).toBeLessThan(500);
          const hasNul = text.includes("\0");
          if (answer.status >= 400 || hasNul) expectError(answer, label);
          if (hasNul) expect(expectError(answer).details, label).toMatchObject([{ path, message: expect.any(String) }]);
        }
      }
    });
  }

  // These endpoints have their own tests: setup needs an empty server, sign-in and members need sessions, secrets are
  // created once, tools depend on their texts, only the first result or claim counts, models are tried out, and an
  // agent can have each site only once.
  const withOwnRules = [
    "assignConversation",
    "createSecret",
    "putSecret",
    "createTool",
    "updateTool",
    "reportClientResult",
    "rateConversation",
    "claimToolCall",
    "sendToolResult",
    "createMailRecipient",
    "putDocumentEmbeddings",
    "createSource",
    "updateSource",
    "previewSource",
    "eraseVisitor",
    "createWebhook",
    "updateWebhook",
    "createPushSubscription",
    "createNoticeChannel",
    "updateNoticeChannel",
    "applyAgents",
    // The version can name a team that does not exist.
    "restoreAgentVersion",
    "createAgentTest",
    "keepConversationAsTest",
    "updateAgentTest",
    "createTeam",
    "updateTeam",
    "createInboxView",
    "createBulkAction",
    "updateInboxView",
    "createReplay",
    "putReplayVerdict",
  ];
  const withoutOwnRules = withBody.filter(
    ({ name, url }) => !/^\/(auth|members|invitations)\b/.test(url) && !withOwnRules.includes(name),
  );
  it.each(withoutOwnRules)("for $name may be null where optional, and text up to the limit", async (endpoint) => {
    const valid = createValidBody(endpoint.name, owner);
    const texts = [...bad.longestTexts(endpoint.body, valid)].filter(
      ({ path }) =>
        !/^actions|^allowed|^attachments|^linkHosts|^fallbackModels|^handoff\.(?:escalation|teamId)|^baseUrl|^image|^userToken|^widget\.pageSuggestions\.0\.page$/.test(
          path,
        ) && !(endpoint.name === "requestHuman" && path === "email"),
    );
    const needed = neededValues[endpoint.name] ?? [];
    const nulls = [...bad.nulls(endpoint.body, valid)].filter(
      ({ path }) => path !== "apiKey" && !needed.includes(path),
    );
    // The omitted texts need a specific format, and a provider needs its key. The nulls come last because they restore
    // the agent's defaults.
    for (const { path, body } of [...texts, ...nulls]) {
      const { status, text } = await json(endpoint, body);
      expect([200, 201, 202], `${path}: ${text.slice(0, 200)}`).toContain(status);
    }
  });

  it("that the contract cannot express in a schema is refused", async () => {
    await expectNoWrites(async () => {
      const [own, other] = [createValidBody("chat", owner), createValidBody("chat", stranger)];
      for (const [name, body, status, path] of [
        ["chat", { ...own, messages: [{ role: "user", content: " \n" }] }, 400, "messages.0.content"],
        ["chat", { ...own, messages: [{ role: "assistant", content: "Hello" }] }, 400, "messages.0.role"],
        ["chat", { ...own, messages: [{ role: "user", content: "x".repeat(32_001) }] }, 400, "messages.0.content"],
        ["chat", { ...own, messages: Array(201).fill({ role: "user", content: "x" }) }, 400, "messages"],
        ["chat", { ...own, conversationId: stranger.conversationId }, 404],
        ["chat", { ...other, conversationId: owner.conversationId }, 404],
        ["chat", { ...own, agentId: newId("agent") }, 404],
        ["rateMessage", { messageId: stranger.messageId, rating: "up" }, 404],
        ["rateMessage", { messageId: "constructor", rating: "up" }, 404],
        ["reportSeen", { messageId: stranger.messageId }, 404],
        ["reportSeen", { messageId: "constructor" }, 404],
        ["createAgent", { name: "x", allowedOrigins: ["https://shop.example/path"] }, 400, "allowedOrigins.0"],
        ["createAgent", { name: "x", allowedOrigins: ["https://a.example", "javascript:1"] }, 400, "allowedOrigins.1"],
        ["createAgent", { name: "x", allowedImageHosts: ["images.example/x"] }, 400, "allowedImageHosts.0"],
        ["createAgent", { name: "\u00a0\u2003" }, 400, "name"],
        ["putProvider", { apiKey: null }, 400, "apiKey"],
        ["putProvider", { apiKey: "x", baseUrl: "ftp://example.com" }, 400, "baseUrl"],
        ["putProvider", { apiKey: "x", baseUrl: "http://169.254.169.254/v1" }, 400, "baseUrl"],
      ] as const) {
        const error = expectError(await json(findEndpoint(name), body), JSON.stringify(body).slice(0, 200));
        expect(error.status, JSON.stringify(body).slice(0, 200)).toBe(status);
        if (path) expect(error.details).toMatchObject([{ path, message: expect.any(String) }]);
      }
    });
  });

  it.each([
    ["temperature", ["1e400", "-1e400", "100.0000001", "-1e-9", '"70"', "1e2147483648"]],
    ["monthlyTokenBudget", ["1e400", "1.5", "-1", '"1"', "9007199254740993", "1e300"]],
  ])("such as the %s that no column can hold is refused", async (name, numbers) => {
    await expectNoWrites(async () => {
      for (const number of numbers) {
        const payload = `{"name":"Number","${name}":${number}}`;
        const error = expectError(await send({ method: "POST", url: "/agents", payload }), payload);
        expect(error.details?.[0]?.path, payload).toBe(name);
      }
    });
  });

  it("does not include numbers that look odd but are valid", async () => {
    for (const [number, temperature] of [
      ["-0", 0],
      ["1e2", 100],
      ["0.1", 0.1],
      ["5e-324", 5e-324],
    ] as const) {
      const payload = `{"name":"Number","temperature":${number}}`;
      const created = JSON.parse((await send({ method: "POST", url: "/agents", payload })).text).data;
      expect(created.temperature === temperature, payload).toBe(true);
      expect(JSON.parse((await get(`/agents/${created.id}`)).text).data).toEqual(created);
    }
  });

  it.each([
    "limit=0",
    "limit=-1",
    "limit=1.5",
    "limit=abc",
    "limit=",
    "limit=NaN",
    "limit=0x10x",
    "limit=%00",
    "limit=Infinity",
    "limit=-Infinity",
    "limit=1e309",
    "limit=1e9",
    "limit=0x10",
    "limit=%2B5",
    "limit=%205",
    "limit=5.",
    "limit=05",
    "limit=5%20",
    "offset=Infinity",
    "offset=1e309",
    "offset=-0",
    "offset=0b1",
    "offset=1_0",
    "limit=1&limit=2",
    "offset=-1",
    "offset=2147483648",
    "offset=1e300",
    "offset=",
    "feedback=maybe",
    "feedback=",
    "rating=6",
    "rating=1,",
    "rating=1&rating=2",
    "from=yesterday",
    "from=2026-13-01",
    "to=2026-01-01T25:00Z",
    "to=2026-01-01T10:00",
    "from=&to=",
    "q=a&q=b",
    `q=${"x".repeat(201)}`,
    "q=%00",
    "userId=a%00b",
    "from=2026-01-01%00",
    "userId=a&userId=b",
  ])("GET /conversations refuses %s", async (query) => {
    const url = `/conversations?agentId=${owner.agentId}&${query}`;
    const error = expectError(await get(url));
    expect(error).toMatchObject({ status: 400, code: "VALIDATION_ERROR" });
    expect(error.details?.[0]?.path).toBe(query.split("=")[0]);
  });

  it.each([
    "limit=1000000000",
    `limit=${"9".repeat(400)}`,
    "limit=101",
    "limit=%31",
    "offset=2147483647",
    "offset=0",
    "q=",
    "q=%25_%5C",
    "q=%ff%fe",
    `q=${"🚲".repeat(64)}`,
    "limit[]=5",
    "limit[$gt]=",
    "__proto__[x]=1",
    "constructor=1",
    "__proto__=1",
    "unknown=1",
    "from=0000-01-01&to=9999-12-31",
    "to=2026-01-01T10:00:00.123456789%2B05:30",
    "&&=&",
    "userId=%F0%9F%9A%B2",
    "%",
  ])("GET /conversations accepts %s", async (query) => {
    const { status, text } = await get(`/conversations?agentId=${owner.agentId}&${query}`);
    expect(status, text).toBe(200);
    expect(JSON.parse(text).pagination.limit).toBeLessThanOrEqual(100);
  });

  it.each([
    ["", 400],
    ["?agentId=", 400],
    ["?agentId[]=x", 400],
    ["?agentId[id]=x", 400],
    ["?agentId=a&agentId=b", 400],
    ["?agentId=%00", 400],
    ["?agentId=nobody", 404],
    [`?agentId=${newId("agent")}`, 404],
    [`?agentId=${"x".repeat(8_000)}`, 404],
  ])("GET /conversations%s gets %d", async (query, status) => {
    expect(expectError(await get(`/conversations${query}`)).status).toBe(status);
  });

  it("GET /conversations lists nothing of another organization", async () => {
    expect(expectError(await get(`/conversations?agentId=${stranger.agentId}`)).status).toBe(404);
  });

  it.each(["/audit-log", "/form-submissions"])(
    "GET %s refuses a number that is not a decimal integer",
    async (path) => {
      for (const query of [
        "offset=Infinity",
        "offset=1e309",
        "limit=-Infinity",
        "limit=0x10",
        "limit=+5",
        "limit=05",
      ]) {
        const error = expectError(await get(`${path}?${query}`), query);
        expect(error, query).toMatchObject({ status: 400, code: "VALIDATION_ERROR" });
      }
      expect((await get(`${path}?limit=99999999999999999999&offset=0`)).status).toBe(200);
    },
  );

  it("with half a surrogate pair is returned as it is stored", async () => {
    const payload = '{"name":"Half \\ud83d and \\udea2","systemPrompt":"\\ud83d\\udea2"}';
    const made = JSON.parse((await send({ method: "POST", url: "/agents", payload })).text).data;
    expect(made).toMatchObject({ name: "Half \ufffd and \ufffd", systemPrompt: "🚢" });
    expect(JSON.parse((await get(`/agents/${made.id}`)).text).data).toEqual(made);
  });

  it.each(["nonsense", "msg_x:1", ":", `${"x".repeat(200)}`, "msg_x:999999999999999999999", "msg_x:-1", "%00"])(
    "a Last-Event-ID %s replays from the start",
    async (lastEventId) => {
      const headers = { ...owner.headers, "last-event-id": lastEventId };
      const response = await server.app.inject({ url: `/chat/${owner.conversationId}/stream`, headers });
      expect(response.statusCode).toBe(200);
      expect(response.body).toMatch(/^id: .*\nevent: message_start\n/);
    },
  );
});

type Ids = Record<
  | "agentId"
  | "conversationId"
  | "toolId"
  | "triggerId"
  | "submissionId"
  | "documentId"
  | "sourceId"
  | "webhookId"
  | "cannedReplyId"
  | "testId"
  | "runId"
  | "teamId"
  | "viewId"
  | "replayId"
  | "bulkId"
  | "visitorKey"
  | "version"
  | "noteId"
  | "tagId"
  | "channelId"
  | "subscriptionId",
  string
> & {
  provider?: string;
};
type World = Awaited<ReturnType<typeof populate>>;

/** Endpoints that accept a session but no key. */
const forPeople =
  /^\/(auth|members|invitations|api-keys|audit-log|doctor|organization|notices|inbox\/(?:views|presence)|conversations\/bulk)\b|^\/conversations\/[^/]+\/(takeover|assign|return|close|messages|draft|drafts(\/[^/]+)?)$|^\/notice-channels\/[^/]+\/link/;

/**
 * Values that the schema allows to be null although a valid body needs them: because of the document's kind, or because
 * testing a provider without an address would call a remote service.
 */
const neededValues: Record<string, string[]> = {
  createDocument: ["title", "text"],
  putDocumentByKey: ["question", "answer"],
  testProvider: ["baseUrl"],
};

/** An organization with an agent and a conversation. */
async function populate(server: TestServer) {
  const { app } = server;
  const { headers, organizationId } = await server.createAccount();
  const browser = await signedInBrowser(server, (await createMember(server, organizationId, "owner")).email);
  const session = { cookie: `foyer_session=${browser.cookies.get("foyer_session")}` };
  const agent = await app.inject({ method: "POST", url: "/agents", headers, payload: { name: "Mine" } });
  const agentId: string = agent.json().data.id;
  const messages = [{ role: "user", content: "Hello" }];
  await app.inject({ method: "POST", url: "/chat", payload: { agentId, sessionId: agentId, messages } });
  const conversationId: string = (await app.inject({ url: `/conversations?agentId=${agentId}`, headers })).json()
    .data[0].id;
  const conversation = await app.inject({ url: `/conversations/${conversationId}`, headers });
  const tool = { agentId, name: "hours", description: "d", executionType: "mock", inputSchema: { type: "object" } };
  const toolId: string = (await app.inject({ method: "POST", url: "/tools", headers, payload: tool })).json().id;
  const trigger = { name: "t", triggerType: "exit_intent", conditions: {}, actionType: "open_chat", actionConfig: {} };
  const made = await app.inject({ method: "POST", url: `/triggers?agentId=${agentId}`, headers, payload: trigger });
  const triggerId: string = made.json().id;
  const formSchema = { fields: [{ name: "a", label: "A", type: "text" }] };
  const form = { ...tool, name: "contact", executionType: "form", formSchema };
  const formId: string = (await app.inject({ method: "POST", url: "/tools", headers, payload: form })).json().id;
  const submission = { toolId: formId, formData: {}, fieldsCompleted: [] };
  const submitted = await app.inject({ method: "POST", url: "/form-submissions/submit", payload: submission });
  const submissionId: string = submitted.json().submissionId;
  const document = { agentId, kind: "text", title: "Hours", text: "Open from 9 to 18." };
  const documentId: string = (
    await app.inject({ method: "POST", url: "/documents", headers, payload: document })
  ).json().id;
  const site = { agentId, url: "http://127.0.0.1:9/", schedule: "manual" };
  const sourceId: string = (await app.inject({ method: "POST", url: "/sources", headers, payload: site })).json().id;
  // A disabled webhook receives nothing, so that no delivery is written while a test counts rows.
  const webhook = { url: "http://127.0.0.1:9/", events: ["*"], isEnabled: false };
  const webhookId: string = (await app.inject({ method: "POST", url: "/webhooks", headers, payload: webhook })).json()
    .id;
  const canned = { name: "Hours", text: "We open at 9." };
  const cannedReplyId: string = (
    await app.inject({ method: "POST", url: "/canned-replies", headers, payload: canned })
  ).json().id;
  const views = { method: "POST", url: "/inbox/views", headers: session } as const;
  const viewId: string = (await app.inject({ ...views, payload: { name: "Mine", filter: {} } })).json().data.id;
  const bulks = { method: "POST", url: "/conversations/bulk", headers: session } as const;
  const bulk = await app.inject({ ...bulks, payload: { action: "read", conversationIds: [newId("conv")] } });
  const bulkId: string = bulk.json().data.id;
  const teams = { method: "POST", url: "/teams", headers: session } as const;
  const teamId: string = (await app.inject({ ...teams, payload: { name: "Workshop" } })).json().data.id;
  const notes = `/conversations/${conversationId}/notes`;
  const noteId: string = (
    await app.inject({ method: "POST", url: notes, headers, payload: { text: "A regular." } })
  ).json().data.id;
  const tagId: string = (
    await app.inject({
      method: "POST",
      url: `/conversations/${conversationId}/tags`,
      headers,
      payload: { name: "refund" },
    })
  ).json().data[0].id;
  const channel = { kind: "webhook", name: "Support", url: "http://127.0.0.1:9/", isEnabled: false };
  const channelId: string = (
    await app.inject({ method: "POST", url: "/notice-channels", headers, payload: channel })
  ).json().id;
  const subscriptions = { method: "POST", url: "/notices/push-subscriptions", headers: session } as const;
  const subscriptionId: string = (await app.inject({ ...subscriptions, payload: pushSubscription })).json().id;
  await app.inject({ method: "PATCH", url: `/agents/${agentId}`, headers, payload: { handoff: { isEnabled: true } } });
  // Restoring this version leaves everything that the tests need as it is.
  const test = { name: "Hours", turns: ["Hi"], checks: [], results: {} };
  const testId: string = (
    await app.inject({ method: "POST", url: `/agents/${agentId}/tests`, headers, payload: test })
  ).json().data.id;
  const run = { version: "draft", testIds: [] };
  const runId: string = (
    await app.inject({ method: "POST", url: `/agents/${agentId}/tests/run`, headers, payload: run })
  ).json().data.id;
  const nothing = { from: 1, to: "draft", sample: { n: 1, filter: { tag: "none" } }, maxCost: null };
  const replays = `/agents/${agentId}/replays`;
  const replayId: string = (await app.inject({ method: "POST", url: replays, headers, payload: nothing })).json().data
    .id;
  const readReplay = async () => (await app.inject({ url: `${replays}/${replayId}`, headers })).json().data.status;
  await vi.waitFor(async () => expect(await readReplay()).toBe("finished"));
  const [newest] = (await app.inject({ url: `/agents/${agentId}/versions`, headers })).json().data;
  const version = String(newest.version);
  return {
    formId,
    cannedReplyId,
    testId,
    runId,
    teamId,
    viewId,
    replayId,
    bulkId,
    visitorKey: conversation.json().data.visitorKey as string,
    version,
    noteId,
    tagId,
    channelId,
    subscriptionId,
    webhookId,
    submissionId,
    documentId,
    sourceId,
    headers,
    session,
    agentId,
    conversationId,
    toolId,
    triggerId,
    messageId: conversation.json().data.messages[1].id as string,
  };
}

const nobodys: Ids = {
  agentId: newId("agent"),
  conversationId: newId("conv"),
  toolId: newId("tool"),
  triggerId: newId("trigger"),
  submissionId: newId("sub"),
  documentId: newId("doc"),
  sourceId: newId("source"),
  webhookId: newId("webhook"),
  cannedReplyId: newId("reply"),
  testId: newId("test"),
  runId: newId("run"),
  teamId: newId("team"),
  viewId: newId("view"),
  replayId: newId("replay"),
  bulkId: newId("bulk"),
  visitorKey: "A".repeat(64),
  version: "1",
  noteId: newId("note"),
  tagId: newId("tag"),
  channelId: newId("channel"),
  subscriptionId: newId("push"),
  provider: "nobody",
};

function fillPath(url: string, ids: Ids) {
  const { agentId, conversationId, toolId, triggerId, submissionId, documentId, sourceId, webhookId } = ids;
  const { provider = "openai" } = ids;
  if (url === "/triggers") return `${url}?agentId=${agentId}`;
  if (url === "/agents/:id/versions/diff") return `/agents/${agentId}/versions/diff?from=1&to=draft`;
  const byStart = {
    "/documents": documentId,
    "/sources": sourceId,
    "/webhooks": webhookId,
    "/agents": agentId,
    "/tools": toolId,
    "/triggers": triggerId,
    "/form-submissions": submissionId,
    "/canned-replies": ids.cannedReplyId,
    "/teams": ids.teamId,
    "/inbox/views": ids.viewId,
    "/conversations/bulk": ids.bulkId,
    "/tags": ids.tagId,
    "/notice-channels": ids.channelId,
    "/notices": ids.subscriptionId,
  };
  const id = Object.entries(byStart).find(([start]) => url.startsWith(start))?.[1] ?? conversationId;
  return url
    .replace(":conversationId", conversationId)
    .replace(":agentId", agentId)
    .replace(":toolIdOrName", toolId)
    .replace(":id", id)
    .replace(":noteId", ids.noteId)
    .replace(":key", ids.visitorKey)
    .replace(":tagId", ids.tagId)
    .replace(":kind", "logo")
    .replace(":mode", "reply")
    .replace(":testId", ids.testId)
    .replace(":runId", ids.runId)
    .replace(":replayId", ids.replayId)
    .replace(":messageId", newId("msg"))
    .replace(":version", ids.version)
    .replace(":provider", provider)
    .replace(":name", provider === nobodys.provider ? "NOBODYS" : "OWN");
}

function findEndpoint(name: string) {
  const endpoint = endpoints.find((candidate) => candidate.name === name);
  if (!endpoint) throw new Error(`The contract has no ${name}`);
  return endpoint;
}

const agentFile = {
  format: "foyer-agent/1",
  agent: { slug: "applied", name: "Applied" },
  tools: [{ name: "stock", description: "Stock", executionType: "mock", inputSchema: { type: "object" } }],
  triggers: [{ name: "Greet", triggerType: "exit_intent", conditions: {}, actionType: "open_chat", actionConfig: {} }],
};

/** The subscription of a browser whose push service does not exist. */
const pushSubscription = {
  endpoint: "http://127.0.0.1:9/push",
  keys: {
    p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    auth: "BTBZMqHH6r4Tts7J_aSIgg",
  },
};

/** Creates the smallest body that the endpoint accepts. A new endpoint with a body needs a line here. */
function createValidBody(name: string, { agentId, conversationId, messageId, formId, submissionId }: World): object {
  if (!withBody.some((endpoint) => endpoint.name === name)) return {};
  const behavior = { triggerType: "exit_intent", actionType: "open_chat" };
  const pageSuggestions = [{ page: "/pricing", suggestions: ["Why?"] }];
  const bodies: Record<string, object> = {
    createAgent: { name: "New", widget: { pageSuggestions } },
    putModelPrice: { input: 1, cachedInput: 0.5, output: 2, currency: "USD" },
    putModelSetting: { supportsImages: true },
    updateAgent: { name: "Mine", widget: { pageSuggestions }, handoff: { isEnabled: true, promiseMinutes: 10 } },
    snoozeConversation: { until: new Date(Date.now() + 86_400_000).toISOString() },
    publishAgent: { note: "Prices of autumn" },
    applyAgents: { agents: [agentFile] },
    rollOutVersion: { version: 1, percent: 10 },
    createReplay: { from: 1, to: "draft", sample: { n: 1, filter: { tag: "none" } }, maxCost: null },
    putReplayVerdict: { verdict: "tie" },
    createAgentTest: { name: "Prices", turns: ["Hi"], checks: [{ kind: "says", text: "Hi" }], results: {} },
    keepConversationAsTest: { conversationId },
    runAgentTests: { version: "draft", repeat: 1, testIds: [] },
    updateAgentTest: { checks: [{ kind: "max_words", n: 100 }] },
    restoreAgentVersion: { withoutMissing: false },
    putAgentImage: { image: "data:image/gif;base64,R0lGODlhAQABAAAAACw=" },
    checkIdentityToken: { token: "none" },
    createIdentityToken: { id: "42" },
    chat: { agentId, messages: [{ role: "user", content: "Hello" }] },
    beginConversation: { agentId, messages: [{ role: "user", content: "Hello" }] },
    rateMessage: { messageId, rating: "up" },
    rateConversation: { score: 4, comment: "Quick" },
    reportSeen: { messageId },
    updatePresence: { isAway: true },
    requestHuman: { reason: "The invoice is wrong", email: "ada@example.com" },
    assignConversation: { userId: "user_nobody" },
    returnConversation: { note: "Refunded" },
    sendMemberMessage: { content: "Hello" },
    draftReply: { attachments: [] },
    claimToolCall: { toolUseId: "call_1", claimId: "a random id" },
    sendToolResult: { toolUseId: "call_1", result: 1 },
    putProvider: { apiKey: "sk-test" },
    // Nothing listens on this port.
    testProvider: { apiKey: "sk-test", baseUrl: "http://127.0.0.1:9/v1" },
    createTool: { agentId, name: "stock", description: "d", executionType: "mock", inputSchema: { type: "object" } },
    updateTool: { description: "d" },
    createTrigger: { name: "t", ...behavior, conditions: {}, actionConfig: {} },
    updateTrigger: { name: "t" },
    submitForm: { toolId: formId, formData: {}, fieldsCompleted: [] },
    reportClientResult: { submissionId, success: true },
    recordFormEvent: { toolId: formId, eventType: "impression", formInstanceId: "i" },
    recordTriggerEvent: { agentId, triggerName: "t", ...behavior, eventType: "fired" },
    retrySubmissions: { toolId: formId, statuses: ["failed"] },
    testTool: { input: {}, visitor: { id: "42" } },
    createSecret: { name: "FRESH", value: "v" },
    putSecret: { value: "v" },
    checkSetUpToken: { token: "wrong" },
    setUp: { token: "wrong", email: "owner@shop.example", password: "long enough a password" },
    signInByEmail: { email: "nobody@shop.example", password: "x" },
    signUpByEmail: { email: "nobody@shop.example", password: "long enough a password" },
    switchOrganization: { organizationId: "org_nobody" },
    sendMagicLink: { email: "nobody@shop.example" },
    requestPasswordReset: { email: "nobody@shop.example" },
    resetPassword: { token: "wrong", newPassword: "long enough a password" },
    changePassword: { currentPassword: "wrong", newPassword: "long enough a password" },
    sendVerificationEmail: { email: "nobody@shop.example" },
    updateMember: { role: "member" },
    updateOrganization: { name: "Harbour Bikes" },
    updateProfile: { name: "Ada Lovelace" },
    createInvitation: { email: "guest@shop.example", role: "member" },
    createApiKey: { name: "k" },
    createMailRecipient: { address: "leads@shop.example" },
    createDocument: { agentId, kind: "text", title: "Prices", text: "A city bike costs 20 € a day." },
    putDocumentByKey: { agentId, kind: "faq", question: "Do you rent bikes?", answer: "Yes." },
    putDocumentEmbeddings: { model: null },
    updateDocument: { title: "Rental prices" },
    dismissUnansweredQuestions: { agentId, ids: ["nobodys"] },
    changeDocuments: { ids: ["doc_nobody"], action: "retry" },
    searchDocuments: { agentId, query: "bike" },
    // Nothing listens on this port either.
    createSource: { agentId, url: "http://127.0.0.1:9/new", schedule: "manual" },
    updateSource: { schedule: "daily" },
    eraseVisitor: { userId: "nobody" },
    previewSource: { url: "http://127.0.0.1:9/" },
    createWebhook: { url: "http://127.0.0.1:9/", events: ["visitor.erased"] },
    updateWebhook: { payload: "ids" },
    testWebhook: { event: "visitor.erased" },
    putEventFeed: { isEnabled: false },
    putNoticeSettings: { email: true },
    createPushSubscription: pushSubscription,
    createNoticeChannel: { kind: "webhook", name: "Support", url: "http://127.0.0.1:9/" },
    updateNoticeChannel: { name: "Support" },
    putMessageDraft: { text: "Hello, your refund is" },
    createNote: { text: "A regular." },
    createVisitorNote: { text: "A regular." },
    addConversationTag: { name: "refund" },
    updateTag: { name: "refunds" },
    createBulkAction: { action: "read", conversationIds: [newId("conv")] },
    createTeam: { name: "Repairs" },
    updateTeam: { name: "Workshop" },
    createInboxView: { name: "Refunds", filter: { agentId } },
    updateInboxView: { name: "Open refunds" },
    createCannedReply: { name: "Hours", text: "We open at 9." },
    updateCannedReply: { name: "Opening hours" },
  };
  const body = bodies[name];
  if (!body) throw new Error(`validBody has no line for ${name}`);
  return body;
}

/** Returns the error of a response, and checks that it has the common format and reveals no internals. */
function expectError(answer: { status: number; text: string }, label = "") {
  const what = `${label}: ${answer.status} ${answer.text.slice(0, 300)}`;
  expect(answer.status, what).toBeGreaterThanOrEqual(400);
  expect(answer.status, what).toBeLessThan(500);
  expect(answer.text, what).not.toMatch(/node_modules|\.ts:|select |insert |sqlite|postgres/i);
  const { data, error, ...rest } = JSON.parse(answer.text);
  expect([data, rest], what).toEqual([null, {}]);
  expect(error, what).toMatchObject({ code: expect.any(String), message: expect.stringMatching(/\S/) });
  return { status: answer.status, ...error } as { status: number; code: string; details?: { path: string }[] };
}
