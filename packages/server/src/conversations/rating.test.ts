import { DAY_MS } from "@foyer/contract/rules/time";
import { afterAll, beforeAll, expect, it } from "vitest";
import { insertConversation } from "../../../../test/conversation-seed.ts";
import { onBothDatabases, type TestDatabase } from "../../../../test/databases.ts";
import { createAgent } from "../../../../test/factories.ts";
import { startServer, type TestServer } from "../../../../test/server.ts";
import { createOwner, signedInBrowser } from "../../../../test/session-client.ts";
import { sayWords, startUpstream, type Upstream } from "../../../../test/upstream.ts";
import { startVisit } from "../../../../test/visit.ts";

type Browser = Awaited<ReturnType<typeof signedInBrowser>>;

onBothDatabases("the rating of a conversation", (createDatabase) => {
  let database: TestDatabase;
  let upstream: Upstream;
  let server: TestServer;
  let account: Awaited<ReturnType<typeof createOwner>>;
  let owner: Browser;
  let stranger: Browser;
  let agentId: string;

  beforeAll(async () => {
    database = await createDatabase();
    upstream = await startUpstream();
    const env = {
      OPENAI_COMPATIBLE_BASE_URL: upstream.url,
      FOYER_DEFAULT_MODEL: "openai-compatible/test",
      FOYER_LIMIT_CHAT_PER_IP: "0",
      FOYER_LIMIT_CHAT_PER_SESSION: "0",
    };
    server = await startServer({ database, env });
    account = await createOwner(server);
    owner = await signedInBrowser(server, account.email);
    stranger = await signedInBrowser(server, (await createOwner(server)).email);
    agentId = await createAgent(owner, { handoff: { isEnabled: true }, askRating: "all" });
  });
  afterAll(async () => {
    await server.stop();
    await upstream.stop();
    await database.drop();
  });

  /** A conversation of a visitor who has written once. */
  async function visit() {
    upstream.script(sayWords("Hello."));
    const visit = await startVisit(server, agentId);
    const { id, token } = visit;
    return {
      ...visit,
      change: (action: string, body?: object) => owner.call("POST", `/conversations/${id}/${action}`, body),
      rate: (body: unknown, as = token) =>
        server.app.inject({
          method: "POST",
          url: `/conversations/${id}/rating`,
          headers: { authorization: `Bearer ${as}` },
          payload: body as object,
        }),
      asked: async () => {
        const headers = { authorization: `Bearer ${token}` };
        const response = await server.app.inject({ method: "GET", url: `/conversations/${id}/rating`, headers });
        return response.json().data;
      },
      read: async () => (await owner.call("GET", `/conversations/${id}`)).body.data,
    };
  }

  const setAgent = (settings: object) => owner.call("PATCH", `/agents/${agentId}`, settings);

  /** Moves the rating and the question of a conversation into the past. */
  async function age(id: string, ms: number) {
    await server.deps.db
      .updateTable("conversations")
      .set((x) => ({ ratingAskedAt: x("ratingAskedAt", "-", ms), ratedAt: x("ratedAt", "-", ms) }))
      .where("id", "=", id)
      .execute();
  }

  it("is not asked for while the conversation is open", async () => {
    const { asked } = await visit();
    expect(await asked()).toEqual({ isAsked: false, canRate: false, question: null, rating: null });
  });

  it("is refused before the agent has asked for it", async () => {
    const { rate, read } = await visit();
    expect((await rate({ score: 5 })).statusCode).toBe(409);
    expect((await read()).rating).toBeNull();
  });

  it("is asked for once the conversation is resolved", async () => {
    const { asked, change } = await visit();
    await change("resolve");
    expect(await asked()).toMatchObject({ isAsked: true, canRate: true });
  });

  it("is asked for with the agent's own question", async () => {
    await setAgent({ ratingQuestion: "  How was our help? " });
    const { asked, change } = await visit();
    await change("resolve");
    expect((await asked()).question).toBe("How was our help?");
    await setAgent({ ratingQuestion: null });
  });

  it("is asked for when a member closes the conversation", async () => {
    const { asked, change, askForPerson } = await visit();
    await askForPerson();
    expect((await asked()).isAsked).toBe(false);
    await change("takeover");
    expect((await asked()).isAsked).toBe(false);
    await change("close");
    expect((await asked()).isAsked).toBe(true);
  });

  it("is not asked for while the visitor waits for a person again", async () => {
    const { asked, change, askForPerson } = await visit();
    await change("takeover");
    await change("close");
    await askForPerson();
    expect((await asked()).isAsked).toBe(false);
  });

  it("is not asked for after the agent alone answered, if it asks only about what people had", async () => {
    await setAgent({ askRating: "handed_over" });
    const alone = await visit();
    await alone.change("resolve");
    const handedOver = await visit();
    await handedOver.change("takeover");
    await handedOver.change("resolve");
    await setAgent({ askRating: "all" });
    expect((await alone.asked()).isAsked).toBe(false);
    expect((await handedOver.asked()).isAsked).toBe(true);
  });

  it("is not asked for by an agent that does not ask, nor accepted", async () => {
    await setAgent({ askRating: null });
    const { asked, change, rate } = await visit();
    await change("resolve");
    await setAgent({ askRating: "all" });
    expect((await asked()).isAsked).toBe(false);
    expect((await rate({ score: 3 })).statusCode).toBe(409);
  });

  it("is stored with its comment, for the visitor and the team", async () => {
    const { asked, change, rate, read } = await visit();
    await change("resolve");
    const response = await rate({ score: 4, comment: "  Quick. " });
    expect(response.statusCode).toBe(200);
    const rating = { score: 4, comment: "Quick.", ratedAt: expect.any(String) };
    expect(response.json().data).toEqual(rating);
    expect((await read()).rating).toEqual(rating);
    expect((await asked()).rating).toEqual(rating);
  });

  it("is in the list of conversations and in its CSV file", async () => {
    const { id, change, rate } = await visit();
    await change("resolve");
    await rate({ score: 2, comment: "Slow" });
    const { body } = await owner.call("GET", `/conversations?agentId=${agentId}&limit=100`);
    const listed = body.data.find((one: { id: string }) => one.id === id);
    expect(listed.rating).toMatchObject({ score: 2, comment: "Slow" });
    const csv = await owner.call("GET", `/conversations?agentId=${agentId}&format=csv`);
    const line = csv.text.split("\n").find((one: string) => one.includes(id));
    expect(line?.trim()).toMatch(/"?2"?,"?Slow"?$/);
  });

  it("is a filter of the list, also with several ratings, without an agent and in CSV files", async () => {
    const filtered = await createAgent(owner, { askRating: "all" });
    const insert = (ratingScore: number | null) =>
      insertConversation(
        server.deps.db,
        { organizationId: account.organizationId, agentId: filtered },
        ratingScore === null ? {} : { ratingScore, ratedAt: Date.now() },
        [{ content: "Hello" }],
      );
    const [unrated, one, two, five] = [await insert(null), await insert(1), await insert(2), await insert(5)];
    const find = async (query: string) => {
      const { body } = await owner.call("GET", `/conversations?limit=100&${query}`);
      return body.data
        .map(({ id }: { id: string }) => id)
        .filter((id: string) => [unrated, one, two, five].includes(id))
        .sort();
    };
    expect(await find(`agentId=${filtered}&rating=1,2`)).toEqual([one, two].sort());
    expect(await find(`agentId=${filtered}&rating=any&sort=activity`)).toEqual([one, two, five].sort());
    expect(await find(`agentId=${filtered}&rating=none`)).toEqual([unrated]);
    expect(await find("rating=5")).toEqual([five]);
    const csv = await owner.call("GET", `/conversations?agentId=${filtered}&rating=5&format=csv`);
    expect(csv.text.match(/conv_\w+/g)).toEqual([five]);
    const foreign = await stranger.call("GET", "/conversations?rating=any");
    expect(foreign.body.data).toEqual([]);
  });

  it.each(["0", "6", "1,", "1;2", "1,2,3,4,5,1", "all", ""])(
    "is no filter when it is malformed: %o",
    async (rating) => {
      const response = await owner.call("GET", `/conversations?agentId=${agentId}&rating=${rating}`);
      expect(response.status).toBe(400);
    },
  );

  it("is a filter of saved views and of bulk actions", async () => {
    const { id, change, rate } = await visit();
    const other = await visit();
    await change("resolve");
    await rate({ score: 1, comment: "Slow" });
    const filter = { agentId, rating: "1", status: "resolved" };
    const view = (await owner.call("POST", "/inbox/views", { name: "Unhappy", filter })).body.data;
    const { body } = await owner.call("GET", `/conversations?view=${view.id}&limit=100`);
    const ids = body.data.map((one: { id: string }) => one.id);
    expect(ids).toContain(id);
    expect(ids).not.toContain(other.id);
    const bulk = await owner.call("POST", "/conversations/bulk", { action: "tag", tag: "unhappy", filter });
    expect(bulk.status).toBe(202);
    const state = async () => (await owner.call("GET", `/conversations/bulk/${bulk.body.data.id}`)).body.data.state;
    await expect.poll(state).toBe("done");
    expect((await owner.call("GET", `/conversations/${id}`)).body.data.tags).toMatchObject([{ name: "unhappy" }]);
    expect((await owner.call("GET", `/conversations/${other.id}`)).body.data.tags).toEqual([]);
  });

  it("is not asked for again once it was given, also after a second resolution", async () => {
    const { asked, change, rate } = await visit();
    await change("resolve");
    await rate({ score: 4 });
    await change("reopen");
    await change("resolve");
    expect((await asked()).isAsked).toBe(false);
  });

  it("does not count as asked for when a member soon reopens the conversation, and is asked for at the end", async () => {
    const { id, asked, change } = await visit();
    const askedAt = () =>
      server.deps.db.selectFrom("conversations").select("ratingAskedAt").where("id", "=", id).executeTakeFirstOrThrow();
    await change("resolve");
    await change("reopen");
    expect((await askedAt()).ratingAskedAt).toBe(null);
    await change("resolve");
    expect((await asked()).isAsked).toBe(true);
  });

  it("is asked for at the first resolution only", async () => {
    const { id, change } = await visit();
    const askedAt = async () =>
      (
        await server.deps.db
          .selectFrom("conversations")
          .select("ratingAskedAt")
          .where("id", "=", id)
          .executeTakeFirstOrThrow()
      ).ratingAskedAt;
    await change("resolve");
    await age(id, DAY_MS);
    const first = await askedAt();
    await change("reopen");
    await change("resolve");
    expect(await askedAt()).toBe(first);
  });

  it("can be corrected within a day and stays one rating", async () => {
    const { change, rate, read } = await visit();
    await change("resolve");
    const first = (await rate({ score: 1, comment: "Slip" })).json().data;
    expect((await rate({ score: 5 })).statusCode).toBe(200);
    expect((await read()).rating).toEqual({ score: 5, comment: null, ratedAt: first.ratedAt });
  });

  it("cannot be corrected after a day", async () => {
    const { id, change, rate, read } = await visit();
    await change("resolve");
    await rate({ score: 1 });
    await age(id, DAY_MS);
    expect((await rate({ score: 5 })).statusCode).toBe(409);
    expect((await read()).rating.score).toBe(1);
  });

  it("is accepted unchanged again at any time, so that a repeated request does not fail", async () => {
    const { id, change, rate } = await visit();
    await change("resolve");
    await rate({ score: 1 });
    await age(id, 2 * DAY_MS);
    expect((await rate({ score: 1 })).statusCode).toBe(200);
  });

  it("can be corrected ten times", async () => {
    const { change, rate } = await visit();
    await change("resolve");
    const statuses: number[] = [];
    for (let time = 0; time < 12; time++) statuses.push((await rate({ score: 1 + (time % 2) })).statusCode);
    expect(statuses).toEqual([...Array(11).fill(200), 409]);
  });

  it("is refused 30 days after the question", async () => {
    const { id, asked, change, rate } = await visit();
    await change("resolve");
    await age(id, 30 * DAY_MS);
    expect((await asked()).isAsked).toBe(false);
    expect((await rate({ score: 5 })).statusCode).toBe(409);
  });

  it.each([
    { score: 0 },
    { score: 6 },
    { score: 1.5 },
    { score: "5" },
    { score: null },
    {},
    { score: 5, comment: "x".repeat(2_001) },
    { score: 5, comment: 7 },
  ])("is refused when it is malformed: %o", async (body) => {
    const { change, rate, read } = await visit();
    await change("resolve");
    expect((await rate(body)).statusCode).toBe(400);
    expect((await read()).rating).toBeNull();
  });

  it("of another visitor's conversation cannot be given or read", async () => {
    const { id, change, rate, read } = await visit();
    const other = await visit();
    await change("resolve");
    expect((await rate({ score: 1 }, other.token)).statusCode).toBe(401);
    expect((await stranger.call("POST", `/conversations/${id}/rating`, { score: 1 })).status).toBe(404);
    expect((await stranger.call("GET", `/conversations/${id}/rating`)).status).toBe(404);
    expect((await read()).rating).toBeNull();
  });

  it("cannot be given or corrected by a member, whose figures it would change", async () => {
    const { id, change, rate, read } = await visit();
    await change("takeover");
    await change("resolve");
    expect((await owner.call("POST", `/conversations/${id}/rating`, { score: 5 })).status).toBe(403);
    await rate({ score: 1 });
    expect((await owner.call("POST", `/conversations/${id}/rating`, { score: 5 })).status).toBe(403);
    expect((await read()).rating.score).toBe(1);
  });

  it("can be relayed with an API key", async () => {
    const { change, rate, read } = await visit();
    await change("resolve");
    const { key } = (await owner.call("POST", "/api-keys", { name: "Relay" })).body;
    expect((await rate({ score: 3 }, key)).statusCode).toBe(200);
    expect((await read()).rating.score).toBe(3);
  });

  it("of a test chat can be given by the member who tries the agent", async () => {
    const place = { organizationId: account.organizationId, agentId };
    const test = { isTest: 1, ratingAskedAt: Date.now() } as const;
    const id = await insertConversation(server.deps.db, place, test, [{ content: "Hello" }]);
    expect((await owner.call("POST", `/conversations/${id}/rating`, { score: 4 })).status).toBe(200);
  });

  it("of a conversation in the trash cannot be given", async () => {
    const { change, rate } = await visit();
    await change("resolve");
    await change("trash");
    expect((await rate({ score: 5 })).statusCode).toBe(404);
  });

  it("of a deleted conversation cannot be given", async () => {
    const { id, change, rate } = await visit();
    await change("resolve");
    await owner.call("DELETE", `/conversations/${id}`);
    expect((await rate({ score: 5 })).statusCode).toBe(404);
  });

  it("that is given twice at the same moment in two processes is stored once", async () => {
    const second = await startServer({ database, env: {} });
    const { id, token, change, read, rate } = await visit();
    await change("resolve");
    const there = second.app.inject({
      method: "POST",
      url: `/conversations/${id}/rating`,
      headers: { authorization: `Bearer ${token}` },
      payload: { score: 5 },
    });
    const statuses = (await Promise.all([rate({ score: 1 }), there])).map(({ statusCode }) => statusCode);
    expect(statuses).toEqual([200, 200]);
    expect([1, 5]).toContain((await read()).rating.score);
    const row = await server.deps.db
      .selectFrom("conversations")
      .select("ratingCorrections")
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
    expect(row.ratingCorrections).toBe(1);
    await second.stop();
  });

  it("is reported as an event with the member who had the conversation", async () => {
    await owner.call("PUT", "/events/feed", { isEnabled: true });
    const { id, change, rate } = await visit();
    await change("takeover");
    await change("resolve");
    await rate({ score: 5, comment: "Quick" });
    await rate({ score: 4 });
    const { body } = await owner.call("GET", "/events?kinds=conversation.rated&limit=100");
    const events = body.events.filter((one: { conversationId: string }) => one.conversationId === id);
    expect(events.map(({ data }: { data: object }) => data)).toEqual([
      { score: 5, comment: "Quick", memberId: expect.stringMatching(/./), isCorrection: false },
      { score: 4, comment: null, memberId: expect.stringMatching(/./), isCorrection: true },
    ]);
  });

  it("is unknown to visitors' pages of an agent that does not ask", async () => {
    const settings = async () => (await server.app.inject({ url: `/agents/${agentId}/widget` })).json().data;
    expect((await settings()).rating).toEqual({ question: null });
    await setAgent({ askRating: null });
    expect(await settings()).not.toHaveProperty("rating");
    await setAgent({ askRating: "all" });
  });
});
