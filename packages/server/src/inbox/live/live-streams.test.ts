import type { ConversationActivity } from "@foyer/contract";
import { maxInboxTotal } from "@foyer/contract/rules/limits";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { insertConversation } from "../../../../../test/conversation-seed.ts";
import { openLive } from "../../../../../test/live-client.ts";
import { startServer, type TestServer } from "../../../../../test/server.ts";
import { createMember, createOwner, signedInBrowser } from "../../../../../test/session-client.ts";

type Browser = Awaited<ReturnType<typeof signedInBrowser>>;

let server: TestServer;
let ada: Browser;
let adaId: string;
let organizationId: string;
let agentId: string;
beforeAll(async () => {
  server = await startServer({ listen: true, env: { FOYER_LIVE_POLL: "10ms" } });
  const owner = await createOwner(server);
  adaId = owner.userId;
  organizationId = owner.organizationId;
  ada = await signedInBrowser(server, owner.email);
  agentId = (await ada.call("POST", "/agents", { name: "Desk", handoff: { isEnabled: true } })).body.data.id;
});
afterAll(() => server.stop());

const createHeaders = (browser: Browser) => ({
  cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; "),
});

/** A conversation with one message of the visitor and a reply of the demo model. */
async function startConversation() {
  const messages = [{ role: "user", content: "Hello" }];
  const answer = await server.app.inject({ method: "POST", url: "/chat", payload: { agentId, messages } });
  const [, data = ""] = /^data: (.*message_start.*)$/m.exec(answer.body) ?? [];
  const { conversationId: id, conversationToken } = JSON.parse(data);
  const headers = { authorization: `Bearer ${conversationToken}` };
  const visit = (method: "GET" | "POST" | "DELETE", path: string, payload = {}) =>
    server.app.inject({
      method,
      url: `/conversations/${id}${path}`,
      headers,
      ...(method === "POST" ? { payload } : {}),
    });
  return {
    id: String(id),
    headers,
    visit,
    follow: (more: Record<string, string> = {}, query = "") =>
      openLive(`${server.url}/conversations/${id}/events${query}`, { ...headers, ...more }),
    act: (path: string, body = {}) => ada.call("POST", `/conversations/${id}${path}`, body),
  };
}

const followInbox = (browser: Browser, more: Record<string, string> = {}) =>
  openLive(`${server.url}/inbox/events`, { ...createHeaders(browser), ...more });

