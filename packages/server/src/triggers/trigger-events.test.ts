import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createPostgres, onBothDatabases, type TestDatabase } from "../../../../test/databases.ts";
import { createAgent } from "../../../../test/factories.ts";
import { startServer, type TestServer } from "../../../../test/server.ts";
import { newId } from "../ids.ts";
import { toUtcDay } from "../utc-day.ts";
import { deleteEventsBefore } from "./retention.ts";
import { createTriggerEvents } from "./trigger-events.ts";

type Account = Awaited<ReturnType<TestServer["createAccount"]>>;

const unlimited = { FOYER_LIMIT_EVENTS_PER_SESSION: "0", FOYER_LIMIT_EVENTS_PER_IP: "0" };
const types = { triggerType: "exit_intent", actionType: "open_chat" } as const;

/** Creates the resources that events are reported for. */
function createReporter({ app }: TestServer, owner: Account) {
  return {
    createAgent: () => createAgent(owner),
    createTrigger: async (agentId: string, name: string): Promise<string> => {
      const trigger = { name, ...types, conditions: {}, actionConfig: {} };
      return (await owner.call("POST", `/triggers?agentId=${agentId}`, trigger)).body.id;
    },
    report: async (event: object, headers: Record<string, string> = {}, remoteAddress = "203.0.113.9") => {
      const payload = { triggerName: "Nobody's", ...types, eventType: "fired", ...event };
      return app.inject({ method: "POST", url: "/triggers/event", payload, headers, remoteAddress });
    },
    stats: async (query = "") => (await owner.call("GET", `/triggers/stats${query}`)).body,
  };
}
const counts = (firedCount: number, convertedCount: number) => ({ firedCount, convertedCount });

