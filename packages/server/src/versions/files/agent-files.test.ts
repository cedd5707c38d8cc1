import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { onBothDatabases, type TestDatabase } from "../../../../../test/databases.ts";
import { createAgent, createTool } from "../../../../../test/factories.ts";
import { generatedAgent, saveGeneratedAgent } from "../../../../../test/generated-agents.ts";
import { startServer, type TestServer } from "../../../../../test/server.ts";
import { createMember, createOwner, signedInBrowser } from "../../../../../test/session-client.ts";

/** How many agents the property tries. The long form is 500. */
const GENERATED = Number(process.env.FOYER_GENERATED_AGENTS ?? 20);
const pixel =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

onBothDatabases("agents as files", (createDatabase) => {
  let database: TestDatabase;
  let server: TestServer;
  let owner: Awaited<ReturnType<TestServer["createAccount"]>>;
  let elsewhere: typeof owner;
  let agentId: string;

  beforeAll(async () => {
    database = await createDatabase();
    server = await startServer({ database });
  });
  beforeEach(async () => {
    owner = await server.createAccount();
    elsewhere = await server.createAccount();
    agentId = await createAgent(owner, { systemPrompt: "Sell bikes." });
  });
  afterAll(async () => {
    await server.stop();
    await database.drop();
  });

  const exportOf = async (account: typeof owner, id: string) =>
    (await account.call("GET", `/agents/${id}/export`)).body.data;
  const apply = (account: typeof owner, body: object, query = "") =>
    account.call("POST", `/agents/apply${query}`, body);
  const changesOf = async (account: typeof owner, body: object, query = "") => {
    const { status, body: answer } = await apply(account, body, query);
    expect(status, JSON.stringify(answer)).toBe(200);
    return answer.data.changes;
  };
  const detailsOf = async (body: object) => (await apply(owner, body)).body.error.details;
  const read = async () => (await owner.call("GET", `/agents/${agentId}`)).body.data;
  const file = async () => exportOf(owner, agentId);
  const addTool = (name: string, more: object = {}) =>
    createTool(owner, { agentId, name, executionType: "mock", ...more });
  const addForm = (name: string) =>
    addTool(name, {
      executionType: "form",
      formSchema: { fields: [{ name: "email", type: "email", label: "Email" }] },
    });
  const addTrigger = async (name: string, more: object = {}) =>
    (
      await owner.call("POST", `/triggers?agentId=${agentId}`, {
        name,
        triggerType: "exit_intent",
        conditions: {},
        actionType: "show_bubble",
        actionConfig: { message: name },
        ...more,
      })
    ).body;

  it("reads and applies generated agents without a change, here and in another organization", async () => {
    await fc.assert(
      fc.asyncProperty(generatedAgent, async (agent) => {
        const { id, slug } = await saveGeneratedAgent(owner, agent);
        const exported = await exportOf(owner, id);
        expect(await changesOf(owner, exported, "?prune=true")).toEqual([]);
        const { body } = await apply(elsewhere, exported);
        const copied = await exportOf(elsewhere, body.data.agentId);
        expect(JSON.stringify({ ...copied, missingSecrets: exported.missingSecrets })).toBe(JSON.stringify(exported));
        expect(await changesOf(elsewhere, copied, "?prune=true")).toEqual([]);
        await owner.call("DELETE", `/agents/${id}`);
        await elsewhere.call("DELETE", `/agents/${body.data.agentId}`);
        expect(slug).toBe(exported.agent.slug);
      }),
      { numRuns: GENERATED },
    );
  });

  it("exports the agent with sorted keys and the ETag of its draft", async () => {
    await addTool("stock");
    const answer = await server.app.inject({
      url: `/agents/${agentId}/export`,
      headers: { authorization: `Bearer ${owner.key}` },
    });
    const { data } = answer.json();
    expect(Object.keys(data)).toEqual(["agent", "format", "missingSecrets", "tests", "tools", "triggers"]);
    expect(data.agent).toMatchObject({ slug: "harbour", name: "Harbour", systemPrompt: "Sell bikes." });
    expect(answer.headers.etag).toBe(`"${(await read()).draftHash}"`);
    expect(JSON.stringify(data)).not.toMatch(/agent_|tool_|org_/);
  });

  it("creates an agent under the slug of its file", async () => {
    const { body } = await apply(owner, { format: "foyer-agent/1", agent: { slug: "marina", name: "The marina" } });
    expect(body.data).toMatchObject({
      changes: [{ action: "create", kind: "agent", name: "marina", fields: [] }],
      agentId: expect.stringMatching(/^agent_/),
    });
    const created = (await owner.call("GET", `/agents/${body.data.agentId}`)).body.data;
    expect(created).toMatchObject({ slug: "marina", name: "The marina", liveVersion: 1, draftHash: body.data.hash });
  });

  it("keeps the slug when the name in the file changes", async () => {
    const current = await file();
    await apply(owner, { ...current, agent: { ...current.agent, name: "Marina" } });
    expect(await read()).toMatchObject({ name: "Marina", slug: "harbour" });
  });

  it("lists what it creates and changes, and removes only with prune", async () => {
    await addTool("old_tool");
    await addTool("stock");
    await addTrigger("Old");
    const current = await file();
    const stock = current.tools.find(({ name }: { name: string }) => name === "stock");
    const changed = {
      ...current,
      agent: { ...current.agent, systemPrompt: "Sell boats.", widget: { greeting: "Ahoy" } },
      tools: [
        { ...stock, description: "Says what is left" },
        { ...stock, name: "weather" },
      ],
      triggers: [],
    };
    const kept = [
      {
        agent: "harbour",
        action: "change",
        kind: "agent",
        name: "harbour",
        fields: ["systemPrompt", "widget.greeting"],
      },
      { agent: "harbour", action: "change", kind: "tool", name: "stock", fields: ["description"] },
      { agent: "harbour", action: "create", kind: "tool", name: "weather", fields: [] },
    ];
    expect(await changesOf(owner, changed, "?dryRun=true")).toEqual(kept);
    expect(await file()).toEqual(current);
    expect(await changesOf(owner, changed)).toEqual(kept);
    expect(await changesOf(owner, changed)).toEqual([]);
    expect(await changesOf(owner, changed, "?prune=true")).toEqual([
      { agent: "harbour", action: "remove", kind: "tool", name: "old_tool", fields: [] },
      { agent: "harbour", action: "remove", kind: "trigger", name: "Old", fields: [] },
    ]);
    expect((await file()).tools.map(({ name }: { name: string }) => name)).toEqual(["stock", "weather"]);
  });

  it("answers a dry run with the hash that applying gives, and creates nothing", async () => {
    const created = { format: "foyer-agent/1", agent: { slug: "marina", name: "Marina" } };
    const dry = (await apply(owner, created, "?dryRun=true")).body.data;
    expect(dry.agentId).toBeNull();
    expect((await owner.call("GET", "/agents")).body.data).toHaveLength(1);
    expect((await apply(owner, created)).body.data.hash).toBe(dry.hash);
  });

  it("keeps omitted settings and restores defaults with null", async () => {
    await owner.call("PATCH", `/agents/${agentId}`, { temperature: 20, budgetMessage: "Later." });
    const { format } = await file();
    await apply(owner, { format, agent: { slug: "harbour", name: "Harbour", temperature: null } });
    expect(await read()).toMatchObject({ temperature: 70, budgetMessage: "Later.", systemPrompt: "Sell bikes." });
  });

  it("writes the draft of an agent that is published by hand", async () => {
    await owner.call("PATCH", `/agents/${agentId}`, { publishing: "manual" });
    const current = await file();
    await apply(owner, { ...current, agent: { ...current.agent, systemPrompt: "Sell boats." } });
    expect(await read()).toMatchObject({ systemPrompt: "Sell boats.", liveVersion: 1 });
    const diff = await owner.call("GET", `/agents/${agentId}/versions/diff?from=1&to=draft`);
    expect(diff.body.data.changes).toMatchObject([{ path: "agent.systemPrompt" }]);
  });

  it("keeps the ids of tools and triggers, so that submissions stay with their forms", async () => {
    const form = await addForm("contact");
    const trigger = await addTrigger("Ask", { actionType: "show_form", actionConfig: { toolId: form.id } });
    const current = await file();
    expect(current.triggers[0].actionConfig).toEqual({ tool: "contact" });
    const tools = [{ ...current.tools[0], description: "Asks for an address" }];
    await apply(owner, { ...current, tools, triggers: [{ ...current.triggers[0], priority: 3 }] });
    expect((await owner.call("GET", `/tools/${form.id}`)).body.description).toBe("Asks for an address");
    expect((await owner.call("GET", `/triggers/${trigger.id}`)).body).toMatchObject({
      priority: 3,
      actionConfig: { toolId: form.id },
    });
  });

  it("numbers triggers of the same name in the order of their creation", async () => {
    const first = await addTrigger("Ask");
    const second = await addTrigger("Ask", { priority: 7 });
    const current = await file();
    expect(current.triggers.map(({ name, priority }: { name: string; priority: number }) => [name, priority])).toEqual([
      ["Ask", 0],
      ["Ask (2)", 7],
    ]);
    current.triggers[1].priority = 8;
    expect(await changesOf(owner, current)).toMatchObject([
      { action: "change", name: "Ask (2)", fields: ["priority"] },
    ]);
    expect((await owner.call("GET", `/triggers/${second.id}`)).body).toMatchObject({ name: "Ask", priority: 8 });
    expect((await owner.call("GET", `/triggers/${first.id}`)).body.priority).toBe(0);
  });

  it("names members by email address, in another organization too", async () => {
    const { email, organizationId } = await createOwner(server);
    const { userId, email: colleague } = await createMember(server, organizationId, "member");
    const browser = await signedInBrowser(server, email);
    const id = await createAgent(browser, { handoff: { escalation: [userId] } });
    const exported = (await browser.call("GET", `/agents/${id}/export`)).body.data;
    expect(exported.agent.handoff.escalation).toEqual([colleague]);
    expect(await detailsOf(exported)).toMatchObject([
      { path: "agent.handoff.escalation.0", code: "unknown_reference" },
    ]);
  });

  it("names the team by its name, in another organization too", async () => {
    const { body } = await owner.call("POST", "/teams", { name: "Workshop" });
    await owner.call("PATCH", `/agents/${agentId}`, { handoff: { teamId: body.data.id } });
    const current = await file();
    expect(current.agent.handoff.teamId).toBe("Workshop");
    expect(await changesOf(owner, current)).toEqual([]);
    const refused = await apply(elsewhere, current);
    expect([refused.status, refused.body.error.details]).toMatchObject([
      400,
      [{ path: "agent.handoff.teamId", code: "unknown_reference" }],
    ]);
    const there = (await elsewhere.call("POST", "/teams", { name: "Workshop" })).body.data.id;
    const { agentId: copy } = (await apply(elsewhere, current)).body.data;
    expect((await elsewhere.call("GET", `/agents/${copy}`)).body.data.handoff.teamId).toBe(there);
    await owner.call("DELETE", `/teams/${body.data.id}`);
    expect(await changesOf(owner, await file())).toEqual([]);
  });

  it("keeps an image that it has, and names one that this server does not store", async () => {
    await owner.call("PUT", `/agents/${agentId}/images/logo`, { image: pixel });
    const current = await file();
    expect(await changesOf(owner, current)).toEqual([]);
    const { body } = await apply(elsewhere, current);
    expect(body.data.missingImages).toMatchObject([{ path: "agent.images.logo" }]);
  });

  it("hides secrets that a tool writes out, and keeps them when the file is applied", async () => {
    const http = { executionType: "http", httpUrl: "https://api.example/?api_key=query-secret&q=1" };
    const tool = await addTool("stock", {
      ...http,
      httpHeaders: { Authorization: "Bearer header-secret", Accept: "a" },
    });
    const current = await file();
    expect(JSON.stringify(current)).not.toMatch(/query-secret|header-secret/);
    expect(current.tools[0].httpHeaders).toEqual({ Authorization: "{{STOCK_AUTHORIZATION}}", Accept: "a" });
    expect(current.tools[0].httpUrl).toBe("https://api.example/?api_key={{STOCK_API_KEY}}&q=1");
    expect(current.missingSecrets).toEqual(["STOCK_API_KEY", "STOCK_AUTHORIZATION"]);
    current.tools[0].httpHeaders.Accept = "b";
    expect(await changesOf(owner, current)).toMatchObject([{ name: "stock", fields: ["httpHeaders.Accept"] }]);
    const stored = (await owner.call("GET", `/tools/${tool.id}`)).body;
    expect(stored.httpHeaders).toEqual({ Authorization: "Bearer header-secret", Accept: "b" });
  });

  it("uses the secret that a file names once it exists", async () => {
    const httpHeaders = { Authorization: "Bearer header-secret" };
    const tool = await addTool("stock", { executionType: "http", httpUrl: "https://api.example/", httpHeaders });
    const current = await file();
    await owner.call("PUT", "/secrets/STOCK_AUTHORIZATION", { value: "Bearer header-secret" });
    await apply(owner, current);
    const stored = (await owner.call("GET", `/tools/${tool.id}`)).body;
    expect(stored.httpHeaders).toEqual({ Authorization: "{{STOCK_AUTHORIZATION}}" });
  });

  it("lists the secrets that tools use and the organization does not have", async () => {
    await addTool("stock", { executionType: "http", httpUrl: "https://api.example/?key={{SHOP_KEY}}" });
    const { body } = await apply(elsewhere, await file());
    expect(body.data.missingSecrets).toEqual(["SHOP_KEY"]);
  });

  it.each([
    ["the header Authorization", { httpHeaders: { Authorization: "Bearer abc" } }, "httpHeaders.Authorization"],
    ["the header X-Api-Key", { httpHeaders: { "X-Api-Key": "abc" } }, "httpHeaders.X-Api-Key"],
    ["a query value", { httpUrl: "https://api.example/?access_token=abc" }, "httpUrl"],
    [
      "a header of a form's webhook",
      { formPostActions: [{ type: "webhook", url: "https://api.example/", headers: { Cookie: "a" } }] },
      "formPostActions.0.headers.Cookie",
    ],
  ])("refuses a secret as plain text in %s", async (_, settings, path) => {
    const tool = {
      name: "stock",
      description: "Stock",
      executionType: "http",
      inputSchema: { type: "object" },
      httpUrl: "https://api.example/",
    };
    const details = await detailsOf({ ...(await file()), tools: [{ ...tool, ...settings }] });
    expect(details).toMatchObject([{ path: `tools.0.${path}`, code: "not_allowed" }]);
  });

  const minimal = { format: "foyer-agent/1", agent: { slug: "harbour", name: "Harbour" } };
  const stock = { name: "stock", description: "Stock", executionType: "mock", inputSchema: { type: "object" } };
  const greet = {
    name: "Greet",
    triggerType: "exit_intent",
    conditions: {},
    actionType: "show_bubble",
    actionConfig: { message: "Hi" },
  };
  it.each([
    ["an unknown field of the file", { ...minimal, tool: [] }, "tool"],
    ["an unknown setting", { ...minimal, agent: { ...minimal.agent, sistemPrompt: "" } }, "agent.sistemPrompt"],
    [
      "an unknown setting of the widget",
      { ...minimal, agent: { ...minimal.agent, widget: { a: 1 } } },
      "agent.widget.a",
    ],
    ["a setting that applies at once", { ...minimal, agent: { ...minimal.agent, retention: {} } }, "agent.retention"],
    ["an id of another server", { ...minimal, tools: [{ ...stock, id: "tool_1" }] }, "tools.0.id"],
    ["an unknown field of a tool", { ...minimal, tools: [{ ...stock, descripton: "" }] }, "tools.0.descripton"],
    ["two tools of one name", { ...minimal, tools: [stock, stock] }, "tools.1.name"],
    ["two triggers of one name", { ...minimal, triggers: [greet, greet] }, "triggers.1.name"],
    [
      "an unknown condition",
      { ...minimal, triggers: [{ ...greet, conditions: { page: "/" } }] },
      "triggers.0.conditions.page",
    ],
    [
      "a form by its id",
      { ...minimal, triggers: [{ ...greet, actionType: "show_form", actionConfig: { toolId: "tool_1" } }] },
      "triggers.0.actionConfig.toolId",
    ],
    [
      "a form that the agent does not have",
      { ...minimal, triggers: [{ ...greet, actionType: "show_form", actionConfig: { tool: "contact" } }] },
      "triggers.0.actionConfig.tool",
    ],
    ["a tool without a URL", { ...minimal, tools: [{ ...stock, executionType: "http" }] }, "tools.0.httpUrl"],
    ["a slug with a slash", { ...minimal, agent: { slug: "../a", name: "A" } }, "agent.slug"],
    ["another format", { ...minimal, format: "bicycle/1" }, "format"],
    ["a newer format with fields that it does not know", { ...minimal, format: "foyer-agent/2", skills: [] }, "format"],
    ["a file without an agent", { format: "foyer-agent/1" }, "agent"],
    ["an empty body", {}, "agents"],
    ["a missing format", { agent: minimal.agent }, "format"],
    [
      "a problem in the second agent",
      { agents: [minimal, { ...minimal, agent: { slug: "b", name: "" } }] },
      "agents.1.agent.name",
    ],
    ["the same agent twice", { agents: [minimal, minimal] }, "agents.1.agent.slug"],
    ["a newer format in a list", { agents: [minimal, { ...minimal, format: "foyer-agent/9" }] }, "agents.1.format"],
  ])("refuses %s", async (_, body, path) => {
    const before = await file();
    const details = await detailsOf(body);
    expect(details.map((detail: { path: string }) => detail.path)).toContain(path);
    expect(await file()).toEqual(before);
  });

  it("says that a newer format needs a newer server", async () => {
    const { body } = await apply(owner, { ...minimal, format: "foyer-agent/2" });
    expect(body.error.message).toContain("Upgrade the server");
  });

  it("refuses a body of 50 MB with the limit", async () => {
    const before = await file();
    const systemPrompt = "a".repeat(50_000_000);
    const { status, body } = await apply(owner, { ...minimal, agent: { ...minimal.agent, systemPrompt } });
    expect([status, body.error.message]).toEqual([413, expect.stringContaining("at most 16 MiB")]);
    expect(await file()).toEqual(before);
  });

  it("changes several agents, or none of them", async () => {
    const current = await file();
    const boats = { ...current, agent: { ...current.agent, systemPrompt: "Sell boats." } };
    const limited = {
      ...minimal,
      agent: { slug: "b", name: "B" },
      triggers: Array.from({ length: 200 }, (_, n) => ({ ...greet, name: `T${n}` })),
    };
    expect(
      (await apply(owner, { agents: [boats, { ...limited, tools: [{ ...stock, executionType: "http" }] }] })).status,
    ).toBe(400);
    expect(await file()).toEqual(current);
    const { body } = await apply(owner, { agents: [boats, limited] });
    expect(body.data.agents.map(({ slug }: { slug: string }) => slug)).toEqual(["harbour", "b"]);
    expect(body.data).toMatchObject({ agentId: null, hash: null });
    expect((await read()).systemPrompt).toBe("Sell boats.");
  });

  it("changes nothing when a later part of the file fails while it is written", async () => {
    const current = await file();
    const triggers = Array.from({ length: 150 }, (_, n) => ({ ...greet, name: `T${n}` }));
    await apply(owner, { ...minimal, triggers });
    const before = await file();
    const more = triggers.map((trigger) => ({ ...trigger, name: `More ${trigger.name}` }));
    const changed = { ...current, agent: { ...current.agent, systemPrompt: "Lost" }, tools: [stock], triggers: more };
    expect((await apply(owner, changed)).status).toBe(403);
    expect(await file()).toEqual(before);
  });

  it("answers 412 with the current ETag when the agent has changed since If-Match", async () => {
    const { draftHash } = await read();
    await owner.call("PATCH", `/agents/${agentId}`, { systemPrompt: "Sell boats." });
    const current = await file();
    const answer = (ifMatch: string, body: object = current) =>
      server.app.inject({
        method: "POST",
        url: "/agents/apply",
        headers: { authorization: `Bearer ${owner.key}`, "if-match": ifMatch },
        payload: body,
      });
    const stale = await answer(`"${draftHash}"`);
    expect([stale.statusCode, stale.headers.etag]).toEqual([412, `"${(await read()).draftHash}"`]);
    expect((await answer(`"${(await read()).draftHash}"`)).statusCode).toBe(200);
    expect((await answer("*")).statusCode).toBe(200);
    const two = { agents: [current, { ...minimal, agent: { slug: "b", name: "B" } }] };
    expect((await answer("*", two)).statusCode).toBe(400);
  });

  it("exports and applies the tests that were written by hand", async () => {
    const greets = { name: "Greets", turns: ["Hello"], checks: [{ kind: "says", text: "hello" }], results: {} };
    await owner.call("POST", `/agents/${agentId}/tests`, greets);
    const current = await file();
    expect(current.tests).toEqual([greets]);
    expect(await changesOf(owner, current, "?prune=true")).toEqual([]);
    const changed = {
      ...current,
      tests: [
        { ...greets, turns: ["Good evening"] },
        { ...greets, name: "Leaves" },
      ],
    };
    expect(await changesOf(owner, changed)).toEqual([
      { agent: "harbour", action: "change", kind: "test", name: "Greets", fields: ["turns"] },
      { agent: "harbour", action: "create", kind: "test", name: "Leaves", fields: [] },
    ]);
    expect(await changesOf(owner, { ...current, tests: [] }, "?prune=true")).toMatchObject([
      { action: "remove", name: "Greets" },
      { action: "remove", name: "Leaves" },
    ]);
    expect(await detailsOf({ ...current, tests: [{ ...greets, checks: [{ kind: "says" }] }] })).toMatchObject([
      { path: "tests.0.checks.0.text", code: "required" },
    ]);
  });

  it("applies two files at once, one after the other", async () => {
    const current = await file();
    const texts = Array.from({ length: 6 }, (_, n) => `Sell ${n}.`);
    const answers = await Promise.all(
      texts.map((systemPrompt) => apply(owner, { ...current, agent: { ...current.agent, systemPrompt } })),
    );
    expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
    expect(texts).toContain((await read()).systemPrompt);
  });

  it("does not let a member's file use a secret that is not bound to hosts", async () => {
    const { email, organizationId } = await createOwner(server);
    const member = await createMember(server, organizationId, "member");
    const browser = await signedInBrowser(server, member.email);
    expect(email).toBeDefined();
    const httpUrl = "https://api.example/?key={{SHOP_KEY}}";
    const answer = await browser.call("POST", "/agents/apply", {
      ...minimal,
      tools: [{ ...stock, executionType: "http", httpUrl }],
    });
    expect(answer.status).toBe(403);
  });

  it("neither reads nor changes an agent of another organization", async () => {
    expect((await elsewhere.call("GET", `/agents/${agentId}/export`)).status).toBe(404);
    const { body } = await apply(elsewhere, minimal);
    expect(body.data.agentId).not.toBe(agentId);
    expect((await read()).systemPrompt).toBe("Sell bikes.");
  });
});
