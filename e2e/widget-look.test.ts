import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { accessibilityProblems, measureOverflow } from "../test/browser.ts";
import { sayWords } from "../test/upstream.ts";
import { ask, openChat, replyOver, startWidgetSite, type WidgetSite } from "../test/widget-site.ts";

const hostile = `</script><img src=x onerror="window.broken=1"><b>bold</b>`;
const phone = { viewport: { width: 375, height: 700 }, hasTouch: true, isMobile: true };
const dot =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

const bikes = [
  {
    name: "City One",
    price: "690 €",
    picture: dot,
    about: "Seven gears, hub dynamo, a basket.",
    link: "https://harbour-bikes.example/city-one",
  },
  {
    name: "Harbour Tour",
    price: "1,190 €",
    picture: dot,
    about: "For long days by the sea.",
    link: "javascript:window.broken=1",
  },
  { name: hostile, price: "2,490 €", about: hostile, link: "https://harbour-bikes.example/e" },
];
const mapped = { title: "name", price: "price", image: "picture", description: "about", url: "link" };

describe("the widget", () => {
  let site: WidgetSite;
  beforeAll(async () => {
    site = await startWidgetSite();
  });
  beforeEach(() => {
    site.upstream.script(sayWords("We ", "open ", "at nine."));
    site.host.before("");
  });
  afterAll(() => site.stop());

  const broken = (page: Page) => page.evaluate(() => Reflect.get(window, "broken"));
  const withDisplays = async (agentId: string) => {
    await site.addTool(agentId, "best_bike", bikes[0], {
      type: "product_card",
      fieldMappings: mapped,
      options: { showAddToCart: true },
    });
    await site.addTool(
      agentId,
      "find_bikes",
      { bikes },
      { type: "product_carousel", fieldMappings: { items: "bikes", ...mapped } },
    );
    await site.addTool(
      agentId,
      "price_list",
      { rows: bikes },
      { type: "table", fieldMappings: { rows: "rows", Bike: "name", Price: "price" } },
    );
    await site.addTool(
      agentId,
      "shop_photo",
      { url: dot, text: "Our shop" },
      { type: "image", fieldMappings: { image: "url", title: "text" } },
    );
    await site.addTool(
      agentId,
      "choices",
      { ask: "Which one?", list: ["City One", "Harbour Tour"] },
      { type: "buttons", fieldMappings: { title: "ask", buttons: "list" } },
    );
    await site.addTool(
      agentId,
      "weather",
      { sky: "Sunny", wind: "3" },
      { type: "custom", fieldMappings: { sky: "sky", wind: "wind" } },
    );
    await site.addTool(agentId, "opening_hours", "Tuesday to Friday, 9:00 to 18:00", { type: "text" });
    await site.addTool(agentId, "balance", "12 euros", { type: "text" }, { resultFor: "visitor" });
    const texts = ["opening_hours", "balance"];
    const names = ["best_bike", "find_bikes", "price_list", "shop_photo", "choices", "weather", ...texts];
    site.callTools(names, "Here is everything.");
  };

  it("shows the agent's images, launcher offsets and theme, and the launcher's icon when its image is missing", async () => {
    const widget = { theme: "dark", offsetX: 40, offsetY: 60, launcherIcon: "question" };
    const agentId = await site.createAgent({ widget });
    for (const kind of ["logo", "avatar", "launcher"]) {
      const { status } = await site.owner.call("PUT", `/agents/${agentId}/images/${kind}`, { image: dot });
      expect(status).toBe(200);
    }
    const { page, problems } = await site.browser.open({ viewport: { width: 1000, height: 800 } });
    await page.goto(site.host.page("/", { "data-agent-id": agentId }));
    const launcher = page.locator(".launcher");
    const width = (image: Element) => (image as HTMLImageElement).naturalWidth;
    await expect.poll(() => launcher.locator("img").evaluate(width)).toBe(1);
    const margins = async () => {
      const box = await launcher.boundingBox();
      return box && [1000 - box.x - box.width, 800 - box.y - box.height];
    };
    await expect.poll(margins).toEqual([40, 60]);
    await openChat(page);
    await expect.poll(() => page.locator(".frame").getAttribute("data-theme")).toBe("dark");
    await expect.poll(() => page.locator(".header .logo").evaluate(width)).toBe(1);
    await ask(page, "Hello");
    await replyOver(page);
    await expect.poll(() => page.locator(".reply .avatar").evaluate(width)).toBe(1);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.route("**/images/launcher*", (route) => route.abort());
    await page.goto(site.host.page("/", { "data-agent-id": agentId, "data-theme": "light", "data-offset-x": "8" }));
    await launcher.locator("path").first().waitFor();
    await expect.poll(() => launcher.locator("img").count()).toBe(0);
    await expect.poll(() => page.locator(".frame").getAttribute("data-theme")).toBe("light");
    expect(problems).toEqual([]);
  });

  it("shows the face that the agent's owner has chosen, and the visitor's messages in the accent color", async () => {
    const look = async (widget: object) => {
      const { page } = await site.visit({ name: "Harbour Bikes", widget });
      await openChat(page);
      await ask(page, "Hello");
      await replyOver(page);
      return page;
    };
    const initials = await look({ face: "initials", accentMessages: true, accentColor: "#0f766e" });
    await expect.poll(() => initials.locator(".header .initials").innerText()).toBe("HB");
    await expect.poll(() => initials.locator(".reply .sender .initials").innerText()).toBe("HB");
    const color = (element: Element) => getComputedStyle(element).backgroundColor;
    expect(await initials.locator(".bubble").evaluate(color)).toBe("rgb(15, 118, 110)");
    expect(await accessibilityProblems(initials)).toEqual([]);
    const lamp = await look({ face: "lamp" });
    await expect.poll(() => lamp.locator(".header .lamp.lit").count()).toBe(1);
    expect(await lamp.locator(".bubble").evaluate(color)).toBe("rgb(231, 229, 228)");
    const none = await look({ face: "none" });
    await expect.poll(() => none.locator(".lamp, .avatar, .sender").count()).toBe(0);
    await expect.poll(() => none.locator(".title").innerText()).toContain("AI assistant");
  });

  it("turns the lamp off while the visitor is offline", async () => {
    const { page } = await site.visit();
    await openChat(page);
    await page.locator(".header .lamp.lit").waitFor();
    await page.context().setOffline(true);
    await page.locator(".header .lamp.dark").waitFor();
    await expect.poll(() => page.locator(".title").innerText()).toContain("You're offline");
    await page.context().setOffline(false);
    await page.locator(".header .lamp.lit").waitFor();
  });

  it("follows the color scheme that the page declares, even when it changes", async () => {
    site.host.before("document.documentElement.style.colorScheme = 'dark'");
    const { page } = await site.visit({}, { context: { colorScheme: "light" } });
    const theme = () => page.locator(".frame").getAttribute("data-theme");
    await expect.poll(() => theme()).toBe("dark");
    const declare = (scheme: string) =>
      page.evaluate((scheme) => {
        document.documentElement.style.colorScheme = scheme;
      }, scheme);
    await declare("only light");
    await expect.poll(theme).toBe("light");
    await page.emulateMedia({ colorScheme: "dark" });
    await declare("light dark");
    await expect.poll(theme).toBe("dark");
  });

  it("renders every display type", async () => {
    site.host.before(
      "window.Foyer = [['registerRenderer', 'weather', (place, { slots }) => { place.textContent = 'Drawn: ' + slots.sky }]]",
    );
    const { page, problems, agentId } = await site.visit({}, { context: { viewport: { width: 1100, height: 2000 } } });
    await withDisplays(agentId);
    await openChat(page);
    await ask(page, "Show me everything");
    await replyOver(page);
    const check = async () => {
      await expect.poll(() => page.locator(".product").count()).toBe(4);
      await expect.poll(() => page.locator(".carousel .product .card-title span").first().innerText()).toBe("City One");
      await expect.poll(() => page.locator("th").allInnerTexts()).toEqual(["Bike", "Price"]);
      await expect.poll(() => page.locator("td").nth(2).innerText()).toBe("Harbour Tour");
      await expect.poll(() => page.locator(".picture img").getAttribute("alt")).toBe("Our shop");
      await expect.poll(() => page.locator(".custom").innerText()).toBe("Drawn: Sunny");
      await expect
        .poll(() => page.locator("details.tool summary").allInnerTexts())
        .toEqual(["Opening hours", "Balance"]);
      // A result that only the visitor sees is expanded, because the agent cannot repeat it.
      await expect.poll(() => page.getByText("Tuesday to Friday").isVisible()).toBe(false);
      await expect.poll(() => page.getByText("12 euros").isVisible()).toBe(true);
      expect(
        await page.locator(".product a").evaluateAll((links) => links.map((link) => link.getAttribute("href"))),
      ).toEqual([
        "https://harbour-bikes.example/city-one",
        "https://harbour-bikes.example/city-one",
        "https://harbour-bikes.example/e",
      ]);
      await expect.poll(() => page.locator(".panel b").count()).toBe(0);
      expect(await broken(page)).toBeUndefined();
    };
    await check();
    await page.locator(".scroll").evaluate((element) => element.scrollTo(0, 0));
    await site.picture(page, "displays");
    await page.locator(".scroll").evaluate((element) => element.scrollTo(0, 99_999));
    await site.picture(page, "displays-end");
    await page.reload();
    await page.getByText("Here is everything.").waitFor();
    await check();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole("button", { name: "Harbour Tour", exact: true }).click();
    await page.locator(".bubble", { hasText: "Harbour Tour" }).waitFor();
    await replyOver(page);
    await page.getByRole("button", { name: "Add to cart" }).first().click();
    await page.locator(".bubble", { hasText: "Add “City One” to my cart" }).waitFor();
    expect(problems).toEqual([]);
  });

  it("does not execute markup in names, messages and results", async () => {
    const { page, problems } = await site.visit({
      name: hostile,
      widget: {
        title: hostile,
        greeting: `${hostile}\n[x](javascript:window.broken=1)`,
        suggestions: [hostile],
        launcherLabel: hostile,
      },
      allowedImageHosts: ["images.harbour-bikes.example"],
    });
    await page.route("https://**", (route) => route.abort());
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).hostname));
    await openChat(page);
    await expect
      .poll(() => page.locator(".welcome .markdown").innerText())
      .toContain('<img src=x onerror="window.broken=1">');
    site.upstream.script(
      sayWords(
        hostile,
        "\n\n[a](javascript:window.broken=1) [b](JaVaScRiPt:window.broken=1) [c](data:text/html,<script>window.broken=1</script>) <javascript:window.broken=1>",
        "\n\n![spy](https://spy.example/pixel.png) ![bike](https://images.harbour-bikes.example/one.png) [ok](https://harbour-bikes.example/)",
      ),
    );
    await page.locator(".suggestions button").click();
    await page.locator(".user").waitFor();
    await replyOver(page);
    const check = async () => {
      await expect.poll(() => page.locator(".bubble").innerText()).toBe(hostile);
      await expect
        .poll(() => page.locator(".reply .markdown").innerText())
        .toContain('<img src=x onerror="window.broken=1">');
      await expect
        .poll(() => page.locator(".reply a").evaluateAll((all) => all.map((link) => link.getAttribute("href"))))
        .toEqual(["https://spy.example/pixel.png", "https://harbour-bikes.example/"]);
      await expect
        .poll(() => page.locator(".panel img").evaluateAll((all) => all.map((image) => image.getAttribute("src"))))
        .toEqual(["https://images.harbour-bikes.example/one.png"]);
      await expect.poll(() => page.locator(".panel b, .panel script").count()).toBe(0);
    };
    await check();
    await page.reload();
    await page.locator(".reply .markdown").waitFor();
    await check();
    expect(asked).not.toContain("spy.example");
    expect(await broken(page)).toBeUndefined();
    expect(problems.filter((problem) => !problem.includes("ERR_FAILED"))).toEqual([]);
  });

  it("is accessible in every state, in light and in dark", async () => {
    const widget = {
      greeting: "Hello, I am Harbour. What can I do for you?",
      suggestions: ["When are you open?", "What does a service cost?"],
    };
    const { page } = await site.visit({ widget });
    const check = async (name: string) => {
      expect([name, await accessibilityProblems(page)]).toEqual([name, []]);
      await site.picture(page, name);
      await page.emulateMedia({ colorScheme: "dark" });
      await site.picture(page, `${name}-dark`);
      await page.emulateMedia({ colorScheme: "light" });
    };
    await check("closed");
    await openChat(page);
    await check("welcome");
    const reply = site.slowReply();
    await ask(page, "When are you open?");
    await check("waiting");
    await reply.say(
      "We are open **Tuesday to Friday** from 9:00 to 18:00.\n\n1. A basic service costs `59 euros`\n2. A full service costs 129 euros\n   - with new cables\n\n| Bike | Price |\n|---|---:|\n| City One | 690 |\n\n```js\nconst total = cart.items.reduce((sum, item) => sum + item.price, 0);\n```\n\nSee [our prices](https://harbour-bikes.example/pricing).",
    );
    await page.locator(".reply a").waitFor();
    await check("streaming");
    await reply.end();
    await replyOver(page);
    await check("done");
    await page.getByRole("button", { name: "Conversations" }).click();
    await check("past-conversations");
  });

  it("covers the page on a phone", async () => {
    const { page } = await site.visit(
      { widget: { greeting: "Hello", suggestions: ["A".repeat(120)] } },
      { context: phone },
    );
    await site.picture(page, "phone-closed");
    await page.locator(".launcher").tap();
    await page.locator(".panel").waitFor();
    await expect.poll(() => page.locator(".panel").boundingBox()).toEqual({ x: 0, y: 0, width: 375, height: 700 });
    expect(await measureOverflow(page)).toBe(0);
    await expect.poll(() => page.locator(".panel").getAttribute("aria-modal")).toBe("true");
    await expect
      .poll(() => page.locator("textarea").evaluate((field) => getComputedStyle(field).fontSize))
      .toBe("16px");
    await site.picture(page, "phone-welcome");
    expect(await accessibilityProblems(page)).toEqual([]);
    await ask(page, "word".repeat(60));
    await replyOver(page);
    expect(await measureOverflow(page)).toBe(0);
    expect(await page.locator(".scroll").evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
    expect(await accessibilityProblems(page)).toEqual([]);
    await site.picture(page, "phone-chat");
    for (let press = 0; press < 15; press++) {
      await page.keyboard.press("Tab");
      const isInside = await page.evaluate(
        () => document.querySelector("foyer-widget")?.shadowRoot?.activeElement?.closest(".panel") !== null,
      );
      expect(isInside).toBe(true);
    }
    await page.getByRole("button", { name: "Close" }).tap();
    await page.locator(".launcher").waitFor();
    await page.reload();
    await page.locator(".launcher").waitFor();
    await expect.poll(() => page.locator(".panel").count()).toBe(0);
  });

  it("uses the page's language and direction, and loads only that locale", async () => {
    const { page } = await site.visit(
      { widget: { greeting: "مرحبًا، كيف يمكنني مساعدتك؟", position: "left" } },
      { attributes: { "data-locale": "ar-EG", "data-accent-color": "#0f766e", "data-theme": "dark" } },
    );
    await page.getByRole("button", { name: "فتح الدردشة" }).click();
    await page.getByPlaceholder("اكتب رسالة").waitFor();
    // The page may have loaded the locale while it was idle, so all its requests are read.
    const asked = await page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => name));
    const parts = asked.flatMap((url) => /^\/widget\/(\w+)-/.exec(new URL(url).pathname)?.[1] ?? []);
    expect(new Set(parts.filter((name) => name.length === 2))).toEqual(new Set(["ar"]));
    await ask(page, "متى تفتحون؟");
    await replyOver(page);
    await site.picture(page, "rtl");
    await expect.poll(() => page.locator(".frame").getAttribute("dir")).toBe("rtl");
    expect(await accessibilityProblems(page)).toEqual([]);
  });
});
