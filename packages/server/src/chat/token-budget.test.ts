import { createHmac } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { joinText, openChat, openStream } from "../../../../test/chat-client.ts";
import { onBothDatabases, type TestDatabase } from "../../../../test/databases.ts";
import { createAgent } from "../../../../test/factories.ts";
import { startServer, type TestServer } from "../../../../test/server.ts";
import { chunk, type Exchange, eventStream, startUpstream, type Upstream } from "../../../../test/upstream.ts";
import { deleteVisitorDaysBefore } from "../plans/retention.ts";

const DEFAULT_MESSAGE = "I cannot answer any more questions right now. Please try again later.";
const PER_DAY = 1_000;

/** Answers with one word and reports this token usage. With null, it reports none. */
const costing = (tokens: number | null) => (exchange: Exchange) => {
  const { send, end } = eventStream(exchange);
  send(chunk({ content: "Yes." }));
  send(chunk({}, "stop"));
  if (tokens !== null) send({ choices: [], usage: { prompt_tokens: tokens - 2, completion_tokens: 2 } });
  send("[DONE]");
  end();
};

onBothDatabases("token budgets", (createDatabase) => {
  let database: TestDatabase;
  let upstream: Upstream;
  let server: TestServer;
  let other: TestServer;
  let owner: Awaited<ReturnType<TestServer["createAccount"]>>;

  let env: Record<string, string>;

  beforeAll(async () => {
    database = await createDatabase();
    upstream = await startUpstream();
    env = {
      BASE_URL: "https://chat.example.com",
      OPENAI_COMPATIBLE_BASE_URL: `${upstream.url}/v1`,
      FOYER_DEFAULT_MODEL: "openai-compatible/test",
      FOYER_OUTBOUND_ALLOW: "127.0.0.1",
      FOYER_LIMIT_VISITOR_TOKENS_PER_DAY: String(PER_DAY),
      FOYER_LIMIT_ADDRESS_TOKENS_PER_DAY: "0",
      FOYER_LIMIT_CHAT_PER_SESSION: "0",
      FOYER_LIMIT_CHAT_PER_IP: "0",
      FOYER_LIMIT_RUNNING_PER_IP: "0",
    };
    server = await startServer({ database, env, listen: true });
    other = await startServer({ database, env, listen: true });
    owner = await server.createAccount();
  });
  beforeEach(() => upstream.script(costing(100)));
  afterAll(async () => {
    await server.stop();
    await other.stop();
    await upstream.stop();
    await database.drop();
  });

  const tokensOf = async (agentId: string) => {
    const rows = await server.deps.db.selectFrom("agentMonths").selectAll().where("agentId", "=", agentId).execute();
    expect(rows.length).toBeLessThan(2);
    return rows[0]?.tokens ?? 0;
  };

  let visitors = 0;
  /** Says hello and reads the reply to its end. Each call is a new visitor, unless `more` names one. */
  async function say(agentId: string, more: object = {}, at = server) {
    const messages = [{ role: "user", content: "Hello" }];
    const stream = await openChat(at.url, { agentId, messages, sessionId: `s${visitors++}`, ...more });
    await stream.ended;
    const stop = stream.events.at(-1);
    if (stop?.type !== "message_stop")
      throw new Error(`no end: ${stream.response.status} ${JSON.stringify(stream.events)}`);
    const start = stream.events[0];
    if (start?.type !== "message_start") throw new Error("no start");
    return { text: joinText(stream.events), stop, start, events: stream.events };
  }

  describe("per month", () => {
    it("respond with the agent's message without calling the model when they are used up", async () => {
      const agentId = await createAgent(owner, {
        monthlyTokenBudget: 250,
        budgetMessage: "Ask us at desk@example.com.",
      });
      for (let reply = 0; reply < 3; reply++) expect((await say(agentId)).text).toBe("Yes.");
      expect([await tokensOf(agentId), upstream.exchanges.length]).toEqual([300, 3]);

      const refused = await say(agentId);
      expect(refused.events.map(({ type }) => type)).toEqual([
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_stop",
      ]);
      expect(refused.text).toBe("Ask us at desk@example.com.");
      expect(refused.stop).toMatchObject({ stopReason: "end_turn", usage: { inputTokens: 0, outputTokens: 0 } });
      expect([await tokensOf(agentId), upstream.exchanges.length]).toEqual([300, 3]);

      const { conversationId } = refused.start;
      const { body } = await owner.call("GET", `/conversations/${conversationId}`);
      expect(body.data.messages).toMatchObject([
        { role: "user", content: "Hello" },
        { role: "assistant", content: "Ask us at desk@example.com.", stopReason: "end_turn" },
      ]);
      expect((await say(agentId, {}, other)).text).toBe("Ask us at desk@example.com.");
      const resumed = await openStream(`${server.url}/chat/${conversationId}/stream`, { headers: owner.headers });
      await resumed.ended;
      expect(joinText(resumed.events)).toBe("Ask us at desk@example.com.");
    });

    it("are used up by exactly their number of tokens, and not one token earlier", async () => {
      const spent = await createAgent(owner, { monthlyTokenBudget: 100 });
      const open = await createAgent(owner, { monthlyTokenBudget: 101 });
      for (const agentId of [spent, open]) await say(agentId);
      expect([(await say(spent)).text, (await say(open)).text]).toEqual([DEFAULT_MESSAGE, "Yes."]);
    });

    it("of 0 never call the model, and without a budget there is no limit", async () => {
      const never = await createAgent(owner, { monthlyTokenBudget: 0, budgetMessage: "   " });
      expect((await say(never)).text).toBe(DEFAULT_MESSAGE);
      expect(upstream.exchanges).toHaveLength(0);
      const always = await createAgent(owner);
      upstream.script(costing(PER_DAY * 100));
      for (let reply = 0; reply < 3; reply++) expect((await say(always)).text).toBe("Yes.");
    });

    it("include usage from before they were set, start again next month, and can be raised", async () => {
      const agentId = await createAgent(owner);
      await say(agentId);
      await owner.call("PATCH", `/agents/${agentId}`, { monthlyTokenBudget: 50 });
      expect((await say(agentId)).text).toBe(DEFAULT_MESSAGE);
      await owner.call("PATCH", `/agents/${agentId}`, { monthlyTokenBudget: 150 });
      expect((await say(agentId)).text).toBe("Yes.");
      expect((await say(agentId)).text).toBe(DEFAULT_MESSAGE);
      const lastMonth = { month: "2001-01" };
      await server.deps.db.updateTable("agentMonths").set(lastMonth).where("agentId", "=", agentId).execute();
      expect((await say(agentId)).text).toBe("Yes.");
    });

    it("count every reply exactly when many end concurrently in two processes", async () => {
      const [one, two] = [await createAgent(owner), await createAgent(owner)];
      const replies = Array.from({ length: 30 }, (_, index) =>
        say(index % 3 === 0 ? one : two, { sessionId: `at-once-${index % 5}` }, index % 2 === 0 ? server : other),
      );
      const ended = await Promise.all(replies);
      expect(ended.map(({ text, stop }) => [text, stop.stopReason])).toEqual(ended.map(() => ["Yes.", "end_turn"]));
      const asked = upstream.exchanges.length;
      expect((await tokensOf(one)) + (await tokensOf(two))).toBe(asked * 100);
      const days = server.deps.db.selectFrom("visitorDays").select("tokens").where("agentId", "in", [one, two]);
      expect((await days.execute()).reduce((sum, { tokens }) => sum + tokens, 0)).toBe(asked * 100);
    });

    it("estimate usage that a provider does not report from the text sent and received", async () => {
      const agentId = await createAgent(owner, { systemPrompt: "x".repeat(4_000) });
      upstream.script(costing(null));
      await say(agentId);
      const tokens = await tokensOf(agentId);
      expect(tokens).toBeGreaterThan(1_000);
      expect(tokens).toBeLessThan(1_100);
    });

    it("ignore impossible usage from a provider, while the reply is stored", async () => {
      for (const promptTokens of [1.5, -5, 3_000_000_000, 1e20]) {
        const agentId = await createAgent(owner);
        upstream.script((exchange) => {
          const { send, end } = eventStream(exchange);
          send(chunk({ content: "Yes." }));
          send(chunk({}, "stop"));
          send({ choices: [], usage: { prompt_tokens: promptTokens, completion_tokens: 2 } });
          send("[DONE]");
          end();
        });
        const { stop, start } = await say(agentId);
        expect(stop.stopReason).toBe("end_turn");
        const { inputTokens = -1 } = stop.usage ?? {};
        expect(Number.isInteger(inputTokens) && inputTokens >= 0 && inputTokens < 2 ** 31).toBe(true);
        const { body } = await owner.call("GET", `/conversations/${start.conversationId}`);
        expect(body.data.messages[1]).toMatchObject({ content: "Yes.", stopReason: "end_turn" });
        expect(await tokensOf(agentId)).toBeGreaterThan(0);
      }
    });

    it("count a reply that its visitor left, and none that the model never started", async () => {
      const agentId = await createAgent(owner, { systemPrompt: "x".repeat(4_000) });
      upstream.script((exchange) => void eventStream(exchange).send(chunk({ content: "y".repeat(400) })));
      const stream = await openChat(server.url, { agentId, messages: [{ role: "user", content: "Hello" }] });
      await stream.until("content_block_delta");
      stream.leave();
      await vi.waitFor(async () => expect(await tokensOf(agentId)).toBeGreaterThan(1_100), 30_000);
      expect(await tokensOf(agentId)).toBeLessThan(1_250);

      // The tokens of a prompt count as soon as it is sent.
      const early = await createAgent(owner, { systemPrompt: "x".repeat(4_000) });
      upstream.script(() => {});
      const asked = upstream.next();
      const silent = await openChat(server.url, { agentId: early, messages: [{ role: "user", content: "Hello" }] });
      await asked;
      silent.leave();
      await vi.waitFor(async () => expect(await tokensOf(early)).toBeGreaterThan(1_000), 30_000);

      const unlucky = await createAgent(owner);
      upstream.script(({ response }) => response.writeHead(400).end("{}"));
      expect((await say(unlucky)).stop.stopReason).toBe("error");
      expect(await tokensOf(unlucky)).toBe(0);
    });

    it("are deleted with the agent, even while it replies", async () => {
      const agentId = await createAgent(owner);
      await say(agentId);
      let finish = () => {};
      upstream.script((exchange) => {
        const { send } = eventStream(exchange);
        send(chunk({ content: "Well" }));
        finish = () => costing(100)({ ...exchange, response: Object.assign(exchange.response, { writeHead() {} }) });
      });
      const running = await openChat(server.url, { agentId, messages: [{ role: "user", content: "Hello" }] });
      await running.until("content_block_delta");
      expect((await owner.call("DELETE", `/agents/${agentId}`)).status).toBe(200);
      finish();
      await running.ended;
      expect(running.events.at(-1)?.type).toBe("message_stop");
      for (const table of ["agentMonths", "visitorDays"] as const) {
        const rows = await server.deps.db.selectFrom(table).selectAll().where("agentId", "=", agentId).execute();
        expect(rows).toEqual([]);
      }
    });
  });

  it("of a plan apply to the operator's keys, and not to the organization's own keys", async () => {
    const capped = await startServer({ database, env: { ...env, FOYER_PLAN_TOKENS_FREE: "250" }, listen: true });
    const free = await capped.createAccount("free");
    const agentId = await createAgent(free, { name: "Desk" });
    const answers: string[] = [];
    for (let i = 0; i < 4; i++) answers.push((await say(agentId, {}, capped)).text);
    expect(answers).toEqual(["Yes.", "Yes.", "Yes.", DEFAULT_MESSAGE]);
    const { limits, usage } = (await free.call("GET", "/plan")).body;
    expect([limits.operatorTokensPerMonth, usage.operatorTokensThisMonth]).toEqual([250, 300]);
    const own = { apiKey: "own key", baseUrl: `${upstream.url}/v1` };
    expect((await free.call("PUT", "/models/providers/openai-compatible", own)).status).toBe(200);
    expect((await say(agentId, {}, capped)).text).toBe("Yes.");
    expect((await free.call("GET", "/plan")).body.usage.operatorTokensThisMonth).toBe(300);
    await capped.stop();
  });

  describe("per visitor and day", () => {
    const spend = async (agentId: string, who: object) => {
      upstream.script(costing(PER_DAY));
      expect((await say(agentId, who)).text).toBe("Yes.");
      upstream.script(costing(1));
    };

    it("apply to everyone at an IP address, however many sessions there are", async () => {
      const strict = await startServer({
        database,
        env: { ...env, FOYER_LIMIT_ADDRESS_TOKENS_PER_DAY: "300" },
        listen: true,
      });
      const agentId = await createAgent(owner);
      const answers: string[] = [];
      for (let i = 0; i < 5; i++) answers.push((await say(agentId, {}, strict)).text);
      expect(answers).toEqual(["Yes.", "Yes.", "Yes.", DEFAULT_MESSAGE, DEFAULT_MESSAGE]);
      await strict.stop();
    });

    it("apply to one visitor across conversations, with the agent's message", async () => {
      const agentId = await createAgent(owner, { budgetMessage: "Until tomorrow." });
      const who = { sessionId: "visitor" };
      await spend(agentId, who);
      expect((await say(agentId, who)).text).toBe("Until tomorrow.");
      expect((await say(agentId, who, other)).text).toBe("Until tomorrow.");
      expect((await say(agentId, { sessionId: "another" })).text).toBe("Yes.");
      expect((await say(await createAgent(owner), who)).text).toBe("Yes.");
    });

    it("belong to a verified user, whatever the session", async () => {
      const agentId = await createAgent(owner, { requireIdentity: true });
      const { body } = await owner.call("GET", `/agents/${agentId}/identity-secret`);
      const signed = (userId: string) => ({
        userId,
        userHash: createHmac("sha256", body.data.identitySecret).update(userId).digest("hex"),
      });
      await spend(agentId, { ...signed("ada"), sessionId: "one" });
      expect((await say(agentId, { ...signed("ada"), sessionId: "two" })).text).toBe(DEFAULT_MESSAGE);
      expect((await say(agentId, { ...signed("bob"), sessionId: "one" })).text).toBe("Yes.");
      // A visitor who claims to be Ada without a proof uses the session's budget, not hers.
      expect((await say(agentId, { userId: "ada", sessionId: "one" })).text).toBe("Yes.");
    });

    it("belong to the session rather than an unverified user, and to the IP address without either", async () => {
      const agentId = await createAgent(owner);
      await spend(agentId, { userId: "ada", sessionId: "hers" });
      expect((await say(agentId, { userId: "ada", sessionId: "another" })).text).toBe("Yes.");
      expect((await say(agentId, { userId: "somebody", sessionId: "hers" })).text).toBe(DEFAULT_MESSAGE);
      await spend(agentId, { userId: "server-side", sessionId: null });
      expect((await say(agentId, { userId: "server-side", sessionId: null })).text).toBe(DEFAULT_MESSAGE);
      await spend(agentId, { sessionId: null });
      expect((await say(agentId, { sessionId: null })).text).toBe(DEFAULT_MESSAGE);
    });

    it("start again the next day, and old ones are deleted", async () => {
      const { db } = server.deps;
      const agentId = await createAgent(owner);
      await spend(agentId, { sessionId: "visitor" });
      await db.updateTable("visitorDays").set({ day: "2001-01-31" }).where("agentId", "=", agentId).execute();
      expect((await say(agentId, { sessionId: "visitor" })).text).toBe("Yes.");
      expect(await deleteVisitorDaysBefore(db, "2001-01-31")).toBe(0);
      expect(await deleteVisitorDaysBefore(db, "2001-02-01")).toBe(1);
      const rows = await db.selectFrom("visitorDays").selectAll().where("agentId", "=", agentId).execute();
      expect(rows).toEqual([
        { agentId, visitor: expect.stringMatching(/^[\w-]{43}$/), day: expect.any(String), tokens: expect.any(Number) },
      ]);
    });
  });
});
