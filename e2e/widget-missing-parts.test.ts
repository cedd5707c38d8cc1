import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { accessibilityProblems } from "../test/browser.ts";
import { tinyPictures } from "../test/tiny-pictures.ts";
import { sayWords } from "../test/upstream.ts";
import { ask, openChat, replyOver, startWidgetSite, type WidgetSite } from "../test/widget-site.ts";

const UNREACHABLE = "The server couldn't be reached. Check your connection and try again.";
const picture = { name: "bike.png", mimeType: "image/png", buffer: tinyPictures["image/png"] };
const attachments = { images: true };

describe("a part of the chat that cannot be loaded", () => {
  let site: WidgetSite;
  beforeAll(async () => {
    site = await startWidgetSite();
  });
  beforeEach(() => site.upstream.script(sayWords("A bike.")));
  afterAll(() => site.stop());

  const failure = (page: Page) => page.locator(".failure");
  const retry = (page: Page) => failure(page).getByRole("button", { name: "Try again" }).click();

  /** Answers requests for a part as long as the result says so. @returns the requested files, and how to stop it */
  const block = async (page: Page, part: string, kind: "lost" | "gone" = "lost") => {
    const requested: string[] = [];
    const pattern = new RegExp(`/widget/${part}[^/]*\\.js`);
    await page.route(pattern, async (route) => {
      requested.push(new URL(route.request().url()).pathname);
      await (kind === "lost" ? route.abort() : route.fulfill({ status: 404, body: "" }));
    });
    return { requested, unblock: () => page.unroute(pattern) };
  };

  it.each(["lost", "gone"] as const)(
    "says so and is loaded again, when the code for attachments is %s",
    async (kind) => {
      const { page, agentId } = await site.visit({ attachments });
      const { requested, unblock } = await block(page, "mount-attachments", kind);
      await openChat(page);
      await failure(page).getByText(UNREACHABLE).waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
      await site.picture(page, `missing-attachments-${kind}`);
      const before = requested.length;
      await retry(page);
      await expect.poll(() => requested.length).toBeGreaterThan(before);
      await failure(page).getByText(UNREACHABLE).waitFor();
      // The chat works without it.
      await ask(page, "Hello");
      await replyOver(page);
      await unblock();
      await retry(page);
      await page.locator(".attach").waitFor();
      expect(await failure(page).count()).toBe(0);
      await page.locator(".composer input[type=file]").setInputFiles([picture]);
      await page.locator(".draft .time").waitFor();
      await ask(page, "What is it?");
      await replyOver(page);
      await page.locator(".attached canvas.drawn").waitFor();
      const [{ id }] = (await site.owner.call("GET", `/conversations?agentId=${agentId}`)).body.data;
      const { messages } = (await site.owner.call("GET", `/conversations/${id}`)).body.data;
      expect(messages.map((message: { attachments: object[] }) => message.attachments.length)).toEqual([0, 0, 1, 0]);
    },
  );

  it("is loaded when the connection returns", async () => {
    const { page } = await site.visit({ attachments });
    const { unblock } = await block(page, "mount-attachments");
    await openChat(page);
    await failure(page).waitFor();
    await unblock();
    await page.evaluate(() => dispatchEvent(new Event("online")));
    await page.locator(".attach").waitFor();
    expect(await failure(page).count()).toBe(0);
  });

  it("is loaded once, for all its places, from the current version after an update of the server", async () => {
    const { page } = await site.visit({ attachments });
    await openChat(page);
    await page.locator(".composer input[type=file]").setInputFiles([picture]);
    await page.locator(".draft .time").waitFor();
    await ask(page, "What is it?");
    await replyOver(page);
    const { requested, unblock } = await block(page, "mount-attachments-", "gone");
    const current: string[] = [];
    page.on("request", (request) => {
      if (request.url().includes("/widget/mount-attachments.js")) current.push(request.url());
    });
    await page.reload();
    await page.locator(".attached canvas.drawn").waitFor();
    await page.locator(".attach").waitFor();
    expect(requested.length).toBeGreaterThan(0);
    expect(current).toHaveLength(1);
    // With two copies of the code, the second one would discard what the first one has attached.
    await page.locator(".composer input[type=file]").setInputFiles([picture]);
    await page.locator(".draft .time").waitFor();
    await page.locator(".send:enabled").waitFor();
    expect(await page.locator(".draft").count()).toBe(1);
    await unblock();
  });

  it("speaks the visitor's language after an update of the server", async () => {
    const { page } = await site.visit({ widget: { locale: "de" } });
    const { requested } = await block(page, "de-", "gone");
    await page.getByRole("button", { name: "Chat öffnen" }).click();
    await page.getByPlaceholder("Nachricht schreiben").waitFor();
    expect(requested).toHaveLength(1);
  });

  it("opens with the next click, when no texts could be loaded", async () => {
    const { page } = await site.visit();
    const { requested, unblock } = await block(page, "en");
    const launcher = page.getByRole("button", { name: "Open chat" });
    await launcher.click();
    await expect.poll(() => requested.length).toBe(2);
    await page.locator(".launcher[aria-busy=false]").waitFor();
    expect(await launcher.getAttribute("aria-expanded")).toBe("false");
    await unblock();
    await launcher.click();
    await page.getByPlaceholder("Write a message").waitFor();
  });

  it("says so and is loaded again, when it hands over to people", async () => {
    const { page } = await site.visit({ handoff: { isEnabled: true } });
    const { unblock } = await block(page, "start-handoff");
    await openChat(page);
    await failure(page).getByText(UNREACHABLE).waitFor();
    await unblock();
    await retry(page);
    await page.getByRole("button", { name: "Talk to a person" }).waitFor();
    expect(await failure(page).count()).toBe(0);
  });

  it("is loaded again together with all others, after one sentence", async () => {
    const { page } = await site.visit({ attachments, handoff: { isEnabled: true } });
    const [handoff, attaching] = [await block(page, "start-handoff"), await block(page, "mount-attachments")];
    await openChat(page);
    await expect.poll(() => attaching.requested.length).toBe(2);
    await failure(page).waitFor();
    expect(await failure(page).count()).toBe(1);
    await handoff.unblock();
    await attaching.unblock();
    await retry(page);
    await page.locator(".attach").waitFor();
    await page.getByRole("button", { name: "Talk to a person" }).waitFor();
  });

  it("says so in its place and is loaded again, when it shows a tool's result", async () => {
    const { page, agentId } = await site.visit();
    const display = { type: "buttons", fieldMappings: { title: "ask", buttons: "list" } };
    await site.addTool(agentId, "offer", { ask: "Which one?", list: ["City One"] }, display);
    site.callTools(["offer"], "Here you are.");
    const { unblock } = await block(page, "mount-display");
    await openChat(page);
    await ask(page, "Hello");
    await replyOver(page);
    await failure(page).waitFor();
    expect(await failure(page).count()).toBe(1);
    await unblock();
    await retry(page);
    await page.getByRole("button", { name: "City One" }).waitFor();
    expect(await failure(page).count()).toBe(0);
  });

  it("says so in its place and is loaded again, when it shows a form", async () => {
    const { page, agentId } = await site.visit();
    const formSchema = { fields: [{ name: "name", label: "Your name", type: "text" }] };
    const more = { executionType: "form", formSchema, mockResponse: undefined, displayConfig: undefined };
    await site.addTool(agentId, "test_ride", null, {}, more);
    site.callTools(["test_ride"], "Please fill in the form.");
    const { unblock } = await block(page, "mount-form");
    await openChat(page);
    await ask(page, "Hello");
    await failure(page).getByText("The form couldn't be loaded.").waitFor();
    expect(await failure(page).count()).toBe(1);
    await unblock();
    await retry(page);
    await page.getByLabel("Your name").waitFor();
    expect(await failure(page).count()).toBe(0);
  });
});
