import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ModelServer, startModelServer } from "../../../../test/model-server.ts";
import { type Call, type Format, formats } from "../../../../test/provider-formats.ts";
import { replay, replayUntil, streamLines } from "../../../../test/replay.ts";

type ProviderName = keyof typeof formats;
type Setup = {
  provider: ProviderName;
  /** the variables, where `URL` stands for the provider's origin */
  env: Record<string, string>;
  path: string;
  auth?: [header: string, value: string];
  models: [[id: string, name: string], ...Array<[id: string, name: string]>];
};

const setups: Setup[] = [
  ...["URL", "URL/v1", "URL/v1/"].map((address) => ({
    provider: "openai" as const,
    env: { OPENAI_API_KEY: "sk-1", OPENAI_BASE_URL: address },
    path: "/v1/responses",
    auth: ["authorization", "Bearer sk-1"] as [string, string],
    models: listModelNames("openai", "gpt-4.1-mini"),
  })),
  ...["URL", "URL/v1"].map((address) => ({
    provider: "anthropic" as const,
    env: { ANTHROPIC_API_KEY: "sk-ant-1", ANTHROPIC_BASE_URL: address },
    path: "/v1/messages",
    auth: ["x-api-key", "sk-ant-1"] as [string, string],
    models: listModelNames("anthropic", "claude-sonnet-4-5"),
  })),
  ...["URL", "URL/v1beta"].map((address) => ({
    provider: "google" as const,
    env: { GOOGLE_GENERATIVE_AI_API_KEY: "AIza1", GOOGLE_GENERATIVE_AI_BASE_URL: address },
    path: "/v1beta/models/MODEL:streamGenerateContent?alt=sse",
    auth: ["x-goog-api-key", "AIza1"] as [string, string],
    models: listModelNames("google", "gemini-3-pro-preview"),
  })),
  ...["URL", "URL/v1"].map((address) => ({
    provider: "mistral" as const,
    env: { MISTRAL_API_KEY: "m-1", MISTRAL_BASE_URL: address },
    path: "/v1/chat/completions",
    auth: ["authorization", "Bearer m-1"] as [string, string],
    models: listModelNames("mistral", "mistral-small-latest"),
  })),
  ...["URL", "URL/v1", "URL/api"].map((address) => ({
    provider: "ollama" as const,
    env: { OLLAMA_BASE_URL: address },
    path: "/v1/chat/completions",
    models: [["ollama/qwen3:8b", "qwen3:8b"]] as Setup["models"],
  })),
  {
    provider: "openai-compatible",
    env: {
      OPENAI_COMPATIBLE_BASE_URL: "URL/some/path/",
      OPENAI_COMPATIBLE_API_KEY: "c-1",
      FOYER_DEFAULT_MODEL: "openai-compatible/grok-3-mini",
    },
    path: "/some/path/chat/completions",
    auth: ["authorization", "Bearer c-1"],
    models: [
      ["openai-compatible/grok-3-mini", "grok-3-mini"],
      ["openai-compatible/meta/llama:free", "meta/llama:free"],
      ["any-other-name", "any-other-name"],
    ],
  },
];

/** An id with its provider, and a bare name whose prefix identifies the provider. */
function listModelNames(provider: string, name: string): Setup["models"] {
  return [
    [`${provider}/${name}`, name],
    [name, name],
  ];
}

type Text = { name: string; start: RegExp; blocks?: string[]; usage: [input: number, output: number]; hidden?: string };
const responsesText = ["Let me check the calendar.", "Test rides are free on **Saturday**, from 10:00 to 13:00."];
const texts: Record<ProviderName, [Text, ...Text[]]> = {
  openai: [
    {
      name: "openai-responses.text",
      start: /^Let me check the calendar\.Test rides/,
      blocks: responsesText,
      usage: [311, 29],
    },
  ],
  anthropic: [
    { name: "anthropic.text", start: /^Ahoy! Our workshop repairs every make of bicycle\./, usage: [14, 26] },
  ],
  google: [{ name: "google.text", start: /^We rent \*\*4\*\* cargo bikes\.\n\nEach/, usage: [11, 92] }],
  mistral: [{ name: "mistral.text", start: /^Hello, sailor! The ferry stops opposite our shop\.$/, usage: [15, 11] }],
  ollama: [
    { name: "openai-chat.text", start: /^\*\*Opening hours:\*\* Harbour Bikes\n/, usage: [21, 47] },
    { name: "openai-compatible.text", start: /^City One$/, usage: [17, 40], hidden: "the visitor asks" },
  ],
  "openai-compatible": [
    { name: "openai-compatible.text", start: /^City One$/, usage: [17, 40], hidden: "the visitor asks" },
    { name: "openai-chat.text", start: /^\*\*Opening hours:\*\* Harbour Bikes\n/, usage: [21, 47] },
    { name: "mistral.text", start: /^Hello, sailor! The ferry stops opposite our shop\.$/, usage: [15, 11] },
  ],
};

