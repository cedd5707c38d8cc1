import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { openChat } from "../../../../../test/chat-client.ts";
import { onBothDatabases, type TestDatabase } from "../../../../../test/databases.ts";
import { createAgent, createTool } from "../../../../../test/factories.ts";
import { startServer, type TestServer } from "../../../../../test/server.ts";
import { tinyPictures } from "../../../../../test/tiny-pictures.ts";
import { callThenSay, type Exchange, sayWords, startUpstream, type Upstream } from "../../../../../test/upstream.ts";
import { newId } from "../../ids.ts";

const modelPath = `/models/prices/${encodeURIComponent("openai-compatible/test")}`;
const price = { input: 1_000, cachedInput: null, output: 1_000, currency: "USD" };

onBothDatabases("replays", (createDatabase) => {
  let database: TestDatabase;
  let server: TestServer;
  let model: Upstream;
  let shop: Upstream;
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
    shop = await startUpstream(({ response }) => response.end('{"total":50}'));
    server = await startServer({ database, listen: true, env: env() });
  });
  beforeEach(async () => {
    owner = await server.createAccount();
    await owner.call("PUT", modelPath, price);
    model.script(sayWords("It costs 50 euros."));
    agentId = await createAgent(owner, { systemPrompt: "Sell bikes.", handoff: { isEnabled: true } });
    const inputSchema = { type: "object", properties: { days: { type: "integer" } } };
    const tool = { agentId, name: "price", executionType: "http" as const, httpMethod: "POST", inputSchema };
    await createTool(owner, { ...tool, httpUrl: `${shop.url}/price` });
  });
  afterAll(async () => {
    await server.stop();
    await model.stop();
    await shop.stop();
    await database.drop();
  });

  const path = (rest = "") => `/agents/${agentId}/replays${rest}`;
  /** Sends one message. @returns the events of the reply */
  async function chatWith(more: object, content: string, headers: Record<string, string> = {}) {
    const stream = await openChat(server.url, { agentId, messages: [{ role: "user", content }], ...more }, headers);
    expect(stream.response.status).toBe(200);
    await stream.ended;
    return stream.events;
  }
  /** What the model received since this exchange. */
  const promptsFrom = (index: number) =>
    model.exchanges.slice(index).map(({ body }) => JSON.stringify(JSON.parse(body).messages));
  async function chat(...contents: string[]): Promise<string> {
    let started: { conversationId?: string; conversationToken?: string } = {};
    for (const content of contents) {
      const { conversationId, conversationToken } = started;
      const body = { agentId, messages: [{ role: "user", content }], conversationId, conversationToken };
      const stream = await openChat(server.url, body);
      await stream.ended;
      const [first] = stream.events as unknown as [typeof started];
      started = { ...started, ...first };
    }
    return started.conversationId ?? "";
  }
  const start = async (body: object = {}) => {
    const from = (await owner.call("GET", `/agents/${agentId}`)).body.data.liveVersion;
    return owner.call("POST", path(), { from, to: "draft", sample: { n: 10 }, maxCost: 100, ...body });
  };
  const read = async (id: string) => (await owner.call("GET", path(`/${id}`))).body.data;
  async function ended(id: string) {
    await expect.poll(async () => (await read(id)).status, { timeout: 20_000, interval: 20 }).not.toBe("running");
    return read(id);
  }
  async function replay(body: object = {}) {
    const started = await start(body);
    expect(started.status, JSON.stringify(started.body)).toBe(202);
    return ended(started.body.data.id);
  }

  it("suggests a limit within which the replay finishes", async () => {
    await chat("What does it cost?", "And for two days?");
    const from = (await owner.call("GET", `/agents/${agentId}`)).body.data.liveVersion;
    const body = { from, to: "draft", sample: { n: 10 }, maxCost: null };
    const { suggestedMaxCost } = (await owner.call("POST", `${path()}?dryRun=true`, body)).body.data;
    expect(await replay({ maxCost: suggestedMaxCost })).toMatchObject({
      status: "finished",
      summary: { identical: 2 },
    });
  });

  it("estimates the price without storing anything", async () => {
    await chat("What does it cost?");
    const from = (await owner.call("GET", `/agents/${agentId}`)).body.data.liveVersion;
    const body = { from, to: "draft", sample: { n: 10 }, maxCost: 100 };
    const { status, body: answer } = await owner.call("POST", `${path()}?dryRun=true`, body);
    expect([status, answer.data]).toMatchObject([
      200,
      { id: null, status: null, estimate: { turns: 1, currency: "USD", cost: expect.any(Number) } },
    ]);
    expect(answer.data.estimate.cost).toBeGreaterThan(0);
    expect((await owner.call("GET", path())).body.pagination.total).toBe(0);
  });

  const upload = async (name: string, payload: Buffer) => {
    const headers = { "content-type": "application/octet-stream", "x-filename": name };
    const url = `/chat/attachments?agentId=${agentId}&sessionId=s1`;
    return (await server.app.inject({ method: "POST", url, headers, payload })).json().data.id;
  };

  it("reserves the most that a picture can cost with a model that has not counted it", async () => {
    await owner.call("PUT", modelPath.replace("test", "other"), price);
    await owner.call("PATCH", `/agents/${agentId}`, { attachments: { images: true }, publishing: "manual" });
    await owner.call("POST", `/agents/${agentId}/publish`);
    const picture = await upload("bike.png", tinyPictures["image/png"]);
    await chatWith({ attachments: [picture], sessionId: "s1" }, "What is it?");
    const recorded = model.exchanges.length;
    await owner.call("PATCH", `/agents/${agentId}`, { model: "openai-compatible/other" });
    expect(await replay({ maxCost: 20 })).toMatchObject({ status: "stopped" });
    expect(model.exchanges.length - recorded).toBe(1);
    expect(await replay({ maxCost: 60 })).toMatchObject({ status: "finished" });
  });

  it("sends both versions the recorded pictures and files, as the chat sent them", async () => {
    await owner.call("PATCH", `/agents/${agentId}`, { attachments: { images: true, files: true } });
    const picture = await upload("bike.png", tinyPictures["image/png"]);
    const file = await upload("invoice.txt", Buffer.from("The repair cost 180 euros."));
    const recordedFrom = model.exchanges.length;
    const [first] = await chatWith({ attachments: [picture], sessionId: "s1" }, "What is it?");
    const { conversationId, conversationToken } = first as { conversationId: string; conversationToken: string };
    const headers = { authorization: `Bearer ${conversationToken}` };
    await chatWith({ conversationId, attachments: [file], sessionId: "s1" }, "And this?", headers);
    await chatWith({ conversationId }, "Thank you.", headers);
    const recorded = promptsFrom(recordedFrom);
    expect(recorded).toHaveLength(3);
    expect(recorded[0]).toContain("data:image/png;base64");
    const replayedFrom = model.exchanges.length;
    expect(await replay()).toMatchObject({ status: "finished", summary: { identical: 3 } });
    expect(promptsFrom(replayedFrom)).toEqual(recorded.flatMap((prompt) => [prompt, prompt]));

    await server.deps.db.deleteFrom("documentFileParts").execute();
    const withoutFiles = model.exchanges.length;
    expect(await replay()).toMatchObject({ status: "finished", summary: { identical: 3 } });
    const [prompt] = promptsFrom(withoutFiles);
    expect(prompt).toContain("[picture: bike.png");
    expect(prompt).not.toContain("base64");
  });

  it("gives a repeated call the recorded result, without calling the tool", async () => {
    model.script(callThenSay("price", { days: 2 }, "It costs 50 euros."));
    const conversationId = await chat("What does it cost?");
    const called = shop.exchanges.length;
    model.script(callThenSay("price", { days: 2 }, "It costs 50 euros."));
    const result = await replay();
    expect(result).toMatchObject({
      status: "finished",
      summary: { identical: 1, equal: 0, diverged: 0, failedChecks: 0, baselineDiverged: 0 },
      turns: [
        {
          conversationId,
          question: "What does it cost?",
          outcome: "identical",
          candidate: { calls: [{ name: "price", arguments: { days: 2 } }] },
        },
      ],
    });
    const { messages } = JSON.parse(model.exchanges.at(-1)?.body ?? "{}");
    expect(messages.at(-1)).toMatchObject({ role: "tool", content: '{"total":50}' });
    expect(shop.exchanges).toHaveLength(called);
    expect(result.cost).toBeGreaterThan(0);
  });

  it.each([
    ["another argument", callThenSay("price", { days: 3 }, "75."), "other_call"],
    ["another tool", callThenSay("request_human", { reason: "r", summary: "s" }, "Wait."), "other_call"],
    ["no call", sayWords("About 50 euros."), "missing_call"],
  ])("reports %s as a divergence, which ends the conversation", async (_, answer, kind) => {
    model.script(callThenSay("price", { days: 2 }, "It costs 50 euros."));
    await chat("What does it cost?", "And again?");
    await owner.call("PATCH", `/agents/${agentId}`, { publishing: "manual" });
    await owner.call("PATCH", `/agents/${agentId}`, { systemPrompt: "Changed." });
    const recorded = callThenSay("price", { days: 2 }, "It costs 50 euros.");
    model.script((exchange) => (exchange.body.includes("Changed.") ? answer : recorded)(exchange));
    const { turns, summary } = await replay();
    expect(turns).toMatchObject([
      { outcome: "diverged", baseline: { divergence: null }, candidate: { divergence: { kind } } },
    ]);
    expect(summary.diverged).toBe(1);
    expect(await server.deps.db.selectFrom("handoffs").select("id").where("agentId", "=", agentId).execute()).toEqual(
      [],
    );
  });

  it("compares a reply with checks of the request", async () => {
    await chat("What does it cost?");
    await owner.call("PATCH", `/agents/${agentId}`, { publishing: "manual" });
    await owner.call("PATCH", `/agents/${agentId}`, { systemPrompt: "Changed." });
    model.script((exchange) =>
      sayWords(exchange.body.includes("Changed.") ? "50 euros at BoatWorld." : "It costs 50 euros.")(exchange),
    );
    const { turns } = await replay({ checks: [{ kind: "never_says", text: "boatworld" }] });
    expect(turns).toMatchObject([{ outcome: "failed_checks", candidate: { failedChecks: [{ check: "never_says" }] } }]);
  });

  it("stops before a call that could exceed the maximum", async () => {
    await chat("What does it cost?");
    await chat("What does it cost for two?");
    const { cost } = await replay();
    const maxCost = cost / 2;
    const stopped = await replay({ maxCost });
    expect(stopped).toMatchObject({ status: "stopped", problem: expect.stringContaining("maxCost") });
    expect(stopped.cost).toBeLessThanOrEqual(maxCost);
  });

  it("refuses a limit for a model without a known price", async () => {
    await chat("What does it cost?");
    await owner.call("DELETE", modelPath);
    const refused = await start();
    expect([refused.status, refused.body.error.details[0].path]).toEqual([400, "maxCost"]);
    expect(await replay({ maxCost: null })).toMatchObject({ status: "finished", estimate: { cost: null } });
  });

  it("leaves out conversations in which members tested the agent, unless they are asked for", async () => {
    const conversationId = await chat("What does it cost?");
    const turnsOf = async (filter: object) => (await start({ sample: { n: 10, filter } })).body.data.estimate.turns;
    expect(await turnsOf({})).toBe(1);
    const { db } = server.deps;
    await db.updateTable("conversations").set({ isTest: 1 }).where("id", "=", conversationId).execute();
    expect(await turnsOf({})).toBe(0);
    expect(await turnsOf({ test: true })).toBe(1);
  });

  it("deletes what it says of a conversation that is erased, and replays it no more", async () => {
    const conversationId = await chat("What does it cost?");
    const { id, turns } = await replay();
    expect(turns).toHaveLength(1);
    await owner.call("POST", "/visitors/erase", { conversationId });
    expect((await read(id)).turns).toEqual([]);
    expect((await start()).body.data.estimate.turns).toBe(0);
  });

  it("lets the model compare differing replies in both orders, and a member decide", async () => {
    await chat("What does it cost?");
    let words = 0;
    const compared = (verdict: (exchange: Exchange) => string) => (exchange: Exchange) => {
      if (exchange.body.includes("Two assistants")) return sayWords(verdict(exchange))(exchange);
      return sayWords(`It costs 50 euros${".".repeat(++words)}`)(exchange);
    };
    model.script(compared(() => "A"));
    expect((await replay({ compare: true })).turns).toMatchObject([{ modelVerdict: "tie" }]);
    let asked = 0;
    model.script(compared(() => (++asked % 2 === 1 ? "B" : "A")));
    const { id, turns } = await replay({ compare: true });
    expect(turns).toMatchObject([{ outcome: "equal", modelVerdict: "candidate", verdict: null }]);
    const url = path(`/${id}/turns/${turns[0].messageId}/verdict`);
    expect((await owner.call("PUT", url, { verdict: "baseline" })).body.data).toMatchObject({ verdict: "baseline" });
    expect(await read(id)).toMatchObject({
      turns: [{ verdict: "baseline" }],
      verdicts: { baseline: 1, candidate: 0, tie: 0 },
      modelVerdicts: { baseline: 0, candidate: 1, tie: 0 },
    });
  });

  it("stores no conversation, counts no reply, and uses the organization's budget alone", async () => {
    await chat("What does it cost?");
    const months = () => server.deps.db.selectFrom("agentMonths").selectAll().where("agentId", "=", agentId).execute();
    const used = async () =>
      Number(
        (
          await server.deps.db
            .selectFrom("organizationMonths")
            .select("tokens")
            .where("organizationId", "=", owner.organizationId)
            .executeTakeFirst()
        )?.tokens,
      );
    const [before, tokens] = [await months(), await used()];
    await replay();
    expect((await owner.call("GET", `/conversations?agentId=${agentId}`)).body.pagination.total).toBe(1);
    expect(await months()).toEqual(before);
    expect(await used()).toBeGreaterThan(tokens);
  });

  it("refuses a version that the agent does not have", async () => {
    const { status, body } = await start({ to: 99 });
    expect([status, body.error.details[0].path]).toEqual([400, "to"]);
  });

  it("shows another organization no replay", async () => {
    await chat("What does it cost?");
    const { id } = await replay();
    const stranger = await server.createAccount();
    const calls = [
      await stranger.call("GET", path()),
      await stranger.call("GET", path(`/${id}`)),
      await stranger.call("DELETE", path(`/${id}`)),
      await stranger.call("POST", path(), { from: 1, to: "draft", sample: { n: 1 }, maxCost: null }),
      await stranger.call("PUT", path(`/${id}/turns/${newId("msg")}/verdict`), { verdict: "tie" }),
    ];
    expect(calls.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
  });

  it("continues in another process when the first one stops", async () => {
    await chat("What does it cost?");
    const waiting = Promise.withResolvers<void>();
    model.script(() => waiting.resolve());
    const first = await startServer({ database, listen: true, env: env() });
    await server.drain();
    try {
      const from = (await owner.call("GET", `/agents/${agentId}`)).body.data.liveVersion;
      const body = { from, to: "draft", sample: { n: 10 }, maxCost: 100 };
      const payload = { method: "POST", url: path(), headers: owner.headers, payload: body } as const;
      const { data } = (await first.app.inject(payload)).json();
      await waiting.promise;
      await first.stop();
      model.script(sayWords("It costs 50 euros."));
      server = await restart();
      expect(await ended(data.id)).toMatchObject({ status: "finished", summary: { identical: 1 } });
    } finally {
      model.script(sayWords("It costs 50 euros."));
    }
  });

  /** Replaces the server of all tests, whose workers have stopped. */
  async function restart(): Promise<TestServer> {
    const next = await startServer({ database, listen: true, env: env() });
    await server.stop();
    const { headers } = owner;
    owner = {
      ...owner,
      async call(method, url, body) {
        const response = await next.app.inject({ method, url, headers, ...(body ? { payload: body } : {}) });
        return { status: response.statusCode, body: response.json() };
      },
    };
    return next;
  }
});
