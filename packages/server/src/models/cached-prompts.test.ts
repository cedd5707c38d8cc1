import { createHash } from "node:crypto";
import type { JSONObject } from "@ai-sdk/provider";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ModelServer, startModelServer } from "../../../../test/model-server.ts";
import { chunk, type Exchange, eventStream } from "../../../../test/upstream.ts";

type Block = JSONObject & { cache_control?: JSONObject };

/** Anthropic finds an earlier entry of its cache up to this many blocks before a marker. */
const LOOKBACK = 20;
const MAX_MARKERS = 4;
const MIN_CACHED_TOKENS = 1_024;

/**
 * Bills like Anthropic: the blocks of tools, instructions and messages are hashed in this order, a request reads the
 * longest cached beginning before one of its markers, and writes the rest up to its last marker.
 */
function createAnthropicBilling() {
  const cache = new Set<string>();
  return (body: { tools?: Block[]; system?: Block[]; messages: Array<{ role: string; content: Block[] }> }) => {
    const blocks = [
      ...(body.tools ?? []),
      ...(body.system ?? []),
      ...body.messages.flatMap(({ role, content }) => content.map((block) => ({ role, ...block }) as Block)),
    ];
    const hash = createHash("sha256");
    let tokens = 0;
    const prefixes = blocks.map(({ cache_control: marker, ...block }) => {
      const text = JSON.stringify(block);
      hash.update(text);
      tokens += Math.ceil(text.length / 4);
      return { key: hash.copy().digest("hex"), tokens, isMarked: marker !== undefined };
    });
    const marked = prefixes.flatMap(({ isMarked }, index) => (isMarked ? [index] : []));
    if (marked.length > MAX_MARKERS) throw new Error("A maximum of 4 blocks with cache_control may be provided.");
    const isNear = (index: number) => marked.some((at) => index <= at && at - index <= LOOKBACK);
    const read = prefixes.findLast(({ key }, index) => isNear(index) && cache.has(key))?.tokens ?? 0;
    const written = prefixes[marked.at(-1) ?? -1]?.tokens ?? 0;
    for (const index of marked) {
      const { key, tokens: length } = prefixes[index] as (typeof prefixes)[number];
      if (length >= MIN_CACHED_TOKENS) cache.add(key);
    }
    const creation = written >= MIN_CACHED_TOKENS ? Math.max(0, written - read) : 0;
    return {
      input_tokens: tokens - read - creation,
      cache_read_input_tokens: read,
      cache_creation_input_tokens: creation,
    };
  };
}

/** In the price of an input token. */
const billed = (usage: ReturnType<ReturnType<typeof createAnthropicBilling>>) =>
  usage.input_tokens + 0.1 * usage.cache_read_input_tokens + 1.25 * usage.cache_creation_input_tokens;

/** Answers a message, after one call of a tool when `callsTool`. */
function answerAs({ response, body }: Exchange, usage: object, callsTool: boolean) {
  const isAnswered = JSON.parse(body).messages.at(-1).content[0].type === "tool_result";
  const block =
    callsTool && !isAnswered
      ? [
          { type: "content_block_start", index: 0, content_block: { type: "tool_use", id: "toolu_1", name: "stock" } },
          { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: "{}" } },
        ]
      : [
          { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
          { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "It costs 900 €." } },
        ];
  const stopReason = callsTool && !isAnswered ? "tool_use" : "end_turn";
  const events = [
    { type: "message_start", message: { id: "msg_1", type: "message", usage: { ...usage, output_tokens: 1 } } },
    ...block,
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: stopReason }, usage: { output_tokens: 12 } },
    { type: "message_stop" },
  ];
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.end(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""));
}

const hasMarker = (value: unknown): boolean => JSON.stringify(value).includes("cache_control");

