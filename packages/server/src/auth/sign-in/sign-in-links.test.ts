import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createSqlite, onBothDatabases, type TestDatabase } from "../../../../../test/databases.ts";
import { startServer, type TestServer } from "../../../../../test/server.ts";
import {
  createBrowser,
  createMember,
  createOrganization,
  createOwner,
  password,
  signedInBrowser,
} from "../../../../../test/session-client.ts";
import { type SmtpTestServer, startSmtpServer } from "../../../../../test/smtp-server.ts";
import { writePassword } from "../account-store.ts";

const limitsOff = { FOYER_LIMIT_SIGN_IN_PER_ADDRESS: "0", FOYER_LIMIT_SIGN_IN_PER_IP: "0" };
const linkIn = (text: string) => /https?:\/\/\S+/.exec(text)?.[0] ?? "";
const pathOf = (link: string) => link.replace(/^https?:\/\/[^/]+/, "");

onBothDatabases("an emailed link", (createDatabase) => {
  let database: TestDatabase;
  let smtp: SmtpTestServer;
  let server: TestServer;
  beforeAll(async () => {
    database = await createDatabase();
    smtp = await startSmtpServer();
    server = await startServer({
      database,
      env: { ...limitsOff, SMTP_URL: smtp.url, BASE_URL: "https://chat.example.com", FOYER_OPEN_SIGNUP: "true" },
    });
    // An empty server accepts only the setup link, so the owner is created first.
    await createOwner(server);
  });
  afterAll(async () => {
    await server.stop();
    await smtp.close();
    await database.drop();
  });

  /** The email that `to` receives because of the call. */
  async function receiveMailAfter(to: string, call: () => Promise<{ status: number }>) {
    const mails = () => smtp.mails().filter((mail) => mail.to[0] === to);
    const before = mails().length;
    expect([200, 201, 403]).toContain((await call()).status);
    await expect.poll(() => mails().length).toBe(before + 1);
    const { text, subject } = mails()[before] ?? { text: "", subject: "" };
    return { text, subject, link: linkIn(text) };
  }

  it("signs the user in once and redirects to the callback URL", async () => {
    const { email, organizationId } = await createOwner(server);
    const browser = createBrowser(server);
    const callbackUrl = "/dashboard/agents?tab=1#top";
    const { link } = await receiveMailAfter(email, () =>
      browser.call("POST", "/auth/magic-link", { email, callbackUrl }),
    );
    expect(link).toMatch(/^https:\/\/chat\.example\.com\/auth\/magic-link\/verify\?token=[A-Za-z]{32}&callbackUrl=/);
    expect(await readStoredLinks()).not.toContain(new URL(link).searchParams.get("token"));
    const followed = await browser.call("POST", pathOf(link));
    expect([followed.status, followed.headers.location]).toEqual([
      302,
      "https://chat.example.com/dashboard/agents?tab=1#top",
    ]);
    expect((await browser.call("GET", "/auth/session")).body.organization.id).toBe(organizationId);
    const again = createBrowser(server);
    const used = await again.call("POST", pathOf(link));
    expect([used.status, used.headers.location, used.set]).toEqual([
      302,
      "https://chat.example.com/dashboard?error=INVALID_TOKEN",
      [],
    ]);
  });

  it("is not used up by a mail scanner, and signs in only from the button on its page", async () => {
    const { email } = await createOwner(server);
    const scanner = createBrowser(server);
    const { link } = await receiveMailAfter(email, () => scanner.call("POST", "/auth/magic-link", { email }));
    const head = await server.app.inject({ method: "HEAD", url: pathOf(link) });
    expect([head.statusCode, head.headers["set-cookie"]]).toEqual([200, undefined]);
    const page = await scanner.call("GET", pathOf(link));
    expect([page.status, page.set, page.headers["cache-control"]]).toEqual([200, [], "no-store"]);
    expect(page.headers["content-type"]).toBe("text/html; charset=utf-8");
    // With `no-referrer` a browser would send `Origin: null` with the form.
    expect(page.headers["referrer-policy"]).toBe("same-origin");
    const action = /<form method="post" action="([^"]+)"/.exec(page.text)?.[1]?.replaceAll("&amp;", "&") ?? "";
    const form = { "content-type": "application/x-www-form-urlencoded", "content-length": "0" };
    for (const foreign of [
      { "sec-fetch-site": "cross-site" },
      { origin: "https://evil.example" },
      { origin: "null" },
    ]) {
      const forged = await server.app.inject({ method: "POST", url: action, headers: { ...form, ...foreign } });
      expect([forged.statusCode, forged.headers["set-cookie"]]).toEqual([403, undefined]);
    }
    const browser = createBrowser(server);
    const origin = "https://chat.example.com";
    const used = await browser.call("POST", action, undefined, { ...form, origin });
    expect([used.status, used.headers.location]).toEqual([302, "https://chat.example.com/dashboard"]);
    expect((await browser.call("GET", "/auth/session")).status).toBe(200);
  });

  it("expires after ten minutes", async () => {
    const { email } = await createOwner(server);
    const browser = createBrowser(server);
    const { link } = await receiveMailAfter(email, () => browser.call("POST", "/auth/magic-link", { email }));
    const { rows } = await expireAll();
    expect(rows).toBeGreaterThan(0);
    const late = await browser.call("POST", pathOf(link));
    expect([late.headers.location, late.set]).toEqual(["https://chat.example.com/dashboard?error=INVALID_TOKEN", []]);
  });

  it("sets a new password once and ends every session", async () => {
    const { email } = await createOwner(server);
    const old = await signedInBrowser(server, email);
    const browser = createBrowser(server);
    const ask = () => browser.call("POST", "/auth/request-password-reset", { email });
    const { link } = await receiveMailAfter(email, ask);
    expect(link).toMatch(/^https:\/\/chat\.example\.com\/dashboard\/reset-password\?token=\w+$/);
    const token = new URL(link).searchParams.get("token");
    expect(await readStoredLinks()).not.toContain(token);
    const reset = (newPassword: string) => browser.call("POST", "/auth/reset-password", { token, newPassword });
    expect((await reset("too short")).body.error.details[0].path).toBe("newPassword");
    expect((await reset("another long password")).body).toEqual({ success: true });
    const second = await reset("a third long password");
    expect([second.status, second.body.error.details[0].path]).toEqual([400, "token"]);
    expect((await old.call("GET", "/agents")).status).toBe(401);
    expect((await browser.signIn(email)).status).toBe(401);
    expect((await browser.signIn(email, "another long password")).status).toBe(200);
    const actions = (await browser.call("GET", "/audit-log")).body.entries.map(
      ({ action }: { action: string }) => action,
    );
    // The rejected sign-in is recorded in the background.
    expect(actions.filter((action: string) => action !== "sign-in-failed")).toEqual([
      "sign-in",
      "reset-password",
      "sign-in",
    ]);
    const { link: other } = await receiveMailAfter(email, ask);
    await expireAll();
    const late = { token: new URL(other).searchParams.get("token"), newPassword: "a fourth long password" };
    expect((await browser.call("POST", "/auth/reset-password", late)).status).toBe(400);
  });

  it("becomes invalid when the password changes, however it was set", async () => {
    const { email, userId } = await createOwner(server);
    const neighbor = await createOwner(server);
    const browser = createBrowser(server);
    const magicLink = (to: string) =>
      receiveMailAfter(to, () => browser.call("POST", "/auth/magic-link", { email: to }));
    const resetLink = () =>
      receiveMailAfter(email, () => browser.call("POST", "/auth/request-password-reset", { email }));
    const tokenOf = ({ link }: { link: string }) => new URL(link).searchParams.get("token");
    const reset = async (mail: { link: string }, newPassword: string) =>
      (await browser.call("POST", "/auth/reset-password", { token: tokenOf(mail), newPassword })).status;
    const unrelated = await magicLink(neighbor.email);

    const [first, second, signIn] = [await resetLink(), await resetLink(), await magicLink(email)];
    expect(await reset(second, "another long password")).toBe(200);
    expect(await reset(first, "a thief's long password")).toBe(400);
    expect((await createBrowser(server).call("POST", pathOf(signIn.link))).set).toEqual([]);

    const signedIn = createBrowser(server);
    await signedIn.signIn(email, "another long password");
    const third = await resetLink();
    const change = { currentPassword: "another long password", newPassword: "a third long password" };
    expect((await signedIn.call("POST", "/auth/change-password", change)).status).toBe(200);
    expect((await signedIn.call("GET", "/auth/session")).status).toBe(200);
    expect(await reset(third, "a thief's long password")).toBe(400);

    const fourth = await resetLink();
    await writePassword(server.deps.db, userId, { hash: "a hash" });
    expect(await reset(fourth, "a thief's long password")).toBe(400);
    expect((await createBrowser(server).call("POST", pathOf(unrelated.link))).set).not.toEqual([]);
  });

  it("must verify a new user's address before the user can sign in", async () => {
    const email = "fresh@example.com";
    const browser = createBrowser(server);
    const signUp = () => browser.call("POST", "/auth/sign-up/email", { email, password, name: "Fresh" });
    const { link, text } = await receiveMailAfter(email, signUp);
    expect(text).toContain("If it wasn't you, do nothing");
    const refused = receiveMailAfter(email, () => browser.signIn(email));
    expect(linkIn((await refused).text)).toContain("/auth/verify-email?token=");
    const early = await browser.signIn(email);
    expect([early.status, early.set]).toEqual([403, []]);
    const broken = await browser.call("POST", `${pathOf(link).slice(0, -3)}abc`);
    expect(broken.headers.location).toBe("https://chat.example.com/dashboard?error=INVALID_TOKEN");
    const followed = await browser.call("POST", pathOf(link));
    expect([followed.headers.location, followed.set]).toEqual(["https://chat.example.com/dashboard", []]);
    const session = (await browser.signIn(email)).body;
    // A user who signs up without an invitation gets an organization with their first session.
    expect(session).toMatchObject({ role: "owner", organization: { name: "My organization", plan: "free" } });
  });

  it("tells an existing user about a repeated sign-up, whose response does not reveal the account", async () => {
    const { email } = await createOwner(server);
    const browser = createBrowser(server);
    const signUp = (to: string) => browser.call("POST", "/auth/sign-up/email", { email: to, password });
    const { subject } = await receiveMailAfter(email, () => signUp(email));
    expect(subject).toBe("You already have an account");
    const [known, unknown] = [await signUp(email), await signUp("nobody-yet@example.com")];
    expect([known.status, known.body]).toEqual([unknown.status, unknown.body]);
    const users = await server.deps.db.selectFrom("users").selectAll().where("email", "=", email).execute();
    expect(users).toHaveLength(1);
  });

  it("invites a user and names the inviter", async () => {
    const { email } = await createOwner(server);
    const browser = await signedInBrowser(server, email);
    const invite = () => browser.call("POST", "/invitations", { email: "guest@example.com", role: "member" });
    const { text, link, subject } = await receiveMailAfter("guest@example.com", invite);
    expect(text).toContain(`${email} invited you to join My organization.`);
    // A name that a stranger chose must not become the subject of the server's email.
    expect(subject).toBe("You're invited to Foyer");
    const [invitation] = (await browser.call("GET", "/invitations")).body;
    // The link that members can copy does not prove the address.
    expect(new URL(link).searchParams.get("token")).toMatch(/^[\w-]{20,}$/);
    expect(link.split("?")[0]).toBe(invitation.url);
    const guest = createBrowser(server);
    // An invited user needs no password: a link to the same mailbox is enough to sign in.
    const ask = () => guest.call("POST", "/auth/magic-link", { email: "guest@example.com" });
    await guest.call("POST", pathOf((await receiveMailAfter("guest@example.com", ask)).link));
    expect((await guest.call("GET", "/auth/session")).body).toMatchObject({ organization: null });
    expect((await guest.call("POST", `/invitations/${invitation.id}/accept`)).status).toBe(200);
    expect((await guest.call("GET", "/auth/session")).body.role).toBe("member");
  });

  /** Invites an address. @returns the values of the emailed link */
  async function inviteByMail(email: string) {
    const owner = await createOwner(server);
    const browser = await signedInBrowser(server, owner.email);
    const invite = () => browser.call("POST", "/invitations", { email, role: "admin" });
    const { link } = await receiveMailAfter(email, invite);
    const { pathname, searchParams } = new URL(link);
    const invitationId = pathname.split("/").at(-1) ?? "";
    return { owner, invitationId, invitationToken: searchParams.get("token") ?? "" };
  }

  it("of an invitation signs up, verifies the address, joins and signs in with one call", async () => {
    const email = "one-page@example.com";
    const { owner, ...invitation } = await inviteByMail(email);
    const guest = createBrowser(server);
    const signUp = () => guest.call("POST", "/auth/sign-up/email", { email, password, name: "Mara", ...invitation });
    const joined = await signUp();
    expect([joined.status, joined.body]).toMatchObject([
      201,
      { verificationSent: false, session: { role: "admin", organization: { id: owner.organizationId } } },
    ]);
    expect((await guest.call("GET", "/auth/session")).body.user).toMatchObject({
      email,
      name: "Mara",
      emailVerified: true,
    });
    expect(smtp.mails().filter((mail) => mail.to[0] === email)).toHaveLength(1);
    expect((await signUp()).status).toBe(404);
  });

  it("of an invitation does not sign up another address, and its token cannot be guessed", async () => {
    const { owner: _, ...invitation } = await inviteByMail("invited@example.com");
    const stranger = createBrowser(server);
    const signUp = (changes: object) =>
      stranger.call("POST", "/auth/sign-up/email", {
        email: "invited@example.com",
        password,
        ...invitation,
        ...changes,
      });
    expect((await signUp({ email: "stranger@example.com" })).status).toBe(404);
    expect((await signUp({ invitationToken: "x".repeat(43) })).body.error.details[0].path).toBe("invitationToken");
    expect((await signUp({ invitationId: "invitation_1" })).status).toBe(400);
    const users = await server.deps.db
      .selectFrom("users")
      .select("email")
      .where("email", "in", ["invited@example.com", "stranger@example.com"])
      .execute();
    expect(users).toEqual([]);
  });

  it("of an invitation creates no account when the invitation cannot be accepted anymore", async () => {
    const email = "too-late@example.com";
    const { owner, ...invitation } = await inviteByMail(email);
    const { db } = server.deps;
    await db.updateTable("members").set({ role: "member" }).where("userId", "=", owner.userId).execute();
    const signUp = { email, password, name: "Mara", ...invitation };
    expect((await createBrowser(server).call("POST", "/auth/sign-up/email", signUp)).status).toBe(404);
    expect(await db.selectFrom("users").select("id").where("email", "=", email).execute()).toEqual([]);
  });

  it("of an invitation asks a person who has an account to sign in", async () => {
    const known = await createOwner(server);
    const { owner: _, ...invitation } = await inviteByMail(known.email);
    const guest = createBrowser(server);
    const other = "another long enough password";
    const answer = await guest.call("POST", "/auth/sign-up/email", {
      email: known.email,
      password: other,
      ...invitation,
    });
    expect([answer.status, answer.set]).toEqual([409, []]);
    expect((await guest.signIn(known.email, other)).status).toBe(401);
    expect((await guest.signIn(known.email)).status).toBe(200);
    expect((await guest.call("POST", `/invitations/${invitation.invitationId}/accept`)).status).toBe(200);
  });

  it("of an invitation takes the address from a stranger who signed up with it", async () => {
    const email = "taken@example.com";
    const stranger = createBrowser(server);
    await receiveMailAfter(email, () =>
      stranger.call("POST", "/auth/sign-up/email", { email, password: "the stranger's password" }),
    );
    const { owner: _, ...invitation } = await inviteByMail(email);
    const guest = createBrowser(server);
    const joined = await guest.call("POST", "/auth/sign-up/email", { email, password, name: "Mara", ...invitation });
    expect([joined.status, joined.body.session.user.name]).toEqual([201, "Mara"]);
    expect((await stranger.signIn(email, "the stranger's password")).status).toBe(401);
  });

  it("invites at most ten people a day for a new organization on a server with open sign-up", async () => {
    const browser = await signedInBrowser(server, (await createOwner(server)).email);
    const statuses: number[] = [];
    for (let i = 0; i < 11; i++) {
      const { status, body } = await browser.call("POST", "/invitations", {
        email: `p${i}@example.com`,
        role: "member",
      });
      statuses.push(status);
      // Revoking an invitation does not lower the count, because its email has already been sent.
      if (status === 201) await browser.call("DELETE", `/invitations/${body.id}`);
    }
    expect(statuses).toEqual([...Array(10).fill(201), 429]);
  });

  async function readStoredLinks() {
    const rows = await server.deps.db.selectFrom("verifications").selectAll().execute();
    expect(rows.length).toBeGreaterThan(0);
    return JSON.stringify(rows);
  }

  async function expireAll() {
    const expiresAt = new Date(Date.now() - 1_000).toISOString();
    const result = await server.deps.db.updateTable("verifications").set({ expiresAt }).executeTakeFirst();
    return { rows: Number(result.numUpdatedRows) };
  }
});

