import { DAY_MS, HOUR_MS, MINUTE_MS } from "@foyer/contract/rules/time";
import { parse } from "csv-parse/sync";
import { afterAll, beforeAll, expect, it } from "vitest";
import { insertConversation } from "../../../../../test/conversation-seed.ts";
import { onBothDatabases, type TestDatabase } from "../../../../../test/databases.ts";
import { createAgent } from "../../../../../test/factories.ts";
import { startServer, type TestServer } from "../../../../../test/server.ts";
import { createMember, createOwner, signedInBrowser } from "../../../../../test/session-client.ts";
import { noCounts } from "../../conversations/analytics/counters.ts";
import { newHandoff } from "../../conversations/log/new-handoff.ts";
import type { HandoffRow } from "../../db/tables/handoff.ts";
import type { RatingColumns } from "../../db/tables/ratings.ts";
import { newId } from "../../ids.ts";
import { toUtcDay } from "../../utc-day.ts";

const noTime = { median: null, p90: null };
const yesterday = Date.parse(toUtcDay(Date.now() - DAY_MS));

type SeedRequest = Pick<
  HandoffRow,
  | "id"
  | "agentId"
  | "cause"
  | "requestedAt"
  | "teamId"
  | "takenBy"
  | "takenAt"
  | "answeredAt"
  | "endedAt"
  | "endedBy"
  | "openAnswerMs"
  | "openEndMs"
  | "openHandlingMs"
  | "nextMet"
  | "nextMissed"
>;

type Seed = {
  id: string;
  agentId: string;
  userId: string;
  createdAt: number;
  isTest: boolean;
  /** what happens to the conversation afterwards */
  fate: "stays" | "trashed" | "deleted" | "erased";
  rating: Partial<Pick<RatingColumns, "ratingAskedAt" | "ratedAt" | "ratingScore" | "ratingHandoffId">>;
  requests: SeedRequest[];
};

type Choices = { agentIds: string[]; memberIds: string[]; teamIds: string[] };

/** Conversations of about three weeks with up to three requests each. The numbers are the same in each run. */
function createSeeds({ agentIds, memberIds, teamIds }: Choices): Seed[] {
  let state = 42;
  const below = (max: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * max);
  };
  const oneOf = <Item>(items: readonly Item[]) => items[below(items.length)] as Item;
  const minutes = (max: number) => below(max) * MINUTE_MS + below(1_000);
  return Array.from({ length: 90 }, (_, index): Seed => {
    const createdAt = Date.parse("2026-10-16") + minutes(20 * 24 * 60);
    const agentId = oneOf(agentIds);
    const requests: SeedRequest[] = [];
    for (let at = createdAt; requests.length < 3 && below(3) > 0; ) {
      const requestedAt = at + minutes(24 * 60) + 1;
      const isTaken = below(4) > 0;
      const takenAt = isTaken ? requestedAt + minutes(60) : null;
      const answeredAt = takenAt !== null && below(5) > 0 ? takenAt + minutes(30) : null;
      const endedAt = Math.max(requestedAt, takenAt ?? 0, answeredAt ?? 0) + minutes(300);
      const endedBy = isTaken
        ? oneOf(["member", "closed", "left", "moved"] as const)
        : oneOf(["visitor", "moved"] as const);
      requests.push({
        id: newId("hnd"),
        agentId,
        cause: oneOf(["visitor", "agent", "member"]),
        requestedAt,
        teamId: oneOf([null, ...teamIds]),
        takenBy: isTaken ? oneOf(memberIds) : null,
        takenAt,
        answeredAt,
        endedAt,
        endedBy,
        openAnswerMs: answeredAt !== null && below(2) > 0 ? minutes(20) : null,
        openEndMs: below(2) > 0 ? minutes(200) : null,
        openHandlingMs: below(2) > 0 ? minutes(100) : null,
        nextMet: below(4),
        nextMissed: below(2),
      });
      at = endedAt;
    }
    const ratingAskedAt = below(3) > 0 ? createdAt + 10 * DAY_MS : null;
    const taken = requests.filter(({ takenAt }) => takenAt !== null);
    return {
      id: newId("conv"),
      agentId,
      userId: `visitor-${index}`,
      createdAt,
      isTest: below(10) === 0,
      fate: oneOf(["stays", "stays", "stays", "stays", "stays", "trashed", "deleted", "erased"]),
      requests,
      rating:
        ratingAskedAt === null || below(3) === 0
          ? { ratingAskedAt }
          : {
              ratingAskedAt,
              ratedAt: ratingAskedAt + 1,
              ratingScore: 1 + below(5),
              // It stays with the request for which it was given when the visitor asks for a person again.
              ratingHandoffId: taken.length === 0 ? null : oneOf(taken).id,
            },
    };
  });
}

