import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  advanceClock,
  bubble,
  bubbleOf,
  freezeClock,
  makePageLong,
  setHidden,
  track,
  triggerSite,
} from "../test/trigger-site.ts";
import { startWidgetSite, type WidgetSite } from "../test/widget-site.ts";

const phone = { viewport: { width: 375, height: 700 }, hasTouch: true, isMobile: true };
const timed = (seconds: number, message = "Can I help?", more = {}) => ({
  triggerType: "time_on_page",
  conditions: { timeOnPage: seconds },
  ...bubble(message),
  ...more,
});
const onPage = (page: string, message = `Seen ${page}`, more = {}) => ({
  triggerType: "page_view",
  conditions: { page },
  ...bubble(message),
  ...more,
});
const exit = { triggerType: "exit_intent", ...bubble("Leaving?") };
const onEvent = (event: string, eventData?: object, more = {}) => ({
  triggerType: "custom_event",
  conditions: { event, ...(eventData ? { eventData } : {}) },
  ...bubble(`Event ${event}`),
  ...more,
});

describe("trigger conditions", () => {
  let site: WidgetSite;
  let use: ReturnType<typeof triggerSite>;
  beforeAll(async () => {
    site = await startWidgetSite();
    use = triggerSite(site);
  });
  afterAll(() => site.stop());

  describe("time on the page", () => {
    it("counts time only while the page is visible", async () => {
      const { page, problems, agentId, ids } = await use.visitWith([timed(60)]);
      await freezeClock(page);
      await advanceClock(page, 20);
      await setHidden(page, true);
      await page.clock.runFor(120_000);
      await setHidden(page, false);
      await page.clock.runFor(30_000);
      await expect.poll(() => bubbleOf(page).count()).toBe(0);
      await page.clock.runFor(11_000);
      await page.clock.resume();
      await bubbleOf(page).waitFor();
      await expect.poll(() => use.counts(agentId, ids)).toEqual([[1, 0]]);
      expect(problems).toEqual([]);
    });

    it("restarts the time with each page view", async () => {
      const { page } = await use.visitWith([timed(20)]);
      await freezeClock(page);
      await advanceClock(page, 15);
      await page.evaluate(() => history.pushState({}, "", "/bikes/city-one"));
      await advanceClock(page, 15);
      await expect.poll(() => bubbleOf(page).count()).toBe(0);
      await advanceClock(page, 6);
      await page.clock.resume();
      await bubbleOf(page).waitFor();
    });

    it("does not start while the page is prerendered", async () => {
      const prerendering =
        "let isPrepared = true; Object.defineProperty(document, 'prerendering', { get: () => isPrepared }); window.activate = () => { isPrepared = false; document.dispatchEvent(new Event('prerenderingchange')) }";
      const agentId = await site.createAgent();
      await use.createTriggers(agentId, [timed(0)]);
      const { page } = await site.browser.open();
      await page.clock.install();
      await page.addInitScript(prerendering);
      let isAsked = false;
      page.on("request", (request) => {
        isAsked ||= request.url().includes("/triggers/");
      });
      await page.goto(site.host.page("/", { "data-agent-id": agentId }));
      await page.locator(".launcher").waitFor();
      await page.clock.runFor(10_000);
      expect(isAsked).toBe(false);
      await page.evaluate(() => Reflect.get(window, "activate")());
      await page.clock.runFor(500);
      await expect.poll(() => isAsked).toBe(true);
      await page.clock.runFor(500);
      await bubbleOf(page).waitFor();
    });

    it("starts on a page that is never idle", async () => {
      const busy = () => {
        window.requestIdleCallback = (callback, { timeout = Number.POSITIVE_INFINITY } = {}) =>
          Number.isFinite(timeout) ? setTimeout(callback, timeout) : 0;
      };
      const agentId = await site.createAgent();
      await use.createTriggers(agentId, [timed(0)]);
      const { page } = await site.browser.open();
      await page.clock.install();
      await page.addInitScript(busy);
      await page.goto(site.host.page("/", { "data-agent-id": agentId }));
      await page.locator(".launcher").waitFor();
      await page.clock.runFor(6_000);
      await bubbleOf(page).waitFor();
    });
  });

  describe("scrolling", () => {
    const half = { triggerType: "scroll_depth", conditions: { scrollDepth: 50 }, ...bubble("Half read") };
    it("counts scrolling of the page but not of elements", async () => {
      const { page } = await use.visitWith([half]);
      await page.clock.runFor(2_000);
      // The page fits into the window, so it cannot be scrolled.
      await expect.poll(() => bubbleOf(page).count()).toBe(0);
      await makePageLong(page);
      await page.evaluate(() => {
        const box = document.createElement("textarea");
        box.value = "line\n".repeat(200);
        document.body.prepend(box);
        box.scrollTop = 99_999;
      });
      const goTo = async (part: number) => {
        await page.evaluate(async (part) => {
          const scrolled = new Promise((resolve) => addEventListener("scroll", resolve, { once: true }));
          scrollTo(0, (document.documentElement.scrollHeight - innerHeight) * part);
          await scrolled;
        }, part);
        await page.clock.runFor(1_000);
      };
      await goTo(0.4);
      await expect.poll(() => bubbleOf(page).count()).toBe(0);
      await makePageLong(page, 400);
      await goTo(0.3);
      await expect.poll(() => bubbleOf(page).count()).toBe(0);
      await goTo(0.55);
      await bubbleOf(page).waitFor();
    });
  });

  describe("exit intent", () => {
    it("detects the mouse leaving at any edge as exit intent, from one second on", async () => {
      const { page } = await use.visitWith([exit]);
      const leave = (x: number, y: number, init = {}) =>
        page.evaluate(
          ([x, y, init]) =>
            document.documentElement.dispatchEvent(
              new MouseEvent("mouseleave", { clientX: x as number, clientY: y as number, ...(init as object) }),
            ),
          [x, y, init] as const,
        );
      await leave(300, -5);
      await expect.poll(() => bubbleOf(page).count()).toBe(0);
      await advanceClock(page, 10);
      await leave(300, -5, { buttons: 1 });
      await page.evaluate(() => {
        const select = document.createElement("select");
        document.body.append(select);
        select.focus();
      });
      await leave(300, -5);
      await page.clock.runFor(1_000);
      await expect.poll(() => bubbleOf(page).count()).toBe(0);
      await page.evaluate(() => (document.activeElement as HTMLElement).blur());
      await leave(300, -5);
      await bubbleOf(page).waitFor();
    });

    it.each([
      ["top", 300, -40],
      ["left", -40, 200],
      ["right", 5_000, 200],
      ["bottom", 300, 5_000],
    ])("detects exit intent with real mouse events at the edge: %s", async (_, x, y) => {
      const { page } = await use.visitWith([exit]);
      await advanceClock(page, 2);
      await page.mouse.move(300, 200);
      await page.mouse.move(x, y);
      await bubbleOf(page).waitFor();
    });

    it("detects a fast upward swipe on a phone as exit intent", async () => {
      const { page } = await use.visitWith([exit], { context: phone });
      await makePageLong(page);
      // The speed of a swipe depends only on the page's clock, not on the machine.
      await freezeClock(page);
      const cdp = await page.context().newCDPSession(page);
      const touch = (type: "touchStart" | "touchMove" | "touchCancel", y?: number) =>
        cdp.send("Input.dispatchTouchEvent", { type, touchPoints: y === undefined ? [] : [{ x: 180, y }] });
      const scrollTop = () => page.evaluate(() => scrollY);
      /** Moves a finger down (or up) by 540 pixels in six steps of `stepMs` each. */
      const swipe = async (direction: number, stepMs: number) => {
        const from = direction > 0 ? 80 : 620;
        await touch("touchStart", from);
        for (let step = 1; step <= 6; step++) {
          const before = await scrollTop();
          let y = from + direction * 90 * step;
          // On a busy machine, the browser can drop a move, so send another one, a pixel further.
          const move = async () => {
            await touch("touchMove", y);
            y += direction;
            return scrollTop();
          };
          await expect.poll(move, { interval: 20 }).not.toBe(before);
          await page.clock.runFor(stepMs);
        }
        // Cancel the touch instead of ending it, because the page would otherwise continue to scroll in real time.
        await touch("touchCancel");
        await page.clock.runFor(1_000);
      };
      await advanceClock(page, 5);
      for (let swipes = 0; swipes < 4; swipes++) await swipe(-1, 10);
      await expect.poll(() => scrollTop()).toBeGreaterThan(1_000);
      await page.evaluate(() => scrollTo(0, 1_000));
      await page.clock.runFor(1_000);
      await swipe(1, 140);
      await expect.poll(() => bubbleOf(page).count()).toBe(0);
      await page.evaluate(() => scrollTo(0, 2_000));
      await page.clock.runFor(1_000);
      await swipe(1, 10);
      await expect.poll(() => advanceClock(page, 0.1).then(() => bubbleOf(page).isVisible())).toBe(true);
      await site.picture(page, "triggers-exit-phone");
    });
  });

  describe("pages", () => {
    const pages = [
      onPage("/bikes/*", "A bike", { triggerOnce: false }),
      onPage("/blog/**", "The blog", { triggerOnce: false }),
    ];
    const noNavigation = "Object.defineProperty(window, 'navigation', { value: undefined })";
    it.each([
      ["with the Navigation API", ""],
      ["without it", noNavigation],
    ])("detects page views however the site navigates: %s", async (_name, before) => {
      const { page } = await use.visitWith(pages, { before, path: "/pricing" });
      const shows = async (texts: string[]) => {
        await page.clock.runFor(11_000);
        await expect.poll(() => bubbleOf(page).locator(".nudge-text").allInnerTexts()).toEqual(texts);
      };
      await shows([]);
      await page.evaluate(() => history.pushState({}, "", "/bikes/city-one"));
      await shows(["A bike"]);
      await page.evaluate(() => history.replaceState({}, "", "/blog/2026/spring?x=1"));
      await shows(["The blog"]);
      await page.evaluate(() => history.replaceState({}, "", "/blog/2026/spring?x=2#there"));
      await bubbleOf(page).getByRole("button").last().click();
      await shows([]);
      await page.evaluate(() => history.pushState({}, "", "/bikes/harbour-tour/parts"));
      await shows([]);
      await page.evaluate(() => history.pushState({}, "", "/bikes/harbour-tour"));
      await shows(["A bike"]);
      await page.goBack();
      await shows([]);
      await expect.poll(() => page.evaluate(() => Object.hasOwn(history, "pushState"))).toBe(false);
    });
  });

  describe("events", () => {
    it("matches events by their data", async () => {
      const { page } = await use.visitWith([onEvent("cart_updated", { total: { $gt: 500 }, "items.sku": "A-1" })], {
        before:
          "window.Foyer = [['track', 'cart_updated', { total: 800, items: [{ sku: 'A-1' }] }]]; window.cart = Foyer[0][2]",
      });
      await bubbleOf(page).waitFor();
      const other = await use.visitWith([onEvent("cart_updated", { total: { $gt: 500 } }, { triggerOnce: false })]);
      await track(other.page, "cart", { total: 900 });
      await track(other.page, "cart_updated", { total: 500 });
      await track(other.page, "cart_updated");
      await other.page.clock.runFor(1_000);
      await expect.poll(() => bubbleOf(other.page).count()).toBe(0);
      await track(other.page, "cart_updated", { total: 501 });
      await bubbleOf(other.page).waitFor();
      await expect.poll(() => use.counts(other.agentId, other.ids)).toEqual([[1, 0]]);
      await track(other.page, "cart_updated", { total: 502 });
      await expect.poll(() => use.counts(other.agentId, other.ids)).toEqual([[2, 0]]);
      await expect.poll(() => bubbleOf(other.page).count()).toBe(1);
    });

    it("uses the event data from the time of the call", async () => {
      const { page } = await use.visitWith([onEvent("cart_updated", { total: 800 })]);
      await page.evaluate(() => {
        const cart = { total: 800, self: null as unknown, proxy: null as unknown };
        Reflect.get(window, "Foyer").track("cart_updated", cart);
        cart.total = 0;
      });
      await bubbleOf(page).waitFor();
    });
  });

  describe("several triggers", () => {
    it("runs one trigger at a time in order of priority", async () => {
      const { page, agentId, ids } = await use.visitWith([
        onPage("/", "second", { priority: 5 }),
        onPage("/", "third", { priority: 5 }),
        onPage("/", "first", { priority: -1 }),
      ]);
      const text = bubbleOf(page).locator(".nudge-text");
      await expect.poll(() => text.allInnerTexts()).toEqual(["first"]);
      await page.clock.runFor(6_000);
      await expect.poll(() => text.allInnerTexts()).toEqual(["first"]);
      await page.clock.runFor(5_000);
      await expect.poll(() => text.allInnerTexts()).toEqual(["second"]);
      await page.clock.runFor(11_000);
      await expect.poll(() => text.allInnerTexts()).toEqual(["third"]);
      await expect
        .poll(() => use.counts(agentId, ids))
        .toEqual([
          [1, 0],
          [1, 0],
          [1, 0],
        ]);
    });

    it("waits while the visitor is typing", async () => {
      const { page, agentId, ids } = await use.visitWith([onEvent("help"), timed(60, "Later")]);
      await page.evaluate(() => {
        const field = document.createElement("input");
        field.id = "name";
        document.body.append(field);
      });
      await freezeClock(page);
      await page.locator("#name").pressSequentially("Ada");
      await track(page, "help");
      await page.clock.runFor(2_500);
      await expect.poll(() => bubbleOf(page).count()).toBe(0);
      await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe("name");
      await page.clock.runFor(1_500);
      await page.clock.resume();
      await bubbleOf(page).waitFor();
      // The bubble did not take the focus from the field in use.
      await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe("name");
      await page.locator(".launcher").click();
      await page.locator(".panel").waitFor();
      await expect.poll(() => bubbleOf(page).count()).toBe(0);
      await advanceClock(page, 70);
      await page.keyboard.press("Escape");
      await advanceClock(page, 30);
      await expect.poll(() => bubbleOf(page).count()).toBe(0);
      await expect
        .poll(() => use.counts(agentId, ids))
        .toEqual([
          [1, 0],
          [0, 0],
        ]);
    });
  });
});