describe("a link on a server without email", () => {
  it("is written to the log when only this machine can reach the server", async () => {
    const server = await startServer({ env: limitsOff });
    const { email } = await createOwner(server);
    const info = vi.spyOn(server.deps.log, "info");
    const browser = createBrowser(server);
    const logged = () => info.mock.calls.map(([details]) => details as { to?: string; url?: string });
    await browser.call("POST", "/auth/magic-link", { email });
    await expect.poll(logged).toContainEqual({ to: email, url: expect.stringContaining("/auth/magic-link/verify") });
    const url = logged().find(({ to }) => to === email)?.url ?? "";
    expect((await browser.call("POST", pathOf(url))).headers.location).toBe("http://localhost:3000/dashboard");
    expect((await browser.call("GET", "/auth/session")).status).toBe(200);
    await server.stop();
  });

  it("is otherwise shown to owners and never written to the log", async () => {
    const database = await createSqlite();
    const env = { ...limitsOff, HOST: "0.0.0.0", BASE_URL: "https://chat.example.com" };
    const server = await startServer({ database, env });
    const owner = await createOwner(server);
    const member = await createMember(server, owner.organizationId, "member");
    const elsewhere = await createOwner(server);
    const info = vi.spyOn(server.deps.log, "info");
    const browser = createBrowser(server);
    for (const email of [member.email, elsewhere.email, "nobody@example.com"]) {
      await browser.call("POST", "/auth/magic-link", { email });
      await browser.call("POST", "/auth/request-password-reset", { email });
    }
    const ownerBrowser = await signedInBrowser(server, owner.email);
    const links = async () => (await ownerBrowser.call("GET", "/members/links")).body;
    await expect.poll(links).toHaveLength(2);
    expect(await links()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ kind: "sign-in", email: member.email }),
        expect.objectContaining({ kind: "password-reset", email: member.email }),
      ]),
    );
    const [{ url }] = (await links()).filter(({ kind }: { kind: string }) => kind === "sign-in");
    const stored = await server.deps.db.selectFrom("pendingLinks").selectAll().execute();
    expect(JSON.stringify(stored)).not.toContain(new URL(url).searchParams.get("token"));
    expect(JSON.stringify(info.mock.calls)).not.toContain("magic-link/verify");
    await browser.call("POST", pathOf(url));
    expect((await browser.call("GET", "/auth/session")).body.user.email).toBe(member.email);
    // The link of a user who also belongs to another organization would give access to that one too.
    await createOrganization(server, member.userId);
    expect(await links()).toEqual([]);
    await server.stop();
    await database.drop();
  });

  it("does not let a stranger with an organization verify someone else's address", async () => {
    const env = { ...limitsOff, HOST: "0.0.0.0", BASE_URL: "https://chat.example.com", FOYER_OPEN_SIGNUP: "true" };
    const server = await startServer({ env });
    const owner = await createOwner(server);
    const email = "somebody-else@example.com";
    const stranger = createBrowser(server);
    await stranger.call("POST", "/auth/sign-up/email", { email, password });
    expect((await stranger.signIn(email)).body).toMatchObject({ role: "owner", user: { emailVerified: false } });
    const own = await signedInBrowser(server, owner.email);
    await own.call("POST", "/invitations", { email: "new@example.com", role: "member" });
    for (const to of [email, owner.email, "new@example.com"]) {
      await stranger.call("POST", "/auth/magic-link", { email: to });
      await stranger.call("POST", "/auth/request-password-reset", { email: to });
    }
    const stored = () => server.deps.db.selectFrom("pendingLinks").select("id").execute();
    await expect.poll(stored).toHaveLength(5);
    const listKinds = async (browser: typeof own) =>
      (await browser.call("GET", "/members/links")).body.map((link: { kind: string; email: string }) => [
        link.kind,
        link.email,
      ]);
    expect(await listKinds(stranger)).toEqual([["password-reset", email]]);
    expect((await listKinds(own)).toSorted()).toEqual([
      ["password-reset", owner.email],
      ["sign-in", owner.email],
    ]);
    await server.stop();
  });
});
