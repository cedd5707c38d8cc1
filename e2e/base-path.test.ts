import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startBrowser, type TestBrowser } from "../test/browser.ts";
import { startNginx } from "../test/nginx.ts";
import { type OidcTestServer, startOidcServer } from "../test/oidc-server.ts";
import { type ReverseProxy, startReverseProxy } from "../test/reverse-proxy.ts";
import { startServer, type TestServer } from "../test/server.ts";
import { createOwner, password } from "../test/session-client.ts";
import { sayWords, startUpstream, type Upstream } from "../test/upstream.ts";
import { ask, replyOver } from "../test/widget-site.ts";

// `/chat` is also the path of an endpoint, so this is the hardest path that is supported.
const path = "/chat";
const startProxy = process.env.FOYER_NGINX ? startNginx : startReverseProxy;

describe.each([
  ["keeps it", false],
  ["removes it", true],
] as const)("BASE_URL with a path behind a proxy that %s", (_, removesPath) => {
  let browser: TestBrowser;
  let server: TestServer;
  let proxy: ReverseProxy;
  let upstream: Upstream;
  let oidc: OidcTestServer;
  let owner: Awaited<ReturnType<typeof createOwner>>;
  let base: string;
  beforeAll(async () => {
    browser = await startBrowser();
    upstream = await startUpstream();
    proxy = await startProxy(path, removesPath);
    base = proxy.url + path;
    oidc = await startOidcServer({ redirectUri: `${base}/auth/callback/oidc` });
    server = await startServer({
      listen: true,
      env: {
        BASE_URL: base,
        FOYER_TRUST_PROXY: "127.0.0.1",
        OPENAI_COMPATIBLE_BASE_URL: `${upstream.url}/v1`,
        FOYER_DEFAULT_MODEL: "openai-compatible/test",
        ...oidc.env,
      },
    });
    await proxy.forwardTo(server.url);
    owner = await createOwner(server);
  });
  beforeEach(() => upstream.script(sayWords("We ", "open ", "at nine.")));
  afterAll(async () => {
    await browser.close();
    await server.stop();
    await proxy.stop();
    await oidc.close();
    await upstream.stop();
  });

  /** A page, with everything that it requests from outside of the path and every request that fails. */
  async function openPage() {
    const { page, problems } = await browser.open({ viewport: { width: 1440, height: 900 } });
    const misses: string[] = [];
    page.on("response", (response) => {
      const url = response.url();
      const isOutside = url.startsWith(proxy.url) && !`${new URL(url).pathname}/`.startsWith(`${path}/`);
      if (isOutside || response.status() === 404) misses.push(`${response.status()} ${url}`);
    });
    return { page, problems, misses };
  }

  async function signIn() {
    const opened = await openPage();
    const answer = await opened.page.request.post(`${base}/auth/sign-in/email`, {
      data: { email: owner.email, password },
    });
    expect(answer.status()).toBe(200);
    return opened;
  }

  async function createAgent(page: Awaited<ReturnType<typeof openPage>>["page"], agent = {}): Promise<string> {
    const answer = await page.request.post(`${base}/agents`, { data: { name: "Harbour", ...agent } });
    return (await answer.json()).data.id;
  }

  it("leads from the start page through sign-in to the dashboard", async () => {
    const { page, problems, misses } = await openPage();
    await page.goto(`${base}/`);
    await page.waitForURL(`${base}/dashboard/sign-in**`);
    await page.getByLabel("Email").fill(owner.email);
    await page.getByLabel("Password", { exact: true }).fill(password);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("navigation").first().waitFor();
    expect(new URL(page.url()).pathname).toMatch(/^\/chat\/dashboard/);
    expect((await page.context().cookies()).map((cookie) => cookie.path)).toEqual([path]);
    expect([problems, misses]).toEqual([[], []]);
  });

  it("loads the dashboard's pages, and the preview of the widget in them", async () => {
    const { page, problems, misses } = await signIn();
    const id = await createAgent(page, { widget: { greeting: "Good morning." } });
    await page.goto(`${base}/dashboard/agents/${id}/appearance`);
    await page.frameLocator("iframe").getByText("Good morning.").waitFor();
    await page.reload();
    await page.frameLocator("iframe").getByText("Good morning.").waitFor();
    await page.goto(`${base}/dashboard/agents/${id}/embed`);
    await page.getByText(`${base}/widget.js`).first().waitFor();
    expect([problems, misses]).toEqual([[], []]);
  });

  it("streams a reply to the demo page, and continues the conversation after a reload", async () => {
    const { page, problems, misses } = await signIn();
    const id = await createAgent(page);
    await page.goto(`${base}/demo/${id}`);
    await ask(page, "When do you open?");
    await page.getByText("We open at nine.").first().waitFor();
    await replyOver(page);
    await page.reload();
    await page.locator(".reply", { hasText: "We open at nine." }).waitFor();
    expect([problems, misses]).toEqual([[], []]);
  });

  it("serves the documentation with its links, its search and the API reference", async () => {
    const { page, problems, misses } = await openPage();
    await page.goto(`${base}/docs`);
    await page.getByRole("link", { name: "Deployment" }).click();
    await page.getByRole("heading", { name: "Deployment", level: 1 }).waitFor();
    await page.getByRole("combobox").fill("rate limit");
    await page.getByRole("option").first().click();
    await page.waitForURL(`${base}/docs/**`);
    await page.goto(`${base}/docs/api`);
    await page.getByRole("heading", { name: "Foyer", level: 1 }).waitFor();
    expect([problems, misses]).toEqual([[], []]);
  });

  it("signs in through an OpenID Connect provider", async () => {
    oidc.signInAs({ sub: `sub-${owner.email}`, email: owner.email, email_verified: true });
    const { page, misses } = await openPage();
    await page.goto(`${base}/dashboard/sign-in`);
    await page.getByRole("link", { name: /Continue with/ }).click();
    await page.waitForURL(`${base}/dashboard**`);
    await page.getByRole("navigation").first().waitFor();
    expect(misses).toEqual([]);
  });
});
