import { readdirSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { accessibilityProblems, measureOverflow, startBrowser, type TestBrowser } from "../test/browser.ts";
import { startServer, type TestServer } from "../test/server.ts";

const guides = [
  "chat",
  "widget",
  "handoff",
  "knowledge",
  "webhooks",
  "events",
  "sdk",
  "errors",
  "limits",
  "scaling",
  "versioning",
];

describe("the documentation", () => {
  let server: TestServer;
  let browser: TestBrowser;
  beforeAll(async () => {
    server = await startServer({ listen: true });
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  it("renders the API reference under its Content Security Policy, and sends requests only to its own host", async () => {
    const { page, problems } = await browser.open({ viewport: { width: 1440, height: 900 } });
    const foreign: string[] = [];
    page.on("request", (request) => {
      if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(server.url)) foreign.push(request.url());
    });
    await page.goto(`${server.url}/docs`);
    await page.getByRole("heading", { name: "Foyer", level: 1 }).waitFor();
    await page.getByRole("link", { name: "Chat", exact: true }).first().waitFor();
    await expect
      .poll(() => page.getByRole("navigation", { name: "Documentation" }).getByRole("link").count())
      .toBe(guides.length + 1);
    const { servers } = await (await fetch(`${server.url}/openapi.json`)).json();
    expect(servers).not.toEqual([{ url: server.url }]);
    const answer = page.waitForResponse(`${server.url}/agents`);
    await page
      .getByRole("button", { name: /Test Request/ })
      .first()
      .click();
    await page.getByRole("button", { name: "Send get request to" }).click();
    expect((await answer).status()).toBe(401);
    expect([foreign, problems]).toEqual([[], []]);
  });

  it.each(guides)("serves /docs/%s, readable on a phone, without axe findings or broken links", async (name) => {
    const { page, problems } = await browser.open({ viewport: { width: 390, height: 800 } });
    await page.goto(`${server.url}/docs/${name}`);
    expect([await measureOverflow(page), problems]).toEqual([0, []]);
    expect(await accessibilityProblems(page)).toEqual([]);
    const links = await page.locator("a").evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).href));
    for (const link of new Set(links)) {
      if (link.startsWith(server.url)) expect([link, (await fetch(link)).status]).toEqual([link, 200]);
    }
  });

  it("lists every guide of the repository in its menu", () => {
    const files = readdirSync(new URL("../docs/guides", import.meta.url)).map((name) => name.replace(".md", ""));
    expect([...files, "sdk"].sort()).toEqual([...guides].sort());
  });
});
