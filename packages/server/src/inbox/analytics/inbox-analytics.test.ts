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
import { toUtcDay } from "../../utc-day.ts";

const noTime = { median: null, p90: null };
const yesterday = Date.parse(toUtcDay(Date.now() - DAY_MS));

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

  const read = async ({ owner }: Organization, query = "") => {
    const { status, body } = await owner.call("GET", `/inbox/analytics?${query}`);
    expect(status, JSON.stringify(body)).toBe(200);
    return body.data;
  };

  it("are those of a slow count of the same requests", async () => {
    const organization = await createOrganization();
    const { ben, teamId } = organization;
    const rows = Array.from({ length: 60 }, (_, index) => {
      const requestedAt = yesterday + ((index * 37) % 24) * HOUR_MS;
      const answerMs = ((index * 7_919) % 600) * 1_000;
      const takenAt = requestedAt + 1_000;
      const isTaken = index % 5 !== 0;
      return {
        requestedAt,
        teamId: index % 3 === 0 ? teamId : null,
        takenBy: isTaken ? ben.userId : null,
        takenAt: isTaken ? takenAt : null,
        answeredAt: isTaken ? requestedAt + answerMs : null,
        openAnswerMs: isTaken && index % 2 === 0 ? Math.floor(answerMs / 2) : null,
        endedAt: requestedAt + answerMs + HOUR_MS,
        endedBy: isTaken ? ("closed" as const) : ("visitor" as const),
        nextMet: index % 4,
        nextMissed: index % 2,
      };
    });
    for (const row of rows) await insert(organization, row);
    const figures = await read(organization);
    const reckon = (part: typeof rows) => {
      const answers = part.flatMap((row) =>
        row.answeredAt === null ? [] : [row.openAnswerMs ?? row.answeredAt - row.requestedAt],
      );
      const handled = part.flatMap((row) =>
        row.endedBy === "closed" && row.takenAt !== null ? [row.endedAt - row.takenAt] : [],
      );
      const resolved = part.flatMap((row) => (row.endedBy === "closed" ? [row.endedAt - row.requestedAt] : []));
      const timesOf = (times: number[]) => ({ median: quantile(times, 50), p90: quantile(times, 90) });
      return {
        requests: part.length,
        answered: answers.length,
        ended: resolved.length,
        reopened: 0,
        firstAnswerMs: timesOf(answers),
        handlingMs: timesOf(handled),
        resolutionMs: timesOf(resolved),
        nextAnswersMet: part.reduce((sum, row) => sum + row.nextMet, 0),
        nextAnswersMissed: part.reduce((sum, row) => sum + row.nextMissed, 0),
      };
    };
    expect(figures.totals).toEqual(reckon(rows));
    expect(figures.members).toEqual([
      { id: ben.userId, name: expect.any(String), ...reckon(rows.filter(({ takenBy }) => takenBy !== null)) },
    ]);
    expect(figures.teams).toEqual([
      { id: teamId, name: "Workshop", ...reckon(rows.filter((row) => row.teamId !== null)) },
    ]);
    expect(figures.days).toEqual([{ date: toUtcDay(yesterday), requests: 60, answered: 48 }]);
    const atNoon = rows.filter(({ requestedAt }) => new Date(requestedAt).getUTCHours() === 12);
    expect(figures.hours[12]).toEqual({
      hour: 12,
      requests: atNoon.length,
      answered: atNoon.filter(({ answeredAt }) => answeredAt !== null).length,
    });
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
      .select(["openAnswerMs", "openEndMs"])
      .where("conversationId", "=", id)
      .executeTakeFirstOrThrow();
    expect(row).toEqual({ openAnswerMs: 0, openEndMs: 0 });
  });

  it("compare what an agent resolved alone with what it handed over", async () => {
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
    expect(agent).toMatchObject({ id: agentId, requests: 2, conversations: 5, resolvedAlone: 4 });
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

  it("name members who have left and deleted teams", async () => {
    const organization = await createOrganization();
    await insert(organization, { teamId: organization.teamId, takenBy: "user_gone" });
    await organization.owner.call("DELETE", `/teams/${organization.teamId}`);
    const { members, teams } = await read(organization);
    expect(members.map(({ name }: { name: string }) => name)).toEqual(["Former member"]);
    expect(teams.map(({ name }: { name: string }) => name)).toEqual(["Deleted team"]);
  });
});
