import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { APICallError, type LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { Agent, request } from "undici";
import { afterEach, describe, expect, it } from "vitest";
import { createChatCompletionsModel, type SendStream } from "./chat-completions.ts";
import type { ModelPart } from "./chat-model.ts";

const prompt: LanguageModelV4CallOptions["prompt"] = [{ role: "user", content: [{ type: "text", text: "Hello" }] }];
const hello = 'data: {"choices":[{"delta":{"content":"Hello"}}]}\n\n';
const lastEvents = 'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';

describe("a chat completions request", () => {
  it("contains what the call specifies", async () => {
    const { sent, model } = createRecordingModel();
    const { signal } = new AbortController();
    const inputSchema = { type: "object" as const, properties: {} };
    await model.streamTo(
      {
        prompt,
        temperature: 0,
        maxOutputTokens: 100,
        tools: [{ type: "function", name: "find", inputSchema }],
        toolChoice: { type: "required" },
        headers: { "X-Trace": "1", "x-none": undefined },
        abortSignal: signal,
      },
      () => {},
    );
    const [{ body, ...rest } = { body: "" }] = sent;
    expect(rest).toEqual({
      url: "https://models.example/v1/chat/completions",
      method: "POST",
      headers: {
        accept: "text/event-stream",
        "content-type": "application/json",
        authorization: "Bearer key",
        "x-trace": "1",
      },
      signal,
    });
    expect(JSON.parse(String(body))).toEqual({
      model: "small",
      messages: [{ role: "user", content: "Hello" }],
      stream: true,
      stream_options: { include_usage: true },
      temperature: 0,
      max_tokens: 100,
      tools: [{ type: "function", function: { name: "find", parameters: inputSchema } }],
      tool_choice: "required",
    });
  });

  it("omits what the call does not specify", async () => {
    const { sent, model } = createRecordingModel();
    await model.streamTo({ prompt, tools: [], toolChoice: { type: "auto" } }, () => {});
    const names = Object.keys(JSON.parse(String(sent[0]?.body)));
    expect(names).toEqual(["model", "messages", "stream", "stream_options"]);
    expect(sent[0]).not.toHaveProperty("signal");
  });
});

describe("a refused call", () => {
  it.each([
    [429, '{"error":{"message":"Slow down"}}', "Slow down", true],
    [408, '{"error":"Too slow"}', "Too slow", true],
    [409, '{"message":"Busy"}', "Busy", true],
    [503, "<h1>Bad gateway</h1>\n", "<h1>Bad gateway</h1>", true],
    [500, "", "The model's server answered with status 500.", true],
    [401, '{"detail":"No key"}', "No key", false],
    [400, '[{"error":{"message":"Listed"}}]', "Listed", false],
    [404, "null", "null", false],
    [302, "", "The model's server answered with status 302.", false],
    [400, "x".repeat(5000), "x".repeat(1000), false],
    [400, JSON.stringify({ error: { message: "y".repeat(5000) } }), "y".repeat(4000), false],
  ])("with status %i throws, case %#", async (statusCode, body, message, isRetryable) => {
    const headers = { "retry-after": "3", "x-list": ["a", "b"], "x-none": undefined };
    const error = await catchFailure(async () => ({
      status: statusCode,
      headers,
      body: Readable.from([Buffer.from(body)]),
    }));
    expect(error).toMatchObject({
      message,
      statusCode,
      isRetryable,
      url: "https://models.example/v1/chat/completions",
    });
    expect(error).toMatchObject({ responseHeaders: { "retry-after": "3", "x-list": "a,b" } });
    expect(APICallError.isInstance(error)).toBe(true);
    expect(JSON.stringify(error)).not.toContain("Hello");
  });

  it("is read up to 64 KiB before its body is destroyed", async () => {
    let produced = 0;
    const body = new Readable({
      read() {
        produced += 1;
        this.push(Buffer.alloc(16 * 1024, "x"));
      },
    });
    expect(await catchFailure(async () => ({ status: 500, headers: {}, body }))).toMatchObject({ statusCode: 500 });
    expect(body.destroyed).toBe(true);
    expect(produced).toBeLessThan(20);
  });

  it("reports its status when the body breaks, and the abort's reason when it was aborted", async () => {
    const broken = () => new Readable({ read: (): void => void 0 }).destroy(new Error("reset"));
    expect(await catchFailure(async () => ({ status: 502, headers: {}, body: broken() }))).toMatchObject({
      statusCode: 502,
    });
    const abortSignal = AbortSignal.abort(new Error("gone"));
    const aborted = catchFailure(async () => ({ status: 502, headers: {}, body: broken() }), { prompt, abortSignal });
    expect(await aborted).toMatchObject({ message: "gone" });
  });

  it("that never reached the server rethrows the error", async () => {
    const reason = new Error("ECONNREFUSED");
    expect(await catchFailure(() => Promise.reject(reason))).toBe(reason);
  });
});

describe("a real connection", () => {
  const closing: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  it("delivers replies and is reused", async () => {
    const { stream, ended, connections } = await serve((_, response) => {
      response.write(hello);
      setImmediate(() => response.end(lastEvents));
    });
    for (let count = 0; count < 6; count += 1) {
      const parts: ModelPart[] = [];
      await stream((part) => parts.push(part));
      await ended();
      expect(parts.map((part) => part.type)).toEqual(["text-start", "text-delta", "text-end", "finish"]);
    }
    // undici opens a second connection when it is called in the same turn in which the first became free.
    expect(connections()).toBeLessThanOrEqual(2);
  });

  it.each(["a receiver that throws", "abort"])("carries %s to the server", async (how) => {
    const closed = Promise.withResolvers<void>();
    const { stream } = await serve((_, response) => {
      response.once("close", closed.resolve);
      response.write(hello);
    });
    const controller = new AbortController();
    const reading = stream(() => {
      if (how === "abort") controller.abort();
      else throw new Error("full");
    }, controller.signal);
    await expect(reading).rejects.toThrow(how === "abort" ? "aborted" : "full");
    await closed.promise;
  });

  it("that breaks causes an error, and so does an endless refusal", async () => {
    const { stream } = await serve((incoming, response) => {
      if (incoming.headers["x-case"] === "cut") response.write(hello, () => response.destroy());
      else response.writeHead(400).write("x".repeat(200_000));
    });
    const parts: ModelPart[] = [];
    const cut = stream((part) => parts.push(part), undefined, { "x-case": "cut" });
    await expect(cut).rejects.toThrow("The model's reply ended early.");
    expect(parts.at(-1)).toMatchObject({ type: "text-end" });
    await expect(stream(() => {})).rejects.toMatchObject({ statusCode: 400, message: "x".repeat(1000) });
  });

  async function serve(listener: RequestListener) {
    let count = 0;
    const server = createServer(listener).listen(0, "127.0.0.1");
    server.on("connection", () => {
      count += 1;
    });
    await once(server, "listening");
    const dispatcher = new Agent();
    let current: Readable | undefined;
    closing.push(
      () => new Promise((resolve) => server.close(resolve)),
      () => dispatcher.destroy(),
    );
    const send: SendStream = async ({ url, body: sent, ...options }) => {
      const { statusCode, headers, body } = await request(url, { ...options, body: String(sent), dispatcher });
      current = body;
      return { status: statusCode, headers, body };
    };
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/chat/completions`;
    const stream = async (onPart: (part: ModelPart) => void, abortSignal?: AbortSignal, headers = {}) => {
      const model = createChatCompletionsModel({ provider: "ollama", modelId: "small", url, headers, send });
      await model.streamTo({ prompt, ...(abortSignal && { abortSignal }) }, onPart);
    };
    const ended = async () => current?.closed || (current && once(current, "close"));
    return { stream, ended, connections: () => count };
  }
});

function createModel(send: SendStream) {
  const url = "https://models.example/v1/chat/completions";
  const headers = { Authorization: "Bearer key" };
  return createChatCompletionsModel({ provider: "openai-compatible", modelId: "small", url, headers, send });
}

function createRecordingModel() {
  const sent: Parameters<SendStream>[0][] = [];
  const model = createModel(async (request) => {
    sent.push(request);
    return { status: 200, headers: {}, body: Readable.from([Buffer.from(hello + lastEvents)]) };
  });
  return { sent, model };
}

async function catchFailure(send: SendStream, call: LanguageModelV4CallOptions = { prompt }): Promise<unknown> {
  try {
    return await createModel(send).streamTo(call, () => {});
  } catch (error) {
    return error;
  }
}
