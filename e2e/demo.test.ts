import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { accessibilityProblems, measureOverflow, startBrowser, type TestBrowser } from "../test/browser.ts";
import { startServer, type TestServer } from "../test/server.ts";
import { sayWords, startUpstream, type Upstream } from "../test/upstream.ts";
import { ask, replyOver } from "../test/widget-site.ts";

const hostile = `</script><img src=x onerror="window.broken=1"><b>bold</b>`;

describe("the demo page", () => {
  let browser: TestBrowser;
  let server: TestServer;
  let upstream: Upstream;
  let owner: Awaited<ReturnType<TestServer["createAccount"]>>;
  beforeAll(async () => {
    browser = await startBrowser();
    upstream = await startUpstream();
    server = await startServer({
      listen: true,
      env: { OPENAI_COMPATIBLE_BASE_URL: `${upstream.url}/v1`, FOYER_DEFAULT_MODEL: "openai-compatible/test" },
    });
    owner = await server.createAccount();
  });
  beforeEach(() => upstream.script(sayWords("We ", "open ", "at nine.")));
  afterAll(async () => {
    await browser.close();
    await server.stop();
    await upstream.stop();
  });

  const visit = async (agent: object = {}, options = {}) => {
    const { body } = await owner.call("POST", "/agents", { name: "Harbour", ...agent });
    const { page, problems } = await browser.open(options);
    await page.goto(`${server.url}/demo/${body.data.id}`);
    return { page, problems, agentId: body.data.id };
  };
  const broken = (page: Page) => page.evaluate(() => Reflect.get(window, "broken"));

  it("opens the agent's chat on the demo page", async () => {
    const { page, problems } = await visit({ widget: { greeting: "Good morning." } });
    await page.getByText("Good morning.").waitFor();
    await ask(page, "When do you open?");
    await page.getByText("We open at nine.").first().waitFor();
    await replyOver(page);
    await page.reload();
    await page.locator(".reply", { hasText: "We open at nine." }).waitFor();
    expect(problems).toEqual([]);
  });

  it("shows the embed code of the agent", async () => {
    const { page, agentId } = await visit({}, { permissions: ["clipboard-read", "clipboard-write"] });
    const line = `<script src="${server.deps.config.baseUrl}/widget.js" data-agent-id="${agentId}" async></script>`;
    await expect.poll(async () => (await page.locator("#line").innerText()).trim()).toBe(line);
    await page.getByRole("button", { name: "Copy the line" }).click();
    await page.getByText("Copied").waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(line);
  });

  it("reopens a closed chat on the demo page", async () => {
    const { page } = await visit();
    await page.locator(".panel").waitFor();
    await page.keyboard.press("Escape");
    await page.locator(".panel").waitFor({ state: "hidden" });
    await page.reload();
    await page.locator(".launcher").waitFor();
    await expect.poll(() => page.locator(".panel").count()).toBe(0);
    await page.getByRole("button", { name: "Talk to Harbour" }).click();
    await page.locator(".panel").waitFor();
  });

  it("does not execute markup in an agent's name", async () => {
    const { page, problems } = await visit({ name: hostile });
    await page.locator(".panel").waitFor();
    await expect.poll(() => page.title()).toBe(`${hostile} – demo`);
    await expect.poll(() => page.locator("h1").innerText()).toBe(`This is ${hostile} on a page`);
    await expect.poll(() => page.locator("img, b").count()).toBe(0);
    expect(await broken(page)).toBeUndefined();
    expect(problems).toEqual([]);
  });

  it("is accessible and fits a phone, where the chat opens only on request", async () => {
    const name = `Harbour ${"and the longest name of all ".repeat(6)}`.trim();
    const { page } = await visit({ name }, { viewport: { width: 390, height: 844 } });
    const check = async () => {
      expect(await accessibilityProblems(page)).toEqual([]);
      expect(await measureOverflow(page)).toBe(0);
    };
    await page.locator(".launcher").waitFor();
    await expect.poll(() => page.locator(".panel").count()).toBe(0);
    await check();
    await page.getByRole("button", { name: `Talk to ${name}` }).click();
    await page.locator(".panel").waitFor();
    await check();
    await page.goto(`${server.url}/demo/unknown`);
    await page.getByText("There is no agent at this address").first().waitFor();
    await check();
  });
});
