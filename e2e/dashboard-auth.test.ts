import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { setUpLink } from "../packages/server/src/setup/setup-token.ts";
import { accessibilityProblems, expectFit, startBrowser, type TestBrowser } from "../test/browser.ts";
import { type DashboardSite, startDashboardSite, startOwnServer } from "../test/dashboard-site.ts";
import type { TestServer } from "../test/server.ts";
import { createBrowser, createOwner, password } from "../test/session-client.ts";
import { type SmtpTestServer, startSmtpServer } from "../test/smtp-server.ts";

describe("signing in to the dashboard", () => {
  let site: DashboardSite;
  let smtp: SmtpTestServer;
  beforeAll(async () => {
    smtp = await startSmtpServer();
    site = await startDashboardSite({ env: { SMTP_URL: smtp.url } });
  });
  afterAll(async () => {
    await site.stop();
    await smtp.close();
  });

  const visit = async (path: string) => {
    const opened = await site.browser.openWarm({ viewport: { width: 1440, height: 900 } });
    await opened.page.goto(`${site.server.url}/dashboard${path}`);
    return opened;
  };
  const signIn = async (page: Page, email = site.owner.email) => {
    await page.getByLabel("Email").fill(email);
    await page.getByLabel("Password").fill(password);
    await page.keyboard.press("Enter");
  };

  it("redirects to the sign-in page and back", async () => {
    const { page, problems } = await visit("/settings/you");
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await site.picture(page, "dashboard-sign-in");
    await signIn(page);
    await page.waitForURL("**/dashboard/settings/you");
    await page.getByRole("navigation", { name: "Settings" }).waitFor();
    expect(problems).toEqual([]);
  });

  it("does not reveal whether the email or the password is wrong", async () => {
    const { page } = await visit("/sign-in");
    await page.getByLabel("Email").fill(site.owner.email);
    await page.getByLabel("Password").fill("not the password");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("alert").getByText("The email address or password is incorrect.").waitFor();
    await expect.poll(() => page.getByLabel("Email").inputValue()).toBe(site.owner.email);
    await expectFit(page);
  });

  it("only redirects to dashboard pages after sign-in", async () => {
    for (const next of ["https://evil.example/", "//evil.example", "/auth/session", "/dashboard.evil"]) {
      const { page } = await visit(`/sign-in?next=${encodeURIComponent(next)}`);
      await signIn(page);
      await page.waitForURL(`${site.server.url}/dashboard/start`);
      await page.context().close();
    }
  });

  it("explains why a sign-in link did not work", async () => {
    const { page } = await visit("?error=INVALID_TOKEN");
    await page.getByRole("alert").getByText("That link is invalid, was already used or has expired.").waitFor();
    await expectFit(page);
  });

  it("sets a new password with the emailed link", async () => {
    const { email } = await createOwner(site.server);
    const { page } = await visit("/forgot-password");
    await page.getByLabel("Email").fill(email);
    const link = await mailedLink(() => page.getByRole("button", { name: "Get reset link" }).click());
    await page.getByRole("heading", { name: "Check your email" }).waitFor();
    await page.goto(link);
    await page.getByLabel("New password").fill("short");
    await page.keyboard.press("Enter");
    await page.getByText("Must be at least 12 characters long.").waitFor();
    await expectFit(page);
    await page.getByLabel("New password").fill("another long enough password");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Password changed" }).waitFor();
    expect((await createBrowser(site.server).signIn(email, "another long enough password")).status).toBe(200);

    await page.goto(link);
    await page.getByLabel("New password").fill("a third long enough password");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText("The link is invalid, expired or already used").waitFor();
    await expectFit(page);
  });

  it("signs in with an emailed link", async () => {
    const { page } = await visit("/settings/you");
    await page.getByLabel("Email").fill(site.owner.email);
    const link = await mailedLink(() => page.getByRole("button", { name: "Email me a sign-in link" }).click());
    await page.getByRole("heading", { name: "Check your email" }).waitFor();
    await page.goto(link);
    await page.locator("button[type=submit]").click();
    await page.waitForURL("**/dashboard/settings/you");
    await page.getByRole("navigation", { name: "Main" }).waitFor();
  });

  it("lets an invited person join from the emailed link on one page", async () => {
    const inside = (await site.open("/")).page;
    const email = "newcomer@example.com";
    const invitation = await mailedLink(() =>
      site.call(inside, "POST", "/invitations", { email, role: "member" }).then(() => {}),
    );
    const { page, problems } = await site.browser.openWarm({ viewport: { width: 1440, height: 900 } });
    await page.goto(invitation);
    await page.getByRole("heading", { name: /^Join / }).waitFor();
    await page.getByLabel("Your name").fill("Mara");
    await page.getByLabel("Password").fill("short");
    await page.keyboard.press("Enter");
    await page.getByText("Must be at least 12 characters long.").waitFor();
    await expectFit(page);
    await site.picture(page, "dashboard-join");
    await page.getByLabel("Password").fill(password);
    await page.keyboard.press("Enter");
    await page.getByRole("navigation", { name: "Main" }).waitFor();
    const members = await site.call(inside, "GET", "/members");
    expect(members.find((member: { email: string }) => member.email === email)).toMatchObject({
      name: "Mara",
      role: "member",
    });
    await page.goto(invitation);
    await page.getByRole("heading", { name: "This invitation is not valid" }).waitFor();
    expect(problems).toEqual([]);
  });

  it("asks a person who joins with the copied link to confirm the address", async () => {
    const inside = (await site.open("/")).page;
    const email = "copied@example.com";
    await mailedLink(() => site.call(inside, "POST", "/invitations", { email, role: "member" }).then(() => {}));
    const [{ url }] = await site.call(inside, "GET", "/invitations");
    const { page } = await site.browser.openWarm({ viewport: { width: 1440, height: 900 } });
    await page.goto(url);
    await page.getByRole("link", { name: "Create account" }).click();
    await expect.poll(() => page.getByLabel("Email").inputValue()).toBe(email);
    await page.getByLabel("Password").fill(password);
    const confirmation = await mailedLink(() => page.getByRole("button", { name: "Create account" }).click());
    await page.getByRole("heading", { name: "Check your email" }).waitFor();
    await page.goto(confirmation);
    await page.getByText("Didn't create this account? Close this page.").waitFor();
    await page.locator("button[type=submit]").click();
    await page.waitForURL("**/dashboard**");
    await page.goto(url);
    await page.getByRole("link", { name: "Sign in to an existing account" }).click();
    await signIn(page, email);
    await page.getByRole("button", { name: /^Join / }).click();
    await page.getByRole("navigation", { name: "Main" }).waitFor();
    await expect.poll(() => addresses(inside)).toContain(email);
  });

  it("lets an invited user with an existing account join", async () => {
    const inside = (await site.open("/")).page;
    const [known, other] = [await createOwner(site.server), await createOwner(site.server)];
    const { url } = await site.call(inside, "POST", "/invitations", { email: known.email, role: "admin" });
    const { page } = await site.open("/", { email: other.email });
    await page.goto(url);
    await page.getByRole("alert").getByText(`You are signed in as ${other.email}.`).waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("link", { name: "Sign in to an existing account" }).click();
    await signIn(page, known.email);
    await page.getByRole("button", { name: /^Join / }).click();
    await page.getByRole("navigation", { name: "Main" }).waitFor();
    await expect.poll(() => addresses(inside)).toContain(known.email);
  });

  const addresses = async (page: Page): Promise<string[]> =>
    (await site.call(page, "GET", "/members")).map((member: { email: string }) => member.email);
  /** The link in the email that this action sends. */
  const mailedLink = async (act: () => Promise<void>) => {
    const [mail] = await Promise.all([smtp.waitForMail(), act()]);
    return /https?:\/\/\S+/.exec(mail.text)?.[0] ?? "";
  };
});