const zurich = new Intl.DateTimeFormat("en", { timeZone: "Europe/Zurich", hour: "2-digit", hourCycle: "h23" });
const hourInZurich = (at: number) => Number(zurich.format(at));

/** The figures of 14 days, counted one by one. */
function countSlowly(seeds: readonly Seed[]) {
  const [start, end] = [Date.parse("2026-10-19"), Date.parse("2026-11-02")];
  const isInRange = (at: number) => start <= at && at < end;
  const visible = seeds.filter(({ isTest, fate }) => !isTest && fate === "stays");
  const all = visible.flatMap((conversation) =>
    conversation.requests
      .filter(({ requestedAt }) => isInRange(requestedAt))
      .filter(({ endedBy, takenAt }) => endedBy !== "moved" || takenAt !== null)
      .map((request) => ({ ...request, conversation })),
  );
  const isByMember = ({ endedBy }: SeedRequest) => endedBy === "member" || endedBy === "closed";
  const timesOf = (times: ReadonlyArray<number | null>) => {
    const known = times.filter((time) => time !== null);
    return { median: quantile(known, 50), p90: quantile(known, 90) };
  };
  const rate = (conversations: readonly Seed[]) => {
    const asked = conversations.filter(({ rating }) => rating.ratingAskedAt !== null);
    const given = asked.flatMap(({ rating }) => rating.ratingScore ?? []);
    const sum = given.reduce((sum, score) => sum + score, 0);
    return {
      asked: asked.length,
      rated: given.length,
      responseRate: asked.length === 0 ? null : (given.length / asked.length) * 100,
      average: given.length === 0 ? null : Number((sum / given.length).toFixed(2)),
      scores: [1, 2, 3, 4, 5].map((score) => given.filter((one) => one === score).length),
    };
  };
  /** The request for which the rating of a conversation counts, or would count. */
  const ratedRequest = ({ rating, requests }: Seed) =>
    rating.ratedAt ? rating.ratingHandoffId : (requests.findLast(({ takenAt }) => takenAt !== null)?.id ?? null);
  const reckon = (part: typeof all) => ({
    requests: part.length,
    answered: part.filter(({ answeredAt }) => answeredAt !== null).length,
    ended: part.filter(isByMember).length,
    reopened: part.filter(({ conversation, requestedAt }) =>
      conversation.requests.some((earlier) => earlier.requestedAt < requestedAt && isByMember(earlier)),
    ).length,
    firstAnswerMs: timesOf(
      part
        .filter(({ cause, answeredAt }) => cause !== "member" && answeredAt !== null)
        .map((row) => row.openAnswerMs ?? (row.answeredAt ?? 0) - row.requestedAt),
    ),
    handlingMs: timesOf(
      part.filter(isByMember).map((row) => row.openHandlingMs ?? (row.endedAt ?? 0) - (row.takenAt ?? 0)),
    ),
    resolutionMs: timesOf(part.filter(isByMember).map((row) => row.openEndMs ?? (row.endedAt ?? 0) - row.requestedAt)),
    nextAnswersMet: part.reduce((sum, row) => sum + row.nextMet, 0),
    nextAnswersMissed: part.reduce((sum, row) => sum + row.nextMissed, 0),
    rating: rate(
      part.filter(({ id, conversation }) => ratedRequest(conversation) === id).map((row) => row.conversation),
    ),
  });
  return {
    totals: reckon(all),
    of: (is: (row: SeedRequest) => boolean) => reckon(all.filter(is)),
    /** By group, the most requests first. */
    by(keyOf: (row: SeedRequest) => string | null) {
      const keys = new Set(all.map(keyOf).filter((key) => key !== null));
      return [...keys]
        .map((id) => ({ id, ...reckon(all.filter((row) => keyOf(row) === id)) }))
        .sort((a, b) => b.requests - a.requests || (a.id < b.id ? -1 : 1));
    },
    /** Ratings of conversations that no member had. */
    alone: (is: (conversation: Seed) => boolean) =>
      rate(visible.filter((one) => is(one) && isInRange(one.createdAt) && ratedRequest(one) === null)),
  };
}