describe("the stream of a conversation", () => {
  it("delivers the takeover, typing, messages and the return to a waiting visitor, and then ends", async () => {
    const talk = await startConversation();
    await talk.visit("POST", "/handoff", { reason: "The invoice" });
    const stream = await talk.follow();
    const first = await stream.until("ownership");
    expect(first.ownership).toMatchObject({ handler: "waiting", epoch: 1, assignee: null });
    expect(stream.events[0]).toBe(first);

    await talk.act("/takeover");
    const taken = await stream.until("ownership", ({ ownership }) => ownership.handler === "human");
    expect(taken.ownership.assignee).toEqual({ name: expect.any(String), initials: expect.any(String) });
    await talk.act("/typing");
    expect((await stream.until("typing")).person).toEqual(taken.ownership.assignee);
    await talk.act("/messages", { content: "I look at it." });
    await talk.act("/messages", { content: "It is paid." });
    const { message } = await stream.until("message", ({ message }) => message.content === "It is paid.");
    expect(message).toMatchObject({ role: "assistant", author: { kind: "member", person: taken.ownership.assignee } });
    // A message that was written to a connection may not have arrived. A client that reconnects with its id has
    // received it.
    const timers = server.deps.db.selectFrom("handoffTimers").select("step").where("conversationId", "=", talk.id);
    const answer = timers.where("kind", "=", "answer");
    expect(await answer.execute()).toEqual([{ step: 2 }]);
    const background = await talk.follow({ "last-event-id": String(stream.events.at(-1)?.eventId) }, "?visible=false");
    await background.until("ownership");
    expect(await answer.execute()).toEqual([{ step: 2 }]);
    await background.leave();
    const second = await talk.follow({ "last-event-id": String(stream.events.at(-1)?.eventId) });
    await second.until("ownership");
    expect(await answer.execute()).toEqual([{ step: 4 }]);
    await second.leave();
    // Nobody can confirm messages that are yet to be written, which would then not be sent by email.
    const hasty = await talk.follow({ "last-event-id": "2:999" });
    await hasty.until("ownership");
    expect(await answer.execute()).toEqual([{ step: 4 }]);
    await hasty.leave();
    await talk.act("/return", { note: "Refunded" });
    await stream.ended;
    expect(stream.events.at(-1)).toMatchObject({ type: "ownership", ownership: { handler: "agent", epoch: 3 } });
    expect(stream.texts()).toEqual(["Hello", expect.any(String), "I look at it.", "It is paid."]);
    expect(JSON.stringify(stream.events)).not.toContain(adaId);
    expect(JSON.stringify(stream.events)).not.toContain("Refunded");
  });

  it("continues after the last event without losing or repeating a message, while more are written", async () => {
    const talk = await startConversation();
    await talk.act("/takeover");
    const written = Array.from({ length: 40 }, (_, number) => `Message ${number}`);
    const writing = (async () => {
      for (const content of written) expect((await talk.act("/messages", { content })).status).toBe(201);
    })();
    const received: string[] = [];
    let lastEventId = "0:1";
    for (let connections = 0; received.length < written.length; connections++) {
      const stream = await talk.follow({ "last-event-id": lastEventId });
      // Reads one more message on each connection and then loses the connection.
      const isEnough = () => stream.texts().length > connections % 5 || received.length + stream.texts().length >= 40;
      await stream.until("message", isEnough);
      await stream.leave();
      received.push(...stream.texts());
      lastEventId = stream.events.at(-1)?.eventId ?? lastEventId;
    }
    await writing;
    expect(received).toEqual(written);
  });

  it("sends missed messages and ends if the agent has the conversation again", async () => {
    const talk = await startConversation();
    await talk.act("/takeover");
    await talk.act("/messages", { content: "Goodbye" });
    await talk.act("/close");
    const stream = await talk.follow({ "last-event-id": "1:1" });
    await stream.ended;
    expect(stream.events.map(({ type, eventId }) => [type, eventId])).toEqual([
      ["message", "2:2"],
      ["ownership", "2:2"],
    ]);
    const fresh = await talk.follow();
    await fresh.ended;
    expect(fresh.events.map(({ type }) => type)).toEqual(["ownership"]);
  });

  it("sends a reply of the agent to a waiting visitor when it is complete", async () => {
    const talk = await startConversation();
    await talk.visit("POST", "/handoff");
    const stream = await talk.follow({ "last-event-id": "1:1" });
    const payload = { agentId, conversationId: talk.id, messages: [{ role: "user", content: "Are you there?" }] };
    const reply = await server.app.inject({ method: "POST", url: "/chat", headers: talk.headers, payload });
    expect(reply.statusCode).toBe(200);
    const { message } = await stream.until("message", ({ message }) => message.role === "assistant");
    expect(message.stopReason).toBe("end_turn");
    expect(stream.texts()).toEqual(["Are you there?", message.content]);
    // The reply that replaces it must not reuse its position, because the client continues after that position.
    const again = { ...payload, regenerate: true };
    expect(
      (await server.app.inject({ method: "POST", url: "/chat", headers: talk.headers, payload: again })).statusCode,
    ).toBe(200);
    await stream.until("message", (event) => event.message.role === "assistant" && event.message.id !== message.id);
    await stream.leave();
  });

  it("shows the visitor only the typing of the member who has the conversation", async () => {
    const talk = await startConversation();
    await talk.act("/takeover");
    const { email } = await createMember(server, organizationId, "member");
    const grace = await signedInBrowser(server, email);
    const [stream, inbox] = [await talk.follow(), await followInbox(grace)];
    await stream.until("ownership");
    await grace.call("POST", `/conversations/${talk.id}/typing`);
    await talk.act("/typing");
    const typing = await inbox.until("typing");
    expect(typing).toMatchObject({ conversationId: talk.id, by: "member", person: { userId: adaId } });
    await stream.until("typing");
    expect(stream.events.filter(({ type }) => type === "typing")).toHaveLength(1);
    await Promise.all([stream.leave(), inbox.leave()]);
  });

  it("does not show a waiting visitor that a member writes a note", async () => {
    const talk = await startConversation();
    await talk.visit("POST", "/handoff", { reason: "The invoice" });
    const grace = await signedInBrowser(server, (await createMember(server, organizationId, "member")).email);
    const [stream, inbox] = [await talk.follow(), await followInbox(grace)];
    await stream.until("ownership");
    await talk.act("/typing");
    await inbox.until("typing");
    await talk.act("/takeover");
    await stream.until("ownership", ({ ownership }) => ownership.handler === "human");
    expect(stream.events.filter(({ type }) => type === "typing")).toEqual([]);
    await Promise.all([stream.leave(), inbox.leave()]);
  });

  it("ends when the conversation is deleted", async () => {
    const talk = await startConversation();
    await talk.act("/takeover");
    const stream = await talk.follow();
    await stream.until("ownership");
    await talk.visit("DELETE", "");
    await stream.ended;
    expect((await talk.follow()).response.status).toBe(404);
  });

  it("is closed to other conversations' tokens, and its typing to API keys", async () => {
    const [talk, other] = [await startConversation(), await startConversation()];
    const stolen = await openLive(`${server.url}/conversations/${talk.id}/events`, other.headers);
    expect(stolen.response.status).toBe(401);
    const stranger = await server.createAccount();
    expect((await stranger.call("POST", `/conversations/${talk.id}/typing`)).status).toBe(404);
    const { key } = (await ada.call("POST", "/api-keys", { name: "Import" })).body;
    const request = { method: "POST", url: `/conversations/${talk.id}/typing` } as const;
    const ours = await server.app.inject({ ...request, headers: { authorization: `Bearer ${key}` } });
    expect(ours.statusCode).toBe(403);
  });
});

