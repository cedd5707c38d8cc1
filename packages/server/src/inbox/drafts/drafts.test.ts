import { maxMessageDrafts } from "@foyer/contract";
import { afterAll, beforeAll, expect, it } from "vitest";
import { insertConversation } from "../../../../../test/conversation-seed.ts";
import { onBothDatabases, type TestDatabase } from "../../../../../test/databases.ts";
import { createAgent } from "../../../../../test/factories.ts";
import { startServer, type TestServer } from "../../../../../test/server.ts";
import { createMember, createOwner, signedInBrowser } from "../../../../../test/session-client.ts";
import { tinyPictures } from "../../../../../test/tiny-pictures.ts";

type Browser = Awaited<ReturnType<typeof signedInBrowser>>;

onBothDatabases("drafts of members", (createDatabase) => {
  let database: TestDatabase;
  let server: TestServer;
  let organizationId: string;
  let agentId: string;
  let owner: Browser;
  let ada: Browser & { userId: string; email: string };
  let grace: Browser;
  beforeAll(async () => {
    database = await createDatabase();
    server = await startServer({ database });
    const founder = await createOwner(server);
    ({ organizationId } = founder);
    owner = await signedInBrowser(server, founder.email);
    ada = await addMember();
    grace = await addMember();
    agentId = await createAgent(owner, { handoff: { isEnabled: true } });
  });
  afterAll(async () => {
    await server.stop();
    await database.drop();
  });

  async function addMember() {
    const { email, userId } = await createMember(server, organizationId, "member");
    return { ...(await signedInBrowser(server, email)), email, userId };
  }

  const start = (visitor = {}) =>
    insertConversation(server.deps.db, { organizationId, agentId }, visitor, [{ content: "Where is my bike?" }]);
  const draftsOf = async (browser: Browser, id: string) =>
    (await browser.call("GET", `/conversations/${id}/drafts`)).body.data;
  const save = (browser: Browser, id: string, body: object, mode = "reply") =>
    browser.call("PUT", `/conversations/${id}/drafts/${mode}`, body);
  const rowsOf = (id: string) =>
    server.deps.db.selectFrom("messageDrafts").select("text").where("conversationId", "=", id).execute();
  const upload = async (browser: Browser, id: string, name: string) => {
    const response = await server.app.inject({
      method: "POST",
      url: `/chat/attachments?agentId=${agentId}&conversationId=${id}`,
      headers: {
        cookie: [...browser.cookies].map(([key, value]) => `${key}=${value}`).join("; "),
        "sec-fetch-site": "same-origin",
        "content-type": "application/octet-stream",
        "x-filename": name,
      },
      payload: tinyPictures["image/png"],
    });
    return response.json().data.id as string;
  };

  it("keep the text, the attachments in their order and the actions of a reply", async () => {
    const id = await start();
    const [first, second] = [await upload(ada, id, "a.png"), await upload(ada, id, "b.png")];
    const body = { text: "Your bike", attachments: [second, first], actions: { resolve: true } };
    const saved = (await save(ada, id, body)).body.data;
    expect(saved).toMatchObject({ mode: "reply", text: "Your bike", actions: { resolve: true } });
    expect(saved.attachments.map(({ name }: { name: string }) => name)).toEqual(["b.png", "a.png"]);
    // Another device of the member has a session of its own.
    expect(await draftsOf(await signedInBrowser(server, ada.email), id)).toEqual([saved]);
  });

  it("are those of the request that arrived last, with a reply and a note apart", async () => {
    const id = await start();
    await save(ada, id, { text: "First" });
    await save(ada, id, { text: "A note" }, "note");
    await save(ada, id, { text: "Second" });
    const drafts = await draftsOf(ada, id);
    expect(drafts.map(({ mode, text }: { mode: string; text: string }) => [mode, text])).toEqual([
      ["reply", "Second"],
      ["note", "A note"],
    ]);
  });

  it("are deleted when they become empty", async () => {
    const id = await start();
    await save(ada, id, { text: "Hello" });
    const { status, body } = await save(ada, id, { text: "" });
    expect([status, body]).toEqual([200, { data: null, error: null }]);
    expect(await rowsOf(id)).toEqual([]);
  });

  it("are read by no colleague, owner or API key", async () => {
    const id = await start();
    await save(ada, id, { text: "Between us" });
    expect(await draftsOf(grace, id)).toEqual([]);
    expect(await draftsOf(owner, id)).toEqual([]);
    const { headers } = await server.createAccount();
    const byKey = await server.app.inject({ method: "GET", url: `/conversations/${id}/drafts`, headers });
    expect(byKey.statusCode).toBe(403);
    const stranger = await signedInBrowser(server, (await createOwner(server)).email);
    expect((await stranger.call("GET", `/conversations/${id}/drafts`)).status).toBe(404);
    expect((await save(stranger, id, { text: "Mine" })).status).toBe(404);
  });

  it("do not take the uploads of a colleague", async () => {
    const id = await start();
    const { body } = await save(grace, id, { text: "Look", attachments: [await upload(ada, id, "a.png")] });
    expect(body.data.attachments).toEqual([]);
  });

  it("end with the message or the note that was sent, and leave alone those of colleagues and of the other kind", async () => {
    const id = await start();
    await save(ada, id, { text: "Reply of Ada" });
    await save(ada, id, { text: "Note of Ada" }, "note");
    await save(grace, id, { text: "Reply of Grace" });
    expect((await ada.call("POST", `/conversations/${id}/messages`, { content: "Reply of Ada" })).status).toBe(201);
    expect((await rowsOf(id)).map(({ text }) => text).sort()).toEqual(["Note of Ada", "Reply of Grace"]);
    expect((await ada.call("POST", `/conversations/${id}/notes`, { text: "Note of Ada" })).status).toBe(201);
    expect(await rowsOf(id)).toEqual([{ text: "Reply of Grace" }]);
  });

  it("stay when the message was refused", async () => {
    const id = await start();
    await save(ada, id, { text: "Mine" });
    await grace.call("POST", `/conversations/${id}/takeover`);
    expect((await ada.call("POST", `/conversations/${id}/messages`, { content: "Mine" })).status).toBe(409);
    expect(await rowsOf(id)).toEqual([{ text: "Mine" }]);
  });

  it.each([
    ["reply", { text: "a".repeat(8_001) }, "text"],
    ["note", { text: "a".repeat(4_001) }, "text"],
    ["note", { text: "a", actions: { resolve: true } }, "actions"],
    ["reply", { text: "a", attachments: Array.from({ length: 11 }, (_, at) => `att_${at}`) }, "attachments"],
  ])("refuse a %s that is too large or has what it cannot have (%#)", async (mode, body, path) => {
    const { status, body: answer } = await save(ada, await start(), body, mode);
    expect([status, answer.error.details[0].path]).toEqual([400, path]);
  });

  it(`keep the newest ${maxMessageDrafts} of a member`, async () => {
    const writer = await addMember();
    const ids: string[] = [];
    for (let count = 0; count < maxMessageDrafts; count++) ids.push(await start());
    await server.deps.db
      .insertInto("messageDrafts")
      .values(
        ids.map((conversationId, at) => ({
          organizationId,
          conversationId,
          userId: writer.userId,
          mode: "reply" as const,
          text: String(at),
          attachmentIds: "[]",
          actions: null,
          updatedAt: at + 1,
        })),
      )
      .execute();
    const id = await start();
    await save(writer, id, { text: "newest" });
    const left = await server.deps.db
      .selectFrom("messageDrafts")
      .select("text")
      .where("userId", "=", writer.userId)
      .orderBy("updatedAt")
      .execute();
    expect([left.length, left[0]?.text, left.at(-1)?.text]).toEqual([maxMessageDrafts, "1", "newest"]);
  });

  it("are erased with the visitor, and are in no export of the visitor", async () => {
    const id = await start({ userEmail: "lin@shop.example" });
    await save(ada, id, { text: "planted-draft-text" });
    const email = "lin@shop.example";
    const headers = {
      cookie: [...owner.cookies].map(([key, value]) => `${key}=${value}`).join("; "),
      "sec-fetch-site": "same-origin",
    };
    const exported = await server.app.inject({ method: "GET", url: `/visitors/export?email=${email}`, headers });
    expect(exported.statusCode).toBe(200);
    expect(exported.payload).not.toContain("planted-draft-text");
    expect((await owner.call("POST", "/visitors/erase", { email })).status).toBe(200);
    expect(await rowsOf(id)).toEqual([]);
  });

  it("are deleted with the conversation", async () => {
    const id = await start();
    await save(ada, id, { text: "Hello" });
    await owner.call("DELETE", `/conversations/${id}`);
    expect(await rowsOf(id)).toEqual([]);
  });

  it("cannot be read or written while the conversation is in the trash, and come back with it", async () => {
    const id = await start();
    await save(ada, id, { text: "Hello" });
    await owner.call("POST", `/conversations/${id}/trash`);
    expect((await ada.call("GET", `/conversations/${id}/drafts`)).status).toBe(404);
    expect((await save(ada, id, { text: "Changed" })).status).toBe(404);
    await owner.call("POST", `/conversations/${id}/restore`);
    expect(await draftsOf(ada, id)).toMatchObject([{ text: "Hello" }]);
  });

  it("are deleted when the member leaves the organization", async () => {
    const id = await start();
    const leaving = await addMember();
    await save(leaving, id, { text: "Goodbye" });
    expect((await owner.call("DELETE", `/members/${leaving.userId}`)).status).toBe(200);
    expect(await rowsOf(id)).toEqual([]);
  });
});
