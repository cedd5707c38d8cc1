import { afterAll, beforeAll, expect, it } from "vitest";
import { onBothDatabases, type TestDatabase } from "../../../../test/databases.ts";
import { createAgent, createTool } from "../../../../test/factories.ts";
import { startServer, type TestServer } from "../../../../test/server.ts";
import { createMember, createOwner, signedInBrowser } from "../../../../test/session-client.ts";
import { callThenSay, sayWords, startUpstream, type Upstream } from "../../../../test/upstream.ts";
import { createConversationLog } from "../conversations/log/log.ts";
import { inTransaction } from "../db/transaction.ts";

type Browser = Awaited<ReturnType<typeof signedInBrowser>>;
type Prompt = Array<{ role: string; content: string }>;

onBothDatabases("requests for a person", (createDatabase) => {
  let database: TestDatabase;
  let upstream: Upstream;
  let server: TestServer;
  let owner: Browser;
  let organizationId: string;

  beforeAll(async () => {
    database = await createDatabase();
    upstream = await startUpstream();
    const env = { OPENAI_COMPATIBLE_BASE_URL: upstream.url, FOYER_DEFAULT_MODEL: "openai-compatible/test" };
    server = await startServer({ database, env });
    const account = await createOwner(server);
    organizationId = account.organizationId;
    owner = await signedInBrowser(server, account.email);
  });
  afterAll(async () => {
    await server.stop();
    await upstream.stop();
    await database.drop();
  });

  const handing = (handoff: object = {}) => createAgent(owner, { handoff: { isEnabled: true, ...handoff } });

  /** Sends a message as the session's visitor and reads the conversation as a member. */
  async function sendMessage(agentId: string, content: string, known?: { id: string; token: string }) {
    const { body } = await server.app.inject({
      method: "POST",
      url: "/chat",
      headers: known ? { authorization: `Bearer ${known.token}` } : {},
      payload: {
        agentId,
        sessionId: `session-${agentId}`,
        conversationId: known?.id,
        messages: [{ role: "user", content }],
      },
    });
    const idIn = (name: string) => new RegExp(`"${name}":"([^"]+)"`).exec(body)?.[1] ?? "";
    const key = known ?? { id: idIn("conversationId"), token: idIn("conversationToken") };
    const conversation = (await owner.call("GET", `/conversations/${key.id}`)).body.data;
    return { key, body, conversation, messageId: idIn("messageId") };
  }
  const promptOf = (index: number): Prompt => JSON.parse(upstream.exchanges.at(index)?.body ?? "{}").messages;

  it("are made by the agent with a summary that the visitor never sees, and the reply continues", async () => {
    const agentId = await handing({ promiseMinutes: 10 });
    const input = { reason: "The invoice is wrong", summary: "Ada paid twice for bike 7" };
    // PostgreSQL cannot store NUL in text.
    const called = { ...input, reason: "The invoice\0 is wrong" };
    upstream.script(callThenSay("request_human", called, "Somebody will answer soon."));
    const { body, conversation, key } = await sendMessage(agentId, "Let me talk to a person");
    expect(body).toContain('"executionType":"handoff"');
    expect(body).toContain("Somebody will answer soon.");
    expect(body).not.toContain("paid twice");
    expect(conversation).toMatchObject({
      handler: "waiting",
      handoff: { cause: "agent", reason: input.reason, summary: input.summary, promisedAt: expect.any(String) },
    });
    const { body: seen } = await server.app.inject({
      url: `/conversations/${key.id}`,
      headers: { authorization: `Bearer ${key.token}` },
    });
    expect([seen.includes("The invoice is wrong"), seen.includes("paid twice")]).toEqual([true, false]);
    expect(promptOf(-1).at(-1)?.content).toContain("usually answers within 10 minutes");

    upstream.script(sayWords("Meanwhile …"));
    await sendMessage(agentId, "Are you still there?", key);
    expect(JSON.parse(upstream.exchanges[0]?.body ?? "").tools).toBeUndefined();
    expect(JSON.stringify(promptOf(0))).toContain("waits for a person of the team");
  });

  const teamOf = async (name: string, description: string | null): Promise<string> =>
    (await owner.call("POST", "/teams", { name, description })).body.data.id;

  it("go to the team that the agent chooses among those with a description", async () => {
    const billing = await teamOf("Billing", "Invoices and refunds");
    await teamOf("Night shift", null);
    const agentId = await handing();
    upstream.script(callThenSay("request_human", { reason: "r", summary: "s", team: "billing" }, "Bye."));
    const { conversation } = await sendMessage(agentId, "My invoice is wrong");
    expect(conversation.team).toMatchObject({ id: billing });
    const [{ function: offered }] = JSON.parse(upstream.exchanges[0]?.body ?? "").tools;
    expect(offered.parameters.properties.team.enum).toEqual(["Billing"]);
  });

  it("go to the agent's own team when the agent names one that does not exist", async () => {
    const support = await teamOf("Support", "Everything else");
    const agentId = await handing({ teamId: support });
    upstream.script(callThenSay("request_human", { reason: "r", summary: "s", team: "Legal" }, "Bye."));
    const { conversation } = await sendMessage(agentId, "I will sue you");
    expect(conversation.team).toMatchObject({ id: support });
  });

  it("silence an agent that is configured not to reply while the visitor waits", async () => {
    const agentId = await handing({ whileWaiting: "silent" });
    upstream.script(callThenSay("request_human", { reason: "r", summary: "s" }, "Bye."));
    const { key } = await sendMessage(agentId, "A person, please");
    const { body, conversation } = await sendMessage(agentId, "Hello?", key);
    expect(body).toContain('"stopReason":"handed_over"');
    expect(conversation.messages.at(-1)).toMatchObject({ role: "user", content: "Hello?" });
  });

  it("lead to a prompt that marks the member's messages, and to a note after the return", async () => {
    const agentId = await handing();
    upstream.script(sayWords("Hello."));
    const { key } = await sendMessage(agentId, "Hello?");
    await owner.call("POST", `/conversations/${key.id}/messages`, { content: "I refund you." });
    await sendMessage(agentId, "Thanks", key);
    await owner.call("POST", `/conversations/${key.id}/return`, { note: 'Refund "sent" [today]' });
    upstream.script(sayWords("You are welcome."));
    await sendMessage(agentId, "Bye", key);
    const told = promptOf(0).map(({ role, content }) => [role, JSON.stringify(content)]);
    expect(told.map(([role]) => role)).toEqual(["user", "assistant", "user"]);
    expect(told[1]?.[1]).toMatch(/Hello\..*a member of the team\]: I refund you\./);
    expect(told[2]?.[1]).toMatch(/Thanks.*The part of the team is over.*Refund.*sent.*u005btoday.*Bye/);
  });

  it("tell the model that the member has left, and still whose messages and note are in the conversation", async () => {
    const agentId = await handing();
    upstream.script(sayWords("Hello."));
    const { key } = await sendMessage(agentId, "Hello?");
    const visitor = (method: "POST" | "DELETE") =>
      server.app.inject({
        method,
        url: `/conversations/${key.id}/handoff`,
        headers: { authorization: `Bearer ${key.token}` },
        ...(method === "POST" ? { payload: {} } : {}),
      });
    await owner.call("POST", `/conversations/${key.id}/takeover`);
    await owner.call("POST", `/conversations/${key.id}/return`, { note: "Ada is a VIP" });
    const leaver = await createMember(server, organizationId, "member");
    const member = await signedInBrowser(server, leaver.email);
    await member.call("POST", `/conversations/${key.id}/messages`, { content: "I refund you." });
    await owner.call("DELETE", `/members/${leaver.userId}`);
    // The worker of the notices does this within seconds.
    const { release } = createConversationLog(server.deps, []);
    await inTransaction(server.deps.db, (trx) => release(trx, { organizationId, conversationId: key.id }));
    const told = async (content: string) => {
      upstream.script(sayWords("One moment."));
      await sendMessage(agentId, content, key);
      return JSON.stringify(promptOf(0));
    };
    const waiting = await told("And now?");
    expect(waiting).toMatch(/Ada is a VIP.*this conversation can no longer answer\. The visitor waits for a person/);
    expect(waiting).toContain("were not written by you");
    await visitor("DELETE");
    const cancelled = await told("Never mind.");
    expect(cancelled).toMatch(/Ada is a VIP.*no longer waits for a person\. You answer again\..*not written by you/);
  });

  it("are caused by bad ratings, but not by those before an earlier request", async () => {
    const agentId = await handing({ badRatings: 2 });
    upstream.script(sayWords("No."));
    const first = await sendMessage(agentId, "One?");
    const second = await sendMessage(agentId, "Two?", first.key);
    const rate = (messageId: string, rating = "down") =>
      owner.call("POST", `/conversations/${first.key.id}/feedback`, { messageId, rating });
    const handler = async () => (await owner.call("GET", `/conversations/${first.key.id}`)).body.data.handler;
    await rate(first.messageId);
    expect(await handler()).toBe("agent");
    await rate(second.messageId);
    expect(await handler()).toBe("waiting");
    await owner.call("POST", `/conversations/${first.key.id}/close`);
    await rate(first.messageId, "up");
    await rate(first.messageId);
    expect(await handler()).toBe("agent");
  });

  it("are caused by failed tools, in the transaction that stores the reply", async () => {
    const agentId = await handing({ failedTools: 1 });
    const schema = { type: "object", properties: { bike: { type: "string" } }, required: ["bike"] };
    await createTool(owner, { agentId, name: "stock", executionType: "mock", inputSchema: schema } as never);
    upstream.script(callThenSay("stock", {}, "I could not find out."));
    const { conversation } = await sendMessage(agentId, "Any bikes?");
    expect(conversation).toMatchObject({ handler: "waiting", handoff: { cause: "failed_tools" } });
  });

  it("are caused by a custom event of the page, in the newest conversation of its session", async () => {
    const agentId = await handing({ events: ["checkout_failed"] });
    const trigger = { name: "Checkout", triggerType: "custom_event", actionType: "open_chat", actionConfig: {} };
    const created = await owner.call("POST", `/triggers?agentId=${agentId}`, {
      ...trigger,
      conditions: { event: "checkout_failed" },
    });
    expect(created.status, created.text).toBe(201);
    upstream.script(sayWords("Hello."));
    const { key } = await sendMessage(agentId, "Hello?");
    const fired = await server.app.inject({
      method: "POST",
      url: "/triggers/event",
      payload: {
        agentId,
        triggerName: "Checkout",
        triggerType: "custom_event",
        actionType: "open_chat",
        eventType: "fired",
        sessionId: `session-${agentId}`,
      },
    });
    expect(fired.statusCode).toBe(200);
    const { data } = (await owner.call("GET", `/conversations/${key.id}`)).body;
    expect(data).toMatchObject({ handler: "waiting", handoff: { cause: "custom_event" } });
  });

  it("can be answered with a draft by the agent, which is not stored but whose tokens are counted", async () => {
    const agentId = await handing();
    upstream.script(sayWords("Hello."));
    const { key } = await sendMessage(agentId, "Where is my bike?");
    await owner.call("POST", `/conversations/${key.id}/takeover`);
    const usage = () =>
      server.deps.db.selectFrom("agentMonths").select("tokens").where("agentId", "=", agentId).executeTakeFirst();
    const before = Number((await usage())?.tokens ?? 0);
    upstream.script(sayWords("Your bike ", "is on its way."));
    const draft = await owner.call("POST", `/conversations/${key.id}/draft`);
    expect([draft.status, draft.body.data]).toEqual([200, { text: "Your bike is on its way." }]);
    expect(Number((await usage())?.tokens)).toBeGreaterThan(before);
    const { data } = (await owner.call("GET", `/conversations/${key.id}`)).body;
    expect(data.messages).toHaveLength(2);
    const stranger = await signedInBrowser(server, (await createOwner(server)).email);
    expect((await stranger.call("POST", `/conversations/${key.id}/draft`)).status).toBe(404);
  });
});
