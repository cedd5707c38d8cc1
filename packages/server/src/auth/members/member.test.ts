import type { Logger } from "pino";
import { afterAll, beforeAll, expect, it } from "vitest";
import { onBothDatabases, type TestDatabase } from "../../../../../test/databases.ts";
import { startServer, type TestServer } from "../../../../../test/server.ts";
import {
  createBrowser,
  createMember,
  createOwner,
  password,
  signedInBrowser,
} from "../../../../../test/session-client.ts";
import { newId } from "../../ids.ts";
import { hasAccounts, writePassword } from "../account-store.ts";
import { ensureAdmin } from "./ensure-admin.ts";
import { acceptInvitation, insertInvitation } from "./invitation-store.ts";

const env = { FOYER_LIMIT_SIGN_IN_PER_ADDRESS: "0" };

onBothDatabases("members", (createDatabase) => {
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

  /** Creates an organization with one member of each role, each with a browser. */
  async function createTeam() {
    const owner = await createOwner(server);
    const admin = await createMember(server, owner.organizationId, "admin");
    const member = await createMember(server, owner.organizationId, "member");
    return {
      owner,
      admin,
      member,
      organizationId: owner.organizationId,
      by: {
        owner: await signedInBrowser(server, owner.email),
        admin: await signedInBrowser(server, admin.email),
        member: await signedInBrowser(server, member.email),
      },
    };
  }

  it("are listed for every member and for keys, with the ids that email actions use", async () => {
    const { owner, admin, member, by } = await createTeam();
    const { body } = await by.member.call("GET", "/members");
    expect(body.map(({ id, role }: { id: string; role: string }) => [id, role])).toEqual([
      [owner.userId, "owner"],
      [admin.userId, "admin"],
      [member.userId, "member"],
    ]);
    const { key } = (await by.owner.call("POST", "/api-keys", { name: "k" })).body;
    const headers = { authorization: `Bearer ${key}` };
    expect((await server.app.inject({ url: "/members", headers })).json()).toEqual(body);
    expect(body[0]).toEqual({
      id: owner.userId,
      name: owner.email.split("@")[0],
      email: owner.email,
      role: "owner",
      joinedAt: expect.stringMatching(/^\d{4}-.*Z$/),
    });
  });

  it("get another role, which applies from the next call", async () => {
    const { member, by } = await createTeam();
    expect((await by.member.call("GET", "/secrets")).status).toBe(403);
    const { status, body } = await by.admin.call("PATCH", `/members/${member.userId}`, { role: "admin" });
    expect([status, body.role]).toEqual([200, "admin"]);
    expect((await by.member.call("GET", "/secrets")).status).toBe(200);
    await by.owner.call("PATCH", `/members/${member.userId}`, { role: "member" });
    expect((await by.member.call("GET", "/secrets")).status).toBe(403);
  });

  it("are removed, and their sessions in the organization end immediately", async () => {
    const { member, by } = await createTeam();
    expect((await by.admin.call("DELETE", `/members/${member.userId}`)).body).toEqual({ success: true });
    expect((await by.member.call("GET", "/agents")).status).toBe(401);
    expect((await by.owner.call("GET", "/members")).body).toHaveLength(2);
    const again = createBrowser(server);
    expect((await again.signIn(member.email)).body).toMatchObject({ organization: null, role: null });
    expect((await again.call("GET", "/agents")).status).toBe(403);
    expect((await by.admin.call("DELETE", `/members/${member.userId}`)).status).toBe(404);
  });

  it("with the admin role can neither change owners nor make anyone an owner", async () => {
    const { owner, admin, member, by } = await createTeam();
    const calls = [
      by.admin.call("PATCH", `/members/${owner.userId}`, { role: "member" }),
      by.admin.call("DELETE", `/members/${owner.userId}`),
      by.admin.call("PATCH", `/members/${member.userId}`, { role: "owner" }),
      by.admin.call("PATCH", `/members/${admin.userId}`, { role: "owner" }),
      by.admin.call("POST", "/invitations", { email: "new@example.com", role: "owner" }),
    ];
    for (const call of calls) expect((await call).status).toBe(403);
    const roles = (await by.owner.call("GET", "/members")).body.map(({ role }: { role: string }) => role);
    expect(roles).toEqual(["owner", "admin", "member"]);
  });

  it("with the admin role can neither see, replace nor revoke an invitation for an owner", async () => {
    const { by } = await createTeam();
    const email = "next-owner@example.com";
    const { id } = (await by.owner.call("POST", "/invitations", { email, role: "owner" })).body;
    expect((await by.admin.call("GET", "/invitations")).body).toEqual([]);
    expect((await by.admin.call("POST", "/invitations", { email, role: "member" })).status).toBe(403);
    expect((await by.admin.call("DELETE", `/invitations/${id}`)).status).toBe(404);
    const [open] = (await by.owner.call("GET", "/invitations")).body;
    expect(open).toMatchObject({ id, role: "owner" });
    expect((await by.owner.call("POST", "/invitations", { email, role: "member" })).status).toBe(201);
    expect((await by.admin.call("GET", "/invitations")).body).toMatchObject([{ email, role: "member" }]);
  });

  it("cannot return through invitations that their role no longer allows", async () => {
    const { owner, admin, by } = await createTeam();
    await by.owner.call("PATCH", `/members/${admin.userId}`, { role: "owner" });
    const invite = (who: typeof by.owner, role: string) =>
      who.call("POST", "/invitations", { email: `back-as-${role}@example.com`, role });
    for (const role of ["owner", "admin"]) expect((await invite(by.admin, role)).status).toBe(201);
    expect((await by.owner.call("POST", "/invitations", { email: "other@example.com", role: "owner" })).status).toBe(
      201,
    );
    const emails = async () =>
      (await by.owner.call("GET", "/invitations")).body.map((one: { email: string }) => one.email);
    await by.owner.call("PATCH", `/members/${admin.userId}`, { role: "admin" });
    expect(await emails()).toEqual(["other@example.com", "back-as-admin@example.com"]);
    await by.owner.call("DELETE", `/members/${admin.userId}`);
    expect(await emails()).toEqual(["other@example.com"]);
    expect((await by.owner.call("PATCH", `/members/${owner.userId}`, { role: "member" })).status).toBe(409);
    expect(await emails()).toEqual(["other@example.com"]);
  });

  it("invite with their current role, not the one at the start of the request", async () => {
    const { admin, organizationId, by } = await createTeam();
    const { db } = server.deps;
    const invitation = (email: string, inviterId: string, role = "member") => ({
      id: newId("invitation"),
      organizationId,
      email,
      role,
      inviterId,
      createdAt: new Date().toISOString(),
      expiresAt: new Date(Date.now() + 60_000).toISOString(),
    });
    const early = invitation("early@example.com", admin.userId);
    expect(await insertInvitation(db, early)).toBe("done");
    expect(await insertInvitation(db, invitation("boss@example.com", admin.userId, "owner"))).toBe("forbidden");
    // Lowers the role directly, because the endpoint would also cancel the admin's invitations.
    const demote = (role: string) =>
      db.updateTable("members").set({ role }).where("userId", "=", admin.userId).execute();
    await demote("member");
    expect(await insertInvitation(db, invitation("late@example.com", admin.userId))).toBe("no admin");
    const guest = await createOwner(server, "early@example.com");
    const user = { id: guest.userId, email: guest.email };
    expect(await acceptInvitation(db, early.id, user)).toBeNull();
    await demote("admin");
    expect(await acceptInvitation(db, early.id, user)).toBe(organizationId);
    expect(await acceptInvitation(db, early.id, user)).toBeNull();
    for (let round = 0; round < 10; round++) {
      const email = `round-${round}@example.com`;
      await demote("admin");
      await Promise.all([
        by.owner.call("PATCH", `/members/${admin.userId}`, { role: "member" }),
        by.admin.call("POST", "/invitations", { email, role: "member" }),
      ]);
      expect((await by.owner.call("GET", "/invitations")).body).toEqual([]);
    }
  });

  it("named by the environment do not inherit the password, session or key of a stranger who signed up first", async () => {
    const open = await startServer({ database, env: { FOYER_OPEN_SIGNUP: "true" } });
    const { db, log } = open.deps;
    const ensure = (email: string) =>
      ensureAdmin({ db, log }, { admin: { email, password: "the operator's password", apiKey: null } });
    for (const [email, hasComeIn] of [
      ["taken@example.com", true],
      ["taken-too@example.com", false],
    ] as const) {
      const stranger = createBrowser(open);
      const signUp = { email, password: "the stranger's password" };
      expect((await stranger.call("POST", "/auth/sign-up/email", signUp)).status).toBe(201);
      let key = "";
      if (hasComeIn) {
        expect((await stranger.signIn(email, signUp.password)).body.role).toBe("owner");
        key = (await stranger.call("POST", "/api-keys", { name: "back door" })).body.key;
      }
      const { id: userId } = await db
        .selectFrom("users")
        .select("id")
        .where("email", "=", email)
        .executeTakeFirstOrThrow();
      const times = { createdAt: new Date().toISOString(), updatedAt: new Date().toISOString() };
      const none = { accessToken: null, refreshToken: null, idToken: null, scope: null, password: null };
      const expiry = { accessTokenExpiresAt: null, refreshTokenExpiresAt: null };
      const other = { id: newId("identity"), userId, providerId: "oidc", accountId: email };
      await db
        .insertInto("identities")
        .values({ ...other, ...none, ...expiry, ...times })
        .execute();
      await ensure(email);
      expect((await stranger.call("GET", "/auth/session")).status).toBe(401);
      expect((await createBrowser(open).signIn(email, signUp.password)).status).toBe(401);
      if (key) {
        // The running process accepts a cached key for up to 5 more seconds.
        open.deps.keys.clearCache();
        const headers = { authorization: `Bearer ${key}` };
        expect((await open.app.inject({ url: "/agents", headers })).statusCode).toBe(401);
      }
      const operator = createBrowser(open);
      const { body } = await operator.signIn(email, "the operator's password");
      expect(body).toMatchObject({ role: "owner", user: { emailVerified: true } });
      const ways = await db.selectFrom("identities").select("providerId").where("userId", "=", userId).execute();
      expect(ways).toEqual([{ providerId: "credential" }]);
      await ensure(email);
      expect((await operator.call("GET", "/auth/session")).status).toBe(200);
    }
    await open.stop();
  });

  it("named by the environment own an organization even when the start that claimed the user was interrupted", async () => {
    const open = await startServer({ database, env: { FOYER_OPEN_SIGNUP: "true" } });
    await createOwner(open);
    const email = "cut-off@example.com";
    const signUp = { email, password: "the stranger's password" };
    expect((await createBrowser(open).call("POST", "/auth/sign-up/email", signUp)).status).toBe(201);
    const admin = { email, password: "the operator's password", apiKey: null };
    const warn = () => {
      throw new Error("cut off");
    };
    await expect(ensureAdmin({ db: open.deps.db, log: { warn } }, { admin })).rejects.toThrow("cut off");
    await open.stop();
    await ensureAdmin(server.deps, { admin });
    expect((await createBrowser(server).signIn(email, admin.password)).body).toMatchObject({ role: "owner" });
  });

  it("named by the environment have one key from it, and a changed or removed key stops working", async () => {
    const { db } = server.deps;
    const admin = { email: "rotating@example.com", password };
    const warnings: string[] = [];
    const log = { warn: (message: string) => void warnings.push(message) } as unknown as Logger;
    const ensure = (apiKey: string | null) => ensureAdmin({ db, log }, { admin: { ...admin, apiKey } });
    const works = async (key: string) => {
      server.deps.keys.clearCache();
      const headers = { authorization: `Bearer ${key}` };
      return (await server.app.inject({ url: "/agents", headers })).statusCode === 200;
    };
    const [first, second] = ["the-first-key-of-the-operator", "the-second-key-of-the-operator"];
    await ensure(first);
    await ensure(first);
    expect([await works(first), warnings]).toEqual([true, []]);
    const browser = await signedInBrowser(server, admin.email);
    const { key: own } = (await browser.call("POST", "/api-keys", { name: "FOYER_ADMIN_API_KEY" })).body;
    await ensure(second);
    expect([await works(first), await works(second), await works(own)]).toEqual([false, true, true]);
    await ensure(null);
    expect([await works(second), await works(own)]).toEqual([false, true]);
    expect(warnings).toEqual([
      "FOYER_ADMIN_API_KEY changed; removed the API key created by an earlier start",
      "FOYER_ADMIN_API_KEY is not set; removed the API key created by an earlier start",
    ]);
  });

  it("get their first password once, even when several processes set it", async () => {
    const { db } = server.deps;
    const { userId } = await createOwner(server);
    await db.deleteFrom("identities").where("userId", "=", userId).execute();
    // Each uses its own connection, so that they write concurrently.
    await Promise.all([1, 2, 3].map(() => hasAccounts(db)));
    const writes = await Promise.allSettled(["a", "b", "c"].map((hash) => writePassword(db, userId, { hash })));
    expect(writes.filter(({ status }) => status === "rejected")).toEqual([]);
    const ways = await db.selectFrom("identities").select("providerId").where("userId", "=", userId).execute();
    expect(ways).toEqual([{ providerId: "credential" }]);
  });

  it("named by the environment do not prevent the server from starting after others removed them", async () => {
    const email = "named@example.com";
    const admin = { email, password, apiKey: "a-key-that-the-operator-chose" };
    await ensureAdmin(server.deps, { admin });
    const first = await signedInBrowser(server, email);
    const { organization, user } = (await first.call("GET", "/auth/session")).body;
    const other = await createMember(server, organization.id, "owner");
    const browser = await signedInBrowser(server, other.email);
    expect((await browser.call("DELETE", `/members/${user.id}`)).status).toBe(200);
    await ensureAdmin(server.deps, { admin: { ...admin, password: "another long password" } });
    expect((await createBrowser(server).signIn(email, "another long password")).body).toMatchObject({ role: null });
    expect((await browser.call("GET", "/members")).body).toHaveLength(1);
  });

  it("always keep one owner, even when two owners demote each other concurrently", async () => {
    const { owner, admin, by } = await createTeam();
    const alone = await by.owner.call("PATCH", `/members/${owner.userId}`, { role: "member" });
    expect([alone.status, alone.body.error.code]).toEqual([409, "CONFLICT"]);
    expect((await by.owner.call("DELETE", `/members/${owner.userId}`)).status).toBe(409);
    await by.owner.call("PATCH", `/members/${admin.userId}`, { role: "owner" });
    const both = await Promise.all([
      by.owner.call("PATCH", `/members/${admin.userId}`, { role: "member" }),
      by.admin.call("PATCH", `/members/${owner.userId}`, { role: "member" }),
    ]);
    expect(both.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(1);
    const owners = await server.deps.db
      .selectFrom("members")
      .selectAll()
      .where("organizationId", "=", owner.organizationId)
      .where("role", "=", "owner")
      .execute();
    expect(owners).toHaveLength(1);
  });

  it("of other organizations are not found", async () => {
    const { member, by } = await createTeam();
    const other = await signedInBrowser(server, (await createOwner(server)).email);
    const invitation = (await by.owner.call("POST", "/invitations", { email: "i@example.com", role: "member" })).body;
    const pairs = [
      ["PATCH", "/members/", member.userId, { role: "admin" }],
      ["DELETE", "/members/", member.userId, undefined],
      ["DELETE", "/invitations/", invitation.id, undefined],
    ] as const;
    for (const [method, start, id, body] of pairs) {
      const [foreign, unknown] = [
        await other.call(method, start + id, body),
        await other.call(method, `${start}x`, body),
      ];
      expect([foreign.status, foreign.body]).toEqual([404, unknown.body]);
    }
    expect((await other.call("GET", "/invitations")).body).toEqual([]);
    expect((await by.owner.call("GET", "/invitations")).body).toHaveLength(1);
  });

  it("join by invitation: a new user signs up with the invited address and gets the invited role", async () => {
    const { organizationId, by } = await createTeam();
    const invite = { email: " New.Person@example.com ", role: "admin" };
    const { status, body: invitation } = await by.admin.call("POST", "/invitations", invite);
    expect(status).toBe(201);
    expect(invitation).toMatchObject({
      email: "new.person@example.com",
      role: "admin",
      url: `http://localhost:3000/dashboard/invitations/${invitation.id}`,
    });
    const guest = createBrowser(server);
    const { body: read } = await guest.call("GET", `/invitations/${invitation.id}`);
    expect(read).toMatchObject({
      email: "new.person@example.com",
      role: "admin",
      organizationName: expect.any(String),
    });
    const signUp = (email: string, invitationId?: string) =>
      guest.call("POST", "/auth/sign-up/email", { email, password, ...(invitationId ? { invitationId } : {}) });
    for (const refused of [
      signUp("somebody@example.com", invitation.id),
      signUp("new.person@example.com"),
      signUp("new.person@example.com", "invitation_x"),
    ]) {
      expect([(await refused).status, (await refused).body.error.code]).toEqual([403, "FORBIDDEN"]);
    }
    expect(await signUp("new.person@example.com", invitation.id)).toMatchObject({
      status: 201,
      body: { success: true, verificationSent: false },
    });
    expect((await guest.signIn("new.person@example.com")).body).toMatchObject({ organization: null, role: null });
    const joined = await guest.call("POST", `/invitations/${invitation.id}/accept`);
    expect([joined.status, joined.body]).toEqual([200, { success: true }]);
    expect((await guest.call("GET", "/auth/session")).body).toMatchObject({
      organization: { id: organizationId },
      role: "admin",
    });
    expect((await guest.call("POST", `/invitations/${invitation.id}/accept`)).status).toBe(404);
    // A user whose address is not verified cannot invite others.
    const onward = await guest.call("POST", "/invitations", { email: "third@example.com", role: "member" });
    expect([onward.status, onward.body.error.message]).toEqual([403, expect.stringContaining("Verify")]);
  });

  it("accept an invitation only with the invited address, and not after it was revoked, replaced or has expired", async () => {
    const { by } = await createTeam();
    const guest = await createOwner(server);
    const browser = await signedInBrowser(server, guest.email);
    const other = await signedInBrowser(server, (await createOwner(server)).email);
    const invite = async () =>
      (await by.owner.call("POST", "/invitations", { email: guest.email, role: "member" })).body.id as string;
    const accept = async (who: typeof browser, id: string) =>
      (await who.call("POST", `/invitations/${id}/accept`)).status;
    const first = await invite();
    expect(await accept(other, first)).toBe(404);
    const second = await invite();
    expect(await accept(browser, first)).toBe(404);
    expect((await by.owner.call("DELETE", `/invitations/${second}`)).status).toBe(200);
    expect(await accept(browser, second)).toBe(404);
    const third = await invite();
    const past = new Date(Date.now() - 1).toISOString();
    await server.deps.db.updateTable("invitations").set({ expiresAt: past }).where("id", "=", third).execute();
    expect(await accept(browser, third)).toBe(404);
    expect((await browser.call("GET", `/invitations/${third}`)).status).toBe(404);
    const fourth = await invite();
    const answers = await Promise.all(Array.from({ length: 5 }, () => accept(browser, fourth)));
    expect(answers.toSorted()).toEqual([200, 404, 404, 404, 404]);
    expect((await browser.call("GET", "/auth/session")).body.organizations).toHaveLength(2);
    const again = await by.owner.call("POST", "/invitations", { email: guest.email, role: "admin" });
    expect([again.status, again.body.error.code]).toEqual([409, "CONFLICT"]);
  });
});
