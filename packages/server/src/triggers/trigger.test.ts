import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { onBothDatabases, type TestDatabase } from "../../../../test/databases.ts";
import { createAgent, createTool } from "../../../../test/factories.ts";
import { startServer, type TestServer } from "../../../../test/server.ts";
import { newId } from "../ids.ts";
import { formTemplates, triggerTemplates } from "./templates.ts";

type Account = Awaited<ReturnType<TestServer["createAccount"]>>;

const fields = [{ name: "email", label: "E-mail", type: "email" }];

onBothDatabases("triggers", (createDatabase) => {
  let database: TestDatabase;
  let server: TestServer;
  let owner: Account;
  let agentId: string;
  beforeAll(async () => {
    database = await createDatabase();
    server = await startServer({ database });
    owner = await server.createAccount();
  });
  beforeEach(async () => {
    agentId = await createAgent(owner);
  });
  afterAll(async () => {
    await server.stop();
    await database.drop();
  });

  const call = (method: Parameters<Account["call"]>[0], url: string, body?: object, account = owner) =>
    account.call(method, url, body);
  const createForm = async (agent = agentId, account = owner, more: object = {}): Promise<string> => {
    const name = `form_${"abcdefghij"[formCount++ % 10]}`;
    const form = { agentId: agent, name, executionType: "form" as const, formSchema: { fields }, ...more };
    return (await createTool(account, form)).id;
  };
  let formCount = 0;
  const bubble = (more: object = {}) => ({
    name: "Welcome",
    triggerType: "time_on_page",
    conditions: { timeOnPage: 30 },
    actionType: "show_bubble",
    actionConfig: { message: "Hello!" },
    ...more,
  });
  const create = (more: object = {}, agent = agentId) => call("POST", `/triggers?agentId=${agent}`, bubble(more));
  const showing = (toolId: string) => ({ actionType: "show_form", actionConfig: { toolId } });

  it("are created with defaults and read back", async () => {
    const { status, body } = await create();
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^trigger_[0-9a-z]{26}$/),
      agentId,
      ...bubble(),
      description: null,
      triggerOnce: true,
      isEnabled: true,
      priority: 0,
      createdAt: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      updatedAt: body.createdAt,
    });
    expect(await call("GET", `/triggers/${body.id}`)).toEqual({ status: 200, body });
    expect(await call("GET", `/triggers?agentId=${agentId}`)).toEqual({ status: 200, body: [body] });
  });

  it.each([
    ["time_on_page", { timeOnPage: 0.5 }],
    ["scroll_depth", { scrollDepth: 100 }],
    ["exit_intent", {}],
    ["page_view", { page: "/docs/**/api" }],
    ["custom_event", { event: "add_to_cart" }],
    ["custom_event", { event: "add_to_cart", eventData: { "cart.total": { $gt: 50, $lte: 100 }, currency: "EUR" } }],
  ])("can wait for %s with %j", async (triggerType, conditions) => {
    const { status, body } = await create({ triggerType, conditions });
    expect([status, body]).toEqual([201, expect.objectContaining({ triggerType, conditions })]);
    expect((await call("GET", `/triggers/${body.id}`)).body).toEqual(body);
  });

  it.each([
    ["open_chat", {}],
    ["open_chat", { message: "I have a question" }],
    ["show_bubble", { message: "Hello!", duration: 5_000 }],
  ])("can do %s with %j", async (actionType, actionConfig) => {
    const { status, body } = await create({ actionType, actionConfig });
    expect([status, body]).toEqual([201, expect.objectContaining({ actionType, actionConfig })]);
    expect((await call("GET", `/triggers/${body.id}`)).body).toEqual(body);
  });

  it("run ordered by priority, then by creation", async () => {
    for (const [name, priority] of [
      ["a", 5],
      ["b", -1],
      ["c", 0],
      ["d", 5],
      ["e", null],
      ["f", 0.5],
    ] as const) {
      expect((await create({ name, priority })).status).toBe(201);
    }
    const { body } = await call("GET", `/triggers?agentId=${agentId}`);
    expect(body.map(({ name }: { name: string }) => name)).toEqual(["b", "c", "e", "f", "a", "d"]);
    expect(body.map(({ priority }: { priority: number }) => priority)).toEqual([-1, 0, 0, 0.5, 5, 5]);
  });

  it("store only the fields of their types and accept null for optional ones", async () => {
    const { body } = await create({
      triggerType: "custom_event",
      conditions: { event: "e", eventData: null, page: "/x" },
      actionType: "open_chat",
      actionConfig: { message: null, toolId: "tool_x" },
      description: null,
      triggerOnce: null,
      isEnabled: null,
      priority: null,
      id: "mine",
      agentId: "agent_x",
      organizationId: "org_x",
      createdAt: "2020-01-01",
    });
    expect(body).toMatchObject({ conditions: { event: "e" }, actionConfig: {}, agentId, description: null });
    expect(body).toMatchObject({ triggerOnce: true, isEnabled: true, priority: 0 });
    expect([body.conditions, body.actionConfig]).toEqual([{ event: "e" }, {}]);
    expect(body.id).not.toBe("mine");
    expect(body.createdAt).not.toMatch(/^2020/);
  });

  it("are updated field by field, where null clears a field, and cannot move to another agent", async () => {
    const { body: trigger } = await create({ description: "Says hello", priority: 3, triggerOnce: false });
    const url = `/triggers/${trigger.id}`;
    const other = await createAgent(owner);
    const changed = await call("PUT", url, {
      name: "Hello",
      isEnabled: false,
      agentId: other,
      id: "x",
      createdAt: "x",
    });
    expect(changed.status).toBe(200);
    expect(changed.body).toEqual({ ...trigger, name: "Hello", isEnabled: false, updatedAt: changed.body.updatedAt });
    expect(Date.parse(changed.body.updatedAt)).toBeGreaterThan(Date.parse(trigger.updatedAt));
    const cleared = await call("PUT", url, { description: null, priority: null, triggerOnce: null, isEnabled: null });
    expect(cleared.body).toMatchObject({ description: null, priority: 0, triggerOnce: true, isEnabled: true });
    expect((await call("PUT", url, {})).body).toMatchObject({ name: "Hello", agentId });
    expect((await call("GET", `/triggers?agentId=${other}`)).body).toEqual([]);
  });

  it("are validated as a whole when they are changed", async () => {
    const { body: trigger } = await create();
    const url = `/triggers/${trigger.id}`;
    const wrong = await call("PUT", url, { triggerType: "page_view" });
    expect([wrong.status, wrong.body.error.details[0].path]).toEqual([400, "conditions.page"]);
    expect((await call("PUT", url, { actionType: "show_form" })).body.error.details[0].path).toBe(
      "actionConfig.toolId",
    );
    expect((await call("PUT", url, { conditions: { scrollDepth: 5 } })).status).toBe(400);
    expect((await call("PUT", url, { isEnabled: false, actionConfig: {} })).status).toBe(400);
    expect((await call("GET", url)).body).toEqual(trigger);
    const page = await call("PUT", url, { triggerType: "page_view", conditions: { page: "/pricing" } });
    expect(page.body).toMatchObject({ triggerType: "page_view", conditions: { page: "/pricing" } });
    expect((await call("PUT", url, { triggerType: "exit_intent" })).body.conditions).toEqual({});
  });

  it("are enabled and disabled correctly by concurrent changes", async () => {
    const { body: trigger } = await create();
    const url = `/triggers/${trigger.id}/toggle`;
    const off = await call("POST", url);
    expect(off).toEqual({ status: 200, body: { ...trigger, isEnabled: false, updatedAt: off.body.updatedAt } });
    expect((await call("POST", url)).body.isEnabled).toBe(true);
    const answers = await Promise.all(Array.from({ length: 7 }, () => call("POST", url)));
    const switched = answers.map(({ body }) => body.isEnabled);
    expect([switched.filter((is) => is).length, switched.filter((is) => !is).length]).toEqual([3, 4]);
    expect((await call("GET", `/triggers/${trigger.id}`)).body.isEnabled).toBe(false);
  });

  it.each([
    [{ name: " " }, "name"],
    [{ name: undefined }, "name"],
    [{ triggerType: "click" }, "triggerType"],
    [{ conditions: undefined }, "conditions"],
    [{ conditions: { timeOnPage: "30" } }, "conditions.timeOnPage"],
    [{ actionType: "explode" }, "actionType"],
    [{ actionConfig: undefined }, "actionConfig"],
    [{ actionConfig: {} }, "actionConfig.message"],
    [{ priority: "high" }, "priority"],
    [{ priority: 1e12 }, "priority"],
    [{ isEnabled: "yes" }, "isEnabled"],
  ])("are refused with %j", async (wrong, path) => {
    const { status, body } = await create(wrong);
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: "VALIDATION_ERROR", details: [{ path, message: expect.any(String) }] });
    expect((await call("GET", `/triggers?agentId=${agentId}`)).body).toEqual([]);
  });

  it("need an agent, in the query or in the body", async () => {
    const { status, body } = await call("POST", "/triggers", bubble());
    expect([status, body.error.details[0].path]).toEqual([400, "agentId"]);
    expect((await call("POST", "/triggers", { ...bubble(), agentId })).body).toMatchObject({ agentId });
    expect((await call("POST", "/triggers", { ...bubble(), agentId: newId("agent") })).status).toBe(404);
    const other = await createAgent(owner);
    const both = await call("POST", `/triggers?agentId=${agentId}`, { ...bubble(), agentId: other });
    expect(both.body).toMatchObject({ agentId });
    expect((await call("GET", "/triggers")).status).toBe(400);
    for (const unknown of [newId("agent"), "nobody"]) {
      expect((await create({}, unknown)).status).toBe(404);
      expect((await call("GET", `/triggers?agentId=${unknown}`)).status).toBe(404);
    }
  });

  it("can show only forms of their own agent", async () => {
    const stranger = await server.createAccount();
    const tool = { agentId, name: "hours", description: "d", executionType: "mock", inputSchema: { type: "object" } };
    const mock = (await call("POST", "/tools", tool)).body.id;
    const ofOther = await createForm(await createAgent(owner));
    const ofStranger = await createForm(await createAgent(stranger), stranger);
    const answers = [];
    for (const toolId of [mock, ofOther, ofStranger, newId("tool"), "form_a"])
      answers.push(await create(showing(toolId)));
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(answers[0]).toMatchObject({ status: 400, body: { error: { details: [{ path: "actionConfig.toolId" }] } } });
    const toolId = await createForm();
    const { status, body } = await create(showing(toolId));
    expect([status, body.actionConfig]).toEqual([201, { toolId }]);
    expect((await call("PUT", `/triggers/${body.id}`, showing(ofOther))).status).toBe(400);
  });

  it("are disabled when their form is deleted, until they get another one", async () => {
    const [first, second] = [await createForm(), await createForm()];
    const [one, other] = [(await create(showing(first))).body, (await create(showing(second))).body];
    const url = `/triggers/${one.id}`;
    expect((await call("DELETE", `/tools/${first}`)).status).toBe(200);
    expect((await call("GET", url)).body).toEqual({ ...one, isEnabled: false });
    expect((await call("GET", `/triggers/${other.id}`)).body).toEqual(other);
    const list = (await call("GET", `/triggers?agentId=${agentId}`)).body;
    expect(list.map(({ isEnabled }: { isEnabled: boolean }) => isEnabled)).toEqual([false, true]);
    for (const [method, path, body] of [
      ["POST", `${url}/toggle`, undefined],
      ["PUT", url, { isEnabled: true }],
      ["PUT", url, { isEnabled: null }],
    ] as const) {
      const { status, body: answer } = await call(method, path, body);
      expect([status, answer.error?.details[0].path]).toEqual([400, "actionConfig.toolId"]);
    }
    expect((await call("PUT", url, { name: "Renamed" })).body).toMatchObject({ name: "Renamed", isEnabled: false });
    const given = await call("PUT", url, { actionConfig: { toolId: second } });
    expect(given.body).toMatchObject({ actionConfig: { toolId: second }, isEnabled: false });
    expect((await call("POST", `${url}/toggle`)).body.isEnabled).toBe(true);
  });

  it("cannot be enabled without their form, even by concurrent requests", async () => {
    for (let round = 0; round < 8; round++) {
      const toolId = await createForm();
      const { body: known } = await create({ ...showing(toolId), isEnabled: false });
      const [made, enabled, deleted] = await Promise.all([
        create(showing(toolId)),
        call("POST", `/triggers/${known.id}/toggle`),
        call("DELETE", `/tools/${toolId}`),
      ]);
      expect(deleted.status).toBe(200);
      expect([201, 400]).toContain(made.status);
      expect([200, 400]).toContain(enabled.status);
      const { body } = await call("GET", `/triggers?agentId=${agentId}`);
      expect(body.filter(({ isEnabled }: { isEnabled: boolean }) => isEnabled)).toEqual([]);
    }
  });

  it("are limited to exactly 200 per agent, even when created concurrently", async () => {
    const { body: trigger } = await create();
    const { db } = server.deps;
    const row = await db.selectFrom("triggers").selectAll().where("id", "=", trigger.id).executeTakeFirstOrThrow();
    const more = Array.from({ length: 197 }, () => ({ ...row, id: newId("trigger") }));
    await db.insertInto("triggers").values(more).execute();
    const made = await Promise.all(Array.from({ length: 5 }, () => create()));
    expect(made.map(({ status }) => status).sort()).toEqual([201, 201, 403, 403, 403]);
    expect((await call("GET", `/triggers?agentId=${agentId}`)).body).toHaveLength(200);
    expect((await create({}, await createAgent(owner))).status).toBe(201);
  });

  it("have templates that can be posted unchanged", async () => {
    const { status, body } = await call("GET", "/triggers/templates");
    expect([status, body]).toEqual([200, triggerTemplates]);
    expect(body.length).toBeGreaterThanOrEqual(10);
    for (const template of body) {
      expect(Object.keys(template).sort()).toEqual(
        ["actionConfig", "actionType", "conditions", "description", "id", "name", "triggerType"].sort(),
      );
      const made = await call("POST", `/triggers?agentId=${agentId}`, template);
      const { id: _, ...settings } = template;
      expect([made.status, made.body], template.id).toEqual([201, expect.objectContaining(settings)]);
    }
  });

  it("have templates with the agent's form filled in, if it has one", async () => {
    const templates = async (agent = agentId) => (await call("GET", `/triggers/templates?agentId=${agent}`)).body;
    expect(await templates()).toEqual(triggerTemplates);
    await createForm(agentId, owner, { isEnabled: false });
    expect(await templates()).toEqual(triggerTemplates);
    const toolId = await createForm(agentId, owner, { name: "test_ride" });
    await createForm(agentId, owner, { name: "newsletter" });
    const filled = formTemplates({ id: toolId, name: "test_ride" });
    expect(await templates()).toEqual([...triggerTemplates, ...filled]);
    const ids = [...triggerTemplates, ...filled].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const template of filled) {
      expect(template.actionConfig).toEqual({ toolId });
      expect((await call("POST", `/triggers?agentId=${agentId}`, template)).status).toBe(201);
    }
  });

  it("are duplicated as disabled copies with a descriptive name", async () => {
    const source = (await create({ priority: 3, description: "For the shop" })).body;
    const { status, body } = await call("POST", `/triggers/${source.id}/duplicate`);
    expect(status).toBe(201);
    const { id, createdAt, updatedAt } = body;
    expect(id).not.toBe(source.id);
    expect(body).toEqual({ ...source, id, createdAt, updatedAt, name: "Welcome (copy)", isEnabled: false });
    expect((await call("GET", `/triggers/${id}`)).body).toEqual(body);
    const stranger = await server.createAccount();
    expect((await call("POST", `/triggers/${source.id}/duplicate`, undefined, stranger)).status).toBe(404);
  });

  it("are copied with a duplicated agent's settings and tools, under new ids and without secrets", async () => {
    const toolId = await createForm(agentId, owner, { name: "copied_form" });
    const trigger = { name: "Show it", triggerType: "exit_intent", conditions: {} };
    await call("POST", `/triggers?agentId=${agentId}`, {
      ...trigger,
      actionType: "show_form",
      actionConfig: { toolId },
    });
    const { body, status } = await call("POST", `/agents/${agentId}/duplicate`);
    expect(status).toBe(201);
    const copy = body.data;
    const { data: source } = (await call("GET", `/agents/${agentId}`)).body;
    const own = {
      id: copy.id,
      slug: copy.slug,
      draftHash: copy.draftHash,
      createdAt: copy.createdAt,
      updatedAt: copy.updatedAt,
    };
    expect(copy).toEqual({ ...source, ...own, name: `${source.name} (copy)` });
    expect([copy.id, copy.slug]).not.toEqual([source.id, source.slug]);
    const tools = async (id: string) => (await call("GET", `/tools?agentId=${id}`)).body;
    const copiedForm = (await tools(copy.id)).find(({ name }: { name: string }) => name === "copied_form");
    expect(copiedForm.id).not.toBe(toolId);
    expect(await tools(copy.id)).toHaveLength((await tools(agentId)).length);
    const triggers = (await call("GET", `/triggers?agentId=${copy.id}`)).body;
    expect(triggers.find(({ name }: { name: string }) => name === "Show it").actionConfig.toolId).toBe(copiedForm.id);
    const secret = async (id: string) => (await call("GET", `/agents/${id}/identity-secret`)).body.data.identitySecret;
    expect(await secret(copy.id)).not.toBe(await secret(agentId));
    const stranger = await server.createAccount();
    expect((await call("POST", `/agents/${agentId}/duplicate`, undefined, stranger)).status).toBe(404);
  });

  it("are removed when deleted, and with their agent", async () => {
    const [first, second] = [(await create()).body, (await create()).body];
    expect(await call("DELETE", `/triggers/${first.id}`)).toEqual({ status: 200, body: { success: true } });
    expect((await call("DELETE", `/triggers/${first.id}`)).status).toBe(404);
    expect((await call("GET", `/triggers?agentId=${agentId}`)).body).toEqual([second]);
    const event = { agentId, triggerName: "Welcome", triggerType: "exit_intent", actionType: "open_chat" };
    await call("POST", "/triggers/event", { ...event, eventType: "fired" });
    expect((await call("DELETE", `/agents/${agentId}`)).status).toBe(200);
    expect((await call("GET", `/triggers/${second.id}`)).status).toBe(404);
    const { db } = server.deps;
    for (const table of ["triggers", "triggerEvents"] as const) {
      expect(await db.selectFrom(table).selectAll().where("agentId", "=", agentId).execute()).toEqual([]);
    }
    const days = db.selectFrom("triggerDays").selectAll().where("triggerId", "in", [first.id, second.id]);
    expect(await days.execute()).toEqual([]);
  });

  it("are invisible to other organizations", async () => {
    const { body: trigger } = await create();
    const stranger = await server.createAccount();
    const strange = (method: Parameters<Account["call"]>[0], url: string, body?: object) =>
      call(method, url, body, stranger);
    const unknown = await strange("GET", `/triggers/${newId("trigger")}`);
    expect(unknown.status).toBe(404);
    const url = `/triggers/${trigger.id}`;
    expect(await strange("GET", url)).toEqual(unknown);
    expect(await strange("PUT", url, { name: "Stolen" })).toEqual(unknown);
    expect(await strange("DELETE", url)).toEqual(unknown);
    expect(await strange("POST", `${url}/toggle`)).toEqual(unknown);
    for (const [method, path] of [
      ["GET", "/triggers?agentId="],
      ["POST", "/triggers?agentId="],
      ["GET", "/triggers/stats?agentId="],
      ["GET", "/triggers/templates?agentId="],
    ] as const) {
      const body = method === "POST" ? bubble() : undefined;
      const nobodys = await strange(method, path + newId("agent"), body);
      expect([nobodys.status, await strange(method, path + agentId, body)], path).toEqual([404, nobodys]);
    }
    expect((await strange("GET", "/triggers/stats")).body).toEqual({});
    expect((await call("GET", url)).body).toEqual(trigger);
  });
});
