import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { onBothDatabases, type TestDatabase } from "../../../../../test/databases.ts";
import { type OidcTestServer, startOidcServer } from "../../../../../test/oidc-server.ts";
import { openOutbound, startCanary, startHttpServer } from "../../../../../test/outbound-servers.ts";
import { startServer, type TestServer } from "../../../../../test/server.ts";
import { createBrowser, createOwner, password } from "../../../../../test/session-client.ts";
import type { Caller } from "../../outbound/guarded-request.ts";

const base = "http://localhost:3000";
const redirectUri = `${base}/auth/callback/oidc`;
const pathOf = (address: string) => address.slice(base.length);

onBothDatabases("sign-in with an OpenID provider", (createDatabase) => {
  let database: TestDatabase;
  let oidc: OidcTestServer;
  let server: TestServer;
  let users = 0;
  beforeAll(async () => {
    database = await createDatabase();
    oidc = await startOidcServer({ redirectUri });
    server = await startServer({ database, env: { ...oidc.env, FOYER_OPEN_SIGNUP: "true" } });
    await createOwner(server);
  });
  afterAll(async () => {
    await server.stop();
    await oidc.close();
    await database.drop();
  });

  const person = (email: string, verified: unknown = true) => ({
    sub: `sub-${++users}`,
    email,
    email_verified: verified,
    name: "Ada",
  });
  const start = async (browser = createBrowser(server), query = "") => {
    const { status, headers } = await browser.call("GET", `/auth/sign-in/oidc${query}`);
    expect(status).toBe(302);
    return { browser, location: String(headers.location) };
  };
  /** Completes the flow: to the provider and back. */
  const signIn = async (account: ReturnType<typeof person>, query = "") => {
    oidc.signInAs(account);
    const { browser, location } = await start(undefined, query);
    const back = await oidc.visit(location);
    return { browser, back, answer: await browser.call("GET", pathOf(back)) };
  };
  const errorOf = (answer: { headers: Record<string, unknown> }) =>
    new URL(String(answer.headers.location)).searchParams.get("error");

  it("uses state, PKCE and nonce, and recognizes a returning user", async () => {
    const account = person("ada@example.com");
    const { browser, answer } = await signIn(account, "?callbackUrl=/dashboard/agents");
    expect([answer.status, answer.headers.location]).toEqual([302, `${base}/dashboard/agents`]);
    const asked = oidc.requests.at(-1);
    expect(asked?.get("redirect_uri")).toBe(redirectUri);
    expect(asked?.get("code_challenge_method")).toBe("S256");
    for (const name of ["state", "nonce", "code_challenge"])
      expect(asked?.get(name)?.length).toBeGreaterThanOrEqual(32);
    const session = (await browser.call("GET", "/auth/session")).body;
    expect(session).toMatchObject({
      user: { name: "Ada", email: "ada@example.com", emailVerified: true },
      role: "owner",
      organization: { plan: "free" },
    });
    const again = await signIn(account);
    expect((await again.browser.call("GET", "/auth/session")).body.user.id).toBe(session.user.id);
    expect(again.answer.headers.location).toBe(`${base}/dashboard`);
    const kept = await server.deps.db
      .selectFrom("identities")
      .selectAll()
      .where("userId", "=", session.user.id)
      .execute();
    expect(kept).toEqual([
      expect.objectContaining({ providerId: "oidc", accessToken: null, refreshToken: null, idToken: null }),
    ]);
  });

  it("accepts a state once, and only from the browser that it was issued to", async () => {
    oidc.signInAs(person("twice@example.com"));
    const { browser, location } = await start();
    const back = await oidc.visit(location);
    const thief = createBrowser(server);
    const stolen = await thief.call("GET", pathOf(back));
    expect([errorOf(stolen), thief.cookies.has("foyer_session")]).toEqual(["state_mismatch", false]);
    // A state that belongs to the other browser is not accepted either.
    await start(thief);
    const mixed = await thief.call("GET", pathOf(back));
    expect([errorOf(mixed), thief.cookies.has("foyer_session")]).toEqual(["state_mismatch", false]);
    const stateCookie = browser.cookies.get("foyer.state") ?? "";
    await browser.call("GET", pathOf(back));
    expect(browser.cookies.has("foyer_session")).toBe(true);
    browser.cookies.delete("foyer_session");
    browser.cookies.set("foyer.state", stateCookie);
    const replayed = await browser.call("GET", pathOf(back));
    expect([errorOf(replayed), browser.cookies.has("foyer_session")]).toEqual(["state_mismatch", false]);
  });

  it("refuses a callback without a state, with a forged one, from another provider, or with an error", async () => {
    oidc.signInAs(person("none@example.com"));
    const { browser, location } = await start();
    const back = new URL(await oidc.visit(location));
    const state = back.searchParams.get("state") ?? "";
    const wrong = [
      "/auth/callback/oidc",
      "/auth/callback/oidc?code=x",
      "/auth/callback/oidc?code=x&state=made-up",
      `/auth/callback/oidc?state=${state}&error=access_denied`,
    ];
    for (const url of wrong) {
      const answer = await browser.call("GET", url);
      expect([answer.status, browser.cookies.has("foyer_session")], url).toEqual([302, false]);
      expect(String(answer.headers.location)).toMatch(/^http:\/\/localhost:3000\/dashboard\?error=\w+/);
    }
    const fresh = await start();
    const other = new URL(await oidc.visit(fresh.location));
    other.searchParams.set("iss", "https://evil.example");
    expect(errorOf(await fresh.browser.call("GET", other.pathname + other.search))).toBe("issuer_mismatch");
    expect((await browser.call("GET", "/auth/callback/google?code=x&state=y")).status).toBe(404);
  });

  it("refuses a code and an ID token of another request", async () => {
    oidc.signInAs(person("bound@example.com"));
    for (const [name, error] of [
      ["nonce", "unable_to_get_user_info"],
      ["code_challenge", "invalid_code"],
    ] as const) {
      const { browser, location } = await start();
      const changed = new URL(location);
      const value = changed.searchParams.get(name) ?? "";
      changed.searchParams.set(
        name,
        value.replace(/^./, (first) => (first === "A" ? "B" : "A")),
      );
      const answer = await browser.call("GET", pathOf(await oidc.visit(changed.href)));
      expect([errorOf(answer), browser.cookies.has("foyer_session")]).toEqual([error, false]);
    }
  });

  it.each([["false"], ["yes"], [1], [{}], [false], [null]])(
    "does not treat an address as verified when the provider sends email_verified: %j",
    async (verified) => {
      const owner = await createOwner(server);
      const { browser, answer } = await signIn(person(owner.email, verified));
      expect(errorOf(answer)).not.toBeNull();
      expect(browser.cookies.has("foyer_session")).toBe(false);
    },
  );

  it("does not accept its state as a magic link", async () => {
    const { browser, location } = await start();
    const state = new URL(location).searchParams.get("state") ?? "";
    for (const token of [state, `auth-state:${state}`]) {
      const answer = await browser.call("POST", `/auth/magic-link/verify?token=${encodeURIComponent(token)}`);
      expect([errorOf(answer), browser.cookies.has("foyer_session")]).toEqual(["INVALID_TOKEN", false]);
    }
  });

  it("gives an address that a stranger signed up with to its owner, and deletes the stranger's credentials", async () => {
    const email = "victim@example.com";
    const stranger = createBrowser(server);
    await stranger.call("POST", "/auth/sign-up/email", { email, password });
    expect((await stranger.signIn(email)).status).toBe(200);
    const { key } = (await stranger.call("POST", "/api-keys", { name: "Back door" })).body;
    const headers = { authorization: `Bearer ${key}` };
    const byKey = async () => (await server.app.inject({ url: "/agents", headers })).statusCode;
    expect(await byKey()).toBe(200);
    const { browser, answer } = await signIn(person(email));
    expect(errorOf(answer)).toBeNull();
    expect((await browser.call("GET", "/auth/session")).body.user).toMatchObject({ email, emailVerified: true });
    expect((await stranger.call("GET", "/agents")).status).toBe(401);
    expect((await createBrowser(server).signIn(email)).status).toBe(401);
    const keys = await server.deps.db.selectFrom("apiKeys").selectAll().execute();
    expect(keys.some(({ start: beginning }) => beginning === key.slice(0, 8))).toBe(false);
    expect(await byKey()).toBe(401);
  });

  it("links a verified user to the provider and keeps the password", async () => {
    const { email, userId } = await createOwner(server);
    const { browser } = await signIn(person(email));
    expect((await browser.call("GET", "/auth/session")).body.user.id).toBe(userId);
    expect((await createBrowser(server).signIn(email)).status).toBe(200);
  });

  it("refuses an address that the provider has not verified", async () => {
    const { email } = await createOwner(server);
    for (const address of [email, "unproven@example.com"]) {
      const { browser, answer } = await signIn(person(address, false));
      expect(errorOf(answer), address).toBeTruthy();
      expect(browser.cookies.has("foyer_session")).toBe(false);
    }
    expect((await createBrowser(server).signIn(email)).status).toBe(200);
    const made = await server.deps.db
      .selectFrom("users")
      .selectAll()
      .where("email", "=", "unproven@example.com")
      .execute();
    expect(made).toEqual([]);
  });
});

