import { afterAll, beforeAll, expect, it } from "vitest";
import { onBothDatabases, type TestDatabase } from "../../../../../test/databases.ts";
import { startServer, type TestServer } from "../../../../../test/server.ts";
import { createMember, createOwner, signedInBrowser } from "../../../../../test/session-client.ts";
import type { ApiKey } from "../../../../contract/src/index.ts";
import { generateKey } from "./key-format.ts";
import { insertKey } from "./store.ts";

onBothDatabases("API keys", (createDatabase) => {
  let database: TestDatabase;
  let server: TestServer;
  let browser: Awaited<ReturnType<typeof signedInBrowser>>;
  beforeAll(async () => {
    database = await createDatabase();
    server = await startServer({ database });
    browser = await signedInBrowser(server, (await createOwner(server)).email);
  });
  afterAll(async () => {
    await server.stop();
    await database.drop();
  });

  const agentsBy = async (key: string) =>
    (await server.app.inject({ url: "/agents", headers: { authorization: `Bearer ${key}` } })).statusCode;

  it("are shown in full once and identified by their first characters", async () => {
    const { status, body, headers } = await browser.call("POST", "/api-keys", { name: " Laptop " });
    expect([status, headers["cache-control"]]).toEqual([201, "no-store"]);
    expect(body).toEqual({
      id: expect.stringMatching(/^key_/),
      name: "Laptop",
      key: expect.stringMatching(/^fyr_[0-9A-Za-z]{46}$/),
      start: body.key.slice(0, 8),
      createdBy: expect.stringMatching(/^owner-/),
      createdAt: expect.any(String),
      lastUsedAt: null,
      expiresAt: null,
    });
    expect(await agentsBy(body.key)).toBe(200);
    await expect
      .poll(async () => (await browser.call("GET", "/api-keys")).body[0].lastUsedAt)
      .toEqual(expect.any(String));
    const listed = await browser.call("GET", "/api-keys");
    expect(listed.text).not.toContain(body.key);
    const { key: _, ...rest } = body;
    expect(listed.body).toEqual([{ ...rest, lastUsedAt: expect.any(String) }]);
    const stored = await server.deps.db.selectFrom("apiKeys").selectAll().where("id", "=", body.id).execute();
    expect(JSON.stringify(stored)).not.toContain(body.key);
  });

  it("list the member who created them", async () => {
    const owner = await createOwner(server);
    const admin = await createMember(server, owner.organizationId, "admin");
    const [byOwner, byAdmin] = [await signedInBrowser(server, owner.email), await signedInBrowser(server, admin.email)];
    const { db } = server.deps;
    await byOwner.call("POST", "/api-keys", { name: "a" });
    await byAdmin.call("POST", "/api-keys", { name: "b" });
    await db.updateTable("users").set({ name: " " }).where("id", "=", admin.userId).execute();
    const makers = async () => (await byOwner.call("GET", "/api-keys")).body.map((key: ApiKey) => key.createdBy);
    expect(await makers()).toEqual([owner.email.split("@")[0], admin.email]);
  });

  it("stop working immediately when their creator leaves the organization, without affecting anything else", async () => {
    const owner = await createOwner(server);
    const admin = await createMember(server, owner.organizationId, "admin");
    const [byOwner, byAdmin] = [await signedInBrowser(server, owner.email), await signedInBrowser(server, admin.email)];
    const { key } = (await byAdmin.call("POST", "/api-keys", { name: "Theirs" })).body;
    const { key: kept } = (await byOwner.call("POST", "/api-keys", { name: "Kept" })).body;
    await byAdmin.call("POST", "/agents", { name: "Harbour" });
    expect([await agentsBy(key), await agentsBy(kept)]).toEqual([200, 200]);
    expect((await byOwner.call("DELETE", `/members/${admin.userId}`)).status).toBe(200);
    expect([await agentsBy(key), await agentsBy(kept)]).toEqual([401, 200]);
    expect((await byOwner.call("GET", "/api-keys")).body.map(({ name }: ApiKey) => name)).toEqual(["Kept"]);
    expect((await byOwner.call("GET", "/agents")).body.data).toHaveLength(1);
  });

  it("are limited to their creator's new role immediately", async () => {
    const owner = await createOwner(server);
    const admin = await createMember(server, owner.organizationId, "admin");
    const [byOwner, byAdmin] = [await signedInBrowser(server, owner.email), await signedInBrowser(server, admin.email)];
    const { key } = (await byAdmin.call("POST", "/api-keys", { name: "Theirs" })).body;
    const headers = { authorization: `Bearer ${key}` };
    const secrets = async () => (await server.app.inject({ url: "/secrets", headers })).statusCode;
    expect(await secrets()).toBe(200);
    await byOwner.call("PATCH", `/members/${admin.userId}`, { role: "member" });
    expect([await secrets(), await agentsBy(key)]).toEqual([403, 200]);
    await byOwner.call("PATCH", `/members/${admin.userId}`, { role: "admin" });
    expect(await secrets()).toBe(200);
  });

  it("are refused when their creator is not a member, even if the row still exists", async () => {
    const owner = await createOwner(server);
    const key = generateKey();
    await insertKey(server.deps.db, {
      organizationId: owner.organizationId,
      createdBy: (await createOwner(server)).userId,
      name: "Left behind",
      key,
      expiresAt: null,
    });
    expect(await agentsBy(key)).toBe(401);
  });

  it("stop working immediately when revoked", async () => {
    const { id, key } = (await browser.call("POST", "/api-keys", { name: "Short" })).body;
    expect(await agentsBy(key)).toBe(200);
    expect((await browser.call("DELETE", `/api-keys/${id}`)).body).toEqual({ success: true });
    expect(await agentsBy(key)).toBe(401);
    expect((await browser.call("DELETE", `/api-keys/${id}`)).status).toBe(404);
  });

  it("stop working when they expire", async () => {
    const later = new Date(Date.now() + 60_000).toISOString();
    const { body } = await browser.call("POST", "/api-keys", { name: "A minute", expiresAt: later });
    expect(body.expiresAt).toBe(later);
    expect(await agentsBy(body.key)).toBe(200);
    for (const expiresAt of ["2020-01-01", "2020-01-01T00:00:00Z"]) {
      const refused = await browser.call("POST", "/api-keys", { name: "Late", expiresAt });
      expect([refused.status, refused.body.error.details[0].path]).toEqual([400, "expiresAt"]);
    }
  });

  it("are created by users, never with a key", async () => {
    const { body } = await browser.call("POST", "/api-keys", { name: "Mother" });
    const before = (await browser.call("GET", "/api-keys")).body.length;
    const headers = { authorization: `Bearer ${body.key}` };
    const calls = [
      { method: "POST", url: "/api-keys", payload: { name: "Child" } },
      { method: "GET", url: "/api-keys" },
      { method: "DELETE", url: `/api-keys/${body.id}` },
    ] as const;
    for (const call of calls) {
      const response = await server.app.inject({ ...call, headers });
      expect([response.statusCode, response.json().error.code]).toEqual([403, "FORBIDDEN"]);
      // With both a key and a cookie, the key decides.
      const cookie = `foyer_session=${browser.cookies.get("foyer_session")}`;
      expect((await server.app.inject({ ...call, headers: { ...headers, cookie } })).statusCode).toBe(403);
    }
    expect((await browser.call("GET", "/api-keys")).body).toHaveLength(before);
  });

  it("are invisible to other organizations", async () => {
    const { id, key } = (await browser.call("POST", "/api-keys", { name: "Mine" })).body;
    const stranger = await signedInBrowser(server, (await createOwner(server)).email);
    expect((await stranger.call("GET", "/api-keys")).body).toEqual([]);
    const [foreign, unknown] = [id, "key_nobody"].map((name) => stranger.call("DELETE", `/api-keys/${name}`));
    expect([(await foreign)?.status, (await foreign)?.body]).toEqual([404, (await unknown)?.body]);
    expect(await agentsBy(key)).toBe(200);
  });

  it("are limited to one hundred per organization", async () => {
    const owner = await signedInBrowser(server, (await createOwner(server)).email);
    const make = () => owner.call("POST", "/api-keys", { name: "One of many" });
    const created = await Promise.all(Array.from({ length: 100 }, make));
    expect(created.every(({ status }) => status === 201)).toBe(true);
    expect((await make()).status).toBe(409);
  });
});
