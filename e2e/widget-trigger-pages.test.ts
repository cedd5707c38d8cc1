import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startBrowser } from "../test/browser.ts";
import { advanceClock, bubble, bubbleOf, track, triggerSite } from "../test/trigger-site.ts";
import { sayWords } from "../test/upstream.ts";
import { ask, openChat, replyOver, startWidgetSite, type WidgetSite } from "../test/widget-site.ts";

const onEveryPage = { triggerType: "page_view", conditions: { page: "/**" }, ...bubble("Hello") };

/** One trigger of each kind, none of which fires by itself. */
const quiet = [
  { triggerType: "time_on_page", conditions: { timeOnPage: 9_000 }, ...bubble("Late") },
  { triggerType: "scroll_depth", conditions: { scrollDepth: 100 }, ...bubble("Down") },
  { triggerType: "exit_intent", ...bubble("Out") },
  { triggerType: "page_view", conditions: { page: "/docs/**/*-api" }, ...bubble("Docs") },
  { triggerType: "custom_event", conditions: { event: "cart", eventData: { total: { $gt: 5 } } }, ...bubble("Cart") },
];

/** Counts listeners and running intervals, starting before the widget's script. */
const counting = `
  window.held = new Map();
  const count = (name, by) => held.set(name, (held.get(name) ?? 0) + by);
  const { addEventListener: add, removeEventListener: remove } = EventTarget.prototype;
  const isAsked = (target) => target === window || target === document || target === document.documentElement || target === window.navigation;
  EventTarget.prototype.addEventListener = function (name, listener, options) {
    if (isAsked(this ?? window)) {
      count(name, 1);
      const end = () => count(name, -1);
      if (options?.signal) add.call(options.signal, 'abort', end, { once: true });
      else if (options?.once) add.call(this ?? window, name, end, { once: true });
    }
    return add.call(this ?? window, name, listener, options);
  };
  EventTarget.prototype.removeEventListener = function (name, listener, options) {
    if (isAsked(this ?? window)) count(name, -1);
    return remove.call(this ?? window, name, listener, options);
  };
  const { setInterval: begin, clearInterval: end } = window;
  const timers = new Set();
  window.setInterval = (...args) => { const id = begin(...args); timers.add(id); held.set('intervals', timers.size); return id; };
  window.clearInterval = (id) => { timers.delete(id); held.set('intervals', timers.size); end(id); };
`;

