import { readdirSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { accessibilityProblems, measureOverflow, startBrowser, type TestBrowser } from "../test/browser.ts";
import { takePictures } from "../test/pictures.ts";
import { startServer, type TestServer } from "../test/server.ts";

const guides = [
  "conventions",
  "chat",
  "models",
  "sdk",
  "attachments",
  "widget",
  "tools",
  "forms",
  "triggers",
  "knowledge",
  "handoff",
  "team",
  "providers",
  "publishing",
  "files",
  "tests",
  "replays",
  "webhooks",
  "events",
  "deployment",
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
    await page.goto(`${server.url}/docs/api`);
    await page.getByRole("heading", { name: "Foyer", level: 1 }).waitFor();
    await takePictures(page, "docs-api");
    const { servers } = await (await fetch(`${server.url}/openapi.json`)).json();
    expect(servers).not.toEqual([{ url: server.url }]);
    const answer = page.waitForResponse(`${server.url}/agents`);
    // Operations below the window are rendered once the reader comes near them.
    await page.mouse.move(700, 450);
    await page.mouse.wheel(0, 2_000);
    await page
      .getByRole("button", { name: /Test Request/ })
      .first()
      .click();
    await page.getByRole("button", { name: "Send get request to" }).click();
    expect((await answer).status()).toBe(401);
    expect([foreign, problems]).toEqual([[], []]);
  });

  it.each([
    ["light", 1440],
    ["dark", 1440],
    ["light", 390],
    ["dark", 390],
  ] as const)(
    "has no axe findings in the API reference in %s at %d px except those of its renderer",
    async (scheme, width) => {
      const { page } = await browser.open({ viewport: { width, height: 900 }, colorScheme: scheme });
      await page.goto(`${server.url}/docs/api`);
      await page.getByRole("heading", { name: "Foyer", level: 1 }).waitFor();
      // The renderer's buttons that copy a sample have no name, and its lists of endpoints scroll without a focus.
      const ofRenderer = /^\w+ (button-name: .*scalar-code-copy|scrollable-region-focusable: .*class="endpoints")/;
      const found = await accessibilityProblems(page);
      expect(found.filter((problem) => !ofRenderer.test(problem))).toEqual([]);
    },
  );

  it("opens with a page that leads from a key to a reply", async () => {
    const { page } = await browser.open({ viewport: { width: 1440, height: 900 } });
    await page.goto(`${server.url}/docs`);
    await page.getByRole("heading", { name: "Getting started", level: 1 }).waitFor();
    await page.getByRole("link", { name: "Getting started" }).and(page.locator("[aria-current]")).waitFor();
    expect((await fetch(`${server.url}/docs/start`)).status).toBe(200);
    await page.evaluate(() => document.fonts.ready);
    expect(await page.evaluate(() => document.fonts.check('15px "Inter Variable"'))).toBe(true);
    await takePictures(page, "docs-start");
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  it("has one navigation for the guides and the API reference, and cuts none of it at 1280 and 1440 px", async () => {
    const { page } = await browser.open({ viewport: { width: 1280, height: 900 } });
    const names = async (address: string) => {
      await page.goto(server.url + address);
      return page.locator("nav > a").allInnerTexts();
    };
    const all = await names("/docs/chat");
    expect(all).toHaveLength(guides.length + 2);
    expect(await names("/docs/api")).toEqual(all);
    await page.getByRole("heading", { name: "Foyer", level: 1 }).waitFor();
    for (const width of [1280, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await measureOverflow(page)).toBe(0);
      const cut = await page
        .locator("header a, header input, nav a")
        .evaluateAll((elements) =>
          elements.filter((one) => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== "inline"),
        );
      expect(cut).toEqual([]);
      await expect
        .poll(() =>
          page
            .getByRole("link", { name: "Dashboard" })
            .evaluate((one) => one.clientHeight < 30 || one.getClientRects().length === 1),
        )
        .toBe(true);
    }
  });

  it("leads from the menu of the reference to an operation", async () => {
    const { page } = await browser.open({ viewport: { width: 1440, height: 900 } });
    await page.goto(`${server.url}/docs/api`);
    await page.getByRole("heading", { name: "Foyer", level: 1 }).waitFor();
    const menu = page.getByRole("navigation", { name: "Documentation" });
    await menu.getByText("Tools", { exact: true }).last().click();
    await menu.getByRole("link", { name: "Create a tool" }).click();
    const heading = page.getByRole("heading", { name: "Create a tool" });
    await expect.poll(() => heading.evaluate((element) => element.getBoundingClientRect().top)).toBeLessThan(500);
    await expect.poll(() => heading.evaluate((element) => element.getBoundingClientRect().top)).toBeGreaterThan(0);
    await takePictures(page, "docs-operation");
  });

  it("finds sections of guides and operations of the API in one search", async () => {
    const { page, problems } = await browser.open({ viewport: { width: 1440, height: 900 } });
    await page.goto(`${server.url}/docs/chat`);
    await page.keyboard.press("/");
    const field = page.getByRole("combobox", { name: "Search the documentation" });
    await field.pressSequentially("webhook secret");
    const options = page.getByRole("option");
    await options.filter({ hasText: "Verify the signature" }).waitFor();
    await options.filter({ hasText: "API · GET /tools/:id/webhook-secret" }).first().waitFor();
    await takePictures(page, "docs-search");
    expect(await accessibilityProblems(page)).toEqual([]);
    await field.fill("zzzz");
    await page.getByText("Nothing found for “zzzz”.").waitFor();
    await field.fill("resume after");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.url()).toContain("#resume-after");
    await field.fill("create a tool");
    await options.filter({ hasText: "API · POST /tools" }).first().click();
    await page.waitForURL(/\/docs\/api#/);
    await page.getByRole("heading", { name: "Create a tool" }).waitFor();
    expect(problems).toEqual([]);
  });

  it("copies an example with a button that is always visible", async () => {
    const { page } = await browser.open({
      viewport: { width: 1440, height: 900 },
      permissions: ["clipboard-write", "clipboard-read"],
    });
    await page.goto(`${server.url}/docs/chat`);
    const block = page.locator(".code").first();
    await block.getByRole("button", { name: "Copy" }).click();
    await block.getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(await block.locator("code").innerText());
    expect(await page.locator(".code").count()).toBe(await page.getByRole("button", { name: /^Cop/ }).count());
  });

  it("shows an example in the language that the reader chooses, everywhere on the page", async () => {
    const { page, problems } = await browser.open({ viewport: { width: 1440, height: 900 } });
    await page.goto(`${server.url}/docs/start`);
    const chosen = page.getByRole("tab", { selected: true });
    expect(await chosen.allInnerTexts()).toEqual(["curl", "curl"]);
    await chosen.first().focus();
    await page.keyboard.press("ArrowLeft");
    expect(await chosen.allInnerTexts()).toEqual(["Python", "Python"]);
    expect(await page.getByRole("tabpanel").filter({ hasText: "urllib" }).count()).toBe(1);
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("shows every language of an example without scripts", async () => {
    const { page } = await browser.open({ javaScriptEnabled: false });
    await page.goto(`${server.url}/docs/webhooks`);
    expect(await page.locator(".tab:visible > p").allInnerTexts()).toEqual([
      "SDK",
      "Node.js",
      "Python",
      "PHP",
      "Ruby",
      "Go",
    ]);
  });

  it("marks the section that is read in a list beside the page", async () => {
    const { page } = await browser.open({ viewport: { width: 1440, height: 900 } });
    await page.goto(`${server.url}/docs/webhooks`);
    const contents = page.getByRole("complementary", { name: "On this page" });
    const current = contents.locator("[aria-current]");
    expect(await current.innerText()).toBe("The request");
    await contents.getByRole("link", { name: "Verify the signature" }).click();
    await expect.poll(() => current.innerText()).toBe("Verify the signature");
  });

  it("shows the navigation on a phone with a button", async () => {
    const { page } = await browser.open({ viewport: { width: 390, height: 800 } });
    await page.goto(`${server.url}/docs/chat`);
    const link = page.getByRole("link", { name: "Webhooks", exact: true }).first();
    await expect.poll(() => link.isVisible()).toBe(false);
    await page.getByRole("button", { name: "Menu" }).click();
    await takePictures(page, "docs-menu");
    expect(await accessibilityProblems(page)).toEqual([]);
    await link.click();
    await page.getByRole("heading", { name: "Webhooks", level: 1 }).waitFor();
  });

  it.each(guides)(
    "serves /docs/%s, readable on a phone and in dark, without axe findings or broken links",
    async (name) => {
      const { page, problems } = await browser.open({ viewport: { width: 390, height: 800 } });
      await page.goto(`${server.url}/docs/${name}`);
      expect([await measureOverflow(page), problems]).toEqual([0, []]);
      expect(await accessibilityProblems(page)).toEqual([]);
      await page.emulateMedia({ colorScheme: "dark" });
      expect(await accessibilityProblems(page)).toEqual([]);
      await takePictures(page, `docs-${name}`);
      const links = await page.locator("a").evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).href));
      for (const link of new Set(links)) {
        if (link.startsWith(server.url)) expect([link, (await fetch(link)).status]).toEqual([link, 200]);
      }
    },
  );

  it("lists every guide of the repository in its menu", () => {
    const files = readdirSync(new URL("../docs/guides", import.meta.url)).map((name) => name.replace(".md", ""));
    expect([...files, "sdk"].sort()).toEqual([...guides, "start"].sort());
  });
});