type ToolCase = { name: string; call: Call; before?: string; usage: [number, number]; hidden?: string };
const bikeStock = { name: "bike_stock", input: { category: "cargo" } };
const completionCall: ToolCase = {
  name: "openai-compatible.tool-call",
  call: { ...bikeStock, id: "call_55213042" },
  usage: [203, 50],
  hidden: "the visitor wants to know",
};
const toolCases: Partial<Record<ProviderName, ToolCase>> = {
  anthropic: {
    name: "anthropic.tool-no-args",
    call: { id: "toolu_01HarbourHours", name: "opening_hours", input: {} },
    before: "I'll look up our opening hours.",
    usage: [412, 39],
  },
  google: { name: "google.tool-call", call: { ...bikeStock, id: "" }, usage: [31, 55] },
  mistral: { name: "mistral.tool-call", call: { ...bikeStock, id: "kB7mQ2xTz" }, usage: [97, 19] },
  ollama: completionCall,
  "openai-compatible": completionCall,
};

const schema = { type: "object", properties: { category: { type: "string" } }, required: [] };

describe("streams of providers", () => {
  describe.each(setups)("from $provider with $env", ({ provider, env, path, auth, models }) => {
    const format: Format = formats[provider];
    const [firstText] = texts[provider];
    const toolCase = toolCases[provider];
    const test = useServer(env);

    it.each(models)("start with a request for %s", async (model, name) => {
      const { upstream, createAgent, addTool, ask, sent } = test.server;
      upstream.script(replay(firstText.name));
      const agentId = await createAgent(model);
      await addTool(agentId, "find", "Found.", schema);
      const { text } = await ask(agentId, "Hello?");
      expect(text).toMatch(firstText.start);
      expect(sent()).toMatchObject([format.request(name, { name: "find", description: "What find does", schema })]);
      const request = upstream.exchanges.find(({ body }) => body !== "")?.request;
      expect([request?.method, request?.url]).toEqual(["POST", path.replace("MODEL", name)]);
      if (auth) expect(request?.headers[auth[0]]).toBe(auth[1]);
      else expect(request?.headers.authorization).toBeUndefined();
    });

    it.each(texts[provider])("from $name arrive word for word", async ({ name, start, blocks, usage, hidden }) => {
      const { upstream, createAgent, ask, storedReply } = test.server;
      upstream.script(replay(name));
      const reply = await ask(await createAgent(models[0][0]), "Hello?");
      expect(reply.text).toBe(textIn(name, format));
      expect(reply.text).toMatch(start);
      expect(reply.blocks).toEqual(blocks ?? [reply.text]);
      expect(reply.stop).toMatchObject({ stopReason: "end_turn", usage: tokens(usage) });
      const stored = await storedReply(reply.conversationId);
      expect(stored).toMatchObject({ content: reply.text, stopReason: "end_turn", toolCalls: [] });
      if (hidden) {
        expect(streamLines(name).map(reasoningIn).join("")).toContain(hidden);
        expect(JSON.stringify([reply, stored])).not.toContain(hidden);
      }
      expect(upstream.exchanges).toHaveLength(1);
    });

    it("are not treated as complete when they end early", async () => {
      const { upstream, createAgent, ask, storedReply } = test.server;
      upstream.script(replayUntil(firstText.name, /response\.completed|message_delta|"finish_?reason":"stop"/i));
      const reply = await ask(await createAgent(models[0][0]), "Hello?");
      expect(reply.error).toMatchObject({ code: "MODEL_UNAVAILABLE" });
      expect(reply.text).toBe(textIn(firstText.name, format));
      const stored = await storedReply(reply.conversationId);
      expect(stored).toMatchObject({ content: reply.text, stopReason: "error" });
      expect(upstream.exchanges).toHaveLength(1);
    });

    if (!toolCase) return;
    it("run a tool call and send its result back", async () => {
      const { upstream, createAgent, addTool, ask, sent, storedReply } = test.server;
      const { name, call, before, usage, hidden } = toolCase;
      upstream.script((exchange) => replay(upstream.exchanges.length === 1 ? name : firstText.name)(exchange));
      const agentId = await createAgent(models[0][0]);
      const toolId = await addTool(agentId, call.name, "Sunny.", schema);
      const reply = await ask(agentId, "Hello?");
      const id = call.id || expect.stringMatching(/^\w+$/);
      const shown = { name: call.name, toolId, executionType: "mock", input: call.input };
      expect(reply.calls).toMatchObject([{ ...shown, id, index: before ? 1 : 0 }]);
      expect(reply.results).toMatchObject([{ result: "Sunny.", isError: false }]);
      expect(reply.blocks).toEqual([...(before ? [before] : []), textIn(firstText.name, format)]);
      const both = [usage[0] + firstText.usage[0], usage[1] + firstText.usage[1]] as const;
      expect(reply.stop).toMatchObject({ stopReason: "end_turn", usage: tokens(both) });
      expect(sent()).toMatchObject([{}, format.answered({ ...call, id: reply.calls[0]?.id ?? "" })]);
      expect(sent()[1]).toMatchObject(without(sent()[0], "messages", "contents"));
      const stored = await storedReply(reply.conversationId);
      expect(stored.toolCalls).toMatchObject([{ ...shown, result: "Sunny.", isError: false }]);
      if (hidden) expect(JSON.stringify([reply, stored])).not.toContain(hidden);
    });
  });

  describe("OpenAI", () => {
    const test = useServer({ OPENAI_API_KEY: "sk-1", OPENAI_BASE_URL: "URL" });
    const parallel = "openai-responses.parallel-tool-calls";
    const twoCalls = "openai-responses.two-calls";
    const callsFirst = (name: string) => {
      const { upstream } = test.server;
      upstream.script((exchange) => replay(upstream.exchanges.length === 1 ? name : "openai-responses.text")(exchange));
    };

    it.each([
      ["as two items", twoCalls, ["call_HarbourStock", "call_HarbourRides"], [48, 33]],
      ["inside one call of the pseudo-tool parallel", parallel, ["call_parallel_0", "call_parallel_1"], [52, 27]],
    ] as const)("runs two calls of a reply %s and returns both results", async (_, name, ids, usage) => {
      const { createAgent, addTool, ask, sent } = test.server;
      callsFirst(name);
      const agentId = await createAgent("gpt-5.4");
      await addTool(agentId, "bike_stock", "Three.", schema);
      await addTool(agentId, "test_rides", "At eleven.", schema);
      const reply = await ask(agentId, "Hello?");
      expect(reply.calls).toMatchObject([
        { index: 0, name: "bike_stock", input: { category: "cargo" } },
        { index: 1, name: "test_rides", input: { day: "Saturday" } },
      ]);
      expect(reply.results).toMatchObject([{ result: "Three." }, { result: "At eleven." }]);
      expect(reply.text).toBe(responsesText.join(""));
      expect(reply.stop).toMatchObject({ stopReason: "end_turn", usage: tokens([usage[0] + 311, usage[1] + 29]) });
      const category = JSON.stringify({ category: "cargo" });
      expect(sent()[1].input.slice(2)).toMatchObject([
        { type: "function_call", call_id: ids[0], name: "bike_stock", arguments: category },
        { type: "function_call", call_id: ids[1], name: "test_rides" },
        { type: "function_call_output", call_id: ids[0], output: "Three." },
        { type: "function_call_output", call_id: ids[1], output: "At eleven." },
      ]);
    });

    it("is told that a tool does not exist, and the reply continues", async () => {
      const { createAgent, ask, sent } = test.server;
      callsFirst(parallel);
      const reply = await ask(await createAgent("gpt-5.4"), "Hello?");
      expect(reply.calls).toMatchObject([{ name: "parallel", toolId: null, executionType: null }]);
      expect(reply.results).toMatchObject([{ isError: true, result: "There is no such tool." }]);
      expect([reply.text, reply.stop.stopReason]).toEqual([responsesText.join(""), "end_turn"]);
      expect(sent()[1].input.slice(2)).toMatchObject([
        { type: "function_call", call_id: "call_parallel", name: "parallel" },
        {
          type: "function_call_output",
          call_id: "call_parallel",
          output: expect.stringContaining("There is no such tool."),
        },
      ]);
    });

    it.each([
      ["reports an error inside the stream", streamLines("openai-responses.error"), 1],
      ["sends a line that is no JSON before the first word", streamLines(parallel).map(withoutLastBrace), 3],
    ])("%s", async (_, lines, attempts) => {
      const { upstream, createAgent, ask, storedReply } = test.server;
      upstream.script(replay("openai-responses.error", lines));
      const reply = await ask(await createAgent("gpt-4.1-mini"), "Hello?");
      expect(reply.error).toEqual({ code: "MODEL_UNAVAILABLE", message: "The model cannot be reached right now." });
      expect(reply.stop).not.toHaveProperty("usage");
      const stored = await storedReply(reply.conversationId);
      expect(stored).toMatchObject({ content: "", stopReason: "error" });
      // Visitors learn nothing about the provider. Members read its own message, without addresses.
      expect(JSON.stringify(reply)).not.toMatch(/quota|billing|platform\.openai|127\.0\.0\.1/);
      expect(JSON.stringify(stored)).not.toMatch(/platform\.openai|127\.0\.0\.1/);
      expect(upstream.exchanges).toHaveLength(attempts);
    });

    it("shows visitors the text with which the Responses API refuses", async () => {
      const { upstream, createAgent, ask, storedReply } = test.server;
      upstream.script(replay("openai-responses.refusal"));
      const reply = await ask(await createAgent("gpt-4.1-mini"), "How do I open my neighbor's lock?");
      expect(reply).toMatchObject({ text: refusal, stop: { stopReason: "end_turn", usage: tokens([34, 16]) } });
      expect(await storedReply(reply.conversationId)).toMatchObject({ content: refusal, stopReason: "end_turn" });
    });

    it.each(["o3", "openai/gpt-5-nano"])("model %s gets no temperature, which it would refuse", async (model) => {
      const { upstream, createAgent, ask, sent } = test.server;
      upstream.script(replay("openai-responses.text"));
      await ask(await createAgent(model), "Hello?");
      expect(sent()).toHaveLength(1);
      expect(sent()[0]).toMatchObject({ model: model.replace("openai/", "") });
      expect(sent()[0]).not.toHaveProperty("temperature");
    });
  });

  describe("an OpenAI-compatible server", () => {
    const test = useServer({ OPENAI_COMPATIBLE_BASE_URL: "URL" });

    it("shows visitors the text with which a chat completion refuses", async () => {
      const { upstream, createAgent, ask, storedReply } = test.server;
      upstream.script(replay("openai-chat.refusal"));
      const reply = await ask(await createAgent("openai-compatible/test"), "How do I open my neighbor's lock?");
      expect(reply).toMatchObject({ text: refusal, stop: { stopReason: "end_turn", usage: tokens([34, 16]) } });
      expect(await storedReply(reply.conversationId)).toMatchObject({ content: refusal, stopReason: "end_turn" });
    });

    it("is told that a tool does not exist, and the reply continues", async () => {
      const { upstream, createAgent, ask, sent } = test.server;
      upstream.script((exchange) =>
        replay(upstream.exchanges.length === 1 ? completionCall.name : "mistral.text")(exchange),
      );
      const reply = await ask(await createAgent("openai-compatible/grok-3-mini"), "Hello?");
      expect(reply.calls).toMatchObject([{ ...completionCall.call, index: 0, toolId: null, executionType: null }]);
      expect(reply.results).toMatchObject([{ isError: true, result: "There is no such tool." }]);
      expect([reply.text, reply.stop.stopReason]).toEqual([
        "Hello, sailor! The ferry stops opposite our shop.",
        "end_turn",
      ]);
      const result = { role: "tool", tool_call_id: completionCall.call.id, content: "There is no such tool." };
      expect(sent()[1].messages.at(-1)).toEqual(result);
    });
  });

  describe("Google", () => {
    const test = useServer({ GOOGLE_GENERATIVE_AI_API_KEY: "AIza1", GOOGLE_GENERATIVE_AI_BASE_URL: "URL" });
    const ended = (reason: string) =>
      streamLines("google.text")
        .slice(-1)
        .map((line) => line.replace("STOP", reason));

    it("is called again after a malformed tool call", async () => {
      const { upstream, createAgent, ask } = test.server;
      upstream.script((exchange) =>
        (upstream.exchanges.length === 1
          ? replay("google.text", ended("MALFORMED_FUNCTION_CALL"))
          : replay("google.text"))(exchange),
      );
      const reply = await ask(await createAgent("gemini-3-pro-preview"), "Hello?");
      expect(reply).toMatchObject({ text: textIn("google.text", formats.google), stop: { stopReason: "end_turn" } });
      expect(upstream.exchanges).toHaveLength(2);
    });

    it("can refuse to answer or to read the question", async () => {
      const { upstream, createAgent, ask } = test.server;
      const blocked = JSON.stringify({ promptFeedback: { blockReason: "PROHIBITED_CONTENT" } });
      for (const lines of [ended("SAFETY"), [blocked]]) {
        upstream.script(replay("google.text", lines));
        const reply = await ask(await createAgent("gemini-3-pro-preview"), "Hello?");
        expect(reply.error).toMatchObject({ code: "MODEL_REFUSED" });
        expect(upstream.exchanges).toHaveLength(1);
      }
    });
  });

  describe("Anthropic", () => {
    const test = useServer({ ANTHROPIC_API_KEY: "sk-ant-1", ANTHROPIC_BASE_URL: "URL" });

    it("can refuse to answer", async () => {
      const { upstream, createAgent, ask, storedReply } = test.server;
      upstream.script(replay("anthropic.refusal"));
      const reply = await ask(await createAgent("claude-fable-5"), "Hello?");
      expect(reply.error).toEqual({ code: "MODEL_REFUSED", message: "The model declined to answer this." });
      expect(reply).toMatchObject({ text: "", stop: { stopReason: "error" } });
      const stored = await storedReply(reply.conversationId);
      expect(stored).toMatchObject({ content: "", stopReason: "error" });
      expect(JSON.stringify([reply, stored])).not.toMatch(/cyber|Usage Policy/);
      expect(upstream.exchanges).toHaveLength(1);
    });

    it("is told that a tool does not exist, and the reply continues", async () => {
      const { upstream, createAgent, ask, sent } = test.server;
      upstream.script((exchange) =>
        replay(upstream.exchanges.length === 1 ? "anthropic.tool-no-args" : "anthropic.text")(exchange),
      );
      const reply = await ask(await createAgent("claude-sonnet-4-5"), "Hello?");
      expect(reply.calls).toMatchObject([{ index: 1, name: "opening_hours", toolId: null, input: {} }]);
      expect(reply.results).toMatchObject([{ index: 1, isError: true }]);
      expect(reply.blocks).toHaveLength(2);
      expect(reply.stop.stopReason).toBe("end_turn");
      const result = { type: "tool_result", content: "There is no such tool.", is_error: true };
      expect(sent()[1].messages[2]).toMatchObject({ role: "user", content: [result] });
    });
  });
});