describe("sign-in providers", () => {
  it("are unavailable unless configured, and are listed for the sign-in page", async () => {
    const server = await startServer({ env: { GITHUB_CLIENT_ID: "id", GITHUB_CLIENT_SECRET: "secret" } });
    const browser = createBrowser(server);
    for (const name of ["google", "oidc", "email", "facebook", "__proto__", "constructor"]) {
      const answer = await browser.call("GET", `/auth/sign-in/${name}`);
      expect([answer.status, answer.body.error.code], name).toEqual([404, "NOT_FOUND"]);
      expect((await browser.call("GET", `/auth/callback/${name}?code=a&state=b`)).status, name).toBe(404);
    }
    const { headers } = await browser.call("GET", "/auth/sign-in/github");
    const asked = new URL(String(headers.location));
    expect([asked.origin, asked.searchParams.get("client_id")]).toEqual(["https://github.com", "id"]);
    expect(asked.searchParams.get("redirect_uri")).toBe(`${base}/auth/callback/github`);
    expect((await browser.call("GET", "/auth/options")).body).toEqual({
      providers: ["github"],
      openSignUp: false,
      sendsMail: false,
      needsSetUp: true,
    });
    await server.stop();
  });

  const owner = "ada@example.com";
  const trust = { OIDC_TRUST_EMAIL: "true" };
  const claim = (name: string) => ({ OIDC_EMAIL_CLAIM: name });
  it.each<
    [string, Omit<Parameters<typeof startOidcServer>[0], "redirectUri">, object, Record<string, string>, string | null]
  >([
    ["Keycloak", { claimsIn: "token" }, { email: owner, email_verified: true }, {}, null],
    ["Google", { auth: "client_secret_basic" }, { email: owner, email_verified: true }, {}, null],
    [
      "Authelia",
      { auth: "client_secret_basic", listed: ["client_secret_basic"] },
      { email: owner, email_verified: true },
      {},
      null,
    ],
    ["Hydra", { auth: "client_secret_basic" }, { email: owner, email_verified: true }, {}, null],
    [
      "a provider with the secret in the body",
      { listed: ["client_secret_post"] },
      { email: owner, email_verified: true },
      {},
      null,
    ],
    ["Cognito", { claimsIn: "token" }, { email: owner, email_verified: "true" }, {}, null],
    [
      "Cognito, unconfirmed",
      { claimsIn: "token" },
      { email: owner, email_verified: "false" },
      {},
      "account_not_linked",
    ],
    ["Authentik", {}, { email: owner, email_verified: false }, trust, null],
    ["Authentik without the setting", {}, { email: owner, email_verified: false }, {}, "account_not_linked"],
    ["Entra ID", { claimsIn: "token" }, { email: owner }, trust, null],
    ["Entra ID without the setting", { claimsIn: "token" }, { email: owner }, {}, "account_not_linked"],
    [
      "Entra ID, user names",
      { claimsIn: "token" },
      { preferred_username: owner },
      { ...claim("preferred_username"), ...trust },
      null,
    ],
    [
      "Entra ID, user names without the claim",
      { claimsIn: "token" },
      { preferred_username: owner },
      trust,
      "email_not_found",
    ],
    ["another claim that is not trusted", {}, { upn: owner, email_verified: true }, claim("upn"), "account_not_linked"],
    [
      "one that verifies another address than the token's",
      { claimsIn: "token", userinfo: { email: "eve@example.com", email_verified: true } },
      { email: owner },
      {},
      "account_not_linked",
    ],
    [
      "one whose token verifies no address of its own",
      { claimsIn: "token", userinfo: { email: owner, email_verified: false } },
      { email_verified: true },
      {},
      "account_not_linked",
    ],
    [
      "one that verifies the token's address at the userinfo endpoint",
      { claimsIn: "token", userinfo: { email: "Ada@example.com", email_verified: true } },
      { email: owner },
      {},
      null,
    ],
    [
      "one behind a proxy that refuses without a body",
      { refusal: "" },
      { email: owner, email_verified: true },
      {},
      null,
    ],
    ["one behind a proxy that refuses with HTML", { refusal: "<p>" }, { email: owner, email_verified: true }, {}, null],
    ["a user name that is no address", {}, { upn: "ada" }, { ...claim("upn"), ...trust }, "email_not_found"],
  ])("works with an OpenID provider like %s, or says which setting is missing", async (...given) => {
    const [, kind, claims, env, refusal] = given;
    const oidc = await startOidcServer({ redirectUri, ...kind });
    const server = await startServer({ env: { ...oidc.env, ...env } });
    await createOwner(server, owner);
    oidc.signInAs({ sub: "sub-1", ...claims });
    const browser = createBrowser(server);
    const { headers } = await browser.call("GET", "/auth/sign-in/oidc");
    const answer = await browser.call("GET", pathOf(await oidc.visit(String(headers.location))));
    expect(new URL(String(answer.headers.location)).searchParams.get("error")).toBe(refusal);
    expect(browser.cookies.has("foyer_session")).toBe(refusal === null);
    await server.stop();
    await oidc.close();
  });

  it("are told that the address is not confirmed, not that sign-up is disabled, where anyone can sign up", async () => {
    const oidc = await startOidcServer({ redirectUri });
    const server = await startServer({ env: { ...oidc.env, FOYER_OPEN_SIGNUP: "true" } });
    await createOwner(server, owner);
    oidc.signInAs({ sub: "sub-2", email: "new@example.com" });
    const browser = createBrowser(server);
    const { headers } = await browser.call("GET", "/auth/sign-in/oidc");
    const answer = await browser.call("GET", pathOf(await oidc.visit(String(headers.location))));
    expect(String(answer.headers.location)).toContain("error=address_not_confirmed");
    await server.stop();
    await oidc.close();
  });

  it.each([["true"], [undefined], [true]])(
    "link a Google account with email_verified %j to an existing user only when it is the boolean true",
    async (verified) => {
      const own = openOutbound();
      const claims = { sub: "google-1", email: "ada@example.com", email_verified: verified, name: "Ada" };
      const token = { access_token: "a", token_type: "Bearer", expires_in: 60, id_token: createUnsignedToken(claims) };
      const google = async () => Response.json(token);
      const env = { GOOGLE_CLIENT_ID: "id", GOOGLE_CLIENT_SECRET: "secret" };
      const server = await startServer({ env, outbound: { ...own, fetch: () => google } });
      await createOwner(server, claims.email);
      const browser = createBrowser(server);
      const { headers } = await browser.call("GET", "/auth/sign-in/google");
      const state = new URL(String(headers.location)).searchParams.get("state") ?? "";
      const answer = await browser.call("GET", `/auth/callback/google?code=x&state=${encodeURIComponent(state)}`);
      const destination = verified === true ? "/dashboard" : "/dashboard?error=account_not_linked";
      expect(String(answer.headers.location)).toBe(`http://localhost:3000${destination}`);
      expect(browser.cookies.has("foyer_session")).toBe(verified === true);
      await server.stop();
    },
  );

  it("admit only invited users when sign-up is disabled", async () => {
    const oidc = await startOidcServer({ redirectUri });
    const server = await startServer({ env: oidc.env });
    const come = async (email: string) => {
      oidc.signInAs({ sub: `sub-${email}`, email, email_verified: true });
      const browser = createBrowser(server);
      const { headers } = await browser.call("GET", "/auth/sign-in/oidc");
      await browser.call("GET", pathOf(await oidc.visit(String(headers.location))));
      return browser;
    };
    // No one can sign in before the first owner exists.
    expect((await come("first@example.com")).cookies.has("foyer_session")).toBe(false);
    const owner = await createOwner(server);
    expect((await come("stranger@example.com")).cookies.has("foyer_session")).toBe(false);
    const browser = createBrowser(server);
    await browser.signIn(owner.email);
    const { id } = (await browser.call("POST", "/invitations", { email: "guest@example.com", role: "member" })).body;
    const guest = await come("guest@example.com");
    expect((await guest.call("POST", `/invitations/${id}/accept`)).status).toBe(200);
    expect(await server.deps.db.selectFrom("users").selectAll().execute()).toHaveLength(2);
    await server.stop();
    await oidc.close();
  });

  it("are called through our own HTTP client only", async () => {
    const oidc = await startOidcServer({ redirectUri });
    const own = openOutbound();
    const called: string[] = [];
    const record =
      (caller: Caller): ReturnType<typeof own.fetch> =>
      (input, init) => {
        called.push(`${caller.trust} ${new URL(String(input)).pathname}`);
        return own.fetch(caller)(input, init);
      };
    const server = await startServer({ env: oidc.env, outbound: { ...own, fetch: record } });
    const owner = await createOwner(server);
    oidc.signInAs({ sub: "sub-owner", email: owner.email, email_verified: true });
    const browser = createBrowser(server);
    const { headers } = await browser.call("GET", "/auth/sign-in/oidc");
    const discovery = "operator /.well-known/openid-configuration";
    // Once for the way in which the client's secret is sent, and once by better-auth.
    expect(called).toEqual([discovery, discovery]);
    await browser.call("GET", pathOf(await oidc.visit(String(headers.location))));
    expect(browser.cookies.has("foyer_session")).toBe(true);
    expect(new Set(called)).toEqual(new Set([discovery, "operator /token", "operator /jwks", "operator /me"]));
    await server.stop();
    await oidc.close();
  });

  it.each(["elsewhere", "endless"])("are abandoned when they respond with something %s", async (where) => {
    const canary = await startCanary("127.0.0.1");
    const provider = await startHttpServer((_, response) => {
      if (where === "elsewhere") {
        return void response.writeHead(302, { location: `http://127.0.0.1:${canary.port}/` }).end();
      }
      const pour = () => {
        while (!response.destroyed && response.write("x".repeat(65_536)));
      };
      response.on("drain", pour);
      pour();
    });
    const env = { OIDC_ISSUER: provider.url, OIDC_CLIENT_ID: "id", OIDC_CLIENT_SECRET: "secret" };
    const server = await startServer({ env });
    await createOwner(server);
    expect((await createBrowser(server).call("GET", "/auth/sign-in/oidc")).status).toBe(503);
    expect(canary.seen.connections).toBe(0);
    await server.stop();
  });

  it("do not block password sign-in while they are down, and work once they are back", async () => {
    const first = await startOidcServer({ redirectUri });
    const port = Number(new URL(first.issuer).port);
    await first.close();
    const server = await startServer({ env: first.env });
    const { email } = await createOwner(server);
    const browser = createBrowser(server);
    const down = await browser.call("GET", "/auth/sign-in/oidc");
    expect([down.status, down.body.error.code, down.headers["retry-after"]]).toEqual([503, "OVERLOADED", "5"]);
    expect(down.text).not.toContain(`:${port}`);
    expect((await browser.signIn(email)).status).toBe(200);
    const second = await startOidcServer({ redirectUri, port });
    expect((await browser.call("GET", "/auth/sign-in/oidc")).status).toBe(302);
    await server.stop();
    await second.close();
  });
});

/** Google's ID token comes directly from Google over TLS, so its signature is not checked. */
function createUnsignedToken(claims: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${part({ alg: "RS256" })}.${part(claims)}.c2lnbmF0dXJl`;
}