/** The shortest time that so many percent are not longer than. */
function quantile(times: readonly number[], percent: number): number | null {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.ceil((sorted.length * percent) / 100) - 1] ?? null;
}

onBothDatabases("the figures of an inbox", (createDatabase) => {
  let database: TestDatabase;
  let server: TestServer;
  beforeAll(async () => {
    database = await createDatabase();
    server = await startServer({ database, env: { FOYER_LIMIT_SIGN_IN_PER_ADDRESS: "0" } });
  });
  afterAll(async () => {
    await server.stop();
    await database.drop();
  });

  type Organization = Awaited<ReturnType<typeof createOrganization>>;

  async function createOrganization() {
    const account = await createOwner(server);
    const owner = await signedInBrowser(server, account.email);
    const ben = await createMember(server, account.organizationId, "member");
    const team = await owner.call("POST", "/teams", { name: "Workshop" });
    return { ...account, owner, ben, teamId: team.body.data.id as string, agentId: await createAgent(owner) };
  }

  /** Stores a request, with a conversation of its own unless one is given. */
  async function insert(
    { organizationId, agentId }: Organization,
    { conversationId, ...columns }: Partial<HandoffRow>,
    conversation: object = {},
  ): Promise<string> {
    const { db } = server.deps;
    const requestedAt = columns.requestedAt ?? yesterday;
    const place = { organizationId, agentId };
    const id =
      conversationId ??
      (await insertConversation(db, place, { createdAt: requestedAt, ...conversation }, [{ content: "Hello?" }]));
    const asked = { organizationId, conversationId: id, cause: "visitor", reason: null } as const;
    const row: HandoffRow = {
      ...newHandoff(asked, agentId, { now: requestedAt, promisedAt: null }),
      endedAt: requestedAt + DAY_MS,
      endedBy: "visitor",
      ...columns,
    };
    await db.insertInto("handoffs").values(row).execute();
    return id;
  }

  async function insertSeed(organizationId: string, { id, agentId, userId, requests, ...conversation }: Seed) {
    const { createdAt, isTest, rating } = conversation;
    const columns = { id, createdAt, isTest: isTest ? (1 as const) : (0 as const), userId, ...rating };
    const { db } = server.deps;
    await insertConversation(db, { organizationId, agentId }, columns, [{ content: "Hello?" }]);
    if (requests.length === 0) return;
    const asked = { organizationId, conversationId: id, reason: null } as const;
    const rows = requests.map(({ cause, ...times }) => ({
      ...newHandoff({ ...asked, cause }, agentId, { now: times.requestedAt, promisedAt: null }),
      ...times,
    }));
    await db.insertInto("handoffs").values(rows).execute();
  }

  const read = async ({ owner }: Organization, query = "") => {
    const { status, body } = await owner.call("GET", `/inbox/analytics?${query}`);
    expect(status, JSON.stringify(body)).toBe(200);
    return body.data;
  };

  it("are those of a slow count of the same requests, in a time zone whose clock changes", async () => {
    const organization = await createOrganization();
    const { owner, organizationId, ben, teamId } = organization;
    const cat = await createMember(server, organizationId, "member");
    const sales = (await owner.call("POST", "/teams", { name: "Sales" })).body.data.id as string;
    const agentIds = [organization.agentId, await createAgent(owner)];
    const seeds = createSeeds({ agentIds, memberIds: [ben.userId, cat.userId], teamIds: [teamId, sales] });
    for (const seed of seeds) await insertSeed(organizationId, seed);
    for (const { fate, userId, id } of seeds) {
      if (fate === "trashed") await owner.call("POST", `/conversations/${id}/trash`);
      if (fate === "deleted") await owner.call("DELETE", `/conversations/${id}`);
      if (fate === "erased") await owner.call("POST", "/visitors/erase", { userId });
    }
    await owner.call("DELETE", `/teams/${sales}`);
    expect((await owner.call("DELETE", `/members/${cat.userId}`)).status).toBe(200);

    const figures = await read(organization, "from=2026-10-19&to=2026-11-01&timeZone=Europe/Zurich");
    const expected = countSlowly(seeds);
    const withoutNames = (rows: ReadonlyArray<{ name: string }>) => rows.map(({ name: _, ...row }) => row);
    expect(expected.totals.requests).toBeGreaterThan(50);
    expect(figures.totals).toEqual(expected.totals);
    expect(figures.ratingAlone).toEqual(expected.alone(() => true));
    expect(withoutNames(figures.members)).toEqual(expected.by(({ takenBy }) => takenBy));
    expect(withoutNames(figures.teams)).toEqual(expected.by(({ teamId }) => teamId));
    expect(withoutNames(figures.agents)).toEqual(
      expected
        .by(({ agentId }) => agentId)
        .map((row) => ({
          ...row,
          conversations: 0,
          notHandedOver: 0,
          resolvedAlone: 0,
          handedOver: 0,
          notHandedOverRate: null,
          resolvedAloneRate: null,
          ratingAlone: expected.alone(({ agentId }) => agentId === row.id),
        })),
    );
    expect(figures.days).toEqual(
      expected
        .by(({ requestedAt }) => toUtcDay(requestedAt))
        .map(({ id: date, ...row }) => ({ date, ...row }))
        .sort((a, b) => a.date.localeCompare(b.date)),
    );
    expect(figures.hours).toEqual(
      Array.from({ length: 24 }, (_, hour) => ({
        hour,
        ...expected.of(({ requestedAt }) => hourInZurich(requestedAt) === hour),
      })),
    );
  });

  it("leave out test conversations, what is in the trash, other days and other organizations", async () => {
    const [organization, other] = [await createOrganization(), await createOrganization()];
    await insert(organization, {}, { isTest: 1 });
    const trashed = await insert(organization, {});
    expect((await organization.owner.call("POST", `/conversations/${trashed}/trash`)).status).toBe(200);
    await insert(organization, { requestedAt: yesterday - 40 * DAY_MS });
    await insert(other, {});
    expect((await read(organization)).totals.requests).toBe(0);
    expect((await organization.owner.call("GET", `/inbox/analytics?agentId=${other.agentId}`)).status).toBe(404);
  });

  it("count a request in a conversation that members had closed before as reopened", async () => {
    const organization = await createOrganization();
    const conversationId = await insert(organization, { endedBy: "closed", endedAt: yesterday + HOUR_MS });
    await insert(organization, { conversationId, requestedAt: yesterday + 2 * HOUR_MS });
    expect((await read(organization)).totals).toMatchObject({ requests: 2, ended: 1, reopened: 1 });
  });

  it("count a request that passed to another team untaken once, for the team that it went to last", async () => {
    const organization = await createOrganization();
    const sales = await organization.owner.call("POST", "/teams", { name: "Sales" });
    const conversationId = await insert(organization, { teamId: organization.teamId, endedBy: "moved" });
    await insert(organization, { conversationId, teamId: sales.body.data.id });
    const { totals, teams } = await read(organization);
    expect(totals.requests).toBe(1);
    expect(teams.map(({ name }: { name: string }) => name)).toEqual(["Sales"]);
  });

  it("count a request that a member gave to another team for both", async () => {
    const organization = await createOrganization();
    const { teamId, ben } = organization;
    const taken = { takenBy: ben.userId, takenAt: yesterday + MINUTE_MS };
    const conversationId = await insert(organization, { teamId, ...taken, endedBy: "moved" });
    await insert(organization, { conversationId, requestedAt: yesterday + HOUR_MS });
    expect((await read(organization)).totals.requests).toBe(2);
  });

  it("leave takeovers without a request out of the time to the first answer", async () => {
    const organization = await createOrganization();
    await insert(organization, { cause: "member", answeredAt: yesterday + MINUTE_MS });
    expect((await read(organization)).totals).toMatchObject({ requests: 1, answered: 1, firstAnswerMs: noTime });
  });

  it("count only time within the team's office hours", async () => {
    const organization = await createOrganization();
    const never = { timeZone: "UTC", days: [], exceptions: [] };
    await organization.owner.call("PATCH", `/teams/${organization.teamId}`, { officeHours: never });
    await organization.owner.call("PATCH", `/agents/${organization.agentId}`, {
      handoff: { isEnabled: true, teamId: organization.teamId },
    });
    const place = { organizationId: organization.organizationId, agentId: organization.agentId };
    const id = await insertConversation(server.deps.db, place, {}, [{ content: "Hello?" }]);
    const { owner } = organization;
    expect((await owner.call("POST", `/conversations/${id}/handoff`, {})).status).toBe(200);
    expect((await owner.call("POST", `/conversations/${id}/takeover`, {})).status).toBe(200);
    expect((await owner.call("POST", `/conversations/${id}/messages`, { content: "Hello." })).status).toBe(201);
    expect((await owner.call("POST", `/conversations/${id}/close`, {})).status).toBe(200);
    const row = await server.deps.db
      .selectFrom("handoffs")
      .select(["openAnswerMs", "openEndMs", "openHandlingMs"])
      .where("conversationId", "=", id)
      .executeTakeFirstOrThrow();
    expect(row).toEqual({ openAnswerMs: 0, openEndMs: 0, openHandlingMs: 0 });
  });

  it("compare what an agent did not hand over with what it handed over", async () => {
    const organization = await createOrganization();
    const { owner, agentId } = organization;
    await owner.call("PATCH", `/agents/${agentId}`, { handoff: { isEnabled: true } });
    const place = { organizationId: organization.organizationId, agentId };
    const id = await insertConversation(server.deps.db, place, {}, [{ content: "Hello?" }]);
    await owner.call("POST", `/conversations/${id}/handoff`, {});
    await owner.call("POST", `/conversations/${id}/takeover`, {});
    await owner.call("POST", `/conversations/${id}/close`, {});
    await owner.call("POST", `/conversations/${id}/handoff`, {});
    await server.deps.db
      .insertInto("conversationHours")
      .values({ ...noCounts, agentId, day: toUtcDay(Date.now()), hour: 0, conversations: 5 })
      .execute();
    const [agent] = (await read(organization)).agents;
    expect(agent).toMatchObject({ id: agentId, requests: 2, conversations: 5, notHandedOver: 4, resolvedAlone: 4 });
    expect(agent).toMatchObject({ handedOver: 1, notHandedOverRate: 80, resolvedAloneRate: 80 });
    expect((await owner.call("DELETE", `/conversations/${id}`)).status).toBe(200);
    const [afterDeletion] = (await read(organization)).agents;
    expect(afterDeletion).toMatchObject({ requests: 0, conversations: 5, resolvedAlone: 4 });
  });

  it.each(["member", "team", "agent"])("are exported by %s", async (group) => {
    const organization = await createOrganization();
    await insert(organization, { teamId: organization.teamId, takenBy: organization.ben.userId });
    const { headers, text } = await organization.owner.call("GET", `/inbox/analytics?format=csv&group=${group}`);
    expect(headers["content-type"]).toBe("text/csv; charset=utf-8");
    expect(parse(text, { bom: true, columns: true })).toMatchObject([{ requests: "1", answered: "0" }]);
  });

  it.each([
    ["day", "date", toUtcDay(yesterday)],
    ["hour", "hour", "0"],
  ])("are exported by %s, with the ratings", async (group, column, first) => {
    const organization = await createOrganization();
    const id = newId("hnd");
    const rating = { ratingAskedAt: yesterday, ratedAt: yesterday, ratingScore: 4, ratingHandoffId: id };
    await insert(organization, { id, takenAt: yesterday }, rating);
    const { text } = await organization.owner.call("GET", `/inbox/analytics?format=csv&group=${group}`);
    const [row] = parse(text, { bom: true, columns: true }) as Array<Record<string, string>>;
    expect(row).toMatchObject({ [column]: first, requests: "1", ratingAsked: "1", ratingAverage: "4", rating4: "1" });
  });

  it("are refused for a time zone that does not exist", async () => {
    const { owner } = await createOrganization();
    const { status, body } = await owner.call("GET", "/inbox/analytics?timeZone=Moon/Sea");
    expect([status, body.error.details[0].path]).toEqual([400, "timeZone"]);
  });

  it("name members who have left and deleted teams", async () => {
    const organization = await createOrganization();
    await insert(organization, { teamId: organization.teamId, takenBy: "user_gone" });
    await organization.owner.call("DELETE", `/teams/${organization.teamId}`);
    const { members, teams } = await read(organization);
    expect(members.map(({ name }: { name: string }) => name)).toEqual(["Former member"]);
    expect(teams.map(({ name }: { name: string }) => name)).toEqual(["Deleted team"]);
  });
});
