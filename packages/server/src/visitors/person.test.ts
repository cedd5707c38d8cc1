import type { VisitorProfile } from "@foyer/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { insertConversation } from "../../../../test/conversation-seed.ts";
import { onBothDatabases, type TestDatabase } from "../../../../test/databases.ts";
import { createAgent } from "../../../../test/factories.ts";
import { startServer, type TestServer } from "../../../../test/server.ts";
import { createMember, signedInBrowser } from "../../../../test/session-client.ts";
import { createEncryption } from "../encryption.ts";
import { deleteOrphanedNotes } from "./visitor-notes.ts";

type Account = Awaited<ReturnType<TestServer["createAccount"]>>;

onBothDatabases("a visitor's profile", (createDatabase) => {
  let database: TestDatabase;
  let server: TestServer;
  let account: Account;
  let agentId: string;
  beforeAll(async () => {
    database = await createDatabase();
    server = await startServer({ database });
    account = await server.createAccount();
    agentId = await createAgent(account);
  });
  afterAll(async () => {
    await server.stop();
    await database.drop();
  });

  const seed = (fields: object) =>
    insertConversation(server.deps.db, { organizationId: account.organizationId, agentId }, fields, [
      { content: "Hello" },
    ]);
  const keyOf = async (id: string): Promise<string> =>
    (await account.call("GET", `/conversations/${id}`)).body.data.visitorKey;
  const profile = async (key: string): Promise<VisitorProfile> =>
    (await account.call("GET", `/visitors/${key}`)).body.data;
  const idsOf = async (key: string) => (await profile(key)).conversations.map(({ id }) => id).sort();

  it("has the conversations of a proven user, and none that only claim the same id", async () => {
    const proven = { userId: "ada", isUserVerified: 1 as const };
    const [first, second] = [await seed(proven), await seed({ ...proven, userEmail: "ada@example.com" })];
    const claimed = await seed({ userId: "ada" });
    const key = await keyOf(first);
    expect(await keyOf(second)).toBe(key);
    expect(await idsOf(key)).toEqual([first, second].sort());
    expect(await idsOf(await keyOf(claimed))).toEqual([claimed]);
  });

  it("finds anonymous visitors by their address in any letter case, or else by the session", async () => {
    const [small, large] = [await seed({ userEmail: "bo@example.com" }), await seed({ userEmail: "Bo@Example.com" })];
    const session = await seed({ sessionId: "session-of-bo" });
    expect(await idsOf(await keyOf(small))).toEqual([small, large].sort());
    expect(await idsOf(await keyOf(session))).toEqual([session]);
  });

  it("shows how the visitor rated each conversation", async () => {
    const ratedAt = Date.UTC(2026, 2, 1);
    const rated = await seed({ userId: "rater", ratingScore: 4, ratingComment: "Quick", ratedAt });
    await seed({ userId: "rater" });
    const { conversations } = await profile(await keyOf(rated));
    expect(conversations.map(({ rating }) => rating)).toEqual([
      null,
      { score: 4, comment: "Quick", ratedAt: new Date(ratedAt).toISOString() },
    ]);
  });

  it("has the same key in the list as in the conversation", async () => {
    const id = await seed({ userId: "list" });
    const { body } = await account.call("GET", `/conversations?agentId=${agentId}&userId=list`);
    expect(body.data.map((row: { visitorKey: string }) => row.visitorKey)).toEqual([await keyOf(id)]);
  });

  it("has no key when nothing is known about the visitor", async () => {
    expect(await keyOf(await seed({ sessionId: null }))).toBeNull();
  });

  it("joins identity, attributes, claims and the pages of all conversations", async () => {
    const proof = JSON.stringify({ id: "cy", email: "cy@example.com", name: null, claims: { plan: "pro" } });
    const id = await seed({
      userId: "cy",
      isUserVerified: 1,
      userName: "Cy",
      verifiedVisitor: proof,
      userMetadata: JSON.stringify({ cart: 3 }),
    });
    const page = JSON.stringify({ url: "https://shop.example/bikes", title: "Bikes", language: null, context: null });
    await server.deps.db.updateTable("messages").set({ page }).where("conversationId", "=", id).execute();
    expect(await profile(await keyOf(id))).toMatchObject({
      identity: "verified",
      userId: "cy",
      userName: "Cy",
      visitor: { claims: { plan: "pro" } },
      userMetadata: { cart: 3 },
      conversationCount: 1,
      conversations: [{ id, agentName: "Harbour" }],
      pages: [{ conversationId: id, url: "https://shop.example/bikes", title: "Bikes" }],
    });
  });

  it("leaves out conversations in the trash", async () => {
    const [kept, trashed] = [await seed({ userId: "dot" }), await seed({ userId: "dot" })];
    await account.call("POST", `/conversations/${trashed}/trash`);
    expect(await idsOf(await keyOf(kept))).toEqual([kept]);
  });

  it("keeps notes about the visitor across conversations", async () => {
    const key = await keyOf(await seed({ userId: "eve" }));
    const created = await account.call("POST", `/visitors/${key}/notes`, { text: "  Likes green bikes. " });
    expect([created.status, created.body.data.text]).toEqual([201, "Likes green bikes."]);
    const other = await keyOf(await seed({ userId: "eve" }));
    expect((await profile(other)).notes).toEqual([created.body.data]);
    expect((await account.call("DELETE", `/visitors/${key}/notes/${created.body.data.id}`)).status).toBe(200);
    expect((await account.call("DELETE", `/visitors/${key}/notes/${created.body.data.id}`)).status).toBe(404);
  });

  it("answers 404 for keys of another organization and for made-up keys", async () => {
    const key = await keyOf(await seed({ userId: "flo" }));
    const stranger = await server.createAccount();
    const changed = `${key.slice(0, -2)}AA`;
    for (const wrong of [changed, "nonsense", "A".repeat(64)]) {
      expect((await account.call("GET", `/visitors/${wrong}`)).status, wrong).toBe(404);
    }
    expect((await stranger.call("GET", `/visitors/${key}`)).status).toBe(404);
    expect((await stranger.call("POST", `/visitors/${key}/notes`, { text: "Hi" })).status).toBe(404);
  });

  it("is open to members, unlike the erasure of visitors", async () => {
    const key = await keyOf(await seed({ userId: "gus" }));
    const { email } = await createMember(server, account.organizationId, "member");
    const browser = await signedInBrowser(server, email);
    expect((await browser.call("GET", `/visitors/${key}`)).status).toBe(200);
    expect((await browser.call("GET", "/visitors/data?userId=gus")).status).toBe(403);
  });

  it("erases the notes with the visitor, and counts them", async () => {
    const key = await keyOf(await seed({ userId: "hal" }));
    await account.call("POST", `/visitors/${key}/notes`, { text: "Owes 3 euros" });
    expect((await account.call("GET", "/visitors/data?userId=hal")).body.counts.notes).toBe(1);
    const erased = await account.call("POST", "/visitors/erase", { userId: "hal" });
    expect(erased.body.counts.notes).toBe(1);
    const left = server.deps.db.selectFrom("visitorNotes").select("id").where("value", "=", "hal");
    expect(await left.execute()).toEqual([]);
  });

  it("deletes notes when no conversation of the visitor is left", async () => {
    const [kept, gone] = [await seed({ userId: "ida" }), await seed({ userId: "jo" })];
    for (const id of [kept, gone]) await account.call("POST", `/visitors/${await keyOf(id)}/notes`, { text: "Note" });
    await account.call("DELETE", `/conversations/${gone}`);
    expect(await deleteOrphanedNotes(server.deps.db)).toBe(1);
    expect((await profile(await keyOf(kept))).notes).toHaveLength(1);
  });
});

describe("pseudonyms", () => {
  const encryption = createEncryption("a secret of the tests, long enough");
  it("name the same text equally within a context, and differently in another", () => {
    const [one, two] = [encryption.createPseudonym("ada", "org_1"), encryption.createPseudonym("ada", "org_2")];
    expect(encryption.createPseudonym("ada", "org_1")).toBe(one);
    expect(two).not.toBe(one);
    expect(encryption.readPseudonym(one, "org_1")).toBe("ada");
    expect(encryption.readPseudonym(one, "org_2")).toBeNull();
    expect(one).not.toContain(Buffer.from("ada").toString("base64url"));
  });
});
