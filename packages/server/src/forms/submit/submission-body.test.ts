import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { text } from "node:stream/consumers";
import type { Worker } from "node:worker_threads";
import fc from "fast-check";
import Fastify from "fastify";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { sendError, toAppError } from "../../http/error-replies.ts";
import { registerSubmissionBodies } from "./submission-body.ts";

const LARGE = 64 * 1024;

/** Creates an app with only the body parser, and a route that returns the parsed body. */
async function openApp(limits?: Parameters<typeof registerSubmissionBodies>[1]) {
  const app = Fastify({ bodyLimit: 24 * 1024 * 1024 });
  app.setErrorHandler((error: Error, request, reply) => sendError(toAppError(error), request, reply));
  registerSubmissionBodies(app, limits);
  app.post("/", async ({ body, submittedFiles }) => ({
    body,
    files: [...submittedFiles].map(([field, { prefix, content }]) => ({
      field,
      prefix,
      base64: Buffer.from(content).toString("base64"),
    })),
  }));
  await app.ready();
  onTestFinished(() => app.close());
  const post = async (payload: string | Buffer) => {
    const headers = { "content-type": "application/json" };
    const response = await app.inject({ method: "POST", url: "/", headers, payload });
    return { status: response.statusCode, body: response.json() };
  };
  return { app, post };
}

/** Collects the threads that are started after this call. */
function collectThreads(): Worker[] {
  const threads: Worker[] = [];
  const onThread = (message: unknown) => threads.push((message as { worker: Worker }).worker);
  subscribe("worker_threads", onThread);
  onTestFinished(() => {
    unsubscribe("worker_threads", onThread);
  });
  return threads;
}

afterEach(() => void vi.useRealTimers());

/** Pads a body, so that the thread parses it. */
const enlargeBody = (json: string) => json.replace(/\}$/, `,"padding":"${"x".repeat(LARGE)}"}`);

describe("the body of a submission", () => {
  it("is parsed the same way in the main thread and in the worker thread", async () => {
    const { post } = await openApp();
    const threads = collectThreads();
    const url = fc
      .tuple(fc.constantFrom("data:", "DATA:image/png", 'data:a/b;name="x y"'), fc.uint8Array({ maxLength: 100 }))
      .map(([start, bytes]) => `${start};base64,${Buffer.from(bytes).toString("base64")}`);
    const formData = fc.dictionary(fc.string({ unit: "grapheme" }), fc.oneof(url, fc.jsonValue()), { maxKeys: 4 });
    await fc.assert(
      fc.asyncProperty(formData, async (data) => {
        const json = JSON.stringify({ toolId: "t", formData: data });
        const [small, large] = [await post(json), await post(enlargeBody(json))];
        delete large.body.body?.padding;
        expect(large).toEqual(small);
      }),
      { numRuns: 40, examples: [[{ a: "data:;base64,QUJD", b: "data:,QUJD", "": null }]] },
    );
    expect(threads).toHaveLength(1);
  });

  it("has its files separated and replaced by empty text", async () => {
    const { post } = await openApp();
    const formData = { name: "Ada", cv: "data:text/plain;base64,QUJD", list: ["data:;base64,QUJD"], no: "data:x,QUJD" };
    const json = JSON.stringify({ toolId: "t", formData });
    for (const payload of [json, enlargeBody(json)]) {
      const { body } = await post(payload);
      expect(body.files).toEqual([{ field: "cv", prefix: "data:text/plain;base64,", base64: "QUJD" }]);
      expect(body.body).toMatchObject({ toolId: "t", formData: { ...formData, cv: "" } });
    }
  });

  it.each([
    ["no JSON", '{"formData":{},}'],
    ["not UTF-8", Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff]), Buffer.from('"}')])],
    ["__proto__", '{"formData":{"__proto__":{"a":1}}}'],
    ["an escaped __proto__", '{"formData":{"\\u005f_proto__":1}}'],
    ["a constructor", '{"formData":{"constructor":{"prototype":1}}}'],
    ["NUL", '{"formData":{"a":"\\u0000"}}'],
    ["NUL in a name", '{"formData":{"a\\u0000":1}}'],
    ["too deep", `{"formData":${'{"a":'.repeat(100)}1${"}".repeat(100)}}`],
    ["far too deep", `{"formData":${"[".repeat(50_000)}${"]".repeat(50_000)}}`],
    ["too many values", `{"formData":{"a":[${"0,".repeat(100_001)}0]}}`],
  ])("with %s gets 400, with the same message from both threads", async (_, bad) => {
    const { post } = await openApp();
    const threads = collectThreads();
    const bytes = Buffer.from(bad);
    const large = Buffer.concat([bytes.subarray(0, -1), Buffer.from(`,"padding":"${"x".repeat(LARGE)}"}`)]);
    const [here, there] = [await post(bytes), await post(large)];
    expect(here).toMatchObject({ status: 400, body: { data: null, error: { code: "VALIDATION_ERROR" } } });
    expect(there).toEqual(here);
    expect(threads).toHaveLength(1);
  });

  it("may be empty or not an object", async () => {
    const { post } = await openApp();
    expect((await post("")).body).toEqual({ files: [] });
    for (const json of ["null", "[]", '"x"', "1", '{"formData":[]}', '{"formData":null}']) {
      expect((await post(json)).body, json).toEqual({ body: JSON.parse(json), files: [] });
    }
  });
});

