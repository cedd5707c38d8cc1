import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openChat } from "../../../../test/chat-client.ts";
import { onBothDatabases, type TestDatabase } from "../../../../test/databases.ts";
import { createAgent, createTool } from "../../../../test/factories.ts";
import { startServer, type TestServer } from "../../../../test/server.ts";
import { createMember, createOwner, signedInBrowser } from "../../../../test/session-client.ts";
import { sayWords, startUpstream, type Upstream } from "../../../../test/upstream.ts";
import { generateKey } from "../auth/api-keys/key-format.ts";
import { insertKey } from "../auth/api-keys/store.ts";

const pixel =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

onBothDatabases("the versions of an agent", (createDatabase) => {
  let database: TestDatabase;
  let server: TestServer;
  let model: Upstream;
  let owner: Awaited<ReturnType<TestServer["createAccount"]>>;
  let agentId: string;

  beforeAll(async () => {
    database = await createDatabase();
    model = await startUpstream();
    server = await startServer({
      database,
      listen: true,
      env: {
        OPENAI_COMPATIBLE_BASE_URL: model.url,
        FOYER_DEFAULT_MODEL: "openai-compatible/test",
        FOYER_LIMIT_CHAT_PER_SESSION: "0",

        FOYER_LIMIT_CHAT_PER_IP: "0",
      },
    });
    owner = await server.createAccount();
  });
  beforeEach(async () => {
    model.script(sayWords("Hello."));
    agentId = await createAgent(owner, { systemPrompt: "Sell bikes." });
  });
  afterAll(async () => {
    await server.stop();
    await model.stop();
    await database.drop();
  });

  const versions = async (query = "") => (await owner.call("GET", `/agents/${agentId}/versions${query}`)).body;
  const newest = async () => (await versions()).data[0];
  const compare = async (from: string | number, to: string | number) =>
    (await owner.call("GET", `/agents/${agentId}/versions/diff?from=${from}&to=${to}`)).body.data.changes;
  const change = (body: object) => owner.call("PATCH", `/agents/${agentId}`, body);
  const restore = (version: number, body?: object) =>
    owner.call("POST", `/agents/${agentId}/versions/${version}/restore`, body);
  const addTool = (name: string, more: object = {}) =>
    createTool(owner, { agentId, name, executionType: "mock", ...more });
  const addTrigger = async (name: string, more: object = {}) =>
    (
      await owner.call("POST", `/triggers?agentId=${agentId}`, {
        name,
        triggerType: "exit_intent",
        conditions: {},
        actionType: "show_bubble",
        actionConfig: { message: "Wait!" },
        ...more,
      })
    ).body;

  /** Chats as a visitor. @returns the reply as members see it */
  async function chat() {
    const stream = await openChat(server.url, { agentId, messages: [{ role: "user", content: "Hi" }] });
    await stream.ended;
    const start = stream.events[0] as unknown as { conversationId: string; conversationToken: string };
    const { body } = await owner.call("GET", `/conversations/${start.conversationId}`);
    return { ...start, reply: body.data.messages[1] };
  }

  it("begin with the agent's creation, by the key that created it", async () => {
    expect(await versions()).toEqual({
      data: [
        {
          version: 1,
          hash: expect.stringMatching(/^[0-9a-f]{64}$/),
          note: null,
          createdAt: expect.any(String),
          createdBy: { type: "key", id: expect.any(String), name: "test" },
          isLive: true,
        },
      ],
      pagination: { total: 1, limit: 50, offset: 0 },
      error: null,
    });
  });

  it("merge saves of different settings by one person until a reply has used the version", async () => {
    await change({ temperature: 10 });
    await addTool("stock");
    expect((await newest()).version).toBe(1);
    await chat();
    await change({ widget: { greeting: "Hello" } });
    await change({ temperature: 30 });
    expect((await newest()).version).toBe(2);
    expect((await owner.call("GET", `/agents/${agentId}/versions/1`)).body.data.content.agent.temperature).toBe(10);
  });

  it("keep the state before each save of a setting that the version has changed already", async () => {
    for (const systemPrompt of ["One.", "Two.", "Three."]) await change({ systemPrompt });
    const { data } = (await owner.call("GET", `/agents/${agentId}/versions`)).body;
    const prompts = [];
    for (const { version } of data) {
      const read = await owner.call("GET", `/agents/${agentId}/versions/${version}`);
      prompts.push(read.body.data.content.agent.systemPrompt);
    }
    expect(prompts.slice(0, 3)).toEqual(["Three.", "Two.", "One."]);
  });

  it("that are restored leave a form that visitors may have open, so that it can still be submitted", async () => {
    await chat();
    const form = await createTool(owner, {
      agentId,
      name: "callback",
      executionType: "form",
      formSchema: { fields: [{ name: "phone", label: "Phone", type: "tel" }] },
    });
    const restored = await owner.call("POST", `/agents/${agentId}/versions/1/restore`, {});
    expect(restored.status, JSON.stringify(restored.body)).toBe(201);
    const submit = { toolId: form.id, formData: { phone: "030 1234567" }, fieldsCompleted: ["phone"] };
    const submitted = await owner.call("POST", "/form-submissions/submit", submit);
    expect(submitted.status, JSON.stringify(submitted.body)).toBe(200);
    expect((await owner.call("GET", `/tools/${form.id}`)).body).toMatchObject({ isEnabled: false });
  });

  it("do not merge saves of two people", async () => {
    const key = generateKey();
    const { organizationId } = owner;
    await insertKey(server.deps.db, { organizationId, createdBy: null, name: "another", key, expiresAt: null });
    await server.app.inject({
      method: "PATCH",
      url: `/agents/${agentId}`,
      headers: { authorization: `Bearer ${key}` },
      payload: { temperature: 10 },
    });
    expect((await newest()).version).toBe(2);
  });

  it("are listed newest first, a page at a time, with the live one marked", async () => {
    for (const temperature of [1, 2, 3]) {
      await chat();
      await change({ temperature });
    }
    const { data, pagination } = await versions("?limit=2&offset=1");
    expect(data.map((row: { version: number; isLive: boolean }) => [row.version, row.isLive])).toEqual([
      [3, false],
      [2, false],
    ]);
    expect(pagination).toEqual({ total: 4, limit: 2, offset: 1 });
  });

  it("are not made by a save that changes nothing", async () => {
    await chat();
    await change({ systemPrompt: "Sell bikes." });
    expect((await newest()).version).toBe(1);
  });

  it.each([
    { allowedOrigins: ["https://shop.example"] },
    { retention: { conversations: 30 } },
    { monthlyTokenBudget: 1_000_000 },
    { monthlyCostBudget: 50 },
  ])("are not made by a setting that applies at once: %j", async (setting) => {
    await chat();
    await change(setting);
    expect((await newest()).version).toBe(1);
  });

  it("are named by the replies that they wrote, to members and keys only", async () => {
    const first = await chat();
    await change({ systemPrompt: "Sell boats." });
    const second = await chat();
    expect([first.reply.agentVersion, second.reply.agentVersion]).toEqual([1, 2]);
    const visitor = await server.app.inject({
      url: `/conversations/${second.conversationId}`,
      headers: { authorization: `Bearer ${second.conversationToken}` },
    });
    expect(visitor.json().data.messages[1]).not.toHaveProperty("agentVersion");
  });

  it("are compared setting by setting", async () => {
    await addTool("stock", { description: "Looks up stock" });
    await addTool("price");
    await chat();
    const [price] = (await owner.call("GET", `/tools?agentId=${agentId}`)).body.filter(
      (tool: { name: string }) => tool.name === "price",
    );
    const [stock] = (await owner.call("GET", `/tools?agentId=${agentId}`)).body.filter(
      (tool: { name: string }) => tool.name === "stock",
    );
    await change({ systemPrompt: "Sell boats.", widget: { greeting: "Ahoy" } });
    await owner.call("PUT", `/tools/${stock.id}`, { description: "Counts boats" });
    await owner.call("DELETE", `/tools/${price.id}`);
    await addTrigger("Leaving");
    expect(await compare(1, 2)).toEqual([
      { path: "agent.systemPrompt", from: "Sell bikes.", to: "Sell boats." },
      { path: "agent.widget.greeting", from: null, to: "Ahoy" },
      { path: "tools.price", from: expect.objectContaining({ name: "price" }), to: null },
      { path: "tools.stock.description", from: "Looks up stock", to: "Counts boats" },
      { path: "triggers.Leaving", from: null, to: expect.objectContaining({ name: "Leaving" }) },
    ]);
    expect(await compare(2, "draft")).toEqual([]);
  });

  it("are restored with settings, tools, triggers and images, which keep their ids", async () => {
    const stock = await addTool("stock", { description: "Looks up stock" });
    const form = await addTool("contact", {
      executionType: "form",
      formSchema: { fields: [{ name: "email", type: "email", label: "Email" }] },
    });
    const trigger = await addTrigger("Leaving", { actionType: "show_form", actionConfig: { toolId: form.id } });
    await owner.call("PUT", `/agents/${agentId}/images/logo`, { image: pixel });
    await chat();
    const before = (await owner.call("GET", `/agents/${agentId}/versions/1`)).body.data;
    const image = (await owner.call("GET", `/agents/${agentId}`)).body.data.images.logo;
    await owner.call("DELETE", `/agents/${agentId}/images/logo`);
    await owner.call("DELETE", `/tools/${form.id}`);
    await owner.call("PUT", `/tools/${stock.id}`, { name: "boats", description: "Counts boats" });
    await addTool("stock", { description: "Another one" });
    await change({ systemPrompt: "Sell boats.", name: "Marina" });
    const restored = await restore(1);
    expect([restored.status, restored.body.data]).toEqual([
      201,
      expect.objectContaining({ version: 4, hash: before.hash, note: "Restores version 1.", isLive: true }),
    ]);
    expect((await owner.call("GET", `/tools/${stock.id}`)).body).toMatchObject({
      name: "stock",
      description: "Looks up stock",
    });
    expect((await owner.call("GET", `/tools/${form.id}`)).body).toMatchObject({ name: "contact" });
    expect((await owner.call("GET", `/triggers/${trigger.id}`)).body).toMatchObject({
      isEnabled: true,
      actionConfig: { toolId: form.id },
    });
    expect((await owner.call("GET", `/agents/${agentId}`)).body.data).toMatchObject({
      name: "Harbour",
      systemPrompt: "Sell bikes.",
      images: { logo: image },
    });
    expect((await server.app.inject({ url: image })).statusCode).toBe(200);
  });

  it("are restored when two tools have exchanged their names since", async () => {
    const a = await addTool("a", { description: "First" });
    const b = await addTool("b", { description: "Second" });
    await chat();
    await owner.call("PUT", `/tools/${a.id}`, { name: "c" });
    await owner.call("PUT", `/tools/${b.id}`, { name: "a" });
    await owner.call("PUT", `/tools/${a.id}`, { name: "b" });
    expect((await restore(1)).status).toBe(201);
    expect((await owner.call("GET", `/tools/${a.id}`)).body.name).toBe("a");
    expect((await owner.call("GET", `/tools/${b.id}`)).body.name).toBe("b");
  });

  it("name what is missing instead of being restored in part, unless it is left out on request", async () => {
    await owner.call("PUT", `/agents/${agentId}/images/logo`, { image: pixel });
    await chat();
    await change({ systemPrompt: "Sell boats." });
    await server.deps.db.deleteFrom("agentImages").where("agentId", "=", agentId).execute();
    const refused = await restore(1);
    expect([refused.status, refused.body.error.details]).toEqual([
      409,
      [{ path: "agent.images.logo", code: "unknown_reference", message: "the image is no longer stored" }],
    ]);
    expect((await owner.call("GET", `/agents/${agentId}`)).body.data.systemPrompt).toBe("Sell boats.");
    expect((await restore(1, { withoutMissing: true })).status).toBe(201);
    expect((await owner.call("GET", `/agents/${agentId}`)).body.data).toMatchObject({
      systemPrompt: "Sell bikes.",
      images: { logo: null },
    });
  });

  describe("when what a version names is gone", () => {
    let staff: Awaited<ReturnType<typeof createOwner>>;
    let browser: Awaited<ReturnType<typeof signedInBrowser>>;
    let id: string;
    beforeEach(async () => {
      staff = await createOwner(server);
      browser = await signedInBrowser(server, staff.email);
      id = await createAgent(browser, { systemPrompt: "Sell bikes." });
      await browser.call("PATCH", `/agents/${id}`, { publishing: "manual" });
    });

    const patch = (body: object) => browser.call("PATCH", `/agents/${id}`, body);
    const publish = async (): Promise<number> =>
      (await browser.call("POST", `/agents/${id}/publish`)).body.data.version;
    /** Publishes another state, so that the version before it can be restored. */
    const publishOther = async (body: object) => {
      await patch({ systemPrompt: "Sell boats.", ...body });
      return publish();
    };
    const restoreOf = (version: number, body?: object) =>
      browser.call("POST", `/agents/${id}/versions/${version}/restore`, body);
    const read = async () => (await browser.call("GET", `/agents/${id}`)).body.data;
    const putServer = () =>
      browser.call("PUT", "/models/providers/lab", {
        kind: "openai-compatible",
        baseUrl: `${model.url}/v1`,
        apiKey: "key",
      });

    it.each([
      ["the model", { model: "lab/house" }, "agent.model", { model: "openai-compatible/test", modelIsDefault: true }],
      ["a fallback model", { fallbackModels: ["lab/house"] }, "agent.fallbackModels.0", { fallbackModels: [] }],
    ])("names %s, and leaves it out on request", async (_, settings, path, left) => {
      await putServer();
      await patch(settings);
      const version = await publish();
      await publishOther({ model: null, fallbackModels: [] });
      await browser.call("DELETE", "/models/providers/lab");
      const refused = await restoreOf(version);
      expect([refused.status, refused.body.error.details]).toEqual([
        409,
        [{ path, code: "unknown_reference", message: expect.stringContaining("answers for lab/house") }],
      ]);
      expect((await read()).systemPrompt).toBe("Sell boats.");
      expect((await restoreOf(version, { withoutMissing: true })).status).toBe(201);
      expect(await read()).toMatchObject({ systemPrompt: "Sell bikes.", ...left });
    });

    it("names a member, a recipient of emails and a team, and leaves them out on request", async () => {
      const { userId, email } = await createMember(server, staff.organizationId, "member");
      const team = (await browser.call("POST", "/teams", { name: "Workshop" })).body.data;
      await patch({ handoff: { escalation: [userId, staff.userId], teamId: team.id } });
      const fields = [{ name: "email", type: "email", label: "Email" }];
      const emailTo = (...recipientIds: string[]) => ({ type: "email", recipientIds });
      const form = await createTool(browser, {
        agentId: id,
        name: "contact",
        executionType: "form",
        formSchema: { fields },
        formPostActions: [emailTo(userId), emailTo(staff.userId, userId)],
      });
      const version = await publish();
      await browser.call("DELETE", `/tools/${form.id}`);
      await publishOther({ handoff: null });
      await browser.call("DELETE", `/members/${userId}`);
      await browser.call("DELETE", `/teams/${team.id}`);
      const refused = await restoreOf(version);
      expect([refused.status, refused.body.error.details]).toMatchObject([
        409,
        [
          { path: "agent.handoff.escalation.0", message: `the member ${email} was removed` },
          { path: "agent.handoff.teamId", message: "the team was deleted" },
          { path: "tools.contact.formPostActions.0.recipientIds.0" },
          { path: "tools.contact.formPostActions.1.recipientIds.1" },
        ],
      ]);
      expect((await read()).systemPrompt).toBe("Sell boats.");
      expect((await restoreOf(version, { withoutMissing: true })).status).toBe(201);
      expect((await read()).handoff).toMatchObject({ escalation: [staff.userId], teamId: null });
      const restored = (await browser.call("GET", `/tools/${form.id}`)).body;
      expect(restored.formPostActions).toMatchObject([{ type: "email", recipientIds: [staff.userId] }]);
      expect(restored.formPostActions).toHaveLength(1);
    });

    it("restores a tool whose secret is gone, which warns of it", async () => {
      await browser.call("PUT", "/secrets/SHOP_KEY", { value: "abc" });
      const http = { executionType: "http", httpUrl: `${model.url}/?key={{SHOP_KEY}}` } as const;
      const tool = await createTool(browser, { agentId: id, name: "stock", ...http });
      const version = await publish();
      await browser.call("DELETE", `/tools/${tool.id}`);
      await publishOther({});
      await browser.call("DELETE", "/secrets/SHOP_KEY");
      expect((await restoreOf(version)).status).toBe(201);
      expect(JSON.stringify((await browser.call("GET", `/tools/${tool.id}`)).body.warnings)).toContain("SHOP_KEY");
    });
  });

  it("of an agent from before there were versions begin when they are first needed", async () => {
    const { db } = server.deps;
    await db.deleteFrom("agentVersions").where("agentId", "=", agentId).execute();
    await db.updateTable("agents").set({ liveVersion: null, liveHash: null }).where("id", "=", agentId).execute();
    expect((await chat()).reply.agentVersion).toBe(1);
    expect((await newest()).createdBy).toBeNull();
    await change({ systemPrompt: "Sell boats." });
    expect((await chat()).reply.agentVersion).toBe(2);
  });

  it("are kept to the newest 500", async () => {
    const { db } = server.deps;
    await db.updateTable("agentVersions").set({ version: 500 }).where("agentId", "=", agentId).execute();
    await db.updateTable("agents").set({ liveVersion: 500, liveIsUsed: 1 }).where("id", "=", agentId).execute();
    await change({ temperature: 1 });
    expect((await versions()).pagination.total).toBe(2);
    await db.updateTable("agents").set({ liveVersion: 999, liveIsUsed: 1 }).where("id", "=", agentId).execute();
    await change({ temperature: 2 });
    expect((await versions()).data.map((row: { version: number }) => row.version)).toEqual([1_000, 501]);
  });

  it("belong to one organization", async () => {
    const other = await server.createAccount();
    for (const [method, path] of [
      ["GET", "versions"],
      ["GET", "versions/1"],
      ["GET", "versions/diff?from=1&to=draft"],
      ["POST", "versions/1/restore"],
    ] as const) {
      expect((await other.call(method, `/agents/${agentId}/${path}`)).status, path).toBe(404);
    }
  });

  it.each([
    ["GET", "versions/2", 404],
    ["GET", "versions/0", 404],
    ["GET", "versions/x", 404],
    ["GET", "versions/99999999999", 404],
    ["GET", "versions/diff?from=1&to=9", 404],
    ["GET", "versions/diff?from=1&to=now", 400],
    ["GET", "versions/diff?from=1", 400],
    ["POST", "versions/7/restore", 404],
  ] as const)("answer %s %s with %i", async (method, path, status) => {
    expect((await owner.call(method, `/agents/${agentId}/${path}`)).status).toBe(status);
  });

  it("make every write of the agent, its tools and its triggers depend on If-Match", async () => {
    const tool = await addTool("stock");
    const trigger = await addTrigger("Leaving");
    const read = await server.app.inject({ url: `/agents/${agentId}`, headers: owner.headers });
    const { etag } = read.headers;
    expect(etag).toBe(`"${read.json().data.draftHash}"`);
    await change({ systemPrompt: "Sell boats." });
    const now = (await server.app.inject({ url: `/agents/${agentId}`, headers: owner.headers })).headers.etag;
    const writes = [
      ["PATCH", `/agents/${agentId}`, { temperature: 5 }],
      ["DELETE", `/agents/${agentId}`, undefined],
      ["PUT", `/agents/${agentId}/images/logo`, { image: pixel }],
      ["DELETE", `/agents/${agentId}/images/logo`, undefined],
      ["POST", `/agents/${agentId}/versions/1/restore`, {}],
      [
        "POST",
        "/tools",
        { agentId, name: "more", description: "x", executionType: "mock", inputSchema: { type: "object" } },
      ],
      ["PUT", `/tools/${tool.id}`, { description: "x" }],
      ["POST", `/tools/${tool.id}/duplicate`, undefined],
      ["DELETE", `/tools/${tool.id}`, undefined],
      [
        "POST",
        `/triggers?agentId=${agentId}`,
        { name: "T", triggerType: "exit_intent", conditions: {}, actionType: "open_chat", actionConfig: {} },
      ],
      ["PUT", `/triggers/${trigger.id}`, { priority: 3 }],
      ["POST", `/triggers/${trigger.id}/toggle`, undefined],
      ["POST", `/triggers/${trigger.id}/duplicate`, undefined],
      ["DELETE", `/triggers/${trigger.id}`, undefined],
    ] as const;
    for (const [method, url, payload] of writes) {
      const answer = await server.app.inject({
        method,
        url,
        headers: { ...owner.headers, "if-match": String(etag) },
        ...(payload === undefined ? {} : { payload }),
      });
      const { code } = answer.json().error ?? {};
      expect([answer.statusCode, code, answer.headers.etag], `${method} ${url}`).toEqual([
        412,
        "PRECONDITION_FAILED",
        now,
      ]);
    }
  });

  it.each(["*", '"other", HASH', "HASH"])("accept a write whose If-Match is %s", async (pattern) => {
    const { draftHash } = (await owner.call("GET", `/agents/${agentId}`)).body.data;
    const written = await server.app.inject({
      method: "PATCH",
      url: `/agents/${agentId}`,
      headers: { ...owner.headers, "if-match": pattern.replace("HASH", `"${draftHash}"`) },
      payload: { temperature: 5 },
    });
    expect(written.statusCode).toBe(200);
  });

  it("let one of two people who change the same state succeed", async () => {
    const { draftHash } = (await owner.call("GET", `/agents/${agentId}`)).body.data;
    const write = (temperature: number) =>
      server.app.inject({
        method: "PATCH",
        url: `/agents/${agentId}`,
        headers: { ...owner.headers, "if-match": `"${draftHash}"` },
        payload: { temperature },
      });
    const answers = await Promise.all([write(1), write(2)]);
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 412]);
  });

  it("are never mixed in a reply, however often the agent changes", async () => {
    const tool = await addTool("stock", { description: "State 0" });
    model.script((exchange) => sayWords("Hello.")(exchange));
    let isDone = false;
    const save = async () => {
      for (let state = 1; !isDone; state++) {
        await change({ systemPrompt: `State ${state}` });
        await owner.call("PUT", `/tools/${tool.id}`, { description: `State ${state}` });
      }
    };
    const saves = Promise.all([save(), save(), save()]);
    const replies: Array<{ agentVersion: number; id: string }> = [];
    for (let round = 0; round < 10; round++) {
      replies.push(...(await Promise.all(Array.from({ length: 4 }, chat))).map(({ reply }) => reply));
    }
    isDone = true;
    await saves;
    const sent = model.exchanges
      .filter(({ body }) => body !== "")
      .map(({ body }) => JSON.parse(body))
      .map(({ messages, tools }) => `${messages[0].content} / ${tools[0].function.description}`);
    const known = new Set<string>();
    for (const version of new Set(replies.map(({ agentVersion }) => agentVersion))) {
      const { content } = (await owner.call("GET", `/agents/${agentId}/versions/${version}`)).body.data;
      known.add(`${content.agent.systemPrompt} / ${content.tools[0].description}`);
    }
    expect(sent).toHaveLength(40);
    expect(sent.filter((pair) => !known.has(pair))).toEqual([]);
  });
});
