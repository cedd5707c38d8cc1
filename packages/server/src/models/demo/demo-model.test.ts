import type {
  LanguageModelV4FunctionTool,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultOutput,
} from "@ai-sdk/provider";
import fc from "fast-check";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { ModelPart } from "../chat-model.ts";
import { createDemoModel } from "./demo-model.ts";

/** Replaces the pauses between words. The tests check how many there are and that an abort ends them. */
const pauses = vi.hoisted(() => ({ count: 0, onPause: (_count: number) => {} }));
vi.mock("node:timers/promises", () => ({
  async setTimeout(_ms: number, _value: unknown, options?: { signal?: AbortSignal }) {
    pauses.onPause(++pauses.count);
    options?.signal?.throwIfAborted();
  },
}));
beforeEach(() => {
  pauses.count = 0;
  pauses.onPause = () => {};
});

const systemPrompt = `You are Harbour, the assistant of Harbour Bikes. Never promise a discount.
Opening hours:
- Weekdays: 9:00 to 18:00
- Sunday: closed
Test rides are free. Our blog is about winter riding.`;

const hours: LanguageModelV4FunctionTool = {
  type: "function",
  name: "opening_hours",
  description: "Tells when the shop is open.",
  inputSchema: { type: "object", properties: {} },
};

const system = { role: "system" as const, content: systemPrompt };
const user = (text: string) => ({ role: "user" as const, content: [{ type: "text" as const, text }] });
const called = { type: "tool-call" as const, toolCallId: "c", toolName: "opening_hours", input: {} };
const result = (output: LanguageModelV4ToolResultOutput): LanguageModelV4Prompt => [
  system,
  user("When are you open?"),
  { role: "assistant", content: [called] },
  { role: "tool", content: [{ type: "tool-result", toolCallId: "c", toolName: "opening_hours", output }] },
];

async function ask(
  prompt: LanguageModelV4Prompt,
  options: { tools?: LanguageModelV4FunctionTool[]; announce?: boolean } = {},
) {
  const model = createDemoModel({ modelId: "foyer/demo", announce: options.announce ?? false });
  const { stream } = await model.doStream({ prompt, tools: options.tools ?? [] });
  return Array.fromAsync(stream);
}

const textOf = (parts: ModelPart[]) => parts.map((part) => (part.type === "text-delta" ? part.delta : "")).join("");
const answer = async (...args: Parameters<typeof ask>) => textOf(await ask(...args));