describe("triggers and the page", () => {
  let site: WidgetSite;
  let use: ReturnType<typeof triggerSite>;
  beforeAll(async () => {
    site = await startWidgetSite();
    use = triggerSite(site);
  });
  afterAll(() => site.stop());

  const held = (page: Page) =>
    page.evaluate(() => [...(Reflect.get(window, "held") as Map<string, number>)].filter(([, count]) => count !== 0));

  it("removes everything that triggers added after destroy", async () => {
    site.host.before(counting);
    const agentId = await site.createAgent();
    await use.createTriggers(agentId, [onEveryPage, ...quiet]);
    const { page, problems } = await site.browser.open();
    await page.goto(site.host.page("/", { "data-agent-id": agentId }));
    await bubbleOf(page).waitFor();
    await page.evaluate(() => Reflect.get(window, "Foyer").debug());
    await page.locator(".debug-row").first().waitFor();
    expect((await held(page)).length).toBeGreaterThan(8);
    await page.evaluate(() => Reflect.get(window, "Foyer").destroy());
    expect(await held(page)).toEqual([]);
    await expect.poll(() => page.locator("foyer-widget").count()).toBe(0);
    site.host.before("");
    expect(problems).toEqual([]);
  });

  it("works on pages that modify built-in functions", async () => {
    const before = `
      Array.prototype.toJSON = function () { return 'odd'; };
      Array.prototype.extra = () => 1;
      Object.prototype.odd = 'odd';
      Object.freeze(history);
      delete window.requestIdleCallback;
    `;
    const { page, problems, agentId, ids } = await use.visitWith([onEveryPage, ...quiet], { before });
    await bubbleOf(page).waitFor();
    await page.clock.runFor(11_000);
    await track(page, "cart", { total: 6 });
    await page.getByText("Cart").waitFor();
    await expect.poll(async () => (await use.counts(agentId, ids)).map(([fired]) => fired)).toEqual([1, 0, 0, 0, 0, 1]);
    expect(problems).toEqual([]);
  });

  it("stays silent when the triggers cannot be loaded", async () => {
    const agentId = await site.createAgent();
    await use.createTriggers(agentId, [onEveryPage]);
    const { page, problems } = await site.browser.open();
    let asked = 0;
    await page.route("**/triggers/widget/**", (route) => (asked++ === 0 ? route.abort() : route.continue()));
    await page.clock.install();
    await page.goto(site.host.page("/", { "data-agent-id": agentId }));
    await page.locator(".launcher").waitFor();
    await page.clock.runFor(500);
    await expect.poll(() => asked).toBe(1);
    await track(page, "early");
    await page.clock.runFor(2_500);
    await expect.poll(() => asked).toBe(2);
    await page.clock.runFor(1_000);
    await bubbleOf(page).waitFor();
    expect(problems).toEqual([]);
  });

  it("does not prevent the back/forward cache", async () => {
    // This browser keeps no page in the back/forward cache and reports why, including other reasons that would prevent
    // it.
    const browser = await startBrowser({ ignoreDefaultArgs: ["--disable-back-forward-cache"] });
    try {
      const agentId = await site.createAgent();
      await use.createTriggers(agentId, [{ ...onEveryPage, triggerOnce: false }, ...quiet]);
      const { page } = await browser.open();
      const cdp = await page.context().newCDPSession(page);
      await cdp.send("Page.enable");
      const obstacles = async (address: string, prepare: () => Promise<unknown>) => {
        await page.goto(address);
        await prepare();
        const told = new Promise<string[]>((resolve) =>
          cdp.once("Page.backForwardCacheNotUsed", ({ notRestoredExplanations }) =>
            resolve(notRestoredExplanations.map(({ reason }) => reason).sort()),
          ),
        );
        // Simulates a visitor who follows a link to another site.
        await page.goto(`${site.server.url}/healthz`);
        await page.goBack();
        return told;
      };
      const without = await obstacles(site.host.page("/", {}), async () => {});
      const withWidget = await obstacles(site.host.page("/", { "data-agent-id": agentId }), async () => {
        await bubbleOf(page).waitFor();
        site.upstream.script(sayWords("We ", "open ", "at nine."));
        await openChat(page);
        await ask(page, "When do you open?");
        await replyOver(page);
      });
      expect(withWidget).toEqual(without);
      expect(without).toContain("BackForwardCacheDisabledForDelegate");
    } finally {
      await browser.close();
    }
  });

  it("counts a page restored from the back/forward cache as a new page view", async () => {
    const { page, agentId, ids, problems } = await use.visitWith([
      { ...onEveryPage, triggerOnce: false },
      { triggerType: "time_on_page", conditions: { timeOnPage: 20 }, ...bubble("Still here") },
    ]);
    await bubbleOf(page).waitFor();
    await advanceClock(page, 15);
    const reply = site.slowReply();
    await openChat(page);
    await ask(page, "And on Sundays?");
    await reply.say("On Sundays ");
    await page.clock.runFor(500);
    await page.getByText("On Sundays").first().waitFor();
    await page.keyboard.press("Escape");
    const transition = (name: string) =>
      page.evaluate((name) => dispatchEvent(new PageTransitionEvent(name, { persisted: true })), name);
    await transition("pagehide");
    await reply.say("we are closed.");
    await reply.end();
    await transition("pageshow");
    await page.clock.runFor(11_000);
    await bubbleOf(page).getByText("Hello").waitFor();
    await advanceClock(page, 7);
    await expect
      .poll(() => use.counts(agentId, ids))
      .toEqual([
        [2, 1],
        [0, 0],
      ]);
    await openChat(page);
    await page.getByText("On Sundays we are closed.").first().waitFor();
    expect(problems).toEqual([]);
  });

  it("drops a trigger whose page the visitor left while its code was loading", async () => {
    const agentId = await site.createAgent();
    const ids = await use.createTriggers(agentId, [
      { triggerType: "page_view", conditions: { page: "/pricing" }, ...bubble("Prices?") },
      { triggerType: "page_view", conditions: { page: "/checkout" }, ...bubble("Delivery?") },
    ]);
    const { page } = await site.browser.open();
    await page.clock.install();
    const loaded = Promise.withResolvers<void>();
    await page.route("**/widget/actions*", async (route) => {
      await loaded.promise;
      await route.continue();
    });
    const asked = page.waitForRequest("**/widget/actions*");
    await page.goto(site.host.page("/pricing", { "data-agent-id": agentId }));
    await asked;
    await page.evaluate(() => history.pushState({}, "", "/checkout"));
    loaded.resolve();
    await bubbleOf(page).getByText("Delivery?").waitFor();
    await expect.poll(() => bubbleOf(page).count()).toBe(1);
    await expect
      .poll(() => use.counts(agentId, ids))
      .toEqual([
        [0, 0],
        [1, 0],
      ]);
    await page.clock.runFor(11_000);
    await page.evaluate(() => history.pushState({}, "", "/pricing"));
    await bubbleOf(page).getByText("Prices?").waitFor();
  });
});
