import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type KilledReply, startKilledProvider } from "../../../../test/killed-provider.ts";
import { startServer, type TestServer } from "../../../../test/server.ts";

const replies = 60;

describe.each([
  ["while its circuit never opens", "0s"],
  ["until its circuit opens", "1h"],
])("replies whose first provider is killed at a random moment before its first word, %s", (_, circuit) => {
  let provider: Awaited<ReturnType<typeof startKilledProvider>>;
  let server: TestServer;
  let results: KilledReply[];
  let later: KilledReply[];
  let stored: Array<{ content: string; fallbackFrom: string | null; model: string | null }>;

  beforeAll(async () => {
    provider = await startKilledProvider();
    server = await startServer({
      listen: true,
      env: {
        FOYER_LIMIT_CHAT_PER_SESSION: "0",
        FOYER_MODEL_CIRCUIT: circuit,
        MISTRAL_API_KEY: "m-1",
        MISTRAL_BASE_URL: `${provider.url}/first`,
        OPENAI_COMPATIBLE_BASE_URL: `${provider.url}/second`,
      },
    });
    const account = await server.createAccount();
    const models = { model: "mistral/small", fallbackModels: ["openai-compatible/other"] };
    const { body } = await account.call("POST", "/agents", { name: "Harbour", ...models });
    results = await provider.askAll(server.url, body.data.id, { replies, atOnce: 10 });
    stored = await server.deps.db
      .selectFrom("messages")
      .select(["content", "fallbackFrom", "model"])
      .where("role", "=", "assistant")
      .execute();
    later = await provider.askAll(server.url, body.data.id, { replies: 1, atOnce: 1 });
  });
  afterAll(async () => {
    await server.stop();
    await provider.stop();
  });

  it("are all answered, and each of them once", () => {
    expect(results.map(({ text, stopReason }) => ({ text, stopReason }))).toEqual(
      Array(replies).fill({ text: provider.answer, stopReason: "end_turn" }),
    );
  });
  it("are asked of the second provider once", () => {
    expect(results.filter(({ requests }) => requests.second !== 1)).toEqual([]);
  });
  it("are asked of the first provider twice at most", () => {
    expect(results.filter(({ requests }) => requests.first > 2)).toEqual([]);
  });
  it("are stored once each, with both models", () => {
    expect(stored).toEqual(
      Array(replies).fill({
        content: provider.answer,
        model: "openai-compatible/other",
        fallbackFrom: "mistral/small",
      }),
    );
  });
  it(`are followed by one that ${circuit === "0s" ? "asks the first provider again" : "asks the second one alone"}`, () => {
    expect(later.map(({ requests }) => requests.first > 0)).toEqual([circuit === "0s"]);
  });
});
