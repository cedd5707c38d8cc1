import { sql } from "kysely";
import { afterAll, beforeAll, expect, it } from "vitest";
import { insertConversation } from "../../../../../test/conversation-seed.ts";
import { onBothDatabases, type TestDatabase } from "../../../../../test/databases.ts";
import { createAgent } from "../../../../../test/factories.ts";
import { startServer, type TestServer } from "../../../../../test/server.ts";
import { createOwner, signedInBrowser } from "../../../../../test/session-client.ts";
import { chunk, type Exchange, eventStream, startUpstream, type Upstream } from "../../../../../test/upstream.ts";
import { migrate } from "../../db/migrate.ts";
import { addModelCounters } from "../../db/migrations/0085-models.ts";
import { attachmentCounters } from "../../db/migrations/0130-attachment-counters.ts";
import { toUtcDay } from "../../utc-day.ts";

type Account = Awaited<ReturnType<TestServer["createAccount"]>>;

const answer = (exchange: Exchange) => {
  const { send, end } = eventStream(exchange);
  send(chunk({ content: "Yes." }));
  send(chunk({}, "stop"));
  send({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 2 } });
  send("[DONE]");
  end();
};

onBothDatabases("conversation analytics", (createDatabase) => {
  let database: TestDatabase;
  let server: TestServer;
  let owner: Account;
  let provider: Upstream;
  beforeAll(async () => {
    database = await createDatabase();
    provider = await startUpstream(answer);
    const env = {
      OPENAI_COMPATIBLE_BASE_URL: `${provider.url}/v1`,
      FOYER_DEFAULT_MODEL: "openai-compatible/test",
      FOYER_OUTBOUND_ALLOW: "127.0.0.1",
    };
    server = await startServer({ database, env });
    owner = await server.createAccount();
  });
  afterAll(async () => {
    await server.stop();
    await provider.stop();
    await database.drop();
  });

  const say = async (agentId: string, more: object = {}) => {
    const payload = { agentId, messages: [{ role: "user", content: "Do you have city bikes?" }], ...more };
    const { body } = await server.app.inject({ method: "POST", url: "/chat", payload });
    const idIn = (name: string) => new RegExp(`"${name}":"([^"]+)"`).exec(body)?.[1] ?? "";
    return { conversationId: idIn("conversationId"), messageId: idIn("messageId") };
  };
  const read = async (query: string, account = owner) => {
    const { status, body } = await account.call("GET", `/conversations/analytics?${query}`);
    expect(status, JSON.stringify(body)).toBe(200);
    return body.data;
  };
  const nothing = {
    conversations: 0,
    replies: 0,
    failedReplies: 0,
    ratedUp: 0,
    ratedDown: 0,
    inputTokens: 0,
    cachedInputTokens: 0,
    outputTokens: 0,
    fallbackReplies: 0,
    visitorAttachments: 0,
    memberAttachments: 0,
    cost: 0,
    unknownCostReplies: 0,
  };

  const none = { requested: 0, conversations: 0, taken: 0, waitedMs: 0, answered: 0, answerMs: 0, inTime: 0 };

  it("count conversations, replies and tokens by day, by hour and by agent", async () => {
    const agentId = await createAgent(owner);
    const { conversationId } = await say(agentId);
    await say(agentId, { conversationId });
    await say(agentId);
    const { totals, days, hours, agents, from, to } = await read(`agentId=${agentId}`);
    const counted = { conversations: 2, replies: 3, inputTokens: 30, outputTokens: 6, unknownCostReplies: 3 };
    expect(totals).toEqual({ ...nothing, ...counted });
    expect(Date.parse(to) - Date.parse(from)).toBe(29 * 86_400_000);
    // Adds up several days, because midnight may pass between two replies.
    const sum = (rows: Array<Record<string, number>>, name: string) =>
      rows.reduce((total, row) => total + (row[name] ?? 0), 0);
    expect(sum(days, "replies")).toBe(3);
    expect([hours.length, sum(hours, "conversations"), sum(hours, "replies")]).toEqual([24, 2, 3]);
    expect(agents).toEqual([{ agentId, agentName: "Harbour", ...totals }]);
  });

  it("count a rating once, at the time of its message, even if it is changed or repeated", async () => {
    const agentId = await createAgent(owner);
    const { conversationId, messageId } = await say(agentId);
    const rate = (rating: string) =>
      owner.call("POST", `/conversations/${conversationId}/feedback`, { messageId, rating });
    await rate("up");
    await rate("up");
    expect((await read(`agentId=${agentId}`)).totals).toMatchObject({ ratedUp: 1, ratedDown: 0 });
    await rate("down");
    const totals = { ratedUp: 0, ratedDown: 1 };
    expect((await read(`agentId=${agentId}`)).totals).toMatchObject(totals);
    // A rating of a member's message does not count as a rating of the agent.
    const second = await say(agentId);
    await server.deps.db
      .updateTable("messages")
      .set({ authorName: "Ada" })
      .where("id", "=", second.messageId)
      .execute();
    const rating = { messageId: second.messageId, rating: "down" };
    await owner.call("POST", `/conversations/${second.conversationId}/feedback`, rating);
    expect((await read(`agentId=${agentId}`)).totals).toMatchObject(totals);
  });

  it("count failed replies, and keep the counts when a conversation is deleted", async () => {
    const agentId = await createAgent(owner);
    provider.script(({ response }) => response.writeHead(400).end("{}"));
    const { conversationId } = await say(agentId);
    provider.script(answer);
    const { totals } = await read(`agentId=${agentId}`);
    expect(totals).toMatchObject({ conversations: 1, replies: 1, failedReplies: 1 });
    await owner.call("DELETE", `/conversations/${conversationId}`);
    expect((await read(`agentId=${agentId}`)).totals).toEqual(totals);
  });

  it("leave out playground conversations, which the inbox marks as tests", async () => {
    const user = await createOwner(server);
    const browser = await signedInBrowser(server, user.email);
    const { body: created } = await browser.call("POST", "/agents", { name: "Tried" });
    const agentId = created.data.id;
    const payload = { agentId, messages: [{ role: "user", content: "Hello" }] };
    expect((await browser.call("POST", "/chat", payload)).status).toBe(200);
    await say(agentId);
    const analytics = (await browser.call("GET", `/conversations/analytics?agentId=${agentId}`)).body.data;
    expect(analytics.totals).toMatchObject({ conversations: 1, replies: 1 });
    const list = async (query = "") =>
      (await browser.call("GET", `/conversations?agentId=${agentId}${query}`)).body.data.map(
        ({ isTest }: { isTest: boolean }) => isTest,
      );
    expect(await list()).toEqual([false, true]);
    expect([await list("&test=true"), await list("&test=false")]).toEqual([[true], [false]]);
  });

  it("cover at most the last 366 days of the range, and all agents when none is given", async () => {
    const account = await server.createAccount();
    const [first, second] = [
      await createAgent(account, { name: "First" }),
      await createAgent(account, { name: "Second" }),
    ];
    const last = Date.UTC(2026, 0, 31);
    const row = (agentId: string, daysBefore: number, hour: number) => ({
      ...nothing,
      agentId,
      day: toUtcDay(last - daysBefore * 86_400_000),
      hour,
      conversations: 1,
      replies: 2,
    });
    await server.deps.db
      .insertInto("conversationHours")
      .values([
        row(first, 0, 9),
        row(first, 0, 10),
        row(second, 0, 9),
        row(first, 1, 9),
        row(second, 365, 9),
        row(second, 366, 9),
      ])
      .execute();
    const day = await read("from=2026-01-31&to=2026-01-31", account);
    expect(day.days).toEqual([{ ...nothing, date: "2026-01-31", conversations: 3, replies: 6 }]);
    expect(day.hours[9]).toEqual({ hour: 9, conversations: 2, replies: 4 });
    expect(
      day.agents.map(({ agentName, conversations }: Record<string, unknown>) => [agentName, conversations]),
    ).toEqual([
      ["First", 2],
      ["Second", 1],
    ]);
    expect((await read("to=2026-01-31", account)).totals.conversations).toBe(4);
    const longest = await read("from=2020-01-01&to=2026-01-31", account);
    expect([longest.from, longest.totals.conversations]).toEqual([toUtcDay(last - 365 * 86_400_000), 5]);
    expect((await read(`to=2026-01-31&agentId=${second}`, account)).totals.conversations).toBe(1);
  });

  it("tell how often and how fast people took over, without counting uninvited takeovers as requests", async () => {
    const account = await server.createAccount();
    const agentId = await createAgent(account);
    const { db } = server.deps;
    const row = {
      agentId,
      day: "2026-01-31",
      cause: "visitor" as const,
      answersWithin1Min: 0,
      answersLater: 0,
    };
    const met = { taken: 3, waitedMs: 90_000, answered: 2, answerMs: 120_001, inTime: 1 };
    await db
      .insertInto("conversationHours")
      .values({ ...nothing, agentId, day: "2026-01-30", hour: 9, conversations: 8 })
      .execute();
    await db
      .insertInto("handoffDays")
      .values([
        { ...row, ...met, requested: 3, conversations: 2, answersWithin1Min: 1, answersLater: 1 },
        { ...row, ...met, requested: 3, conversations: 0, day: "2026-01-30", answersWithin1Min: 2 },
        { ...row, ...met, requested: 9, conversations: 9, day: "2026-01-29" },
        {
          ...row,
          ...none,
          cause: "member",
          requested: 4,
          conversations: 1,
          taken: 4,
          answered: 1,
          inTime: 1,
          answersWithin1Min: 1,
        },
        { ...row, ...none, cause: "rating", requested: 1, conversations: 1 },
      ])
      .execute();
    const { handoffs } = await read("from=2026-01-30&to=2026-01-31", account);
    const visitor = { taken: 6, answered: 4, inTime: 2, waitMs: 30_000, answerMs: 60_001 };
    expect(handoffs).toEqual({
      ...visitor,
      count: 11,
      conversations: 4,
      rate: 50,
      requested: 7,
      answerTimes: [
        { maxMs: 60_000, count: 3 },
        { maxMs: 300_000, count: 0 },
        { maxMs: 900_000, count: 0 },
        { maxMs: 3_600_000, count: 0 },
        { maxMs: 14_400_000, count: 0 },
        { maxMs: null, count: 1 },
      ],
      causes: [
        { ...visitor, cause: "visitor", count: 6, conversations: 2, rate: 25 },
        {
          cause: "member",
          count: 4,
          conversations: 1,
          rate: 12.5,
          taken: 4,
          answered: 1,
          inTime: 1,
          waitMs: null,
          answerMs: 0,
        },
        {
          cause: "rating",
          count: 1,
          conversations: 1,
          rate: 12.5,
          taken: 0,
          answered: 0,
          inTime: 0,
          waitMs: null,
          answerMs: null,
        },
      ],
    });
    const quiet = await read(`from=2026-01-29&to=2026-01-29&agentId=${agentId}`, account);
    expect(quiet.handoffs).toMatchObject({ count: 9, rate: null });
    expect((await read("from=2026-01-30&to=2026-01-31")).handoffs).toMatchObject({ count: 0, causes: [] });
  });

  it("count the attachments that stored messages have, also in hours that nothing else was counted in", async () => {
    const { db, databaseKind } = server.deps;
    const agentId = await createAgent(owner);
    const seed = { organizationId: owner.organizationId, agentId };
    const createdAt = Date.UTC(2025, 6, 6, 23, 59, 30);
    const sayings = [{ content: "Look" }, { content: "I see" }];
    for (const isTest of [0, 1] as const) {
      const conversationId = await insertConversation(db, seed, { createdAt, isTest }, sayings);
      const messages = await db
        .selectFrom("messages")
        .select(["id", "position"])
        .where("conversationId", "=", conversationId)
        .execute();
      await db
        .insertInto("attachments")
        .values(
          messages.flatMap(({ id, position }) =>
            Array.from({ length: position === 0 ? 3 : 1 }, (_, at) => ({
              ...seed,
              id: `att_${id}${at}`,
              conversationId,
              messageId: id,
              sessionId: "s1",
              uploaderId: null,
              noteId: null,
              position: at,
              name: "bike.png",
              type: "image/png" as const,
              size: 1,
              width: 1,
              height: 1,
              fileId: `file_${id}${at}`,
              text: null,
              createdAt,
            })),
          ),
        )
        .execute();
    }
    await db
      .insertInto("conversationHours")
      .values({ ...nothing, agentId, day: "2025-07-06", hour: 23, conversations: 1 })
      .execute();
    await db.schema.alterTable("conversationHours").dropColumn("visitorAttachments").execute();
    await db.schema.alterTable("conversationHours").dropColumn("memberAttachments").execute();
    await attachmentCounters(db, databaseKind);
    const { days } = await read(`agentId=${agentId}&from=2025-07-01&to=2025-07-31`);
    expect(days).toEqual([
      { ...nothing, date: "2025-07-06", conversations: 1, visitorAttachments: 3 },
      { ...nothing, date: "2025-07-07", memberAttachments: 1 },
    ]);
  });

  it("are not found for another organization's agent", async () => {
    const stranger = await server.createAccount();
    const { status } = await stranger.call("GET", `/conversations/analytics?agentId=${await createAgent(owner)}`);
    expect(status).toBe(404);
    expect((await read("", stranger)).agents).toEqual([]);
  });

  it("are backfilled from stored conversations by the migration", async () => {
    const { db } = server.deps;
    const agentId = await createAgent(owner);
    const createdAt = Date.UTC(2025, 4, 6, 23, 59);
    await insertConversation(db, { organizationId: owner.organizationId, agentId }, { createdAt }, [
      { content: "Hello" },
      { content: "Hi", feedback: "down" },
      { content: "And now?" },
      { content: "", stopReason: "error" },
    ]);
    await db.schema.dropTable("conversationHours").execute();
    await db.schema.alterTable("conversations").dropColumn("isTest").execute();
    await sql`delete from migrations where name = '0014-conversation-analytics'`.execute(db);
    await migrate({ db, kind: server.deps.databaseKind });
    // The columns that later migrations add to the table.
    await addModelCounters(db);
    await attachmentCounters(db, server.deps.databaseKind);
    const { days, hours } = await read(`agentId=${agentId}&from=2025-05-01&to=2025-05-31`);
    expect(days).toEqual([
      { ...nothing, date: "2025-05-06", conversations: 1, replies: 1, ratedDown: 1, unknownCostReplies: 1 },
      { ...nothing, date: "2025-05-07", replies: 1, failedReplies: 1, unknownCostReplies: 1 },
    ]);
    expect([hours[23].conversations, hours[0].replies]).toEqual([1, 1]);
  });
});
