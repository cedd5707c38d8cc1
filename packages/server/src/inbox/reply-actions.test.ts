import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { insertConversation } from "../../../../test/conversation-seed.ts";
import { onBothDatabases, type TestDatabase } from "../../../../test/databases.ts";
import { createAgent } from "../../../../test/factories.ts";
import { startServer, type TestServer } from "../../../../test/server.ts";
import { createMember, createOwner, signedInBrowser } from "../../../../test/session-client.ts";

onBothDatabases("actions of replies", (createDatabase) => {
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
    return { ...account, ben, owner: await signedInBrowser(server, account.email) };
  }

  async function createConversation(): Promise<string> {
    const agentId = await createAgent(staff.owner, { handoff: { isEnabled: true } });
    const from = { organizationId: staff.organizationId, agentId };
    return insertConversation(server.deps.db, from, {}, [{ content: "Where is my refund?" }]);
  }

  /** @returns the id of a new tag, which no other conversation has */
  async function createTag(name: string): Promise<string> {
    const { body } = await staff.owner.call("POST", `/conversations/${await createConversation()}/tags`, { name });
    return body.data[0].id;
  }

  async function createTeam(): Promise<string> {
    return (await staff.owner.call("POST", "/teams", { name: "Workshop" })).body.data.id;
  }

  const read = async (id: string) => (await staff.owner.call("GET", `/conversations/${id}`)).body.data;
  const send = (id: string, actions: object) =>
    staff.owner.call("POST", `/conversations/${id}/messages`, { content: "On its way.", actions });
  const createReply = (actions: object | null) =>
    staff.owner.call("POST", "/canned-replies", { name: "Refund", text: "On its way.", actions });

  it("tags and resolves a conversation with the reply that is sent", async () => {
    const [id, tagId] = [await createConversation(), await createTag("refund")];
    expect((await send(id, { tagIds: [tagId], resolve: true })).status).toBe(201);
    expect(await read(id)).toMatchObject({
      status: "resolved",
      handler: "agent",
      tags: [{ id: tagId, name: "refund" }],
      messages: [{ content: "Where is my refund?" }, { content: "On its way." }],
    });
  });

  it("adds a tag that the conversation already has only once", async () => {
    const [id, tagId] = [await createConversation(), await createTag("refund")];
    await send(id, { tagIds: [tagId] });
    expect((await send(id, { tagIds: [tagId] })).status).toBe(201);
    expect((await read(id)).tags).toHaveLength(1);
  });

  it("snoozes a conversation for the minutes of the reply, and keeps its member", async () => {
    const id = await createConversation();
    const before = Date.now();
    expect((await send(id, { snoozeMinutes: 120 })).status).toBe(201);
    const { status, snoozedUntil, assignee } = await read(id);
    expect([status, assignee.userId]).toEqual(["snoozed", staff.userId]);
    expect(Date.parse(snoozedUntil)).toBeGreaterThanOrEqual(before + 7_200_000);
  });

  it("assigns a conversation to another member after the reply", async () => {
    const id = await createConversation();
    expect((await send(id, { assign: { userId: staff.ben.userId } })).status).toBe(201);
    expect(await read(id)).toMatchObject({ handler: "human", assignee: { userId: staff.ben.userId } });
  });

  it("lets the visitor wait for a team after the reply", async () => {
    const [id, teamId] = [await createConversation(), await createTeam()];
    expect((await send(id, { assign: { teamId } })).status).toBe(201);
    expect(await read(id)).toMatchObject({ handler: "waiting", assignee: null, team: { id: teamId } });
  });

  it("assigns a conversation to a member for a team after the reply", async () => {
    const [id, teamId] = [await createConversation(), await createTeam()];
    expect((await send(id, { assign: { teamId, userId: staff.ben.userId } })).status).toBe(201);
    expect(await read(id)).toMatchObject({ assignee: { userId: staff.ben.userId }, team: { id: teamId } });
  });

  it.each<[string, object, string]>([
    ["tag", { tagIds: ["tag_gone"] }, "actions.tagIds.0"],
    ["member", { assign: { userId: "user_gone" } }, "actions.assign.userId"],
    ["team", { assign: { teamId: "team_gone" } }, "actions.assign.teamId"],
  ])("sends nothing and changes nothing when the %s of an action does not exist", async (_, actions, path) => {
    const [id, tagId] = [await createConversation(), await createTag("refund")];
    const { status, body } = await send(id, { ...("tagIds" in actions ? {} : { tagIds: [tagId] }), ...actions });
    expect([status, body.error.details[0]]).toMatchObject([400, { path, code: "unknown_reference" }]);
    expect(await read(id)).toMatchObject({
      handler: "agent",
      status: "open",
      tags: [],
      messages: [{ content: "Where is my refund?" }],
    });
  });

  it("refuses tags, members and teams of another organization in actions", async () => {
    const theirs = { tagId: await createTag("refund"), teamId: await createTeam(), userId: staff.ben.userId };
    staff = await createStaff();
    const id = await createConversation();
    const answers = await Promise.all([
      send(id, { tagIds: [theirs.tagId] }),
      send(id, { assign: { teamId: theirs.teamId } }),
      createReply({ assign: { userId: theirs.userId } }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400]);
  });

  it.each([
    { resolve: true, snoozeMinutes: 5 },
    { resolve: true, assign: { userId: "me" } },
  ])("refuses the contradictory actions %j", async (actions) => {
    const { status, body } = await send(await createConversation(), actions);
    expect([status, body.error.details[0].path]).toEqual([400, "actions"]);
  });

  it("sends a reply with actions once when the request is repeated with its Idempotency-Key", async () => {
    const [id, teamId] = [await createConversation(), await createTeam()];
    const headers = { "idempotency-key": "once" };
    const body = { content: "On its way.", actions: { assign: { teamId } } };
    const first = await staff.owner.call("POST", `/conversations/${id}/messages`, body, headers);
    const again = await staff.owner.call("POST", `/conversations/${id}/messages`, body, headers);
    expect(again.body).toEqual(first.body);
    expect((await read(id)).messages).toHaveLength(2);
  });

  it("keeps, changes and removes the actions of a canned reply", async () => {
    const tagId = await createTag("refund");
    const { status, body } = await createReply({ tagIds: [tagId], resolve: true });
    expect([status, body.actions]).toEqual([201, { tagIds: [tagId], resolve: true }]);
    const change = (actions: object | null) => staff.owner.call("PATCH", `/canned-replies/${body.id}`, { actions });
    expect((await change({ snoozeMinutes: 60 })).body.actions).toEqual({ snoozeMinutes: 60 });
    expect((await staff.owner.call("PATCH", `/canned-replies/${body.id}`, { name: "Money" })).body.actions).toEqual({
      snoozeMinutes: 60,
    });
    expect((await change(null)).body).not.toHaveProperty("actions");
  });

  it("returns a canned reply without actions as before", async () => {
    const { body } = await createReply({ tagIds: [], resolve: false });
    expect(Object.keys(body)).toEqual(["id", "name", "text", "createdAt", "updatedAt"]);
  });

  it("names all tags, members and teams that a canned reply would need and that do not exist", async () => {
    const { status, body } = await createReply({ tagIds: ["tag_gone"], assign: { userId: "u", teamId: "t" } });
    expect(status).toBe(400);
    expect(body.error.details.map(({ path }: { path: string }) => path)).toEqual([
      "actions.tagIds.0",
      "actions.assign.userId",
      "actions.assign.teamId",
    ]);
  });
});
