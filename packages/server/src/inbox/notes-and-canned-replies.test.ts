import { maxCannedReplies, maxNotes } from "@foyer/contract";
import { afterAll, beforeAll, expect, it } from "vitest";
import { onBothDatabases, type TestDatabase } from "../../../../test/databases.ts";
import { createAgent } from "../../../../test/factories.ts";
import { startServer, type TestServer } from "../../../../test/server.ts";
import { createMember, signedInBrowser } from "../../../../test/session-client.ts";
import { createConversationToken } from "../auth/conversation-token.ts";
import { newId } from "../ids.ts";

type Account = Awaited<ReturnType<TestServer["createAccount"]>>;

onBothDatabases("the inbox", (createDatabase) => {
  let database: TestDatabase;
  let server: TestServer;
  let account: Account;
  let stranger: Account;
  beforeAll(async () => {
    database = await createDatabase();
    server = await startServer({ database });
    [account, stranger] = [await server.createAccount(), await server.createAccount()];
  });
  afterAll(async () => {
    await server.stop();
    await database.drop();
  });

  /** @returns the id of a new conversation of the owner's organization */
  async function createConversation(): Promise<string> {
    const agentId = await createAgent(account);
    const id = newId("conv");
    await server.deps.db
      .insertInto("conversations")
      .values({
        id,
        organizationId: account.organizationId,
        agentId,
        title: "Rental",
        messageCount: 0,
        sessionId: null,
        userId: null,
        userEmail: null,
        userName: null,
        userMetadata: null,
        isUserVerified: 0,
        context: null,
        lastMessageRole: null,
        lastMessagePreview: null,
        lastMessageAt: null,
        createdAt: 1,
        updatedAt: 1,
      } as never)
      .execute();
    return id;
  }

  it("keeps internal notes with the name of the member or API key that wrote them, oldest first", async () => {
    const id = await createConversation();
    const member = await createMember(server, account.organizationId, "member");
    await server.deps.db.updateTable("users").set({ name: "Ada Lovelace" }).where("id", "=", member.userId).execute();
    const browser = await signedInBrowser(server, member.email);
    const written = await browser.call("POST", `/conversations/${id}/notes`, { text: "  Refund approved. " });
    const ofKey = await account.call("POST", `/conversations/${id}/notes`, { text: "Imported." });
    const author = { userId: member.userId, name: "Ada Lovelace", initials: "AL" };
    expect([written.status, written.body.data]).toEqual([
      201,
      {
        id: expect.stringMatching(/^note_/),
        conversationId: id,
        author,
        text: "Refund approved.",
        mentions: [],
        attachments: [],
        createdAt: expect.any(String),
      },
    ]);
    expect(ofKey.body.data.author).not.toHaveProperty("userId");
    const listed = await account.call("GET", `/conversations/${id}/notes`);
    expect(listed.body.data).toEqual([written.body.data, ofKey.body.data]);
    // The note remains after its author was deleted.
    await server.deps.db.deleteFrom("users").where("id", "=", member.userId).execute();
    expect((await account.call("GET", `/conversations/${id}/notes`)).body.data[0].author).toEqual(author);

    expect((await account.call("DELETE", `/conversations/${id}/notes/${written.body.data.id}`)).status).toBe(200);
    expect((await account.call("DELETE", `/conversations/${id}/notes/${written.body.data.id}`)).status).toBe(404);
    expect((await account.call("GET", `/conversations/${id}/notes`)).body.data).toEqual([ofKey.body.data]);
  });

  it("shows and deletes internal notes only for their organization and under their conversation, never for the visitor", async () => {
    const [id, other] = [await createConversation(), await createConversation()];
    const note = (await account.call("POST", `/conversations/${id}/notes`, { text: "Careful." })).body.data;
    expect((await stranger.call("GET", `/conversations/${id}/notes`)).status).toBe(404);
    expect((await stranger.call("POST", `/conversations/${id}/notes`, { text: "Hello" })).status).toBe(404);
    expect((await stranger.call("DELETE", `/conversations/${id}/notes/${note.id}`)).status).toBe(404);
    expect((await account.call("DELETE", `/conversations/${other}/notes/${note.id}`)).status).toBe(404);
    const authorization = `Bearer ${createConversationToken(server.deps.encryption, id)}`;
    const asVisitor = await server.app.inject({ url: `/conversations/${id}/notes`, headers: { authorization } });
    expect(asVisitor.statusCode).toBe(401);
    const seen = await server.app.inject({ url: `/conversations/${id}`, headers: { authorization } });
    expect([seen.statusCode, seen.body.includes("Careful")]).toEqual([200, false]);
    expect((await account.call("GET", `/conversations/${id}/notes`)).body.data).toEqual([note]);
  });

  it("deletes internal notes with their conversation, and refuses a note when there are too many", async () => {
    const id = await createConversation();
    const row = { organizationId: account.organizationId, conversationId: id, authorId: null, authorName: "Desk" };
    const rows = Array.from({ length: maxNotes - 1 }, (_, index) => ({
      ...row,
      id: newId("note"),
      text: `${index}`,
      createdAt: index,
    }));
    await server.deps.db.insertInto("conversationNotes").values(rows).execute();
    const add = () => account.call("POST", `/conversations/${id}/notes`, { text: "One more" });
    const answers = await Promise.all([add(), add(), add()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect((await account.call("DELETE", `/conversations/${id}`)).status).toBe(200);
    const left = server.deps.db.selectFrom("conversationNotes").select("id").where("conversationId", "=", id);
    expect(await left.execute()).toEqual([]);
    expect((await add()).status).toBe(404);
  });

  it("repeats the response to an Idempotency-Key of a note and of a canned reply, and creates one of each", async () => {
    const id = await createConversation();
    const post = (url: string, payload: object) =>
      server.app.inject({
        method: "POST",
        url,
        headers: { ...account.headers, "idempotency-key": `once-${id}` },
        payload,
      });
    const notes = `/conversations/${id}/notes`;
    const first = await post(notes, { text: "Once" });
    expect((await post(notes, { text: "Once" })).body).toBe(first.body);
    expect((await account.call("GET", notes)).body.data).toHaveLength(1);
    const canned = { name: "Once", text: "Once" };
    const firstReply = await post("/canned-replies", canned);
    expect((await post("/canned-replies", canned)).body).toBe(firstReply.body);
    await account.call("DELETE", `/canned-replies/${firstReply.json().id}`);
  });

  it("lists canned replies by name for every member of the organization, and changes and deletes them", async () => {
    const create = async (name: string) =>
      (await account.call("POST", "/canned-replies", { name, text: "Hello {{visitor.name}}" })).body;
    const [refund, address] = [await create("refund"), await create(" Address ")];
    expect(refund).toEqual({
      id: expect.stringMatching(/^reply_/),
      name: "refund",
      text: "Hello {{visitor.name}}",
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    const member = await createMember(server, account.organizationId, "member");
    const browser = await signedInBrowser(server, member.email);
    const names = async () =>
      (await browser.call("GET", "/canned-replies")).body.map(({ name }: { name: string }) => name);
    expect(await names()).toEqual(["Address", "refund"]);
    const changed = await browser.call("PATCH", `/canned-replies/${refund.id}`, { name: "A refund" });
    expect(changed.body).toMatchObject({ id: refund.id, name: "A refund", text: "Hello {{visitor.name}}" });
    expect(await names()).toEqual(["A refund", "Address"]);
    expect((await stranger.call("GET", "/canned-replies")).body).toEqual([]);
    expect((await stranger.call("PATCH", `/canned-replies/${refund.id}`, { name: "Mine" })).status).toBe(404);
    expect((await stranger.call("DELETE", `/canned-replies/${refund.id}`)).status).toBe(404);
    expect((await browser.call("DELETE", `/canned-replies/${refund.id}`)).status).toBe(200);
    await browser.call("DELETE", `/canned-replies/${address.id}`);
    expect(await names()).toEqual([]);
  });

  it("lists as many canned replies as an organization may have, and refuses one more", async () => {
    const { organizationId } = stranger;
    const rows = Array.from({ length: maxCannedReplies - 1 }, (_, index) => ({
      id: newId("reply"),
      organizationId,
      name: `Reply ${String(index).padStart(3, "0")}`,
      text: "Hello",
      createdAt: 1,
      updatedAt: 1,
    }));
    for (const some of [rows.slice(0, 250), rows.slice(250)]) {
      await server.deps.db.insertInto("cannedReplies").values(some).execute();
    }
    const add = () => stranger.call("POST", "/canned-replies", { name: "Reply 999", text: "Hello" });
    const answers = await Promise.all([add(), add()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    const { body } = await stranger.call("GET", "/canned-replies");
    expect(body.map(({ name }: { name: string }) => name)).toEqual([...rows.map(({ name }) => name), "Reply 999"]);
  });
});