describe("the thread that parses large bodies", () => {
  const large = enlargeBody('{"toolId":"t"}');

  it("starts on first use and ends with the server", async () => {
    const threads = collectThreads();
    const { app, post } = await openApp();
    await post('{"toolId":"t"}');
    expect(threads).toEqual([]);
    await Promise.all([post(large), post(large)]);
    expect(threads).toHaveLength(1);
    const exit = once(threads[0] as Worker, "exit");
    await app.close();
    await exit;
  });

  it("ends after half a minute of idle time and starts again when needed", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const threads = collectThreads();
    const { post } = await openApp();
    await post(large);
    vi.advanceTimersByTime(29_000);
    expect((await post(large)).status).toBe(200);
    vi.advanceTimersByTime(29_000);
    expect((await post(large)).status).toBe(200);
    expect(threads).toHaveLength(1);
    const exit = once(threads[0] as Worker, "exit");
    vi.advanceTimersByTime(30_000);
    await exit;
    expect((await post(large)).status).toBe(200);
    expect(threads).toHaveLength(2);
  });

  it("is replaced after a crash, which rejects pending reads", async () => {
    const threads = collectThreads();
    const { post } = await openApp();
    await post(large);
    const dying = post(enlargeBody(`{"toolId":"${"y".repeat(5_000_000)}"}`));
    await threads[0]?.terminate();
    expect([200, 500]).toContain((await dying).status);
    expect((await post(large)).status).toBe(200);
    expect(threads).toHaveLength(2);
  });
});

describe("large bodies", () => {
  /** Sends a body without its last byte, or only its first `sent` bytes. */
  async function begin(port: number, body: string, { isChunked = false, sent = body.length - 1 } = {}) {
    const length = isChunked ? {} : { "content-length": body.length };
    const call = request({ port, method: "POST", headers: { "content-type": "application/json", ...length } });
    const answered = once(call, "response") as Promise<[IncomingMessage]>;
    call.on("error", () => {});
    // Ignore failures here, because some requests never get a response. The tests await the responses that must arrive.
    answered.catch(() => {});
    onTestFinished(() => void call.destroy());
    await new Promise((resolve) => call.write(body.slice(0, sent), resolve));
    return { call, answered, end: () => void call.end(body.slice(-1)) };
  }
  const readStatus = async ({ answered }: { answered: Promise<[IncomingMessage]> }) => {
    const [response] = await answered;
    return { status: response.statusCode, retryAfter: response.headers["retry-after"], body: await text(response) };
  };

  it("do not block other requests while they arrive, and are limited by the bytes received", async () => {
    const mib = 1024 * 1024;
    const { app } = await openApp({ total: 8 * mib, perClient: 3 * mib });
    await app.listen({ host: "127.0.0.1", port: 0 });
    const { port } = app.server.address() as AddressInfo;
    const sockets: Socket[] = [];
    app.server.on("connection", (socket) => sockets.push(socket));
    const waitForArrival = ({ call }: { call: ClientRequest }) => {
      const socket = sockets.find(({ remotePort }) => remotePort === call.socket?.localPort);
      return expect.poll(() => socket?.bytesRead).toBeGreaterThan(large.length - 1);
    };
    const large = enlargeBody(`{"toolId":"${"y".repeat(mib)}"}`);
    const idle = [];
    for (let i = 0; i < 12; i++) idle.push(await begin(port, large, { sent: 1 }));
    const honest = await begin(port, large);
    honest.end();
    expect((await readStatus(honest)).status).toBe(200);

    const held = [await begin(port, large), await begin(port, large)];
    // Wait for both bodies, because a third one that arrived earlier would be accepted instead.
    await Promise.all(held.map(waitForArrival));
    const third = await readStatus(await begin(port, large));
    expect([third.status, third.retryAfter]).toEqual([503, "2"]);
    expect(JSON.parse(third.body).error.code).toBe("OVERLOADED");
    // The budget of a body is released when the response is sent and when the client disconnects.
    held[0]?.end();
    expect((await readStatus(held[0] as (typeof held)[0])).status).toBe(200);
    held[1]?.call.destroy();
    const isReadable = async () => {
      const next = await begin(port, large);
      next.end();
      return (await readStatus(next)).status;
    };
    await expect.poll(isReadable).toBe(200);
  });

  it("over the limit are refused with one response, chunked or not", async () => {
    const { app } = await openApp();
    await app.listen({ host: "127.0.0.1", port: 0 });
    const { port } = app.server.address() as AddressInfo;
    for (const isChunked of [false, true]) {
      const tooLarge = await begin(port, "x".repeat(24 * 1024 * 1024 + 2), { isChunked });
      expect((await readStatus(tooLarge)).status).toBe(413);
    }
  });
});
