import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { describe, expect, it, vi } from "vitest";
import { toChain } from "../../../../../test/model-chain.ts";
import type { ChatModel, ModelPart } from "../../models/chat-model.ts";
import type { ToolOutcome } from "../../tools/tool-outcome.ts";
import { type LoopInput, type ReplyOutput, runAgentLoop } from "./agent-loop.ts";

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
};
const finish: ModelPart = { type: "finish", usage, finishReason: { unified: "stop", raw: "stop" } };
const text = (delta: string): ModelPart[] => [
  { type: "text-start", id: "1" },
  { type: "text-delta", id: "1", delta },
  { type: "text-end", id: "1" },
];
const call = (toolCallId: string, toolName: string, input = "{}"): ModelPart => ({
  type: "tool-call",
  toolCallId,
  toolName,
  input,
});

/** A model that gives one scripted response per step and records its prompts. */
function createScriptedModel(...answers: ModelPart[][]) {
  const asked: LanguageModelV4CallOptions[] = [];
  const model: ChatModel = {
    provider: "test",
    modelId: "scripted",
    async doStream(options) {
      asked.push(options);
      const parts = answers[Math.min(asked.length, answers.length) - 1] ?? [];
      const stream = new ReadableStream<ModelPart>({
        start(controller) {
          for (const part of [...parts, finish]) controller.enqueue(part);
          controller.close();
        },
      });
      return { stream };
    },
  };
  return { model, asked };
}

const outcome = (result: string, isError = false): ToolOutcome => ({
  result,
  isError,
  displayConfig: null,
  display: null,
  forModel: result,
});

function run(model: ChatModel, more: Partial<LoopInput> = {}, moreOutput: Partial<ReplyOutput> = {}) {
  const said: string[] = [];
  const input: LoopInput = {
    models: toChain(model),
    prompt: [{ role: "user", content: [{ type: "text", text: "Hi" }] }],
    tools: [],
    temperature: 0.7,
    maxSteps: 8,
    limits: { idleTimeout: 5_000, totalTimeout: 5_000 },
    find: (name) => ({ id: `tool_${name}`, label: null, executionType: "mock" }),
    runTool: async ({ name }) => outcome(`${name} done`),
    signal: new AbortController().signal,
    ...more,
  };
  const result = runAgentLoop(input, {
    text: (delta) => said.push(delta),
    closeText: () => {},
    toolUse: ({ name }) => said.push(`> ${name}`),
    toolResult: ({ name }, { result, isError }) => said.push(`< ${name}: ${result}${isError ? " (error)" : ""}`),
    ...moreOutput,
  });
  return { said, result };
}

