import { maxConversationTags, maxTags } from "@foyer/contract";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { insertConversation } from "../../../../../test/conversation-seed.ts";
import { onBothDatabases, type TestDatabase, waitForBlockedStatement } from "../../../../../test/databases.ts";
import { createAgent } from "../../../../../test/factories.ts";
import { startServer, type TestServer } from "../../../../../test/server.ts";
import { createMember, signedInBrowser } from "../../../../../test/session-client.ts";
import { createConversationToken } from "../../auth/conversation-token.ts";
import { newId } from "../../ids.ts";

type Account = Awaited<ReturnType<TestServer["createAccount"]>>;
type Named = { id: string; name: string };

onBothDatabases("tags of conversations", (createDatabase) => {
  let database: TestDatabase;
  let server: TestServer;
  let account: Account;
  let stranger: Account;
  let agentId: string;
  beforeAll(async () => {
    database = await createDatabase();
    server = await startServer({ database });
    [account, stranger] = [await server.createAccount(), await server.createAccount()];
    agentId = await createAgent(account);
  });
  afterAll(async () => {
    await server.stop();
    await database.drop();
  });

  /** @returns the id of a new conversation of the account's agent */
  const start = (fields: object = {}) =>
    insertConversation(server.deps.db, { organizationId: account.organizationId, agentId }, fields, [
      { content: "Where is my bike?" },
    ]);
  const add = (id: string, name: string, by = account) => by.call("POST", `/conversations/${id}/tags`, { name });
  const remove = (id: string, tagId: string, by = account) => by.call("DELETE", `/conversations/${id}/tags/${tagId}`);
  const namesOf = (tags: Named[]) => tags.map(({ name }) => name);
  const tagsOf = async (id: string): Promise<string[]> =>
    namesOf((await account.call("GET", `/conversations/${id}`)).body.data.tags);
  const all = async (by = account): Promise<Named[]> => (await by.call("GET", "/tags")).body;
  const listed = async (query: string): Promise<string[]> =>
    (await account.call("GET", `/conversations?${query}`)).body.data.map(({ id }: Named) => id);

  it("are created by their first use, and the same name in other letters and spaces is the same tag", async () => {
    const [one, other] = [await start(), await start()];
    const added = await add(one, "  Late   delivery ");
    expect([added.status, added.body.data]).toEqual([
      200,
      [{ id: expect.stringMatching(/^tag_/), name: "Late delivery" }],
    ]);
    const [tag] = added.body.data;
    expect((await add(one, "late delivery")).body.data).toEqual([tag]);
    expect((await add(other, "LATE\u200b DELIVERY")).body.data).toEqual([tag]);
    expect((await add(other, "bike 10")).status).toBe(200);
    expect(namesOf((await add(other, "Bike 9")).body.data)).toEqual(["Bike 9", "bike 10", "Late delivery"]);
    expect(namesOf(await all())).toEqual(["Bike 9", "bike 10", "Late delivery"]);
    const browser = await signedInBrowser(server, (await createMember(server, account.organizationId, "member")).email);
    expect((await browser.call("DELETE", `/conversations/${other}/tags/${tag.id}`)).body.data).toHaveLength(2);
    expect(await tagsOf(other)).toEqual(["Bike 9", "bike 10"]);
    expect((await remove(other, tag.id)).status).toBe(404);
  });

  it("are listed with their conversations, filter them together with other filters, and are a column of the CSV file", async () => {
    const handedOver = { handler: "waiting", waitingSince: 1, epoch: 1, changedAt: 1 } as const;
    const [waiting, plain] = [await start(handedOver), await start()];
    const tag = (await add(waiting, "urgent")).body.data[0];
    await add(plain, "urgent");
    await add(plain, 'a "quote", b');
    const { data } = (await account.call("GET", `/conversations?agentId=${agentId}`)).body;
    const shown = Object.fromEntries(data.map((row: Named & { tags: Named[] }) => [row.id, namesOf(row.tags)]));
    expect([shown[waiting], shown[plain]]).toEqual([["urgent"], ['a "quote", b', "urgent"]]);
    expect(await listed(`agentId=${agentId}&tag=${tag.id}`)).toEqual([plain, waiting].sort().reverse());
    expect(await listed(`handler=waiting&tag=${tag.id}`)).toEqual([waiting]);
    expect(await listed(`agentId=${agentId}&tag=${tag.id}&q=bike&hasForm=false&limit=1&offset=1`)).toHaveLength(1);
    expect(await listed(`agentId=${agentId}&tag=${newId("tag")}`)).toEqual([]);
    const { headers } = account;
    const url = `/conversations?agentId=${agentId}&tag=${tag.id}&format=csv`;
    const [header, ...rows] = (await server.app.inject({ url, headers })).body.trim().split("\r\n");
    expect(header).toMatch(/,"tags","attachments","score","comment"$/);
    expect(rows.map((row) => row.slice(row.lastIndexOf('Z",') + 3)).sort()).toEqual([
      '"a ""quote"", b, urgent",,,',
      '"urgent",,,',
    ]);
  });

  it("are renamed in all conversations, but not to the name of another tag, and deleted from all", async () => {
    const [one, other] = [await start(), await start()];
    const tag = (await add(one, "refnud")).body.data[0];
    await add(other, "refnud");
    await add(other, "Refund");
    const taken = await account.call("PATCH", `/tags/${tag.id}`, { name: "REFUND" });
    expect([taken.status, taken.body.error.message]).toEqual([
      409,
      "Your organization already has a tag with the name REFUND.",
    ]);
    const renamed = await account.call("PATCH", `/tags/${tag.id}`, { name: " Money  back " });
    expect(renamed.body).toEqual({ id: tag.id, name: "Money back", createdAt: expect.any(String) });
    expect((await account.call("PATCH", `/tags/${tag.id}`, { name: "money back" })).body.name).toBe("money back");
    expect([await tagsOf(one), await tagsOf(other)]).toEqual([["money back"], ["money back", "Refund"]]);
    expect((await account.call("DELETE", `/tags/${tag.id}`)).status).toBe(200);
    expect([await tagsOf(one), await tagsOf(other)]).toEqual([[], ["Refund"]]);
    expect((await account.call("DELETE", `/tags/${tag.id}`)).status).toBe(404);
    expect((await account.call("PATCH", `/tags/${tag.id}`, { name: "x" })).status).toBe(404);
  });

  it("mark a conversation that people handle as changed only when they change", async () => {
    const id = await start({ handler: "waiting", waitingSince: 1, epoch: 1, changedAt: 1 });
    const changedAt = async () => {
      const row = server.deps.db.selectFrom("conversations").select("changedAt").where("id", "=", id);
      return (await row.executeTakeFirstOrThrow()).changedAt;
    };
    const reset = () =>
      server.deps.db.updateTable("conversations").set({ changedAt: 1 }).where("id", "=", id).execute();
    const tag = (await add(id, "shown at once")).body.data[0];
    expect(await changedAt()).toBeGreaterThan(1);
    await reset();
    await add(id, "shown at once");
    expect((await remove(id, newId("tag"))).status).toBe(404);
    expect(await changedAt()).toBe(1);
    expect((await remove(id, tag.id)).status).toBe(200);
    expect(await changedAt()).toBeGreaterThan(1);
  });

  it("are never shown to visitors or changed by them", async () => {
    const id = await start();
    const tag = (await add(id, "Difficult customer")).body.data[0];
    const headers = { authorization: `Bearer ${createConversationToken(server.deps.encryption, id)}` };
    const seen = await server.app.inject({ url: `/conversations/${id}`, headers });
    expect([seen.statusCode, seen.body.includes("Difficult"), "tags" in seen.json().data]).toEqual([200, false, false]);
    for (const [method, url] of [
      ["POST", `/conversations/${id}/tags`],
      ["DELETE", `/conversations/${id}/tags/${tag.id}`],
      ["GET", "/tags"],
      ["PATCH", `/tags/${tag.id}`],
      ["DELETE", `/tags/${tag.id}`],
    ] as const) {
      const payload = method === "POST" || method === "PATCH" ? { name: "VIP" } : undefined;
      const answer = await server.app.inject({ method, url, headers, ...(payload ? { payload } : {}) });
      expect([method, url, answer.statusCode]).toEqual([method, url, 401]);
    }
    expect(await tagsOf(id)).toEqual(["Difficult customer"]);
  });

  it("belong to their organization: another one can neither read, use, rename nor delete them", async () => {
    const id = await start();
    const tag = (await add(id, "Ours")).body.data[0];
    const strangersAgent = await createAgent(stranger);
    const theirs = await insertConversation(
      server.deps.db,
      { organizationId: stranger.organizationId, agentId: strangersAgent },
      {},
      [{ content: "Hello" }],
    );
    expect((await add(id, "Mine", stranger)).status).toBe(404);
    expect((await remove(id, tag.id, stranger)).status).toBe(404);
    expect((await remove(theirs, tag.id, stranger)).status).toBe(404);
    expect((await stranger.call("PATCH", `/tags/${tag.id}`, { name: "Mine" })).status).toBe(404);
    expect((await stranger.call("DELETE", `/tags/${tag.id}`)).status).toBe(404);
    const own = (await add(theirs, "Ours", stranger)).body.data[0];
    expect(own.id).not.toBe(tag.id);
    expect(await all(stranger)).toMatchObject([{ id: own.id, name: "Ours" }]);
    const filtered = await stranger.call("GET", `/conversations?agentId=${strangersAgent}&tag=${tag.id}`);
    expect(filtered.body.data).toEqual([]);
    // A row that names both organizations does not grant access either.
    await server.deps.db
      .insertInto("conversationTags")
      .values({ organizationId: account.organizationId, conversationId: theirs, tagId: tag.id })
      .execute();
    expect((await stranger.call("GET", `/conversations/${theirs}`)).body.data.tags).toEqual([
      { id: own.id, name: "Ours" },
    ]);
    expect((await stranger.call("GET", `/conversations?agentId=${strangersAgent}&tag=${tag.id}`)).body.data).toEqual(
      [],
    );
    expect(await tagsOf(id)).toEqual(["Ours"]);
  });

  it("refuse names that are blank, longer than 40 characters, invisible or of several lines", async () => {
    const id = await start();
    for (const name of ["", "   ", "a\nb", "a\u0000b", "\u200b\u200b", "x".repeat(41), 7, null]) {
      const { status, body } = await account.call("POST", `/conversations/${id}/tags`, { name });
      expect([name, status, body.error.code, body.error.message]).toEqual([
        name,
        400,
        "VALIDATION_ERROR",
        expect.stringContaining("name"),
      ]);
    }
    expect((await add(id, "x".repeat(40))).status).toBe(200);
    expect((await add(newId("conv"), "refund")).status).toBe(404);
    expect((await add("conv_1", "refund")).status).toBe(404);
  });

  it("disappear with their conversation, agent or organization", async () => {
    const left = (id: string) =>
      server.deps.db.selectFrom("conversationTags").select("tagId").where("conversationId", "=", id).execute();
    const id = await start();
    await add(id, "gone");
    expect((await account.call("DELETE", `/conversations/${id}`)).status).toBe(200);
    expect(await left(id)).toEqual([]);
    const ended = await server.createAccount();
    const endedAgent = await createAgent(ended);
    const owner = { organizationId: ended.organizationId, agentId: endedAgent };
    const last = await insertConversation(server.deps.db, owner, {}, [{ content: "Bye" }]);
    await add(last, "gone", ended);
    await server.deps.db.deleteFrom("organizations").where("id", "=", ended.organizationId).execute();
    expect(await left(last)).toEqual([]);
    const tags = server.deps.db.selectFrom("tags").select("id").where("organizationId", "=", ended.organizationId);
    expect(await tags.execute()).toEqual([]);
  });

  describe("under concurrent requests", () => {
    it("are created once when several conversations use a new name at the same time", async () => {
      const ids = await Promise.all(Array.from({ length: 6 }, () => start()));
      const answers = await Promise.all(ids.map((id, index) => add(id, index % 2 === 0 ? "Storm" : "storm")));
      expect(answers.map(({ status }) => status)).toEqual(ids.map(() => 200));
      expect(new Set(answers.map(({ body }) => body.data[0].id)).size).toBe(1);
    });

    it("are added while another tag is renamed to the same name", async () => {
      for (let round = 0; round < 10; round++) {
        const ids = await Promise.all(Array.from({ length: 4 }, () => start()));
        const renamed = (await add(await start(), `before ${round}`)).body.data[0];
        const [renaming, ...additions] = await Promise.all([
          account.call("PATCH", `/tags/${renamed.id}`, { name: `after ${round}` }),
          ...ids.map((id) => add(id, `after ${round}`)),
        ]);
        expect([200, 409]).toContain(renaming.status);
        expect(additions.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
        expect(new Set(additions.map(({ body }) => body.data[0].id)).size).toBe(1);
      }
    });

    it("are added after another request has just given their name to another tag", async () => {
      const { db } = server.deps;
      const id = await start();
      const [renamed] = (await add(await start(), "before the race")).body.data;
      const addition = await db.transaction().execute(async (trx) => {
        const change = trx.updateTable("tags").set({ name: "Contested", nameKey: "contested" });
        await change.where("id", "=", renamed.id).where("organizationId", "=", account.organizationId).execute();
        const response = add(id, "Contested");
        // SQLite runs the addition after the transaction.
        if (database.address.kind === "postgres") await waitForBlockedStatement(db);
        return { response };
      });
      expect((await addition.response).body.data).toEqual([{ id: renamed.id, name: "Contested" }]);
    });

    it("are deleted by one of two requests that delete the same tag", async () => {
      const ids = await Promise.all(Array.from({ length: 6 }, () => start()));
      const [tag] = (await Promise.all(ids.map((id) => add(id, "deleted twice"))))[0]?.body.data ?? [];
      const answers = await Promise.all([0, 1].map(() => account.call("DELETE", `/tags/${tag.id}`)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 404]);
      expect(await Promise.all(ids.map(tagsOf))).toEqual(ids.map(() => []));
    });

    it("are at most 20 of a conversation, and a refused tag is not created", async () => {
      const id = await start();
      for (let n = 1; n < maxConversationTags; n++) await add(id, `tag ${n}`);
      const answers = await Promise.all(["x 1", "x 2", "x 3"].map((name) => add(id, name)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
      expect(answers.find(({ status }) => status === 409)?.body.error.message).toBe(
        "This conversation has 20 tags. Remove one before you add another.",
      );
      expect(await tagsOf(id)).toHaveLength(maxConversationTags);
      expect(namesOf(await all()).filter((name) => name.startsWith("x "))).toHaveLength(1);
      // Adding a tag that the conversation already has does not exceed the limit.
      expect((await add(id, "tag 1")).status).toBe(200);
    });

    it("are at most 500 of an organization, which can still use those that it has", async () => {
      const full = await server.createAccount();
      const fullAgent = await createAgent(full);
      const rows = Array.from({ length: maxTags - 1 }, (_, index) => ({
        id: newId("tag"),
        organizationId: full.organizationId,
        name: `Tag ${index}`,
        nameKey: `tag ${index}`,
        createdAt: 1,
      }));
      for (const part of [rows.slice(0, 250), rows.slice(250)]) {
        await server.deps.db.insertInto("tags").values(part).execute();
      }
      const owner = { organizationId: full.organizationId, agentId: fullAgent };
      const [one, other] = [
        await insertConversation(server.deps.db, owner, {}, []),
        await insertConversation(server.deps.db, owner, {}, []),
      ];
      const answers = await Promise.all([add(one, "One more", full), add(other, "And another", full)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
      expect((await add(one, "TAG 7", full)).status).toBe(200);
      expect(await all(full)).toHaveLength(maxTags);
    });
  });

  it("are exactly those that were added and not removed, after any sequence of changes", async () => {
    const names = ["refund", "Refund ", "bug", "VIP", "vip", "late  delivery"];
    const change = fc.record({ isAddition: fc.boolean(), name: fc.constantFrom(...names) });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 12 }), async (changes) => {
        const id = await start();
        const expected = new Map<string, string>();
        for (const { isAddition, name } of changes) {
          const key = name.replace(/\s+/g, " ").trim().toLowerCase();
          if (isAddition) {
            const tags: Named[] = (await add(id, name)).body.data;
            expected.set(key, tags.find((tag) => tag.name.toLowerCase() === key)?.id ?? "missing");
          } else if (expected.has(key)) {
            expect((await remove(id, expected.get(key) ?? "")).status).toBe(200);
            expected.delete(key);
          }
        }
        const { tags } = (await account.call("GET", `/conversations/${id}`)).body.data;
        expect(tags.map((tag: Named) => tag.id).sort()).toEqual([...expected.values()].sort());
      }),
      { numRuns: 15 },
    );
  });
});
