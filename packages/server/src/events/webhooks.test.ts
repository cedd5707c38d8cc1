import type { ServerResponse } from "node:http";
import { sql } from "kysely";
import { pino } from "pino";
import { Webhook as Verifier } from "standardwebhooks";
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from "vitest";
import { openChat } from "../../../../test/chat-client.ts";
import { onBothDatabases, type TestDatabase, waitForBlockedStatement } from "../../../../test/databases.ts";
import { createAgent } from "../../../../test/factories.ts";
import { startServer, type TestServer } from "../../../../test/server.ts";
import { createMember } from "../../../../test/session-client.ts";
import { sayWords, startUpstream, type Upstream } from "../../../../test/upstream.ts";
import { startReceiver } from "../../../../test/webhook-receiver.ts";
import { createConversationToken } from "../auth/conversation-token.ts";
import { createAttachmentLinks } from "../conversations/attachments/signed-link.ts";
import { createConversationLog } from "../conversations/log/log.ts";
import { openDatabase } from "../db/open.ts";
import { inTransaction } from "../db/transaction.ts";
import { newId } from "../ids.ts";
import type { LeasedDelivery } from "../outbox/delivery-queue.ts";
import { createOutbox } from "../outbox/outbox.ts";
import { createConversationEvents } from "./conversation-events.ts";
import { createEventHandler } from "./deliver-event.ts";
import { createIdleWorker } from "./idle-worker.ts";
import { createEventListeners } from "./listeners.ts";
import { createEventRecorder } from "./record-events.ts";
import { createWebhookStore } from "./store.ts";
import { deleteEventsBeyond } from "./stored-events.ts";

const DAY_MS = 86_400_000;

/** Leaves all deliveries to the queue. */
const queueOnly = { leaseMs: 0, countFreeSlots: () => 0, send() {}, notify() {} };

/** A failed delivery of an event to this webhook. */
function createFailedDelivery(webhookId: string) {
  return {
    kind: "event",
    submissionId: null,
    webhookId,
    position: 0,
    purpose: "event",
    type: "webhook",
    target: "{}",
    host: "large.example",
    state: "failed",
    attempts: 0,
    attemptsBefore: 0,
    dueAt: Date.now(),
    fence: 1,
    createdAt: Date.now(),
  } as const;
}