describe("the demo model's stream", () => {
  it("sends the reply word by word", async () => {
    const prompt = [system, user("Are test rides free?")];
    const parts = await ask(prompt);
    expect(parts.map((part) => (part.type === "text-delta" ? part.delta : part.type))).toEqual([
      "stream-start",
      "text-start",
      "Test ",
      "rides ",
      "are ",
      "free.",
      "text-end",
      "finish",
    ]);
    expect(pauses.count).toBe(4);
    expect(parts.at(-1)).toMatchObject({
      finishReason: { unified: "stop" },
      usage: { inputTokens: { total: Math.ceil(JSON.stringify(prompt).length / 4) }, outputTokens: { total: 5 } },
    });
  });

  it("counts no tokens for the bytes of a picture", async () => {
    const data = { type: "data" as const, data: new Uint8Array(100_000) };
    const picture = { type: "file" as const, mediaType: "image/png", data };
    const finish = (await ask([system, { role: "user", content: [picture] }])).at(-1);
    expect(finish).toMatchObject({ usage: { inputTokens: { total: expect.any(Number) } } });
    expect(finish?.type === "finish" && finish.usage.inputTokens.total).toBeLessThan(1_000);
  });

  it("sends scripts without spaces in pieces", async () => {
    const parts = await ask([{ role: "system", content: "営業時間は9時から18時です。" }, user("営業時間は？")]);
    expect(textOf(parts)).toBe("営業時間は9時から18時です。");
    expect(parts.filter((part) => part.type === "text-delta").length).toBeGreaterThan(5);
  });

  it.each([
    ["When are you open?", "Opening hours:\n- Weekdays: 9:00 to 18:00\n- Sunday: closed"],
    [
      "Do you promise a discount?",
      /^I found nothing about that in what I was given\. I am Foyer's built-in demo\. I am not an AI model/,
    ],
    ["Hello Harbour", /^Hello\. I am Foyer's built-in demo\..*You can ask me about: Opening hours\.$/],
    ["Guten Tag", /^Hello\./],
    ["こんにちは", /^Hello\./],
    ["Thank you very much", /^You are welcome\./],
    ["Bye", /^Goodbye\./],
    ["Are you a real person?", /I am not an AI model/],
    ["Who are you?", /^I am Foyer's built-in demo/],
    ["Hi, are test rides free?", "Test rides are free."],
    ["Thanks, and the blog?", "Our blog is about winter riding."],
    ["", /^I found nothing about that/],
  ])("replies to %j", async (message, expected) => {
    expect(await answer([system, user(message)])).toEqual(
      typeof expected === "string" ? expected : expect.stringMatching(expected),
    );
  });

  it("calls the requested tool once and replies from its result", async () => {
    const parts = await ask([system, user("When are you open?")], { tools: [hours] });
    expect(parts.map((part) => part.type)).toEqual(["stream-start", "tool-call", "finish"]);
    expect(parts[1]).toMatchObject({ toolName: "opening_hours", input: "{}" });
    expect(parts[2]).toMatchObject({ finishReason: { unified: "tool-calls" } });
    const after = await ask(result({ type: "text", value: " 9 to 18 \n" }), { tools: [hours] });
    expect(textOf(after)).toBe("9 to 18");
    expect(after.some((part) => part.type === "tool-call")).toBe(false);
  });

  it("calls no tool when told not to", async () => {
    const call = {
      prompt: [system, user("When are you open?")],
      tools: [hours],
      toolChoice: { type: "none" as const },
    };
    const { stream } = await createDemoModel({ modelId: "x", announce: false }).doStream(call);
    expect(textOf(await Array.fromAsync(stream))).toContain("Weekdays");
  });

  it("says once per reply that no provider is configured, in the first text", async () => {
    const said = /^No model provider is configured.*\n\nTest rides are free\.$/;
    expect(await answer([system, user("Are test rides free?")], { announce: true })).toMatch(said);
    expect(await answer([system, user("When are you open?")], { announce: true, tools: [hours] })).toBe("");
    const shown = result({ type: "text", value: "9 to 18" });
    expect(await answer(shown, { announce: true })).toMatch(/^No model provider is configured.*\n\n9 to 18$/);
    const spoken = [
      ...shown.slice(0, 2),
      { role: "assistant" as const, content: [{ type: "text" as const, text: "…" }, called] },
    ];
    expect(await answer([...spoken, ...shown.slice(3)], { announce: true })).toBe("9 to 18");
  });

  it.each<[LanguageModelV4ToolResultOutput, string]>([
    [{ type: "text", value: "" }, '"opening hours" gave no result.'],
    [{ type: "json", value: null }, '"opening hours" gave no result.'],
    [{ type: "text", value: "[broken" }, "[broken"],
    [
      { type: "text", value: '{"bikeName":"City","in_stock":true,"left":3,"note":null}' },
      "- Bike name: City\n- In stock: yes\n- Left: 3",
    ],
    [{ type: "json", value: { hours: "9 to 18" } }, "Hours: 9 to 18"],
    [
      { type: "json", value: { a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7 } },
      "- A: 1\n- B: 2\n- C: 3\n- D: 4\n- E: 5\n- F: 6\n- and 1 more",
    ],
    [{ type: "json", value: [1, 2, 3, 4, 5, 6, 7] }, "- 1\n- 2\n- 3\n- 4\n- 5\n- 6\n- and 1 more"],
    [
      { type: "json", value: { total: 1, bikes: [{ name: "City", sizes: ["S", "M"] }] } },
      "- Total: 1\n- Bikes: Name: City, Sizes: S, M",
    ],
    [{ type: "content", value: [{ type: "text", text: "9 to 18" }] }, "9 to 18"],
    [{ type: "error-text", value: "HTTP 500" }, 'That did not work: "opening hours" failed. HTTP 500'],
    [
      { type: "error-json", value: { error: { message: "Timed out" } } },
      'That did not work: "opening hours" failed. Timed out',
    ],
    [{ type: "execution-denied" }, '"opening hours" was not allowed.'],
    [{ type: "text", value: "The form was shown to the visitor." }, "Please fill in the form."],
    [{ type: "json", value: { status: "form_shown" } }, "Please fill in the form."],
    [{ type: "text", value: "More information is shown in the shop." }, "More information is shown in the shop."],
  ])("reports the result %j", async (output, text) => {
    expect(await answer(result(output))).toBe(text);
  });

  it("cuts a long result between words", async () => {
    const text = await answer(result({ type: "text", value: "spoke ".repeat(10_000) }));
    expect(text.length).toBeLessThan(1300);
    expect(text).toMatch(/ spoke …$/);
  });

  it("is the same for the same prompt", async () => {
    const prompt = [system, user("Tell me about the blog and the weekdays")];
    expect(await ask(prompt)).toEqual(await ask(prompt));
  });

  it("stops when it is aborted", async () => {
    const controller = new AbortController();
    pauses.onPause = (count) => {
      if (count === 3) controller.abort(new Error("gone"));
    };
    const call = { prompt: [system, user("nothing of the kind")], abortSignal: controller.signal };
    const { stream } = await createDemoModel({ modelId: "foyer/demo", announce: false }).doStream(call);
    const seen: string[] = [];
    const reading = (async () => {
      for await (const part of stream) seen.push(part.type);
    })();
    await expect(reading).rejects.toThrow("gone");
    expect(seen.filter((type) => type === "text-delta")).toHaveLength(3);
    expect(pauses.count).toBe(3);
  });

  it("stops when its reader leaves", async () => {
    const { stream } = await createDemoModel({ modelId: "foyer/demo", announce: false }).doStream({
      prompt: [user("?")],
    });
    const reader = stream.getReader();
    await reader.read();
    await reader.cancel();
    const soFar = pauses.count;
    await new Promise(setImmediate);
    expect(pauses.count).toBe(soFar);
  });

  it("has exactly one finish and no empty word", async () => {
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.string({ unit: "grapheme" }),
      fc.constantFrom("open?", systemPrompt),
    );
    await fc.assert(
      fc.asyncProperty(text, text, fc.boolean(), async (prompt, message, announce) => {
        const parts = await ask([{ role: "system", content: prompt }, user(message)], { tools: [hours], announce });
        expect(parts.filter((part) => part.type === "finish")).toHaveLength(1);
        expect(parts.at(-1)?.type).toBe("finish");
        expect(parts.length).toBeGreaterThan(2);
        expect(parts.every((part) => part.type !== "text-delta" || part.delta !== "")).toBe(true);
      }),
    );
  });
});
