import { once } from "node:events";
import { Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { APICallError } from "@ai-sdk/provider";
import { afterEach, describe, expect, it, vi } from "vitest";
import { readChatCompletion } from "./chat-completions-stream.ts";
import type { ModelPart } from "./chat-model.ts";

const url = "https://models.example/v1/chat/completions";
const done = "data: [DONE]\n\n";

afterEach(() => vi.useRealTimers());

describe("streamed text", () => {
  it("arrives as one block, whatever its first event looks like, and ends with reason and usage", async () => {
    const parts = await read([
      createEvent({ role: "assistant", content: "" }),
      createEvent({ content: "Hel" }),
      createEvent({ content: "lo" }),
      createEvent({}, { finish_reason: "stop" }),
      createLine({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 } }),
      done,
    ]);
    expect(parts).toEqual([
      { type: "text-start", id: "1" },
      { type: "text-delta", id: "1", delta: "Hel" },
      { type: "text-delta", id: "1", delta: "lo" },
      { type: "text-end", id: "1" },
      {
        type: "finish",
        finishReason: { unified: "stop", raw: "stop" },
        usage: {
          inputTokens: { total: 3, noCache: 3, cacheRead: undefined, cacheWrite: undefined },
          outputTokens: { total: 2, text: 2, reasoning: undefined },
          raw: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
        },
      },
    ]);
  });

  it("in one chunk of bytes is one delta", async () => {
    const parts = await read([
      ["one", " two", " three"].map((content) => createEvent({ content })).join(""),
      createEnd("stop"),
    ]);
    expect(listDeltas(parts)).toEqual(["one two three"]);
  });

  it("is found in lines of every form", async () => {
    const parts = await read([
      ": ping\r\n\r\n",
      'event: message\r\ndata:{"choices":[{"delta":{"content":"a"}}]}\r\n\r\n',
      'id: 4\ndata: {"choices": [{"delta": {"content": "b"}}]}\n',
      'data:   {"choices":[{"delta":{"content":"c"}}]}  \ndata:\n\n\n',
      'data: {"choices":[{"delta":{"content":"d"},"finish_reason":"stop"}]}\ndata: [DONE]',
    ]);
    expect(joinText(parts)).toBe("abcd");
    expect(parts.at(-1)).toMatchObject({ type: "finish" });
  });

  it("may be null, an array of parts or a refusal", async () => {
    const content = [{ type: "text", text: "b" }, { type: "text", text: "c" }, { type: "image" }, null];
    const parts = await read([
      createEvent({ content: null }),
      createEvent({ content }),
      createEvent({ refusal: "No." }),
      createEnd("stop"),
    ]);
    expect(joinText(parts)).toBe("bcNo.");
  });

  it("is read from the chunk that also has the finish reason", async () => {
    const parts = await read([createEvent({ content: "all" }, { finish_reason: "length" }), done]);
    expect(joinText(parts)).toBe("all");
    expect(parts.at(-1)).toMatchObject({ finishReason: { unified: "length", raw: "length" } });
  });

  it("is not confused with other strings that change from line to line", async () => {
    const lines = [
      { name: "another", content: "another" },
      { name: "b", content: "another" },
      { name: "b", content: "c" },
      { name: "b", content: "d" },
      { name: 'b","content":"x', content: "e" },
    ];
    const stream = [...lines.map((delta) => createEvent(delta)), createEnd("stop")].join("");
    expect(joinText(await read([stream]))).toBe("anotheranothercde");
  });
});

describe("streamed reasoning", () => {
  it.each(["reasoning_content", "reasoning"])("in %s is a separate block", async (field) => {
    const parts = await read([
      createEvent({ [field]: "Let me" }) + createEvent({ [field]: " see." }) + createEvent({ content: "Yes" }),
      createEnd("stop"),
    ]);
    expect(parts.slice(0, -1)).toEqual([
      { type: "reasoning-start", id: "1" },
      { type: "reasoning-delta", id: "1", delta: "Let me see." },
      { type: "reasoning-end", id: "1" },
      { type: "text-start", id: "2" },
      { type: "text-delta", id: "2", delta: "Yes" },
      { type: "text-end", id: "2" },
    ]);
  });
});

