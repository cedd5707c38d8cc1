import { DAY_MS, MINUTE_MS } from "@foyer/contract/rules/time";
import { pino } from "pino";
import { afterAll, beforeAll, expect, it } from "vitest";
import { insertConversation } from "../../../../test/conversation-seed.ts";
import { onBothDatabases, type TestDatabase } from "../../../../test/databases.ts";
import { createAgent } from "../../../../test/factories.ts";
import { startServer, type TestServer } from "../../../../test/server.ts";
import { createMember, createOwner, signedInBrowser } from "../../../../test/session-client.ts";
import { sayWords, startUpstream, type Upstream } from "../../../../test/upstream.ts";
import { startVisit } from "../../../../test/visit.ts";
import { inTransaction } from "../db/transaction.ts";
import { createConversationLog } from "./log/log.ts";
import { createStatusTimer } from "./status-timer.ts";

type Browser = Awaited<ReturnType<typeof signedInBrowser>>;

onBothDatabases("the status of a conversation", (createDatabase) => {
  let database: TestDatabase;
  let upstream: Upstream;
  let server: TestServer;
  let owner: Browser;
  let colleague: Browser;
  let stranger: Browser;
  let agentId: string;
  let organizationId: string;

  beforeAll(async () => {
    database = await createDatabase();
    upstream = await startUpstream();
    const env = {
      OPENAI_COMPATIBLE_BASE_URL: upstream.url,
      FOYER_DEFAULT_MODEL: "openai-compatible/test",
      FOYER_LIMIT_CHAT_PER_IP: "0",
      FOYER_LIMIT_CHAT_PER_SESSION: "0",
    };
    server = await startServer({ database, env });
    const account = await createOwner(server);
    organizationId = account.organizationId;
    owner = await signedInBrowser(server, account.email);
    colleague = await signedInBrowser(server, (await createMember(server, account.organizationId, "member")).email);
    stranger = await signedInBrowser(server, (await createOwner(server)).email);
    agentId = await createAgent(owner, { handoff: { isEnabled: true } });
  });
  afterAll(async () => {
    await server.stop();
    await upstream.stop();
    await database.drop();
  });

  /** A conversation of a visitor who has written once. */
  async function visit() {
    upstream.script(sayWords("Hello."));
    const visit = await startVisit(server, agentId);
    const { id } = visit;
    return {
      ...visit,
      change: (action: string, body?: object) => owner.call("POST", `/conversations/${id}/${action}`, body),
      read: async () => (await owner.call("GET", `/conversations/${id}`)).body.data,
    };
  }

  const inOneDay = () => new Date(Date.now() + DAY_MS).toISOString();
  const list = async (query: string) =>
    (await owner.call("GET", `/conversations?${query}`)).body.data.map(({ id }: { id: string }) => id);

  /** Runs what is due at this time. */
  function runTimer(at: number) {
    const log = createConversationLog(server.deps, []);
    return createStatusTimer(server.deps, log, () => at).runOnce();
  }

  it("changes although more conversations than a round reads cannot be changed", async () => {
    const { change, read } = await visit();
    const until = Date.now() + DAY_MS;
    const ids: string[] = [];
    for (let count = 0; count < 51; count++) {
      ids.push(await insertConversation(server.deps.db, { organizationId, agentId }, { snoozedUntil: until - 1 }, []));
    }
    const conversations = server.deps.db.updateTable("conversations").where("id", "in", ids);
    await conversations.set({ status: "snoozed" }).execute();
    await change("snooze", { until: new Date(until).toISOString() });
    const log = createConversationLog(server.deps, []);
    const broken: typeof log.wake = (trx, conversation, now) =>
      ids.includes(conversation.conversationId)
        ? Promise.reject(new Error("This one is broken."))
        : log.wake(trx, conversation, now);
    const deps = { ...server.deps, log: pino({ enabled: false }) };
    const timer = createStatusTimer(deps, { ...log, wake: broken }, () => until);
    for (let round = 0; round < 2; round++) await timer.runOnce();
    expect((await read()).status).toBe("open");
    await conversations.set({ status: "open", snoozedUntil: null }).execute();
  });

  it("is open for a new conversation", async () => {
    const { read } = await visit();
    expect(await read()).toMatchObject({ status: "open", snoozedUntil: null, resolvedAt: null });
  });

  it("is resolved by a member, with the time", async () => {
    const { change } = await visit();
    const { status, body } = await change("resolve");
    expect(status).toBe(200);
    expect(body).toMatchObject({ data: { status: "resolved", handler: "agent", resolvedAt: expect.any(String) } });
  });

  it("stays resolved when it is resolved again", async () => {
    const { change } = await visit();
    const first = await change("resolve");
    expect((await change("resolve")).body.data).toEqual(first.body.data);
  });

  it("can be opened again", async () => {
    const { change } = await visit();
    await change("resolve");
    expect((await change("reopen")).body.data).toMatchObject({ status: "open", resolvedAt: null });
  });

  it("opens when the visitor writes", async () => {
    const { change, say, read } = await visit();
    await change("resolve");
    await say("One more thing.");
    expect((await read()).status).toBe("open");
  });

  it("opens when the visitor asks for a person", async () => {
    const { change, askForPerson, read } = await visit();
    await change("resolve");
    await askForPerson();
    expect(await read()).toMatchObject({ status: "open", handler: "waiting" });
  });

  it("opens when a member takes the conversation over", async () => {
    const { change, read } = await visit();
    await change("snooze", { until: inOneDay() });
    await change("takeover");
    expect(await read()).toMatchObject({ status: "open", snoozedUntil: null, handler: "human" });
  });

  it("is resolved together with the part of a person", async () => {
    const { change } = await visit();
    await change("takeover");
    expect((await change("resolve")).body.data).toMatchObject({ status: "resolved", handler: "agent", assignee: null });
  });

  it("is resolved when the conversation is closed", async () => {
    const { change, read } = await visit();
    await change("takeover");
    await change("close", {});
    expect((await read()).status).toBe("resolved");
  });

  it("stays open when the conversation is returned to the agent", async () => {
    const { change, read } = await visit();
    await change("takeover");
    await change("return", {});
    expect((await read()).status).toBe("open");
  });

  it("is snoozed until a time", async () => {
    const { change } = await visit();
    const until = inOneDay();
    expect((await change("snooze", { until })).body.data).toMatchObject({ status: "snoozed", snoozedUntil: until });
  });

  it("opens at the end of a snooze, not before", async () => {
    const { change, read } = await visit();
    const until = inOneDay();
    await change("snooze", { until });
    await runTimer(Date.parse(until) - 1);
    expect((await read()).status).toBe("snoozed");
    await runTimer(Date.parse(until));
    expect(await read()).toMatchObject({ status: "open", snoozedUntil: null });
  });

  it.each([
    ["in the past", () => new Date(Date.now() - 1_000).toISOString()],
    ["in two years", () => new Date(Date.now() + 731 * DAY_MS).toISOString()],
    ["that is no time", () => "tomorrow"],
  ])("cannot be snoozed until a time %s", async (_, until) => {
    const { change, read } = await visit();
    expect(await change("snooze", { until: until() })).toMatchObject({
      status: 400,
      body: { error: { code: "VALIDATION_ERROR", details: [{ path: "until" }] } },
    });
    expect((await read()).status).toBe("open");
  });

  it("cannot be snoozed while the visitor waits for a person", async () => {
    const { change, askForPerson } = await visit();
    await askForPerson();
    expect((await change("snooze", { until: inOneDay() })).status).toBe(409);
  });

  it("becomes resolved after half an hour of silence with the agent", async () => {
    const { read } = await visit();
    await runTimer(Date.now() + 29 * MINUTE_MS);
    expect((await read()).status).toBe("open");
    await runTimer(Date.now() + 31 * MINUTE_MS);
    expect((await read()).status).toBe("resolved");
  });

  it("never becomes resolved by itself while the visitor waits for a person", async () => {
    const { askForPerson, read } = await visit();
    await askForPerson();
    await runTimer(Date.now() + 365 * DAY_MS);
    expect((await read()).status).toBe("open");
  });

  it("becomes resolved with the agent's last words after resolveAfter days without an answer of the visitor", async () => {
    await owner.call("PATCH", `/agents/${agentId}`, { resolveAfter: 3, resolveMessage: "Write again at any time." });
    const { change, read } = await visit();
    await change("takeover");
    await change("messages", { content: "Did that help?" });
    await runTimer(Date.now() + 3 * DAY_MS - MINUTE_MS);
    expect((await read()).status).toBe("open");
    await runTimer(Date.now() + 3 * DAY_MS + MINUTE_MS);
    const { status, messages } = await read();
    expect(status).toBe("resolved");
    expect(messages.at(-1)).toMatchObject({ role: "assistant", content: "Write again at any time." });
  });

  it("stays open while the visitor waits for a member's answer, however long", async () => {
    await owner.call("PATCH", `/agents/${agentId}`, { resolveAfter: 3 });
    const { change, say, read } = await visit();
    await change("takeover");
    await say("And the brakes?");
    await runTimer(Date.now() + 30 * DAY_MS);
    expect((await read()).status).toBe("open");
  });

  it("selects conversations of the list, also without an agent", async () => {
    const open = await visit();
    const resolved = await visit();
    await resolved.change("resolve");
    expect(await list("status=open&limit=100")).toContain(open.id);
    expect(await list("status=open&limit=100")).not.toContain(resolved.id);
    expect((await list(`status=resolved&agentId=${agentId}&sort=activity`))[0]).toBe(resolved.id);
  });

  it("is reported as an event with who changed it", async () => {
    await owner.call("PUT", "/events/feed", { isEnabled: true });
    const { change, id } = await visit();
    await change("resolve");
    const { body } = await owner.call("GET", "/events?limit=100");
    const event = body.events.find((one: { type: string }) => one.type === "conversation.status_changed");
    expect(event).toMatchObject({ conversationId: id, data: { status: "resolved", isAutomatic: false } });
  });

  it("ends as one of two statuses when members resolve and answer at once", async () => {
    const { change, read, id } = await visit();
    await change("takeover");
    const [resolved, sent] = await Promise.all([
      colleague.call("POST", `/conversations/${id}/resolve`),
      change("messages", { content: "Here is the answer." }),
    ]);
    expect(resolved.status).toBe(200);
    expect([201, 409]).toContain(sent.status);
    const { status, handler } = await read();
    expect([`resolved agent`, `open human`]).toContain(`${status} ${handler}`);
  });

  it.each(["resolve", "reopen", "snooze"])("is not changed with %s by another organization", async (action) => {
    const { id, read } = await visit();
    const answer = await stranger.call("POST", `/conversations/${id}/${action}`, { until: inOneDay() });
    expect(answer.status).toBe(404);
    expect((await read()).status).toBe("open");
  });

  it("stays as it is in the trash, also when the conversation was moved there at the same moment", async () => {
    const { db } = server.deps;
    const log = createConversationLog(server.deps, []);
    const by = { userId: null, isAutomatic: true };
    const [open, resolved] = [await visit(), await visit()];
    await resolved.change("resolve");
    for (const { change } of [open, resolved]) expect((await change("trash")).status).toBe(200);
    const refOf = ({ id: conversationId }: { id: string }) => ({ organizationId, conversationId });
    await inTransaction(db, async (trx) => {
      expect(await log.resolve(trx, refOf(open), { by })).toBe(false);
      expect(await log.snooze(trx, refOf(open), { until: Date.now() + DAY_MS, userId: null })).toBe(false);
      await log.reopen(trx, refOf(resolved), by);
    });
    for (const { change } of [open, resolved]) expect((await change("restore")).status).toBe(200);
    expect([(await open.read()).status, (await resolved.read()).status]).toEqual(["open", "resolved"]);
  });

  it("is unknown to the visitor", async () => {
    const { id, token } = await visit();
    const headers = { authorization: `Bearer ${token}` };
    const answer = await server.app.inject({ method: "GET", url: `/conversations/${id}`, headers });
    expect(answer.json().data).not.toHaveProperty("status");
  });
});