onBothDatabases("trigger events", (createDatabase) => {
  let database: TestDatabase;
  let server: TestServer;
  let owner: Account;
  let use: ReturnType<typeof createReporter>;
  let agentId: string;
  let trigger: string;
  let other: string;
  beforeAll(async () => {
    database = await createDatabase();
    server = await startServer({ database, env: unlimited });
  });
  beforeEach(async () => {
    owner = await server.createAccount();
    use = createReporter(server, owner);
    agentId = await use.createAgent();
    trigger = await use.createTrigger(agentId, "Welcome");
    other = await use.createTrigger(agentId, "Other");
  });
  afterAll(async () => {
    await server.stop();
    await database.drop();
  });

  const keptOf = (id: string) =>
    server.deps.db.selectFrom("triggerEvents").selectAll().where("agentId", "=", id).orderBy("id").execute();
  const reportAll = async (...events: object[]) => {
    for (const event of events) {
      const response = await use.report({ agentId, ...event });
      expect([response.statusCode, response.json()]).toMatchObject([200, { success: true }]);
    }
  };
  const both = async () => {
    const stats = await use.stats(`?agentId=${agentId}`);
    return [stats[trigger], stats[other]];
  };

  it("are counted by the trigger's id and stored", async () => {
    const before = Date.now();
    const more = { triggerName: "Whatever", sessionId: "s1", pagePath: "/pricing" };
    await reportAll({ triggerId: trigger, ...more }, { triggerId: trigger, ...more, eventType: "converted" });
    expect(await both()).toEqual([counts(1, 1), counts(0, 0)]);
    const kept = await keptOf(agentId);
    expect(kept).toHaveLength(2);
    expect(kept[0]).toEqual({
      id: expect.any(Number),
      agentId,
      triggerId: trigger,
      ...more,
      ...types,
      eventType: "fired",
      day: toUtcDay(kept[0]?.createdAt ?? 0),
      createdAt: expect.any(Number),
    });
    expect(kept[0]?.createdAt).toBeGreaterThanOrEqual(before);
    expect(kept[0]?.createdAt).toBeLessThanOrEqual(Date.now());
  });

  it("are counted by name when the id is unknown, for the oldest trigger of that name", async () => {
    await use.createTrigger(agentId, "Welcome");
    await reportAll({ triggerName: "Welcome" }, { triggerName: "Welcome", triggerId: newId("trigger") });
    await reportAll({ triggerName: "Welcome", triggerId: "nonsense" }, { triggerName: "Other", triggerId: null });
    expect(await both()).toEqual([counts(3, 0), counts(1, 0)]);
    expect(Object.values(await use.stats())).toEqual(expect.arrayContaining([counts(0, 0)]));
  });

  it("are stored without being counted when neither id nor name is known", async () => {
    await reportAll({ triggerName: "welcome" }, { triggerName: "Gone", eventType: "converted", sessionId: "s" });
    await reportAll({ eventType: "converted" }, { eventType: "converted", sessionId: "" });
    expect(await both()).toEqual([counts(0, 0), counts(0, 0)]);
    expect((await keptOf(agentId)).map(({ triggerId }) => triggerId)).toEqual([null, null, null, null]);
  });

  it("never count for another agent's trigger", async () => {
    const stranger = createReporter(server, await server.createAccount());
    const strangers = await stranger.createAgent();
    const target = await stranger.createTrigger(strangers, "Target");
    const sibling = await use.createAgent();
    const siblings = await use.createTrigger(sibling, "Sibling");
    await reportAll({ triggerId: target }, { triggerName: "Target" }, { triggerId: siblings, triggerName: "Sibling" });
    // The same session with a different agent.
    await stranger.report({ agentId: strangers, triggerId: target, sessionId: "shared" });
    await reportAll({ eventType: "converted", sessionId: "shared" });
    expect(await stranger.stats()).toEqual({ [target]: counts(1, 0) });
    expect((await use.stats())[siblings]).toEqual(counts(0, 0));
    expect(await both()).toEqual([counts(0, 0), counts(0, 0)]);
  });

  it("that report a conversion count for the last firing in the session when they name no known trigger", async () => {
    const converted = { eventType: "converted", sessionId: "s1" };
    await reportAll({ triggerId: trigger, sessionId: "s1" }, { triggerId: other, sessionId: "s1" });
    await reportAll({ triggerId: trigger, sessionId: "s2" }, { triggerName: "Unknown", sessionId: "s1" }, converted);
    expect(await both()).toEqual([counts(2, 0), counts(1, 1)]);
    await reportAll({ ...converted, triggerName: "Welcome" }, { ...converted, triggerId: trigger });
    expect(await both()).toEqual([counts(2, 1), counts(1, 1)]);
    await owner.call("DELETE", `/triggers/${other}`);
    await reportAll(converted);
    expect((await use.stats())[trigger]).toEqual(counts(2, 1));
  });

  it.each([
    ["without a firing", ["converted s1"], [false]],
    ["once per firing", ["fired s1", "converted s1", "converted s1"], [true, true, false]],
    [
      "again after the trigger fired again",
      ["fired s1", "converted s1", "fired s1", "converted s1"],
      [true, true, true, true],
    ],
    [
      "late, for several firings",
      ["fired s1", "fired s1", "converted s1", "converted s1", "converted s1"],
      [true, true, true, true, false],
    ],
    ["in the session of the firing alone", ["fired s1", "converted s2", "converted s1"], [true, false, true]],
    ["always, without a session", ["converted", "converted"], [true, true]],
  ])("that report a conversion count %s", async (_, events, recorded) => {
    const answers: boolean[] = [];
    for (const [eventType, sessionId] of events.map((event) => event.split(" "))) {
      answers.push((await use.report({ agentId, triggerId: trigger, eventType, sessionId })).json().recorded);
    }
    expect(answers).toEqual(recorded);
    const count = (type: string) => events.filter((event, index) => event.startsWith(type) && recorded[index]).length;
    expect((await both())[0]).toEqual(counts(count("fired"), count("converted")));
  });

  it("that arrive concurrently never count more conversions than firings of a session", async () => {
    const answers = await Promise.all(
      Array.from({ length: 400 }, (_, n) =>
        use.report({
          agentId,
          triggerId: trigger,
          sessionId: `s${n % 20}`,
          eventType: n % 8 < 2 ? "fired" : "converted",
        }),
      ),
    );
    const recorded = answers.filter((answer) => answer.json().recorded).length;
    const [stats] = await both();
    expect(stats.firedCount).toBe(100);
    expect(stats.convertedCount).toBeLessThanOrEqual(100);
    expect(stats.convertedCount).toBe(recorded - 100);
  });

  it("answer that nothing was recorded for a trigger that does not exist", async () => {
    const event = { agentId, triggerName: "Gone", triggerId: newId("trigger") };
    expect((await use.report(event)).json()).toEqual({ success: true, recorded: false });
  });

  it("that report a conversion find a firing at the same moment", async () => {
    const record = createTriggerEvents(server.deps);
    const event = { agentId, triggerName: "Nobody's", ...types, sessionId: "quick" };
    await Promise.all([
      record({ ...event, triggerId: trigger, eventType: "fired" }),
      record({ ...event, triggerId: other, eventType: "fired" }),
      record({ ...event, eventType: "converted" }),
      record({ ...event, eventType: "converted", sessionId: "another" }),
    ]);
    expect(await both()).toEqual([counts(1, 0), counts(1, 1)]);
  });

  it("that report a conversion search the newest 2,000 events of the agent", async () => {
    const converted = { eventType: "converted", sessionId: "s1" };
    await reportAll({ triggerId: trigger, sessionId: "s1" });
    const [kept] = await keptOf(agentId);
    const { id: _, ...row } = kept ?? expect.fail("nothing was kept");
    const more = (count: number) =>
      server.deps.db
        .insertInto("triggerEvents")
        .values(Array.from({ length: count }, () => ({ ...row, sessionId: "s2" })))
        .execute();
    await more(1_000);
    await more(999);
    await reportAll(converted);
    expect((await both())[0]).toEqual(counts(1, 1));
    await more(1);
    await reportAll(converted);
    expect((await both())[0]).toEqual(counts(1, 1));
  });

  it("are counted exactly when hundreds arrive concurrently", async () => {
    const answers = await Promise.all(
      Array.from({ length: 600 }, (_, n) =>
        use.report({
          agentId,
          triggerId: n % 3 ? trigger : other,
          eventType: n % 4 ? "fired" : "converted",
        }),
      ),
    );
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(600);
    expect(await both()).toEqual([counts(300, 100), counts(150, 50)]);
    expect(await keptOf(agentId)).toHaveLength(600);
  });

  it("of an agent that is being deleted fail without affecting others", async () => {
    const doomed = await use.createAgent();
    const triggerId = await use.createTrigger(doomed, "Doomed");
    expect((await use.report({ agentId: doomed, triggerId })).statusCode).toBe(200);
    // Delete the agent directly, as another process would, so that this process does not know about it.
    await server.deps.db.deleteFrom("agents").where("id", "=", doomed).execute();
    const answers = await Promise.all([
      use.report({ agentId, triggerId: trigger }),
      use.report({ agentId: doomed, triggerId }),
      use.report({ agentId, triggerId: trigger }),
    ]);
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 404, 200]);
    expect((await both())[0]).toEqual(counts(2, 0));
    expect(await keptOf(doomed)).toEqual([]);
  });

  it("need an existing agent and an origin that it allows", async () => {
    const unknown = await use.report({ agentId: newId("agent") });
    expect([unknown.statusCode, unknown.json().error.message]).toEqual([404, "Agent not found."]);
    expect((await use.report({ agentId: "nobody" })).statusCode).toBe(404);
    const from = async (origin: string) => (await use.report({ agentId, triggerId: trigger }, { origin })).statusCode;
    expect(await from("https://anywhere.example")).toBe(200);
    await owner.call("PATCH", `/agents/${agentId}`, { allowedOrigins: ["https://shop.example"] });
    expect([await from("https://anywhere.example"), await from("https://shop.example")]).toEqual([403, 200]);
    expect((await both())[0]).toEqual(counts(2, 0));
    await owner.call("DELETE", `/agents/${agentId}`);
    expect((await use.report({ agentId })).statusCode).toBe(404);
  });

  it.each([
    [{ agentId: undefined }, "agentId"],
    [{ triggerName: undefined }, "triggerName"],
    [{ triggerName: "x".repeat(201) }, "triggerName"],
    [{ triggerType: "click" }, "triggerType"],
    [{ actionType: undefined }, "actionType"],
    [{ eventType: "clicked" }, "eventType"],
    [{ sessionId: "x".repeat(201) }, "sessionId"],
    [{ pagePath: "x".repeat(2_001) }, "pagePath"],
    [{ triggerId: 5 }, "triggerId"],
  ])("are refused when invalid (%#)", async (wrong, path) => {
    const response = await use.report({ agentId, ...wrong });
    expect([response.statusCode, response.json().error.details[0].path]).toEqual([400, path]);
    expect(await keptOf(agentId)).toEqual([]);
  });

  it("make up statistics by agent or organization, and by day on request", async () => {
    const second = await use.createAgent();
    const third = await use.createTrigger(second, "Third");
    await server.deps.db
      .insertInto("triggerDays")
      .values([
        { triggerId: trigger, day: "2026-01-31", fired: 5, converted: 1 },
        { triggerId: trigger, day: "2026-02-01", fired: 3, converted: 0 },
        { triggerId: third, day: "2026-02-01", fired: 7, converted: 2 },
      ])
      .execute();
    const zeros = { [other]: counts(0, 0) };
    expect(await use.stats()).toEqual({ [trigger]: counts(8, 1), ...zeros, [third]: counts(7, 2) });
    expect(await use.stats(`?agentId=${agentId}`)).toEqual({ [trigger]: counts(8, 1), ...zeros });
    expect(await use.stats("?from=2026-02-01")).toEqual({ [trigger]: counts(3, 0), ...zeros, [third]: counts(7, 2) });
    expect(await use.stats(`?agentId=${agentId}&to=2026-01-31`)).toEqual({ [trigger]: counts(5, 1), ...zeros });
    // Still January 31 in UTC.
    const instant = encodeURIComponent("2026-02-01T01:00:00+02:00");
    expect((await use.stats(`?from=${instant}&to=${instant}`))[trigger]).toEqual(counts(5, 1));
    expect(await use.stats(`?agentId=${agentId}&groupBy=day`)).toEqual({
      [trigger]: {
        ...counts(8, 1),
        days: [
          { day: "2026-01-31", ...counts(5, 1) },
          { day: "2026-02-01", ...counts(3, 0) },
        ],
      },
      [other]: { ...counts(0, 0), days: [] },
    });
    expect((await use.stats(`?agentId=${agentId}&groupBy=day&from=2026-02-01`))[trigger]).toEqual({
      ...counts(3, 0),
      days: [{ day: "2026-02-01", ...counts(3, 0) }],
    });
    for (const wrong of ["groupBy=week", "from=yesterday", "agentId="]) {
      expect((await owner.call("GET", `/triggers/stats?${wrong}`)).status, wrong).toBe(400);
    }
  });

  it("are deleted after 90 days in batches, while their counters are kept", async () => {
    await reportAll({ triggerId: trigger });
    const [kept] = await keptOf(agentId);
    const { id: _, ...row } = kept ?? expect.fail("nothing was kept");
    const old = Array.from({ length: 501 }, () => ({ ...row, day: "2020-01-01" }));
    await server.deps.db.insertInto("triggerEvents").values(old).execute();
    expect(await deleteEventsBefore(server.deps.db, agentId, "2020-01-02")).toBe(501);
    expect(await deleteEventsBefore(server.deps.db, agentId, row.day)).toBe(0);
    expect(await keptOf(agentId)).toEqual([kept]);
    expect((await both())[0]).toEqual(counts(1, 0));
  });
});

