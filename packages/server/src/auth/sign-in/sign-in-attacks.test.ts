import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { startServer, type TestServer } from "../../../../../test/server.ts";
import { createBrowser, createOwner, password, signedInBrowser } from "../../../../../test/session-client.ts";
import { type SmtpTestServer, startSmtpServer } from "../../../../../test/smtp-server.ts";

const hashed = vi.hoisted(() => vi.fn());
vi.mock("better-auth/crypto", async (importOriginal) => {
  const original = await importOriginal<typeof import("better-auth/crypto")>();
  const counted =
    <Args extends unknown[], Result>(work: (...args: Args) => Result) =>
    (...args: Args) => {
      hashed();
      return work(...args);
    };
  return {
    ...original,
    hashPassword: counted(original.hashPassword),
    verifyPassword: counted(original.verifyPassword),
  };
});

describe("a page of another origin", () => {
  let server: TestServer;
  let cookie: string;
  beforeAll(async () => {
    server = await startServer({ env: { BASE_URL: "https://chat.example.com" } });
    const browser = await signedInBrowser(server, (await createOwner(server)).email);
    cookie = `__Host-foyer_session=${browser.cookies.get("__Host-foyer_session")}`;
  });
  afterAll(() => server.stop());

  const origin = "https://chat.example.com";
  const foreign: Array<Record<string, string>> = [
    { origin: "https://evil.example" },
    { origin: "null" },
    { origin: "http://chat.example.com" },
    { origin: "https://chat.example.com.evil.example" },
    { origin: "https://chat.example.com:8443" },
    { origin: "https://CHAT.example.com" },
    { origin: "http://localhost:3000" },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "none" },
    { origin, "sec-fetch-site": "cross-site" },
    { origin: "https://evil.example", "sec-fetch-site": "same-origin" },
  ];
  const agents = async () => (await server.app.inject({ url: "/agents", headers: { cookie } })).json().data.length;

  it("cannot change anything with the visitor's cookie", async () => {
    for (const headers of foreign) {
      const call = {
        method: "POST",
        url: "/agents",
        payload: { name: "Forged" },
        headers: { cookie, ...headers },
      } as const;
      const response = await server.app.inject(call);
      expect([response.statusCode, response.json().error.code], JSON.stringify(headers)).toEqual([403, "FORBIDDEN"]);
    }
    expect(await agents()).toBe(0);
  });

  it("cannot sign a user in, out or up, or switch the organization", async () => {
    const { email } = await createOwner(server);
    for (const headers of foreign) {
      for (const [url, payload] of [
        ["/auth/sign-in/email", { email, password }],
        ["/auth/sign-up/email", { email, password }],
        ["/auth/magic-link", { email }],
        ["/auth/request-password-reset", { email }],
        ["/auth/reset-password", { token: "t", newPassword: password }],
        ["/auth/sign-out", {}],
        ["/auth/switch-organization", { organizationId: "o" }],
      ] as const) {
        const response = await server.app.inject({ method: "POST", url, payload, headers: { cookie, ...headers } });
        expect([response.statusCode, response.headers["set-cookie"]], url).toEqual([403, undefined]);
      }
    }
  });

  it("cannot send anything except JSON", async () => {
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]) {
      const payload = '{"name":"Forged"}';
      const headers = { cookie, origin, "content-type": type };
      const response = await server.app.inject({ method: "POST", url: "/agents", payload, headers });
      expect([response.statusCode, response.json().error.code]).toEqual([415, "UNSUPPORTED_MEDIA_TYPE"]);
    }
    expect(await agents()).toBe(0);
  });

  it("cannot read responses, and no preflight allows it", async () => {
    for (const url of ["/agents", "/auth/session", "/api-keys"]) {
      const headers = { cookie, origin: "https://evil.example" };
      const response = await server.app.inject({ url, headers });
      expect(response.headers["access-control-allow-origin"]).toBeUndefined();
      expect(response.headers["access-control-allow-credentials"]).toBeUndefined();
      const preflight = await server.app.inject({
        method: "OPTIONS",
        url,
        headers: { origin: "https://evil.example", "access-control-request-method": "POST" },
      });
      expect(preflight.headers["access-control-allow-origin"]).toBeUndefined();
    }
  });

  it("is treated differently from our own page and from an API key", async () => {
    for (const headers of [{ origin }, { origin, "sec-fetch-site": "same-origin" }, {}]) {
      const call = {
        method: "POST",
        url: "/agents",
        payload: { name: "Ours" },
        headers: { cookie, ...headers },
      } as const;
      expect((await server.app.inject(call)).statusCode).toBe(201);
    }
    const { headers } = await server.createAccount();
    const call = { method: "POST", url: "/agents", payload: { name: "By key" } } as const;
    const response = await server.app.inject({ ...call, headers: { ...headers, origin: "https://evil.example" } });
    expect(response.statusCode).toBe(201);
  });
});

