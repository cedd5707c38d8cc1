import type { TrashItem } from "@foyer/contract";
import { DAY_MS } from "@foyer/contract/rules/time";
import { afterAll, beforeAll, expect, it } from "vitest";
import { insertConversation } from "../../../../test/conversation-seed.ts";
import { onBothDatabases, type TestDatabase } from "../../../../test/databases.ts";
import { type DocumentClient, openDocuments } from "../../../../test/document-client.ts";
import { createAgent, createTool } from "../../../../test/factories.ts";
import { startServer, type TestServer } from "../../../../test/server.ts";
import { createConversationToken } from "../auth/conversation-token.ts";
import { createTrashPurge } from "../trash-purge.ts";

type Account = Awaited<ReturnType<TestServer["createAccount"]>>;
const form = { fields: [{ name: "email", label: "Email", type: "email" }] };

onBothDatabases("the trash", (createDatabase) => {
  let database: TestDatabase;
  let client: DocumentClient;
  let server: TestServer;
  let account: Account;
  let stranger: Account;
  let agentId: string;
  beforeAll(async () => {
    database = await createDatabase();
    client = await openDocuments({ database, plan: "pro" });
    ({ server, account, agentId } = client);
    stranger = await server.createAccount();
  });
  afterAll(async () => {
    await server.stop();
    await database.drop();
  });

  const call = (method: "GET" | "POST" | "DELETE" | "PUT", url: string, body?: object) =>
    account.call(method, url, body);
  const status = async (method: "GET" | "POST" | "DELETE" | "PUT", url: string, body?: object) =>
    (await call(method, url, body)).status;
  const seed = (fields: object = {}, ofAgent = agentId) =>
    insertConversation(
      server.deps.db,
      { organizationId: account.organizationId, agentId: ofAgent },
      { title: "Rental of a cargo bike", ...fields },
      [{ content: "How much is it for a week?" }],
    );
  const entries = async (query = "") => (await call("GET", `/trash${query}`)).body.data.items as TrashItem[];
  const totalOf = async (query: string) =>
    (await call("GET", `/conversations?agentId=${agentId}${query}`)).body.pagination.total as number;

  it("takes a conversation out of lists, searches and its own address, and brings it back with notes and tags", async () => {
    const before = await totalOf("");
    const id = await seed();
    await call("POST", `/conversations/${id}/notes`, { text: "Refund approved" });
    await call("POST", `/conversations/${id}/tags`, { name: "refund" });
    const trashed = await call("POST", `/conversations/${id}/trash`);
    expect(trashed.status).toBe(200);
    expect(Date.parse(trashed.body.data.deletesAt) - Date.now()).toBeGreaterThan(29 * DAY_MS);
    expect(await totalOf("")).toBe(before);
    expect(await totalOf("&q=cargo")).toBe(0);
    expect(await totalOf("&sort=activity")).toBe(before);
    expect((await call("GET", `/conversations?agentId=${agentId}`)).body.data).not.toContainEqual(
      expect.objectContaining({ id }),
    );
    expect(await status("GET", `/conversations/${id}`)).toBe(404);
    expect(await status("POST", `/conversations/${id}/notes`, { text: "Late" })).toBe(404);
    expect(await status("POST", `/conversations/${id}/restore`)).toBe(200);
    const restored = (await call("GET", `/conversations/${id}`)).body.data;
    expect(restored.tags).toEqual([expect.objectContaining({ name: "refund" })]);
    expect((await call("GET", `/conversations/${id}/notes`)).body.data).toHaveLength(1);
    expect(await totalOf("")).toBe(before + 1);
  });

  it("hides a conversation in the trash from its visitor", async () => {
    const id = await seed();
    const token = createConversationToken(server.deps.encryption, id);
    const read = () =>
      server.app.inject({ url: `/conversations/${id}`, headers: { authorization: `Bearer ${token}` } });
    expect((await read()).statusCode).toBe(200);
    await call("POST", `/conversations/${id}/trash`);
    expect((await read()).statusCode).toBe(404);
  });

  it("does not touch another organization's things", async () => {
    const id = await seed();
    expect((await stranger.call("POST", `/conversations/${id}/trash`)).status).toBe(404);
    expect((await stranger.call("POST", `/agents/${agentId}/trash`)).status).toBe(404);
    await call("POST", `/conversations/${id}/trash`);
    expect((await stranger.call("POST", `/conversations/${id}/restore`)).status).toBe(404);
    expect((await stranger.call("DELETE", `/trash/${id}`)).status).toBe(404);
    expect((await stranger.call("GET", "/trash")).body.data.items).toEqual([]);
    await call("POST", `/conversations/${id}/restore`);
  });

  it("moves a conversation only once when two members delete it at the same time, and restores it only once", async () => {
    const before = await totalOf("");
    const id = await seed();
    const both = await Promise.all([1, 2].map(() => status("POST", `/conversations/${id}/trash`)));
    expect(both.sort()).toEqual([200, 404]);
    const back = await Promise.all([1, 2, 3].map(() => status("POST", `/conversations/${id}/restore`)));
    expect(back.sort()).toEqual([200, 404, 404]);
    expect(await totalOf("")).toBe(before + 1);
  });

  it("lists who deleted what, most recent first, and deletes single entries permanently", async () => {
    const id = await seed({ title: "Lost key" });
    await call("POST", `/conversations/${id}/trash`);
    const [first] = await entries("?kind=conversation&limit=1");
    expect(first).toMatchObject({ id, kind: "conversation", name: "Lost key", agentId, agentName: "Harbour" });
    expect(first?.trashedBy).toEqual(expect.any(String));
    expect(await status("DELETE", `/trash/${id}`)).toBe(200);
    expect(await status("DELETE", `/trash/${id}`)).toBe(404);
    expect(await status("POST", `/conversations/${id}/restore`)).toBe(404);
    expect(
      await server.deps.db.selectFrom("conversations").select("id").where("id", "=", id).executeTakeFirst(),
    ).toBeUndefined();
  });

  it("ends in one state when a conversation is restored while it is deleted permanently", async () => {
    for (let round = 0; round < 10; round++) {
      const id = await seed();
      await call("POST", `/conversations/${id}/trash`);
      const [restored, deleted] = await Promise.all([
        status("POST", `/conversations/${id}/restore`),
        status("DELETE", `/trash/${id}`),
      ]);
      expect([restored, deleted].sort()).toEqual([200, 404]);
      expect(await status("GET", `/conversations/${id}`)).toBe(restored === 200 ? 200 : 404);
      expect(await entries()).not.toContainEqual(expect.objectContaining({ id }));
    }
  });

  it("erases a visitor's conversations in the trash as well", async () => {
    const id = await seed({ userId: "visitor-in-trash" });
    await call("POST", `/conversations/${id}/trash`);
    const erased = await call("POST", "/visitors/erase", { userId: "visitor-in-trash" });
    expect(erased.body.data?.counts ?? erased.body.counts).toMatchObject({ conversations: 1 });
    expect(await entries()).not.toContainEqual(expect.objectContaining({ id }));
  });

  it("gets several documents at once, each of which can be restored, and none of another organization", async () => {
    const ids: string[] = [];
    for (const text of ["Opening hours of the harbour", "Prices of the harbour"]) {
      ids.push((await call("POST", "/documents", { agentId, kind: "text", title: "Harbour", text })).body.id);
    }
    const body = { ids: [...ids, "doc_x"], action: "trash" };
    expect((await stranger.call("POST", "/documents/bulk", body)).body).toEqual({ changed: 0 });
    expect((await call("POST", "/documents/bulk", body)).body).toEqual({ changed: 2 });
    expect((await call("POST", "/documents/bulk", body)).body).toEqual({ changed: 0 });
    const trashed = (await entries("?kind=document")).map(({ id }) => id);
    expect(trashed).toEqual(expect.arrayContaining(ids));
    for (const id of ids) expect(await status("POST", `/documents/${id}/restore`)).toBe(200);
    for (const id of ids) expect(await status("GET", `/documents/${id}`)).toBe(200);
    expect((await call("POST", "/documents/bulk", { ids, action: "delete" })).body).toEqual({ changed: 2 });
  });

  it("takes a document out of searches and lists, frees its key, and finds it again after it was restored", async () => {
    const put = await call("PUT", "/documents/by-key/helmets", {
      agentId,
      kind: "text",
      title: "Helmets",
      text: "Helmets are free.",
    });
    await client.settled(put.body.id);
    const search = async () =>
      (await call("POST", "/documents/search", { agentId, query: "helmets" })).body.hits.map(
        ({ documentId }: { documentId: string }) => documentId,
      );
    expect(await search()).toEqual([put.body.id]);
    expect(await status("POST", `/documents/${put.body.id}/trash`)).toBe(200);
    expect(await search()).toEqual([]);
    expect(await status("GET", `/documents/${put.body.id}`)).toBe(404);
    expect(await status("PUT", `/documents/${put.body.id}`, { isEnabled: true })).toBe(404);
    expect((await call("GET", `/documents?agentId=${agentId}`)).body.pagination.total).toBe(0);
    expect(await status("POST", `/documents/${put.body.id}/restore`)).toBe(200);
    expect(await search()).toEqual([put.body.id]);
    expect((await client.get(put.body.id)).externalKey).toBe("helmets");
    await call("POST", `/documents/${put.body.id}/trash`);
    const other = await call("PUT", "/documents/by-key/helmets", {
      agentId,
      kind: "text",
      title: "Helmets",
      text: "Now 3 euros.",
    });
    expect(other.body.id).not.toBe(put.body.id);
    expect((await call("POST", `/documents/${put.body.id}/restore`)).body.error.code).toBe("CONFLICT");
    expect(await status("DELETE", `/trash/${put.body.id}`)).toBe(200);
    expect(await status("DELETE", `/documents/${other.body.id}`)).toBe(200);
  });

  it("restores a form with the triggers that showed it, and refuses a name that was taken in the meantime", async () => {
    const tool = await createTool(account, {
      agentId,
      name: "test_ride",
      executionType: "form",
      formSchema: form,
    } as never);
    const trigger = await call("POST", `/triggers?agentId=${agentId}`, {
      name: "Ride",
      triggerType: "time_on_page",
      conditions: { timeOnPage: 20 },
      actionType: "show_form",
      actionConfig: { toolId: tool.id },
    });
    expect(trigger.status, JSON.stringify(trigger.body)).toBe(201);
    expect(await status("POST", `/tools/${tool.id}/trash`)).toBe(200);
    expect(await status("GET", `/tools/${tool.id}`)).toBe(404);
    expect((await call("GET", `/tools?agentId=${agentId}`)).body).toEqual([]);
    const twin = await createTool(account, { agentId, name: "test_ride", executionType: "mock" });
    expect((await call("POST", `/tools/${tool.id}/restore`)).body.error.code).toBe("DUPLICATE_TOOL_NAME");
    await call("DELETE", `/tools/${twin.id}`);
    expect(await status("POST", `/tools/${tool.id}/restore`)).toBe(200);
    const { toolId } = await server.deps.db
      .selectFrom("triggers")
      .select("toolId")
      .where("id", "=", trigger.body.id)
      .executeTakeFirstOrThrow();
    expect(toolId).toBe(tool.id);
    await call("DELETE", `/triggers/${trigger.body.id}`);
    await call("DELETE", `/tools/${tool.id}`);
  });

  it("restores a trigger with its counters", async () => {
    const bubble = { message: "Questions?" };
    const { body } = await call("POST", `/triggers?agentId=${agentId}`, {
      name: "Bubble",
      triggerType: "time_on_page",
      conditions: { timeOnPage: 20 },
      actionType: "show_bubble",
      actionConfig: bubble,
    });
    const day = { triggerId: body.id, day: "2026-11-01", fired: 7, converted: 2 };
    await server.deps.db.insertInto("triggerDays").values(day).execute();
    expect(await status("POST", `/triggers/${body.id}/trash`)).toBe(200);
    expect(await status("GET", `/triggers/${body.id}`)).toBe(404);
    expect(await status("POST", `/triggers/${body.id}/restore`)).toBe(200);
    const days = await server.deps.db.selectFrom("triggerDays").selectAll().where("triggerId", "=", body.id).execute();
    expect(days.map((row) => ({ ...row, fired: Number(row.fired), converted: Number(row.converted) }))).toEqual([day]);
    await call("DELETE", `/triggers/${body.id}`);
  });

  it("restores an agent with its tools, triggers and conversations, under a free slug", async () => {
    const id = await createAgent(account, { name: "Winter sale" });
    const tool = await createTool(account, { agentId: id, name: "stock", executionType: "mock" });
    const conversation = await seed({}, id);
    const [inTrash] = [await seed({}, id)];
    await call("POST", `/conversations/${inTrash}/trash`);
    expect(await status("POST", `/agents/${id}/trash`)).toBe(200);
    for (const url of [
      `/agents/${id}`,
      `/tools/${tool.id}`,
      `/conversations/${conversation}`,
      `/agents/${id}/widget`,
    ]) {
      expect(await status("GET", url), url).toBe(404);
    }
    expect((await call("POST", `/conversations/${inTrash}/restore`)).body.error.code).toBe("CONFLICT");
    expect(await entries("?kind=conversation")).toContainEqual(
      expect.objectContaining({ id: inTrash, isAgentInTrash: true }),
    );
    const twin = await createAgent(account, { name: "Winter sale" });
    expect(await status("POST", `/agents/${id}/restore`)).toBe(200);
    const slugs = [id, twin].map(async (one) => (await call("GET", `/agents/${one}`)).body.data.slug);
    expect(await Promise.all(slugs)).toEqual(["winter-sale-2", "winter-sale"]);
    expect((await call("GET", `/tools?agentId=${id}`)).body).toEqual([expect.objectContaining({ id: tool.id })]);
    expect(await status("GET", `/conversations/${conversation}`)).toBe(200);
    expect(await status("POST", `/conversations/${inTrash}/restore`)).toBe(200);
  });

  it("deletes an agent in the trash permanently with everything that belonged to it", async () => {
    const id = await createAgent(account);
    const conversation = await seed({}, id);
    await call("POST", `/conversations/${conversation}/trash`);
    await call("POST", `/agents/${id}/trash`);
    expect(await status("DELETE", `/trash/${id}`)).toBe(200);
    expect(await status("POST", `/agents/${id}/restore`)).toBe(404);
    expect((await entries()).filter((entry) => entry.agentId === id)).toEqual([]);
    expect(
      await server.deps.db.selectFrom("agents").select("id").where("id", "=", id).executeTakeFirst(),
    ).toBeUndefined();
  });

  it("does not restore an agent beyond the limit of the plan", async () => {
    const small = await server.createAccount("free");
    const first = await createAgent(small);
    await small.call("POST", `/agents/${first}/trash`);
    for (let count = 0; count < 10; count++) await createAgent(small);
    const refused = await small.call("POST", `/agents/${first}/restore`);
    expect([refused.status, refused.body.error?.code]).toEqual([403, "AGENT_LIMIT_REACHED"]);
  });

  it("deletes entries that have been in the trash for the configured time, and no others", async () => {
    const [old, recent] = [await seed(), await seed()];
    for (const id of [old, recent]) await call("POST", `/conversations/${id}/trash`);
    await server.deps.db
      .updateTable("trash")
      .set({ trashedAt: Date.now() - 30 * DAY_MS })
      .where("id", "=", old)
      .execute();
    const deleted: string[] = [];
    const note = async ({ id }: { id: string }) => deleted.push(id);
    const purge = createTrashPurge(server.deps, { agent: note, conversation: note, document: note });
    await purge.deleteExpired();
    expect(deleted).toEqual([old]);
    expect((await entries()).map(({ id }) => id)).toContain(recent);
  });

  it("empties the trash", async () => {
    await call("POST", `/conversations/${await seed()}/trash`);
    const emptied = await call("DELETE", "/trash");
    expect(emptied.body.data.deleted).toBeGreaterThan(0);
    expect(await entries()).toEqual([]);
  });
});

it("deletes permanently at once when FOYER_TRASH_DAYS is 0", async () => {
  const server = await startServer({ env: { FOYER_TRASH_DAYS: "0" } });
  const account = await server.createAccount();
  const agentId = await createAgent(account);
  const trashed = await account.call("POST", `/agents/${agentId}/trash`);
  expect(trashed.body).toEqual({ data: { deletesAt: null }, error: null });
  expect((await account.call("GET", "/trash")).body.data.items).toEqual([]);
  expect((await account.call("POST", `/agents/${agentId}/restore`)).status).toBe(404);
  await server.stop();
});
