import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FormField } from "../packages/contract/src/index.ts";
import { sayWords } from "../test/upstream.ts";
import { type FormsSite, showForm, startFormsSite } from "../test/widget-forms.ts";
import { ask, openChat, replyOver } from "../test/widget-site.ts";

const phone = { viewport: { width: 390, height: 700 }, hasTouch: true, isMobile: true };
const fields: FormField[] = Array.from({ length: 12 }, (_, index) => ({
  name: `field_${index}`,
  label: `Field ${index}`,
  type: "text",
  validation: { required: { value: true } },
}));

describe("the chat panel", () => {
  let site: FormsSite;
  beforeAll(async () => {
    site = await startFormsSite();
    site.upstream.script(sayWords("We are open. ".repeat(150)));
  });
  afterAll(() => site.stop());

  const focused = (page: Page) =>
    page.evaluate(() => document.querySelector("foyer-widget")?.shadowRoot?.activeElement?.className ?? null);

  it.each([
    ["beside the page", {}],
    ["on a phone", phone],
  ])("keeps its header and close button in place when a tall form appears %s", async (_, context) => {
    const { page, agentId } = await site.visit({}, { context });
    const tool = await site.addForm(agentId, fields);
    await openChat(page);
    await ask(page, "Tell me everything");
    await replyOver(page);
    await showForm(page, tool.id);
    const position = () =>
      page.locator(".panel").evaluate((panel) => {
        const header = panel.querySelector(".header")?.getBoundingClientRect().top ?? Number.NaN;
        return [panel.scrollTop, Math.round(header - panel.getBoundingClientRect().top) <= 1];
      });
    await expect
      .poll(() =>
        page.locator(".form").evaluate((form) => {
          const top = form.closest(".scroll")?.getBoundingClientRect().top ?? Number.NaN;
          return Math.abs(form.getBoundingClientRect().top - top) < 2;
        }),
      )
      .toBe(true);
    await expect.poll(() => position()).toEqual([0, true]);
    await page.locator(".submit").click();
    await page.locator(".problem").first().waitFor();
    await expect.poll(() => position()).toEqual([0, true]);
    await page.getByRole("button", { name: "Close", exact: true }).click();
    await openChat(page);
    await expect.poll(() => position()).toEqual([0, true]);
    await page.getByRole("button", { name: "Close", exact: true }).click({ trial: true });
  });

  it("leaves a tall form where the visitor scrolled it when the panel changes its height", async () => {
    const { page, agentId } = await site.visit();
    const tool = await site.addForm(agentId, fields);
    await openChat(page);
    await ask(page, "Tell me everything");
    await replyOver(page);
    await showForm(page, tool.id);
    const scroller = page.locator(".scroll");
    const distance = () =>
      scroller.evaluate((scroller) => {
        const top = scroller.querySelector(".form")?.getBoundingClientRect().top ?? Number.NaN;
        return Math.round(top - scroller.getBoundingClientRect().top);
      });
    await expect.poll(() => focused(page)).toBe("form-title");
    await expect.poll(distance).toBe(0);
    await scroller.focus();
    await scroller.hover();
    await page.mouse.wheel(0, 150);
    await expect.poll(distance).toBe(-150);
    const { width, height } = page.viewportSize() ?? { width: 1280, height: 720 };
    await page.setViewportSize({ width, height: height - 40 });
    // Observers of sizes have run once a frame has been painted.
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    expect(await distance()).toBe(-150);
  });

  it("returns the focus to the launcher when it is closed on a phone", async () => {
    const { page } = await site.visit({}, { context: phone });
    await openChat(page);
    await page.keyboard.press("Escape");
    await expect.poll(() => focused(page)).toBe("launcher");
  });

  it("is closed by the Back button of a phone, which then leaves the page as it was", async () => {
    const { page } = await site.visit({}, { context: phone });
    const { length } = await page.evaluate(() => ({ length: history.length }));
    const address = page.url();
    await openChat(page);
    await page.goBack();
    await page.locator(".panel").waitFor({ state: "hidden" });
    await expect
      .poll(async () => [page.url(), await page.evaluate(() => history.length)])
      .toEqual([address, length + 1]);
    await openChat(page);
  });

  it("has header buttons of at least 44 pixels on a phone", async () => {
    const { page } = await site.visit({}, { context: phone });
    await openChat(page);
    await ask(page, "When do you open?");
    await replyOver(page);
    const sizes = await page
      .locator(".header button")
      .evaluateAll((buttons) => buttons.map((button) => button.getBoundingClientRect()));
    expect(sizes.length).toBeGreaterThan(1);
    for (const { width, height } of sizes) expect(Math.min(width, height)).toBeGreaterThanOrEqual(44);
  });

  it("aligns a form's title with its labels in a right-to-left language", async () => {
    const { page, agentId } = await site.visit({}, { attributes: { "data-locale": "ar" } });
    const tool = await site.addForm(agentId, fields.slice(0, 1), { displayName: "Booking" });
    await openChat(page);
    await showForm(page, tool.id);
    const title = page.locator(".form-title");
    await expect
      .poll(() => title.evaluate((element) => getComputedStyle(element).textAlign))
      .toMatch(/^(right|start)$/);
    await expect.poll(() => title.evaluate((element) => getComputedStyle(element).direction)).toBe("rtl");
  });

  it("reads POST /chat to its end and keeps the greeting above a conversation without wide gaps", async () => {
    const { page } = await site.visit({ widget: { greeting: "Good morning." } });
    await openChat(page);
    const failed: string[] = [];
    page.on("requestfailed", (request) => failed.push(`${request.url()} ${request.failure()?.errorText}`));
    const finished = page.waitForEvent("requestfinished", (request) => request.url().endsWith("/chat"));
    await ask(page, "When do you open?");
    await replyOver(page);
    await finished;
    expect(failed).toEqual([]);
    await ask(page, "And on Sunday?");
    await replyOver(page);
    const text = await page.locator(".reply .markdown").nth(0).boundingBox();
    const next = await page.locator(".user").nth(1).boundingBox();
    expect((next?.y ?? 0) - (text?.y ?? 0) - (text?.height ?? 0), "the gap below an earlier reply").toBeLessThan(40);
    const greeting = await page.getByText("Good morning.").boundingBox();
    const message = await page.locator(".user").first().boundingBox();
    expect(greeting?.y).toBeLessThan(message?.y ?? 0);
  });

  it("counts unread replies on the launcher", async () => {
    const { page } = await site.visit();
    await openChat(page);
    const reply = site.slowReply();
    await ask(page, "When do you open?");
    await page.keyboard.press("Escape");
    await page.locator(".panel").waitFor({ state: "hidden" });
    await reply.say("At nine.");
    await reply.end();
    await page.getByRole("button", { name: "Open chat. New reply" }).waitFor();
    await expect.poll(() => page.locator(".launcher .dot").innerText()).toBe("1");
    site.upstream.script(sayWords("We are open."));
  });

  it("moves the focus to the message field when a reply is stopped", async () => {
    const { page } = await site.visit();
    await openChat(page);
    const reply = site.slowReply();
    await ask(page, "Hello");
    await reply.say("We ");
    await page.locator(".reply .markdown").waitFor();
    await page.locator(".stop").click();
    await page.locator(".send").waitFor();
    await expect.poll(() => page.locator(".composer textarea").evaluate((field) => field.matches(":focus"))).toBe(true);
    await page.keyboard.press("Escape");
    await page.locator(".panel").waitFor({ state: "hidden" });
    site.upstream.script(sayWords("We are open. ".repeat(150)));
  });

  it("does not send the message when Enter accepts a conversion in Safari", async () => {
    const { page } = await site.visit();
    await openChat(page);
    await page.locator(".composer textarea").fill("自転車");
    const press = (keyCode: number) =>
      page.locator(".composer textarea").evaluate((field, keyCode) => {
        const event = new KeyboardEvent("keydown", { key: "Enter", keyCode, bubbles: true, cancelable: true });
        return field.dispatchEvent(event);
      }, keyCode);
    expect(await press(229)).toBe(true);
    await expect.poll(() => page.locator(".user").count()).toBe(0);
    expect(await press(13)).toBe(false);
    await page.locator(".user").waitFor();
  });
});
