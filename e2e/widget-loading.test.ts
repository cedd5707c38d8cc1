import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { sayWords } from "../test/upstream.ts";
import { ask, openChat, replyOver, startWidgetSite, type WidgetSite } from "../test/widget-site.ts";

describe("the widget on a website", () => {
  let site: WidgetSite;
  beforeAll(async () => {
    site = await startWidgetSite();
  });
  beforeEach(() => {
    site.upstream.script(sayWords("We ", "open ", "at nine."));
    site.host.before("");
  });
  afterAll(() => site.stop());

  it("works under a strict Content Security Policy", async () => {
    const { page, problems } = await site.visit();
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.reload();
    await page.locator(".launcher").waitFor();
    const parts = () => asked.filter((url) => new URL(url).pathname.startsWith("/widget/panel")).length;
    expect(parts()).toBe(0);
    await openChat(page);
    expect(parts()).toBe(1);
    await ask(page, "When do you open?");
    await replyOver(page);
    await expect.poll(() => page.locator(".markdown").innerText()).toBe("We open at nine.");
    const origins = new Set(asked.map((url) => new URL(url).origin));
    expect([...origins].sort()).toEqual([site.host.origin, site.server.url].sort());
    expect(problems).toEqual([]);
    expect(
      await page.evaluate(() => document.querySelectorAll("style, link[rel=stylesheet], [style], iframe").length),
    ).toBe(0);
    const inShadow = () =>
      page.evaluate(
        () =>
          document.querySelector("foyer-widget")?.shadowRoot?.querySelectorAll("style, [style], iframe, script").length,
      );
    expect(await inShadow()).toBe(0);
  });

  it("defines no global except Foyer, stores nothing before the first interaction, and never sets a cookie", async () => {
    site.host.before("window.known = Object.getOwnPropertyNames(window)");
    const { page } = await site.visit();
    const stored = () => page.evaluate(() => [...Object.keys(localStorage), ...Object.keys(sessionStorage)].length);
    const added = await page.evaluate(() => {
      const known = new Set(Reflect.get(window, "known"));
      return Object.getOwnPropertyNames(window).filter((name) => !known.has(name) && name !== "known");
    });
    expect(added).toEqual(["Foyer"]);
    expect(await stored()).toBe(0);
    await page.evaluate(() => Reflect.get(window, "Foyer").open());
    await page.locator(".panel").waitFor();
    expect(await stored()).toBe(0);
    await ask(page, "When do you open?");
    await replyOver(page);
    await expect.poll(() => stored()).toBe(1);
    expect(await page.context().cookies()).toEqual([]);
  });

  it("does not affect the page's layout", async () => {
    const { page } = await site.visit();
    const size = () =>
      page.evaluate(() => [
        document.documentElement.scrollWidth,
        document.documentElement.scrollHeight,
        document.body.offsetHeight,
      ]);
    const withWidget = await size();
    await openChat(page);
    await expect.poll(() => size()).toEqual(withWidget);
    await page.evaluate(() => Reflect.get(window, "Foyer").destroy());
    await expect.poll(() => size()).toEqual(withWidget);
    await expect.poll(() => page.locator("foyer-widget").count()).toBe(0);
    await expect.poll(() => page.evaluate(() => "Foyer" in window)).toBe(false);
  });

  it("starts only once per page", async () => {
    const { page } = await site.browser.open();
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(error.message));
    const warning = page.waitForEvent("console", (message) => message.text().includes("only one widget per page"));
    await page.goto(site.host.page("/twice", { "data-agent-id": await site.createAgent() }));
    expect((await warning).type()).toBe("warning");
    await page.locator(".launcher").waitFor();
    await expect.poll(() => page.locator("foyer-widget").count()).toBe(1);
    await expect.poll(() => page.locator(".launcher").count()).toBe(1);
    await openChat(page);
    await expect.poll(() => page.locator(".panel").count()).toBe(1);
    expect(problems).toEqual([]);
  });

  it("starts on a page with an element whose id is Foyer", async () => {
    site.host.before(
      "document.documentElement.append(Object.assign(document.createElement('div'), { id: 'Foyer', hidden: true }))",
    );
    const { page, problems } = await site.visit();
    await page.evaluate(() => Reflect.get(window, "Foyer").open());
    await page.locator(".panel").waitFor();
    expect(problems).toEqual([]);
  });

  it("shows an empty panel at once while the chat loads", async () => {
    const { page } = await site.visit();
    const gate = Promise.withResolvers<void>();
    await page.route(/\/panel[^/]*\.js/, async (route) => {
      await gate.promise;
      await route.continue();
    });
    await page.locator(".launcher").click();
    await page.locator(".panel-outline").waitFor();
    expect(await page.locator(".panel").count()).toBe(0);
    gate.resolve();
    await page.locator(".panel").waitFor();
    await expect.poll(() => page.locator(".panel-outline").count()).toBe(0);
  });

  it("stays closed when it is closed while it loads", async () => {
    const { page } = await site.visit();
    const opened = await page.evaluate(async () => {
      const foyer = Reflect.get(window, "Foyer");
      let opened = 0;
      foyer.on("open", () => opened++);
      foyer.open();
      foyer.close();
      const launcher = document.querySelector("foyer-widget")?.shadowRoot?.querySelector(".launcher");
      while (launcher?.getAttribute("aria-busy") !== "false") await new Promise((resolve) => setTimeout(resolve, 10));
      return opened;
    });
    expect([opened, await page.locator(".panel:visible").count()]).toEqual([0, 0]);
    await openChat(page);
  });

  it("sends no requests and has no listeners after destroy", async () => {
    site.host.before(
      "window.channels = 0; const Own = BroadcastChannel; window.BroadcastChannel = class extends Own { constructor(name) { super(name); channels++ } close() { super.close(); channels-- } }; window.Foyer = [['on', 'ready', () => Foyer.destroy()]]",
    );
    const { page } = await site.browser.open();
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    const agentId = await site.createAgent();
    await page.goto(site.host.page("/", { "data-agent-id": agentId }));
    await expect.poll(() => page.evaluate(() => "Foyer" in window)).toBe(false);
    await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)));
    expect(asked.filter((path) => path.startsWith("/triggers/"))).toEqual([]);
    expect(await page.evaluate(() => Reflect.get(window, "channels"))).toBe(0);
  });

  it("runs calls that were queued before it loaded", async () => {
    site.host.before(
      "window.said = []; window.Foyer = window.Foyer || []; Foyer.push(['on', 'open', () => said.push('open')], ['open', { message: 'Hello' }]); Foyer.push((foyer) => foyer.on('ready', () => said.push('ready')))",
    );
    const { page } = await site.visit();
    await page.locator(".panel").waitFor();
    await expect.poll(() => page.locator(".panel textarea").inputValue()).toBe("Hello");
    await expect.poll(() => page.evaluate(() => Reflect.get(window, "said"))).toEqual(["ready", "open"]);
  });

  it("survives a page that replaces its whole body", async () => {
    const { page } = await site.visit();
    await openChat(page);
    await page.locator(".panel textarea").fill("Half a sen");
    await page.evaluate(() => {
      document.body.replaceWith(document.createElement("body"));
      history.pushState({}, "", "/elsewhere");
    });
    await expect.poll(() => page.locator(".panel textarea").inputValue()).toBe("Half a sen");
    await page.evaluate(() => document.querySelector("foyer-widget")?.remove());
    await page.locator(".panel").waitFor();
  });

  it("works when browser storage is blocked", async () => {
    site.host.before(
      "for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(window, name, { get() { throw new DOMException('no', 'SecurityError') } })",
    );
    const { page, problems } = await site.visit();
    await openChat(page);
    await ask(page, "When do you open?");
    await page.getByText("We open at nine.").first().waitFor();
    await replyOver(page);
    await ask(page, "And on Sundays?");
    await replyOver(page);
    await expect.poll(() => page.locator(".user").count()).toBe(2);
    expect(problems).toEqual([]);
  });

  it("stores nothing before consent", async () => {
    const { page } = await site.visit({}, { attributes: { "data-consent": "required" } });
    const stored = () => page.evaluate(() => [...Object.keys(localStorage), ...Object.keys(sessionStorage)].length);
    await openChat(page);
    await ask(page, "When do you open?");
    await replyOver(page);
    expect(await stored()).toBe(0);
    await page.evaluate(() => Reflect.get(window, "Foyer").consent());
    await expect.poll(() => stored()).toBe(2);
  });

  it("shows each visitor only their own conversations", async () => {
    const { page } = await site.visit();
    const call = (name: string, ...args: unknown[]) =>
      page.evaluate(([name, args]) => Reflect.get(window, "Foyer")[name as string](...(args as unknown[])), [
        name,
        args,
      ] as const);
    const shown = () => page.locator(".user .bubble").allInnerTexts();
    await openChat(page);
    await ask(page, "Not signed in yet");
    await replyOver(page);
    // Signing in keeps the open conversation, and the next message identifies the visitor.
    await call("identify", { userId: "ada", userEmail: "ada@shop.example", userMetadata: { plan: "pro" } });
    const sent = page.waitForRequest((request) => request.url().endsWith("/chat") && request.method() === "POST");
    await ask(page, "It is Ada");
    expect((await sent).postDataJSON()).toMatchObject({
      conversationId: expect.stringMatching(/^conv_/),
      userId: "ada",
      userMetadata: { plan: "pro" },
    });
    await replyOver(page);
    await expect.poll(() => shown()).toEqual(["Not signed in yet", "It is Ada"]);
    await call("identify", { userId: "bob" });
    await page.locator(".user").first().waitFor({ state: "detached" });
    await ask(page, "It is Bob");
    await replyOver(page);
    await expect.poll(() => shown()).toEqual(["It is Bob"]);
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toMatch(/user:ada|ada@shop/);
    await page.locator(".panel textarea").fill("What only Bob wants to ask");
    await call("logout");
    await page.locator(".user").first().waitFor({ state: "detached" });
    await expect.poll(() => page.locator(".panel textarea").inputValue()).toBe("");
    await page.reload();
    await page.locator(".panel").waitFor();
    expect(await shown()).toEqual([]);
    expect(await page.evaluate(() => localStorage.length)).toBe(0);
    const [bob, ada] = (await site.owner.call("GET", `/conversations?agentId=${await agentOf(page)}`)).body.data;
    expect([ada.userId, ada.userEmail, bob.userId]).toEqual(["ada", "ada@shop.example", "bob"]);
  });

  it("explains on the console why the widget does not appear", async () => {
    const agentId = await site.createAgent({ allowedOrigins: ["https://shop.example"] });
    const { page } = await site.browser.open();
    const warning = page.waitForEvent("console", (message) => message.type() === "warning");
    await page.goto(site.host.page("/", { "data-agent-id": agentId }));
    expect((await warning).text()).toContain("This agent is not allowed on");
    await expect.poll(() => page.locator("foyer-widget").count()).toBe(0);
  });
});

const agentOf = (page: { url(): string }) => new URL(page.url()).searchParams.get("data-agent-id");
