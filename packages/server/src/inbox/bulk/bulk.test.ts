import type { BulkAction } from "@foyer/contract";
import { afterAll, beforeAll, expect, it } from "vitest";
import { onBothDatabases, type TestDatabase } from "../../../../../test/databases.ts";
import { createAgent } from "../../../../../test/factories.ts";
import { startServer, type TestServer } from "../../../../../test/server.ts";
import { createMember, signedInBrowser } from "../../../../../test/session-client.ts";
import { newId } from "../../ids.ts";

type Account = Awaited<ReturnType<TestServer["createAccount"]>>;
type Browser = Awaited<ReturnType<typeof signedInBrowser>>;

onBothDatabases("bulk actions", (createDatabase) => {
  let database: TestDatabase;
  let server: TestServer;
  let account: Account;
  let agentId: string;
  let ada: Browser;
  let adaId: string;
  let ben: Browser;
  let benId: string;
  beforeAll(async () => {
    database = await createDatabase();
    server = await startServer({ database });
    account = await server.createAccount();
    agentId = await createAgent(account);
    await account.call("PATCH", `/agents/${agentId}`, { handoff: { isEnabled: true } });
    const [first, second] = [
      await createMember(server, account.organizationId, "member"),
      await createMember(server, account.organizationId, "member"),
    ];
    [adaId, benId] = [first.userId, second.userId];
    [ada, ben] = [await signedInBrowser(server, first.email), await signedInBrowser(server, second.email)];
  });
  afterAll(async () => {
    await server.stop();
    await database.drop();
  });

  async function startConversations(count: number): Promise<string[]> {
    const ids: string[] = [];
    for (let index = 0; index < count; index++) {
      const payload = { agentId, messages: [{ role: "user", content: "Hello" }] };
      const started = await server.app.inject({ method: "POST", url: "/chat", payload });
      ids.push(started.body.match(/conv_[0-9a-z]{26}/)?.[0] ?? "");
    }
    return ids.sort();
  }

  const start = async (body: object, browser = ada): Promise<BulkAction> =>
    (await browser.call("POST", "/conversations/bulk", body)).body.data;
  const read = async (id: string): Promise<BulkAction> =>
    (await ada.call("GET", `/conversations/bulk/${id}`)).body.data;
  async function finish({ id }: BulkAction, state: BulkAction["state"] = "done"): Promise<BulkAction> {
    await expect.poll(async () => (await read(id)).state, { timeout: 20_000 }).toBe(state);
    return read(id);
  }
  const undo = async ({ id }: BulkAction) => {
    await ada.call("POST", `/conversations/bulk/${id}/undo`);
    return finish(await read(id), "undone");
  };
  const get = async (id: string) => (await ada.call("GET", `/conversations/${id}`)).body.data;

  it("assigns the named conversations, and an undo returns each to who had it", async () => {
    const [withAgent = "", waiting = "", withBen = ""] = await startConversations(3);
    await account.call("POST", `/conversations/${waiting}/handoff`, { reason: "Invoice" });
    await ben.call("POST", `/conversations/${withBen}/takeover`);
    const conversationIds = [withAgent, waiting, withBen];
    const action = await finish(await start({ action: "assign", userId: "me", conversationIds }));
    expect([action.total, action.done, action.skipped]).toEqual([3, 3, 0]);
    const owners = [];
    for (const id of conversationIds) owners.push((await get(id)).assignee?.userId);
    expect(owners).toEqual([adaId, adaId, adaId]);
    expect((await undo(action)).undone).toBe(3);
    const restored = [];
    for (const id of conversationIds) {
      const { handler, assignee, handoff } = await get(id);
      restored.push([handler, assignee?.userId ?? null, handoff?.reason ?? null]);
    }
    expect(restored).toEqual([
      ["agent", null, null],
      ["waiting", null, "Invoice"],
      ["human", benId, null],
    ]);
  });

  it("lets the named conversations wait for a team, and an undo returns each to who had it and to its team", async () => {
    const createTeam = async (name: string) => (await account.call("POST", "/teams", { name })).body.data.id;
    const [teamId, earlierTeam] = [await createTeam("Bulk"), await createTeam("Earlier")];
    const [withAgent = "", waiting = "", withBen = ""] = await startConversations(3);
    await account.call("POST", `/conversations/${waiting}/handoff`, { reason: "Invoice" });
    await ada.call("POST", `/conversations/${waiting}/assign`, { teamId: earlierTeam });
    await ben.call("POST", `/conversations/${withBen}/takeover`);
    const conversationIds = [withAgent, waiting, withBen];
    const owners = async () => {
      const found = [];
      for (const id of conversationIds) {
        const { handler, assignee, team, handoff } = await get(id);
        found.push([
          handler,
          assignee?.userId ?? null,
          handler === "agent" ? null : (team?.id ?? null),
          handoff?.reason,
        ]);
      }
      return found;
    };
    const before = await owners();
    const action = await finish(await start({ action: "assign", teamId, conversationIds }));
    expect([action.done, (await owners()).map(([handler, , team]) => [handler, team])]).toEqual([
      3,
      Array(3).fill(["waiting", teamId]),
    ]);
    expect((await undo(action)).undone).toBe(3);
    expect(await owners()).toEqual(before);
    expect(before.map(([handler, assignee, team]) => [handler, assignee, team])).toEqual([
      ["agent", null, null],
      ["waiting", null, earlierTeam],
      ["human", benId, null],
    ]);
  });

  it("leaves a conversation alone in an undo that a member has taken from the team since", async () => {
    const teamId = (await account.call("POST", "/teams", { name: "Taken" })).body.data.id;
    const [id = ""] = await startConversations(1);
    const action = await finish(await start({ action: "assign", teamId, conversationIds: [id] }));
    await ben.call("POST", `/conversations/${id}/takeover`);
    expect((await undo(action)).undone).toBe(0);
    expect((await get(id)).assignee.userId).toBe(benId);
  });

  it("resolves conversations, and an undo opens them for the same person", async () => {
    const [withAgent = "", withAda = ""] = await startConversations(2);
    await ada.call("POST", `/conversations/${withAda}/takeover`);
    const conversationIds = [withAgent, withAda];
    const action = await finish(await start({ action: "resolve", conversationIds }));
    const standings = async () => {
      const found = [];
      for (const id of conversationIds) {
        const { status, assignee } = await get(id);
        found.push([status, assignee?.userId ?? null]);
      }
      return found;
    };
    expect(await standings()).toEqual([
      ["resolved", null],
      ["resolved", null],
    ]);
    await undo(action);
    expect(await standings()).toEqual([
      ["open", null],
      ["open", adaId],
    ]);
  });

  it("leaves a conversation resolved while an undo cannot let its visitor wait again", async () => {
    const [id = ""] = await startConversations(1);
    await account.call("POST", `/conversations/${id}/handoff`, {});
    const action = await finish(await start({ action: "resolve", conversationIds: [id] }));
    const { db } = server.deps;
    // Without the request, the undo fails as it does when the process dies before the visitor waits again.
    const requests = await db.deleteFrom("handoffs").where("conversationId", "=", id).returningAll().execute();
    await ada.call("POST", `/conversations/bulk/${action.id}/undo`);
    const countFailures = async () =>
      (await db.selectFrom("bulkActions").select("failures").where("id", "=", action.id).executeTakeFirstOrThrow())
        .failures;
    await expect.poll(countFailures, { timeout: 20_000 }).toBeGreaterThan(0);
    expect((await get(id)).status).toBe("resolved");
    await db.insertInto("handoffs").values(requests).execute();
    await finish(action, "undone");
    expect((await get(id)).handler).toBe("waiting");
  });

  it("snoozes all conversations but those in which the visitor waits, and an undo opens them", async () => {
    const [silent = "", waiting = ""] = await startConversations(2);
    await account.call("POST", `/conversations/${waiting}/handoff`, {});
    const until = new Date(Date.now() + 86_400_000).toISOString();
    const action = await finish(await start({ action: "snooze", until, conversationIds: [silent, waiting] }));
    expect([(await get(silent)).status, (await get(silent)).snoozedUntil, (await get(waiting)).status]).toEqual([
      "snoozed",
      until,
      "open",
    ]);
    expect(action.skipped).toBe(1);
    await undo(action);
    expect((await get(silent)).status).toBe("open");
  });

  it("leaves a conversation alone in an undo that a colleague has taken since", async () => {
    const [id = ""] = await startConversations(1);
    const action = await finish(await start({ action: "assign", userId: "me", conversationIds: [id] }));
    await ben.call("POST", `/conversations/${id}/assign`, { userId: benId });
    expect((await undo(action)).undone).toBe(0);
    expect((await get(id)).assignee.userId).toBe(benId);
  });

  it("tags everything that a filter finds, and an undo removes the tag where it was added", async () => {
    const ids = await startConversations(4);
    const added = await account.call("POST", `/conversations/${ids[0]}/tags`, { name: "bulk" });
    const filter = { agentId };
    const action = await finish(await start({ action: "tag", tag: "bulk", filter }));
    expect(action.skipped).toBe(1);
    const tag = added.body.data[0].id;
    const find = async () =>
      (await ada.call("GET", `/conversations?agentId=${agentId}&tag=${tag}`)).body.pagination.total;
    expect(await find()).toBe(action.total);
    await undo(action);
    expect(await find()).toBe(1);
  });

  it("marks as read what arrived before the request, and an undo marks it as unread", async () => {
    const ids = await startConversations(2);
    const action = await finish(await start({ action: "read", conversationIds: ids }));
    const unread = async () =>
      (await ada.call("GET", `/conversations?agentId=${agentId}&unread=true&limit=100`)).body.data
        .map((row: { id: string }) => row.id)
        .filter((id: string) => ids.includes(id)).length;
    expect([action.done, await unread()]).toEqual([2, 0]);
    await undo(action);
    expect(await unread()).toBe(2);
  });

  it("moves conversations to the trash, and an undo restores them", async () => {
    const ids = await startConversations(2);
    const action = await finish(await start({ action: "trash", conversationIds: ids }));
    const statuses = async () => {
      const found = [];
      for (const id of ids) found.push((await ada.call("GET", `/conversations/${id}`)).status);
      return found;
    };
    expect(await statuses()).toEqual([404, 404]);
    await undo(action);
    expect(await statuses()).toEqual([200, 200]);
  });

  it("uses the filter of a view, and refuses one whose tag was deleted", async () => {
    const [id] = await startConversations(1);
    const [tag] = (await account.call("POST", `/conversations/${id}/tags`, { name: "of-view" })).body.data;
    const view = (await ada.call("POST", "/inbox/views", { name: "V", filter: { tag: tag.id } })).body.data;
    const action = await finish(await start({ action: "read", view: view.id }));
    expect(action.total).toBe(1);
    await account.call("DELETE", `/tags/${tag.id}`);
    const refused = await ada.call("POST", "/conversations/bulk", { action: "trash", view: view.id });
    expect(refused.status).toBe(409);
  });

  it("leaves out conversations of another organization and deleted ones", async () => {
    const other = await server.createAccount();
    const foreignAgent = await createAgent(other);
    const payload = { agentId: foreignAgent, messages: [{ role: "user", content: "Hello" }] };
    const started = await server.app.inject({ method: "POST", url: "/chat", payload });
    const foreign = started.body.match(/conv_[0-9a-z]{26}/)?.[0] ?? "";
    const [own = ""] = await startConversations(1);
    const conversationIds = [foreign, own, newId("conv")];
    const action = await finish(await start({ action: "assign", userId: "me", conversationIds }));
    expect([action.total, action.done]).toEqual([1, 1]);
    expect((await other.call("GET", `/conversations/${foreign}`)).body.data.handler).toBe("agent");
  });

  it("shows a bulk action only to the member who started it", async () => {
    const action = await start({ action: "read", conversationIds: [newId("conv")] });
    const answers = [
      (await ben.call("GET", `/conversations/bulk/${action.id}`)).status,
      (await ben.call("POST", `/conversations/bulk/${action.id}/undo`)).status,
    ];
    expect(answers).toEqual([404, 404]);
    await finish(action);
  });

  it("refuses an action without its parameter, and one that names conversations in no way or in two", async () => {
    const other = await server.createAccount();
    const foreignTeam = (await other.call("POST", "/teams", { name: "Foreign" })).body.data.id;
    const bodies = [
      { action: "assign", conversationIds: [newId("conv")] },
      { action: "tag", conversationIds: [newId("conv")] },
      { action: "assign", userId: "user_nobody", conversationIds: [newId("conv")] },
      { action: "assign", teamId: newId("team"), conversationIds: [newId("conv")] },
      { action: "assign", teamId: foreignTeam, conversationIds: [newId("conv")] },
      { action: "assign", userId: "me", teamId: newId("team"), conversationIds: [newId("conv")] },
      { action: "read" },
      { action: "read", filter: {}, conversationIds: [newId("conv")] },
    ];
    const statuses = [];
    for (const body of bodies) statuses.push((await ada.call("POST", "/conversations/bulk", body)).status);
    expect(statuses).toEqual(bodies.map(() => 400));
  });

  it("refuses an undo an hour after the action finished", async () => {
    const [id = ""] = await startConversations(1);
    const action = await finish(await start({ action: "read", conversationIds: [id] }));
    await server.deps.db.updateTable("bulkActions").set({ finishedAt: 1 }).where("id", "=", action.id).execute();
    expect((await ada.call("POST", `/conversations/bulk/${action.id}/undo`)).status).toBe(409);
  });
});
