import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ModelServer, startModelServer } from "../../../../test/model-server.ts";
import { type Exchange, sayWords } from "../../../../test/upstream.ts";

/** The context of the scripted model in bytes of the request's messages. */
const CONTEXT = 4_000;

describe("a conversation that is longer than the model's context", () => {
  let server: ModelServer;
  beforeAll(async () => {
    server = await startModelServer((url) => ({
      OPENAI_COMPATIBLE_BASE_URL: `${url}/v1`,
      OPENAI_COMPATIBLE_API_KEY: "k",
    }));
  });
  afterAll(() => server.stop());

  /** Answers like vLLM: refuses what does not fit. */
  const answer = (exchange: Exchange) => {
    const size = JSON.stringify(JSON.parse(exchange.body).messages).length;
    if (size <= CONTEXT) return sayWords("Nine.")(exchange);
    const message = `This model's maximum context length is ${CONTEXT} tokens. However, you requested ${size} tokens.`;
    exchange.response.writeHead(400, { "content-type": "application/json" });
    exchange.response.end(
      JSON.stringify({ error: { message, type: "invalid_request_error", code: "context_length_exceeded" } }),
    );
  };

  it("goes on with its newest messages, and only the first message that is too long is sent twice", async () => {
    const agentId = await server.createAgent("openai-compatible/small-context");
    let more: object = {};
    const requests: number[] = [];
    for (let turn = 0; turn < 8; turn++) {
      server.upstream.script(answer);
      const reply = await server.ask(agentId, `Question ${turn}: ${"How much is the bike? ".repeat(45)}`, more);
      expect(reply.text).toBe("Nine.");
      more = { conversationId: reply.conversationId };
      requests.push(server.upstream.exchanges.length);
    }
    expect(requests.filter((count) => count > 1)).toEqual([2]);
    const { messages } = server.sent().at(-1);
    expect(messages.length).toBeGreaterThan(3);
    expect([messages[0].role, messages.at(-1).content]).toEqual(["system", expect.stringMatching(/^Question 7/)]);
  });
});