describe("a server on a loopback address", () => {
  it("accepts every loopback name on the same port as its own origin", async () => {
    const server = await startServer({ env: { BASE_URL: "http://localhost:4711" } });
    const { email } = await createOwner(server);
    const signIn = async (origin: string) =>
      (await createBrowser(server).call("POST", "/auth/sign-in/email", { email, password }, { origin })).status;
    for (const origin of ["http://localhost:4711", "http://127.0.0.1:4711", "http://[::1]:4711"]) {
      expect(await signIn(origin), origin).toBe(200);
    }
    for (const origin of [
      "http://localhost:4712",
      "https://localhost:4711",
      "http://evil.example:4711",
      "http://127.0.0.1.evil.example:4711",
    ]) {
      expect(await signIn(origin), origin).toBe(403);
    }
    await server.stop();
  });
});

describe("links and redirects", () => {
  let smtp: SmtpTestServer;
  let server: TestServer;
  beforeAll(async () => {
    smtp = await startSmtpServer();
    const env = { BASE_URL: "https://chat.example.com", SMTP_URL: smtp.url, FOYER_LIMIT_SIGN_IN_PER_ADDRESS: "0" };
    server = await startServer({ env: { ...env, GITHUB_CLIENT_ID: "id", GITHUB_CLIENT_SECRET: "secret" } });
  });
  afterAll(async () => {
    await server.stop();
    await smtp.close();
  });

  const elsewhere = [
    "//evil.example",
    "https:evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "/\t/evil.example",
    "/\n/evil.example",
    "https://evil.example",
    "https://chat.example.com.evil.example",
    "https://chat.example.com@evil.example/",
    "https://user:word@chat.example.com/",
    "http://chat.example.com/",
    "javascript:alert(1)",
    "data:text/html,x",
    "https:/\\evil.example",
    "///evil.example",
    " //evil.example",
    "https://chat.example.com\\@evil.example",
    "dashboard",
  ];

  it("never lead to another origin", async () => {
    const { email } = await createOwner(server);
    const browser = createBrowser(server);
    for (const callbackUrl of elsewhere) {
      const query = `callbackUrl=${encodeURIComponent(callbackUrl)}`;
      for (const answer of [
        await browser.call("POST", "/auth/magic-link", { email, callbackUrl }),
        await browser.call("GET", `/auth/magic-link/verify?token=t&${query}`),
        await browser.call("POST", `/auth/magic-link/verify?token=t&${query}`),
        await browser.call("GET", `/auth/sign-in/github?${query}`),
      ]) {
        expect([answer.status, answer.body.error.code], callbackUrl).toEqual([400, "VALIDATION_ERROR"]);
        expect(answer.headers.location).toBeUndefined();
      }
    }
    expect(smtp.mails()).toEqual([]);
    for (const callbackUrl of ["/dashboard//evil.example", "https://chat.example.com//evil.example", "/a?b=//c#d"]) {
      const { headers } = await browser.call(
        "POST",
        `/auth/magic-link/verify?token=t&callbackUrl=${encodeURIComponent(callbackUrl)}`,
      );
      expect(new URL(String(headers.location)).origin).toBe("https://chat.example.com");
    }
  });

  it("start with BASE_URL, whatever host the request names", async () => {
    const { email } = await createOwner(server);
    const browser = createBrowser(server);
    const headers = {
      host: "evil.example",
      "x-forwarded-host": "evil.example",
      "x-forwarded-proto": "http",
      forwarded: "host=evil.example",
    };
    await browser.call("POST", "/auth/magic-link", { email }, headers);
    await browser.call("POST", "/auth/request-password-reset", { email }, headers);
    await expect.poll(() => smtp.mails().length).toBe(2);
    for (const { raw, text } of smtp.mails()) {
      expect(text).toContain("https://chat.example.com/");
      expect(raw).not.toContain("evil");
    }
    const { headers: answer } = await browser.call("GET", "/auth/sign-in/github", undefined, headers);
    expect(new URL(String(answer.location)).searchParams.get("redirect_uri")).toBe(
      "https://chat.example.com/auth/callback/github",
    );
  });

  it("sent in the background do not reveal who has an account, neither by response nor by timing", async () => {
    const { email } = await createOwner(server);
    const unknown = "nobody@example.com";
    const browser = createBrowser(server);
    // A response that waited for this mail server would take ten seconds.
    smtp.script({ silentAt: "start" });
    for (const url of ["/auth/magic-link", "/auth/request-password-reset", "/auth/send-verification-email"]) {
      const [known, other] = [
        await browser.call("POST", url, { email }),
        await browser.call("POST", url, { email: unknown }),
      ];
      expect([known.status, known.text, known.set]).toEqual([200, other.text, other.set]);
    }
    smtp.script({});
  });
});

