import { setTimeout as wait } from "node:timers/promises";
import type { ChatEvent } from "@foyer/contract";
import { createPageToolRunner, FoyerError, type Request } from "@foyer/sdk";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type ClientToolCalls, createClientToolCalls } from "../packages/server/src/chat/client-tools/calls.ts";
import { AppError } from "../packages/server/src/errors.ts";
import type { ClientToolAnswer } from "../packages/server/src/tools/run-tool.ts";
import { insertConversation } from "./conversation-seed.ts";
import { createAgent } from "./factories.ts";
import { seededRandom } from "./faults/seeded-random.ts";
import { startServer, type TestServer } from "./server.ts";

/** The long form: `FOYER_CLIENT_TOOL_CALLS=10000 npx vitest run test/closed-tabs.test.ts`. */
const CALLS = Number(process.env.FOYER_CLIENT_TOOL_CALLS ?? 300);
const CONCURRENCY = 100;
/** The maximum lifetime of a tab, in turns. The reply's 30 seconds end at a random turn. */
const TURNS = 40;
/** All waits use the same kind of timer, so the order of events does not depend on the speed of the machine. */
const turn = () => wait(1);

let server: TestServer;
let conversation: { id: string; messageId: string };

beforeAll(async () => {
  server = await startServer();
  const { organizationId, call } = await server.createAccount();
  const agentId = await createAgent({ call }, {});
  const { db } = server.deps;
  const id = await insertConversation(db, { organizationId, agentId }, {}, [{ content: "Hi" }, { content: "" }]);
  const reply = db.selectFrom("messages").select("id").where("conversationId", "=", id).where("role", "=", "assistant");
  conversation = { id, messageId: (await reply.executeTakeFirstOrThrow()).id };
});
afterAll(() => server.stop());

it(`every reply ends and no tool runs twice when tabs are closed at random moments of ${CALLS} calls`, {
  timeout: 120_000 + CALLS * 100,
}, async () => {
  const outcomes = { ran: 0, answered: 0, unanswered: 0 };
  for (let from = 0; from < CALLS; from += CONCURRENCY) {
    const calls = Array.from({ length: Math.min(CONCURRENCY, CALLS - from) }, (_, index) => playCall(from + index));
    for (const { runs, answer } of await Promise.all(calls)) {
      expect(runs).toBeLessThanOrEqual(1);
      // A result is only valid for a call that ran exactly once.
      if ("result" in answer) expect([runs, answer.result]).toEqual([1, "done"]);
      outcomes.ran += runs;
      outcomes["result" in answer ? "answered" : "unanswered"] += 1;
    }
  }
  // Every outcome occurs, so the random moments cover the whole life of a call.
  expect(Math.min(outcomes.answered, outcomes.unanswered, outcomes.ran - outcomes.answered)).toBeGreaterThan(0);
  const rows = server.deps.db.selectFrom("clientToolCalls").select(({ fn }) => fn.countAll().as("open"));
  expect(await rows.where("digest", "is", null).executeTakeFirst()).toEqual({ open: 0 });
  expect(await rows.where("outcome", "is not", null).executeTakeFirst()).toEqual({ open: 0 });
});

type Random = () => number;

/**
 * One call, and two tabs that read its event at random moments and are closed at others. The wait for the result ends
 * at a random moment too.
 */
async function playCall(number: number): Promise<{ runs: number; answer: ClientToolAnswer }> {
  const random = seededRandom((number + 1) * 2_654_435_761);
  const toolUseId = `call_${number}`;
  const some = () => Math.floor(random() * TURNS);
  let giveUp = () => {};
  const calls = createClientToolCalls(server.deps, (run) => {
    giveUp = run;
    return () => {};
  });
  let runs = 0;
  const tabs = [some(), some()].map((opensAt) => ({
    opensAt,
    closesAt: opensAt + some(),
    ...openTab(calls, random, () => runs++),
  }));
  const endsAt = some() + (random() < 0.5 ? 2 * TURNS : 0);
  const announced = Promise.withResolvers<void>();
  const answer = calls
    .ofReply({ conversationId: conversation.id, messageId: conversation.messageId, sessionId: null })
    .waitFor({ toolId: "tool_1", toolUseId }, { signal: new AbortController().signal, announce: announced.resolve });
  await announced.promise;
  for (let now = 0; now < 4 * TURNS; now++) {
    for (const tab of tabs) {
      if (tab.opensAt === now) tab.see(started(toolUseId));
      if (tab.closesAt === now) tab.close();
    }
    if (endsAt === now) giveUp();
    await turn();
  }
  const ended = await answer;
  // The reply continues, which the open tabs see. Pending requests arrive afterwards.
  for (const tab of tabs) tab.see({ ...result, toolUseId });
  for (let now = 0; now < TURNS; now++) await turn();
  return { runs, answer: ended };
}

/**
 * A tab with its own runner. Once it is closed, none of its code runs, and its pending requests either arrive or are
 * lost.
 */
function openTab(calls: ClientToolCalls, random: Random, run: () => void) {
  let isClosed = false;
  const alive = async () => {
    for (let left = Math.floor(random() * 5); left > 0; left--) await turn();
    if (isClosed) await new Promise(() => {});
  };
  const request = (async (path: string, { body }: { body: never }) => {
    const isSent = random() < 0.5;
    if (!isSent) await alive();
    try {
      if (path.endsWith("/tool-claims")) await calls.claim(conversation.id, body);
      else await calls.answer(conversation.id, body);
    } catch (error) {
      await alive();
      if (!(error instanceof AppError)) throw error;
      throw new FoyerError("CONFLICT", error.message, { status: error.status });
    }
    await alive();
    return new Response();
  }) as unknown as Request;
  const tool = {
    async run() {
      run();
      await alive();
      return "done";
    },
    async confirm() {
      await alive();
      return true;
    },
  };
  const runner = createPageToolRunner(request, () => tool);
  return {
    see(event: ChatEvent) {
      if (!isClosed) runner.see(event, { id: conversation.id, token: "token" });
    },
    close() {
      isClosed = true;
      runner.stop();
    },
  };
}

const started = (id: string): ChatEvent => ({
  type: "tool_use_start",
  index: 0,
  id,
  name: "add_to_cart",
  toolId: "tool_1",
  executionType: "client",
  input: {},
});

const result = {
  type: "tool_result",
  index: 0,
  name: "add_to_cart",
  result: null,
  isError: true,
  displayConfig: null,
  display: null,
} as const;