describe("streamed tool calls", () => {
  const call = (fragment: object) => createEvent({ tool_calls: [fragment] });

  it("are assembled by index, in parallel, and emitted at the end", async () => {
    const parts = await read([
      createEvent({ content: "Looking. " }) +
        call({ index: 0, id: "a", type: "function", function: { name: "find", arguments: "" } }),
      call({ index: 1, id: "b", function: { name: "weather", arguments: '{"city":' } }),
      call({ index: 0, function: { arguments: '{"q":1' } }),
      createEvent({ content: "Wait" }) +
        call({ index: 1, id: "", function: { name: "", arguments: '"Rome"}' } }) +
        createEvent({ content: "." }),
      call({ index: 0, id: null, function: { name: null, arguments: "}" } }),
      createEnd("tool_calls"),
    ]);
    expect(listDeltas(parts)).toEqual(["Looking. ", "Wait", "."]);
    expect(parts.slice(-3)).toMatchObject([
      { type: "tool-call", toolCallId: "a", toolName: "find", input: '{"q":1}' },
      { type: "tool-call", toolCallId: "b", toolName: "weather", input: '{"city":"Rome"}' },
      { type: "finish", finishReason: { unified: "tool-calls", raw: "tool_calls" } },
    ]);
  });

  it.each<[string, { id?: string; index?: number }, { id?: string; index?: number }, string]>([
    ["without index", { id: "a" }, { id: "b" }, "find"],
    ["with one index for all", { index: 0, id: "a" }, { index: 0, id: "b" }, "find"],
    ["by name alone", { index: 0 }, { index: 0 }, "look"],
  ])("are told apart %s", async (_, first, second, name) => {
    const parts = await read([
      call({ ...first, function: { name: "find", arguments: '{"q":1}' } }),
      call({ ...second, function: { name, arguments: '{"q":2}' } }),
      createEnd("tool_calls"),
    ]);
    expect(listCalls(parts)).toEqual([
      [first.id ?? expect.any(String), "find", '{"q":1}'],
      [second.id ?? expect.any(String), name, '{"q":2}'],
    ]);
  });

  it("without an id get one that Mistral accepts, too", async () => {
    const whole = call({ function: { name: "find", arguments: "{}" } });
    const ids = listCalls(await read([whole, whole, createEnd("tool_calls")])).map(([id]) => id);
    const nineCharacters = expect.stringMatching(/^[A-Za-z0-9]{9}$/);
    expect(ids).toEqual([nineCharacters, nineCharacters]);
    expect(ids[0]).not.toBe(ids[1]);
  });

  it("that repeat id and name in each fragment stay one call", async () => {
    const parts = await read([
      call({ id: "a", function: { name: "find", arguments: '{"q"' } }),
      call({ id: "a", function: { name: "find", arguments: ":1}" } }),
      call({ function: { arguments: " " } }),
      createEnd("tool_calls"),
    ]);
    expect(listCalls(parts)).toEqual([["a", "find", '{"q":1} ']]);
  });

  it.each([
    [undefined, "{}"],
    ["", "{}"],
    [{ q: 1 }, '{"q":1}'],
  ])("with arguments %j have input %s", async (sent, input) => {
    const parts = await read([
      call({ index: 0, id: "a", function: { name: "find", arguments: sent } }),
      createEnd("stop"),
    ]);
    expect(listCalls(parts)).toEqual([["a", "find", input]]);
    expect(parts.at(-1)).toMatchObject({ finishReason: { unified: "tool-calls", raw: "stop" } });
  });

  it("without a name, too many or too large are errors", async () => {
    const half = "x".repeat(600_000);
    const many = Array.from({ length: 300 }, (_, index) => call({ index, id: `${index}`, function: { name: "find" } }));
    expect(await readError([call({ index: 0, id: "a" }), createEnd("tool_calls")])).toMatch("without naming it");
    expect(await readError([...many, createEnd("tool_calls")])).toMatch("too large");
    expect(
      await readError(
        [half, half].map((args) => call({ index: 0, id: "a", function: { name: "f", arguments: args } })),
      ),
    ).toMatch("too large");
  });
});

