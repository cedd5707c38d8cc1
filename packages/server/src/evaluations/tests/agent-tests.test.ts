import type { AgentTestCheck } from "@foyer/contract";
import { agentTestLimits } from "@foyer/contract/rules/evaluations";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { openChat } from "../../../../../test/chat-client.ts";
import { onBothDatabases, type TestDatabase } from "../../../../../test/databases.ts";
import { createAgent, createTool } from "../../../../../test/factories.ts";
import { startServer, type TestServer } from "../../../../../test/server.ts";
import { createMember, signedInBrowser } from "../../../../../test/session-client.ts";
import { callThenSay, type Exchange, sayWords, startUpstream, type Upstream } from "../../../../../test/upstream.ts";
import { newId } from "../../ids.ts";

const turns = ["What does it cost for two days?"];
const priceSchema = { type: "object", properties: { days: { type: "integer" } }, required: ["days"] };
/** Nothing listens there: a tool that runs fails. */
const http = { httpUrl: "http://127.0.0.1:9/", httpMethod: "GET" };

onBothDatabases("tests of an agent", (createDatabase) => {
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
    model.script(sayWords("It costs 50 euros."));
    agentId = await createAgent(owner, { systemPrompt: "Sell bikes.", handoff: { isEnabled: true } });
  });
  afterAll(async () => {
    await server.stop();
    await model.stop();
    await database.drop();
  });

  const path = (rest = "") => `/agents/${agentId}/tests${rest}`;
  const addTest = async (checks: AgentTestCheck[], more: object = {}) => {
    const { status, body } = await owner.call("POST", path(), { name: "Price", turns, checks, ...more });
    expect(status, JSON.stringify(body)).toBe(201);
    return body.data;
  };
  const run = async (body: object = {}) => {
    const ran = await owner.call("POST", path("/run"), { version: "draft", ...body });
    expect(ran.status, JSON.stringify(ran.body)).toBe(200);
    return ran.body.data.results;
  };
  const addPriceTool = (more: object = {}) =>
    createTool(owner, {
      agentId,
      name: "price",
      executionType: "http",
      ...http,
      inputSchema: priceSchema,
      ...more,
    });
  const chat = async (content = "What does it cost?") => {
    const stream = await openChat(server.url, { agentId, messages: [{ role: "user", content }] });
    await stream.ended;
    return (stream.events[0] as unknown as { conversationId: string }).conversationId;
  };
  const lastPrompt = () => JSON.parse(model.exchanges.at(-1)?.body ?? "{}").messages;

  it("are copied with their agent", async () => {
    const content = { name: "Greets", turns: ["Hello"], checks: [{ kind: "says", text: "Hi" }], results: { stock: 3 } };
    await owner.call("POST", `/agents/${agentId}/tests`, content);
    const { id } = (await owner.call("POST", `/agents/${agentId}/duplicate`)).body.data;
    const { data } = (await owner.call("GET", `/agents/${id}/tests`)).body;
    expect(data).toEqual([expect.objectContaining({ ...content, conversationId: null })]);
  });

  it("creates, lists, changes and deletes a test", async () => {
    const test = await addTest([{ kind: "says", text: "50" }], { results: { price: { total: 50 } } });
    const changed = await owner.call("PATCH", path(`/${test.id}`), { name: "Prices", checks: [{ kind: "refuses" }] });
    expect(changed.body.data).toMatchObject({ name: "Prices", turns, checks: [{ kind: "refuses" }] });
    expect((await owner.call("GET", path(`/${test.id}`))).body.data).toEqual(changed.body.data);
    const listed = (await owner.call("GET", path())).body;
    expect(listed).toMatchObject({ data: [changed.body.data], pagination: { total: 1 } });
    expect((await owner.call("DELETE", path(`/${test.id}`))).status).toBe(200);
    expect((await owner.call("GET", path(`/${test.id}`))).status).toBe(404);
  });

  it("refuses a second test with the same name", async () => {
    await addTest([]);
    const { status, body } = await owner.call("POST", path(), { name: " Price ", turns, checks: [] });
    expect([status, body.error.details[0]]).toMatchObject([400, { path: "name", code: "duplicate" }]);
  });

  it.each([
    [{ checks: [{ kind: "says" }] }, "checks.0.text"],
    [{ checks: [{ kind: "sings" }] }, "checks.0.kind"],
    [{ turns: [] }, "turns"],
    [{ turns: Array.from({ length: agentTestLimits.turns + 1 }, () => "Hi") }, "turns"],
    [{ results: { price: "x".repeat(agentTestLimits.resultsBytes) } }, "results"],
    [{ name: "  " }, "name"],
  ])("refuses %.60j with its path", async (more, field) => {
    const { status, body } = await owner.call("POST", path(), { name: "Price", turns, checks: [], ...more });
    expect([status, body.error.details[0].path]).toEqual([400, field]);
  });

  it("shows another organization no test, and runs none for it", async () => {
    const test = await addTest([]);
    const stranger = await server.createAccount();
    const calls = [
      await stranger.call("GET", path()),
      await stranger.call("GET", path(`/${test.id}`)),
      await stranger.call("PATCH", path(`/${test.id}`), { name: "Mine" }),
      await stranger.call("DELETE", path(`/${test.id}`)),
      await stranger.call("POST", path("/run"), { version: "draft" }),
      await stranger.call("POST", path(), { name: "Mine", turns, checks: [] }),
    ];
    expect(calls.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404]);
  });

  it("passes a test whose checks hold, and reports what came instead of the others", async () => {
    await addTest([{ kind: "says", text: "50 euros" }]);
    await addTest(
      [
        { kind: "says", text: "60 euros" },
        { kind: "max_words", n: 10 },
      ],
      { name: "Wrong" },
    );
    expect(await run()).toMatchObject([
      { name: "Price", passed: true, passes: 1, runs: 1, failures: [] },
      {
        name: "Wrong",
        passed: false,
        passes: 0,
        failures: [{ check: { kind: "says", text: "60 euros" }, got: "It costs 50 euros." }],
      },
    ]);
  });

  it("passes only when all repetitions pass", async () => {
    await addTest([{ kind: "says", text: "50" }]);
    let replies = 0;
    model.script((exchange) => sayWords(++replies === 2 ? "No idea." : "50 euros.")(exchange));
    const [result] = await run({ repeat: 3 });
    expect(result).toMatchObject({ passed: false, passes: 2, runs: 3, failures: [{ got: "No idea." }] });
  });

  it("runs no tool, and gives the model the result that the test names", async () => {
    await addPriceTool();
    model.script(callThenSay("price", { days: 2 }, "It costs 50 euros."));
    await addTest([{ kind: "tool_called", tool: "price", arguments: { days: 2 } }], {
      results: { price: { total: 50 } },
    });
    expect(await run()).toMatchObject([{ passed: true }]);
    expect(lastPrompt().at(-1)).toMatchObject({ role: "tool", content: '{"total":50}' });
  });

  it.each([
    ["a mock tool's own answer", { executionType: "mock", mockResponse: "fifty" }, "fifty"],
    ["a plain success for a tool without an answer", {}, '{"ok":true}'],
    ["nothing that only visitors may see", { resultFor: "visitor" }, "The result was shown to the visitor."],
  ])("gives the model %s", async (_, tool, content) => {
    await addPriceTool(tool);
    model.script(callThenSay("price", { days: 2 }, "It costs 50 euros."));
    await addTest([]);
    await run();
    expect(lastPrompt().at(-1).content).toContain(content);
  });

  it("refuses a call with an input that the tool would refuse", async () => {
    await addPriceTool();
    model.script(callThenSay("price", { days: "two" }, "Sorry."));
    await addTest([{ kind: "tool_called", tool: "price" }]);
    expect(await run()).toMatchObject([{ passed: false, failures: [{ got: "called no tool" }] }]);
  });

  it("notices a request for a person, and notifies nobody", async () => {
    model.script(callThenSay("request_human", { reason: "invoice", summary: "s" }, "They are coming."));
    await addTest([{ kind: "asks_for_person" }]);
    expect(await run()).toMatchObject([{ passed: true }]);
    expect(await server.deps.db.selectFrom("handoffs").select("id").execute()).toEqual([]);
  });

  it("plays all turns as one conversation", async () => {
    await addTest([], { turns: ["Hello", "And for two days?"] });
    await run();
    expect(lastPrompt().map(({ role, content }: { role: string; content: string }) => [role, content])).toEqual([
      ["system", "Sell bikes."],
      ["user", "Hello"],
      ["assistant", "It costs 50 euros."],
      ["user", "And for two days?"],
    ]);
  });

  it("asks the model for a judgement", async () => {
    await addTest([{ kind: "judge", text: "is polite" }]);
    const judge = (verdict: string) => (exchange: Exchange) =>
      sayWords(exchange.body.includes("You judge whether") ? verdict : "It costs 50.")(exchange);
    model.script(judge("PASS\nIt is."));
    expect(await run()).toMatchObject([{ passed: true }]);
    model.script(judge("FAIL\nIt greets nobody."));
    expect(await run()).toMatchObject([{ passed: false, failures: [{ got: "It greets nobody." }] }]);
  });

  it("reports why the model could not reply", async () => {
    model.script(({ response }) => response.writeHead(400).end(JSON.stringify({ error: { message: "Bad request" } })));
    await addTest([{ kind: "says", text: "50" }]);
    expect(await run()).toMatchObject([{ passed: false, failures: [{ check: null, got: "Bad request" }] }]);
  });

  it("runs a version with the settings and tools that it had", async () => {
    await addPriceTool({ executionType: "mock" });
    await owner.call("PATCH", `/agents/${agentId}`, { publishing: "manual" });
    const { liveVersion } = (await owner.call("GET", `/agents/${agentId}`)).body.data;
    await owner.call("PATCH", `/agents/${agentId}`, { systemPrompt: "Sell boats." });
    await createTool(owner, { agentId, name: "tides", executionType: "mock" });
    await addTest([]);
    const promptOf = async (version: number | string) => {
      await run({ version });
      const { messages, tools } = JSON.parse(model.exchanges.at(-1)?.body ?? "{}");
      const names = tools.map((tool: { function: { name: string } }) => tool.function.name);
      return [messages[0].content, names.filter((name: string) => name !== "request_human")];
    };
    expect(await promptOf(liveVersion)).toEqual(["Sell bikes.", ["price"]]);
    expect(await promptOf("draft")).toEqual(["Sell boats.", ["price", "tides"]]);
    expect((await owner.call("POST", path("/run"), { version: 99 })).body.error.details[0].path).toBe("version");
  });

  it("stores no conversation, counts no reply, and uses the organization's budget alone", async () => {
    await addTest([]);
    await run();
    const { db } = server.deps;
    const { organizationId } = owner;
    expect((await owner.call("GET", `/conversations?agentId=${agentId}`)).body.pagination.total).toBe(0);
    expect(await db.selectFrom("agentMonths").selectAll().where("agentId", "=", agentId).execute()).toEqual([]);
    const used = db.selectFrom("organizationMonths").select("tokens").where("organizationId", "=", organizationId);
    expect(Number((await used.executeTakeFirst())?.tokens)).toBeGreaterThan(0);
  });

  it("publishes a draft only when its tests pass, if the agent requires it", async () => {
    await owner.call("PATCH", `/agents/${agentId}`, { publishing: "manual", publishRequiresTests: true });
    await addTest([{ kind: "says", text: "50" }]);
    await owner.call("PATCH", `/agents/${agentId}`, { systemPrompt: "Sell boats." });
    model.script(sayWords("No idea."));
    const refused = await owner.call("POST", `/agents/${agentId}/publish`);
    expect([refused.status, refused.body.error]).toMatchObject([
      409,
      { code: "CONFLICT", message: expect.stringContaining("Price"), details: [{ path: "tests.Price" }] },
    ]);
    expect((await owner.call("GET", `/agents/${agentId}`)).body.data.liveVersion).toBe(1);
    model.script(sayWords("50 euros."));
    expect((await owner.call("POST", `/agents/${agentId}/publish`)).status).toBe(201);
  });

  it("responds at once with a run whose results can be read while it runs and afterwards", async () => {
    const test = await addTest([{ kind: "says", text: "50" }]);
    await addTest([], { name: "Second" });
    const answers = Promise.withResolvers<void>();
    model.script(async (exchange) => {
      await answers.promise;
      sayWords("It costs 50 euros.")(exchange);
    });
    const begun = await owner.call("POST", path("/run"), { version: "draft", repeat: 2, wait: false });
    expect([begun.status, begun.body.data]).toMatchObject([
      202,
      { status: "running", done: 0, total: 4, results: [], repeat: 2, version: "draft", finishedAt: null },
    ]);
    const read = async () => (await owner.call("GET", path(`/runs/${begun.body.data.id}`))).body.data;
    answers.resolve();
    await expect.poll(async () => (await read()).status).toBe("finished");
    expect(await read()).toMatchObject({ done: 4, problem: null, testIds: [test.id, expect.any(String)] });
    expect((await read()).results).toMatchObject([{ passed: true, runs: 2 }, { name: "Second" }]);
    const { data: listed } = (await owner.call("GET", path("/runs"))).body;
    expect(listed).toMatchObject([{ id: begun.body.data.id }]);
  });

  it("keeps what has run when a run is stopped, and asks the model nothing more", async () => {
    for (let n = 0; n < 6; n++) await addTest([], { name: `Test ${n}` });
    const lastAnswer = Promise.withResolvers<void>();
    model.script(async (exchange) => {
      if (model.exchanges.length > 1) await lastAnswer.promise;
      sayWords("It costs 50 euros.")(exchange);
    });
    model.exchanges.length = 0;
    const { body } = await owner.call("POST", path("/run"), { version: "draft", wait: false });
    const read = async () => (await owner.call("GET", path(`/runs/${body.data.id}`))).body.data;
    await expect.poll(async () => (await read()).done).toBe(1);
    await expect.poll(() => model.exchanges.length).toBe(5);
    const stopped = await owner.call("POST", path(`/runs/${body.data.id}/stop`));
    expect(stopped.body.data).toMatchObject({ status: "stopped", problem: "The run was stopped.", done: 1, total: 6 });
    lastAnswer.resolve();
    expect((await read()).results).toHaveLength(1);
    expect(model.exchanges).toHaveLength(5);
  });

  it("continues a run after a crash with the tests that had not run", async () => {
    for (let n = 0; n < 3; n++) await addTest([], { name: `Test ${n}` });
    const { id } = (await owner.call("POST", path("/run"), { version: "draft" })).body.data;
    const { db } = server.deps;
    await db
      .updateTable("agentTestOutcomes")
      .set({ failures: null })
      .where("runId", "=", id)
      .where("position", "=", 1)
      .execute();
    model.exchanges.length = 0;
    await db.updateTable("agentTestRuns").set({ status: "running", dueAt: 0 }).where("id", "=", id).execute();
    const read = async () => (await owner.call("GET", path(`/runs/${id}`))).body.data;
    await expect.poll(async () => (await read()).status).toBe("finished");
    expect([model.exchanges.length, (await read()).done]).toEqual([1, 3]);
  });

  it("runs as many tests as an agent may have, each as often as it may", async () => {
    const { db } = server.deps;
    const now = Date.now();
    const tests = Array.from({ length: agentTestLimits.tests }, (_, n) => ({
      id: newId("test"),
      organizationId: owner.organizationId,
      agentId,
      name: `Test ${n}`,
      turns: '["Hello"]',
      checks: "[]",
      results: "{}",
      conversationId: null,
      createdAt: now,
      updatedAt: now,
    }));
    await db.insertInto("agentTests").values(tests).execute();
    const body = { version: "draft", repeat: agentTestLimits.repeat, wait: false };
    const { id } = (await owner.call("POST", path("/run"), body)).body.data;
    const read = async () => (await owner.call("GET", path(`/runs/${id}`))).body.data;
    await expect.poll(async () => (await read()).status, { timeout: 100_000, interval: 500 }).toBe("finished");
    const { results, done } = await read();
    expect([done, results.length, results.filter(({ passes }: { passes: number }) => passes === 10).length]).toEqual([
      2_000, 200, 200,
    ]);
  }, 120_000);

  it("refuses a run when as many of the organization's runs wait as may", async () => {
    await addTest([]);
    const answers = Promise.withResolvers<void>();
    model.script(async (exchange) => {
      await answers.promise;
      sayWords("50")(exchange);
    });
    const begin = () => owner.call("POST", path("/run"), { version: "draft", wait: false });
    const begun = await Promise.all(Array.from({ length: agentTestLimits.running }, begin));
    expect((await begin()).status).toBe(409);
    answers.resolve();
    const statusOf = async (id: string) => (await owner.call("GET", path(`/runs/${id}`))).body.data.status;
    await Promise.all(begun.map(({ body }) => expect.poll(() => statusOf(body.data.id)).toBe("finished")));
  });

  it("shows no run to another organization, and stops none for it", async () => {
    await addTest([]);
    const { id } = (await owner.call("POST", path("/run"), { version: "draft" })).body.data;
    const stranger = await server.createAccount();
    const calls = [
      await stranger.call("GET", path("/runs")),
      await stranger.call("GET", path(`/runs/${id}`)),
      await stranger.call("POST", path(`/runs/${id}/stop`)),
    ];
    expect(calls.map(({ status }) => status)).toEqual([404, 404, 404]);
  });

  it("publishes a draft whose tests have just passed without running them again", async () => {
    await owner.call("PATCH", `/agents/${agentId}`, { publishing: "manual", publishRequiresTests: true });
    const test = await addTest([{ kind: "says", text: "50" }]);
    await owner.call("PATCH", `/agents/${agentId}`, { systemPrompt: "Sell boats." });
    expect(await run()).toMatchObject([{ passed: true }]);
    model.exchanges.length = 0;
    expect((await owner.call("POST", `/agents/${agentId}/publish`)).status).toBe(201);
    expect(model.exchanges).toEqual([]);
    await owner.call("PATCH", `/agents/${agentId}`, { systemPrompt: "Sell cars." });
    await run();
    await server.deps.db
      .updateTable("agentTests")
      .set({ updatedAt: Date.now() + 1_000 })
      .where("id", "=", test.id)
      .execute();
    model.exchanges.length = 0;
    expect((await owner.call("POST", `/agents/${agentId}/publish`)).status).toBe(201);
    expect(model.exchanges).toHaveLength(1);
  });

  it("asks to publish again while the required tests run, and then runs none of them twice", async () => {
    await owner.call("PATCH", `/agents/${agentId}`, { publishing: "manual", publishRequiresTests: true });
    await addTest([{ kind: "says", text: "50" }]);
    await owner.call("PATCH", `/agents/${agentId}`, { systemPrompt: "Sell boats." });
    const answers = Promise.withResolvers<void>();
    model.script(async (exchange) => {
      await answers.promise;
      sayWords("No idea.")(exchange);
    });
    model.exchanges.length = 0;
    const early = await owner.call("POST", `/agents/${agentId}/publish`, { wait: false });
    expect(early.body.error).toMatchObject({ code: "TESTS_RUNNING" });
    await expect.poll(() => model.exchanges.length).toBe(1);
    answers.resolve();
    const later = await owner.call("POST", `/agents/${agentId}/publish`);
    expect(later.body.error).toMatchObject({ code: "CONFLICT", details: [{ path: "tests.Price" }] });
    expect(model.exchanges).toHaveLength(1);
  });

  it("does not publish a draft that changed while its tests ran", async () => {
    await owner.call("PATCH", `/agents/${agentId}`, { publishing: "manual", publishRequiresTests: true });
    await addTest([{ kind: "says", text: "50" }]);
    await owner.call("PATCH", `/agents/${agentId}`, { systemPrompt: "Sell boats." });
    model.script(async (exchange) => {
      await owner.call("PATCH", `/agents/${agentId}`, { systemPrompt: "Sell cars." });
      sayWords("50 euros.")(exchange);
    });
    expect((await owner.call("POST", `/agents/${agentId}/publish`)).status).toBe(412);
  });

  it("keeps a conversation as a test, with what its tools answered", async () => {
    await addPriceTool({ executionType: "mock", mockResponse: '{"total":50}' });
    const answer = "For two days, that comes to fifty euros, and the helmet is included.";
    model.script(callThenSay("price", { days: 2 }, answer));
    const conversationId = await chat();
    const kept = await owner.call("POST", path("/from-conversation"), { conversationId });
    expect(kept.body.data).toMatchObject({
      name: "What does it cost?",
      turns: ["What does it cost?"],
      checks: [
        { kind: "tool_called", tool: "price", arguments: { days: 2 } },
        { kind: "language", language: "en" },
      ],
      results: { price: { total: 50 } },
      conversationId,
    });
    const again = await owner.call("POST", path("/from-conversation"), { conversationId });
    expect(again.body.data.name).toBe("What does it cost? (2)");
    expect(await run()).toMatchObject([{ passed: true }, { passed: true }]);
  });

  it.each([
    ["answered", true],
    ["did not answer", false],
  ])("leaves out what the visitor said to a person who %s", async (_, isAnswered) => {
    const member = await createMember(server, owner.organizationId, "owner");
    const browser = await signedInBrowser(server, member.email);
    const begun = await openChat(server.url, { agentId, messages: [{ role: "user", content: "What does it cost?" }] });
    await begun.ended;
    const { conversationId, conversationToken } = begun.events[0] as unknown as Record<string, string>;
    const act = async (action: string, body: object = {}) =>
      expect((await browser.call("POST", `/conversations/${conversationId}/${action}`, body)).status).toBeLessThan(300);
    const say = async (content: string) => {
      const body = { agentId, conversationId, messages: [{ role: "user", content }] };
      await (await openChat(server.url, body, { authorization: `Bearer ${conversationToken}` })).ended;
    };
    await act("takeover");
    await say("My card number is secret, please call me");
    if (isAnswered) await act("messages", { content: "I will call you." });
    await act("return");
    await say("And on Sunday?");
    const kept = await owner.call("POST", path("/from-conversation"), { conversationId });
    expect(kept.body.data.turns).toEqual(["What does it cost?", "And on Sunday?"]);
  });

  it("does not expect what a visitor rated as bad", async () => {
    await addPriceTool({ executionType: "mock" });
    model.script(callThenSay("price", { days: 2 }, "Fifty."));
    const conversationId = await chat();
    const { messages } = (await owner.call("GET", `/conversations/${conversationId}`)).body.data;
    await server.deps.db.updateTable("messages").set({ feedback: "down" }).where("id", "=", messages[1].id).execute();
    const kept = await owner.call("POST", path("/from-conversation"), { conversationId, messageId: messages[1].id });
    expect(kept.body.data.checks).toEqual([]);
  });

  it.each([
    ["a reply that failed", "error"],
    ["a reply that was stopped", "aborted"],
    ["a reply that is still being written", null],
  ])("refuses to keep a conversation with only %s", async (_, stopReason) => {
    const conversationId = await chat();
    await server.deps.db
      .updateTable("messages")
      .set({ stopReason, content: "", pieces: null })
      .where("conversationId", "=", conversationId)
      .where("role", "=", "assistant")
      .execute();
    const { status, body } = await owner.call("POST", path("/from-conversation"), { conversationId });
    expect([status, body.error.details]).toMatchObject([
      400,
      [{ path: "conversationId", message: expect.stringContaining("has no completed reply of the agent") }],
    ]);
  });

  it("refuses to keep a conversation without messages", async () => {
    const conversationId = await chat();
    await server.deps.db.deleteFrom("messages").where("conversationId", "=", conversationId).execute();
    const { status, body } = await owner.call("POST", path("/from-conversation"), { conversationId });
    expect([status, body.error.details]).toMatchObject([400, [{ path: "conversationId" }]]);
  });

  it("refuses to keep a conversation of another agent", async () => {
    const conversationId = await chat();
    agentId = await createAgent(owner);
    expect((await owner.call("POST", path("/from-conversation"), { conversationId })).status).toBe(404);
    expect((await owner.call("POST", path("/from-conversation"), { conversationId: newId("conv") })).status).toBe(404);
  });

  it("deletes a kept test with its conversation, and counts it in the receipt", async () => {
    const conversationId = await chat();
    await addTest([]);
    await owner.call("POST", path("/from-conversation"), { conversationId });
    const { counts } = (await owner.call("GET", `/visitors/data?conversationId=${conversationId}`)).body;
    expect(counts.agentTests).toBe(1);
    const erased = await owner.call("POST", "/visitors/erase", { conversationId });
    expect(erased.body.counts.agentTests).toBe(1);
    expect((await owner.call("GET", path())).body.data).toMatchObject([{ name: "Price" }]);
  });
});
