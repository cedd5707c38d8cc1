import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { insertConversation, insertManyConversations } from "../../../../test/conversation-seed.ts";
import { onBothDatabases, type TestDatabase } from "../../../../test/databases.ts";
import { createAgent } from "../../../../test/factories.ts";
import { startServer, type TestServer } from "../../../../test/server.ts";
import { createTitle } from "../chat/turn/new-messages.ts";
import { deleteOlderThan } from "./log/erase.ts";
import { createConversationLog } from "./log/log.ts";

type Account = Awaited<ReturnType<TestServer["createAccount"]>>;

onBothDatabases("conversations", (createDatabase) => {
  let database: TestDatabase;
  let server: TestServer;
  let owner: Account;
  beforeAll(async () => {
    database = await createDatabase();
    server = await startServer({ database });
    owner = await server.createAccount();
  });
  afterAll(async () => {
    await server.stop();
    await database.drop();
  });

  const call = (method: Parameters<Account["call"]>[0], url: string, body?: object, account = owner) =>
    account.call(method, url, body);
  const say = async (agentId: string, content: string, more: object = {}) => {
    const payload = { agentId, messages: [{ role: "user", content }], ...more };
    const response = await server.app.inject({ method: "POST", url: "/chat", payload });
    return /"conversationId":"([^"]+)"/.exec(response.body)?.[1] ?? "";
  };
  const titles = (body: { data: Array<{ title: string }> }) => body.data.map(({ title }) => title);

  it("are listed newest first in pages with the exact total", async () => {
    const agentId = await createAgent(owner);
    for (let n = 1; n <= 5; n++) await say(agentId, `Question ${n}`);
    const page = await call("GET", `/conversations?agentId=${agentId}&limit=2&offset=1`);
    expect(page.status).toBe(200);
    expect(titles(page.body)).toEqual(["Question 4", "Question 3"]);
    expect(page.body.pagination).toEqual({ total: 5, limit: 2, offset: 1 });
    expect(page.body.error).toBeNull();
    expect(page.body.data[0]).toMatchObject({ agentId, messageCount: 2, userId: null });
    const all = await call("GET", `/conversations?agentId=${agentId}`);
    expect(all.body.pagination).toEqual({ total: 5, limit: 20, offset: 0 });
    expect((await call("GET", `/conversations?agentId=${agentId}&limit=1000`)).body.pagination.limit).toBe(100);
  });

  it("are exported as CSV for all matches of the filter, with formulas escaped", async () => {
    const agentId = await createAgent(owner);
    const { organizationId } = owner;
    await insertManyConversations(server.deps.db, { organizationId, agentId }, 500);
    await say(agentId, "=1+1", { userId: "u-1" });
    const lines = async (query: string) => {
      const url = `/conversations?agentId=${agentId}&format=csv${query}`;
      const response = await server.app.inject({ url, headers: owner.headers });
      expect([response.statusCode, response.headers["content-type"]]).toEqual([200, "text/csv; charset=utf-8"]);
      expect(response.headers["content-disposition"]).toBe('attachment; filename="conversations.csv"');
      return response.body.trimEnd().split("\r\n");
    };
    const all = await lines("&limit=1");
    expect(all).toHaveLength(1 + 501);
    expect(all[0]).toBe(
      '\ufeff"id","title","userName","userEmail","userId","messageCount","hasForm","feedback","createdAt","updatedAt","tags","attachments","score","comment"',
    );
    expect(all[501]).toContain('"Question 500 about a bicycle"');
    const [, ...matches] = await lines("&userId=u-1");
    expect(matches).toEqual([expect.stringContaining(`","'=1+1",,,"u-1","2","false",,`)]);
    const stranger = await server.createAccount();
    expect((await call("GET", `/conversations?agentId=${agentId}&format=csv`, undefined, stranger)).status).toBe(404);
  });

  it("include an excerpt around the first match of a search, and null when only the title matches", async () => {
    const agentId = await createAgent(owner);
    const before = "We have many bikes. ".repeat(20);
    await say(agentId, `${before}\n\nIs the TENDER in stock? ${before}`);
    const find = async (q: string) =>
      (await call("GET", `/conversations?agentId=${agentId}&q=${encodeURIComponent(q)}`)).body.data[0];
    const { match } = await find("tender in");
    expect(match).toContain("bikes. Is the TENDER in stock? We have");
    expect(match.length).toBeLessThanOrEqual(200);
    expect((await call("GET", `/conversations?agentId=${agentId}`)).body.data[0]).not.toHaveProperty("match");
    const rest = { title: "Only the title" };
    await server.deps.db.updateTable("conversations").set(rest).where("agentId", "=", agentId).execute();
    expect(await find("only the")).toMatchObject({ match: null });
  });

  it("are unread until a member reads them, and again after a newer message", async () => {
    const agentId = await createAgent(owner);
    const id = await say(agentId, "Is the red bike in stock?");
    const isUnread = async () =>
      (await call("GET", `/conversations?agentId=${agentId}&limit=1`)).body.data[0].isUnread as boolean;
    expect(await isUnread()).toBe(true);
    const stranger = await server.createAccount();
    expect((await call("POST", `/conversations/${id}/read`, undefined, stranger)).status).toBe(404);
    expect(await isUnread()).toBe(true);
    const { status, body } = await call("POST", `/conversations/${id}/read`);
    expect({ status, body }).toEqual({ status: 200, body: { data: { success: true }, error: null } });
    expect(await isUnread()).toBe(false);
    expect((await call("GET", `/conversations?agentId=${agentId}&q=red`)).body.data[0].isUnread).toBe(false);
    await server.deps.db.updateTable("conversations").set({ readAt: 1 }).where("id", "=", id).execute();
    expect(await isUnread()).toBe(true);
  });

  it("stay read up to the latest mark when an earlier one follows, as of a bulk action", async () => {
    const id = await say(await createAgent(owner), "Is the red bike in stock?");
    const { organizationId } = owner;
    const log = createConversationLog(server.deps, []);
    const readAt = async () =>
      (await server.deps.db.selectFrom("conversations").select("readAt").where("id", "=", id).executeTakeFirstOrThrow())
        .readAt;
    const later = Date.now() + 60_000;
    expect(await log.markRead(organizationId, id, later)).toBe(true);
    expect(await log.markRead(organizationId, id, later - 1)).toBe(true);
    expect(await readAt()).toBe(later);
  });

  it("are listed by their last activity in pages that a cursor continues", async () => {
    const agentId = await createAgent(owner);
    const ids: string[] = [];
    for (let n = 1; n <= 5; n++) ids.push(await say(agentId, `Question ${n}`));
    // Two conversations of the same millisecond stay in a stable order.
    const at = (id: string | undefined, updatedAt: number) =>
      server.deps.db
        .updateTable("conversations")
        .set({ updatedAt })
        .where("id", "=", id ?? "")
        .execute();
    for (const [n, minutes] of [50, 20, 20, 10, 5].entries()) await at(ids[n], minutes * 60_000);
    const list = async (query: string) =>
      (await call("GET", `/conversations?agentId=${agentId}&sort=activity${query}`)).body;
    const first = await list("&limit=2");
    expect(titles(first)).toEqual(["Question 1", "Question 3"]);
    expect(first.pagination).toEqual({ total: 5, limit: 2, offset: 0, cursor: expect.any(String) });
    // The last one moves to the top, which neither repeats nor skips another one.
    await at(ids[4], 60 * 60_000);
    const second = await list(`&limit=2&after=${first.pagination.cursor}`);
    expect(titles(second)).toEqual(["Question 2", "Question 4"]);
    const rest = await list(`&limit=2&after=${second.pagination.cursor}`);
    expect([titles(rest), rest.pagination.cursor]).toEqual([[], null]);
    expect(titles(await list(""))).toEqual(["Question 5", "Question 1", "Question 3", "Question 2", "Question 4"]);
    expect(titles(await list("&q=question&limit=1"))).toEqual(["Question 5"]);
    const unsorted = (await call("GET", `/conversations?agentId=${agentId}&limit=1`)).body;
    expect([titles(unsorted), unsorted.pagination]).toEqual([["Question 5"], { total: 5, limit: 1, offset: 0 }]);
    const stranger = await server.createAccount();
    const elsewhere = await createAgent(stranger);
    const url = `/conversations?agentId=${elsewhere}&sort=activity&after=${first.pagination.cursor}`;
    expect((await call("GET", url, undefined, stranger)).body.data).toEqual([]);
  });

  it.each([
    ["sort=activity&after=nonsense", "must be the `cursor` of an earlier response"],
    ["sort=activity&after=12.conv_x", "must be the `cursor` of an earlier response"],
    ["after=1.conv_01h455vb4pex5vsknk084sn02q", "requires `sort=activity`"],
    ["sort=activity&offset=1&after=1.conv_01h455vb4pex5vsknk084sn02q", "replaces `offset`"],
    ["sort=newest", "activity"],
  ])("are not listed for the query %s", async (query, message) => {
    const { status, body } = await call("GET", `/conversations?agentId=${await createAgent(owner)}&${query}`);
    expect([status, body.error.message]).toEqual([400, expect.stringContaining(message)]);
  });

  it("are filtered by whether they are unread", async () => {
    const agentId = await createAgent(owner);
    const read = await say(agentId, "Read");
    await say(agentId, "Unread");
    await call("POST", `/conversations/${read}/read`);
    const list = async (query: string) => {
      const { body } = await call("GET", `/conversations?agentId=${agentId}&${query}`);
      return [titles(body), body.pagination.total];
    };
    expect(await list("unread=true")).toEqual([["Unread"], 1]);
    expect(await list("unread=true&sort=activity")).toEqual([["Unread"], 1]);
    expect(await list("unread=false")).toEqual([["Read"], 1]);
    // A conversation whose first reply has not begun has no message with text yet.
    await server.deps.db.updateTable("conversations").set({ lastMessageAt: null }).where("id", "=", read).execute();
    expect(await list("unread=false")).toEqual([["Read"], 1]);
  });

  it("keep their total correct when created and deleted concurrently", async () => {
    const agentId = await createAgent(owner);
    const ids = await Promise.all(Array.from({ length: 8 }, (_, n) => say(agentId, `At once ${n}`)));
    const answers = await Promise.all([...ids.slice(0, 3), ids[0]].map((id) => call("DELETE", `/conversations/${id}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 404]);
    const { body } = await call("GET", `/conversations?agentId=${agentId}`);
    expect(body.pagination.total).toBe(5);
    expect(body.data).toHaveLength(5);
  });

  it("are found by user, text, rating and time", async () => {
    const agentId = await createAgent(owner);
    const bike = await say(agentId, "A red bike, 100% wool_saddle", { userId: "ada", userEmail: "ada@example.com" });
    const other = await say(agentId, "Something else: Äpfel und ÖL");
    const { messages } = (await call("GET", `/conversations/${bike}`)).body.data;
    await call("POST", `/conversations/${bike}/feedback`, { messageId: messages[1].id, rating: "down" });
    const find = async (query: string) => {
      const { body } = await call("GET", `/conversations?agentId=${agentId}&${query}`);
      expect(body.pagination.total).toBe(body.data.length);
      return body.data.map((row: { id: string }) => row.id);
    };
    expect(await find("userId=ada")).toEqual([bike]);
    expect(await find("q=RED%20BIKE")).toEqual([bike]);
    expect(await find(`q=${encodeURIComponent("äPFEL UND öl")}`)).toEqual([other]);
    expect(await find(`q=${encodeURIComponent("100% wool_")}`)).toEqual([bike]);
    expect(await find("q=re_%25bike")).toEqual([]);
    expect(await find("feedback=down")).toEqual([bike]);
    expect(await find("feedback=up")).toEqual([]);
    const now = encodeURIComponent(new Date().toISOString());
    expect(await find(`to=${now}`)).toEqual([other, bike]);
    expect(await find(`from=${now}`)).toEqual([]);
    expect(await find(`from=2020-01-01&to=${new Date().toISOString().slice(0, 10)}`)).toEqual([other, bike]);
    expect(await find("to=2020-01-01")).toEqual([]);
  });

  it("are searched, like documents, with functions that take linear time and not with patterns", async () => {
    const agentId = await createAgent(owner);
    const run = vi.spyOn(server.deps.reads, "run");
    const text = `q=${"a".repeat(63)}b`;
    for (const url of [`/conversations?agentId=${agentId}`, `/documents?agentId=${agentId}`]) {
      expect((await call("GET", `${url}&${text}`)).status).toBe(200);
    }
    const statements = run.mock.calls.map(([query]) => query.compile().sql);
    run.mockRestore();
    const search = server.deps.databaseKind === "sqlite" ? "contains_text(" : "strpos(lower(";
    for (const column of ['"title"', '"content"', '"url"']) expect(statements.join()).toContain(`${search}${column}`);
    // These operators and functions are excluded because they backtrack.
    // The index is searched by keys, which the server computes.
    const withoutIndex = statements.join().replaceAll('"searchKeys" match', "");
    expect(withoutIndex).not.toMatch(/ (i?like|similar to|regexp|glob|match) |~/i);
  });

  it("show whether a form was submitted and how they were last rated, and can be filtered by the form", async () => {
    const agentId = await createAgent(owner);
    const other = await createAgent(owner);
    const [plain, withForm] = [await say(agentId, "Plain"), await say(agentId, "With a form")];
    const submit = async (owning: string, conversationId: string) => {
      const formSchema = { fields: [{ name: "a", label: "A", type: "text" }] };
      const tool = { agentId: owning, name: "contact", description: "d", executionType: "form", formSchema };
      const { body } = await call("POST", "/tools", { ...tool, inputSchema: { type: "object" } });
      const payload = { toolId: body.id, conversationId, formData: {}, fieldsCompleted: [] };
      expect((await server.app.inject({ method: "POST", url: "/form-submissions/submit", payload })).statusCode).toBe(
        200,
      );
    };
    await submit(agentId, withForm);
    // Anyone can name this conversation, but this visitor has no access to it.
    await submit(other, plain);
    await say(agentId, "Again", { conversationId: withForm });
    const { messages } = (await call("GET", `/conversations/${withForm}`)).body.data;
    const rate = (at: number, rating: string) =>
      call("POST", `/conversations/${withForm}/feedback`, { messageId: messages[at].id, rating });
    const listed = async (query = "") => {
      const { body } = await call("GET", `/conversations?agentId=${agentId}${query}`);
      expect(body.pagination.total).toBe(body.data.length);
      return body.data.map(({ id, hasForm, feedback }: Record<string, unknown>) => [id, hasForm, feedback]);
    };
    expect(await listed()).toEqual([
      [withForm, true, null],
      [plain, false, null],
    ]);
    await rate(3, "down");
    await rate(1, "up");
    expect(await listed("&hasForm=true")).toEqual([[withForm, true, "down"]]);
    expect(await listed("&hasForm=false")).toEqual([[plain, false, null]]);
    expect(await listed("&hasForm=true&feedback=up")).toEqual([[withForm, true, "down"]]);
    await rate(3, "up");
    expect((await listed())[0]).toEqual([withForm, true, "up"]);
    expect((await call("GET", `/conversations?agentId=${agentId}&hasForm=maybe`)).status).toBe(400);
  });

  it("accept and change a rating on any message, but not on a message of another conversation", async () => {
    const agentId = await createAgent(owner);
    const mine = await say(agentId, "Mine");
    const other = await say(agentId, "Other");
    const [message] = (await call("GET", `/conversations/${mine}`)).body.data.messages;
    const rate = (id: string, rating: string) =>
      call("POST", `/conversations/${id}/feedback`, { messageId: message.id, rating });
    expect(await rate(mine, "up")).toEqual({
      status: 200,
      body: { data: { messageId: message.id, rating: "up" }, error: null },
    });
    expect((await rate(mine, "down")).status).toBe(200);
    expect((await call("GET", `/conversations/${mine}`)).body.data.messages[0].feedback).toBe("down");
    expect((await rate(other, "up")).status).toBe(404);
    expect((await rate(mine, "sideways")).status).toBe(400);
  });

  it("keep a rating's comment for members until a later rating replaces it", async () => {
    const agentId = await createAgent(owner);
    const id = await say(agentId, "Mine");
    const [message] = (await call("GET", `/conversations/${id}`)).body.data.messages;
    const rate = (body: object) => call("POST", `/conversations/${id}/feedback`, { messageId: message.id, ...body });
    const comment = async () => (await call("GET", `/conversations/${id}`)).body.data.messages[0].feedbackComment;
    expect(await comment()).toBeNull();
    expect((await rate({ rating: "down", comment: "  Too short  " })).status).toBe(200);
    expect(await comment()).toBe("Too short");
    expect((await rate({ rating: "down", comment: "x".repeat(1_001) })).status).toBe(400);
    expect((await rate({ rating: "up" })).status).toBe(200);
    expect(await comment()).toBeNull();
  });

  it("are invisible to other organizations", async () => {
    const agentId = await createAgent(owner);
    const id = await say(agentId, "Secret");
    const [message] = (await call("GET", `/conversations/${id}`)).body.data.messages;
    const stranger = await server.createAccount();
    const unknown = await call("GET", "/conversations/conv_01h455vb4pex5vsknk084sn02q", undefined, stranger);
    expect(unknown.status).toBe(404);
    expect(await call("GET", `/conversations/${id}`, undefined, stranger)).toEqual(unknown);
    expect(await call("DELETE", `/conversations/${id}`, undefined, stranger)).toEqual(unknown);
    expect(await call("GET", `/chat/${id}/stream`, undefined, stranger)).toEqual(unknown);
    expect(await call("POST", `/chat/${id}/stop`, undefined, stranger)).toEqual(unknown);
    const rating = { messageId: message.id, rating: "up" };
    expect(await call("POST", `/conversations/${id}/feedback`, rating, stranger)).toEqual(unknown);
    expect((await call("GET", `/conversations?agentId=${agentId}`, undefined, stranger)).status).toBe(404);
    expect((await call("GET", `/conversations/${id}`)).body.data.messages[0].feedback).toBeNull();
  });

  it("from before the size limit are read and deleted in parts", async () => {
    const agentId = await createAgent(owner);
    const { organizationId } = owner;
    const { db } = server.deps;
    const content = "x".repeat(100_000);
    const sayings = Array.from({ length: 60 }, (_, index) => ({ content: `${index} ${content}` }));
    const id = await insertConversation(db, { organizationId, agentId }, { textBytes: 6_000_000 }, sayings);
    const read = (await call("GET", `/conversations/${id}`)).body.data;
    expect(read.messages.map((message: { content: string }) => message.content)).toEqual(
      sayings.map((saying) => saying.content),
    );
    expect((await call("DELETE", `/conversations/${id}`)).status).toBe(200);
    expect(await db.selectFrom("messages").select("id").where("conversationId", "=", id).execute()).toEqual([]);
    expect((await call("GET", `/conversations?agentId=${agentId}`)).body.pagination.total).toBe(0);
  });

  it("are deleted in batches after the retention period, and the totals follow", async () => {
    const agentId = await createAgent(owner);
    const old = await say(agentId, "Old");
    await say(agentId, "New");
    const { db } = server.deps;
    await db.updateTable("conversations").set({ updatedAt: 1_000 }).where("id", "=", old).execute();
    expect(await deleteOlderThan(db, agentId, 2_000)).toBe(1);
    const { body } = await call("GET", `/conversations?agentId=${agentId}`);
    expect(titles(body)).toEqual(["New"]);
    expect(body.pagination.total).toBe(1);
    expect((await call("GET", `/conversations/${old}`)).status).toBe(404);
  });
});

it.each([
  ["Short", "Short"],
  ["  a\n b  ", "a b"],
  [`${"word ".repeat(12)}`, "word word word word word word word word word word word word"],
  [`${"word ".repeat(13)}end`, "word word word word word word word word word word word word"],
  ["x".repeat(70), "x".repeat(60)],
  [`${"y".repeat(60)} z`, "y".repeat(60)],
  ["🚲".repeat(61), "🚲".repeat(60)],
])("a conversation with the first message %j gets the title %j", (content, title) => {
  expect(
    createTitle([
      { role: "assistant", content: "Hello" },
      { role: "user", content },
    ]),
  ).toBe(title);
});
