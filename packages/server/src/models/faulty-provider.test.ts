import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ModelServer, startModelServer } from "../../../../test/model-server.ts";
import { chunk, type Exchange, eventStream } from "../../../../test/upstream.ts";

/** The same faults are tested with both readers: our own reader of chat completions, and a provider's package. */
const dialects = [
  {
    provider: "openai-compatible",
    model: "openai-compatible/small",
    /** the events before the first word */
    opening: [chunk({ role: "assistant", content: "" })] as object[],
    word: (text: string): object => chunk({ content: text }),
    closing: [chunk({}, "stop"), "[DONE]"] as Array<object | string>,
    failure: { error: { message: "Shard 7 of models.internal is down", type: "server_error", code: 500 } } as object,
    finalFailure: { error: { message: "models.internal does not know you", code: 401 } } as object,
  },
  {
    provider: "anthropic",
    model: "anthropic/claude-haiku-4-5",
    opening: [
      {
        type: "message_start",
        message: {
          id: "msg_1",
          type: "message",
          role: "assistant",
          model: "claude-haiku-4-5",
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { input_tokens: 3, output_tokens: 1 },
        },
      },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    ],
    word: (text: string) => ({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } }),
    closing: [
      { type: "content_block_stop", index: 0 },
      {
        type: "message_delta",
        delta: { stop_reason: "end_turn", stop_sequence: null },
        usage: { input_tokens: 3, output_tokens: 2 },
      },
      { type: "message_stop" },
    ],
    failure: { type: "error", error: { type: "overloaded_error", message: "Shard 7 of models.internal is down" } },
    finalFailure: { type: "error", error: { type: "permission_error", message: "models.internal does not know you" } },
  },
];

const key = "sk-canary-4711";
const unavailable = { code: "MODEL_UNAVAILABLE", message: "The model cannot be reached right now." };
const refused = { code: "MODEL_REFUSED", message: "The model's provider refused the request." };
const tooSlow = { code: "MODEL_TIMEOUT", message: "The model took too long to answer." };

type Answer = (exchange: Exchange) => unknown;
const refuse =
  (status: number, headers: Record<string, string> = {}, message = "Shard 7 of models.internal is down"): Answer =>
  ({ response }) =>
    response
      .writeHead(status, { "content-type": "application/json", ...headers })
      .end(JSON.stringify({ type: "error", error: { type: "some_error", message } }));