describe("prompt caching", () => {
  let server: ModelServer;
  beforeAll(async () => {
    server = await startModelServer((url) => ({
      ANTHROPIC_BASE_URL: `${url}/anthropic`,
      ANTHROPIC_API_KEY: "k",
      OPENAI_BASE_URL: `${url}/openai`,
      OPENAI_API_KEY: "k",
      GOOGLE_GENERATIVE_AI_BASE_URL: `${url}/google`,
      GOOGLE_GENERATIVE_AI_API_KEY: "k",
      MISTRAL_BASE_URL: `${url}/mistral`,
      MISTRAL_API_KEY: "k",
      OPENAI_COMPATIBLE_BASE_URL: `${url}/compatible`,
    }));
  });
  afterAll(() => server.stop());

  async function createAgent(model: string, systemPrompt: string): Promise<string> {
    const { body } = await server.call("POST", "/agents", { name: "Harbour", model, systemPrompt });
    await server.addTool(body.data.id, "stock", "12 bikes", { type: "object", properties: {} });
    return body.data.id;
  }

  async function haveSixTurns(agentId: string, callsTool: (turn: number) => boolean) {
    const bill = createAnthropicBilling();
    const bills: Array<ReturnType<typeof bill>> = [];
    const usages: unknown[] = [];
    let conversation: object = {};
    for (let turn = 0; turn < 6; turn++) {
      server.upstream.script((exchange) => {
        const usage = bill(JSON.parse(exchange.body));
        bills.push(usage);
        answerAs(exchange, usage, callsTool(turn));
      });
      const page = { url: `https://harbour.example/bikes/${turn}`, title: `Bike ${turn}` };
      const reply = await server.ask(agentId, `How much is bike ${turn}?`, { ...conversation, page });
      expect(reply.text).toBe("It costs 900 €.");
      usages.push(reply.stop.usage);
      conversation = { conversationId: reply.conversationId };
    }
    return { bills, usages };
  }

  const instructions = `You sell bikes. ${"Bike 7 has 21 gears. ".repeat(950)}`;

  it("bills six turns over a prefix of 5,000 tokens with at least 60 % less input", async () => {
    const { bills } = await haveSixTurns(await createAgent("anthropic/claude-haiku-4-5", instructions), () => false);
    const uncached = bills.reduce(
      (sum, usage) => sum + usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens,
      0,
    );
    const saved = 1 - bills.reduce((sum, usage) => sum + billed(usage), 0) / uncached;
    expect(saved).toBeGreaterThanOrEqual(0.6);
  });

  it("reads all but the newest message of a request with calls of tools from the cache", async () => {
    const { bills } = await haveSixTurns(
      await createAgent("anthropic/claude-haiku-4-5", instructions),
      (turn) => turn % 2 === 1,
    );
    for (const usage of bills.slice(1)) {
      expect(usage.input_tokens + usage.cache_creation_input_tokens).toBeLessThan(300);
    }
  });

  it("counts the whole input, and the part that was read from the cache", async () => {
    const { bills, usages } = await haveSixTurns(
      await createAgent("anthropic/claude-haiku-4-5", instructions),
      () => false,
    );
    const counted = bills.map((usage) => ({
      inputTokens: usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens,
      cachedInputTokens: usage.cache_read_input_tokens,
      outputTokens: 12,
    }));
    expect(usages).toEqual(counted);
  });

  it("marks the last tool, the instructions, the documents and the last message for Anthropic", async () => {
    const agentId = await createAgent("anthropic/claude-haiku-4-5", "You sell bikes.");
    await server.addTool(agentId, "weather", "Sunny.", { type: "object", properties: {} });
    const documents = { type: "text", title: "Prices", content: "The cargo bike costs 900 euros." };
    await server.call("POST", `/agents/${agentId}/documents`, documents);
    server.upstream.script((exchange) => answerAs(exchange, { input_tokens: 9 }, false));
    await server.ask(agentId, "Hello?");
    const [{ tools, system, messages }] = server.sent();
    expect(tools.map(hasMarker)).toEqual([...Array(tools.length - 1).fill(false), true]);
    expect(system.every(hasMarker)).toBe(true);
    expect(messages.map(hasMarker)).toEqual([true]);
  });

  it("is not asked for again when a proxy of Anthropic's format refuses the markers", async () => {
    const agentId = await createAgent("anthropic/claude-proxied", "You sell bikes.");
    server.upstream.script((exchange) => {
      if (!hasMarker(JSON.parse(exchange.body))) return answerAs(exchange, { input_tokens: 9 }, false);
      const error = { type: "invalid_request_error", message: "cache_control: Extra inputs are not permitted" };
      exchange.response.writeHead(400, { "content-type": "application/json" });
      exchange.response.end(JSON.stringify({ type: "error", error }));
    });
    expect((await server.ask(agentId, "Hello?")).text).toBe("It costs 900 €.");
    expect((await server.ask(agentId, "Hello?")).text).toBe("It costs 900 €.");
    expect(server.sent().map(hasMarker)).toEqual([true, false, false]);
  });

  it.each([
    "openai/gpt-5.4-mini",
    "google/gemini-3-flash",
    "mistral/mistral-small-latest",
    "openai-compatible/claude-x",
  ])("sends no markers to %s", async (model) => {
    const agentId = await createAgent(model, "You sell bikes.");
    server.upstream.script(({ response }) => response.writeHead(400).end());
    await server.ask(agentId, "Hello?");
    expect(server.sent().length).toBeGreaterThan(0);
    expect(server.sent().some(hasMarker)).toBe(false);
  });

  it.each([
    ["OpenAI's format", { prompt_tokens: 100, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 60 } }],
    [
      "DeepSeek",
      { prompt_tokens: 100, completion_tokens: 5, prompt_cache_hit_tokens: 60, prompt_cache_miss_tokens: 40 },
    ],
    ["Moonshot", { prompt_tokens: 100, completion_tokens: 5, cached_tokens: 60 }],
    ["Mistral", { prompt_tokens: 100, completion_tokens: 5, num_cached_tokens: 60 }],
  ])("reads the cached tokens of %s", async (_, usage) => {
    const agentId = await createAgent("openai-compatible/m", "You sell bikes.");
    server.upstream.script((exchange) => {
      const { send, end } = eventStream(exchange);
      send({ ...chunk({ content: "Hi." }, "stop"), usage });
      end();
    });
    const { stop } = await server.ask(agentId, "Hello?");
    expect(stop.usage).toEqual({ inputTokens: 100, cachedInputTokens: 60, outputTokens: 5 });
  });
});