describe("the agent loop", () => {
  it("ends a reply whose model sends reasoning without end and without text", async () => {
    const blocks = Array.from({ length: 30_000 }, (_, index): ModelPart => {
      return { type: "reasoning-start", id: `${index}`, providerMetadata: { test: { signature: "s".repeat(150) } } };
    });
    const { model } = createScriptedModel(blocks);
    expect((await run(model).result).stopReason).toBe("max_steps");
  });

  it("ends with the first response that calls nothing, and adds up the usage of all steps", async () => {
    const { model, asked } = createScriptedModel(
      [...text("Let me see."), call("c1", "hours")],
      text("We open at nine."),
    );
    const { said, result } = run(model);
    expect(await result).toEqual({
      stopReason: "end_turn",
      usage: { inputTokens: 20, cachedInputTokens: 0, outputTokens: 10 },
    });
    expect(said).toEqual(["Let me see.", "> hours", "< hours: hours done", "We open at nine."]);
    expect(asked[1]?.prompt.slice(1)).toEqual([
      {
        role: "assistant",
        content: [
          { type: "text", text: "Let me see." },
          { type: "tool-call", toolCallId: "c1", toolName: "hours", input: {} },
        ],
      },
      {
        role: "tool",
        content: [
          { type: "tool-result", toolCallId: "c1", toolName: "hours", output: { type: "text", value: "hours done" } },
        ],
      },
    ]);
  });

  it("gives a call a new id when the model repeats an id or sends none, within a step or across steps", async () => {
    const first = [call("call_0", "hours"), call("call_0", "prices"), call("", "stock")];
    const { model, asked } = createScriptedModel(first, [call("call_0", "hours")], text("Done."));
    const seen: string[] = [];
    await run(model, {
      runTool: async ({ id, name }) => {
        seen.push(id);
        return outcome(name);
      },
    }).result;
    expect(seen[0]).toBe("call_0");
    expect(new Set(seen).size).toBe(4);
    for (const id of seen.slice(1)) expect(id).toMatch(/^[A-Za-z0-9]{9}$/);
    const sent = (asked[2]?.prompt ?? []).flatMap(({ role, content }) =>
      role === "assistant" ? content.flatMap((part) => (part.type === "tool-call" ? [part.toolCallId] : [])) : [],
    );
    const answered = (asked[2]?.prompt ?? []).flatMap(({ role, content }) =>
      role === "tool" ? content.flatMap((part) => (part.type === "tool-result" ? [part.toolCallId] : [])) : [],
    );
    expect([sent, answered]).toEqual([seen, seen]);
  });

  it("runs the calls of a step concurrently and reports them in order", async () => {
    const { model } = createScriptedModel([call("a", "slow"), call("b", "fast")], text("Done."));
    const fastRan = Promise.withResolvers<void>();
    const { said, result } = run(model, {
      async runTool({ name }) {
        // The first call ends only if both run concurrently.
        if (name === "slow") await fastRan.promise;
        else fastRan.resolve();
        return outcome("ok");
      },
    });
    await result;
    expect(said).toEqual(["> slow", "< slow: ok", "> fast", "< fast: ok", "Done."]);
  });

  it("runs at most 16 calls of a step, four at a time, and tells the model how many it left out", async () => {
    const calls = Array.from({ length: 256 }, (_, index) => call(`c${index}`, `tool_${index}`));
    const { model, asked } = createScriptedModel(calls, text("Done."));
    const names: string[] = [];
    let [running, most] = [0, 0];
    const { result } = run(model, {
      async runTool({ name }) {
        names.push(name);
        most = Math.max(most, ++running);
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        return outcome("ok");
      },
    });
    expect((await result).stopReason).toBe("end_turn");
    expect(names).toEqual(Array.from({ length: 16 }, (_, index) => `tool_${index}`));
    expect(most).toBe(4);
    const [, answer, results] = asked[1]?.prompt ?? [];
    expect([answer?.content, results?.content].map((parts) => parts?.length)).toEqual([16, 16]);
    expect(JSON.stringify(results)).toContain("240 more calls were not run: at most 16 run in one step.");
  });

  it("reports a failure to the model and continues", async () => {
    const { model, asked } = createScriptedModel([call("a", "broken")], text("Sorry."));
    const { said, result } = run(model, { runTool: async () => outcome("It is closed.", true) });
    expect((await result).stopReason).toBe("end_turn");
    expect(said).toEqual(["> broken", "< broken: It is closed. (error)", "Sorry."]);
    expect(JSON.stringify(asked[1]?.prompt)).toContain('{"type":"error-text","value":"It is closed."}');
  });

  it("stops after the maximum number of steps", async () => {
    const { model, asked } = createScriptedModel([call("a", "again")]);
    const { result } = run(model, { maxSteps: 8 });
    expect((await result).stopReason).toBe("max_steps");
    expect(asked).toHaveLength(8);
  });

  it("runs a call without arguments, and explains malformed ones to the model instead of running the tool", async () => {
    const { model, asked } = createScriptedModel([call("a", "empty", ""), call("b", "broken", "{oops")], text("."));
    const inputs: unknown[] = [];
    const { result } = run(model, {
      async runTool({ input }) {
        inputs.push(input);
        return outcome("ok");
      },
    });
    await result;
    expect(inputs).toEqual([{}]);
    expect(JSON.stringify(asked[1]?.prompt)).toContain("The input is not valid JSON.");
  });

  it("returns reasoning with its signature to the model within the reply, and shows none of it", async () => {
    const signature = { anthropic: { signature: "s" } };
    const reasoning: ModelPart[] = [
      { type: "reasoning-start", id: "r" },
      { type: "reasoning-delta", id: "r", delta: "Hm." },
      { type: "reasoning-end", id: "r", providerMetadata: signature },
    ];
    const { model, asked } = createScriptedModel([...reasoning, call("a", "hours")], text("Nine."));
    const { said, result } = run(model);
    await result;
    expect(said.join()).not.toContain("Hm.");
    expect(asked[1]?.prompt[1]).toMatchObject({
      content: [{ type: "reasoning", text: "Hm.", providerOptions: signature }, { type: "tool-call" }],
    });
  });

  it("separates reasoning blocks that end together", async () => {
    const delta = (id: string, text: string): ModelPart => ({ type: "reasoning-delta", id, delta: text });
    const end = (id: string): ModelPart => ({
      type: "reasoning-end",
      id,
      providerMetadata: { openai: { itemId: id } },
    });
    const start = (id: string): ModelPart => ({ type: "reasoning-start", id });
    const both = [start("a"), start("b"), delta("a", "One."), delta("b", "Two."), end("a"), end("b")];
    const { model, asked } = createScriptedModel([...both, call("c", "hours")], text("Nine."));
    await run(model).result;
    expect(asked[1]?.prompt[1]).toMatchObject({
      content: [
        { text: "One.", providerOptions: { openai: { itemId: "a" } } },
        { text: "Two.", providerOptions: { openai: { itemId: "b" } } },
        { type: "tool-call" },
      ],
    });
  });

  it("does not treat a refusal as a reply, even after reasoning", async () => {
    const refusal: ModelPart = { type: "finish", usage, finishReason: { unified: "content-filter", raw: "refusal" } };
    const reasoning: ModelPart[] = [
      { type: "reasoning-start", id: "r" },
      { type: "reasoning-end", id: "r" },
    ];
    await expect(run(createScriptedModel([...reasoning, refusal]).model).result).rejects.toMatchObject({
      code: "MODEL_REFUSED",
    });
  });

  describe("when the model says nothing", () => {
    const reasoning: ModelPart[] = [
      { type: "reasoning-start", id: "r" },
      { type: "reasoning-delta", id: "r", delta: "Hm." },
    ];

    it("asks once more", async () => {
      const { model, asked } = createScriptedModel([], text("We open at nine."));
      const { said, result } = run(model);
      expect((await result).stopReason).toBe("end_turn");
      expect([said, asked.length]).toEqual([["We open at nine."], 2]);
    });

    it.each<[string, ModelPart[], RegExp]>([
      ["nothing", [], /empty reply/],
      ["only white space", text("\n\n"), /empty reply/],
      ["only thoughts", reasoning, /thoughts/],
    ])("fails after two replies of %s and says so to members", async (_, parts, message) => {
      const { model, asked } = createScriptedModel(parts);
      const failure = await run(model).result.catch((error: unknown) => error);
      expect(failure).toMatchObject({ code: "MODEL_UNAVAILABLE", cause: { message: expect.stringMatching(message) } });
      expect(asked).toHaveLength(2);
    });

    it("after a tool has done what was asked, the reply is complete", async () => {
      const { model } = createScriptedModel([call("a", "book")], []);
      expect((await run(model).result).stopReason).toBe("end_turn");
    });

    it("after a search, the reply fails", async () => {
      const { model } = createScriptedModel([call("a", "search")], []);
      const find = () => ({ id: null, label: null, executionType: "documents" });
      await expect(run(model, { find }).result).rejects.toMatchObject({ code: "MODEL_UNAVAILABLE" });
    });
  });

  describe("when a limit cuts the model off", () => {
    const end = (unified: "length" | "content-filter"): ModelPart => ({
      type: "finish",
      usage,
      finishReason: { unified, raw: unified },
    });

    it.each([
      ["length", "max_tokens"],
      ["content-filter", "content_filter"],
    ] as const)("a text that ends with %s has the stop reason %s", async (reason, stopReason) => {
      const model = createModelOf([...text("Our bikes cost between"), end(reason)]);
      expect((await run(model).result).stopReason).toBe(stopReason);
    });

    it("a cut call is explained to the model, and fails the reply when it is repeated", async () => {
      const asked: LanguageModelV4CallOptions[] = [];
      const model = createModelOf([call("", "hours", '{"day":"Mon'), end("length")], asked);
      const failure = await run(model).result.catch((error: unknown) => error);
      expect(failure).toMatchObject({ cause: { message: expect.stringContaining("limit of tokens") } });
      expect(JSON.stringify(asked[1]?.prompt)).toContain("reached the limit of tokens");
      expect(asked).toHaveLength(3);
    });

    /** A model whose every reply is these parts. */
    function createModelOf(parts: ModelPart[], asked: LanguageModelV4CallOptions[] = []): ChatModel {
      return {
        provider: "test",
        modelId: "cut",
        async streamTo(options, onPart) {
          asked.push(options);
          for (const part of parts) onPart(part);
        },
      };
    }
  });

  it("ends when it is aborted between steps", async () => {
    const abort = new AbortController();
    const { model, asked } = createScriptedModel([call("a", "hours")]);
    const runTool = async () => {
      abort.abort();
      return outcome("too late");
    };
    await expect(run(model, { runTool, signal: abort.signal }).result).rejects.toThrow(/abort/i);
    expect(asked).toHaveLength(1);
  });
});