describe("a server without email", () => {
  let site: DashboardSite;
  beforeAll(async () => {
    site = await startDashboardSite();
  });
  afterAll(() => site.stop());

  it("lets an invited user join immediately without email", async () => {
    const inside = (await site.open("/")).page;
    const { url } = await site.call(inside, "POST", "/invitations", { email: "new@example.com", role: "member" });
    const { page } = await site.browser.openWarm({ viewport: { width: 1440, height: 900 } });
    await page.goto(url);
    await page.getByRole("link", { name: "Create account" }).click();
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Create account" }).click();
    await page.getByRole("navigation", { name: "Main" }).waitFor();
    const { page: other } = await site.browser.openWarm();
    await other.goto(`${site.server.url}/dashboard/forgot-password`);
    await other.getByLabel("Email").fill("new@example.com");
    await other.keyboard.press("Enter");
    await other.getByRole("heading", { name: "Check with your administrator" }).waitFor();
    await other.getByRole("link", { name: "Back to sign in" }).click();
    await other.getByRole("heading", { name: "Sign in" }).waitFor();
  });
});

describe("an empty server", () => {
  let site: TestBrowser;
  let server: TestServer;
  let link: string;
  beforeAll(async () => {
    site = await startBrowser();
  });
  afterAll(() => site.close());
  beforeEach(async () => {
    server = await startOwnServer();
    const { pathname, search } = new URL(setUpLink(server.deps));
    link = server.url + pathname + search;
  });
  afterEach(() => server.stop());

  const fill = async (page: Page, email = "owner@example.com", secret = password) => {
    await page.getByLabel("Email").fill(email);
    await page.getByLabel("Password").fill(secret);
    await page.getByRole("button", { name: "Set up this server" }).click();
  };

  it("tells the operator of an empty server where the setup link is", async () => {
    const { page, problems } = await site.open();
    await page.goto(`${server.url}/`);
    await page.getByRole("heading", { name: "This server is not set up yet" }).waitFor();
    expect(await page.content()).not.toContain(new URL(link).searchParams.get("token"));
    expect(await accessibilityProblems(page)).toEqual([]);

    await page.goto(link);
    await fill(page);
    await page.getByRole("heading", { level: 1, name: "Set up Harbour" }).waitFor();
    await page.getByRole("navigation", { name: "Main" }).waitFor();
    const answer = await page.request.get(`${server.url}/agents`);
    expect((await answer.json()).data[0].name).toBe("Harbour");
    // The user never saw the API key that the setup creates, so it was revoked.
    expect(await (await page.request.get(`${server.url}/api-keys`)).json()).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("shows errors of the setup form at its fields", async () => {
    const { page } = await site.open();
    await page.goto(link);
    await page.getByText("At least 12 characters.", { exact: true }).waitFor();
    await fill(page, "owner@example.com", "short");
    await page.getByText("Must be at least 12 characters long.").waitFor();
    expect(await page.getByText("At least 12 characters.", { exact: true }).count(), "the help repeats it").toBe(0);
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute("type"))).toBe("password");
    await fill(page, "nobody");
    await page.getByText("Must be an email address such as you@example.com.").waitFor();
    await expect.poll(() => page.getByText("Must be at least 12").count()).toBe(0);
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  it("shows the API key when signing in fails after setup", async () => {
    const { page } = await site.open();
    await page.goto(link);
    await page.route("**/auth/sign-in/email", (route) => route.abort());
    await fill(page);
    await page.getByRole("heading", { name: "Your server is ready" }).waitFor();
    await expect.poll(() => page.getByRole("region", { name: "the API key" }).innerText()).toMatch(/^fyr_/);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole("link", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
  });

  it("rejects an invalid setup link before anything is typed", async () => {
    const late = (await site.open()).page;
    await late.goto(link);
    const { page } = await site.open();
    await page.goto(link.replace(/.$/, "_"));
    await page.getByRole("heading", { name: "This setup link is not valid" }).waitFor();
    await page.goto(link);
    await fill(page);
    await page.getByRole("heading", { level: 1, name: "Set up Harbour" }).waitFor();
    await fill(late, "late@example.com");
    await late.getByRole("heading", { name: "This setup link is not valid" }).waitFor();
    expect(await late.content()).not.toContain("fyr_");
  });

  it("reports that the server is unreachable", async () => {
    const { page } = await site.open();
    await page.goto(link);
    await page.route("**/auth/setup", (route) => route.abort());
    await fill(page);
    await page.getByRole("alert").getByText("The server could not be reached.").waitFor();
    await page.unroute("**/auth/setup");
    await page.getByRole("button", { name: "Set up this server" }).click();
    await page.getByRole("heading", { level: 1, name: "Set up Harbour" }).waitFor();
  });
});
