import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { accessibilityProblems, expectFit, measureOverflow } from "../test/browser.ts";
import { insertConversation } from "../test/conversation-seed.ts";
import { type DashboardSite, startDashboardSite } from "../test/dashboard-site.ts";

describe("actions on several conversations", () => {
  let site: DashboardSite;
  beforeAll(async () => {
    site = await startDashboardSite();
  });
  afterAll(() => site.stop());

  /** @returns the id of a new agent with this many open conversations, the newest of which is number 1 */
  async function createAgent(page: Page, count: number): Promise<string> {
    const { id: agentId } = (await site.call(page, "POST", "/agents", { name: "Harbour" })).data;
    const owner = { organizationId: site.owner.organizationId, agentId };
    for (let number = 1; number <= count; number++) {
      const createdAt = Date.now() - number * 1_000;
      const sayings = [{ content: `Question number ${number}?` }, { content: "I do not know." }];
      await insertConversation(site.server.deps.db, owner, { createdAt, updatedAt: createdAt }, sayings);
    }
    return agentId;
  }

  async function openInbox(count: number, options: Parameters<DashboardSite["signIn"]>[0] = {}) {
    const opened = await site.signIn(options);
    const agentId = await createAgent(opened.page, count);
    await opened.page.goto(`${site.server.url}/dashboard/agents/${agentId}/conversations?view=open&scope=agent`);
    await opened.page.getByRole("heading", { name: `${count} conversations` }).waitFor();
    const statuses = async (status: string): Promise<string[]> => {
      const path = `/conversations?agentId=${agentId}&status=${status}&limit=100`;
      const { data } = await site.call(opened.page, "GET", path);
      return data.map(({ title }: { title: string }) => title).sort();
    };
    return { ...opened, agentId, statuses };
  }

  const box = (page: Page, number: number) =>
    page.getByRole("checkbox", { name: `Select Question number ${number}?`, exact: true });
  const selected = (page: Page, text: string) => page.getByRole("heading", { name: text, exact: true, level: 1 });

  it("selects conversations with x and Shift+X, resolves them with e and undoes that", async () => {
    const { page, problems, statuses } = await openInbox(5);
    await page.keyboard.press("j");
    await page.locator("[data-conversation]:focus").waitFor();
    await page.keyboard.press("x");
    await selected(page, "1 selected").waitFor();
    for (const number of [2, 3]) {
      await page.keyboard.press("j");
      await page.locator("[data-conversation]:focus", { hasText: `Question number ${number}?` }).waitFor();
    }
    await page.keyboard.press("Shift+X");
    await selected(page, "3 selected").waitFor();
    await site.picture(page, "dashboard-bulk-selected");
    await expectFit(page);
    await page.keyboard.press("e");
    await page.getByText("3 conversations resolved").waitFor();
    await page.getByRole("heading", { name: "2 conversations" }).waitFor();
    expect(await statuses("resolved")).toEqual(["Question number 1?", "Question number 2?", "Question number 3?"]);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("3 conversations restored").waitFor();
    await page.getByRole("heading", { name: "5 conversations" }).waitFor();
    expect(await statuses("resolved")).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("clears the selection with Escape and when another view is opened", async () => {
    const { page, problems } = await openInbox(2);
    await page.getByRole("link", { name: /Question number 1\?/ }).hover();
    await box(page, 1).check();
    await selected(page, "1 selected").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("heading", { name: "2 conversations" }).waitFor();
    await expect.poll(() => box(page, 1).isChecked()).toBe(false);
    await box(page, 1).check();
    await page.getByRole("tab", { name: "Resolved" }).click();
    await page.getByRole("heading", { name: "0 conversations" }).waitFor();
    await page.getByRole("tab", { name: "Open" }).click();
    await page.getByRole("heading", { name: "2 conversations" }).waitFor();
    await expect.poll(() => box(page, 1).isChecked()).toBe(false);
    expect(problems).toEqual([]);
  });

  it("tags, assigns, snoozes and marks as read what is selected", async () => {
    const { page, problems, agentId, statuses } = await openInbox(3);
    const choose = async (item: string) => {
      await box(page, 1).check();
      await box(page, 2).check();
      await page.getByRole("button", { name: "Actions for the selection" }).click();
      await page.getByRole("menuitem", { name: item }).click();
    };
    await choose("Add tag…");
    await page.getByRole("dialog", { name: "Add tag" }).waitFor();
    await page.keyboard.type("urgent");
    await page
      .getByRole("option", { name: /urgent/ })
      .first()
      .click();
    await page.getByText("2 conversations tagged").waitFor();
    await choose("Mark as read");
    await page.getByText("2 conversations marked as read").waitFor();
    await choose("Assign…");
    await page.getByRole("dialog", { name: "Assign 2 conversations" }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole("option", { name: /\(you\)/ }).click();
    await page.getByText("2 conversations assigned").waitFor();
    await site.call(page, "POST", "/teams", { name: "Harbour crew" });
    await page.reload();
    await page.getByRole("heading", { name: "3 conversations" }).waitFor();
    await choose("Assign…");
    await page.getByRole("option", { name: "Harbour crew" }).waitFor();
    await site.picture(page, "dashboard-bulk-assign");
    await page.keyboard.type("harbour");
    await page.getByRole("option", { name: "Harbour crew" }).click();
    await page.getByText("2 conversations assigned").waitFor();
    const { data: waiting } = await site.call(page, "GET", `/conversations?agentId=${agentId}&handler=waiting`);
    expect(waiting.map((one: { team: { name: string } }) => one.team.name)).toEqual(["Harbour crew", "Harbour crew"]);
    await choose("Assign…");
    await page.getByRole("option", { name: /\(you\)/ }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.getByText("2 conversations assigned").last().waitFor();
    await choose("Snooze…");
    await page.getByRole("dialog", { name: "Snooze 2 conversations" }).waitFor();
    await page.getByRole("button", { name: /Until tomorrow/ }).click();
    await page.getByText("2 conversations snoozed").waitFor();
    expect(await statuses("snoozed")).toEqual(["Question number 1?", "Question number 2?"]);
    const { data } = await site.call(page, "GET", `/conversations?agentId=${agentId}&status=snoozed`);
    const changes = data.map((one: { tags: { name: string }[]; handler: string; isUnread: boolean }) => [
      one.tags[0]?.name,
      one.handler,
      one.isUnread,
    ]);
    expect(changes).toEqual([
      ["urgent", "human", false],
      ["urgent", "human", false],
    ]);
    expect(problems).toEqual([]);
  });

  it("deletes everything that a filter finds, also what is not loaded, and restores it", async () => {
    const { page, problems, statuses } = await openInbox(130);
    await box(page, 1).check();
    await page.getByRole("button", { name: "All 130" }).click();
    await selected(page, "130 selected").waitFor();
    await page.getByRole("button", { name: "Actions for the selection" }).click();
    await page.getByRole("menuitem", { name: "Delete…" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete 130 conversations?" });
    await dialog.getByText("You can restore them from the trash").waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Delete 130 conversations" }).click();
    await page.getByText("130 conversations deleted").waitFor();
    expect(await statuses("open")).toEqual([]);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("130 conversations restored").waitFor();
    expect(await statuses("open")).toHaveLength(100);
    expect(problems).toEqual([]);
  });

  it("keeps the others selected when one is removed from everything", async () => {
    const { page } = await openInbox(3);
    await box(page, 1).check();
    await page.getByRole("button", { name: "All 3" }).click();
    await selected(page, "3 selected").waitFor();
    await box(page, 2).uncheck();
    await selected(page, "2 selected").waitFor();
    expect(await box(page, 2).isChecked()).toBe(false);
    expect(await box(page, 3).isChecked()).toBe(true);
  });

  it("shows the progress of an action that takes a while", async () => {
    const { page, problems } = await openInbox(2);
    await page.route("**/conversations/bulk/*", async (route) => {
      const response = await route.fetch();
      const { data } = await response.json();
      await route.fulfill({ json: { data: { ...data, state: "running", total: 2, done: 1 }, error: null } });
    });
    await box(page, 1).check();
    await box(page, 2).check();
    await page.getByRole("button", { name: "Resolve", exact: true }).click();
    await page.getByRole("progressbar", { name: "Resolving" }).waitFor();
    await page.getByText("1 of 2", { exact: true }).waitFor();
    await site.picture(page, "dashboard-bulk-progress");
    await expectFit(page);
    await page.unroute("**/conversations/bulk/*");
    await page.getByText("2 conversations resolved").waitFor();
    await page.getByRole("progressbar").waitFor({ state: "detached" });
    expect(problems).toEqual([]);
  });

  it("says why the server refuses an action, and keeps the selection", async () => {
    const { page } = await openInbox(2);
    const message = "Your organization already has 5 bulk actions that are not finished.";
    await page.route("**/conversations/bulk", (route) =>
      route.fulfill({ status: 429, json: { data: null, error: { code: "RATE_LIMITED", message } } }),
    );
    await box(page, 1).check();
    await page.getByRole("button", { name: "Resolve", exact: true }).click();
    await page.getByText(message).waitFor();
    await selected(page, "1 selected").waitFor();
  });

  it("selects by touch on a phone", async () => {
    const context = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
    const { page, problems, statuses } = await openInbox(3, { context });
    await page.getByRole("button", { name: "More actions" }).tap();
    await page.getByRole("menuitem", { name: "Select conversations" }).tap();
    await box(page, 1).tap();
    await box(page, 3).tap();
    await selected(page, "2 selected").waitFor();
    await expect.poll(() => measureOverflow(page)).toBe(0);
    expect(await accessibilityProblems(page)).toEqual([]);
    await site.picture(page, "dashboard-bulk-touch");
    await page.getByRole("button", { name: "Resolve", exact: true }).tap();
    await page.getByText("2 conversations resolved").waitFor();
    expect(await statuses("resolved")).toEqual(["Question number 1?", "Question number 3?"]);
    expect(problems).toEqual([]);
  });
});
