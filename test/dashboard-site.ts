import type { BrowserContextOptions, Page } from "playwright-core";
import { bindAnyPort } from "../packages/server/src/http/bind-port.ts";
import { startBrowser } from "./browser.ts";
import type { TestDatabase } from "./databases.ts";
import { takePictures } from "./pictures.ts";
import { startServer } from "./server.ts";
import { createMember, createOwner, password } from "./session-client.ts";

type SignInOptions = { email?: string; context?: BrowserContextOptions };

export type DashboardSite = Awaited<ReturnType<typeof startDashboardSite>>;

/** A server whose BASE_URL is the address that it listens on, which sessions require. */
export async function startOwnServer({
  env,
  ...options
}: {
  database?: TestDatabase;
  env?: Record<string, string>;
} = {}) {
  const listen = await bindAnyPort("127.0.0.1");
  return startServer({ ...options, listen, env: { BASE_URL: `http://127.0.0.1:${listen.port}`, ...env } });
}

/** A real server with an owner, and a real browser to open its dashboard in. */
export async function startDashboardSite(options: { database?: TestDatabase; env?: Record<string, string> } = {}) {
  const browser = await startBrowser();
  // Tests open many pages, and each one signs in.
  const env = { FOYER_LIMIT_SIGN_IN_PER_ADDRESS: "0", FOYER_LIMIT_SIGN_IN_PER_IP: "0", ...options.env };
  const server = await startOwnServer({ ...options, env });
  const owner = await createOwner(server);

  /** Signs a user in and opens a page of the dashboard, such as `/agents`. */
  async function open(path: string, options: SignInOptions = {}) {
    const opened = await signIn(options);
    await opened.page.goto(`${server.url}/dashboard${path}`);
    return opened;
  }

  /**
   * Opens another page of the dashboard within the loaded document, as a link does. Loading the document again would
   * take longer than most tests need the page. Data that the page fetched in the last five seconds is not fetched
   * again.
   */
  async function follow(page: Page, path: string): Promise<void> {
    await page.evaluate((to) => window.__TSR_ROUTER__?.navigate({ to } as never), path);
  }

  /** Signs a user in and opens an empty page, for a test that makes calls before it opens the dashboard. */
  async function signIn({ email = owner.email, context = {} }: SignInOptions = {}) {
    const opened = await browser.openWarm({ viewport: { width: 1440, height: 900 }, ...context });
    const { page } = opened;
    const answer = await page.request.post(`${server.url}/auth/sign-in/email`, { data: { email, password } });
    if (!answer.ok()) throw new Error(`not signed in: ${answer.status()} ${await answer.text()}`);
    return opened;
  }

  return {
    browser,
    server,
    owner,
    open,
    signIn,
    follow,
    /** Adds a member with this role to the owner's organization. @returns the email address */
    addMember: async (role: string) => (await createMember(server, owner.organizationId, role)).email,
    /** Makes a call with the page's session, to prepare a test. Throws when it is refused. */
    async call(page: Page, method: string, path: string, data?: object) {
      const answer = await page.request.fetch(server.url + path, { method, ...(data ? { data } : {}) });
      const body = await answer.json();
      if (!answer.ok()) throw new Error(`${method} ${path}: ${answer.status()} ${JSON.stringify(body)}`);
      return body;
    },
    picture: takePictures,
    async stop() {
      await browser.close();
      await server.stop();
    },
  };
}

/**
 * After an element is picked up by keyboard, it listens for further keys only from the next turn of the page's event
 * loop.
 */
export function nextTurn(page: Page): Promise<unknown> {
  return page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
}
