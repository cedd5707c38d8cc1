import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openChat } from "../../../../../test/chat-client.ts";
import { createAgent, createTool } from "../../../../../test/factories.ts";
import {
  type Break,
  breaks,
  createShopModel,
  shopAnswers,
  shopPrompt,
  shopQuestions,
  shopTools,
} from "../../../../../test/scripted-shop.ts";
import { startServer, type TestServer } from "../../../../../test/server.ts";
import { startUpstream, type Upstream } from "../../../../../test/upstream.ts";

const UNCHANGED_RUNS = 20;
/** Each question is asked in this many conversations. */
const VISITORS = 3;

describe("a replay with a noisy model", () => {
  let server: TestServer;
  let model: Upstream;
  let shop: Upstream;
  let owner: Awaited<ReturnType<TestServer["createAccount"]>>;
  let agentId: string;
  const toolIds = new Map<string, string>();

  beforeAll(async () => {
    model = await startUpstream(createShopModel(1));
    shop = await startUpstream(({ request, response }) => {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(shopAnswers[request.url?.split("?")[0]?.slice(1) ?? ""] ?? {}));
    });
    server = await startServer({
      listen: true,
      env: {
        OPENAI_COMPATIBLE_BASE_URL: model.url,
        FOYER_DEFAULT_MODEL: "openai-compatible/test",
        FOYER_LIMIT_CHAT_PER_SESSION: "0",
        FOYER_LIMIT_CHAT_PER_IP: "0",
      },
    });
    owner = await server.createAccount();
    const price = { input: 2, cachedInput: null, output: 8, currency: "USD" };
    await owner.call("PUT", `/models/prices/${encodeURIComponent("openai-compatible/test")}`, price);
    agentId = await createAgent(owner, { systemPrompt: shopPrompt, handoff: { isEnabled: true } });
    for (const [name, inputSchema] of Object.entries(shopTools)) {
      const settings = { agentId, name, executionType: "http" as const, httpMethod: "POST", inputSchema };
      const { id } = await createTool(owner, { ...settings, httpUrl: `${shop.url}/${name}` });
      toolIds.set(name, id);
    }
    await owner.call("PATCH", `/agents/${agentId}`, { publishing: "manual" });
    for (const question of Array.from({ length: VISITORS }, () => shopQuestions).flat()) {
      const messages = [{ role: "user", content: question }];
      await (await openChat(server.url, { agentId, messages })).ended;
    }
  });
  afterAll(async () => {
    await server.stop();
    await model.stop();
    await shop.stop();
  });

  /** @returns the replay of all conversations with the draft, once it has ended */
  async function replay() {
    const from = (await owner.call("GET", `/agents/${agentId}`)).body.data.liveVersion;
    const body = { from, to: "draft", sample: { n: 100 }, maxCost: 5 };
    const started = await owner.call("POST", `/agents/${agentId}/replays`, body);
    expect(started.status, JSON.stringify(started.body)).toBe(202);
    const read = async () =>
      (await owner.call("GET", `/agents/${agentId}/replays/${started.body.data.id}?limit=200`)).body.data;
    await expect.poll(async () => (await read()).status, { timeout: 30_000, interval: 20 }).not.toBe("running");
    const ended = await read();
    expect(ended.status, ended.problem).toBe("finished");
    return ended;
  }

  const countFound = ({ summary }: { summary: { diverged: number; failedChecks: number } }) =>
    summary.diverged + summary.failedChecks;

  it("finds at least 18 of 20 planted regressions, and calls nothing but the model", async () => {
    const recorded = shop.exchanges.length;
    const missed: string[] = [];
    for (const name of Object.keys(breaks) as Break[]) {
      const [, removed] = /^no (price|stock) tool$/.exec(name) ?? [];
      await owner.call("POST", `/agents/${agentId}/discard-draft`);
      await owner.call("PATCH", `/agents/${agentId}`, { systemPrompt: `${shopPrompt} [${name}]` });
      if (removed) await owner.call("DELETE", `/tools/${toolIds.get(removed)}`);
      if (countFound(await replay()) === 0) missed.push(name);
    }
    expect(missed.length, missed.join(", ")).toBeLessThanOrEqual(2);
    expect(shop.exchanges).toHaveLength(recorded);
  }, 300_000);

  it(`reports at most 1 of ${UNCHANGED_RUNS} unchanged agents, and predicts the price within 15 percent`, async () => {
    await owner.call("POST", `/agents/${agentId}/discard-draft`);
    const recorded = shop.exchanges.length;
    const alarms: unknown[] = [];
    const ratios: number[] = [];
    for (let run = 0; run < UNCHANGED_RUNS; run++) {
      const ended = await replay();
      if (countFound(ended) > 0) {
        alarms.push(ended.turns.filter(({ outcome }: { outcome: string }) => /diverged|failed/.test(outcome)));
      }
      ratios.push(ended.cost / ended.estimate.cost);
    }
    expect(alarms.length, JSON.stringify(alarms)).toBeLessThanOrEqual(1);
    expect(shop.exchanges).toHaveLength(recorded);
    for (const ratio of ratios) expect(Math.abs(ratio - 1)).toBeLessThan(0.15);
  }, 300_000);
});
