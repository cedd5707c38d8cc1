import { FoyerError } from "@foyer/sdk";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createConsentStorage } from "../loader/consent-storage.ts";
import { createEventBus } from "../loader/event-bus.ts";
import { createVisitorSession } from "../loader/visitor-session.ts";
import type { WidgetCore } from "../loader/widget-core.ts";
import { texts } from "../locales/en.ts";
import { createChat } from "./create-chat.ts";

beforeEach(() => {
  vi.stubGlobal("document", { hidden: true, referrer: "", title: "", documentElement: { lang: "en" } });
  // When storage is blocked, the widget keeps everything in memory.
  vi.stubGlobal("localStorage", undefined);
  vi.stubGlobal("sessionStorage", undefined);
});
afterEach(() => vi.unstubAllGlobals());

/**
 * A chat whose conversation has loaded when `finishLoading` is called.
 * @param failures how many of the first messages fail
 * @param stored changes the stored conversation, or gives the `error` of the failures
 */
function openChat(
  identity: { userId: string } | null,
  failures = 0,
  stored: { error?: Error; [name: string]: unknown } = {},
) {
  const bus = createEventBus();
  const storage = createConsentStorage("agent_1", bus, "given");
  const visitor = createVisitorSession(storage, bus, identity);
  visitor.remember({ id: "conv_1", token: "token", title: "", at: 1 });
  const sent: string[] = [];
  const loading: Array<() => void> = [];
  const keys: Array<string | undefined> = [];
  const regenerated: boolean[] = [];
  type Sent = { messages?: { content: string }[]; messageKey?: string; regenerate?: boolean };
  const request = vi.fn(async (path: string, { body }: { body?: Sent } = {}) => {
    if (path === "/chat") {
      sent.push(`${visitor.identity?.userId ?? "anonymous"}: ${body?.messages?.[0]?.content}`);
      keys.push(body?.messageKey);
      regenerated.push(body?.regenerate === true);
      if (failures-- > 0) throw stored.error ?? new FoyerError("UNREACHABLE", "The server could not be reached.");
      if ("stream" in stored) return new Response(stored.stream as ReadableStream);
      if ("handler" in stored) return createHandedOverResponse();
      return new Promise<Response>(() => {});
    }
    await new Promise<void>((resolve) => loading.push(resolve));
    return Response.json({
      data: { id: "conv_1", messages: [], consent: null, handler: "agent", epoch: 0, ...stored },
    });
  });
  const core = {
    bus,
    storage,
    visitor,
    agent: { id: "agent_1", name: "Harbour", widget: {}, handoff: null, pageQuery: [] },
    options: { agentId: "agent_1", sendsPage: false },
    registry: { formHandlers: new Map(), tools: new Map(), renderers: new Map(), context: {} },
  } as unknown as WidgetCore;
  const chat = createChat({ core, request: request as never, messages: texts });
  chat.restore();
  const finishLoading = () => {
    for (const resolve of loading.splice(0)) resolve();
  };
  return { chat, visitor, sent, keys, regenerated, finishLoading };
}

/** The response to a message for a person. */
function createHandedOverResponse(): Response {
  const events = [
    { type: "message_start", conversationId: "conv_1", conversationToken: "token", messageId: "msg_1" },
    { type: "message_stop", messageId: "msg_1", stopReason: "handed_over" },
  ];
  return new Response(events.map((event, at) => `id: ${at}\ndata: ${JSON.stringify(event)}\n\n`).join(""));
}

it("the chat does not send a text for a visitor who is identified while the conversation loads", async () => {
  const { chat, visitor, sent, finishLoading } = openChat({ userId: "ada" });
  const sending = chat.send("My card number is 1234");
  visitor.identify({ userId: "grace" });
  finishLoading();
  await sending;
  expect(chat.store.get().entries).toEqual([]);
  expect(sent).toEqual([]);
});

it("the chat does not send a text of a visitor who is logged out while the conversation loads", async () => {
  const { chat, visitor, sent, finishLoading } = openChat(null);
  const sending = chat.send("My card number is 1234");
  visitor.logout();
  finishLoading();
  await sending;
  expect(chat.store.get().entries).toEqual([]);
  expect(sent).toEqual([]);
});

it("the chat sends the text of an anonymous visitor who is identified while the conversation loads", async () => {
  const { chat, visitor, sent, finishLoading } = openChat(null);
  const sending = chat.send("Where is my order?");
  visitor.identify({ userId: "ada" });
  finishLoading();
  await sending;
  await expect.poll(() => sent).toEqual(["ada: Where is my order?"]);
  expect(chat.store.get().entries[0]).toMatchObject({ type: "user", text: "Where is my order?" });
});