describe("the report that the visitor has seen a message", () => {
  /** A conversation in which a member has written twice, and the first position that is to be sent by email. */
  async function startAnswered() {
    const talk = await startConversation();
    await talk.act("/takeover");
    const first: string = (await talk.act("/messages", { content: "I look at it." })).body.data.id;
    await talk.act("/messages", { content: "It is paid." });
    const timers = server.deps.db.selectFrom("handoffTimers").select("step").where("conversationId", "=", talk.id);
    const unseenFrom = async () => (await timers.where("kind", "=", "answer").executeTakeFirst())?.step;
    return { ...talk, first, unseenFrom };
  }

  it("excludes the messages up to it from the email", async () => {
    const talk = await startAnswered();
    expect(await talk.unseenFrom()).toBe(2);
    const answer = await talk.visit("POST", "/seen", { messageId: talk.first });
    expect(answer.json()).toEqual({ data: { success: true }, error: null });
    expect(await talk.unseenFrom()).toBe(3);
  });

  it("excludes all messages if it names none, even without a body", async () => {
    const talk = await startAnswered();
    expect((await talk.visit("POST", "/seen")).statusCode).toBe(200);
    expect(await talk.unseenFrom()).toBe(4);
    await talk.act("/messages", { content: "Goodbye." });
    const withoutBody = { method: "POST", url: `/conversations/${talk.id}/seen`, headers: talk.headers } as const;
    expect((await server.app.inject(withoutBody)).statusCode).toBe(200);
    expect(await talk.unseenFrom()).toBe(5);
  });

  it("never takes a later report back", async () => {
    const talk = await startAnswered();
    await talk.visit("POST", "/seen");
    await talk.visit("POST", "/seen", { messageId: talk.first });
    expect(await talk.unseenFrom()).toBe(4);
  });

  it("is refused for a message of another conversation", async () => {
    const [talk, other] = [await startAnswered(), await startAnswered()];
    const answer = await talk.visit("POST", "/seen", { messageId: other.first });
    expect(answer.statusCode).toBe(404);
    expect(await talk.unseenFrom()).toBe(2);
  });

  it("is refused from members, who are not the visitor, and from other organizations", async () => {
    const talk = await startAnswered();
    expect((await talk.act("/seen")).status).toBe(403);
    const stranger = await server.createAccount();
    expect((await stranger.call("POST", `/conversations/${talk.id}/seen`, {})).status).toBe(404);
    expect(await talk.unseenFrom()).toBe(2);
  });

  it("is accepted from an API key, with which a site relays the chats of its visitors", async () => {
    const talk = await startAnswered();
    const { key } = (await ada.call("POST", "/api-keys", { name: "Relay" })).body;
    const headers = { authorization: `Bearer ${key}` };
    const url = `/conversations/${talk.id}/seen`;
    await server.app.inject({ method: "POST", url, headers, payload: { messageId: talk.first } });
    expect(await talk.unseenFrom()).toBe(3);
  });
});

