import { afterAll, beforeAll, expect, it } from "vitest";
import { openChat } from "../../../../test/chat-client.ts";
import { onBothDatabases, type TestDatabase } from "../../../../test/databases.ts";
import { createAgent } from "../../../../test/factories.ts";
import { startServer, type TestServer } from "../../../../test/server.ts";
import { chunk, eventStream, startUpstream, type Upstream } from "../../../../test/upstream.ts";
import { createConversationToken } from "../auth/conversation-token.ts";

/** A reply of each of these models has 100 tokens of input and 20 of output. */
const priced = "openai-compatible/priced";
const unpriced = "openai-compatible/unpriced";

onBothDatabases("the cost of conversations", (createDatabase) => {
  let database: TestDatabase;
  let provider: Upstream;
  let server: TestServer;
  let owner: Awaited<ReturnType<TestServer["createAccount"]>>;
  beforeAll(async () => {
    database = await createDatabase();
    provider = await startUpstream((exchange) => {
      const { send, end } = eventStream(exchange);
      send(chunk({ content: "Yes." }));
      send({ ...chunk({}, "stop"), usage: { prompt_tokens: 100, completion_tokens: 20 } });
      send("[DONE]");
      end();
    });
    const env = { OPENAI_COMPATIBLE_BASE_URL: `${provider.url}/v1`, FOYER_OUTBOUND_ALLOW: "127.0.0.1" };
    server = await startServer({ database, env, listen: true });
    owner = await server.createAccount();
    await owner.call("PUT", `/models/prices/${encodeURIComponent(priced)}`, { input: 10, output: 50 });
  });
  afterAll(async () => {
    await server.stop();
    await provider.stop();
    await database.drop();
  });

  const tokenOf = (id: string) => createConversationToken(server.deps.encryption, id);

  /** Says something in a new conversation, or in this one. @returns the id of the conversation */
  async function say(agentId: string, conversationId?: string, more: object = {}): Promise<string> {
    const headers = conversationId ? { authorization: `Bearer ${tokenOf(conversationId)}` } : {};
    const body = { agentId, messages: [{ role: "user", content: "Hello?" }], ...more };
    const stream = await openChat(server.url, conversationId ? { ...body, conversationId } : body, headers);
    await stream.ended;
    const start = stream.events[0];
    if (start?.type !== "message_start") throw new Error("The reply has not started");
    return start.conversationId;
  }
  const read = async (id: string) => (await owner.call("GET", `/conversations/${id}`)).body.data;

  /** A conversation of two replies at a known price, and one at an unknown price. */
  async function converse() {
    const agentId = await createAgent(owner, { model: priced });
    const id = await say(agentId);
    await say(agentId, id);
    await owner.call("PATCH", `/agents/${agentId}`, { model: unpriced });
    await say(agentId, id);
    return { agentId, id };
  }
  // 100 tokens at 10 and 20 at 50, per million, twice.
  const sum = { cost: expect.closeTo(0.004, 10), unknownCostReplies: 1 };

  it("is the sum of the known costs, and says how many replies it leaves out", async () => {
    const { agentId, id } = await converse();
    expect(await read(id)).toMatchObject(sum);
    const { body } = await owner.call("GET", `/conversations?agentId=${agentId}`);
    expect(body.data).toMatchObject([{ id, ...sum }]);
    const byActivity = await owner.call("GET", `/conversations?agentId=${agentId}&sort=activity`);
    expect(byActivity.body.data).toMatchObject([{ id, ...sum }]);
    const found = await owner.call("GET", `/conversations?agentId=${agentId}&q=hello`);
    expect(found.body.data).toMatchObject([{ id, ...sum }]);
  });

  it("is not shown to visitors", async () => {
    const { id } = await converse();
    const response = await server.app.inject({
      method: "GET",
      url: `/conversations/${id}`,
      headers: { authorization: `Bearer ${tokenOf(id)}` },
    });
    expect(response.json().data.id).toBe(id);
    expect(response.body).not.toMatch(/cost/i);
  });

  it("includes a reply that was replaced by another one", async () => {
    const agentId = await createAgent(owner, { model: priced });
    const id = await say(agentId);
    await say(agentId, id, { regenerate: true });
    const conversation = await read(id);
    expect(conversation.messages.length).toBe(2);
    expect(conversation).toMatchObject({ cost: expect.closeTo(0.004, 10), unknownCostReplies: 0 });
  });

  it("is in analytics by day, agent and model, each with the replies that it leaves out", async () => {
    const { agentId } = await converse();
    const { body } = await owner.call("GET", `/conversations/analytics?agentId=${agentId}`);
    expect(body.data).toMatchObject({
      totals: sum,
      days: [sum],
      agents: [sum],
      models: [
        { model: priced, cost: expect.closeTo(0.004, 10), unknownCostReplies: 0 },
        { model: unpriced, cost: 0, unknownCostReplies: 1 },
      ],
    });
  });

  it("is known for a reply that called no model", async () => {
    const agentId = await createAgent(owner, { model: unpriced, monthlyTokenBudget: 1 });
    const id = await say(agentId);
    await say(agentId, id);
    expect(await read(id)).toMatchObject({ messageCount: 4, cost: 0, unknownCostReplies: 1 });
  });
});