describe("the end of a stream", () => {
  it.each([
    ["content_filter", "content-filter"],
    ["function_call", "tool-calls"],
    ["error", "error"],
    ["eos", "other"],
  ])("for reason %s is %s", async (raw, unified) => {
    expect((await read([createEnd(raw)])).at(-1)).toMatchObject({ finishReason: { unified, raw } });
  });

  it("may be [DONE] without a reason, or a reason without [DONE]", async () => {
    const withoutReason = await read([createEvent({ content: "a" }), done]);
    expect(withoutReason.at(-1)).toMatchObject({ type: "finish", finishReason: { unified: "stop", raw: undefined } });
    const withoutDone = await read([createEvent({ content: "a" }, { finish_reason: "stop" }), 'data: {"choi']);
    expect(withoutDone.at(-1)).toMatchObject({ type: "finish", finishReason: { unified: "stop" } });
  });

  it("counts cached and reasoning tokens, whether or not the server includes them in the total", async () => {
    const details = {
      prompt_tokens_details: { cached_tokens: 4 },
      completion_tokens_details: { reasoning_tokens: 30 },
    };
    const usage = { prompt_tokens: 10, completion_tokens: 32, total_tokens: 42, ...details };
    const expected = {
      inputTokens: { total: 10, noCache: 6, cacheRead: 4 },
      outputTokens: { total: 32, text: 2, reasoning: 30 },
    };
    expect(await readUsage(usage)).toMatchObject(expected);
    expect(await readUsage({ ...usage, completion_tokens: 2 })).toMatchObject(expected);
    expect(await readUsage({})).toMatchObject({
      inputTokens: { total: undefined },
      outputTokens: { total: undefined },
    });
  });

  it("before a reason is an error, even within a line", async () => {
    const text = createEvent({ content: "Hello" });
    for (const cut of [[text], [text, 'data: {"choices":[{"de'], []]) {
      expect(await readError(cut)).toMatch("ended early");
    }
    expect(joinText(await read([text]))).toBe("Hello");
  });

  it("by a broken connection is an error with its cause", async () => {
    const body = createSource();
    const parts = collect(body);
    body.push(createEvent({ content: "Hello" }));
    await nextTurn();
    body.destroy(new Error("socket hang up"));
    expect((await parts).slice(-2)).toMatchObject([
      { type: "text-end" },
      { type: "error", error: { message: "The model's reply ended early.", cause: { message: "socket hang up" } } },
    ]);
  });

  it("is not missed when the body was destroyed before", async () => {
    const body = createSource();
    body.destroy();
    await once(body, "close");
    expect(await collect(body)).toMatchObject([{ type: "error" }]);
  });
});

describe("errors in the stream", () => {
  it.each([
    [{ error: { message: "Overloaded", code: 503 } }, "Overloaded", 503, true],
    [{ error: { message: "Bad key", code: "invalid_key" } }, "Bad key", undefined, false],
    [{ error: "Out of memory" }, "Out of memory", undefined, false],
    [{ object: "error", message: "Too long", code: 400 }, "Too long", 400, false],
    [{ error: {} }, "The model's server reported an error.", undefined, false],
    [{ error: { message: "x".repeat(5000) } }, "x".repeat(4000), undefined, false],
  ])("are reported for %j", async (body, message, statusCode, isRetryable) => {
    const source = [createEvent({ content: "Hm" }), createLine(body), createEnd("stop")];
    const [text, end, error] = (await read(source)).slice(1);
    expect([text, end]).toMatchObject([{ delta: "Hm" }, { type: "text-end" }]);
    expect(error).toMatchObject({ type: "error", error: { message, statusCode, isRetryable } });
    expect(error?.type === "error" && APICallError.isInstance(error.error)).toBe(true);
  });

  it("such as a line that is not JSON end it and destroy the body", async () => {
    const body = createSource();
    body.push(`${createEvent({ content: "Hm" })}data: {oops}\n\n${createEvent({ content: "more" })}`);
    const parts = await collect(body);
    expect(joinText(parts)).toBe("Hm");
    expect(parts.at(-1)).toMatchObject({
      type: "error",
      error: { message: expect.stringContaining("not valid JSON") },
    });
    expect(body.destroyed).toBe(true);
  });

  it("are not reported for events of another shape", async () => {
    const odd = [null, 5, [], "text", {}, { choices: null }, { choices: [null] }, { choices: {} }, { usage: 3 }];
    const deltas = [null, "text", { tool_calls: null }, { tool_calls: {} }, { content: 3 }, { content: [3] }];
    const lines = [...odd, ...deltas.map((delta) => ({ choices: [{ delta, finish_reason: 7 }] }))].map(createLine);
    expect((await read([...lines, createEvent({ content: "ok" }), createEnd("stop")])).slice(0, -1)).toEqual(
      (await read([createEvent({ content: "ok" }), createEnd("stop")])).slice(0, -1),
    );
  });

  it("are reported for a line above 1 MiB, complete or not, but not for one just below", async () => {
    const piece = "x".repeat(64 * 1024);
    const endless = createSource();
    const parts = collect(endless);
    for (let count = 0; count < 17; count += 1) endless.push(piece);
    expect((await parts).at(-1)).toMatchObject({ error: { message: expect.stringContaining("1 MiB") } });
    expect(endless.destroyed).toBe(true);
    const short = createEvent({ content: "a" });
    expect(await readError([short + createEvent({ content: piece.repeat(16) }) + createEnd("stop")])).toMatch("1 MiB");
    expect(joinText(await read([createEvent({ content: piece.repeat(15) }) + createEnd("stop")]))).toHaveLength(
      15 * piece.length,
    );
  });
});