onBothDatabases("webhooks", (createDatabase) => {
  let database: TestDatabase;
  let server: TestServer;
  let upstream: Upstream;
  let receiver: Awaited<ReturnType<typeof startReceiver>>;
  let owner: Awaited<ReturnType<TestServer["createAccount"]>>;
  let agentId: string;

  beforeAll(async () => {
    database = await createDatabase();
    upstream = await startUpstream();
    receiver = await startReceiver();
    server = await startServer({
      database,
      listen: true,
      env: {
        OPENAI_COMPATIBLE_BASE_URL: `${upstream.url}/v1`,
        FOYER_DEFAULT_MODEL: "openai-compatible/test",
        FOYER_LIMIT_CHAT_PER_SESSION: "0",
        FOYER_WEBHOOK_SCHEDULE: "0s,50ms,50ms,50ms,50ms",
      },
    });
  });
  beforeEach(async () => {
    owner = await server.createAccount();
    agentId = await createAgent(owner, { name: "Harbour" });
    upstream.script(sayWords("We ", "open ", "at nine."));
    receiver.answer((_, response) => void response.end("ok"));
    // Deliveries that an earlier test left in the outbox would be received by this one.
    await server.deps.db.deleteFrom("deliveries").execute();
    receiver.received.length = 0;
  });
  afterAll(async () => {
    await server.stop();
    await upstream.stop();
    await receiver.stop();
    await database.drop();
  });

  const call = (...input: Parameters<typeof owner.call>) => owner.call(...input);
  const create = async (more: object = {}) => {
    const created = await call("POST", "/webhooks", { url: `${receiver.url}/events`, events: ["*"], ...more });
    expect(created.status).toBe(201);
    return created.body;
  };
  const ask = async (content: string, more: object = {}) => {
    const stream = await openChat(server.url, { agentId, messages: [{ role: "user", content }], ...more });
    await stream.ended;
    const start = stream.events[0];
    if (start?.type !== "message_start") throw new Error("no start");
    return start;
  };
  const received = () => receiver.bodies("/events").filter((event) => event.agentId === agentId);
  const types = () =>
    received()
      .toSorted((a, b) => a.sequence - b.sequence)
      .map(({ type }) => type);
  const deliveries = async (id: string, query = "") => (await call("GET", `/webhooks/${id}/deliveries${query}`)).body;

  it("receive every event of a conversation, signed, in sequence, and nothing of another agent", async () => {
    const other = await createAgent(owner, { name: "Other" });
    await create({ url: `${receiver.url}/other`, agentIds: [other] });
    const { id } = await create();
    const { conversationId, messageId } = await ask("When do you open?", { sessionId: "s-1" });
    await call("POST", `/conversations/${conversationId}/feedback`, { messageId, rating: "up", comment: "Thanks" });
    await receiver.hasReceived(4);
    expect(types()).toEqual(["conversation.started", "message.created", "reply.finished", "message.rated"]);
    const [started, , reply] = received().toSorted((a, b) => a.sequence - b.sequence);
    expect(started).toMatchObject({ agentId, conversationId, sequence: 1, data: { sessionId: "s-1", isTest: false } });
    expect(reply.data).toMatchObject({ messageId, content: "We open at nine.", toolCalls: [], stopReason: "end_turn" });
    expect(reply.data.durationMs).toBeGreaterThanOrEqual(0);
    const { secret } = (await call("GET", `/webhooks/${id}/secret`)).body;
    for (const { headers, text } of receiver.received) {
      expect(new Verifier(secret).verify(text, headers as Record<string, string>)).toMatchObject({
        id: headers["webhook-id"],
      });
    }
    await expect.poll(async () => (await deliveries(id, "?status=delivered")).pagination.total).toBe(4);
    expect((await call("GET", `/webhooks/${id}`)).body.lastDelivery).toMatchObject({ state: "delivered", status: 200 });
  });

  it("leave out texts and names with the payload ids, and only get the types they asked for", async () => {
    await create({ payload: "ids", events: ["conversation.started", "reply.finished"] });
    await ask("My email is ada@example.com", { userName: "Ada", userId: "u-1" });
    await receiver.hasReceived(2);
    expect(types()).toEqual(["conversation.started", "reply.finished"]);
    const text = receiver.received.map((one) => one.text).join();
    for (const secret of ["ada@example.com", "Ada", "nine"]) expect(text).not.toContain(secret);
    expect(text).toContain("u-1");
  });

  it("cost nothing without a webhook or a feed: no event, delivery, timer or sequence is written", async () => {
    const { conversationId } = await ask("Hello");
    const { db } = server.deps;
    const rows = await db.selectFrom("events").select("id").where("agentId", "=", agentId).execute();
    const timers = await db
      .selectFrom("idleTimers")
      .selectAll()
      .where("conversationId", "=", conversationId ?? "")
      .execute();
    const conversation = await db
      .selectFrom("conversations")
      .select("eventSequence")
      .where("id", "=", conversationId ?? "")
      .executeTakeFirst();
    expect([rows, timers, conversation]).toEqual([[], [], { eventSequence: 0 }]);
  });

  it("report failed replies with the reason, and the budget of an agent once", async () => {
    await create({ events: ["reply.failed", "agent.budget_reached"] });
    await call("PATCH", `/agents/${agentId}`, { monthlyTokenBudget: 1 });
    upstream.script(({ response }) => void response.writeHead(500).end("{}"));
    await ask("Hello");
    await receiver.hasReceived(1);
    expect(received()[0]).toMatchObject({ type: "reply.failed", data: { message: expect.any(String) } });
    upstream.script(sayWords("Yes."));
    await ask("Hello");
    await receiver.hasReceived(2);
    expect(received()[1]).toMatchObject({
      type: "agent.budget_reached",
      conversationId: null,
      sequence: null,
      data: { monthlyTokenBudget: 1 },
    });
    await ask("Hello");
    expect(received()).toHaveLength(2);
  });

  it("repeat every failure by the schedule, client errors and redirects included, with the same id each time", async () => {
    const { id } = await create({ events: ["message.created"] });
    const answers = [400, 410, 302, 403, 404];
    receiver.answer((_, response) => {
      const status = answers[receiver.received.length - 1] ?? 500;
      response.writeHead(status, { location: "/login" }).end("no");
    });
    await ask("Hello");
    await expect.poll(async () => (await deliveries(id, "?status=failed")).deliveries.length).toBe(1);
    expect(receiver.received).toHaveLength(5);
    expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect(new Set(receiver.received.map(({ text }) => text)).size).toBe(1);
    receiver.answer((_, response) => void response.writeHead(429).end());
    expect((await call("POST", `/webhooks/${id}/retry`)).body).toEqual({ retried: 1 });
    await receiver.hasReceived(10);
    await expect.poll(async () => (await deliveries(id, "?status=failed")).deliveries.length).toBe(1);
    receiver.answer((_, response) => void response.end("thanks"));
    const [failed] = (await deliveries(id)).deliveries;
    const again = await call("POST", `/webhooks/${id}/deliveries/${failed.id}/retry`);
    expect(again.body).toMatchObject({ state: "delivered", eventType: "message.created" });
    expect(again.body.attempts.at(-1)).toMatchObject({ number: 11, status: 200, response: "thanks" });
  });

  it("refuse to send an event again while it is being sent", async () => {
    const { id } = await create({ events: ["message.created"] });
    await ask("Hello");
    await expect.poll(async () => (await deliveries(id, "?status=delivered")).deliveries.length).toBe(1);
    const [delivery] = (await deliveries(id)).deliveries;
    // The state of a delivery that another process is sending.
    const lease = (isLeased: 0 | 1) =>
      server.deps.db
        .updateTable("deliveries")
        .set({ state: "pending", isLeased, dueAt: Date.now() + 3_600_000 })
        .where("id", "=", delivery.id)
        .execute();
    const retry = () => call("POST", `/webhooks/${id}/deliveries/${delivery.id}/retry`);
    await lease(1);
    expect(await retry()).toMatchObject({
      status: 409,
      body: { error: { code: "CONFLICT", message: expect.stringContaining("being sent right now") } },
    });
    expect(receiver.received).toHaveLength(1);
    await lease(0);
    expect(await retry()).toMatchObject({ status: 200, body: { state: "delivered" } });
    expect(receiver.received).toHaveLength(2);
  });

  it("are disabled after failing for five days, and their owners are notified", async () => {
    server.deps.mailer.isConfigured = true;
    const { id } = await create({ events: ["message.created"] });
    const { db } = server.deps;
    const { organizationId } = await db
      .selectFrom("webhooks")
      .select("organizationId")
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
    await createMember(server, organizationId, "owner");
    receiver.answer((_, response) => void response.writeHead(500).end());
    await ask("Hello");
    await receiver.hasReceived(1);
    await expect
      .poll(
        async () =>
          (await db.selectFrom("webhooks").select("failingSince").where("id", "=", id).executeTakeFirst())
            ?.failingSince,
      )
      .not.toBeNull();
    await db
      .updateTable("webhooks")
      .set({ failingSince: Date.now() - 5 * DAY_MS })
      .where("id", "=", id)
      .execute();
    await ask("Hello");
    await expect.poll(async () => (await call("GET", `/webhooks/${id}`)).body.isEnabled).toBe(false);
    const disabled = (await call("GET", `/webhooks/${id}`)).body;
    expect(disabled.disabledReason).toContain("5 days");
    const notices = db
      .selectFrom("deliveries")
      .select("id")
      .where("webhookId", "=", id)
      .where("purpose", "=", "notice");
    expect(await notices.execute()).toHaveLength(1);
    expect((await call("POST", `/webhooks/${id}/retry`)).status).toBe(409);
    const enabled = await call("PATCH", `/webhooks/${id}`, { isEnabled: true });
    expect(enabled.body).toMatchObject({ isEnabled: true, disabledReason: null });
    server.deps.mailer.isConfigured = false;
  });

  it("leave a failed notice to owners alone when failed events are sent again", async () => {
    const { id } = await create({ events: ["message.created"] });
    const notice = {
      ...createFailedDelivery(id),
      id: newId("delivery"),
      eventId: null,
      purpose: "notice",
      type: "email",
      target: JSON.stringify({ recipientId: "user_1" }),
      host: "mail",
      state: "failed",
      attempts: 5,
    } as const;
    const { db } = server.deps;
    await db.insertInto("deliveries").values(notice).execute();
    expect((await call("POST", `/webhooks/${id}/retry`)).body).toEqual({ retried: 0 });
    const stored = db.selectFrom("deliveries").select(["state", "target"]).where("id", "=", notice.id);
    expect(await stored.execute()).toEqual([{ state: "failed", target: notice.target }]);
  });

  it("report a rating that changes within a minute once, when the minute is over, and an equal one never", async () => {
    await create({ events: ["message.rated"] });
    const { conversationId, messageId } = await ask("Hello");
    const rate = async (rating: string, comment?: string) =>
      call("POST", `/conversations/${conversationId}/feedback`, { messageId, rating, comment });
    await rate("up");
    await rate("up");
    await rate("up", "Thanks");
    await rate("up", "Thanks");
    await rate("down", "Thanks");
    const { db } = server.deps;
    const events = db.selectFrom("events").select("data").where("agentId", "=", agentId).orderBy("number");
    const reported = async () =>
      (await events.execute()).map(({ data }) => JSON.parse(data)).map(({ rating, comment }) => [rating, comment]);
    const worker = (seconds: number) => {
      const listeners = createEventListeners(db);
      const record = createEventRecorder(server.deps, listeners, queueOnly);
      const conversationLog = createConversationLog(server.deps, [
        createConversationEvents(record, createAttachmentLinks(server.deps)),
      ]);
      return createIdleWorker(server.deps, {
        record,
        listeners,
        conversationLog,
        now: () => Date.now() + seconds * 1_000,
      });
    };
    await worker(50).runOnce();
    expect(await reported()).toEqual([["up", null]]);
    await Promise.all([worker(61).runOnce(), worker(61).runOnce()]);
    expect(await reported()).toEqual([
      ["up", null],
      ["down", "Thanks"],
    ]);
    await worker(200).runOnce();
    expect(await reported()).toHaveLength(2);
  });

  it("sign with both secrets after a rotation, and send a sample event on request", async () => {
    const { id } = await create({ events: ["message.created"] });
    await ask("Hello");
    await receiver.hasReceived(1);
    const before = (await call("GET", `/webhooks/${id}/secret`)).body;
    const rotated = (await call("POST", `/webhooks/${id}/secret/rotate`)).body;
    expect(rotated).toMatchObject({ previousSecret: before.secret });
    receiver.answer((_, response) => void response.writeHead(202).end("noted"));
    const test = await call("POST", `/webhooks/${id}/test`, { event: "reply.finished" });
    expect(test.body).toMatchObject({ isDelivered: true, status: 202, response: "noted", error: null });
    await ask("Hello again");
    await receiver.hasReceived(3);
    for (const { text, headers } of receiver.received.slice(1))
      for (const secret of [before.secret, rotated.secret])
        expect(() => new Verifier(secret).verify(text, headers as Record<string, string>)).not.toThrow();
    expect(receiver.bodies("/events").map(({ type }) => type)).toEqual([
      "message.created",
      "reply.finished",
      "message.created",
    ]);
  });

  it("can be managed only within their organization, up to 20, with a URL that may be called", async () => {
    const { id } = await create();
    const stranger = await server.createAccount();
    for (const [method, path, body] of [
      ["GET", ""],
      ["PATCH", "", { isEnabled: false }],
      ["DELETE", ""],
      ["GET", "/secret"],
      ["POST", "/secret/rotate"],
      ["POST", "/test", { event: "reply.finished" }],
      ["GET", "/deliveries"],
      ["POST", "/retry"],
    ] as const) {
      expect((await stranger.call(method, `/webhooks/${id}${path}`, body)).status, path).toBe(404);
    }
    expect((await stranger.call("GET", "/webhooks")).body).toEqual([]);
    const foreign = await stranger.call("POST", "/webhooks", { url: receiver.url, events: ["*"], agentIds: [agentId] });
    expect(foreign.body.error.details[0]).toMatchObject({ path: "agentIds.0", code: "unknown_reference" });
    const body = { url: receiver.url, events: ["*"] };
    const headers = { ...owner.headers, "content-type": "application/json", "idempotency-key": "one" };
    const withKey = async () => {
      const sent = await server.app.inject({ method: "POST", url: "/webhooks", headers, payload: body });
      return { body: sent.json() };
    };
    const first = await withKey();
    const second = await withKey();
    expect(second.body).toEqual(first.body);
    const made = await Promise.all(Array.from({ length: 22 }, () => call("POST", "/webhooks", body)));
    expect(made.filter(({ status }) => status === 201)).toHaveLength(18);
    expect((await call("GET", "/webhooks")).body).toHaveLength(20);
    expect((await call("DELETE", `/webhooks/${id}`)).body).toEqual({ success: true });
    expect((await call("GET", `/webhooks/${id}`)).status).toBe(404);
  });

  it("report idle conversations although a rating cannot be reported, which is tried again later", async () => {
    await create({ events: ["conversation.idle"], idleMinutes: 1 });
    const { db } = server.deps;
    await db.deleteFrom("idleTimers").execute();
    const { conversationId } = await ask("Hello");
    const messages = db.updateTable("messages").where("conversationId", "=", conversationId);
    await messages.set({ ratingDueAt: 1 }).execute();
    const deps = { ...server.deps, log: pino({ enabled: false }) };
    const listeners = createEventListeners(db);
    const worker = createIdleWorker(deps, {
      record: createEventRecorder(deps, listeners, queueOnly),
      listeners,
      conversationLog: {
        ...createConversationLog(deps, []),
        reportRating: () => Promise.reject(new Error("This one is broken.")),
      },
      now: () => Date.now() + 66_000,
    });
    await worker.runOnce();
    await expect.poll(() => received().length).toBe(1);
    const due = db.selectFrom("messages").select("ratingDueAt").where("conversationId", "=", conversationId);
    expect((await due.execute()).every(({ ratingDueAt }) => Number(ratingDueAt) > Date.now())).toBe(true);
    await messages.set({ ratingDueAt: null }).execute();
  });

  it("report a conversation once after idle minutes, with its transcript, and again only after new messages", async () => {
    await create({ events: ["conversation.idle"], idleMinutes: 1 });
    await create({ events: ["conversation.idle"], idleMinutes: 3, url: `${receiver.url}/later` });
    await server.deps.db.deleteFrom("idleTimers").execute();
    const { conversationId } = await ask("Hello");
    const listeners = createEventListeners(server.deps.db);
    let minutes = 0;
    const worker = createIdleWorker(server.deps, {
      record: createEventRecorder(server.deps, listeners, queueOnly),
      listeners,
      conversationLog: createConversationLog(server.deps, []),
      now: () => Date.now() + minutes * 60_000,
    });
    await worker.runOnce();
    expect(received()).toEqual([]);
    minutes = 1.1;
    await Promise.all([worker.runOnce(), worker.runOnce()]);
    await expect.poll(() => received().length).toBe(1);
    expect(received()[0]).toMatchObject({
      type: "conversation.idle",
      conversationId,
      data: {
        idleMinutes: 1,
        messageCount: 2,
        isTruncated: false,
        messages: [{ content: "Hello" }, { role: "assistant" }],
      },
    });
    minutes = 3.1;
    await worker.runOnce();
    await expect.poll(() => receiver.bodies("/later").length).toBe(1);
    minutes = 60;
    await worker.runOnce();
    const timers = server.deps.db.selectFrom("idleTimers").where("conversationId", "=", conversationId ?? "");
    expect(await timers.selectAll().execute()).toEqual([]);

    const headers = {
      authorization: `Bearer ${createConversationToken(server.deps.encryption, conversationId ?? "")}`,
    };
    const messages = [{ role: "user", content: "And on Sundays?" }];
    await (await openChat(server.url, { agentId, conversationId, messages }, headers)).ended;
    await worker.runOnce();
    // Each webhook is notified only after its own number of minutes.
    const reports = (path: string) =>
      receiver
        .bodies(path)
        .filter((event) => event.conversationId === conversationId)
        .map(({ data }) => [data.idleMinutes, data.messageCount]);
    await expect
      .poll(() => [reports("/events"), reports("/later")])
      .toEqual([
        [
          [1, 2],
          [1, 4],
        ],
        [
          [3, 2],
          [3, 4],
        ],
      ]);
    expect(await timers.selectAll().execute()).toEqual([]);
  });

  it("report other idle conversations although one cannot be reported, and report that one later", async () => {
    await create({ events: ["conversation.idle"], idleMinutes: 1 });
    const { db } = server.deps;
    await db.deleteFrom("idleTimers").execute();
    const [broken, fine] = [await ask("First"), await ask("Second")];
    const listeners = createEventListeners(db);
    const record = createEventRecorder(server.deps, listeners, queueOnly);
    let isBroken = true;
    let minutes = 2;
    const worker = createIdleWorker(server.deps, {
      async record(trx, events) {
        if (isBroken && events.some((event) => event.conversationId === broken.conversationId)) throw new Error("No.");
        await record(trx, events);
      },
      listeners,
      conversationLog: createConversationLog(server.deps, []),
      now: () => Date.now() + minutes * 60_000,
    });
    const reported = async () => {
      const events = db.selectFrom("events").select("conversationId").where("type", "=", "conversation.idle");
      return (await events.where("agentId", "=", agentId).orderBy("number").execute()).map((row) => row.conversationId);
    };
    await worker.runOnce();
    expect(await reported()).toEqual([fine.conversationId]);
    isBroken = false;
    await worker.runOnce();
    expect(await reported()).toEqual([fine.conversationId]);
    minutes = 60;
    await worker.runOnce();
    expect(await reported()).toEqual([fine.conversationId, broken.conversationId]);
  });

  it("list at most 4 MB of responses, those of the newest deliveries", async () => {
    const { id } = await create({ isEnabled: false });
    const { db } = server.deps;
    const event = {
      organizationId: owner.organizationId,
      agentId,
      conversationId: null,
      submissionId: null,
      sequence: null,
      type: "agent.budget_reached",
      data: "{}",
      position: null,
      createdAt: 1,
    } as const;
    const response = "x".repeat(16 * 1024);
    const ids = Array.from({ length: 20 }, () => ({ eventId: newId("evt"), deliveryId: newId("delivery") }));
    await db
      .insertInto("events")
      .values(ids.map(({ eventId }) => ({ ...event, id: eventId })))
      .execute();
    await db
      .insertInto("deliveries")
      .values(
        ids.map(({ eventId, deliveryId }) => ({ ...createFailedDelivery(id), id: deliveryId, eventId, attempts: 20 })),
      )
      .execute();
    for (const { deliveryId } of ids) {
      const attempt = {
        deliveryId,
        startedAt: 1,
        durationMs: 1,
        status: 500,
        error: "HTTP 500",
        detail: null,
        response,
      };
      const attempts = Array.from({ length: 20 }, (_, index) => ({ ...attempt, number: index + 1 }));
      await db.insertInto("deliveryAttempts").values(attempts).execute();
    }
    const listed: Array<{ id: string; attempts: Array<{ number: number; response: string | null }> }> = (
      await deliveries(id)
    ).deliveries;
    const attempts = listed.flatMap((delivery) => delivery.attempts);
    expect(attempts).toHaveLength(400);
    expect(attempts.filter((attempt) => attempt.response !== null)).toHaveLength(256);
    expect(listed[0]?.attempts.every((attempt) => attempt.response === response)).toBe(true);
    expect(listed.at(-1)?.attempts.map(({ number }) => number)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
    const [oldest] = (await deliveries(id, "?limit=1&offset=19")).deliveries;
    expect(oldest.attempts.every((attempt: { response: string }) => attempt.response === response)).toBe(true);
  });

  it("read a large event only when few others are being sent to the host", async () => {
    const { id } = await create({ isEnabled: false, url: "https://large.example/" });
    const { db } = server.deps;
    const [eventId, store, listeners] = [newId("evt"), createWebhookStore(server.deps), createEventListeners(db)];
    const event = { organizationId: owner.organizationId, agentId, conversationId: null, submissionId: null };
    const data = JSON.stringify({ messages: ["y".repeat(300 * 1024)] });
    await db
      .insertInto("events")
      .values({ ...event, id: eventId, sequence: null, type: "conversation.idle", data, position: null, createdAt: 1 })
      .execute();
    const handler = createEventHandler(server.deps, { store, outbox: createOutbox(server.deps), listeners });
    const delivery = { ...createFailedDelivery(id), id: newId("delivery"), eventId } as LeasedDelivery;
    const open = () => handler.open(delivery, new AbortController().signal);
    const [first, second] = [await open(), await open()];
    let isOpen = false;
    const third = open().then((opened) => {
      isOpen = true;
      return opened;
    });
    await deliveries(id);
    expect(isOpen).toBe(false);
    first?.close?.();
    const opened = await third;
    opened?.close?.();
    second?.close?.();
  });

  it("are all named by the receipt of an erasure, even when the URL changed between two attempts", async () => {
    const moved = await startReceiver();
    onTestFinished(() => moved.stop());
    const [oldHost, newHost] = [receiver.url, moved.url].map((url) => URL.parse(url)?.host);
    const receiversOf = async (conversationId: string | null) =>
      (await call("GET", `/visitors/data?conversationId=${conversationId}`)).body.receivers;
    await create({ events: ["visitor.erased"], url: `${moved.url}/erased` });
    const { id } = await create({ events: ["message.created"] });
    const held = Promise.withResolvers<ServerResponse>();
    receiver.answer((_, response) => held.resolve(response));
    const { conversationId } = await ask("Hello");
    const response = await held.promise;
    // The receiver has already received the message, although the attempt is not recorded yet.
    expect(await receiversOf(conversationId)).toEqual([oldHost]);
    await call("PATCH", `/webhooks/${id}`, { url: `${moved.url}/events` });
    response.writeHead(500).end();
    await expect.poll(async () => (await deliveries(id, "?status=delivered")).deliveries.length).toBe(1);
    expect(moved.bodies("/events")).toMatchObject([{ conversationId, type: "message.created" }]);
    const { body: receipt } = await call("POST", "/visitors/erase", { conversationId });
    expect(receipt.receivers).toEqual([oldHost, newHost].sort());
    await expect
      .poll(() => moved.bodies("/erased"))
      .toMatchObject([{ data: { erasureId: receipt.id, conversationIds: [conversationId], submissionIds: [] } }]);
  });

  it("are named by a receipt when a receiver has redirected an event to another host", async () => {
    const moved = await startReceiver();
    onTestFinished(() => moved.stop());
    receiver.answer((_, response) => void response.writeHead(307, { location: `${moved.url}/events` }).end());
    const { id } = await create({ events: ["message.created"] });
    const { conversationId } = await ask("Hello");
    await expect.poll(async () => (await deliveries(id, "?status=delivered")).deliveries.length).toBe(1);
    expect(moved.bodies("/events")).toMatchObject([{ conversationId }]);
    const { body } = await call("GET", `/visitors/data?conversationId=${conversationId}`);
    const hosts = [receiver.url, moved.url].map((url) => URL.parse(url)?.host);
    expect(body.receivers).toEqual(hosts.toSorted());
  });

  it("are not named by a receipt for a host that the URL had before the first attempt, unless a process died meanwhile", async () => {
    const { id } = await create({ events: ["message.created"] });
    const { db } = server.deps;
    const [outbox, listeners] = [createOutbox(server.deps), createEventListeners(db)];
    const handler = createEventHandler(server.deps, { store: createWebhookStore(server.deps), outbox, listeners });
    for (const [fence, earlier] of [
      [1, []],
      [2, ["before.example"]],
    ] as const) {
      const { conversationId } = await ask("Hello");
      const delivered = async () => (await deliveries(id, "?status=delivered")).deliveries;
      await expect.poll(async () => (await delivered()).length).toBe(1);
      const [{ id: deliveryId }] = await delivered();
      const leased = { state: "pending", host: "before.example", attempts: 0, fence, isLeased: 1 } as const;
      const update = db.updateTable("deliveries").set({ ...leased, dueAt: Date.now() + 3_600_000 });
      const delivery = await update.where("id", "=", deliveryId).returningAll().executeTakeFirstOrThrow();
      const opened = await handler.open(delivery as LeasedDelivery, new AbortController().signal);
      // The delivery has no slot at the new host yet.
      expect(await opened?.send()).toEqual({ postponedMs: 0 });
      const { body } = await call("GET", `/visitors/data?conversationId=${conversationId}`);
      expect(body.receivers).toEqual([...earlier, URL.parse(receiver.url)?.host].toSorted());
    }
  });

  it("report submissions and deliveries that failed permanently", async () => {
    await create({ events: ["form.submitted", "form.delivery_failed"] });
    const form = await call("POST", "/tools", {
      agentId,
      name: "lead",
      description: "Lead",
      executionType: "form",
      inputSchema: { type: "object", properties: {}, required: [] },
      formSchema: { fields: [{ name: "email", label: "Email", type: "email" }] },
      formWebhookUrl: `${receiver.url}/crm`,
    });
    receiver.answer(({ path }, response) => void response.writeHead(path === "/crm" ? 500 : 200).end());
    const submit = { toolId: form.body.id, formData: { email: "a@example.com" }, fieldsCompleted: ["email"] };
    const { submissionId } = (await call("POST", "/form-submissions/submit", submit)).body;
    await expect.poll(() => received().length).toBe(2);
    expect(received()).toMatchObject([
      { type: "form.submitted", data: { submissionId, formData: { email: "a@example.com" } } },
      { type: "form.delivery_failed", data: { submissionId, status: 500, error: "HTTP 500" } },
    ]);
    const { db } = server.deps;
    const events = db.selectFrom("events").select("submissionId").where("agentId", "=", agentId);
    expect(await events.execute()).toEqual([{ submissionId }, { submissionId }]);
    expect((await call("DELETE", `/form-submissions/${submissionId}`)).status).toBe(200);
    expect(await events.execute()).toEqual([]);
  });
});

onBothDatabases("the event feed", (createDatabase) => {
  let database: TestDatabase;
  let server: TestServer;
  beforeAll(async () => {
    database = await createDatabase();
    server = await startServer({ database });
  });
  afterAll(async () => {
    await server.stop();
    await database.drop();
  });

  it("is off by default, and validates its cursor and kinds", async () => {
    const owner = await server.createAccount();
    expect((await owner.call("GET", "/events")).status).toBe(409);
    expect((await owner.call("PUT", "/events/feed", { isEnabled: true })).body).toEqual({ isEnabled: true });
    expect((await owner.call("GET", "/events")).body).toEqual({ events: [], cursor: "0", hasGap: false });
    expect((await owner.call("GET", "/events?after=x")).status).toBe(400);
    expect((await owner.call("GET", "/events?kinds=nothing")).status).toBe(400);
  });

  it("drops an organization's oldest events beyond the limit, and reports the gap to readers who missed them", async () => {
    const { db, databaseKind } = server.deps;
    const record = createEventRecorder({ db, databaseKind }, createEventListeners(db), queueOnly);
    const openFeed = async () => {
      const owner = await server.createAccount();
      await owner.call("PUT", "/events/feed", { isEnabled: true });
      const place = { organizationId: owner.organizationId, agentId: await createAgent(owner), conversationId: null };
      const data = () => ({ month: "2026-01", monthlyTokenBudget: 1, tokens: 1 });
      const event = { ...place, type: "agent.budget_reached" as const, data };
      for (let index = 0; index < 5; index++) await inTransaction(db, (trx) => record(trx, [event]));
      const read = async (after: number) => {
        const { events, hasGap } = (await owner.call("GET", `/events?after=${after}`)).body;
        return [events.length, hasGap];
      };
      return { owner, read };
    };
    const [busy, withoutFeed] = [await openFeed(), await openFeed()];
    const { organizationId } = withoutFeed.owner;
    await db.deleteFrom("eventFeeds").where("organizationId", "=", organizationId).execute();
    expect(await deleteEventsBeyond(server.deps, 2)).toBe(6);
    expect([await busy.read(0), await busy.read(2), await busy.read(3)]).toEqual([
      [2, true],
      [2, true],
      [2, false],
    ]);
    const left = await db.selectFrom("events").select("id").where("organizationId", "=", organizationId).execute();
    expect(left).toHaveLength(2);
    expect(await deleteEventsBeyond(server.deps, 2)).toBe(0);
  });

  it("assigns no position twice while an event is being deleted", async () => {
    const owner = await server.createAccount();
    const agentId = await createAgent(owner, { name: "Harbour" });
    const { db, databaseKind } = server.deps;
    const { organizationId } = owner;
    await owner.call("PUT", "/events/feed", { isEnabled: true });
    const record = createEventRecorder({ db, databaseKind }, createEventListeners(db), queueOnly);
    const write = (month: string) =>
      inTransaction(db, (trx) =>
        record(trx, [
          {
            type: "agent.budget_reached",
            organizationId,
            agentId,
            conversationId: null,
            data: () => ({ month, monthlyTokenBudget: 1, tokens: 1 }),
          },
        ]),
      );
    for (const month of ["1", "2", "3"]) await write(month);
    let reading: Promise<{ body: { events: Array<{ data: { month: string } }>; cursor: string } }> | undefined;
    await db.transaction().execute(async (trx) => {
      await trx
        .deleteFrom("events")
        .where("organizationId", "=", organizationId)
        .where("data", "like", '%"2"%')
        .execute();
      // In PostgreSQL, the feed still sees the deleted event and waits for its row.
      reading = owner.call("GET", "/events");
      if (databaseKind === "postgres") await waitForBlockedStatement(db);
    });
    const first = (await reading)?.body;
    expect(first?.events.map(({ data }) => data.month)).toEqual(["1", "3"]);
    await write("4");
    const second = (await owner.call("GET", `/events?after=${first?.cursor}`)).body;
    expect(second.events.map(({ data }: { data: { month: string } }) => data.month)).toEqual(["4"]);
  });

  it("skips and repeats no event, however late and in whichever process its transaction commits", async () => {
    const owner = await server.createAccount();
    const agentId = await createAgent(owner, { name: "Harbour" });
    const { organizationId } = await server.deps.db
      .selectFrom("agents")
      .select("organizationId")
      .where("id", "=", agentId)
      .executeTakeFirstOrThrow();
    await owner.call("PUT", "/events/feed", { isEnabled: true });
    // Conversations of the past would resolve by themselves, which is an event too.
    const now = Date.now();
    const conversationIds = ["conv_a", "conv_b", "conv_c"].map((name) => `${name}_${agentId}`);
    for (const id of conversationIds) {
      await sql`insert into conversations (id, "organizationId", "agentId", title, "messageCount", "isUserVerified", "createdAt", "updatedAt")
        values (${id}, ${organizationId}, ${agentId}, 't', 0, 0, ${now}, ${now})`.execute(server.deps.db);
    }
    // SQLite allows only one process.
    const { db: own, databaseKind: kind } = server.deps;
    const others = Array.from({ length: 3 }, () =>
      kind === "sqlite" ? { db: own, kind } : openDatabase(database.address, () => {}),
    );
    const written: string[] = [];
    let isWriting = true;
    const seen: Array<{ id: string; conversationId: string; sequence: number; data: { content: string } }> = [];
    let cursor = "0";
    const readAll = async () => {
      for (;;) {
        const { body } = await owner.call("GET", `/events?after=${cursor}&limit=7&kinds=message.created`);
        seen.push(...body.events);
        cursor = body.cursor;
        if (body.events.length < 7) return;
      }
    };
    const reader = async () => {
      while (isWriting) {
        await readAll();
        await new Promise(setImmediate);
      }
      await readAll();
    };
    const reading = reader();
    await Promise.all(
      others.map(async ({ db }, process) => {
        const record = createEventRecorder({ db, databaseKind: kind }, createEventListeners(db), queueOnly);
        await Promise.all(
          Array.from({ length: 15 }, async (_, n) => {
            const content = `${process}/${n}`;
            await db.transaction().execute(async (trx) => {
              await record(trx, [
                {
                  type: "message.created",
                  organizationId,
                  agentId,
                  conversationId: conversationIds[n % 3] ?? "",
                  data: () => ({ messageId: "msg", content }),
                },
              ]);
              // Hold some transactions open, so that later ones commit first.
              for (let turns = (n * 7) % 11; turns > 0; turns--) await sql`select 1`.execute(trx);
            });
            written.push(content);
          }),
        );
      }),
    );
    isWriting = false;
    await reading;
    expect(seen.map(({ data }) => data.content).toSorted()).toEqual(written.toSorted());
    for (const id of conversationIds) {
      const sequences = seen.filter(({ conversationId }) => conversationId === id).map(({ sequence }) => sequence);
      expect(sequences).toEqual(Array.from({ length: 15 }, (_, index) => index + 1));
    }
    if (kind === "postgres") await Promise.all(others.map(({ db }) => db.destroy()));
  });
});
