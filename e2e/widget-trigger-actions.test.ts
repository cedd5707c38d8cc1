import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { accessibilityProblems, measureOverflow } from "../test/browser.ts";
import { advanceClock, bubble, bubbleOf, freezeClock, track, triggerSite } from "../test/trigger-site.ts";
import { sayWords } from "../test/upstream.ts";
import { ask, openChat, replyOver, startWidgetSite, type WidgetSite } from "../test/widget-site.ts";

const hostile = `</script><img src=x onerror="window.broken=1"><b>bold</b>`;
const phone = { viewport: { width: 375, height: 700 }, hasTouch: true, isMobile: true };
const onEveryPage = { triggerType: "page_view", conditions: { page: "/**" } };
const onEvent = (event: string) => ({ triggerType: "custom_event", conditions: { event } });
const storage = (page: Page) =>
  page.evaluate(() => ({ local: { ...localStorage }, session: { ...sessionStorage } }) as Record<string, object>);
const focused = (page: Page) =>
  page.evaluate(() => document.querySelector("foyer-widget")?.shadowRoot?.activeElement?.className ?? "");

describe("trigger actions", () => {
  let site: WidgetSite;
  let use: ReturnType<typeof triggerSite>;
  beforeAll(async () => {
    site = await startWidgetSite();
    use = triggerSite(site);
  });
  beforeEach(() => site.upstream.script(sayWords("We ", "open ", "at nine.")));
  afterAll(() => site.stop());

  describe("a bubble", () => {
    it("announces the bubble politely to screen readers", async () => {
      const { page, problems, agentId, ids } = await use.visitWith([{ ...onEveryPage, ...bubble("Need help?") }], {
        before:
          "window.shifts = []; new PerformanceObserver((list) => shifts.push(...list.getEntries().map((entry) => entry.value))).observe({ type: 'layout-shift', buffered: true })",
      });
      await bubbleOf(page).waitFor();
      await expect.poll(() => bubbleOf(page).getByRole("status").innerText()).toContain("Need help?");
      await expect.poll(() => page.evaluate(() => document.activeElement === document.body)).toBe(true);
      await expect.poll(() => focused(page)).toBe("");
      expect(await measureOverflow(page)).toBe(0);
      const heard = page.evaluate(() => new Promise((resolve) => Reflect.get(window, "Foyer").on("trigger", resolve)));
      await page.getByRole("button", { name: "Need help?" }).click();
      await page.locator(".panel").waitFor();
      await expect.poll(() => bubbleOf(page).count()).toBe(0);
      expect(await heard).toEqual({
        triggerId: ids[0],
        triggerName: "Need help?",
        triggerType: "page_view",
        actionType: "show_bubble",
        event: "converted",
      });
      await expect.poll(() => use.counts(agentId, ids)).toEqual([[1, 1]]);
      expect(await page.evaluate(() => Reflect.get(window, "shifts"))).toEqual([]);
      expect(problems).toEqual([]);
    });

    it("keeps its text in the chat across reloads until the visitor answers it", async () => {
      const { page } = await use.visitWith([{ ...onEveryPage, ...bubble("Looking for a bike?") }]);
      await bubbleOf(page).getByText("Looking for a bike?").click();
      const opening = page.locator(".reply").getByText("Looking for a bike?");
      await opening.waitFor();
      await page.reload();
      await opening.waitFor();
      await page.getByRole("button", { name: "New conversation" }).click();
      await opening.waitFor({ state: "detached" });
      await page.reload();
      await page.locator(".panel textarea").waitFor();
      await expect.poll(() => opening.count()).toBe(0);
    });

    it("is the first message of the conversation for the model, and names its trigger", async () => {
      const { page, ids } = await use.visitWith([{ ...onEveryPage, ...bubble("Looking for a bike?") }]);
      await bubbleOf(page).getByText("Looking for a bike?").click();
      const sent = page.waitForRequest((request) => request.url().endsWith("/chat") && request.method() === "POST");
      await ask(page, "Yes, size M please");
      expect((await sent).postDataJSON()).toMatchObject({ triggerId: ids[0] });
      await page.clock.runFor(1_000);
      await replyOver(page);
      const { messages } = JSON.parse(site.upstream.exchanges.at(-1)?.body ?? "");
      expect(messages.at(-2)).toEqual({ role: "assistant", content: "Looking for a bike?" });
    });

    it("hides the bubble when its time is over", async () => {
      const { page } = await use.visitWith([{ ...onEveryPage, ...bubble("For a moment", { duration: 5_000 }) }]);
      await bubbleOf(page).hover();
      await freezeClock(page);
      await page.clock.runFor(20_000);
      await expect.poll(() => bubbleOf(page).count()).toBe(1);
      await page.mouse.move(10, 10);
      await page.keyboard.press("Tab");
      await page.keyboard.press("Tab");
      await expect.poll(() => focused(page)).toBe("nudge-open");
      await page.clock.runFor(20_000);
      await expect.poll(() => bubbleOf(page).count()).toBe(1);
      await page.keyboard.press("Shift+Tab");
      await page.clock.runFor(3_000);
      await expect.poll(() => bubbleOf(page).count()).toBe(1);
      await page.clock.runFor(3_000);
      await expect.poll(() => bubbleOf(page).count()).toBe(0);
    });

    it.each([
      ["its button", (page: Page) => page.getByRole("button", { name: "Close message" }).click()],
      ["Escape", (page: Page) => page.keyboard.press("Escape")],
    ])("does not show a bubble again in this session after it was closed by %s", async (_name, close) => {
      const { page, agentId, ids, open } = await use.visitWith([
        { ...onEveryPage, ...bubble("Each time"), triggerOnce: false },
      ]);
      await bubbleOf(page).waitFor();
      await open({});
      await bubbleOf(page).waitFor();
      await close(page);
      await expect.poll(() => bubbleOf(page).count()).toBe(0);
      await page.evaluate(() => history.pushState({}, "", "/pricing"));
      await page.clock.runFor(30_000);
      await open({ path: "/bikes" });
      await page.clock.runFor(30_000);
      await expect.poll(() => bubbleOf(page).count()).toBe(0);
      await expect.poll(() => use.counts(agentId, ids)).toEqual([[2, 0]]);
    });

    it("moves the focus on when the focused bubble disappears", async () => {
      const { page } = await use.visitWith([{ ...onEveryPage, ...bubble("Hello") }]);
      await page.getByRole("button", { name: "Close message" }).focus();
      await page.keyboard.press("Enter");
      await expect.poll(() => focused(page)).toBe("launcher");
    });

    it("renders the bubble's message as plain text", async () => {
      const long = `${hostile}\n${"A long story. ".repeat(50)}${"w".repeat(200)}`;
      const { page, problems } = await use.visitWith([{ ...onEveryPage, ...bubble(long), name: hostile }], {
        context: phone,
      });
      await bubbleOf(page).waitFor();
      await expect.poll(() => bubbleOf(page).locator(".nudge-text").innerText()).toContain("<b>bold</b>");
      await page.evaluate(() => Reflect.get(window, "Foyer").debug());
      await page.locator(".debug-row").waitFor();
      await expect.poll(() => page.locator("foyer-widget b, foyer-widget img").count()).toBe(0);
      expect(await page.evaluate(() => Reflect.get(window, "broken"))).toBeUndefined();
      const isInside = async () => {
        const box = await bubbleOf(page).boundingBox();
        return box && box.x >= 0 && box.x + box.width <= 375 && box.y >= 0;
      };
      await expect.poll(isInside).toBe(true);
      expect(await measureOverflow(page)).toBe(0);
      expect(problems).toEqual([]);
    });

    it("has no accessibility problems in a bubble", async () => {
      const say = "Not sure which plan fits? Tell me what you need, and I will find it for you.";
      const look = async (name: string, options: object) => {
        const { page } = await use.visitWith([{ ...onEveryPage, ...bubble(say) }], options);
        await bubbleOf(page).waitFor();
        await page.clock.runFor(500);
        expect([name, await accessibilityProblems(page)]).toEqual([name, []]);
        await site.picture(page, `triggers-${name}`);
        await page.emulateMedia({ colorScheme: "dark" });
        await site.picture(page, `triggers-${name}-dark`);
      };
      await look("bubble", {});
      await look("bubble-phone", { context: phone });
      await look("bubble-rtl", { attributes: { "data-locale": "ar", "data-position": "left" } });
    });
  });

  describe("the chat", () => {
    it("opens the chat with an unsent message and counts one conversion when it is sent", async () => {
      const { page, agentId, ids } = await use.visitWith([
        { ...onEvent("stuck again"), actionType: "open_chat", actionConfig: { message: "Still stuck." } },
        { ...onEvent("stuck"), actionType: "open_chat", actionConfig: { message: "I am stuck." } },
      ]);
      await track(page, "stuck");
      await page.locator(".panel").waitFor();
      await expect.poll(() => page.locator(".panel textarea").inputValue()).toBe("I am stuck.");
      await expect.poll(() => page.locator(".user").count()).toBe(0);
      await expect.poll(() => use.counts(agentId, ids.slice(1))).toEqual([[1, 0]]);
      await page.locator(".panel textarea").fill("I am stuck at the");
      await page.keyboard.press("Escape");
      await page.clock.runFor(15_000);
      await track(page, "stuck again");
      await page.locator(".panel").waitFor();
      // The visitor's draft is kept.
      await expect.poll(() => page.locator(".panel textarea").inputValue()).toBe("I am stuck at the");
      await ask(page, "I am stuck at the payment.");
      await page.clock.runFor(1_000);
      await replyOver(page);
      await ask(page, "And now?");
      await page.clock.runFor(1_000);
      await replyOver(page);
      await expect
        .poll(() => use.counts(agentId, ids))
        .toEqual([
          [1, 1],
          [1, 0],
        ]);
    });

    it("does not interrupt a visitor who is using the chat", async () => {
      const agentId = await site.createAgent();
      const tool = await site.owner.call("POST", "/tools", {
        agentId,
        name: "test_ride",
        description: "Books a test ride",
        executionType: "form",
        inputSchema: { type: "object", properties: {} },
        formSchema: { fields: [{ name: "email", label: "E-mail", type: "email" }], submitLabel: "Book" },
      });
      const ids = await use.createTriggers(agentId, [
        { ...onEvent("help"), actionType: "open_chat", actionConfig: { message: "Help" } },
        { ...onEvent("ride"), actionType: "show_form", actionConfig: { toolId: tool.body.id } },
      ]);
      const { page } = await site.browser.open();
      await page.clock.install();
      await use.openPage(page, agentId);
      await openChat(page);
      await page.locator(".panel textarea").fill("Half a sen");
      await page.clock.runFor(5_000);
      await track(page, "help");
      await page.clock.runFor(5_000);
      await expect.poll(() => page.locator(".panel textarea").inputValue()).toBe("Half a sen");
      await track(page, "ride");
      await page.clock.runFor(1_000);
      await page.getByLabel("E-mail").waitFor();
      await page.getByLabel("E-mail").fill("ada@shop.example");
      await page.getByRole("button", { name: "Book" }).click();
      await expect
        .poll(() => use.counts(agentId, ids))
        .toEqual([
          [0, 0],
          [1, 1],
        ]);
    });
  });

  describe("in one session", () => {
    const once = { ...onEveryPage, ...bubble("Once") };
    const always = { ...onEvent("ping"), ...bubble("Always"), triggerOnce: false };

    it("fires a trigger once per session, across reloads and tabs, and again in a new session", async () => {
      const { page, agentId, ids, open } = await use.visitWith([once]);
      await bubbleOf(page).waitFor();
      await open({});
      await page.clock.runFor(20_000);
      await expect.poll(() => bubbleOf(page).count()).toBe(0);
      const tab = await page.context().newPage();
      await tab.clock.install();
      // The triggers arrive after the other tab's response, however slow the machine is.
      await tab.route("**/triggers/widget/*", async (route) => {
        const fired = { [`foyer:${agentId}:fired`]: JSON.stringify(ids) };
        await expect.poll(async () => (await storage(tab)).session).toEqual(fired);
        await route.continue();
      });
      await use.openPage(tab, agentId, { path: "/pricing" });
      await tab.clock.runFor(20_000);
      await expect.poll(() => bubbleOf(tab).count()).toBe(0);
      const other = await site.browser.open();
      await other.page.clock.install();
      await use.openPage(other.page, agentId);
      await bubbleOf(other.page).waitFor();
      await expect.poll(() => use.counts(agentId, ids)).toEqual([[2, 0]]);
    });

    it("stores only the ids of triggers that fired once", async () => {
      const { page, agentId, ids } = await use.visitWith([once, always]);
      await bubbleOf(page).waitFor();
      await page.clock.runFor(11_000);
      await track(page, "ping");
      await page.getByText("Always").waitFor();
      await expect
        .poll(() => storage(page))
        .toEqual({
          local: {},
          session: { [`foyer:${agentId}:fired`]: JSON.stringify([ids[0]]) },
        });
      expect(await page.context().cookies()).toEqual([]);
    });

    it("stores nothing about triggers before consent", async () => {
      const { page, agentId, ids } = await use.visitWith([once], { attributes: { "data-consent": "required" } });
      await bubbleOf(page).waitFor();
      await page.evaluate(() => history.pushState({}, "", "/pricing"));
      await page.clock.runFor(20_000);
      await expect.poll(() => bubbleOf(page).count()).toBe(0);
      await expect.poll(() => storage(page)).toEqual({ local: {}, session: {} });
      // Events left by an earlier page of the session are not lost.
      await page.evaluate((key) => sessionStorage.setItem(key, '["trigger_before"]'), `foyer:${agentId}:fired`);
      await page.evaluate(() => Reflect.get(window, "Foyer").consent());
      expect((await storage(page)).session).toEqual({
        [`foyer:${agentId}:fired`]: JSON.stringify([ids[0], "trigger_before"]),
      });
    });

    it("starts a new trigger session after a logout", async () => {
      const { page, open } = await use.visitWith([once]);
      await bubbleOf(page).waitFor();
      await page.evaluate(() => Reflect.get(window, "Foyer").logout());
      expect((await storage(page)).session).toEqual({});
      await open({});
      await bubbleOf(page).waitFor();
    });
  });

  describe("reports", () => {
    const once = { ...onEveryPage, ...bubble("Reported") };

    it("waits as long as a busy server asks before it sends reports again", async () => {
      const { page, agentId, ids, sent } = await reporting(async (route, at) => {
        if (at > 0) return route.continue();
        await route.fulfill({
          status: 429,
          headers: {
            "access-control-allow-origin": "*",
            "access-control-expose-headers": "retry-after",
            "retry-after": "30",
          },
          body: "{}",
        });
      });
      await expect.poll(() => sent.length).toBe(1);
      await page.clock.runFor(25_000);
      expect(sent.length).toBe(1);
      await runUntilSent(page, sent, 2, 6_000);
      await expect.poll(() => use.counts(agentId, ids)).toEqual([[1, 0]]);
      expect(sent[0]).toEqual(sent[1]);
    });

    it("sends reports again when the response was lost", async () => {
      const { page, agentId, ids, sent } = await reporting(async (route, at) => {
        if (at > 0) return route.continue();
        await route.fetch();
        await route.abort();
      });
      await expect.poll(() => use.counts(agentId, ids)).toEqual([[1, 0]]);
      await runUntilSent(page, sent, 2, 10_000);
      await page.clock.runFor(200_000);
      expect(sent.length).toBe(2);
      await expect.poll(() => use.counts(agentId, ids)).toEqual([[1, 0]]);
    });

    it("holds reports back until the network is available", async () => {
      let isDown = true;
      const { page, agentId, ids, sent } = await reporting((route) => (isDown ? route.abort() : route.continue()));
      await expect.poll(() => sent.length).toBe(1);
      // Until the visitor uses the widget, only ids are stored.
      expect(Object.keys((await storage(page)).session ?? {})).toEqual([`foyer:${agentId}:fired`]);
      await page.getByRole("button", { name: "Reported" }).click();
      await page.locator(".panel").waitFor();
      expect(Object.keys((await storage(page)).session ?? {})).toContain(`foyer:${agentId}:reports`);
      // The last request of this page may succeed, but each event must arrive once.
      await page.goto("about:blank");
      isDown = false;
      await use.openPage(page, agentId);
      await expect.poll(() => use.counts(agentId, ids)).toEqual([[1, 1]]);
      const storedKeys = async () => Object.keys((await storage(page)).session ?? {});
      await expect.poll(storedKeys).not.toContain(`foyer:${agentId}:reports`);
    });

    type Handle = Parameters<Parameters<Page["route"]>[1]>[0];
    async function reporting(answer: (route: Handle, at: number) => unknown) {
      const agentId = await site.createAgent();
      const ids = await use.createTriggers(agentId, [once]);
      const { page } = await site.browser.open();
      const sent: object[] = [];
      await page.route("**/triggers/event", async (route) => {
        const request = route.request();
        if (request.method() !== "POST") return route.continue();
        sent.push({ key: request.headers()["idempotency-key"], body: request.postData() });
        await answer(route, sent.length - 1);
      });
      await page.clock.install();
      await use.openPage(page, agentId);
      await bubbleOf(page).waitFor();
      return { page, agentId, ids, sent };
    }
  });

  it("previews a trigger without recording anything", async () => {
    const { page, agentId, ids } = await use.visitWith(
      [
        { ...onEveryPage, ...bubble("Welcome") },
        { triggerType: "time_on_page", conditions: { timeOnPage: 120 }, ...bubble("After a while") },
        { triggerType: "page_view", conditions: { page: "/bikes/*" }, ...bubble("A bike") },
        { triggerType: "scroll_depth", conditions: { scrollDepth: 75 }, ...bubble("Far down") },
        { triggerType: "exit_intent", conditions: {}, ...bubble("Leaving") },
        {
          triggerType: "custom_event",
          conditions: { event: "cart_updated", eventData: { total: { $gt: 500 } } },
          name: "Large cart",
          actionType: "open_chat",
          actionConfig: { message: "About my order" },
        },
      ],
      { path: "/pricing", context: { viewport: { width: 1100, height: 900 } } },
    );
    await bubbleOf(page).waitFor();
    await track(page, "cart_updated", { total: 120 });
    await advanceClock(page, 12);
    await page.evaluate(() => Reflect.get(window, "Foyer").debug());
    await page.locator(".debug-row").first().waitFor();
    const rows = async () => {
      await page.clock.runFor(600);
      return (await page.locator(".debug-row").allInnerTexts()).map((text) => text.replace(/\s+/g, " "));
    };
    // The server's answer to the event arrives in real time, not in the page's.
    await expect.poll(async () => (await rows())[0]).toContain("fired: received");
    const [welcome, timed, bike, scroll, exit, cart] = await rows();
    expect(welcome).toContain("Already fired. It fires once per session.");
    expect(timed).toMatch(
      /Condition not met yet\. Condition 120 s with the page visible Current \d\d of 120 s visible/,
    );
    expect(bike).toContain(
      "Does not apply to this page. Condition a page that matches /bikes/* Current the page /pricing",
    );
    expect(scroll).toContain("the page fits its window and cannot be scrolled");
    expect(exit).toContain("has not happened");
    expect(cart).toContain(
      'the event cart_updated with {"total":{"$gt":500}} Current cart_updated {"total":120} does not match',
    );
    for (const [name, viewport] of [
      ["debug", null],
      ["debug-phone", phone.viewport],
    ] as const) {
      if (viewport) await page.setViewportSize(viewport);
      expect([name, await accessibilityProblems(page)]).toEqual([name, []]);
      await site.picture(page, `triggers-${name}`);
      await page.emulateMedia({ colorScheme: "dark" });
      await site.picture(page, `triggers-${name}-dark`);
      await page.emulateMedia({ colorScheme: "light" });
    }
    await page.setViewportSize({ width: 1100, height: 900 });
    await page.getByRole("button", { name: "Fire now: A bike" }).click();
    await page.getByRole("button", { name: "A bike", exact: false }).last().waitFor();
    await page.getByRole("button", { name: "Close message" }).click();
    await openChat(page);
    await advanceClock(page, 120);
    expect((await rows())[1]).toContain("Skipped for this page view because the chat was open");
    await page.locator(".panel").getByRole("button", { name: "Close", exact: true }).click();
    const before = await use.counts(agentId, ids);
    await page.getByRole("button", { name: "Reset fired triggers" }).click();
    await bubbleOf(page).getByText("Welcome").waitFor();
    await page.locator(".debug").getByRole("button", { name: "Close", exact: true }).click();
    await expect.poll(() => page.locator(".debug").count()).toBe(0);
    await expect.poll(() => use.counts(agentId, ids)).not.toEqual(before);
    expect((await use.counts(agentId, ids)).map(([fired]) => fired)).toEqual([2, 0, 0, 0, 0, 0]);
  });
});

/** The page's clock may start before it has received the response from which its wait begins. */
function runUntilSent(page: Page, sent: readonly unknown[], count: number, stepMs: number) {
  const step = async () => {
    await page.clock.runFor(stepMs);
    return sent.length;
  };
  return expect.poll(step).toBe(count);
}