describe("the body of a stream", () => {
  it("is destroyed immediately when the receiver throws, which gets nothing more", async () => {
    const body = createSource();
    const received: ModelPart[] = [];
    const reading = readChatCompletion(
      body,
      (part) => {
        received.push(part);
        if (part.type === "text-delta") throw new Error("full");
      },
      { url },
    );
    body.push(createEvent({ content: "Hello" }) + createEnd("stop"));
    await expect(reading).rejects.toThrow("full");
    expect(body.destroyed).toBe(true);
    expect(received.map(({ type }) => type)).toEqual(["text-start", "text-delta"]);
  });

  it("is destroyed immediately when the call is aborted, and reading fails with the reason", async () => {
    const body = createSource();
    const controller = new AbortController();
    const { signal } = controller;
    const received: ModelPart[] = [];
    const reading = readChatCompletion(body, (part) => received.push(part), { url, signal });
    body.push(createEvent({ content: "Hello" }));
    await nextTurn();
    controller.abort(new Error("gone"));
    expect(body.destroyed).toBe(true);
    body.push(createEvent({ content: "more" }));
    await expect(reading).rejects.toThrow("gone");
    expect(joinText(received)).toBe("Hello");
    await expect(readChatCompletion(createSource(), () => {}, { url, signal })).rejects.toThrow("gone");
  });

  it("passes nothing more on once the receiver has aborted the call", async () => {
    const body = createSource();
    const controller = new AbortController();
    const received: ModelPart[] = [];
    const take = (part: ModelPart) => {
      received.push(part);
      controller.abort(new Error("left"));
    };
    const reading = readChatCompletion(body, take, { url, signal: controller.signal });
    body.push(createEvent({ content: "Hello" }) + createEnd("stop"));
    await expect(reading).rejects.toThrow("left");
    expect(received).toHaveLength(1);
  });

  it("may end after the last event, and is destroyed otherwise", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    for (const ends of [true, false]) {
      const body = createSource();
      body.push(createEvent({ content: "a" }) + done);
      await collect(body);
      expect(body.destroyed).toBe(false);
      if (ends) body.push(null);
      else vi.runAllTimers();
      await once(body, "close");
      expect(body.readableEnded).toBe(ends);
      expect(vi.getTimerCount()).toBe(0);
    }
  });
});

function createLine(value: unknown) {
  return `data: ${JSON.stringify(value)}\n\n`;
}

function createEvent(delta: object, choice: object = {}) {
  return createLine({ id: "c1", model: "m", choices: [{ index: 0, delta, finish_reason: null, ...choice }] });
}

function createEnd(reason: string) {
  return createEvent({}, { finish_reason: reason }) + done;
}

function createSource() {
  return new Readable({ read() {} });
}

function read(chunks: (string | Uint8Array)[]): Promise<ModelPart[]> {
  const body = createSource();
  for (const chunk of chunks) body.push(chunk);
  body.push(null);
  return collect(body);
}

/** The parts of the body. A failure is the last one. */
async function collect(body: Readable): Promise<ModelPart[]> {
  const parts: ModelPart[] = [];
  try {
    await readChatCompletion(body, (part) => parts.push(part), { url });
  } catch (error) {
    parts.push({ type: "error", error });
  }
  return parts;
}

async function readError(chunks: string[]) {
  const last = (await read(chunks)).at(-1);
  return last?.type === "error" && last.error instanceof Error ? last.error.message : "no error";
}

async function readUsage(usage: object) {
  const last = (await read([createEvent({}, { finish_reason: "stop" }), createLine({ choices: [], usage }), done])).at(
    -1,
  );
  return last?.type === "finish" ? last.usage : undefined;
}

function listDeltas(parts: ModelPart[]) {
  return parts.flatMap((part) => (part.type === "text-delta" ? [part.delta] : []));
}

function joinText(parts: ModelPart[]) {
  return listDeltas(parts).join("");
}

function listCalls(parts: ModelPart[]) {
  return parts.flatMap((part) => (part.type === "tool-call" ? [[part.toolCallId, part.toolName, part.input]] : []));
}
