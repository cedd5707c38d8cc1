import { expect, it, vi } from "vitest";
import { conversationEvents, inboxEvents, type LiveStreamOptions } from "./live-streams.ts";
import { createRequest } from "./request.ts";

const key = { id: "conv_1", token: "secret" };
const quick = { waits: [0] };
const ownership = (handler: string, epoch: number) => ({
  type: "ownership",
  ownership: { handler, epoch, assignee: null, handoff: null },
});
const message = (id: string) => ({ type: "message", message: { id } });
const line = (id: string, event: { type: string }) =>
  `id: ${id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

/**
 * Creates a server that gives these responses, one per call. A text is a stream that breaks off at its end, unless it
 * ends with `end`.
 */
function createFakeServer(...answers: Array<string | Response | Error>) {
  const calls: Array<{ url: string; headers: unknown }> = [];
  const fetch = async (url: string | URL | globalThis.Request, init: RequestInit = {}) => {
    calls.push({ url: String(url), headers: init.headers });
    const answer = answers.shift();
    if (answer instanceof Error || answer === undefined) throw answer ?? new TypeError("no answer left");
    if (typeof answer !== "string") return answer;
    return new Response(
      new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode(answer.replace(/end$/, "")));
          if (answer.endsWith("end")) controller.close();
          else setTimeout(() => controller.error(new TypeError("network")), 5);
        },
      }),
    );
  };
  return { calls, request: createRequest({ baseUrl: "https://chat.example", fetch }) };
}

async function collectAll(server: ReturnType<typeof createFakeServer>, options: LiveStreamOptions = quick) {
  const events = await Array.fromAsync(conversationEvents(server.request, key, options));
  return events.map(({ eventId }) => eventId);
}

it("a live stream continues after the last event, however often the connection breaks or the server ends it", async () => {
  const busy = new Response('{"error":{"code":"OVERLOADED","message":"busy"}}', { status: 503 });
  const server = createFakeServer(
    line("1:4", ownership("waiting", 1)) + line("1:5", message("msg_5")),
    new TypeError("offline"),
    busy,
    `${line("2:5", ownership("human", 2)) + line("2:6", message("msg_6"))}retry: 0\n\nend`,
    line("3:6", ownership("agent", 3)),
  );
  const onReconnect = vi.fn();
  const options = { ...quick, lastEventId: "1:3", onReconnect };
  expect(await collectAll(server, options)).toEqual(["1:4", "1:5", "2:5", "2:6", "3:6"]);
  expect(onReconnect).toHaveBeenCalledTimes(4);
  const sent = (id: string) => ({
    url: "https://chat.example/conversations/conv_1/events",
    headers: { authorization: "Bearer secret", "last-event-id": id },
  });
  expect(server.calls).toEqual(["1:3", "1:5", "1:5", "1:5", "2:6"].map(sent));
});

it("a live stream ends with the server's error when the conversation was deleted or the session has ended", async () => {
  const deleted = createFakeServer(line("1:4", ownership("waiting", 1)), new Response("{}", { status: 404 }));
  await expect(collectAll(deleted)).rejects.toMatchObject({ code: "NOT_FOUND" });
  const body = '{"error":{"code":"UNAUTHORIZED","message":"Sign in first."}}';
  const signedOut = createFakeServer(new Response(body, { status: 401 }));
  await expect(inboxEvents(signedOut.request, quick).next()).rejects.toMatchObject({ code: "UNAUTHORIZED" });
  expect(signedOut.calls[0]?.url).toBe("https://chat.example/inbox/events");
});

it("a live stream treats a connection as dead that was silent for too long, such as after a sleep", async () => {
  const silent = new Response(
    new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode(line("1:1", ownership("waiting", 1)))),
    }),
  );
  const server = createFakeServer(silent, line("2:1", ownership("agent", 2)));
  expect(await collectAll(server, { ...quick, silence: 20 })).toEqual(["1:1", "2:1"]);
});

it("a live stream waits as long as the server asks before it reconnects", async () => {
  vi.useFakeTimers();
  try {
    const limited = new Response('{"error":{"code":"RATE_LIMITED","message":"Too many."}}', {
      status: 429,
      headers: { "retry-after": "7" },
    });
    const server = createFakeServer(limited, `retry: 4000\n\nend`, line("1:1", ownership("agent", 1)));
    const events = collectAll(server);
    await vi.advanceTimersByTimeAsync(6_999);
    expect(server.calls).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(4_000);
    expect(server.calls).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1);
    expect(await events).toEqual(["1:1"]);
  } finally {
    vi.useRealTimers();
  }
});

it("a live stream ends without an error when its reader aborts while it waits to reconnect", async () => {
  const abort = new AbortController();
  const server = createFakeServer(new TypeError("offline"));
  const options = { waits: [60_000], signal: abort.signal, onReconnect: () => abort.abort() };
  expect(await collectAll(server, options)).toEqual([]);
});
