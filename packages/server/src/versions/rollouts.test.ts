import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { openChat } from "../../../../test/chat-client.ts";
import { onBothDatabases, type TestDatabase } from "../../../../test/databases.ts";
import { createAgent, createTool } from "../../../../test/factories.ts";
import { startServer, type TestServer } from "../../../../test/server.ts";
import { callThenSay, sayWords, startUpstream, type Upstream } from "../../../../test/upstream.ts";

onBothDatabases("the rollout of a version", (createDatabase) => {
  let database: TestDatabase;
  let server: TestServer;
  let model: Upstream;
  let owner: Awaited<ReturnType<TestServer["createAccount"]>>;
  let agentId: string;

  const env = () => ({
    OPENAI_COMPATIBLE_BASE_URL: model.url,
    FOYER_DEFAULT_MODEL: "openai-compatible/test",
    FOYER_LIMIT_CHAT_PER_SESSION: "0",
    FOYER_LIMIT_CHAT_PER_IP: "0",
  });
  beforeAll(async () => {
    database = await createDatabase();
    model = await startUpstream();
    server = await startServer({ database, listen: true, env: env() });
    owner = await server.createAccount();
  });
  beforeEach(async () => {
    model.script(sayWords("Hello."));
    agentId = await createAgent(owner, { systemPrompt: "Sell bikes." });
    await change({ publishing: "manual" });
  });
  afterAll(async () => {
    await server.stop();
    await model.stop();
    await database.drop();
  });

  const read = async () => (await owner.call("GET", `/agents/${agentId}`)).body.data;
  const change = (body: object) => owner.call("PATCH", `/agents/${agentId}`, body);
  const publish = () => owner.call("POST", `/agents/${agentId}/publish`);
  const rollOut = (version: unknown, percent: unknown, more: object = {}) =>
    owner.call("PUT", `/agents/${agentId}/rollout`, { version, percent, ...more });
  const endRollout = () => owner.call("DELETE", `/agents/${agentId}/rollout`);

  /** Version 2, in which the agent sells boats. */
  async function publishBoats() {
    await change({ systemPrompt: "Sell boats." });
    await publish();
  }

  /** Chats as a visitor. @returns what the model received, and the version that the reply names */
  async function chat(conversation: { conversationId?: string; conversationToken?: string } = {}) {
    const { conversationId: existing, conversationToken: token } = conversation;
    const seen = model.exchanges.length;
    const stream = await openChat(
      server.url,
      { agentId, messages: [{ role: "user", content: "Hi" }], ...(existing ? { conversationId: existing } : {}) },
      token ? { authorization: `Bearer ${token}` } : {},
    );
    await stream.ended;
    const [start] = stream.events as unknown as Array<{ conversationId: string; conversationToken: string }>;
    const { conversationId = "", conversationToken = token ?? "" } = start ?? {};
    const { messages, tools = [] } = JSON.parse(model.exchanges[seen]?.body ?? "{}");
    const { body } = await owner.call("GET", `/conversations/${conversationId}`);
    return {
      prompt: messages[0].content,
      tools: tools.map((tool: { function: { name: string } }) => tool.function.name),
      version: body.data.messages.at(-1).agentVersion,
      conversation: { conversationId, conversationToken },
      events: stream.events,
    };
  }

  it("gives the version to new conversations and names it at their replies", async () => {
    await publishBoats();
    const { status, body } = await rollOut(1, 100);
    expect([status, body.data.rollout]).toEqual([200, { version: 1, percent: 100 }]);
    expect((await read()).rollout).toEqual({ version: 1, percent: 100 });
    expect(await chat()).toMatchObject({ prompt: "Sell bikes.", version: 1 });
  });

  it("gives the live version to every conversation at 0 percent", async () => {
    await publishBoats();
    await rollOut(1, 0);
    expect(await chat()).toMatchObject({ prompt: "Sell boats.", version: 2 });
  });

  it("gives about half of the conversations the version at 50 percent", async () => {
    await publishBoats();
    await rollOut(1, 50);
    const versions = [];
    for (let n = 0; n < 40; n++) versions.push((await chat()).version);
    // A fair draw leaves this range once in 3 million runs.
    expect(versions.filter((version) => version === 1).length).toBeGreaterThan(4);
    expect(versions.filter((version) => version === 1).length).toBeLessThan(36);
  });

  it("keeps the version of a running conversation when the percentage changes", async () => {
    await publishBoats();
    const live = await chat();
    await rollOut(1, 100);
    const rolledOut = await chat();
    await rollOut(1, 0);
    expect(await chat(rolledOut.conversation)).toMatchObject({ prompt: "Sell bikes.", version: 1 });
    await rollOut(1, 100);
    expect(await chat(live.conversation)).toMatchObject({ prompt: "Sell boats.", version: 2 });
  });

  it("continues every conversation with the live version once the rollout ends", async () => {
    await publishBoats();
    await rollOut(1, 100);
    const { conversation } = await chat();
    const { status, body } = await endRollout();
    expect([status, body.data.rollout]).toEqual([200, null]);
    expect(await chat(conversation)).toMatchObject({ prompt: "Sell boats.", version: 2 });
  });

  it("does not return a conversation to a version that is rolled out again", async () => {
    await publishBoats();
    await rollOut(1, 100);
    const { conversation } = await chat();
    await endRollout();
    await rollOut(1, 100);
    expect(await chat(conversation)).toMatchObject({ version: 2 });
  });

  it("ends when a version is published", async () => {
    await publishBoats();
    await rollOut(1, 100);
    const { conversation } = await chat();
    await change({ systemPrompt: "Sell planes." });
    await publish();
    expect((await read()).rollout).toBeNull();
    expect(await chat(conversation)).toMatchObject({ prompt: "Sell planes.", version: 3 });
  });

  it("ends when a draft without changes is published", async () => {
    await publishBoats();
    await rollOut(1, 100);
    expect((await publish()).status).toBe(200);
    expect((await read()).rollout).toBeNull();
  });

  it("ends with a save of an agent that is published at once", async () => {
    await publishBoats();
    await change({ publishing: "immediate" });
    await rollOut(1, 100);
    await change({ systemPrompt: "Sell planes." });
    expect((await read()).rollout).toBeNull();
  });

  it("continues while the draft is edited", async () => {
    await publishBoats();
    await rollOut(1, 100);
    await change({ systemPrompt: "Sell planes." });
    expect(await chat()).toMatchObject({ prompt: "Sell bikes.", version: 1 });
  });

  it("runs a tool that only the rolled-out version has", async () => {
    const tool = await createTool(owner, {
      agentId,
      name: "stock",
      executionType: "mock",
      mockResponse: '{"left":3}',
    });
    await publish();
    await owner.call("DELETE", `/tools/${tool.id}`);
    await publish();
    await rollOut(2, 100);
    model.script(callThenSay("stock", {}, "Three."));
    const { tools, events } = await chat();
    expect(tools).toEqual(["stock"]);
    expect(JSON.stringify(events)).toContain('"left":3');
  });

  it("offers no form that visitors cannot submit, because the live version has none", async () => {
    const form = await createTool(owner, {
      agentId,
      name: "contact",
      executionType: "form",
      formSchema: { fields: [{ name: "email", type: "email", label: "Email" }] },
    });
    await publish();
    await owner.call("DELETE", `/tools/${form.id}`);
    await publish();
    await rollOut(2, 100);
    expect((await chat()).tools).toEqual([]);
  });

  it("refuses a version that the agent does not have", async () => {
    const { status, body } = await rollOut(7, 10);
    expect([status, body.error.details[0].path]).toEqual([400, "version"]);
  });

  it.each([
    ["a percentage above 100", 1, 101],
    ["a negative percentage", 1, -1],
    ["a percentage that is text", 1, "half"],
    ["version 0", 0, 10],
    ["the draft", "draft", 10],
  ])("refuses %s", async (_, version, percent) => {
    expect((await rollOut(version, percent)).status).toBe(400);
  });

  it("refuses a rollout of another organization's agent", async () => {
    const stranger = await server.createAccount();
    const answers = [
      await stranger.call("PUT", `/agents/${agentId}/rollout`, { version: 1, percent: 10 }),
      await stranger.call("DELETE", `/agents/${agentId}/rollout`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404]);
  });
});
