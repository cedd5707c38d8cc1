import { createHash } from "node:crypto";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { onBothDatabases, type TestDatabase } from "../../../../../test/databases.ts";
import { startServer, type TestServer } from "../../../../../test/server.ts";
import {
  createBrowser,
  createOrganization,
  createOwner,
  password,
  signedInBrowser,
} from "../../../../../test/session-client.ts";
import { setPassword } from "../account-store.ts";

const env = { FOYER_LIMIT_SIGN_IN_PER_ADDRESS: "0" };

onBothDatabases("sign-in", (createDatabase) => {
  let database: TestDatabase;
  let server: TestServer;
  beforeAll(async () => {
    database = await createDatabase();
    server = await startServer({ database, env });
  });
  afterAll(async () => {
    await server.stop();
    await database.drop();
  });

  it("creates a session with the same access as an API key", async () => {
    const { email, userId, organizationId } = await createOwner(server);
    const browser = createBrowser(server);
    const { status, body, set, headers } = await browser.signIn(` ${email.toUpperCase()} `);
    expect(status).toBe(200);
    expect(body).toEqual({
      user: { id: userId, name: email.split("@")[0], email, emailVerified: true },
      organization: { id: organizationId, name: "My organization", plan: "pro" },
      role: "owner",
      organizations: [{ id: organizationId, name: "My organization", role: "owner" }],
      expiresAt: expect.any(String),
    });
    expect(Date.parse(body.expiresAt) - Date.now()).toBeGreaterThan(6.99 * 86_400_000);
    expect(set).toEqual([
      expect.stringMatching(/^foyer_session=[^;]+; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/),
    ]);
    expect(headers["cache-control"]).toBe("no-store");
    const created = await browser.call("POST", "/agents", { name: "By cookie" });
    expect([created.status, created.body.data.name]).toEqual([201, "By cookie"]);
    expect((await browser.call("GET", "/agents")).body.data).toHaveLength(1);
    expect((await browser.call("GET", "/auth/session")).body).toEqual(body);
  });

  it("ends immediately and permanently with sign-out", async () => {
    const browser = await signedInBrowser(server, (await createOwner(server)).email);
    const before = Object.fromEntries(browser.cookies);
    const { status, body, set } = await browser.call("POST", "/auth/sign-out");
    expect([status, body]).toEqual([200, { success: true }]);
    expect(set).toEqual(["foyer_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax"]);
    browser.cookies.set("foyer_session", before.foyer_session ?? "");
    const after = await browser.call("GET", "/auth/session");
    expect([after.status, after.body.error.code]).toEqual([401, "UNAUTHORIZED"]);
  });

  it("creates a new session each time and ends the browser's previous one", async () => {
    const { email } = await createOwner(server);
    const browser = await signedInBrowser(server, email);
    const first = browser.cookies.get("foyer_session") ?? "";
    await browser.signIn(email);
    expect(browser.cookies.get("foyer_session")).not.toBe(first);
    const old = createBrowser(server);
    old.cookies.set("foyer_session", first);
    expect((await old.call("GET", "/auth/session")).status).toBe(401);
    expect((await browser.call("GET", "/auth/session")).status).toBe(200);
  });

  it("refuses a cookie with a foreign signature, without one, or with a token from the database", async () => {
    const { email } = await createOwner(server);
    const browser = await signedInBrowser(server, email);
    const [token = "", signature = ""] = decodeURIComponent(browser.cookies.get("foyer_session") ?? "").split(".");
    const stored = await server.deps.db.selectFrom("sessions").selectAll().where("token", "=", token).execute();
    expect(stored).toHaveLength(1);
    const forged = createHash("sha256").update(token).digest("base64");
    for (const value of [
      token,
      `${token}.`,
      `${token}.${forged}`,
      `x${token}.${signature}`,
      "%",
      ".",
      `.${signature}`,
    ]) {
      browser.cookies.set("foyer_session", value);
      expect((await browser.call("GET", "/agents")).status, value).toBe(401);
    }
  });

  it("expires after seven days unless the session is in use", async () => {
    const browser = await signedInBrowser(server, (await createOwner(server)).email);
    const { db } = server.deps;
    const token = decodeURIComponent(browser.cookies.get("foyer_session") ?? "").split(".")[0] ?? "";
    const at = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
    const set = (values: { updatedAt: string; expiresAt: string }) =>
      db.updateTable("sessions").set(values).where("token", "=", token).execute();
    await set({ updatedAt: at(-2), expiresAt: at(5) });
    const seen = await browser.call("GET", "/auth/session");
    expect(seen.set).toEqual([expect.stringContaining("Max-Age=604800")]);
    expect((await browser.call("GET", "/auth/session")).set).toEqual([]);
    const row = await db
      .selectFrom("sessions")
      .select("expiresAt")
      .where("token", "=", token)
      .executeTakeFirstOrThrow();
    expect(new Date(row.expiresAt).getTime() - Date.now()).toBeGreaterThan(6.99 * 86_400_000);
    await set({ updatedAt: at(-8), expiresAt: at(-0.001) });
    expect((await browser.call("GET", "/auth/session")).status).toBe(401);
  });

  it("works in one organization at a time and switches only between the user's own", async () => {
    const { email, userId, organizationId } = await createOwner(server);
    const second = await createOrganization(server, userId);
    const foreign = await createOwner(server);
    const browser = await signedInBrowser(server, email);
    await browser.call("POST", "/agents", { name: "First" });
    const switched = await browser.call("POST", "/auth/switch-organization", { organizationId: second });
    expect(switched.body).toMatchObject({ organization: { id: second, plan: "free" }, role: "owner" });
    expect(switched.body.organizations.map(({ id }: { id: string }) => id)).toEqual([organizationId, second]);
    expect((await browser.call("GET", "/agents")).body.data).toEqual([]);
    for (const id of [foreign.organizationId, "org_nobody"]) {
      const refused = await browser.call("POST", "/auth/switch-organization", { organizationId: id });
      expect([refused.status, refused.body.error.code]).toEqual([404, "NOT_FOUND"]);
    }
    expect((await browser.call("GET", "/auth/session")).body.organization.id).toBe(second);
  });

  it("changes the password and ends all sessions except this browser's", async () => {
    const { email, userId } = await createOwner(server);
    const second = await createOrganization(server, userId);
    const [here, there] = [await signedInBrowser(server, email), await signedInBrowser(server, email)];
    await here.call("POST", "/auth/switch-organization", { organizationId: second });
    const change = (currentPassword: string, newPassword: string) =>
      here.call("POST", "/auth/change-password", { currentPassword, newPassword });
    const wrong = await change("not the password", "another long password");
    expect([wrong.status, wrong.body.error.details[0].path]).toEqual([400, "currentPassword"]);
    expect((await change(password, "too short")).body.error.details[0].path).toBe("newPassword");
    const changed = await change(password, "another long password");
    expect([changed.status, changed.body.organization.id]).toEqual([200, second]);
    expect((await here.call("GET", "/agents")).status).toBe(200);
    expect((await there.call("GET", "/agents")).status).toBe(401);
    expect((await createBrowser(server).signIn(email)).status).toBe(401);
    expect((await createBrowser(server).signIn(email, "another long password")).status).toBe(200);
  });
});

