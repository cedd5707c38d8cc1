import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { onBothDatabases, type TestDatabase } from "../../../../test/databases.ts";
import { createAgent, createTool } from "../../../../test/factories.ts";
import { startServer, type TestServer } from "../../../../test/server.ts";
import { newId } from "../ids.ts";

type Account = Awaited<ReturnType<TestServer["createAccount"]>>;

const fields = [{ name: "email", label: "E-mail", type: "email", defaultValue: "{{user.email}}" }];

onBothDatabases("visitors' pages", (createDatabase) => {
  let database: TestDatabase;
  let server: TestServer;
  let owner: Account;
  let agentId: string;
  beforeAll(async () => {
    database = await createDatabase();
    server = await startServer({ database });
  });
  beforeEach(async () => {
    owner = await server.createAccount();
    agentId = await createAgent(owner);
  });
  afterAll(async () => {
    await server.stop();
    await database.drop();
  });

  const createForm = async (name: string, agent = agentId, account = owner, more: object = {}): Promise<string> => {
    const form = { agentId: agent, name, executionType: "form" as const, formSchema: { fields }, ...more };
    return (await createTool(account, form)).id;
  };
  const createTrigger = async (more: object = {}) => {
    const trigger = { name: "Welcome", triggerType: "exit_intent", conditions: {} };
    const action = { actionType: "open_chat", actionConfig: { message: "Hi" } };
    return (await owner.call("POST", `/triggers?agentId=${agentId}`, { ...trigger, ...action, ...more })).body;
  };
  const get = (url: string, headers: Record<string, string> = {}) => server.app.inject({ url, headers });
  const listing = (headers?: Record<string, string>) => get(`/triggers/widget/${agentId}`, headers);
  const allow = (origins: string[]) => owner.call("PATCH", `/agents/${agentId}`, { allowedOrigins: origins });

  describe("receive an agent's triggers", () => {
    it("that are enabled, in order and with exactly these fields", async () => {
      const toolId = await createForm("contact");
      await createTrigger({ name: "Later", priority: 2, triggerOnce: false });
      await createTrigger({ name: "Off", isEnabled: false });
      const form = { actionType: "show_form", actionConfig: { toolId } };
      await createTrigger({ name: "First", description: "For us only", ...form, conditions: {} });
      const response = await listing();
      expect([response.statusCode, response.headers["content-type"]]).toEqual([200, "application/json; charset=utf-8"]);
      const id = expect.stringMatching(/^trigger_/);
      expect(response.json()).toEqual([
        { id, name: "First", triggerType: "exit_intent", conditions: {}, ...form, triggerOnce: true, priority: 0 },
        {
          id,
          name: "Later",
          triggerType: "exit_intent",
          conditions: {},
          actionType: "open_chat",
          actionConfig: { message: "Hi" },
          triggerOnce: false,
          priority: 2,
        },
      ]);
    });

    it("immediately after every change", async () => {
      const names = async () => (await listing()).json().map(({ name }: { name: string }) => name);
      expect(await names()).toEqual([]);
      const { id } = await createTrigger();
      expect(await names()).toEqual(["Welcome"]);
      await owner.call("PUT", `/triggers/${id}`, { name: "Hello" });
      expect(await names()).toEqual(["Hello"]);
      await owner.call("POST", `/triggers/${id}/toggle`);
      expect(await names()).toEqual([]);
      await owner.call("POST", `/triggers/${id}/toggle`);
      expect(await names()).toEqual(["Hello"]);
      const toolId = await createForm("contact");
      await createTrigger({ name: "Form", actionType: "show_form", actionConfig: { toolId } });
      expect(await names()).toEqual(["Hello", "Form"]);
      await owner.call("DELETE", `/tools/${toolId}`);
      expect(await names()).toEqual(["Hello"]);
      await owner.call("DELETE", `/triggers/${id}`);
      expect(await names()).toEqual([]);
      await owner.call("DELETE", `/agents/${agentId}`);
      expect((await listing()).statusCode).toBe(404);
    });

    it("once, with 304 responses while nothing changes", async () => {
      await createTrigger();
      const first = await listing();
      const { etag } = first.headers as { etag: string };
      expect(etag).toMatch(/^W\/"/);
      expect(first.headers).toMatchObject({ "cache-control": "no-cache", vary: "origin" });
      const again = await listing({ "if-none-match": etag });
      expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, "", etag]);
      expect(again.headers["access-control-allow-origin"]).toBe("*");
      await createTrigger({ name: "New" });
      const changed = await listing({ "if-none-match": etag });
      expect([changed.statusCode, changed.json().length]).toEqual([200, 2]);
    });

    it("only for a known agent and an allowed origin", async () => {
      const unknown = await get(`/triggers/widget/${newId("agent")}`);
      expect([unknown.statusCode, unknown.json().error.code]).toEqual([404, "NOT_FOUND"]);
      expect((await get("/triggers/widget/nobody")).json()).toEqual(unknown.json());
      const status = async (headers?: Record<string, string>) => (await listing(headers)).statusCode;
      expect(await status({ origin: "https://anywhere.example" })).toBe(200);
      await allow(["https://shop.example"]);
      expect(await status({ origin: "https://anywhere.example" })).toBe(403);
      expect(await status({ origin: "https://shop.example" })).toBe(200);
      expect([await status(), await status({ origin: "http://localhost:3000" })]).toEqual([200, 200]);
    });
  });

  describe("receive a form", () => {
    it("by id or name, with exactly these fields", async () => {
      const hidden = { url: "https://hooks.example.com/secret", type: "webhook" };
      const formSchema = { fields, submitLabel: "Book" };
      const toolId = await createForm("test_ride", agentId, owner, {
        formSchema,
        formWebhookUrl: "https://hooks.example.com/secret",
        formPostActions: [hidden],
        formExecutionMode: "both",
        formClientHandler: "onRide",
      });
      const form = {
        toolId,
        toolName: "test_ride",
        label: null,
        formSchema: { ...formSchema, successMessage: "Submitted", errorMessage: "Error" },
        executionMode: "both",
        clientHandler: "onRide",
      };
      for (const url of [toolId, "test_ride", `${toolId}?agentId=${agentId}`, `test_ride?agentId=${agentId}`]) {
        const response = await get(`/triggers/form/${url}`);
        expect([response.statusCode, response.json()], url).toEqual([200, form]);
        expect(response.headers["access-control-allow-origin"]).toBe("*");
      }
      const plain = await createForm("plain");
      expect((await get(`/triggers/form/${plain}`)).json()).toEqual({
        toolId: plain,
        toolName: "plain",
        label: null,
        formSchema: { fields, submitLabel: "Submit", successMessage: "Submitted", errorMessage: "Error" },
        executionMode: "webhook",
        clientHandler: null,
      });
    });

    it("of the given agent, or otherwise the oldest enabled one of that name, or of the organization of the key", async () => {
      const stranger = await server.createAccount();
      const theirs = await createAgent(stranger);
      const name = `contact_${agentId.slice(-5).replace(/\d/g, "x")}`;
      const first = await createForm(name, theirs, stranger);
      const second = await createForm(name);
      const found = async (query = "") => (await get(`/triggers/form/${name}${query}`)).json().toolId;
      expect(await found()).toBe(first);
      const byKey = { url: `/triggers/form/${name}`, headers: owner.headers };
      expect((await server.app.inject(byKey)).json().toolId).toBe(second);
      expect([await found(`?agentId=${agentId}`), await found(`?agentId=${theirs}`)]).toEqual([second, first]);
      await stranger.call("PUT", `/tools/${first}`, { isEnabled: false });
      expect([await found(), await found(`?agentId=${theirs}`)]).toEqual([second, undefined]);
    });

    it("but not a disabled one, another kind of tool, or another agent's form", async () => {
      const toolId = await createForm("contact");
      const other = await createAgent(owner);
      const mock = { agentId, name: "hours", description: "d", executionType: "mock", inputSchema: { type: "object" } };
      const mockId = (await owner.call("POST", "/tools", mock)).body.id;
      const status = async (url: string) => (await get(`/triggers/form/${url}`)).statusCode;
      const unknown = await get(`/triggers/form/${newId("tool")}`);
      expect([unknown.statusCode, unknown.json().error.code]).toEqual([404, "NOT_FOUND"]);
      for (const url of [
        mockId,
        `hours?agentId=${agentId}`,
        `${toolId}?agentId=${other}`,
        `contact?agentId=${other}`,
      ]) {
        expect((await get(`/triggers/form/${url}`)).json(), url).toEqual(unknown.json());
      }
      expect([await status(toolId), await status(`${toolId}?agentId=nobody`)]).toEqual([200, 404]);
      await owner.call("PUT", `/tools/${toolId}`, { isEnabled: false });
      expect([await status(toolId), await status(`contact?agentId=${agentId}`)]).toEqual([404, 404]);
    });

    it("only on origins that its agent allows", async () => {
      const toolId = await createForm("contact");
      await allow(["https://shop.example"]);
      const status = async (origin: string) => (await get(`/triggers/form/${toolId}`, { origin })).statusCode;
      expect([await status("https://anywhere.example"), await status("https://shop.example")]).toEqual([403, 200]);
    });
  });
});