describe.each(dialects)("a faulty provider ($provider)", ({ model, opening, word, closing, failure, finalFailure }) => {
  let server: ModelServer;
  let agentId: string;

  beforeAll(async () => {
    server = await startModelServer(createEnvironment);
    agentId = await server.createAgent(model);
  });
  afterAll(() => server.stop());

  /** Sends these events and keeps the connection open. */
  const send = (exchange: Exchange, ...events: Array<object | string>) => {
    const { send, end } = eventStream(exchange);
    for (const event of [...opening, ...events]) send(event);
    return { end, cut: () => setImmediate(() => exchange.response.destroy()) };
  };
  const answer: Answer = (exchange) => send(exchange, word("All "), word("well."), ...closing).end();
  /** Responds to each request with the next of these answers. After the last one, repeats it. */
  const script = (...answers: Answer[]) =>
    server.upstream.script((exchange) => {
      const turn = Math.min(server.upstream.exchanges.length, answers.length) - 1;
      return answers[turn]?.(exchange);
    });
  const attempts = () => server.upstream.exchanges.length;

  /**
   * Sends a message and expects the failure, the text before it, and the number of requests to the provider. Nothing
   * about the provider may leak.
   */
  async function expectFailure(error: object, text: string, requests: number) {
    const reply = await server.ask(agentId, "Hello?");
    expect(reply.error).toEqual(error);
    expect(reply.text).toBe(text);
    const stored = await server.call("GET", `/conversations/${reply.conversationId}`);
    expect(stored.body.data.messages[1]).toMatchObject({
      content: text,
      stopReason: "error",
      failure: { code: (error as { code: string }).code, provider: model.split("/")[0] },
    });
    for (const secret of [key, "models.internal", new URL(server.upstream.url).host]) {
      expect(JSON.stringify(reply) + stored.text).not.toContain(secret);
    }
    // Only members may see the provider's message.
    expect(JSON.stringify(reply)).not.toContain("Shard");
    expect(attempts()).toBe(requests);
  }
  async function expectSuccess(requests: number) {
    const reply = await server.ask(agentId, "Hello?");
    expect([reply.text, reply.stop.stopReason]).toEqual(["All well.", "end_turn"]);
    expect(await server.storedReply(reply.conversationId)).toMatchObject({
      content: "All well.",
      stopReason: "end_turn",
    });
    expect(attempts()).toBe(requests);
  }

  describe("that fails before the first word is called again", () => {
    const noWait = { "retry-after": "0" };
    it.each<[string, Answer]>([
      ["cuts the connection without an answer", ({ response }) => response.destroy()],
      ["cuts the connection after the headers", (exchange) => send(exchange).cut()],
      ["ends early", (exchange) => send(exchange).end()],
      ["sends what is no JSON", (exchange) => send(exchange, "<html>502</html>").end()],
      ["answers with a web page", ({ response }) => response.end("<html>Please log in</html>")],
      ["reports a failure", (exchange) => void eventStream(exchange).send(failure)],
      ["is overloaded", refuse(503)],
      ["is busy, for no time", refuse(429, noWait)],
      ["is busy, for a second", refuse(429, { "retry-after": "1" })],
      ["is busy until a time that is past", refuse(429, { "retry-after": "Wed, 21 Oct 2015 07:28:00 GMT" })],
    ])("when it %s", async (_, fault) => {
      script(fault, answer);
      await expectSuccess(2);
    });

    it("at most twice", async () => {
      script(refuse(500, noWait), refuse(500, noWait), answer);
      await expectSuccess(3);
      script(refuse(500, noWait));
      await expectFailure(unavailable, "", 3);
    });

    it("but not when it forbids that or asks for a long wait", async () => {
      for (const status of [400, 401, 403, 404]) {
        script(refuse(status, {}, `Wrong key ${key} for models.internal`));
        await expectFailure(refused, "", 1);
      }
      script(refuse(429, { "retry-after": "3600" }));
      await expectFailure(unavailable, "", 1);
      script(refuse(429, { "retry-after": new Date(Date.now() + 3_600_000).toUTCString() }));
      await expectFailure(unavailable, "", 1);
      script((exchange) => send(exchange, finalFailure).end());
      await expectFailure(refused, "", 1);
      script(({ response }) => response.writeHead(302, { location: "http://127.0.0.1:1/" }).end());
      await expectFailure(unavailable, "", 1);
    });

    it("but not when the client has left", async () => {
      for (const leave of ["leaves", "stops"]) {
        const asked = server.upstream.next();
        script(refuse(429, { "retry-after": "15" }), answer);
        const stream = await server.open(agentId, "Hello?");
        const start = await stream.until("message_start");
        if (start.type !== "message_start") throw new Error("not the start");
        const { response } = await asked;
        if (!response.closed) await once(response, "close");
        if (leave === "leaves") stream.leave();
        else {
          const authorization = `Bearer ${start.conversationToken}`;
          const url = `/chat/${start.conversationId}/stop`;
          await server.call("POST", url, undefined, { ...server.owner, headers: { authorization } });
        }
        await stream.ended;
        const reason = async () => (await server.storedReply(start.conversationId)).stopReason;
        await expect.poll(reason).toBe("aborted");
        expect(attempts()).toBe(1);
      }
    });
  });

  describe("that fails after the first word is not called again, and its text is stored", () => {
    it.each<[string, Answer]>([
      ["cuts the connection", (exchange) => send(exchange, word("Half a")).cut()],
      ["ends early", (exchange) => send(exchange, word("Half a")).end()],
      [
        "sends what is no JSON",
        (exchange) => send(exchange, word("Half a"), '{"choices":[{"delta"', word(" no")).end(),
      ],
      ["reports a failure", (exchange) => send(exchange, word("Half a"), failure, word(" no"), ...closing).end()],
    ])("when it %s", async (_, fault) => {
      script(fault, answer);
      await expectFailure(unavailable, "Half a", 1);
    });
  });

  it("receives its partial reply in the next turn", async () => {
    script((exchange) => send(exchange, word("Half a")).end(), answer);
    const { conversationId } = await server.ask(agentId, "Hello?");
    const next = await server.ask(agentId, "And?", { conversationId });
    expect(next.text).toBe("All well.");
    const said = server.sent()[1].messages.filter((message: { role: string }) => message.role !== "system");
    expect(said.map((message: { role: string }) => message.role)).toEqual(["user", "assistant", "user"]);
    expect(JSON.stringify(said[1])).toContain("Half a");
  });

  it("that refuses a temperature is called without one from then on", async () => {
    const stubborn = await server.createAgent(`${model}-stubborn`);
    const refusal = refuse(400, {}, "Unsupported value: 'temperature' does not support 0.3 with this model.");
    server.upstream.script((exchange) => ("temperature" in JSON.parse(exchange.body) ? refusal : answer)(exchange));
    const temperatures = () => server.sent().map(({ temperature }) => temperature);
    expect((await server.ask(stubborn, "Hello?")).text).toBe("All well.");
    expect(temperatures()).toEqual([0.3, undefined]);
    expect((await server.ask(stubborn, "Hello?")).text).toBe("All well.");
    expect(temperatures()).toEqual([0.3, undefined, undefined]);
    const other = await server.createAgent(`${model}-other`);
    expect((await server.ask(other, "Hello?")).text).toBe("All well.");
    expect(temperatures()).toEqual([0.3, undefined, undefined, 0.3, undefined]);
  });

  describe("that is slow", () => {
    let slow: ModelServer;
    beforeAll(async () => {
      const limits = { FOYER_MODEL_IDLE_TIMEOUT: "1s", FOYER_MODEL_TOTAL_TIMEOUT: "4s" };
      slow = await startModelServer((url) => ({ ...createEnvironment(url), ...limits }));
    });
    afterAll(() => slow.stop());
    const everlasting = (exchange: Exchange) => {
      send(exchange, word("Drip."));
      const drip = setInterval(() => exchange.response.write(`data: ${JSON.stringify(word("Drip."))}\n\n`), 50);
      exchange.response.once("close", () => clearInterval(drip));
    };

    it.each<[string, RegExp, Answer]>([
      ["does not answer at all", /^$/, () => {}],
      ["stalls before the first word", /^$/, (exchange) => void send(exchange)],
      ["stalls in the middle", /^Half a$/, (exchange) => void send(exchange, word("Half a"))],
      ["drips beyond the total time", /^(Drip\.){2,}$/, everlasting],
    ])("is abandoned and disconnected: %s", async (_, text, fault) => {
      const closed = Promise.withResolvers<void>();
      slow.upstream.script((exchange) => {
        exchange.response.once("close", closed.resolve);
        fault(exchange);
      });
      const reply = await slow.ask(await slow.createAgent(model), "Hello?");
      expect(reply.error).toEqual(tooSlow);
      expect(reply.text).toMatch(text);
      const stored = await slow.storedReply(reply.conversationId);
      expect(stored).toMatchObject({ content: reply.text, stopReason: "error" });
      await closed.promise;
      expect(slow.upstream.exchanges).toHaveLength(1);
    });

    it.each([
      ["comments", ": PROCESSING\n\n"],
      ["events of other names", "event: keepalive\ndata: {}\n\n"],
      ["pings", 'event: ping\ndata: {"type":"ping"}\n\n'],
    ])("is not abandoned while it sends %s", async (_, sign) => {
      slow.upstream.script((exchange) => {
        const { end } = send(exchange);
        let signs = 0;
        const timer = setInterval(() => {
          exchange.response.write(sign);
          if (++signs < 20) return;
          clearInterval(timer);
          for (const event of [word("All "), word("well."), ...closing]) {
            exchange.response.write(`data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`);
          }
          end();
        }, 60);
      });
      expect((await slow.ask(await slow.createAgent(model), "Hello?")).text).toBe("All well.");
    });

    it("is abandoned when it asks for a longer wait than there is time", async () => {
      slow.upstream.script(refuse(429, { "retry-after": "15" }));
      expect((await slow.ask(await slow.createAgent(model), "Hello?")).error).toMatchObject({
        code: "MODEL_UNAVAILABLE",
      });
      expect(slow.upstream.exchanges).toHaveLength(1);
    });
  });

  it("that is unreachable is abandoned", async () => {
    const gone = await startModelServer(createEnvironment);
    const { host } = new URL(gone.upstream.url);
    await gone.upstream.stop();
    const reply = await gone.ask(await gone.createAgent(model), "Hello?");
    expect(reply.error).toEqual(unavailable);
    expect(JSON.stringify(reply)).not.toContain(host);
    await gone.server.stop();
  });
});

function createEnvironment(url: string) {
  return {
    OPENAI_COMPATIBLE_BASE_URL: `${url}/v1`,
    OPENAI_COMPATIBLE_API_KEY: key,
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: key,
  };
}
