import type { ChatEvent } from "@foyer/contract";
import { describe, expect, it, vi } from "vitest";
import { resumeChat, type StreamEvent, type StreamOptions, streamChat } from "./chat-stream.ts";
import { FoyerError } from "./foyer-error.ts";
import { createRequest } from "./request.ts";

const request = { agentId: "agent_1", messages: [{ role: "user" as const, content: "Hello" }] };
const quick = { waits: [0, 0, 0] };

const start = { type: "message_start", conversationId: "conv_1", messageId: "msg_1", conversationToken: "secret" };
const text = (words: string) => ({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: words } });
const stop = { type: "message_stop", messageId: "msg_1", stopReason: "end_turn" };
const lines = (first: number, ...events: object[]) =>
  events.map((event, index) => `id: msg_1:${first + index}\nevent: x\ndata: ${JSON.stringify(event)}\n\n`).join("");

/**
 * Creates a server that gives these responses, one per call. A text is a stream that breaks off at its end, unless it
 * contains the end of the reply.
 */
function createFakeServer(...answers: Array<string | Response | Error>) {
  const calls: Array<{ url: string; init: RequestInit }> = [];
  const fetch = async (url: string | URL | globalThis.Request, init: RequestInit = {}) => {
    calls.push({ url: String(url), init });
    const answer = answers.shift();
    if (answer instanceof Error || answer === undefined) throw answer ?? new TypeError("no answer left");
    if (typeof answer !== "string") return answer;
    return new Response(
      new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode(answer));
          if (answer.includes("message_stop")) controller.close();
          else setTimeout(() => controller.error(new TypeError("network")), 5);
        },
      }),
    );
  };
  return { calls, request: createRequest({ baseUrl: "https://chat.example/", fetch }) };
}

/** The events without their ids, in order. */
async function collectAll(events: AsyncIterable<StreamEvent>) {
  const seen = await Array.fromAsync(events);
  return seen.map(({ eventId: _, ...event }) => event);
}

const run = (server: ReturnType<typeof createFakeServer>, options: StreamOptions = quick) =>
  collectAll(streamChat(server.request, request, options));

describe("a streamed reply", () => {
  it("yields typed events and requests a resumable reply", async () => {
    const server = createFakeServer(lines(1, start, text("Hi"), stop));
    expect(await run(server)).toEqual([start, text("Hi"), stop]);
    const [{ url, init } = { url: "", init: {} }] = server.calls;
    expect(url).toBe("https://chat.example/chat");
    expect([init.method, init.credentials]).toEqual(["POST", "omit"]);
    expect(JSON.parse(String(init.body))).toEqual({ ...request, resumable: true });
  });

  it("resumes after the last received event, however often the connection breaks", async () => {
    const busy = new Response('{"error":{"code":"OVERLOADED","message":"busy"}}', { status: 503 });
    const server = createFakeServer(
      lines(1, start, text("one ")),
      new TypeError("offline"),
      busy,
      lines(3, text("two"), stop),
    );
    const onReconnect = vi.fn();
    expect(await run(server, { ...quick, onReconnect })).toEqual([start, text("one "), text("two"), stop]);
    expect(onReconnect).toHaveBeenCalledTimes(3);
    const resumed = server.calls.slice(1).map(({ url, init }) => [url, init.headers]);
    const headers = { authorization: "Bearer secret", "last-event-id": "msg_1:2" };
    expect(resumed).toEqual([1, 2, 3].map(() => ["https://chat.example/chat/conv_1/stream", headers]));
  });

  it("fails immediately with the server's message when the server refuses", async () => {
    const body = '{"data":null,"error":{"code":"RATE_LIMITED","message":"Too many messages."}}';
    const server = createFakeServer(new Response(body, { status: 429, headers: { "retry-after": "7" } }));
    const error = await run(server).catch((error) => error);
    expect(error).toBeInstanceOf(FoyerError);
    expect([error.code, error.status, error.retryAfter, error.isTemporary, error.message]).toEqual([
      "RATE_LIMITED",
      429,
      7,
      true,
      "Too many messages.",
    ]);
    expect(server.calls.length).toBe(1);
  });

  it("fails when the server is unreachable, without sending the message twice", async () => {
    const server = createFakeServer(new TypeError("offline"));
    await expect(run(server)).rejects.toMatchObject({ code: "UNREACHABLE", status: 0 });
    expect(server.calls.length).toBe(1);
  });

  it("stops resuming after the last wait, and when the conversation was deleted", async () => {
    const offline = () => new TypeError("offline");
    const lost = createFakeServer(lines(1, start), offline(), offline(), offline());
    await expect(run(lost)).rejects.toMatchObject({ code: "INTERRUPTED" });
    const gone = createFakeServer(lines(1, start), new Response("{}", { status: 404 }));
    await expect(run(gone)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it("treats a silent connection as dead", async () => {
    const silent = new Response(
      new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode(lines(1, start))) }),
    );
    const server = createFakeServer(silent, lines(2, stop));
    expect(await run(server, { ...quick, silence: 20 })).toEqual([start, stop]);
  });

  it("ends without an error when its consumer stops reading", async () => {
    const abort = new AbortController();
    const server = createFakeServer(lines(1, start));
    const seen: ChatEvent[] = [];
    for await (const { eventId: _, ...event } of streamChat(server.request, request, {
      waits: [60_000],
      signal: abort.signal,
    })) {
      seen.push(event as ChatEvent);
      abort.abort();
    }
    expect(seen).toEqual([start]);
  });

  it("provides the id of each event, so that a later page can resume the reply", async () => {
    const server = createFakeServer(lines(1, start, text("Hi"), stop));
    const events = await Array.fromAsync(streamChat(server.request, request, quick));
    expect(events.map(({ type, eventId }) => [type, eventId])).toEqual([
      ["message_start", "msg_1:1"],
      ["content_block_delta", "msg_1:2"],
      ["message_stop", "msg_1:3"],
    ]);
  });

  it("can be followed from any event", async () => {
    const server = createFakeServer(lines(5, stop));
    const key = { id: "conv_9", token: "other" };
    expect(await collectAll(resumeChat(server.request, key, { lastEventId: "msg_1:4" }))).toEqual([stop]);
    expect(server.calls[0]?.init.headers).toEqual({ authorization: "Bearer other", "last-event-id": "msg_1:4" });
  });

  it("reports that the model thinks, also between the pieces of the connection", async () => {
    const server = createFakeServer(`: thinking\n\n${lines(1, start)}: keep-alive\n\n: thinking\n\n${lines(2, stop)}`);
    const onThinking = vi.fn();
    expect(await run(server, { ...quick, onThinking })).toEqual([start, stop]);
    expect(onThinking).toHaveBeenCalledTimes(2);
  });
});