const refusal = "I'm sorry, but I can't help with opening someone else's lock.";

type Interrupted = { name: string; model: string; env: Record<string, string>; message: string; hidden: RegExp };
const interrupted: Interrupted[] = [
  {
    name: "anthropic.error",
    model: "claude-sonnet-4-5",
    env: { ANTHROPIC_API_KEY: "sk-ant-1", ANTHROPIC_BASE_URL: "URL" },
    message: "Overloaded",
    hidden: /overloaded|req_011/i,
  },
  {
    name: "openai-chat.error",
    model: "openai-compatible/test",
    env: { OPENAI_COMPATIBLE_BASE_URL: "URL" },
    message: "The server had an error while processing your request. Sorry about that! See (address) for our status.",
    hidden: /had an error|status\.openai/i,
  },
];

describe.each(interrupted)("an error event inside the stream $name", ({ name, model, env, message, hidden }) => {
  const test = useServer(env);

  it("keeps the text before it and shows the provider's message to members, not to visitors", async () => {
    const { upstream, createAgent, ask, storedReply, sent } = test.server;
    upstream.script(replay(name));
    const reply = await ask(await createAgent(model), "When do you open?");
    expect(reply.error).toEqual({ code: "MODEL_UNAVAILABLE", message: "The model cannot be reached right now." });
    expect(reply).toMatchObject({ text: "We open", stop: { stopReason: "error" } });
    expect(JSON.stringify(reply)).not.toMatch(hidden);
    const stored = await storedReply(reply.conversationId);
    expect(stored).toMatchObject({ content: "We open", stopReason: "error", failure: { message } });
    expect(sent()).toHaveLength(1);
  });
});

/** A server for the tests of one block. `URL` in the variables is replaced by the stand-in's address. */
function useServer(env: Record<string, string>) {
  const test = {} as { server: ModelServer };
  beforeAll(async () => {
    test.server = await startModelServer((url) =>
      Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value.replace("URL", url)])),
    );
  });
  afterAll(() => test.server.stop());
  return test;
}

const textIn = (name: string, { text }: Format) =>
  streamLines(name)
    .map((line) => text(JSON.parse(line) as never) ?? "")
    .join("");
const reasoningIn = (line: string) => JSON.parse(line).choices[0]?.delta.reasoning_content ?? "";
const tokens = ([inputTokens, outputTokens]: readonly [number, number]) => ({ inputTokens, outputTokens });

function without(body: object, ...names: string[]) {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));
}

const withoutLastBrace = (line: string) => line.replace(/}$/, "");
