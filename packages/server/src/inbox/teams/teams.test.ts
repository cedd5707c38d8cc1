import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from "vitest";
import { insertConversation } from "../../../../../test/conversation-seed.ts";
import { onBothDatabases, type TestDatabase } from "../../../../../test/databases.ts";
import { deleteAfterRead } from "../../../../../test/delete-after-read.ts";
import { createAgent } from "../../../../../test/factories.ts";
import { startServer, type TestServer } from "../../../../../test/server.ts";
import { createMember, createOwner, signedInBrowser } from "../../../../../test/session-client.ts";
import { createConversationLog } from "../../conversations/log/log.ts";
import { inTransaction } from "../../db/transaction.ts";
import { newId } from "../../ids.ts";
import { createAssignConversation } from "../assign-conversation.ts";
import { scheduleRelease } from "../former-members.ts";
import { createTeamAssignment } from "./assign-waiting.ts";
import { createTargetRecorder } from "./record-targets.ts";
import { createTeamService } from "./service.ts";

const MINUTE_MS = 60_000;

onBothDatabases("teams", (createDatabase) => {
  let database: TestDatabase;
  let server: TestServer;
  let staff: Awaited<ReturnType<typeof createStaff>>;
  beforeAll(async () => {
    database = await createDatabase();
    server = await startServer({ database, env: { FOYER_LIMIT_SIGN_IN_PER_ADDRESS: "0" } });
  });
  beforeEach(async () => {
    staff = await createStaff();
  });
  afterAll(async () => {
    await server.stop();
    await database.drop();
  });

  async function createStaff() {
    const account = await createOwner(server);
    const ben = await createMember(server, account.organizationId, "member");
    return {
      ...account,
      ben,
      owner: await signedInBrowser(server, account.email),
      member: await signedInBrowser(server, ben.email),
    };
  }

  async function createTeam(settings: object = {}): Promise<string> {
    const { status, body } = await staff.owner.call("POST", "/teams", { name: "Workshop", ...settings });
    expect(status).toBe(201);
    return body.data.id;
  }

  async function createConversation(handoff: object = {}) {
    const agentId = await createAgent(staff.owner, { handoff: { isEnabled: true, ...handoff } });
    const from = { organizationId: staff.organizationId, agentId };
    const id = await insertConversation(server.deps.db, from, {}, [{ content: "Hello?" }]);
    return { id, agentId };
  }

  async function request(handoff: object = {}) {
    const conversation = await createConversation(handoff);
    const asked = await staff.owner.call("POST", `/conversations/${conversation.id}/handoff`, {});
    expect(asked.status).toBe(200);
    return { ...conversation, ownership: asked.body.data };
  }

  const read = async (id: string) => (await staff.owner.call("GET", `/conversations/${id}`)).body.data;

  /** Another process's worker, in which these members are present and whose clock is this many minutes ahead. */
  function createWorker(present: readonly string[], minutes = 0) {
    const { deps } = server;
    const now = () => Date.now() + minutes * MINUTE_MS;
    const conversationLog = createConversationLog(deps, [createTargetRecorder()]);
    return createTeamAssignment(deps, {
      assignConversation: createAssignConversation(deps, {
        handOver: { stop: async () => [], settle: async () => {} },
        log: conversationLog,
      }),
      conversationLog,
      isPresent: async (_trx, { userId }) => present.includes(userId),
      now,
    });
  }

  it("have members, hours, targets and an escalation, and are listed by name", async () => {
    const nightId = await createTeam({ name: "Night" });
    const officeHours = { timeZone: "Europe/Zurich", days: [{ day: 1, from: "09:00", to: "17:00" }], exceptions: [] };
    const settings = {
      name: "Day",
      description: "Repairs",
      officeHours,
      assignment: "least_busy",
      targets: { firstAnswer: 15 },
      escalation: { teamId: nightId, afterMinutes: 30 },
      members: [{ userId: staff.ben.userId, capacity: 3 }],
    };
    const { body } = await staff.owner.call("POST", "/teams", settings);
    expect(body.data).toMatchObject({
      ...settings,
      targets: { firstAnswer: 15, nextAnswer: null, resolution: null },
    });
    const { body: listed } = await staff.member.call("GET", "/teams");
    expect(listed.data.map(({ name }: { name: string }) => name)).toEqual(["Day", "Night"]);
  });

  it("are changed setting by setting", async () => {
    const id = await createTeam({ targets: { firstAnswer: 15, resolution: 60 } });
    const { body } = await staff.owner.call("PATCH", `/teams/${id}`, { targets: { firstAnswer: null } });
    expect(body.data.targets).toEqual({ firstAnswer: null, nextAnswer: null, resolution: 60 });
  });

  it.each([
    ["members", { members: [{ userId: "user_nobody", capacity: 1 }] }, "members"],
    ["a time zone", { officeHours: { timeZone: "Moon/Sea", days: [], exceptions: [] } }, "officeHours.timeZone"],
    ["an escalation", { escalation: { teamId: newId("team"), afterMinutes: 5 } }, "escalation.teamId"],
  ])("refuse %s that does not exist", async (_name, settings, path) => {
    const { status, body } = await staff.owner.call("POST", "/teams", { name: "Workshop", ...settings });
    expect([status, body.error?.details?.[0]?.path]).toEqual([400, path]);
  });

  it("are changed by admins only", async () => {
    expect((await staff.member.call("POST", "/teams", { name: "Mine" })).status).toBe(403);
  });

  it("of another organization do not exist", async () => {
    const id = await createTeam();
    const stranger = await signedInBrowser(server, (await createOwner(server)).email);
    const { id: conversationId } = await createConversation();
    expect((await stranger.call("GET", `/teams/${id}`)).status).toBe(404);
    expect((await stranger.call("PATCH", `/teams/${id}`, { name: "Ours" })).status).toBe(404);
    expect((await stranger.call("DELETE", `/teams/${id}`)).status).toBe(404);
    const assigned = await staff.owner.call("POST", `/conversations/${conversationId}/assign`, {
      teamId: newId("team"),
    });
    expect([assigned.status, assigned.body.error.details[0].path]).toEqual([400, "teamId"]);
  });

  it("get a conversation from the agent, which then waits for them and is listed", async () => {
    const teamId = await createTeam();
    const { id } = await createConversation();
    const { body } = await staff.owner.call("POST", `/conversations/${id}/assign`, { teamId });
    expect(body.data).toMatchObject({ handler: "waiting", assignee: null, team: { id: teamId, name: "Workshop" } });
    const { body: listed } = await staff.owner.call("GET", `/conversations?team=${teamId}`);
    expect(listed.data.map((row: { id: string }) => row.id)).toEqual([id]);
  });

  it("get a conversation from a member, whose request ends as moved", async () => {
    const teamId = await createTeam();
    const { id } = await request();
    await staff.owner.call("POST", `/conversations/${id}/takeover`);
    await staff.owner.call("POST", `/conversations/${id}/assign`, { teamId });
    const conversation = await read(id);
    expect([conversation.handler, conversation.assignee]).toEqual(["waiting", null]);
    expect(conversation.handoffs.map(({ endedHow }: { endedHow: string }) => endedHow)).toEqual(["moved", null]);
  });

  it("get the requests of agents that name them, and everyone gets those of a deleted team", async () => {
    const teamId = await createTeam();
    const { id, ownership } = await request({ teamId });
    expect(ownership.team).toEqual({ id: teamId, name: "Workshop" });
    const later = await createConversation({ teamId });
    await staff.owner.call("DELETE", `/teams/${teamId}`);
    expect(await read(id)).toMatchObject({ handler: "waiting", team: null });
    const asked = await staff.owner.call("POST", `/conversations/${later.id}/handoff`, {});
    expect(asked.body.data).toMatchObject({ handler: "waiting", team: null });
  });

  it("show visitors neither their name nor their clock", async () => {
    const teamId = await createTeam({ targets: { firstAnswer: 15 } });
    const { agentId } = await createConversation({ teamId });
    const chat = await server.app.inject({
      method: "POST",
      url: "/chat",
      payload: { agentId, messages: [{ role: "user", content: "Hello" }] },
    });
    const [, token] = /"conversationToken":"([^"]+)"/.exec(chat.body) ?? [];
    const [, id] = /"conversationId":"([^"]+)"/.exec(chat.body) ?? [];
    const asked = await server.app.inject({
      method: "POST",
      url: `/conversations/${id}/handoff`,
      headers: { authorization: `Bearer ${token}` },
      payload: {},
    });
    expect(Object.keys(asked.json().data).sort()).toEqual(["assignee", "epoch", "handler", "handoff"]);
  });

  it("assign in turn to present members up to their capacity, and leave the others waiting", async () => {
    const members = [staff.userId, staff.ben.userId].map((userId) => ({ userId, capacity: 2 }));
    const teamId = await createTeam({ assignment: "round_robin", members });
    for (let count = 0; count < 5; count++) await request({ teamId });
    await createWorker([]).runOnce();
    expect((await listTeam(teamId)).map(({ handler }) => handler)).toEqual(Array(5).fill("waiting"));
    await createWorker([staff.userId, staff.ben.userId]).runOnce();
    const rows = await listTeam(teamId);
    const owners = rows.flatMap(({ assignee }) => assignee?.userId ?? []);
    expect(owners.sort()).toEqual([staff.userId, staff.userId, staff.ben.userId, staff.ben.userId].sort());
    expect(rows.filter(({ handler }) => handler === "waiting")).toHaveLength(1);
  });

  it("assign to the member with the fewest conversations of the team", async () => {
    const members = [staff.userId, staff.ben.userId].map((userId) => ({ userId, capacity: 9 }));
    const teamId = await createTeam({ assignment: "least_busy", members });
    for (let count = 0; count < 2; count++) {
      const { id } = await request({ teamId });
      await staff.owner.call("POST", `/conversations/${id}/takeover`);
    }
    const { id } = await request({ teamId });
    await createWorker([staff.userId, staff.ben.userId]).runOnce();
    expect((await read(id)).assignee.userId).toBe(staff.ben.userId);
  });

  it("never exceed a capacity when two processes assign at the same moment", async () => {
    const teamId = await createTeam({
      assignment: "least_busy",
      members: [{ userId: staff.ben.userId, capacity: 3 }],
    });
    for (let count = 0; count < 8; count++) await request({ teamId });
    await Promise.all([1, 2, 3].map(() => createWorker([staff.ben.userId]).runOnce()));
    const rows = await listTeam(teamId);
    expect(rows.filter(({ handler }) => handler === "human")).toHaveLength(3);
  });

  /** Makes visitors wait for a team, more of them than a round of the worker reads. */
  async function fillQueue(owner: typeof staff, kind: "waiting" | "unanswered" | "escalated") {
    const create = async (settings: object): Promise<string> =>
      (await owner.owner.call("POST", "/teams", { name: "Night", assignment: "round_robin", ...settings })).body.data
        .id;
    const night = await create({ members: [] });
    const agentId = await createAgent(owner.owner, { handoff: { isEnabled: true, teamId: night } });
    for (let count = 0; count < 51; count++) {
      const from = { organizationId: owner.organizationId, agentId };
      const id = await insertConversation(server.deps.db, from, {}, [{ content: "Hello?" }]);
      const path = kind === "unanswered" ? "takeover" : "handoff";
      expect((await owner.owner.call("POST", `/conversations/${id}/${path}`, {})).status).toBe(200);
    }
    const { db } = server.deps;
    const conversations = db.updateTable("conversations").where("agentId", "=", agentId);
    const requests = db.updateTable("handoffs").where("agentId", "=", agentId);
    onTestFinished(async () => {
      await requests.set({ endedAt: 1 }).execute();
      await conversations.set({ handler: "agent", assigneeId: null }).execute();
    });
    if (kind === "unanswered") {
      await requests.set({ teamId: night, takenAt: 1, assignedAt: 1 }).execute();
      await conversations.set({ teamId: night }).execute();
    }
    if (kind === "escalated") {
      const escalation = { teamId: await create({}), afterMinutes: 5 };
      await owner.owner.call("PATCH", `/teams/${night}`, { escalation });
      // The conversations have changed teams meanwhile, so nothing can be done about these requests.
      await requests.set({ escalatesAt: 1 }).execute();
      await conversations.set({ teamId: null }).execute();
    }
  }

  it.each([
    ["another team has waiting visitors and no members", "waiting", false],
    ["another organization has waiting visitors and no members", "waiting", true],
    ["a present member of another team leaves visitors unanswered", "unanswered", false],
    ["a present member of another organization leaves visitors unanswered", "unanswered", true],
    ["requests of another team cannot be passed on", "escalated", false],
    ["requests of another organization cannot be passed on", "escalated", true],
  ] as const)("assign to a free member while %s", async (_name, kind, isOther) => {
    const others = isOther ? await createStaff() : staff;
    await fillQueue(others, kind);
    const members = [{ userId: staff.ben.userId, capacity: 3 }];
    const { id } = await request({ teamId: await createTeam({ assignment: "round_robin", members }) });
    const worker = createWorker([staff.ben.userId, others.userId]);
    for (let round = 0; round < 3; round++) await worker.runOnce();
    expect((await read(id)).assignee?.userId).toBe(staff.ben.userId);
  });

  async function assignToBen() {
    const members = [staff.ben.userId, staff.userId].map((userId) => ({ userId, capacity: 3 }));
    const teamId = await createTeam({ assignment: "least_busy", members });
    const { id } = await request({ teamId });
    await createWorker([staff.ben.userId]).runOnce();
    expect((await read(id)).assignee.userId).toBe(staff.ben.userId);
    return id;
  }

  /** Makes the member's time to answer end. */
  const ageAssignment = (id: string) =>
    server.deps.db
      .updateTable("handoffs")
      .set({ takenAt: 1, assignedAt: 1 })
      .where("conversationId", "=", id)
      .execute();

  it("assign a conversation that a present member has not answered to a present colleague, once", async () => {
    const id = await assignToBen();
    const worker = createWorker([staff.ben.userId, staff.userId]);
    await worker.runOnce();
    expect((await read(id)).assignee.userId).toBe(staff.ben.userId);
    await ageAssignment(id);
    for (let round = 0; round < 3; round++) await worker.runOnce();
    expect((await read(id)).assignee.userId).toBe(staff.userId);
  });

  it.each<[string, (id: string) => Promise<unknown>]>([
    ["has answered", (id) => staff.member.call("POST", `/conversations/${id}/messages`, { content: "Hello!" })],
    [
      "is writing an answer",
      (id) => staff.member.call("PUT", `/conversations/${id}/drafts/reply`, { text: "I am looking for it" }),
    ],
    [
      "got it from a colleague",
      async (id) => {
        for (const userId of [staff.userId, staff.ben.userId])
          await staff.owner.call("POST", `/conversations/${id}/assign`, { userId });
      },
    ],
  ])("leave a conversation with a present member who %s", async (_name, act) => {
    const id = await assignToBen();
    await act(id);
    await ageAssignment(id);
    await createWorker([staff.ben.userId, staff.userId]).runOnce();
    expect((await read(id)).assignee.userId).toBe(staff.ben.userId);
  });

  it("do not take a conversation from an absent member to whom a colleague has just given it", async () => {
    const id = await assignToBen();
    await ageAssignment(id);
    for (const userId of [staff.userId, staff.ben.userId])
      await staff.owner.call("POST", `/conversations/${id}/assign`, { userId });
    await createWorker([]).runOnce();
    expect((await read(id)).assignee.userId).toBe(staff.ben.userId);
  });

  it("leave a snoozed conversation with its member, who has the whole time to answer after it wakes", async () => {
    const id = await assignToBen();
    const until = new Date(Date.now() + MINUTE_MS).toISOString();
    const snoozed = await staff.member.call("POST", `/conversations/${id}/snooze`, { until });
    expect(snoozed.status, JSON.stringify(snoozed.body)).toBe(200);
    await ageAssignment(id);
    await createWorker([staff.userId]).runOnce();
    expect(await read(id)).toMatchObject({ status: "snoozed", assignee: { userId: staff.ben.userId } });
    const { organizationId } = staff;
    await inTransaction(server.deps.db, (trx) =>
      createConversationLog(server.deps, []).wake(
        trx,
        { organizationId, conversationId: id },
        Date.now() + 2 * MINUTE_MS,
      ),
    );
    await createWorker([staff.userId]).runOnce();
    expect(await read(id)).toMatchObject({ status: "open", assignee: { userId: staff.ben.userId } });
  });

  it.each<[string, (id: string) => Promise<unknown>]>([
    ["has answered", (id) => staff.member.call("POST", `/conversations/${id}/messages`, { content: "Hello!" })],
    [
      "has snoozed it",
      (id) =>
        staff.member.call("POST", `/conversations/${id}/snooze`, {
          until: new Date(Date.now() + MINUTE_MS).toISOString(),
        }),
    ],
  ])("do not take a conversation from a member who %s since the round began", async (_name, act) => {
    const id = await assignToBen();
    await act(id);
    const { organizationId, ben } = staff;
    const before = await read(id);
    const unanswered = { userId: ben.userId, since: Date.now() + MINUTE_MS };
    const isMoved = await inTransaction(server.deps.db, (trx) =>
      createConversationLog(server.deps, []).moveToTeam(
        trx,
        { organizationId, conversationId: id },
        { teamId: before.team.id, unanswered },
      ),
    );
    expect(isMoved).toBe(false);
    expect(await read(id)).toMatchObject({ status: before.status, handler: "human" });
  });

  it.each([
    ["user", "waiting"],
    ["assistant", "human"],
  ] as const)(
    "after an answer and a new assignment, with a last message of the %s, leave it %s",
    async (role, handler) => {
      const id = await assignToBen();
      await staff.member.call("POST", `/conversations/${id}/messages`, { content: "Hello!" });
      await staff.owner.call("POST", `/conversations/${id}/assign`, { userId: staff.userId });
      await server.deps.db.updateTable("conversations").set({ lastMessageRole: role }).where("id", "=", id).execute();
      await createWorker([], 6).runOnce();
      expect((await read(id)).handler).toBe(handler);
    },
  );

  it("make a visitor wait again whose member went away before answering", async () => {
    const teamId = await createTeam({
      assignment: "round_robin",
      members: [{ userId: staff.ben.userId, capacity: 3 }],
    });
    const { id } = await request({ teamId });
    await createWorker([staff.ben.userId]).runOnce();
    await createWorker([], 3).runOnce();
    expect((await read(id)).handler).toBe("human");
    await createWorker([], 6).runOnce();
    expect(await read(id)).toMatchObject({ handler: "waiting", team: { id: teamId } });
  });

  it("no longer assign to a member who has left the organization", async () => {
    const teamId = await createTeam({
      assignment: "round_robin",
      members: [{ userId: staff.ben.userId, capacity: 3 }],
    });
    const { id } = await request({ teamId });
    const { organizationId } = staff;
    await inTransaction(server.deps.db, (trx) => scheduleRelease(trx, { organizationId, userId: staff.ben.userId }));
    await createWorker([staff.ben.userId]).runOnce();
    expect((await read(id)).handler).toBe("waiting");
    expect((await staff.owner.call("GET", `/teams/${teamId}`)).body.data.members).toEqual([]);
  });

  it("pass a conversation that no member took to another team, which keeps it", async () => {
    const first = await createTeam();
    const second = await createTeam({ name: "Second", escalation: { teamId: first, afterMinutes: 5 } });
    await staff.owner.call("PATCH", `/teams/${first}`, { escalation: { teamId: second, afterMinutes: 5 } });
    const { id } = await request({ teamId: first });
    await createWorker([], 4).runOnce();
    expect((await read(id)).team.id).toBe(first);
    await createWorker([], 6).runOnce();
    expect((await read(id)).team.id).toBe(second);
    await createWorker([], 60).runOnce();
    expect((await read(id)).team.id).toBe(second);
  });

  it("have a clock for the first answer, then for the next one while the visitor waits for it", async () => {
    const teamId = await createTeam({ targets: { firstAnswer: 20, nextAnswer: 40 } });
    const { id, agentId, ownership } = await request({ teamId });
    const { requestedAt } = ownership.handoff;
    expect(ownership.clock).toEqual({
      kind: "firstAnswer",
      dueAt: new Date(Date.parse(requestedAt) + 20 * MINUTE_MS).toISOString(),
      warnAt: new Date(Date.parse(requestedAt) + 15 * MINUTE_MS).toISOString(),
    });
    await staff.owner.call("POST", `/conversations/${id}/messages`, { content: "Hello!" });
    expect((await read(id)).clock).toBe(null);
    await staff.owner.call("POST", "/chat", {
      agentId,
      conversationId: id,
      messages: [{ role: "user", content: "And now?" }],
    });
    expect((await read(id)).clock).toMatchObject({ kind: "nextAnswer" });
    await staff.owner.call("POST", `/conversations/${id}/messages`, { content: "Here." });
    expect((await read(id)).clock).toBe(null);
  });

  /** Makes a conversation's open request older. @returns when it began */
  async function ageRequest(id: string, minutes: number): Promise<number> {
    const aged = server.deps.db
      .updateTable("handoffs")
      .set((x) => ({ requestedAt: x("requestedAt", "-", minutes * MINUTE_MS) }))
      .where("conversationId", "=", id)
      .where("endedAt", "is", null);
    return Number((await aged.returning("requestedAt").executeTakeFirstOrThrow()).requestedAt);
  }

  /** Makes the visitor's message with this content older. @returns when it was written */
  async function ageMessage(id: string, content: string, minutes: number): Promise<number> {
    const aged = server.deps.db
      .updateTable("messages")
      .set((x) => ({ createdAt: x("createdAt", "-", minutes * MINUTE_MS) }))
      .where("conversationId", "=", id)
      .where("content", "=", content);
    return Number((await aged.returning("createdAt").executeTakeFirstOrThrow()).createdAt);
  }

  it("continue the clock of a visitor who has waited for another team, and send no notice about what is nearly missed already", async () => {
    const first = await createTeam({ targets: { firstAnswer: 60 } });
    const second = await createTeam({ targets: { firstAnswer: 20, resolution: 80 } });
    const { id } = await request({ teamId: first });
    const askedAt = await ageRequest(id, 18);
    for (const teamId of [first, second]) {
      await staff.owner.call("POST", `/conversations/${id}/assign`, { teamId });
    }
    expect((await read(id)).clock).toEqual({
      kind: "firstAnswer",
      dueAt: new Date(askedAt + 20 * MINUTE_MS).toISOString(),
      warnAt: new Date(askedAt + 15 * MINUTE_MS).toISOString(),
    });
    const stored = server.deps.db.selectFrom("handoffs").select("warnAt").where("conversationId", "=", id);
    const { warnAt } = await stored.where("endedAt", "is", null).executeTakeFirstOrThrow();
    expect(Number(warnAt)).toBe(askedAt + 60 * MINUTE_MS);
  });

  it("count from the first message that nobody has answered when a member passes a conversation on", async () => {
    const teamId = await createTeam({ targets: { firstAnswer: 20, resolution: 300 } });
    const { id, agentId } = await request();
    await staff.owner.call("POST", `/conversations/${id}/messages`, { content: "Hello!" });
    const askedAt = await ageRequest(id, 100);
    const messages = [{ role: "user", content: "And now?" }];
    await staff.owner.call("POST", "/chat", { agentId, conversationId: id, messages });
    const writtenAt = await ageMessage(id, "And now?", 7);
    await staff.owner.call("POST", `/conversations/${id}/assign`, { teamId });
    expect((await read(id)).clock.dueAt).toBe(new Date(writtenAt + 20 * MINUTE_MS).toISOString());
    await staff.owner.call("POST", `/conversations/${id}/messages`, { content: "Here." });
    expect((await read(id)).clock).toMatchObject({
      kind: "resolution",
      dueAt: new Date(askedAt + 300 * MINUTE_MS).toISOString(),
    });
  });

  it("answer 400 for an escalation to a team that is deleted at the same moment", async () => {
    const [id, next] = [await createTeam(), await createTeam({ name: "Next" })];
    const db = deleteAfterRead(server.deps.db, "teams", next);
    const service = createTeamService({ db }, createConversationLog(server.deps, []));
    const escalation = { teamId: next, afterMinutes: 5 };
    const error = await service.update(staff.organizationId, id, { escalation }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ status: 400, details: [{ path: "escalation.teamId" }] });
  });

  async function listTeam(teamId: string): Promise<Array<{ handler: string; assignee: { userId: string } | null }>> {
    return (await staff.owner.call("GET", `/conversations?team=${teamId}&limit=100`)).body.data;
  }
});
