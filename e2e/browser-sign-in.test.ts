import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { bindAnyPort } from "../packages/server/src/http/bind-port.ts";
import { startBrowser, type TestBrowser } from "../test/browser.ts";
import { type OidcTestServer, startOidcServer } from "../test/oidc-server.ts";
import { startServer, type TestServer } from "../test/server.ts";
import { createOwner, password } from "../test/session-client.ts";

type Page = Awaited<ReturnType<TestBrowser["open"]>>["page"];

describe("sign-in in the browser", () => {
  let browser: TestBrowser;
  let server: TestServer;
  let oidc: OidcTestServer;
  let base: string;
  beforeAll(async () => {
    const listen = await bindAnyPort("127.0.0.1");
    base = `http://localhost:${listen.port}`;
    browser = await startBrowser();
    oidc = await startOidcServer({ redirectUri: `${base}/auth/callback/oidc` });
    server = await startServer({ listen, env: { BASE_URL: base, ...oidc.env } });
  });
  afterAll(async () => {
    await server.stop();
    await oidc.close();
    await browser.close();
  });

  /** A call as the dashboard makes it. */
  const call = (page: Page, method: string, path: string, body?: object) =>
    page.evaluate(
      async ([verb, url, json]) => {
        const init = json === null ? {} : { headers: { "content-type": "application/json" }, body: json };
        const response = await fetch(url, { method: verb, ...init });
        return { status: response.status, body: await response.json() };
      },
      [method, path, body ? JSON.stringify(body) : null] as const,
    );
  const signIn = async (email: string) => {
    const { page } = await browser.open();
    await page.goto(`${base}/dashboard`);
    expect((await call(page, "POST", "/auth/sign-in/email", { email, password })).status).toBe(200);
    return page;
  };
  const agentsOf = async (page: Page) => (await call(page, "GET", "/agents")).body.data;

  it("keeps a cookie that scripts cannot read, until signing out", async () => {
    const { email } = await createOwner(server);
    const page = await signIn(email);
    const cookies = await page.context().cookies();
    expect(cookies).toEqual([
      expect.objectContaining({
        name: "foyer_session",
        httpOnly: true,
        sameSite: "Lax",
        path: "/",
        domain: "localhost",
      }),
    ]);
    const days = ((cookies[0]?.expires ?? 0) - Date.now() / 1_000) / 86_400;
    expect(days).toBeGreaterThan(6.9);
    expect(await page.evaluate(() => document.cookie)).toBe("");
    expect((await call(page, "POST", "/agents", { name: "Made here" })).status).toBe(201);
    await page.reload();
    expect((await call(page, "GET", "/auth/session")).body.user.email).toBe(email);
    expect((await call(page, "POST", "/auth/sign-out")).status).toBe(200);
    expect(await page.context().cookies()).toEqual([]);
    expect((await call(page, "GET", "/auth/session")).status).toBe(401);
  });

  it("rejects requests that another site sends with the session", async () => {
    const { email } = await createOwner(server);
    const page = await signIn(email);
    const evil = await startPage();
    const other = await page.context().newPage();
    for (const host of ["localhost", "127.0.0.1"]) {
      await other.goto(`http://${host}:${evil.port}/`);
      const tried = await other.evaluate(async (target) => {
        const attempts = [
          { mode: "no-cors", headers: { "content-type": "text/plain" }, body: '{"name":"Forged"}' },
          { mode: "no-cors", body: new URLSearchParams({ name: "Forged" }) },
          { mode: "cors", headers: { "content-type": "application/json" }, body: '{"name":"Forged"}' },
        ] as const;
        const outcomes: string[] = [];
        for (const attempt of attempts) {
          const response = await fetch(`${target}/agents`, {
            method: "POST",
            credentials: "include",
            ...attempt,
          }).catch(() => null);
          outcomes.push(response?.type ?? "refused");
        }
        const read = await fetch(`${target}/auth/session`, { credentials: "include" }).catch(() => null);
        return [...outcomes, read?.type ?? "refused"];
      }, base);
      // Cross-Origin-Resource-Policy blocks even the opaque responses of no-cors requests from other origins.
      expect(tried).toEqual(["refused", "refused", "refused", "refused"]);
      await other.setContent(`<form method="post" action="${base}/auth/sign-out"><button>Go</button></form>`);
      const answered = other.waitForResponse((response) => response.url() === `${base}/auth/sign-out`);
      await other.getByRole("button").click();
      expect([401, 403]).toContain((await answered).status());
    }
    expect(await agentsOf(page)).toEqual([]);
    expect((await call(page, "GET", "/auth/session")).status).toBe(200);
    await evil.close();
  });

  it("signs in with the button on the page that a sign-in link opens, not by opening the link", async () => {
    const { email } = await createOwner(server);
    const info = vi.spyOn(server.deps.log, "info");
    const { page } = await browser.open();
    await page.goto(`${base}/dashboard`);
    await call(page, "POST", "/auth/magic-link", { email, callbackUrl: "/dashboard" });
    const logged = () => info.mock.calls.map(([details]) => details as { to?: string; url?: string });
    const url = () => logged().find(({ to }) => to === email)?.url;
    await expect.poll(url).toBeTruthy();
    await page.goto(String(url()));
    expect((await page.context().cookies()).map(({ name }) => name)).not.toContain("foyer_session");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.waitForURL(`${base}/dashboard**`);
    expect((await call(page, "GET", "/auth/session")).body.user.email).toBe(email);
    info.mockRestore();
  });

  it("signs in through an OpenID provider", async () => {
    const { email } = await createOwner(server);
    oidc.signInAs({ sub: "sub-browser", email, email_verified: true });
    const { page } = await browser.open();
    await page.goto(`${base}/auth/sign-in/oidc?callbackUrl=/dashboard`);
    expect(page.url()).toBe(`${base}/dashboard`);
    expect((await call(page, "GET", "/auth/session")).body.user.email).toBe(email);
    const names = (await page.context().cookies(base)).map(({ name }) => name);
    expect(names).toContain("foyer_session");
    expect(names).not.toContain("foyer.state");
  });
});

/** A page on another site. */
async function startPage() {
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><title>Evil</title>");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
