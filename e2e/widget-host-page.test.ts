import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { sayWords } from "../test/upstream.ts";
import { ask, openChat, replyOver, startWidgetSite, type WidgetSite } from "../test/widget-site.ts";

const phone = { viewport: { width: 390, height: 700 }, hasTouch: true, isMobile: true };

describe("the widget on a page with its own code", () => {
  let site: WidgetSite;
  beforeAll(async () => {
    site = await startWidgetSite();
  });
  beforeEach(() => {
    site.upstream.script(sayWords("We ", "open ", "at nine."));
    site.host.before("");
  });
  afterAll(() => site.stop());

  const seen = (page: Page) => page.evaluate(() => [...new Set(Reflect.get(window, "seen") as string[])].sort());
  const reply = async (page: Page) => {
    await openChat(page);
    await ask(page, "When do you open?");
    await replyOver(page);
    return page.locator(".reply .markdown").innerText();
  };

  it("keeps the chat's keys, focus, wheel and clipboard from listeners that capture", async () => {
    site.host.before(`
      window.seen = [];
      for (const type of ["keydown", "keypress", "keyup", "focusin", "wheel", "copy", "paste", "input", "compositionstart"])
        for (const capture of [true, false])
          document.addEventListener(type, (event) => {
            if (event.target.localName !== "foyer-widget") return;
            seen.push(type);
            event.preventDefault();
          }, { capture, passive: false });
    `);
    const { page } = await site.visit();
    await openChat(page);
    await page.evaluate(() => {
      Reflect.set(window, "seen", []);
    });
    await page.locator(".panel textarea").click();
    await page.keyboard.type("and/or");
    await page.keyboard.press("Control+A");
    await page.keyboard.press("Control+X");
    await page.keyboard.press("Control+V");
    await page.mouse.wheel(0, 100);
    expect(await page.locator(".panel textarea").inputValue()).toBe("and/or");
    // An event that the widget listens to can be seen by a capturing listener, but not later.
    expect(await seen(page)).toEqual(["input"]);
  });

  it("hides the history entry of the open panel from routers", async () => {
    site.host.before(`
      window.seen = [];
      addEventListener("popstate", () => seen.push("popstate"));
      navigation.addEventListener("navigate", ({ navigationType }) => seen.push(navigationType));
      const { pushState } = history;
      history.pushState = (...args) => { seen.push("pushState"); pushState.apply(history, args); };
    `);
    const { page } = await site.visit({}, { context: phone });
    await page.evaluate(() => history.replaceState({ router: 1 }, ""));
    await page.evaluate(() => {
      Reflect.set(window, "seen", []);
    });
    await openChat(page);
    await page.getByRole("button", { name: "Close", exact: true }).click();
    await page.locator(".panel").waitFor({ state: "hidden" });
    expect(await seen(page)).toEqual([]);
    await openChat(page);
    await page.evaluate(() => history.back());
    await page.locator(".panel").waitFor({ state: "hidden" });
    expect(await page.evaluate(() => history.state)).toEqual({ router: 1 });
    expect(await seen(page)).not.toContain("popstate");
  });

  it.each([
    [
      "document.open",
      () => {
        document.open();
        document.write("<h1>New</h1>");
        document.close();
      },
    ],
    ["a replaced root element", () => document.replaceChild(document.createElement("html"), document.documentElement)],
    ["a replaced body", () => document.body.replaceWith(document.createElement("body"))],
  ])("comes back and answers after %s", async (_, replace) => {
    const { page } = await site.visit();
    await page.evaluate(replace);
    await page.evaluate(() => document.body || document.documentElement.append(document.createElement("body")));
    await page.locator(".launcher").waitFor();
    expect(await reply(page)).toBe("We open at nine.");
  });

  it("runs the calls after one that throws, and says which values it leaves out", async () => {
    site.host.before(`window.Foyer = [
      ["identify", undefined], ["nothing"], null, () => { throw new Error("of the page"); },
      ["identify", { userId: 42, userName: "x".repeat(5000) }], ["registerTool", "add", "no function"],
      ["on", "open", () => (window.wasOpened = true)],
    ]`);
    const { page } = await site.visit();
    const warnings: string[] = [];
    page.on("console", (message) => message.type() === "warning" && warnings.push(message.text()));
    expect(await reply(page)).toBe("We open at nine.");
    expect(await page.evaluate(() => Reflect.get(window, "wasOpened"))).toBe(true);
    await expect.poll(() => warnings).toEqual(["Foyer: identify left out userName (longer than 320 characters)."]);
  });

  it("works on a page whose library changes JSON and whose fetch cannot stream", async () => {
    site.host.before(`
      Array.prototype.toJSON = function () { return "[" + this.join() + "]"; };
      const { fetch } = window;
      window.fetch = async (...args) => {
        const response = await fetch(...args);
        Object.defineProperty(response, "body", { value: undefined });
        return response;
      };
      addEventListener("load", () => setTimeout(() => (window.fetch = () => Promise.reject(new Error("replaced")))));
    `);
    const { page } = await site.visit();
    expect(await reply(page)).toBe("We open at nine.");
  });

  it("stays in the window when the page's root element is transformed", async () => {
    const { page } = await site.visit();
    await page.evaluate(() => {
      document.documentElement.style.transform = "translateZ(0)";
    });
    const bottom = () =>
      page.locator(".launcher").evaluate((launcher) => innerHeight - launcher.getBoundingClientRect().bottom);
    await expect.poll(bottom).toBe(20);
    await openChat(page);
  });
});