it("trigger events from two processes are counted exactly on one PostgreSQL database", async () => {
  const database = await createPostgres();
  const servers = [await startServer({ database, env: unlimited }), await startServer({ database, env: unlimited })];
  const [one, other] = servers as [TestServer, TestServer];
  const owner = await one.createAccount();
  const use = createReporter(one, owner);
  const agents = [await use.createAgent(), await use.createAgent()];
  const triggers: Array<{ agentId: string; triggerId: string }> = [];
  for (const agentId of agents) {
    for (const name of ["a", "b", "c"]) triggers.push({ agentId, triggerId: await use.createTrigger(agentId, name) });
  }
  // Each process encounters the triggers in a different order.
  const events = Array.from({ length: 500 }, (_, n) => ({
    ...(triggers[n % triggers.length] as (typeof triggers)[number]),
    eventType: n % 5 ? "fired" : "converted",
  }));
  const report = { one: use.report, other: createReporter(other, owner).report };
  const answers = await Promise.all([
    ...events.map((event) => report.one(event)),
    ...events.toReversed().map((event) => report.other(event)),
  ]);
  expect(answers.filter(({ statusCode }) => statusCode !== 200)).toEqual([]);
  const expected = triggers.map(({ triggerId }) => {
    const own = events.filter((event) => event.triggerId === triggerId);
    const converted = own.filter(({ eventType }) => eventType === "converted").length;
    return [triggerId, counts((own.length - converted) * 2, converted * 2)];
  });
  expect(await use.stats()).toEqual(Object.fromEntries(expected));
  for (const server of servers) await server.stop();
  await database.drop();
});

