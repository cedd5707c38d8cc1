import { maxViews } from "@foyer/contract";
import { afterAll, beforeAll, expect, it } from "vitest";
import { onBothDatabases, type TestDatabase } from "../../../../../test/databases.ts";
import { deleteAfterRead } from "../../../../../test/delete-after-read.ts";
import { createAgent } from "../../../../../test/factories.ts";
import { startServer, type TestServer } from "../../../../../test/server.ts";
import { createMember, signedInBrowser } from "../../../../../test/session-client.ts";
import { newId } from "../../ids.ts";
import { createViewService } from "./service.ts";

type Account = Awaited<ReturnType<TestServer["createAccount"]>>;
type Browser = Awaited<ReturnType<typeof signedInBrowser>>;

onBothDatabases("saved views", (createDatabase) => {
  let database: TestDatabase;
  let server: TestServer;
  let account: Account;
  let agentId: string;
  let ada: Browser;
  let ben: Browser;
  let benId: string;
  let stranger: Browser;
  beforeAll(async () => {
    database = await createDatabase();
    server = await startServer({ database });
    account = await server.createAccount();
    agentId = await createAgent(account);
    ada = await signedInBrowser(server, (await createMember(server, account.organizationId, "member")).email);
    const member = await createMember(server, account.organizationId, "member");
    benId = member.userId;
    ben = await signedInBrowser(server, member.email);
    const other = await server.createAccount();
    stranger = await signedInBrowser(server, (await createMember(server, other.organizationId, "owner")).email);
  });
  afterAll(async () => {
    await server.stop();
    await database.drop();
  });

  const save = async (browser: Browser, view: object) =>
    (await browser.call("POST", "/inbox/views", { name: "View", filter: {}, ...view })).body.data;
  const idsFor = async (browser: Browser): Promise<string[]> =>
    (await browser.call("GET", "/inbox/views")).body.data.map(({ id }: { id: string }) => id);

  async function startConversation(): Promise<string> {
    const messages = [{ role: "user", content: "Hello" }];
    const payload = { agentId, messages };
    const started = await server.app.inject({ method: "POST", url: "/chat", payload });
    return started.body.match(/conv_[0-9a-z]{26}/)?.[0] ?? "";
  }

  it("keeps a view for its member alone, and shows a shared one to the whole organization", async () => {
    const own = await save(ada, { name: "Mine" });
    const shared = await save(ada, { name: "Everyone", isShared: true });
    expect(await idsFor(ada)).toEqual(expect.arrayContaining([own.id, shared.id]));
    expect(await idsFor(ben)).toContain(shared.id);
    expect(await idsFor(ben)).not.toContain(own.id);
    expect(await idsFor(stranger)).toEqual([]);
  });

  it("answers 404 for the view of another member or organization, and leaves it as it is", async () => {
    const own = await save(ada, { name: "Private" });
    const shared = await save(ada, { name: "Shared", isShared: true });
    const statuses = [
      (await ben.call("PATCH", `/inbox/views/${own.id}`, { name: "Taken" })).status,
      (await ben.call("DELETE", `/inbox/views/${own.id}`)).status,
      (await stranger.call("PATCH", `/inbox/views/${shared.id}`, { name: "Taken" })).status,
      (await stranger.call("DELETE", `/inbox/views/${shared.id}`)).status,
      (await ben.call("GET", `/conversations?view=${own.id}`)).status,
      (await account.call("GET", `/conversations?view=${own.id}`)).status,
    ];
    expect(statuses).toEqual([404, 404, 404, 404, 404, 404]);
    expect((await ada.call("GET", "/inbox/views")).body.data).toEqual(expect.arrayContaining([own, shared]));
  });

  it("lists what the filter of a view finds, narrowed by the query's own filters", async () => {
    const [tagged, plain] = [await startConversation(), await startConversation()];
    const added = await account.call("POST", `/conversations/${tagged}/tags`, { name: "view" });
    const view = await save(ada, { filter: { tag: added.body.data[0].id } });
    const listed = await ada.call("GET", `/conversations?view=${view.id}`);
    expect(listed.body.data.map(({ id }: { id: string }) => id)).toEqual([tagged]);
    expect(plain).not.toBe(tagged);
    const narrowed = await ada.call("GET", `/conversations?view=${view.id}&handler=waiting`);
    expect(narrowed.body.data).toEqual([]);
  });

  it("names a tag that was deleted, lists the rest, and refuses bulk actions until the view is changed", async () => {
    const id = await startConversation();
    const [tag] = (await account.call("POST", `/conversations/${id}/tags`, { name: "gone" })).body.data;
    const view = await save(ada, { name: "Gone", filter: { tag: tag.id } });
    await account.call("DELETE", `/tags/${tag.id}`);
    const listed = (await ada.call("GET", "/inbox/views")).body.data.find((row: { id: string }) => row.id === view.id);
    expect(listed.missing).toEqual(["tag"]);
    const rest = await ada.call("GET", `/conversations?view=${view.id}`);
    expect(rest.body.data.map((row: { id: string }) => row.id)).toContain(id);
    const bulk = await ada.call("POST", "/conversations/bulk", { action: "resolve", view: view.id });
    expect([bulk.status, bulk.body.error.message]).toEqual([
      409,
      "The view Gone names a tag that no longer exists. Change or delete the view.",
    ]);
    const changed = await ada.call("PATCH", `/inbox/views/${view.id}`, { filter: { agentId, tag: null } });
    expect([changed.body.data.filter, changed.body.data.missing]).toEqual([{ agentId }, []]);
    expect((await ada.call("GET", `/conversations?view=${view.id}`)).status).toBe(200);
  });

  const createTeam = async (userIds: string[], name = "Billing") =>
    (await account.call("POST", "/teams", { name, members: userIds.map((userId) => ({ userId, capacity: 5 })) })).body
      .data.id as string;

  it("lists the conversations of a team with a status, and once the team was deleted names it and lists the rest", async () => {
    const teamId = await createTeam([benId]);
    const [resolved = "", open = ""] = [await startConversation(), await startConversation()];
    for (const id of [resolved, open]) await ada.call("POST", `/conversations/${id}/assign`, { teamId });
    await ada.call("POST", `/conversations/${resolved}/resolve`);
    const view = await save(ada, { name: "Done", filter: { team: teamId, status: "resolved" } });
    const listed = await ada.call("GET", `/conversations?view=${view.id}`);
    expect(listed.body.data.map(({ id }: { id: string }) => id)).toEqual([resolved]);
    await account.call("DELETE", `/teams/${teamId}`);
    const found = (await ada.call("GET", "/inbox/views")).body.data.find((row: { id: string }) => row.id === view.id);
    expect(found.missing).toEqual(["team"]);
    const rest = await ada.call("GET", `/conversations?view=${view.id}`);
    const ids = rest.body.data.map((row: { id: string }) => row.id);
    expect([ids.includes(resolved), ids.includes(open)]).toEqual([true, false]);
  });

  it("shows a view that a team shares to the team's members alone, and to everyone once the team was deleted", async () => {
    const teamId = await createTeam([benId]);
    const view = await save(ben, { name: "Of the team", teamId });
    expect([view.isShared, view.teamId]).toEqual([true, teamId]);
    expect(await idsFor(ben)).toContain(view.id);
    expect(await idsFor(ada)).not.toContain(view.id);
    expect((await ada.call("GET", `/conversations?view=${view.id}`)).status).toBe(404);
    await account.call("DELETE", `/teams/${teamId}`);
    expect(await idsFor(ada)).toContain(view.id);
  });

  it("refuses to share a view with a team that the member does not belong to", async () => {
    const teamId = await createTeam([benId]);
    const refused = await ada.call("POST", "/inbox/views", { name: "V", filter: {}, teamId });
    expect([refused.status, refused.body.error.details[0].path]).toEqual([400, "teamId"]);
  });

  it("refuses a filter with an agent, tag, team or member that the organization does not have", async () => {
    const paths = [];
    for (const filter of [
      { agentId: newId("agent") },
      { tag: newId("tag") },
      { team: newId("team") },
      { assignee: "user_nobody" },
    ]) {
      const answer = await ada.call("POST", "/inbox/views", { name: "Wrong", filter });
      paths.push(answer.body.error.details[0].path);
    }
    expect(paths).toEqual(["filter.agentId", "filter.tag", "filter.team", "filter.assignee"]);
  });

  it("uses the member who asks for a shared view with assignee=me", async () => {
    const id = await startConversation();
    await ben.call("POST", `/conversations/${id}/takeover`);
    const view = await save(ada, { filter: { assignee: "me", handler: "human" }, isShared: true });
    const seenBy = async (browser: Browser) =>
      (await browser.call("GET", `/conversations?view=${view.id}`)).body.data.map((row: { id: string }) => row.id);
    expect([await seenBy(ada), await seenBy(ben)]).toEqual([[], [id]]);
    expect(benId).not.toBe("");
  });

  it("accepts no more than the maximum of views of a member, also from concurrent requests", async () => {
    const member = await createMember(server, account.organizationId, "member");
    const browser = await signedInBrowser(server, member.email);
    const row = { organizationId: account.organizationId, ownerId: member.userId, name: "v", filter: "{}" };
    const rows = Array.from({ length: maxViews - 1 }, () => ({
      ...row,
      id: newId("view"),
      sort: "newest" as const,
      columns: "[]",
      createdAt: 1,
      updatedAt: 1,
    }));
    await server.deps.db.insertInto("inboxViews").values(rows).execute();
    const add = () => browser.call("POST", "/inbox/views", { name: "One more", filter: {} });
    expect((await Promise.all([add(), add(), add()])).map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  });

  it("shows a view of a team without members to the whole organization, where it can be deleted", async () => {
    const members = [{ userId: benId, capacity: 5 }];
    const team = await account.call("POST", "/teams", { name: "Workshop", members });
    const { id } = await save(ben, { teamId: team.body.data.id });
    expect(await idsFor(ada)).not.toContain(id);
    await account.call("PATCH", `/teams/${team.body.data.id}`, { members: [] });
    expect(await idsFor(ada)).toContain(id);
    expect((await ada.call("DELETE", `/inbox/views/${id}`)).status).toBe(200);
  });

  it("answers 400 for sharing a view with a team that is deleted at the same moment", async () => {
    const members = [{ userId: benId, capacity: 5 }];
    const { organizationId } = account;
    const user = { organizationId, userId: benId };
    const own = await save(ben, {});
    for (const share of ["create", "update"] as const) {
      const team = await account.call("POST", "/teams", { name: "Workshop", members });
      const teamId: string = team.body.data.id;
      const service = createViewService({ db: deleteAfterRead(server.deps.db, "teams", teamId) });
      const sharing =
        share === "create" ? service.create(user, { name: "View", teamId }) : service.update(user, own.id, { teamId });
      const error = await sharing.catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ status: 400, details: [{ path: "teamId" }] });
    }
  });
});