describe("the stream of the inbox", () => {
  it("starts with counts and presence, and delivers waiting conversations, messages and typing", async () => {
    const inbox = await followInbox(ada);
    const { waiting } = await inbox.until("counts");
    expect((await inbox.until("presence")).members).toContainEqual(
      expect.objectContaining({ userId: adaId, isPresent: true }),
    );
    const talk = await startConversation();
    await talk.visit("POST", "/handoff", { reason: "The invoice" });
    const { change } = await inbox.until("conversation", ({ change }) => change.conversationId === talk.id);
    expect(change).toMatchObject({ agentId, ownership: { handler: "waiting", handoff: { reason: "The invoice" } } });
    await inbox.until("counts", (counts) => counts.waiting === waiting + 1);
    await talk.visit("POST", "/typing");
    expect(await inbox.until("typing")).toMatchObject({ conversationId: talk.id, by: "visitor", person: null });
    await talk.act("/takeover");
    await inbox.until("counts", (counts) => counts.mine > 0 && counts.waiting === waiting);
    await talk.act("/messages", { content: "I look at it." });
    await inbox.until("conversation", ({ change }) => change.lastMessage?.text === "I look at it.");
    await inbox.leave();
  });

  it("continues with every conversation that changed in between", async () => {
    const inbox = await followInbox(ada);
    const { eventId } = await inbox.until("counts");
    await inbox.leave();
    const talks = await Promise.all([startConversation(), startConversation()]);
    for (const talk of talks) await talk.act("/takeover");
    const resumed = await followInbox(ada, { "last-event-id": eventId });
    for (const { id } of talks) await resumed.until("conversation", ({ change }) => change.conversationId === id);
    await resumed.leave();
  });

  it("never shows another organization's conversations, members or counts", async () => {
    const stranger = await createOwner(server);
    const inbox = await followInbox(await signedInBrowser(server, stranger.email), { "last-event-id": "0" });
    const talk = await startConversation();
    await talk.visit("POST", "/handoff");
    await talk.visit("POST", "/typing");
    await talk.act("/takeover");
    await talk.act("/typing");
    // A change in the stranger's own conversation, made after all the others.
    const browser = await signedInBrowser(server, stranger.email);
    const agent = (await browser.call("POST", "/agents", { name: "Own" })).body.data.id;
    const payload = { agentId: agent, messages: [{ role: "user", content: "Hello" }] };
    const reply = await server.app.inject({ method: "POST", url: "/chat", payload });
    const own = /"conversationId":"(\w+)"/.exec(reply.body)?.[1];
    await browser.call("POST", `/conversations/${own}/takeover`);
    await inbox.until("conversation", ({ change }) => change.conversationId === own);
    await inbox.until("counts", ({ mine }) => mine === 1);
    // Both changes were collected in the same period, so the stranger's change would have arrived as well.
    await inbox.until("activity", ({ conversations }) => conversations.some((row) => row.conversationId === own));
    const text = JSON.stringify(inbox.events);
    for (const foreign of [talk.id, agentId, adaId]) expect(text.includes(foreign)).toBe(false);
    expect(inbox.events.every((event) => event.type !== "counts" || event.waiting === 0)).toBe(true);
    expect(inbox.events.every((event) => event.type !== "counts" || event.open + event.unread <= 2)).toBe(true);
    await inbox.leave();
  });

  it("counts unread, open and resolved conversations up to a maximum, without those in the trash", async () => {
    const owner = await createOwner(server);
    const browser = await signedInBrowser(server, owner.email);
    const own = (await browser.call("POST", "/agents", { name: "Own" })).body.data.id;
    const account = { organizationId: owner.organizationId, agentId: own };
    const insert = (fields: object) => insertConversation(server.deps.db, account, fields, [{ content: "Hello" }]);
    const unread = { lastMessageRole: "user", lastMessagePreview: "Hello", lastMessageAt: 1 } as const;
    const trashed = await insert(unread);
    await browser.call("POST", `/conversations/${trashed}/trash`);
    for (const fields of [unread, {}, { status: "resolved" }, { status: "snoozed" }]) await insert(fields);
    const inbox = await followInbox(browser);
    expect(await inbox.until("counts")).toMatchObject({ unread: 1, open: 2, resolved: 1 });
    await inbox.leave();
    for (let count = 0; count < maxInboxTotal + 5; count++) await insert({ status: "resolved" });
    const later = await followInbox(browser);
    expect((await later.until("counts")).resolved).toBe(maxInboxTotal);
    await later.leave();
  });

  it("reports activity in conversations that only the agent has: new ones, finished replies, and deletions", async () => {
    const inbox = await followInbox(ada);
    await inbox.until("presence");
    const talk = await startConversation();
    const find =
      (matches: (row: ConversationActivity) => boolean) => (event: { conversations: ConversationActivity[] }) =>
        event.conversations.some((row) => row.conversationId === talk.id && matches(row));
    const { conversations, hasMore } = await inbox.until(
      "activity",
      find(({ lastMessage }) => lastMessage?.role === "assistant"),
    );
    expect(hasMore).toBe(false);
    expect(conversations).toContainEqual({
      conversationId: talk.id,
      agentId,
      title: "Hello",
      visitor: null,
      isTest: false,
      handler: "agent",
      messageCount: 2,
      lastMessage: { role: "assistant", text: expect.any(String), at: expect.any(String) },
      createdAt: expect.any(String),
    });
    expect(inbox.events.some((event) => event.type === "conversation" && event.change.conversationId === talk.id)).toBe(
      false,
    );
    await talk.visit("DELETE", "");
    await inbox.until("removed", ({ conversationId }) => conversationId === talk.id);
    const { eventId } = inbox.events.at(-1) ?? {};
    await inbox.leave();
    // Missed activity is not repeated, so the client is asked to reload its lists.
    const resumed = await followInbox(ada, { "last-event-id": String(eventId) });
    await resumed.until("activity", (event) => event.hasMore);
    await resumed.leave();
  });

  it("ends when the member signs out or is removed", async () => {
    const { email, userId } = await createMember(server, organizationId, "member");
    const [left, removed] = [await signedInBrowser(server, email), await signedInBrowser(server, email)];
    const streams = [await followInbox(left), await followInbox(removed)];
    await Promise.all(streams.map((stream) => stream.until("counts")));
    await left.call("POST", "/auth/sign-out");
    await streams[0]?.ended;
    await ada.call("DELETE", `/members/${userId}`);
    await streams[1]?.ended;
  });

  it("shows a member as present who has no inbox open but has just answered", async () => {
    const { email, userId } = await createMember(server, organizationId, "member");
    const grace = await signedInBrowser(server, email);
    const inbox = await followInbox(ada);
    const talk = await startConversation();
    await grace.call("POST", `/conversations/${talk.id}/messages`, { content: "Hi" });
    await inbox.until("presence", ({ members }) => members.some((one) => one.userId === userId && one.isPresent));
    await inbox.leave();
  });

  it("shows a member as away until they change it, and no longer as present", async () => {
    const { email, userId } = await createMember(server, organizationId, "member");
    const grace = await signedInBrowser(server, email);
    const inbox = await followInbox(ada);
    await grace.call("POST", "/inbox/presence");
    await grace.call("POST", "/inbox/presence", { isAway: true });
    await inbox.until("presence", ({ members }) => members.some((one) => one.userId === userId && one.isAway));
    expect((await grace.call("POST", "/inbox/presence")).body.data).toEqual({ isAway: true });
    await grace.call("POST", "/inbox/presence", { isAway: false });
    await inbox.until("presence", ({ members }) => members.some((one) => one.userId === userId && !one.isAway));
    await inbox.leave();
  });
});