onBothDatabases("a server with open sign-up", (createDatabase) => {
  it("creates one organization for a new user who signs in from several browsers at once", async () => {
    const database = await createDatabase();
    const server = await startServer({ database, env: { ...env, FOYER_OPEN_SIGNUP: "true" } });
    await createOwner(server);
    const email = "fresh@example.com";
    const signUp = () => createBrowser(server).call("POST", "/auth/sign-up/email", { email, password });
    const answers = await Promise.all([signUp(), signUp()]);
    expect(answers.some(({ status }) => status === 201)).toBe(true);
    const sessions = await Promise.all(Array.from({ length: 4 }, () => createBrowser(server).signIn(email)));
    const ids = new Set(sessions.map(({ body }) => body.organization?.id));
    expect([ids.size, [...ids][0]]).toEqual([1, expect.stringMatching(/^org_/)]);
    expect(sessions[0]?.body.organizations).toHaveLength(1);
    await server.stop();
    await database.drop();
  });
});

describe("a password set by the operator", () => {
  it("ends the sessions of the previous password, while a restart with the same one ends none", async () => {
    const server = await startServer({ env });
    const { email, userId } = await createOwner(server);
    const browser = await signedInBrowser(server, email);
    await setPassword(server.deps.db, userId, password);
    expect((await browser.call("GET", "/auth/session")).status).toBe(200);
    await setPassword(server.deps.db, userId, "another long password");
    expect((await browser.call("GET", "/auth/session")).status).toBe(401);
    await server.stop();
  });

  it("is not set when the earlier sessions cannot be ended, as with a reset", async () => {
    const server = await startServer({ env: { ...env, HOST: "0.0.0.0" } });
    const { db } = server.deps;
    const { email, userId } = await createOwner(server);
    const browser = await signedInBrowser(server, email);
    await browser.call("POST", "/auth/request-password-reset", { email });
    const links = async () => (await browser.call("GET", "/members/links")).body;
    await expect.poll(links).toHaveLength(1);
    const token = new URL((await links())[0].url).searchParams.get("token");
    await sql`create trigger kept before delete on sessions begin select raise(abort, 'no'); end`.execute(db);
    await expect(setPassword(db, userId, "another long password")).rejects.toThrow("no");
    const reset = { token, newPassword: "another long password" };
    expect((await createBrowser(server).call("POST", "/auth/reset-password", reset)).status).toBe(500);
    await sql`drop trigger kept`.execute(db);
    expect((await createBrowser(server).signIn(email, "another long password")).status).toBe(401);
    expect((await createBrowser(server).signIn(email)).status).toBe(200);
    await server.stop();
  });
});

describe("sign-in over HTTPS", () => {
  it("restricts its cookie to HTTPS and uses the __Host- prefix, which no other host can set", async () => {
    const server = await startServer({ env: { ...env, BASE_URL: "https://chat.example.com" } });
    const { email } = await createOwner(server);
    const browser = createBrowser(server);
    const { set } = await browser.signIn(email);
    expect(set).toEqual([
      expect.stringMatching(/^__Host-foyer_session=[^;]+; Max-Age=604800; Path=\/; HttpOnly; Secure; SameSite=Lax$/),
    ]);
    expect((await browser.call("POST", "/auth/sign-out")).set).toEqual([expect.stringMatching(/Max-Age=0.*; Secure$/)]);
    await server.stop();
  });
});
