import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { accessibilityProblems } from "../test/browser.ts";
import { insertConversation, insertFailure } from "../test/conversation-seed.ts";
import { type DashboardSite, startDashboardSite } from "../test/dashboard-site.ts";

describe("marks in the inbox", () => {
  let site: DashboardSite;
  let agentId: string;
  beforeAll(async () => {
    site = await startDashboardSite();
    const { page } = await site.signIn();
    agentId = (await site.call(page, "POST", "/agents", { name: "Harbour" })).data.id;
    const owner = { organizationId: site.owner.organizationId, agentId };
    await insertConversation(site.server.deps.db, owner, {}, [
      { content: "I am looking for a cargo bike for two children." },
      { content: "Two of ours carry two children. **The Tender 2** is the lighter one." },
      { content: "Could I ride it\non Saturday?" },
      { content: "Of course." },
    ]);
    const preview = {
      lastMessageRole: "assistant",
      lastMessagePreview: "**Good** morning.",
      lastMessageAt: Date.now(),
    } as const;
    const greeting = [{ content: "Hello" }, { content: preview.lastMessagePreview }];
    await insertConversation(site.server.deps.db, owner, preview, greeting);
    await page.context().close();
  });
  afterAll(() => site.stop());

  const visit = (rest = "") => site.open(`/agents/${agentId}/conversations${rest}`);
  const row = (page: Page, title: string) => page.getByRole("link", { name: new RegExp(title) });

  it("lists the newest messages without their Markdown", async () => {
    const { page } = await visit();
    await row(page, "Hello").getByText("Good morning.").waitFor();
  });

  it("highlights the search text in the list and the messages", async () => {
    const { page, problems } = await visit("?q=the%20Tender");
    await page.getByRole("heading", { name: "1 conversation" }).waitFor();
    await expect.poll(() => row(page, "cargo bike").locator("mark").allInnerTexts()).toEqual(["The Tender"]);
    await row(page, "cargo bike").click();
    await page.getByRole("region", { name: "Messages" }).getByText("Two of ours carry").waitFor();
    // Replies are drawn by the widget, which marks text without changing its elements.
    const markedTexts = () =>
      page.evaluate(() => [...(CSS.highlights.get("foyer-search") ?? [])].map((range) => range.toString()));
    await expect.poll(markedTexts).toEqual(["The Tender"]);
    await page.getByRole("searchbox").fill("on Saturday");
    const transcript = page.getByRole("region", { name: "Messages" });
    await expect.poll(() => transcript.locator("mark").allInnerTexts()).toEqual(["on Saturday"]);
    await expect.poll(markedTexts).toEqual([]);
    await site.picture(page, "dashboard-inbox-search");
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("marks unread conversations, failed replies and members' own test chats, which a filter hides", async () => {
    const { page, problems } = await site.signIn();
    const { id } = (await site.call(page, "POST", "/agents", { name: "Tried" })).data;
    const own = { organizationId: site.owner.organizationId, agentId: id };
    const asked = [{ content: "Is it in stock?" }, { content: "", stopReason: "error" }];
    const failed = await insertConversation(site.server.deps.db, own, {}, asked);
    await insertFailure(site.server.deps.db, { ...own, conversationId: failed, message: "Quota exceeded" });
    await page.goto(`${site.server.url}/dashboard/agents/${id}`);
    await page.getByLabel("Message to Tried").fill("My own question");
    await page.getByLabel("Message to Tried").press("Enter");
    await expect
      .poll(async () =>
        (await site.call(page, "GET", `/conversations?agentId=${id}`)).data.map(
          (one: { isTest: boolean }) => one.isTest,
        ),
      )
      .toEqual([true, false]);
    await page.goto(`${site.server.url}/dashboard/agents/${id}/conversations?view=all`);
    await row(page, "My own question").getByText("Test chat").waitFor();
    expect(await row(page, "Unread: My own question").count()).toBe(0);
    await row(page, "Is it in stock.*a reply failed").waitFor();
    await site.picture(page, "dashboard-inbox-marks");
    expect(await accessibilityProblems(page)).toEqual([]);
    await row(page, "My own question").click();
    await expect.poll(() => row(page, "Unread: My own question").count()).toBe(0);
    await page.getByRole("button", { name: "Filters" }).click();
    await page.getByLabel("Test chats").selectOption("false");
    await page.getByRole("heading", { name: "1 conversation" }).waitFor();
    await expect.poll(() => row(page, "My own question").count()).toBe(0);
    await page.keyboard.press("Escape");
    await row(page, "Is it in stock").click();
    await page.getByRole("region", { name: "Messages" }).getByText("Quota exceeded").waitFor();
    expect(problems).toEqual([]);
  });
});