describe("open live streams", () => {
  it("replace the oldest of a conversation when there are 20, and ask its client to wait", async () => {
    const talk = await startConversation();
    await talk.act("/takeover");
    const streams = [];
    for (let number = 0; number < 21; number++) streams.push(await talk.follow());
    await streams[0]?.ended;
    expect(streams[0]?.retry()).toBe(30_000);
    await talk.act("/messages", { content: "For everybody" });
    for (const stream of streams.slice(1)) {
      await stream.until("message", ({ message }) => message.content === "For everybody");
      await stream.leave();
    }
  });

  it("are limited per address and in total, end with the server, and ask their clients to reconnect", async () => {
    const BASE_URL = "https://chat.example.com";
    const limited = await startServer({
      listen: true,
      env: { BASE_URL, FOYER_LIMIT_STREAMS_PER_IP: "1", FOYER_LIMIT_STREAMS: "2" },
    });
    const { headers, call } = await limited.createAccount();
    const agent = (await call("POST", "/agents", { name: "Desk", handoff: { isEnabled: true } })).body.data.id;
    const payload = { agentId: agent, messages: [{ role: "user", content: "Hello" }] };
    const reply = await limited.app.inject({ method: "POST", url: "/chat", payload });
    const id = /"conversationId":"(\w+)"/.exec(reply.body)?.[1];
    await call("POST", `/conversations/${id}/handoff`, {});
    const url = `${limited.url}/conversations/${id}/events`;
    const stream = await openLive(url, headers);
    await stream.until("ownership");
    const second = await openLive(url, headers);
    expect([second.response.status, await second.response.json()]).toMatchObject([
      429,
      { error: { code: "RATE_LIMITED" } },
    ]);
    expect(second.response.headers.get("retry-after")).toBe("5");
    await limited.drain();
    await stream.ended;
    expect(stream.retry()).toBeGreaterThanOrEqual(1_000);
    const late = await openLive(url, headers);
    expect([late.response.status, late.response.headers.get("retry-after")]).toEqual([503, "5"]);
    await limited.stop();
  });
});
