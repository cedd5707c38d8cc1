import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { setUpLink } from "../packages/server/src/setup/setup-token.ts";
import { accessibilityProblems, overflowOf, startBrowser, type TestBrowser } from "../test/browser.ts";
import { startServer, type TestServer } from "../test/server.ts";

describe("set-up in the browser", () => {
  let browser: TestBrowser;
  let server: TestServer;
  let link: string;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => browser.close());
  beforeEach(async () => {
    server = await startServer({ listen: true });
    const { pathname, search } = new URL(setUpLink(server.deps));
    link = server.url + pathname + search;
  });
  afterEach(() => server.stop());

  it("goes from an empty server to a first chat", async () => {
    const { page, problems } = await browser.open();
    await page.goto(`${server.url}/`);
    expect(page.url()).toBe(`${server.url}/dashboard`);
    expect(await page.locator("h1").innerText()).toBe("This server is not set up yet");
    expect(await page.content()).not.toContain(new URL(link).searchParams.get("token"));

    await page.goto(link);
    await page.getByLabel("E-mail").fill("owner@example.com");
    await page.getByLabel("Password").fill("a long enough password");
    await page.getByRole("button", { name: "Set up this server" }).click();
    await page.getByRole("heading", { name: "This server is set up" }).waitFor();
    const apiKey = await page.locator("#key").innerText();
    const headers = { authorization: `Bearer ${apiKey}` };
    const agents = await (await fetch(`${server.url}/agents`, { headers })).json();
    const agentId = agents.data[0].id;
    expect(await page.locator("#curl-agents").innerText()).toContain(
      `curl ${server.url}/agents \\\n  -H 'Authorization: Bearer ${apiKey}'`,
    );
    expect(await page.locator("#curl-chat").innerText()).toContain(`"agentId": "${agentId}"`);
    expect(page.url()).toBe(`${server.url}/dashboard/setup`);

    await page.getByRole("link", { name: "Talk to Harbour" }).click();
    await page.getByRole("button", { name: "When are you open?" }).click();
    await page.locator(".reply", { hasText: "Saturday: open from 10:00 to 16:00" }).waitFor();
    expect(problems).toEqual([]);
  });

  it("copies the key, and the curl line works as it stands", async () => {
    const { page } = await browser.open({ permissions: ["clipboard-read", "clipboard-write"] });
    await fill(page, link);
    await page.locator("[data-copies=key]").click();
    await page.getByText("Copied").first().waitFor();
    const key = await page.locator("#key").innerText();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key);
    const body = /-d '([^']+)'/.exec(await page.locator("#curl-chat").innerText())?.[1] ?? "";
    const response = await fetch(`${server.url}/chat`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    expect(await response.text()).toContain("event: message_stop");
  });

  it("says at each field what is wrong with it, and keeps what was written", async () => {
    const { page } = await browser.open();
    await page.goto(link);
    await page.getByLabel("E-mail").fill("owner@example.com");
    await page.getByLabel("Password").fill("short");
    await page.keyboard.press("Enter");
    await page.getByText("The password must be at least 12 characters long.").first().waitFor();
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("password");
    await page.getByLabel("E-mail").fill("nobody");
    await page.getByLabel("Password").fill("a long enough password");
    await page.keyboard.press("Enter");
    await page.getByText("The e-mail must be an address such as you@example.com.").first().waitFor();
    expect(await page.getByText("The password must be").isVisible()).toBe(false);
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  it("refuses a wrong link and a second use, on the page and in the form", async () => {
    const { page } = await browser.open();
    const wrong = await page.goto(link.replace(/.$/, "_"));
    expect(wrong?.status()).toBe(404);
    expect(await page.locator("h1").innerText()).toBe("This set-up link is not valid");

    const late = await browser.open();
    await late.page.goto(link);
    await fill(page, link);
    await fillForm(late.page, "late@example.com");
    await late.page.getByText("This set-up link is not valid, or this server is set up already.").first().waitFor();
    expect((await late.page.goto(link))?.status()).toBe(404);
    expect(await late.page.content()).not.toContain("fyr_");
  });

  it("says when the server cannot be reached, and works once it can", async () => {
    const { page } = await browser.open();
    await page.goto(link);
    await page.route("**/auth/setup", (route) => route.abort());
    await fillForm(page);
    await page.getByRole("alert").getByText("The server could not be reached.").waitFor();
    await page.unroute("**/auth/setup");
    await page.getByRole("button", { name: "Set up this server" }).click();
    await page.getByRole("heading", { name: "This server is set up" }).waitFor();
  });

  it("is accessible and fits a phone, in every state", async () => {
    const { page } = await browser.open({ viewport: { width: 390, height: 844 } });
    const check = async () => {
      expect(await accessibilityProblems(page)).toEqual([]);
      expect(await overflowOf(page)).toBe(0);
    };
    for (const path of ["/dashboard", "/dashboard/setup"]) {
      await page.goto(server.url + path);
      await check();
    }
    await page.goto(link);
    await check();
    await fill(page, link);
    await check();
    await page.goto(`${server.url}/dashboard`);
    expect(await page.locator("h1").innerText()).toBe("This server is running");
    await check();
  });
});

type Page = Awaited<ReturnType<TestBrowser["open"]>>["page"];

async function fill(page: Page, link: string) {
  await page.goto(link);
  await fillForm(page);
  await page.getByRole("heading", { name: "This server is set up" }).waitFor();
}

async function fillForm(page: Page, email = "owner@example.com") {
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password").fill("a long enough password");
  await page.getByRole("button", { name: "Set up this server" }).click();
}
