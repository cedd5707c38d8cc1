import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openChat } from "../chat-client.ts";
import { createTool } from "../factories.ts";
import { callThenSay, type Exchange, startUpstream, type Upstream } from "../upstream.ts";
import { faultRun } from "./fault-run.ts";
import { call, createFaultSite, type FaultSite, type ServerProcess } from "./fault-site.ts";

const CONVERSATIONS = 4;
/** The dollars that each call of the model costs, as `callThenSay` counts its tokens: 13 at 1,000 dollars a million. */
const MOST_PER_CALL = 0.014;
const price = { input: 1_000, cachedInput: null, output: 1_000, currency: "USD" };
const answer = callThenSay("stock", {}, "Twelve.");

describe.each(faultRun.databases)("a server on %s that is killed", { timeout: faultRun.timeout }, (database) => {
  let site: FaultSite;
  let model: Upstream;
  let shop: Upstream;
  let agentId: string;
  let server: ServerProcess;
  /** called with the number of each call of the model, from 1 */
  let onCall: (n: number) => void;
  let calls: number;

  beforeEach(async () => {
    calls = 0;
    onCall = () => {};
    model = await startUpstream((exchange: Exchange) => {
      onCall(++calls);
      answer(exchange);
    });
    shop = await startUpstream(({ response }) => response.end("12"));
    site = await createFaultSite(database, {
      OPENAI_COMPATIBLE_BASE_URL: model.url,
      FOYER_DEFAULT_MODEL: "openai-compatible/test",
      FOYER_LIMIT_CHAT_PER_IP: "0",
    });
    server = await site.start();
    agentId = (await call<{ data: { id: string } }>(server, "POST", "/agents", { name: "Harbour" })).data.id;
    const create = async (method: string, path: string, body?: object) => {
      return { status: 201, body: await call<Record<string, unknown>>(server, method, path, body) };
    };
    await createTool(
      { call: create },
      { agentId, name: "stock", executionType: "http", httpMethod: "POST", httpUrl: shop.url },
    );
    await call(server, "PUT", `/models/prices/${encodeURIComponent("openai-compatible/test")}`, price);
  });
  afterEach(async () => {
    await site.remove();
    await model.stop();
    await shop.stop();
  });

  async function killAndRestart(): Promise<void> {
    expect((await server.exited).signal).toBe("SIGKILL");
    await site.allGone();
    onCall = () => {};
    server = await site.start();
  }

  describe("in a replay", () => {
    type Found = {
      status: string;
      problem: string | null;
      cost: number;
      summary: { identical: number; equal: number; diverged: number; failedChecks: number };
    };
    const path = (rest = "") => `/agents/${agentId}/replays${rest}`;

    beforeEach(async () => {
      for (let index = 0; index < CONVERSATIONS; index++) {
        const messages = [{ role: "user", content: `How many bikes are there, number ${index}?` }];
        await (await openChat(server.url, { agentId, messages })).ended;
      }
      expect(shop.exchanges).toHaveLength(CONVERSATIONS);
      calls = 0;
    });

    /** Starts a replay with a part of the suggested limit, and kills the server at a call of the model. */
    async function replay({ killAt, part }: { killAt: number; part: number }): Promise<Found & { maxCost: number }> {
      const body = { from: 1, to: "draft", sample: { n: CONVERSATIONS } };
      type Started = { data: { id: string; suggestedMaxCost: number } };
      const { suggestedMaxCost } = (
        await call<Started>(server, "POST", path("?dryRun=true"), { ...body, maxCost: null })
      ).data;
      const maxCost = suggestedMaxCost * part;
      onCall = (n) => {
        if (n === killAt) server.kill("SIGKILL");
      };
      // The server can be killed before it responds.
      const started = call(server, "POST", path(), { ...body, maxCost }).catch(() => {});
      await killAndRestart();
      await started;
      const { id } = await site.db.selectFrom("replays").select("id").executeTakeFirstOrThrow();
      await site.db
        .updateTable("replays")
        .set({ dueAt: 0 })
        .where("id", "=", id)
        .where("dueAt", "is not", null)
        .execute();
      const read = async () => (await call<{ data: Found }>(server, "GET", path(`/${id}`))).data;
      await expect.poll(async () => (await read()).status, { timeout: 60_000 }).not.toBe("running");
      return { ...(await read()), maxCost };
    }

    it.each(faultRun.isLong ? [1, 2, 3, 5, 8, 11, 15] : [5])(
      "at call %i of the model lets the next process finish it within the limit, without calling a tool",
      async (killAt) => {
        // The calls that are lost count with the most that they may have cost, however many there are.
        const { status, problem, summary, cost, maxCost } = await replay({ killAt, part: 100 });
        expect([status, problem]).toEqual(["finished", null]);
        expect(summary.identical).toBe(CONVERSATIONS);
        expect(cost).toBeLessThanOrEqual(maxCost);
        expect(calls * MOST_PER_CALL).toBeLessThanOrEqual(maxCost);
        expect(shop.exchanges).toHaveLength(CONVERSATIONS);
      },
    );

    it("at its first calls of the model counts them towards the limit, at which the next process stops with the reason", async () => {
      const { status, problem, cost, maxCost } = await replay({ killAt: 1, part: 1 });
      expect([status, problem]).toEqual(["stopped", "The replay would cost more than maxCost allows."]);
      expect(cost).toBeGreaterThanOrEqual(MOST_PER_CALL * 0.9);
      expect(cost).toBeLessThanOrEqual(maxCost);
      expect(shop.exchanges).toHaveLength(CONVERSATIONS);
    });
  });

  it("in a run of tests publishes nothing that needs it, and calls no tool", async () => {
    const name = "Stock";
    const checks = [{ kind: "tool_called", tool: "stock" }];
    await call(server, "POST", `/agents/${agentId}/tests`, { name, turns: ["How many?"], checks });
    await call(server, "PATCH", `/agents/${agentId}`, { publishing: "manual", publishRequiresTests: true });
    await call(server, "PATCH", `/agents/${agentId}`, { systemPrompt: "Sell boats." });
    const readAgent = async () => {
      const { data } = await call<{ data: { liveVersion: number } }>(server, "GET", `/agents/${agentId}`);
      return data;
    };
    const { liveVersion } = await readAgent();
    onCall = () => server.kill("SIGKILL");
    await expect(call(server, "POST", `/agents/${agentId}/publish`)).rejects.toThrow(TypeError);
    await killAndRestart();
    expect((await readAgent()).liveVersion).toBe(liveVersion);
    type Ran = { data: { results: Array<{ name: string; passed: boolean }> } };
    const { results } = (
      await call<Ran>(server, "POST", `/agents/${agentId}/tests/run`, { version: "draft", repeat: 2 })
    ).data;
    expect(results).toMatchObject([{ name, passed: true }]);
    await call(server, "POST", `/agents/${agentId}/publish`);
    expect((await readAgent()).liveVersion).toBe(liveVersion + 1);
    expect(shop.exchanges).toEqual([]);
  });
});