it("the chat sends an unsent message again under the same key, and every other message under another one", async () => {
  const { chat, keys, finishLoading } = openChat(null, 1);
  const sending = chat.send("Where is my order?");
  finishLoading();
  await sending;
  await expect.poll(() => chat.store.get().entries.at(-1)).toMatchObject({ type: "reply", state: "refused" });
  const refused = chat.store.get().entries.at(-1);
  if (refused?.type === "reply") chat.retry(refused);
  await expect.poll(() => keys.length).toBe(2);
  const other = openChat(null);
  const sendingOther = other.chat.send("Where is my order?");
  other.finishLoading();
  await sendingOther;
  await expect.poll(() => other.keys.length).toBe(1);
  const [first, again] = keys;
  expect(first).toMatch(/^[0-9a-f]{32}$/);
  expect(again).toBe(first);
  expect(other.keys[0]).not.toBe(first);
});

it("the chat sends the message again that did not reach a person, not a later one that did", async () => {
  const { chat, sent, keys, finishLoading } = openChat(null, 1, { handler: "human", assignee: null, handoff: null });
  const sending = [chat.send("Are you there?"), chat.send("I lost my key.")];
  finishLoading();
  await Promise.all(sending);
  const states = () => chat.store.get().entries.map((entry) => entry.type !== "form" && entry.state);
  await expect.poll(() => keys.length).toBe(2);
  // The second message has ended without a reply.
  await expect.poll(() => chat.store.get().announcement).toBe("");
  expect(states()).toEqual(["unsent", "sent", "refused"]);
  const refused = chat.store.get().entries.at(-1);
  if (refused?.type === "reply") chat.retry(refused);
  await expect.poll(() => sent.length).toBe(3);
  expect(sent[2]).toBe(sent[0]);
  expect(keys[2]).toBe(keys[0]);
  await expect.poll(states).toEqual(["sent", "sent"]);
});

it("the chat asks for another reply again when that request did not reach the server, and does not send the message", async () => {
  const shared = { toolCalls: [], sources: [], suggestions: [], feedback: null, createdAt: "2026-01-31T12:00:00.000Z" };
  const messages = [
    { ...shared, id: "msg_1", role: "user", content: "Where is it?", author: { type: "visitor" }, stopReason: null },
    { ...shared, id: "msg_2", role: "assistant", content: "", author: { type: "agent" }, stopReason: "error" },
  ];
  const { chat, keys, regenerated, finishLoading } = openChat(null, 1, { messages });
  const retryLast = (state: string) => {
    const last = chat.store.get().entries.at(-1);
    if (last?.type === "reply" && last.state === state) chat.retry(last);
    else throw new Error(`the last entry is not a ${state} reply`);
  };
  finishLoading();
  await expect.poll(() => chat.store.get().phase).toBe("ready");
  retryLast("failed");
  await expect.poll(() => chat.store.get().entries.at(-1)).toMatchObject({ type: "reply", state: "refused" });
  retryLast("refused");
  await expect.poll(() => regenerated).toEqual([true, true]);
  expect(keys).toEqual([undefined, undefined]);
});

it("the chat shows a message once that it sends again because its conversation was deleted", async () => {
  const error = new FoyerError("NOT_FOUND", "Conversation not found.", { status: 404 });
  const { chat, keys, finishLoading } = openChat(null, 1, { error });
  const sending = chat.send("Where is my order?");
  finishLoading();
  await sending;
  await expect.poll(() => keys.length).toBe(2);
  const shown = chat.store.get().entries.map((entry) => entry.type !== "form" && [entry.type, entry.state]);
  expect(shown).toEqual([
    ["user", "sent"],
    ["reply", "running"],
  ]);
});

it("says that the model thinks until the next event arrives", async () => {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const { chat, finishLoading } = openChat(null, 0, { stream: readable });
  const writer = writable.getWriter();
  const write = (text: string) => writer.write(new TextEncoder().encode(text));
  const readNotice = () => {
    const last = chat.store.get().entries.at(-1);
    return last?.type === "reply" ? last.notice : null;
  };
  finishLoading();
  void chat.send("Hello");
  await write(": thinking\n\n");
  await vi.waitFor(() => expect(readNotice()).toBe("Thinking…"));
  const start = { type: "message_start", conversationId: "conv_1", messageId: "msg_1", conversationToken: "token" };
  await write(`id: msg_1:1\ndata: ${JSON.stringify(start)}\n\n`);
  await vi.waitFor(() => expect(readNotice()).toBeUndefined());
  chat.leave();
});