describe("an attacker", () => {
  let server: TestServer;
  beforeEach(async () => {
    // Low limits, because each admitted attempt computes a hash.
    const env = { BASE_URL: "https://chat.example.com", FOYER_LIMIT_SIGN_IN_PER_ADDRESS: "3" };
    server = await startServer({ env });
  });

  it("is blocked after guessing passwords from 1,000 addresses", async () => {
    const { email } = await createOwner(server);
    const guess = (i: number, secret = `a wrong password ${i}`) =>
      createBrowser(server, { ip: `203.0.${i >> 8}.${i & 255}` }).signIn(email, secret);
    const answers: Awaited<ReturnType<typeof guess>>[] = [];
    for (let first = 0; first < 1_000; first += 50) {
      answers.push(...(await Promise.all(Array.from({ length: 50 }, (_, i) => guess(first + i)))));
    }
    const statuses = Map.groupBy(answers, ({ status }) => status);
    expect([statuses.get(401)?.length, statuses.get(429)?.length]).toEqual([30, 970]);
    for (const { headers, body } of statuses.get(429) ?? []) {
      expect(body.error.code).toBe("RATE_LIMITED");
      expect(Number(headers["retry-after"])).toBeGreaterThan(0);
      expect(headers["x-ratelimit-limit"]).toBe("30");
    }
    // The correct password gets the same response, because a different one would reveal it.
    expect((await guess(2_000, password)).status).toBe(429);
    const other = await createOwner(server);
    expect((await createBrowser(server, { ip: "203.0.113.1" }).signIn(other.email)).status).toBe(200);
    await server.stop();
  });

  it("is locked out without affecting the address's owner elsewhere or their links", async () => {
    const { email } = await createOwner(server);
    const guesser = createBrowser(server, { ip: "203.0.113.66" });
    const statuses: number[] = [];
    for (let i = 0; i < 6; i++) statuses.push((await guesser.signIn(email, `a wrong password ${i}`)).status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(3);
    const owner = createBrowser(server, { ip: "198.51.100.1" });
    expect((await owner.signIn(email)).status).toBe(200);
    expect((await owner.call("POST", "/auth/magic-link", { email })).status).toBe(200);
    expect((await guesser.call("POST", "/auth/request-password-reset", { email })).status).toBe(200);
    await server.stop();
  });

  it("is blocked on every sign-in endpoint after trying many email addresses from one IP address", async () => {
    const browser = createBrowser(server, { ip: "198.51.100.7" });
    const statuses: number[] = [];
    for (let i = 0; i < 70; i++) {
      const email = `guess-${i}@example.com`;
      const ways = [
        ["/auth/magic-link", { email }],
        ["/auth/request-password-reset", { email }],
      ] as const;
      const [url, body] = ways[i % 2] ?? ways[0];
      statuses.push((await browser.call("POST", url, body)).status);
    }
    expect(statuses.filter((status) => status === 200)).toHaveLength(60);
    expect(statuses.slice(60).every((status) => status === 429)).toBe(true);
    const token = { token: "t", newPassword: password };
    expect((await browser.call("POST", "/auth/reset-password", token)).status).toBe(429);
    expect((await browser.call("POST", "/auth/magic-link/verify?token=t")).status).toBe(429);
    await server.stop();
  });

  it("cannot tell who has an account, neither from the response nor from the work done", async () => {
    const { email } = await createOwner(server);
    const guess = async (address: string) => {
      hashed.mockClear();
      const { status, text } = await createBrowser(server).signIn(address, "a wrong password");
      return { status, text, hashes: hashed.mock.calls.length };
    };
    const [known, unknown] = [await guess(email), await guess("nobody@example.com")];
    expect(known).toEqual(unknown);
    // Password hashing dominates the response time, so an equal number of hashes means comparable timing.
    expect([known.status, known.hashes]).toEqual([401, 1]);
    await server.stop();
  });

  it("cannot plant a session: signing in replaces the session that the browser sent", async () => {
    const attacker = await createOwner(server);
    const victim = await createOwner(server);
    const planted = (await signedInBrowser(server, attacker.email)).cookies.get("__Host-foyer_session") ?? "";
    for (const value of [planted, "made-up", `made-up.${planted.split(".")[1]}`]) {
      const browser = createBrowser(server);
      browser.cookies.set("__Host-foyer_session", value);
      expect((await browser.signIn(victim.email)).status).toBe(200);
      const own = browser.cookies.get("__Host-foyer_session") ?? "";
      expect(own).not.toBe(value);
      const thief = createBrowser(server);
      thief.cookies.set("__Host-foyer_session", value);
      expect((await thief.call("GET", "/auth/session")).status).toBe(401);
    }
    await server.stop();
  });

  it("cannot become the owner of an empty server without the printed setup link", async () => {
    const browser = createBrowser(server);
    const signUp = await browser.call("POST", "/auth/sign-up/email", { email: "first@example.com", password });
    expect([signUp.status, signUp.body.error.message]).toEqual([403, expect.stringContaining("setup link")]);
    await browser.call("POST", "/auth/magic-link", { email: "first@example.com" });
    await browser.call("POST", "/auth/request-password-reset", { email: "first@example.com" });
    expect((await browser.signIn("first@example.com")).status).toBe(401);
    expect(await server.deps.db.selectFrom("users").selectAll().execute()).toEqual([]);
    expect(await server.deps.db.selectFrom("pendingLinks").selectAll().execute()).toEqual([]);
    await server.stop();
  });
});