describe("trigger events are limited per minute", () => {
  async function start(env: Record<string, string>) {
    const server = await startServer({ env });
    const use = createReporter(server, await server.createAccount());
    const agentId = await use.createAgent();
    const report = async (event: object = {}, address?: string) => use.report({ agentId, ...event }, {}, address);
    return {
      ...use,
      agentId,
      report,
      statusOf: async (...args: Parameters<typeof report>) => (await report(...args)).statusCode,
      server,
    };
  }

  it("by session and agent, from any IP address, including loopback", async () => {
    const { server, report, statusOf, createAgent } = await start({ FOYER_LIMIT_EVENTS_PER_SESSION: "2" });
    const session = { sessionId: "visitor" };
    expect([await statusOf(session, "127.0.0.1"), await statusOf(session, "203.0.113.9")]).toEqual([200, 200]);
    const refused = await report(session, "198.51.100.1");
    expect(refused.json()).toEqual({ data: null, error: { code: "RATE_LIMITED", message: expect.any(String) } });
    expect(refused.statusCode).toBe(429);
    expect(refused.headers).toMatchObject({ "x-ratelimit-limit": "2", "x-ratelimit-remaining": "0" });
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
    expect([
      await statusOf({ sessionId: "another" }),
      await statusOf({ ...session, agentId: await createAgent() }),
    ]).toEqual([200, 200]);
    expect(await server.deps.db.selectFrom("triggerEvents").select("id").execute()).toHaveLength(4);
    await server.stop();
  });

  it("by IP address without a session, and by /64 for IPv6", async () => {
    const { server, statusOf } = await start({ FOYER_LIMIT_EVENTS_PER_SESSION: "1" });
    expect([await statusOf(), await statusOf(), await statusOf({ sessionId: "" })]).toEqual([200, 429, 429]);
    expect([await statusOf({}, "127.0.0.1"), await statusOf({}, "127.0.0.1")]).toEqual([200, 429]);
    expect([await statusOf({}, "2001:db8:1:2::1"), await statusOf({}, "2001:db8:1:2:3::")]).toEqual([200, 429]);
    expect([await statusOf({ sessionId: "a" }), await statusOf({ sessionId: "b" })]).toEqual([200, 200]);
    await server.stop();
  });

  it("by IP address in any case, whatever the session and agent", async () => {
    const { server, statusOf } = await start({ FOYER_LIMIT_EVENTS_PER_IP: "3" });
    const unknown = { agentId: newId("agent") };
    expect([await statusOf({ sessionId: "a" }), await statusOf(unknown), await statusOf()]).toEqual([200, 404, 200]);
    expect([await statusOf({ sessionId: "b" }), await statusOf(unknown)]).toEqual([429, 429]);
    expect(await statusOf({}, "198.51.100.1")).toBe(200);
    await server.stop();
  });

  it("to 100 and 1,000 by default", async () => {
    const { server, report } = await start({});
    const statuses = async (events: object[]) =>
      Object.groupBy(await Promise.all(events.map((event) => report(event))), ({ statusCode }) => statusCode);
    const session = await statuses(Array.from({ length: 101 }, () => ({ sessionId: "one" })));
    expect([session[200]?.length, session[429]?.length]).toEqual([100, 1]);
    const address = await statuses(Array.from({ length: 900 }, (_, n) => ({ sessionId: `s${n % 50}` })));
    expect([address[200]?.length, address[429]?.length]).toEqual([899, 1]);
    await server.stop();
  });
});