describe("a model that thinks", () => {
  /** A model whose steps send their parts when the test says so. */
  function createSlowModel() {
    const steps: Array<ReadableStreamDefaultController<ModelPart>> = [];
    const model: ChatModel = {
      provider: "test",
      modelId: "slow",
      doStream: async () => ({ stream: new ReadableStream<ModelPart>({ start: (step) => void steps.push(step) }) }),
    };
    return { model, steps };
  }
  const thought: ModelPart = { type: "reasoning-delta", id: "r", delta: "Hm" };

  it("is reported every 2 s before the first word of a step, and not after it", async () => {
    vi.useFakeTimers();
    try {
      const { model, steps } = createSlowModel();
      const thinking = vi.fn();
      const { result } = run(model, { limits: { idleTimeout: 60_000, totalTimeout: 60_000 } }, { thinking });
      await vi.advanceTimersByTimeAsync(1_999);
      expect(thinking).toHaveBeenCalledTimes(0);
      steps[0]?.enqueue(thought);
      await vi.advanceTimersByTimeAsync(2_001);
      expect(thinking).toHaveBeenCalledTimes(2);
      for (const part of [...text("Let me see."), call("c1", "hours")]) steps[0]?.enqueue(part);
      await vi.advanceTimersByTimeAsync(4_000);
      expect(thinking).toHaveBeenCalledTimes(2);
      steps[0]?.enqueue(finish);
      steps[0]?.close();
      await vi.advanceTimersByTimeAsync(2_100);
      expect(thinking).toHaveBeenCalledTimes(3);
      for (const part of [...text("At nine."), finish]) steps[1]?.enqueue(part);
      steps[1]?.close();
      await result;
      await vi.advanceTimersByTimeAsync(10_000);
      expect(thinking).toHaveBeenCalledTimes(3);
    } finally {
      vi.useRealTimers();
    }
  });
});
