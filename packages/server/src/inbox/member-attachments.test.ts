import { afterAll, beforeAll, expect, it } from "vitest";
import { openChat } from "../../../../test/chat-client.ts";
import { onBothDatabases, type TestDatabase } from "../../../../test/databases.ts";
import { createAgent } from "../../../../test/factories.ts";
import { startServer, type TestServer } from "../../../../test/server.ts";
import { createMember, createOwner, signedInBrowser } from "../../../../test/session-client.ts";
import { tinyPictures } from "../../../../test/tiny-pictures.ts";
import { sayWords, startUpstream, type Upstream } from "../../../../test/upstream.ts";
import { createFileStore } from "../documents/file-store.ts";

const png = tinyPictures["image/png"];
type Browser = Awaited<ReturnType<typeof signedInBrowser>>;

/** The headers with which the browser sends its session. */
const headersOf = ({ cookies }: Browser) => ({
  cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; "),
  "sec-fetch-site": "same-origin",
});

onBothDatabases("attachments of members", (createDatabase) => {
  let database: TestDatabase;
  let upstream: Upstream;
  let server: TestServer;
  let organizationId: string;
  let member: Browser;
  let colleague: Browser;
  let stranger: Browser;
  let agentId: string;

  beforeAll(async () => {
    database = await createDatabase();
    upstream = await startUpstream(sayWords("Hello."));
    server = await startServer({
      database,
      listen: true,
      env: { OPENAI_COMPATIBLE_BASE_URL: `${upstream.url}/v1`, FOYER_DEFAULT_MODEL: "openai-compatible/test" },
    });
    ({ organizationId } = await createOwner(server));
    const signIn = async () => signedInBrowser(server, (await createMember(server, organizationId, "admin")).email);
    [member, colleague] = [await signIn(), await signIn()];
    stranger = await signedInBrowser(server, (await createOwner(server)).email);
    agentId = await createAgent(member, { handoff: { isEnabled: true } });
  });
  afterAll(async () => {
    await server.stop();
    await upstream.stop();
    await database.drop();
  });

  const upload = async (browser: Browser, query: string, payload: Buffer = png, name = "plan.png") => {
    const response = await server.app.inject({
      method: "POST",
      url: `/chat/attachments?${query}`,
      headers: { ...headersOf(browser), "content-type": "application/octet-stream", "x-filename": name },
      payload,
    });
    return { status: response.statusCode, ...response.json() };
  };
  /** An upload as the message shows it that has it. */
  const withoutTime = ({ keptSeconds: _, ...file }: { keptSeconds: number }) => file;
  const start = async (more: object = {}) => {
    const stream = await openChat(server.url, {
      agentId,
      sessionId: "s1",
      messages: [{ role: "user", content: "Where is it?" }],
      ...more,
    });
    await stream.ended;
    const [first] = stream.events;
    if (first?.type !== "message_start") throw new Error(`no start: ${JSON.stringify(first)}`);
    return { id: first.conversationId, token: { authorization: `Bearer ${first.conversationToken}` } };
  };
  const get = (url: string, headers: Record<string, string> = {}) => server.app.inject({ method: "GET", url, headers });

  it("reach the visitor with the message, whatever visitors of the agent can attach", async () => {
    const { id, token } = await start();
    const { status, data: file } = await upload(member, `agentId=${agentId}&conversationId=${id}`);
    expect(status).toBe(201);
    const body = { content: "", attachments: [file.id] };
    const sent = await member.call("POST", `/conversations/${id}/messages`, body);
    expect(sent.status).toBe(201);
    const url = `/conversations/${id}/attachments/${file.id}`;
    expect(sent.body.data.attachments).toEqual([{ ...withoutTime(file), url }]);
    const { messages } = (await get(`/conversations/${id}`, token)).json().data;
    expect(messages.at(-1).attachments).toEqual([{ ...withoutTime(file), url }]);
    expect((await get(url, token)).rawPayload.equals(png)).toBe(true);
    expect((await member.call("POST", `/conversations/${id}/messages`, body)).status).toBe(404);
    const { lastMessage } = (await member.call("GET", `/conversations?agentId=${agentId}&limit=1`)).body.data[0];
    expect(lastMessage.text).toBe("plan.png");
  });

  it("and those of visitors are counted by analytics, but not those of notes and test chats", async () => {
    const counted = await createAgent(member, { handoff: { isEnabled: true }, attachments: { images: true } });
    const uploadAsVisitor = async () => {
      const response = await server.app.inject({
        method: "POST",
        url: `/chat/attachments?agentId=${counted}&sessionId=s1`,
        headers: { "content-type": "application/octet-stream" },
        payload: png,
      });
      return response.json().data.id;
    };
    const { id, token } = await start({
      agentId: counted,
      attachments: [await uploadAsVisitor(), await uploadAsVisitor()],
    });
    const more = { agentId: counted, conversationId: id, attachments: [await uploadAsVisitor()] };
    const followUp = await openChat(
      server.url,
      { ...more, sessionId: "s1", messages: [{ role: "user", content: "" }] },
      token,
    );
    await followUp.ended;
    const uploadAsMember = async () => (await upload(member, `conversationId=${id}`)).data.id;
    const answer = { content: "", attachments: [await uploadAsMember(), await uploadAsMember()] };
    expect((await member.call("POST", `/conversations/${id}/messages`, answer)).status).toBe(201);
    const note = { text: "Look", attachments: [await uploadAsMember()] };
    expect((await member.call("POST", `/conversations/${id}/notes`, note)).status).toBe(201);
    const test = await openChat(
      server.url,
      {
        agentId: counted,
        sessionId: "s1",
        messages: [{ role: "user", content: "" }],
        attachments: [await uploadAsVisitor()],
      },
      headersOf(member),
    );
    await test.ended;
    const { totals, agents, days } = (await member.call("GET", `/conversations/analytics?agentId=${counted}`)).body
      .data;
    const counts = { conversations: 1, visitorAttachments: 3, memberAttachments: 2 };
    expect(totals).toMatchObject(counts);
    expect(agents).toMatchObject([counts]);
    const perDay: Array<{ visitorAttachments: number }> = days;
    expect(perDay.reduce((sum, { visitorAttachments }) => sum + visitorAttachments, 0)).toBe(3);
  });

  it("can be uploaded without the agent's id, and belong to who has uploaded them", async () => {
    const [here, elsewhere] = [await start(), await start()];
    const { data: file } = await upload(member, `conversationId=${here.id}`);
    const attach = (browser: Browser, id: string) =>
      browser.call("POST", `/conversations/${id}/messages`, { content: "Look", attachments: [file.id] });
    expect((await attach(colleague, here.id)).status).toBe(404);
    expect((await attach(member, elsewhere.id)).status).toBe(404);
    expect((await upload(stranger, `conversationId=${here.id}`)).status).toBe(404);
    const visitor = await server.app.inject({
      method: "POST",
      url: "/chat",
      headers: here.token,
      payload: {
        agentId,
        conversationId: here.id,
        messages: [{ role: "user", content: "x" }],
        attachments: [file.id],
      },
    });
    expect(visitor.statusCode).toBe(404);
    expect((await attach(member, here.id)).status).toBe(201);
  });

  it("are limited to four with a message, which needs them or a text", async () => {
    const { id } = await start();
    const files = [];
    for (let n = 0; n < 5; n++) files.push((await upload(member, `conversationId=${id}`)).data.id);
    const five = await member.call("POST", `/conversations/${id}/messages`, { content: "x", attachments: files });
    expect([five.status, five.body.error.details[0].path]).toEqual([400, "attachments"]);
    const none = await member.call("POST", `/conversations/${id}/messages`, { content: " " });
    expect([none.status, none.body.error.details[0].path]).toEqual([400, "content"]);
  });

  it("stay with a note, which no visitor reads, and are deleted with it", async () => {
    const { id, token } = await start();
    const { data: file } = await upload(member, `conversationId=${id}`);
    const note = await member.call("POST", `/conversations/${id}/notes`, { text: "", attachments: [file.id] });
    const url = `/conversations/${id}/attachments/${file.id}`;
    expect([note.status, note.body.data.attachments]).toEqual([201, [{ ...withoutTime(file), url }]]);
    expect((await member.call("GET", `/conversations/${id}/notes`)).body.data[0].attachments).toHaveLength(1);
    expect((await get(url, token)).statusCode).toBe(404);
    expect((await get(url, headersOf(member))).statusCode).toBe(200);
    const { fileId } = await server.deps.db
      .selectFrom("attachments")
      .select("fileId")
      .where("id", "=", file.id)
      .executeTakeFirstOrThrow();
    expect((await member.call("DELETE", `/conversations/${id}/notes/${note.body.data.id}`)).status).toBe(200);
    expect(await Array.fromAsync(createFileStore(server.deps.db).read(fileId))).toEqual([]);
    expect((await get(url, headersOf(member))).statusCode).toBe(404);
  });

  it("are read by the model that drafts the message", async () => {
    const { id } = await start();
    const { data: file } = await upload(member, `conversationId=${id}`);
    const draft = await member.call("POST", `/conversations/${id}/draft`, { attachments: [file.id] });
    expect(draft.status).toBe(200);
    const prompt = upstream.exchanges.at(-1)?.body ?? "";
    expect(prompt).toContain("The member attaches the following pictures");
    expect(prompt).toContain(png.toString("base64"));
  });

  it("are named to the model in the conversation's further replies", async () => {
    const { id, token } = await start();
    const { data: file } = await upload(member, `conversationId=${id}`);
    await member.call("POST", `/conversations/${id}/messages`, { content: "See the plan", attachments: [file.id] });
    await member.call("POST", `/conversations/${id}/close`);
    const stream = await openChat(
      server.url,
      { agentId, conversationId: id, messages: [{ role: "user", content: "Thanks" }] },
      token,
    );
    await stream.ended;
    const prompt = upstream.exchanges.at(-1)?.body ?? "";
    expect(prompt).toContain("See the plan\\n[picture: plan.png]");
    expect(prompt).not.toContain("image_url");
  });

  it("of visitors are in the event, with a link that needs no token for an hour, and in the CSV file", async () => {
    await member.call("PUT", "/events/feed", { isEnabled: true });
    const open = await createAgent(member, { attachments: { images: true } });
    const picture = await server.app.inject({
      method: "POST",
      url: `/chat/attachments?agentId=${open}&sessionId=s1`,
      headers: { "content-type": "image/png", "x-filename": "bike.png" },
      payload: png,
    });
    const { id: attachment } = picture.json().data;
    await start({ agentId: open, attachments: [attachment] });
    const { events } = (await member.call("GET", "/events")).body;
    const event = events.findLast(({ type }: { type: string }) => type === "message.created");
    const before = Date.now();
    expect(event.data.attachments).toEqual([
      {
        id: attachment,
        name: "bike.png",
        type: "image/png",
        size: png.length,
        url: expect.any(String),
        expiresAt: expect.any(String),
      },
    ]);
    const [{ url, expiresAt }] = event.data.attachments;
    expect(Math.abs(Date.parse(expiresAt) - before - 3_600_000)).toBeLessThan(60_000);
    const { pathname, search } = new URL(url);
    const read = await get(pathname + search);
    expect([read.statusCode, read.rawPayload.equals(png)]).toEqual([200, true]);
    expect(read.headers).toMatchObject({
      "content-disposition": expect.stringContaining("attachment"),
      "x-content-type-options": "nosniff",
    });
    const later = search.replace(/expires=\d+/, `expires=${Math.ceil(before / 1_000) + 7_200}`);
    expect((await get(pathname + later)).statusCode).toBe(401);
    await member.call("POST", `/conversations/${event.conversationId}/trash`);
    expect((await get(pathname + search)).statusCode).toBe(404);
    await member.call("POST", `/conversations/${event.conversationId}/restore`);
    const csv = (await get(`/conversations?agentId=${open}&format=csv`, headersOf(member))).body.split("\r\n");
    const [names = [], cells = []] = csv.map((line) => line.split(","));
    expect(cells[names.indexOf('"attachments"')]).toBe('"bike.png"');
  });
});
