import { afterAll, beforeAll, expect, it } from "vitest";
import { onBothDatabases, type TestDatabase, waitForBlockedStatement } from "../../../../test/databases.ts";
import { createAgent } from "../../../../test/factories.ts";
import { startServer, type TestServer } from "../../../../test/server.ts";
import { createMember, createOwner, signedInBrowser } from "../../../../test/session-client.ts";
import { sayWords, startUpstream, type Upstream } from "../../../../test/upstream.ts";
import { createConversationLog } from "../conversations/log/log.ts";
import { inTransaction } from "../db/transaction.ts";
import { createAssignConversation } from "./assign-conversation.ts";
import { createHandoffCounters } from "./counters.ts";
import { scheduleRelease } from "./former-members.ts";

type Browser = Awaited<ReturnType<typeof signedInBrowser>>;

onBothDatabases("in a handoff", (createDatabase) => {
  let database: TestDatabase;
  let upstream: Upstream;
  let server: TestServer;
  let owner: Browser;
  let colleague: Browser;
  let stranger: Browser;
  let colleagueId: string;
  let agentId: string;
  let organizationId: string;

  beforeAll(async () => {
    database = await createDatabase();
    upstream = await startUpstream();
    const env = { OPENAI_COMPATIBLE_BASE_URL: upstream.url, FOYER_DEFAULT_MODEL: "openai-compatible/test" };
    server = await startServer({ database, env });
    const account = await createOwner(server);
    organizationId = account.organizationId;
    owner = await signedInBrowser(server, account.email);
    const member = await createMember(server, organizationId, "member");
    colleagueId = member.userId;
    await server.deps.db.updateTable("users").set({ name: "Grace Hopper" }).where("id", "=", colleagueId).execute();
    colleague = await signedInBrowser(server, member.email);
    stranger = await signedInBrowser(server, (await createOwner(server)).email);
    agentId = await createAgent(owner, { handoff: { isEnabled: true, promiseMinutes: 10 } });
  });
  afterAll(async () => {
    await server.stop();
    await upstream.stop();
    await database.drop();
  });

  /** A visitor who has written once and received a reply from the agent. */
  async function visit(ofAgent = agentId) {
    upstream.script(sayWords("Hello."));
    const say = async (
      content: string,
      more: { conversationId?: string; token?: string; messageKey?: string } = {},
    ) => {
      const { conversationId, token, messageKey } = more;
      const { body, statusCode } = await server.app.inject({
        method: "POST",
        url: "/chat",
        headers: token ? { authorization: `Bearer ${token}` } : {},
        payload: {
          agentId: ofAgent,
          sessionId: "s",
          conversationId,
          messageKey,
          messages: [{ role: "user", content }],
        },
      });
      return { statusCode, body, idIn: (name: string) => new RegExp(`"${name}":"([^"]+)"`).exec(body)?.[1] ?? "" };
    };
    const first = await say("Hello?");
    const id = first.idIn("conversationId");
    const token = first.idIn("conversationToken");
    const call = async (method: "GET" | "POST" | "DELETE", path: string, payload?: object) => {
      const response = await server.app.inject({
        method,
        url: `/conversations/${id}${path}`,
        headers: { authorization: `Bearer ${token}` },
        ...(payload ? { payload } : {}),
      });
      return { status: response.statusCode, body: response.json() };
    };
    const continued = (content: string, more: object = {}) => say(content, { conversationId: id, token, ...more });
    return { id, call, say: continued };
  }

  it("a visitor asks for a person, waits, and hides nothing from the team but sees nothing of it", async () => {
    const { id, call } = await visit();
    const asked = await call("POST", "/handoff", { reason: "My invoice is wrong", email: "ada@example.com" });
    expect([asked.status, asked.body.data]).toMatchObject([
      200,
      { handler: "waiting", epoch: 1, assignee: null, handoff: { cause: "visitor", reason: "My invoice is wrong" } },
    ]);
    const { requestedAt, promisedAt } = asked.body.data.handoff;
    expect(Date.parse(promisedAt) - Date.parse(requestedAt)).toBe(600_000);
    expect(asked.body.data.handoff).not.toHaveProperty("email");
    expect(asked.body.data.handoff).not.toHaveProperty("summary");
    const again = await call("POST", "/handoff", { reason: "It is urgent" });
    expect(again.body.data).toMatchObject({ epoch: 1, handoff: { reason: "It is urgent", requestedAt } });

    for (const email of ["ada@", "ada@example.com, eve@example.com", "Ada <ada@example.com>"]) {
      const refused = await call("POST", "/handoff", { email });
      expect([refused.status, refused.body.error?.details?.[0]?.path], email).toEqual([400, "email"]);
    }
    expect((await call("POST", "/handoff", { email: " " })).status).toBe(200);

    const seen = await owner.call("GET", `/conversations/${id}`);
    expect(seen.body.data.handoff).toMatchObject({ email: "ada@example.com", summary: null });
    const { body } = await owner.call("GET", "/conversations?handler=waiting");
    expect(body.data.map((row: { id: string }) => row.id)).toContain(id);
    expect((await stranger.call("GET", "/conversations?handler=waiting")).body.data).toEqual([]);
    expect((await owner.call("GET", "/conversations")).status).toBe(400);
  });

  it("analytics and metrics count a request when it is made, taken and answered", async () => {
    const ofAgent = await createAgent(owner, { handoff: { isEnabled: true, promiseMinutes: 10 } });
    const { id, call } = await visit(ofAgent);
    const metrics = async () => {
      const { body } = await server.app.inject({ url: "/metrics" });
      return [
        "foyer_handoffs_waiting",
        'foyer_handoff_requests_total\\{cause="visitor"\\}',
        'foyer_handoff_wait_seconds_count\\{cause="visitor"\\}',
        'foyer_handoff_answer_seconds_count\\{cause="visitor"\\}',
      ].map((name) => Number(new RegExp(`^${name} (\\d+)$`, "m").exec(body)?.[1]));
    };
    const change = (from: number[], to: number[]) => to.map((count, index) => count - (from[index] ?? Number.NaN));
    const before = await metrics();
    await call("POST", "/handoff", {});
    const waiting = await metrics();
    await colleague.call("POST", `/conversations/${id}/messages`, { content: "Hello" });
    const answered = await metrics();
    expect([change(before, waiting), change(waiting, answered)]).toEqual([
      [1, 1, 0, 0],
      [-1, 0, 1, 1],
    ]);
    const { handoffs } = (await owner.call("GET", `/conversations/analytics?agentId=${ofAgent}`)).body.data;
    expect(handoffs).toMatchObject({ count: 1, rate: 100, requested: 1, taken: 1, answered: 1, inTime: 1 });
    expect(handoffs.answerTimes[0]).toEqual({ maxMs: 60_000, count: 1 });
    expect(handoffs.causes).toMatchObject([{ cause: "visitor", waitMs: expect.any(Number) }]);
  });

  it("a visitor who stops waiting talks to the agent again", async () => {
    const { call, say } = await visit();
    await call("POST", "/handoff", {});
    expect((await call("DELETE", "/handoff")).body.data).toEqual({
      handler: "agent",
      epoch: 2,
      assignee: null,
      handoff: null,
    });
    expect((await say("Are you there?")).body).toContain('"stopReason":"end_turn"');
  });

  it("of ten members who take a conversation over at once, one wins and the others learn who it is", async () => {
    const { id, call } = await visit();
    await call("POST", "/handoff", {});
    const attempts = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        (index % 2 === 0 ? owner : colleague).call("POST", `/conversations/${id}/takeover`),
      ),
    );
    const won = attempts.filter(({ status }) => status === 200);
    const lost = attempts.filter(({ status }) => status === 409);
    expect([won.length, lost.length]).toEqual([5, 5]);
    const winner = won[0]?.body.data.assignee;
    expect(new Set(won.map(({ body }) => body.data.assignee.userId))).toEqual(new Set([winner.userId]));
    expect(won[0]?.body.data).toMatchObject({ handler: "human", epoch: 2, handoff: { takenAt: expect.any(String) } });
    for (const { body } of lost) {
      expect(body.error).toEqual({ code: "CONFLICT", message: `${winner.name} has this conversation.` });
    }
  });

  it("a member's messages reach the visitor with the member's name, and the agent stays silent until the return", async () => {
    const { id, call, say } = await visit();
    const sent = await colleague.call("POST", `/conversations/${id}/messages`, { content: "This is **Grace**." });
    expect([sent.status, sent.body.data]).toMatchObject([
      201,
      { role: "assistant", author: { kind: "member", person: { userId: colleagueId, name: "Grace Hopper" } } },
    ]);
    expect((await owner.call("POST", `/conversations/${id}/messages`, { content: "Me, too" })).status).toBe(409);

    // The visitor's browser loses the first response and sends the message again.
    for (let attempt = 0; attempt < 2; attempt++) {
      const passed = await say("Thank you!", { messageKey: "key-1" });
      expect([passed.statusCode, passed.body]).toEqual([200, expect.stringContaining('"stopReason":"handed_over"')]);
      expect(passed.body).not.toContain("content_block");
    }

    const { data } = (await call("GET", "")).body;
    expect(data).toMatchObject({
      handler: "human",
      messageCount: 4,
      assignee: { name: "Grace Hopper", initials: "GH" },
    });
    expect(JSON.stringify(data)).not.toContain(colleagueId);
    expect(data.messages.map(({ author, content }: never) => [author["kind" as never], content])).toEqual([
      ["visitor", "Hello?"],
      ["agent", "Hello."],
      ["member", "This is **Grace**."],
      ["visitor", "Thank you!"],
    ]);
    const row = (await owner.call("GET", "/conversations?handler=human")).body.data.find(
      (one: { id: string }) => one.id === id,
    );
    expect(row).toMatchObject({ handoff: { cause: "member", answeredAt: expect.any(String) } });

    const back = await owner.call("POST", `/conversations/${id}/return`, { note: "Refunded" });
    expect(back.body.data).toEqual({ handler: "agent", epoch: 2, assignee: null, handoff: null });
    expect((await say("And you?")).body).toContain('"stopReason":"end_turn"');

    const { handoffs } = (await owner.call("GET", `/conversations/${id}`)).body.data;
    expect(handoffs).toMatchObject([
      { cause: "member", takenBy: { name: "Grace Hopper" }, endedHow: "returned", note: "Refunded" },
    ]);
    expect(handoffs[0].endedBy.userId).not.toBe(colleagueId);
    expect((await call("GET", "")).body.data).not.toHaveProperty("handoffs");
    const withAgent = await owner.call("GET", `/conversations?agentId=${agentId}&handler=agent`);
    expect(withAgent.body.data.map((one: { id: string }) => one.id)).toContain(id);
    expect((await owner.call("GET", "/conversations?handler=agent")).status).toBe(400);
  });

  it("a member lists only their own conversations, and assigns one to a colleague but not to a stranger", async () => {
    const { id } = await visit();
    const mine = async (browser: Browser) =>
      (await browser.call("GET", "/conversations?handler=human&assignee=me")).body.data.map(
        (row: { id: string }) => row.id,
      );
    await owner.call("POST", `/conversations/${id}/takeover`);
    expect([await mine(owner), await mine(colleague)]).toMatchObject([
      expect.arrayContaining([id]),
      expect.not.arrayContaining([id]),
    ]);
    const assign = (userId: string, browser = owner) => browser.call("POST", `/conversations/${id}/assign`, { userId });
    expect((await assign(colleagueId)).body.data).toMatchObject({ epoch: 2, assignee: { userId: colleagueId } });
    expect(await mine(colleague)).toContain(id);
    expect((await assign("user_stranger")).status).toBe(400);
    for (const [path, body] of [
      ["takeover", undefined],
      ["assign", { userId: colleagueId }],
      ["messages", { content: "Hi" }],
      ["return", {}],
      ["close", undefined],
    ] as const) {
      expect((await stranger.call("POST", `/conversations/${id}/${path}`, body)).status, path).toBe(404);
    }
    expect((await colleague.call("POST", `/conversations/${id}/close`)).body.data.handler).toBe("agent");
  });

  it("events report who asked for a person, who took the conversation over, and who returned it", async () => {
    for (const member of [owner, stranger]) await member.call("PUT", "/events/feed", { isEnabled: true });
    const { id, call } = await visit();
    await call("POST", "/handoff", { reason: "My invoice is wrong" });
    await call("POST", "/handoff", { reason: "It is urgent" });
    await colleague.call("POST", `/conversations/${id}/takeover`);
    await colleague.call("POST", `/conversations/${id}/messages`, { content: "I am on it." });
    await owner.call("POST", `/conversations/${id}/assign`, { userId: colleagueId });
    await colleague.call("POST", `/conversations/${id}/return`, { note: "Refunded" });
    await call("POST", "/handoff", {});
    await call("DELETE", "/handoff");
    const { events } = (await owner.call("GET", "/events?kinds=conversation.handed_over")).body;
    const own = events.filter(({ conversationId }: { conversationId: string }) => conversationId === id);
    const reason = "My invoice is wrong";
    const asked = { cause: "visitor", summary: null, promisedAt: expect.any(String) };
    expect(own.map(({ data }: { data: object }) => data)).toEqual([
      { ...asked, change: "requested", handler: "waiting", epoch: 1, assigneeId: null, memberId: null, reason },
      {
        ...asked,
        change: "taken",
        handler: "human",
        epoch: 2,
        assigneeId: colleagueId,
        memberId: colleagueId,
        reason: "It is urgent",
      },
      {
        ...asked,
        change: "returned",
        handler: "agent",
        epoch: 3,
        assigneeId: null,
        memberId: colleagueId,
        reason: "It is urgent",
      },
      { ...asked, change: "requested", handler: "waiting", epoch: 4, assigneeId: null, memberId: null, reason: null },
      { ...asked, change: "cancelled", handler: "agent", epoch: 5, assigneeId: null, memberId: null, reason: null },
    ]);
    expect((await stranger.call("GET", "/events?kinds=conversation.handed_over")).body.events).toEqual([]);
    for (const member of [owner, stranger]) await member.call("PUT", "/events/feed", { isEnabled: false });
  });

  it("the conversation of a member who has left the organization can be taken over by exactly one colleague", async () => {
    const { db } = server.deps;
    const leaver = await createMember(server, organizationId, "member");
    const former = await signedInBrowser(server, leaver.email);
    const [first, second] = [await visit(), await visit()];
    for (const { id } of [first, second]) await former.call("POST", `/conversations/${id}/takeover`);
    expect((await colleague.call("POST", `/conversations/${first.id}/takeover`)).status).toBe(409);
    await db.deleteFrom("members").where("userId", "=", leaver.userId).execute();
    const taken = await colleague.call("POST", `/conversations/${first.id}/takeover`);
    expect([taken.status, taken.body.data]).toMatchObject([200, { epoch: 2, assignee: { userId: colleagueId } }]);
    expect((await owner.call("POST", `/conversations/${first.id}/takeover`)).status).toBe(409);
    const sent = await owner.call("POST", `/conversations/${second.id}/messages`, { content: "I continue." });
    expect(sent.status, sent.text).toBe(201);
  });

  /** Gives conversations to members without the rest of the inbox, so that a test can pause the transaction. */
  const giving = () =>
    createAssignConversation(server.deps, {
      handOver: { stop: async () => [], settle: async () => {} },
      log: createConversationLog(server.deps, [createHandoffCounters().listener]),
    });
  const isPostgres = () => server.deps.databaseKind === "postgres";

  it("a takeover that commits while the member is being removed leaves a conversation that will wait again", async () => {
    const { db } = server.deps;
    const { userId } = await createMember(server, organizationId, "member");
    const { id } = await visit();
    const [taken, mayCommit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const taking = giving()({ organizationId, id }, { userId, mayReplace: false }, async () => {
      taken.resolve();
      await mayCommit.promise;
    });
    await taken.promise;
    const removal = owner.call("DELETE", `/members/${userId}`);
    if (isPostgres()) await waitForBlockedStatement(db);
    mayCommit.resolve();
    await taking;
    expect((await removal).status).toBe(200);
    const timers = db.selectFrom("handoffTimers").select("kind").where("conversationId", "=", id);
    expect(await timers.execute()).toEqual([{ kind: "left" }]);
  });

  it("a takeover that waits until the member has been removed fails and leaves the conversation to the agent", async () => {
    const { db } = server.deps;
    const { userId } = await createMember(server, organizationId, "member");
    const { id } = await visit();
    const [removed, mayCommit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const removal = inTransaction(db, async (trx) => {
      await trx.deleteFrom("members").where("userId", "=", userId).execute();
      await scheduleRelease(trx, { organizationId, userId });
      removed.resolve();
      await mayCommit.promise;
    });
    await removed.promise;
    const taking = giving()({ organizationId, id }, { userId, mayReplace: true }, async () => {});
    const refused = expect(taking).rejects.toMatchObject({ code: "CONFLICT" });
    if (isPostgres()) await waitForBlockedStatement(db);
    mayCommit.resolve();
    await Promise.all([removal, refused]);
    expect((await owner.call("GET", `/conversations/${id}`)).body.data).toMatchObject({ handler: "agent", epoch: 0 });
  });

  it("takeovers of one agent's conversations do not wait for each other's statistics, and each is counted once", async () => {
    const ofAgent = await createAgent(owner, { handoff: { isEnabled: true } });
    const [first, second] = [await visit(ofAgent), await visit(ofAgent)];
    const [counted, mayCommit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const assignConversation = giving();
    const taken = { userId: colleagueId, mayReplace: false };
    const slow = assignConversation({ organizationId, id: first.id }, taken, async () => {
      counted.resolve();
      await mayCommit.promise;
    });
    await counted.promise;
    const fast = assignConversation({ organizationId, id: second.id }, taken, async () => {});
    // SQLite runs one transaction at a time.
    if (isPostgres()) await fast;
    mayCommit.resolve();
    await Promise.all([slow, fast]);
    const { handoffs } = (await owner.call("GET", `/conversations/analytics?agentId=${ofAgent}`)).body.data;
    expect(handoffs.count).toBe(2);
  });

  it("a return or close that is sent again ends no later request and no colleague's part", async () => {
    const { id, call } = await visit();
    const end = (path: "return" | "close", epoch: number, browser = owner) =>
      path === "return"
        ? browser.call("POST", `/conversations/${id}/return`, { epoch })
        : browser.call("POST", `/conversations/${id}/close?epoch=${epoch}`);
    for (const path of ["return", "close"] as const) {
      const { epoch } = (await owner.call("POST", `/conversations/${id}/takeover`)).body.data;
      const after = { handler: "agent", epoch: epoch + 1 };
      expect((await end(path, epoch)).body.data).toMatchObject(after);
      expect((await end(path, epoch)).body.data, "sent again").toMatchObject(after);
      await call("POST", "/handoff", {});
      const late = await end(path, epoch);
      expect([late.status, late.body.error.message]).toEqual([409, "The visitor is waiting for a person again."]);
      await colleague.call("POST", `/conversations/${id}/takeover`);
      const later = await end(path, epoch);
      expect([later.status, later.body.error.message]).toEqual([409, "Grace Hopper has this conversation."]);
      expect((await call("GET", "")).body.data).toMatchObject({ handler: "human", epoch: epoch + 3 });
      expect((await end(path, epoch + 3, stranger)).status).toBe(404);
      expect((await end(path, 2_147_483_647)).status).toBe(409);
      expect((await end(path, 2_147_483_648)).status).toBe(400);
      expect((await end(path, epoch + 3)).body.data.handler).toBe("agent");
    }
  });

  it("a member who has entered no name is shown as a member, not as a former one", async () => {
    const { db } = server.deps;
    const nameless = await createMember(server, organizationId, "member");
    await db.updateTable("users").set({ name: "" }).where("id", "=", nameless.userId).execute();
    const member = await signedInBrowser(server, nameless.email);
    const { id, call } = await visit();
    await member.call("POST", `/conversations/${id}/messages`, { content: "Hello." });
    const { data } = (await call("GET", "")).body;
    const shown = { name: "Member", initials: "M" };
    expect([data.assignee, data.messages.at(-1).author]).toEqual([shown, { kind: "member", person: shown }]);
  });

  it("an agent with handoff disabled refuses a request, but a member may take over", async () => {
    const { id, call } = await visit(await createAgent(owner));
    expect((await call("POST", "/handoff", {})).status).toBe(409);
    expect((await owner.call("POST", `/conversations/${id}/takeover`)).status).toBe(200);
    expect((await call("DELETE", "/handoff")).status).toBe(409);
  });

  it("handoff settings can be changed in parts, and the widget receives only what visitors need", async () => {
    const id = await createAgent(owner, { handoff: { isEnabled: true, promiseMinutes: 5, badRatings: 2 } });
    const { body } = await owner.call("PATCH", `/agents/${id}`, { handoff: { badRatings: null, hasButton: false } });
    expect(body.data.handoff).toMatchObject({ isEnabled: true, promiseMinutes: 5, badRatings: null, hasButton: false });
    const widget = async () => (await owner.call("GET", `/agents/${id}/widget`)).body.data.handoff;
    expect(await widget()).toEqual({
      hasButton: false,
      isOpen: true,
      opensAt: null,
      promiseMinutes: 5,
      whileWaiting: "agent",
      canEmail: false,
    });
    await owner.call("PATCH", `/agents/${id}`, { handoff: null });
    expect(await widget()).toBeNull();
    const hours = { timeZone: "Europe/Zurich", days: [{ day: 1, from: "12:00", to: "09:00" }], exceptions: [] };
    const refused = await owner.call("PATCH", `/agents/${id}`, { handoff: { hours } });
    expect(refused.body.error.details).toMatchObject([{ path: "handoff.hours.days.0.to" }]);
  });
});
