import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { maxInboxTotal } from "../packages/contract/src/rules/limits.ts";
import { accessibilityProblems, measureOverflow } from "../test/browser.ts";
import { insertConversation } from "../test/conversation-seed.ts";
import { type DashboardSite, startDashboardSite } from "../test/dashboard-site.ts";

describe("the tabs of the inbox", () => {
  let site: DashboardSite;
  let agentId: string;
  let ids: { unread: string; read: string };
  beforeAll(async () => {
    site = await startDashboardSite();
    const { page } = await site.signIn();
    const create = async (name: string) =>
      (await site.call(page, "POST", "/agents", { name, handoff: { isEnabled: true } })).data.id as string;
    agentId = await create("Harbour");
    const otherId = await create("Workshop");
    const now = Date.now();
    let minutes = 0;
    const insert = (title: string, agent: string, fields: object = {}) => {
      minutes += 1;
      const createdAt = now - minutes * 60_000;
      const preview = { lastMessageRole: "user", lastMessagePreview: title, lastMessageAt: createdAt } as const;
      const row = { createdAt, updatedAt: createdAt, readAt: now, ...preview, ...fields };
      return insertConversation(
        site.server.deps.db,
        { organizationId: site.owner.organizationId, agentId: agent },
        row,
        [{ content: title }],
      );
    };
    ids = {
      unread: await insert("Is the cargo bike in stock?", agentId, { readAt: null }),
      read: await insert("Can you true a wheel?", otherId),
    };
    await insert("Thanks, that worked", agentId, { status: "resolved" });
    await insert("Ask me next week", agentId, { status: "snoozed", snoozedUntil: now + 86_400_000 });
    const waiting = await insert("I want to talk to a person", otherId);
    await site.call(page, "POST", `/conversations/${waiting}/handoff`, {});
    const mine = await insert("My order is late", agentId);
    await site.call(page, "POST", `/conversations/${mine}/takeover`);
    await page.context().close();
  });
  afterAll(() => site.stop());

  const tabs = (page: Page) => page.getByRole("tablist", { name: "Inbox" }).getByRole("tab");
  const labels = async (page: Page) =>
    (await tabs(page).allInnerTexts()).map((text) => text.replace(/\s+/g, " ").trim());
  const open = async (view = "", width = 1440) => {
    const opened = await site.open(`/agents/${agentId}/conversations${view && `?view=${view}`}`, {
      context: { viewport: { width, height: 844 } },
    });
    await opened.page.getByRole("tab", { name: "Waiting 1" }).waitFor();
    return opened;
  };

  it("count the conversations of all agents, and follow what colleagues do", async () => {
    const { page, problems } = await open();
    await expect
      .poll(() => labels(page))
      .toEqual(["Waiting 1", "Mine 1", "Unread 1", "Open 4", "Snoozed 1", "Resolved 1"]);
    await site.call(page, "POST", `/conversations/${ids.unread}/read`);
    await page.getByRole("tab", { name: "Unread 0" }).waitFor();
    await site.call(page, "POST", `/conversations/${ids.read}/resolve`);
    await expect
      .poll(() => labels(page))
      .toEqual(["Waiting 1", "Mine 1", "Unread 0", "Open 3", "Snoozed 1", "Resolved 2"]);
    await site.call(page, "POST", `/conversations/${ids.read}/reopen`);
    await page.getByRole("tab", { name: "Open 4" }).waitFor();
    await page.getByRole("tab", { name: "Open" }).click();
    await page.getByRole("heading", { name: "4 conversations" }).waitFor();
    await site.picture(page, "inbox-tabs");
    for (const colorScheme of ["dark", "light"] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await accessibilityProblems(page)).toEqual([]);
    }
    expect(problems).toEqual([]);
  });

  it("fit every width without being cut off, with the longest counts", async () => {
    const { page } = await open("open");
    // The stream of the page is the only source of counts, so the longest ones come from the database.
    const owner = { organizationId: site.owner.organizationId, agentId };
    const now = Date.now();
    const unread = { lastMessageRole: "user", lastMessagePreview: "Hello", lastMessageAt: now } as const;
    const added: string[] = [];
    for (let count = 0; count < maxInboxTotal; count++) {
      const status = count % 2 === 0 ? "open" : "resolved";
      added.push(await insertConversation(site.server.deps.db, owner, { ...unread, status }, [{ content: "Hello" }]));
    }
    await site.call(page, "POST", `/conversations/${ids.read}/resolve`);
    await page.getByRole("tab", { name: "Unread 999+" }).waitFor();
    for (const width of [320, 360, 390, 396, 768, 1024, 1280, 1440]) {
      await page.setViewportSize({ width, height: 844 });
      await expect.poll(() => measureOverflow(page), { message: `${width} px` }).toBe(0);
      const list = await page.getByRole("tablist", { name: "Inbox" }).boundingBox();
      const boxes = await Promise.all((await tabs(page).all()).map((tab) => tab.boundingBox()));
      for (const [at, box] of boxes.entries()) {
        const next = boxes[at + 1]?.x ?? (list?.x ?? 0) + (list?.width ?? 0);
        expect((box?.x ?? 0) + (box?.width ?? 0), `tab ${at} at ${width} px`).toBeLessThanOrEqual(next);
        expect(box?.height, `${width} px`).toBeGreaterThanOrEqual(44);
      }
      if (width === 320 || width === 390 || width === 768) await site.picture(page, `inbox-tabs-${width}`);
    }
    await site.server.deps.db.deleteFrom("conversations").where("id", "in", added).execute();
    await site.call(page, "POST", `/conversations/${ids.read}/reopen`);
  });

  it("are reached with Tab once and changed with the arrow keys", async () => {
    const { page } = await open("mine");
    await page.getByRole("tab", { name: "Mine" }).focus();
    const expectTab = async (name: string, view: string) => {
      await expect.poll(() => page.url()).toContain(`view=${view}`);
      await page.getByRole("tab", { name, selected: true }).waitFor();
      expect(await page.evaluate(() => document.activeElement?.textContent)).toContain(name);
    };
    await page.keyboard.press("ArrowRight");
    await expectTab("Unread", "unread");
    await page.keyboard.press("End");
    await expectTab("Resolved", "resolved");
    await page.keyboard.press("ArrowRight");
    await expectTab("Waiting", "waiting");
    await page.keyboard.press("ArrowLeft");
    await expectTab("Resolved", "resolved");
    expect(await tabs(page).evaluateAll((all) => all.map((tab) => (tab as HTMLElement).tabIndex))).toEqual([
      -1, -1, -1, -1, -1, 0,
    ]);
  });

  it("leave the lists that have none to the filters, where each can be opened and removed", async () => {
    const { page, problems } = await open("", 390);
    await page.getByRole("button", { name: "Filters" }).click();
    await page.getByRole("combobox", { name: "Show", exact: true }).selectOption("With the team");
    await page.getByRole("button", { name: /^With the team/ }).waitFor();
    await page.getByRole("link", { name: /My order is late/ }).waitFor();
    await site.picture(page, "inbox-tabs-filters");
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press("Escape");
    expect(await page.getByRole("tab", { selected: true }).count()).toBe(0);
    await page.getByRole("button", { name: /^With the team/ }).click();
    await expect.poll(() => page.url()).not.toContain("view=");
    await page.getByRole("tab", { name: "Open" }).click();
    await page.getByRole("link", { name: /Can you true a wheel/ }).waitFor();
    await page.getByRole("button", { name: "Filters" }).click();
    await page.getByRole("combobox", { name: "Agent", exact: true }).selectOption("Only this agent");
    await page.getByRole("link", { name: /Can you true a wheel/ }).waitFor({ state: "detached" });
    expect(problems).toEqual([]);
  });

  it("begin with what is open, and are kept for the next visit", async () => {
    const { page } = await open();
    await page.getByRole("tab", { name: "Open", selected: true }).waitFor();
    await page.getByRole("link", { name: /Thanks, that worked/ }).waitFor({ state: "detached" });
    await page.getByRole("tab", { name: "Snoozed" }).click();
    await page.getByRole("link", { name: /Ask me next week/ }).waitFor();
    await page.goto(`${site.server.url}/dashboard/agents/${agentId}/embed`);
    await page.getByRole("link", { name: /^Conversations/ }).click();
    await page.getByRole("tab", { name: "Snoozed", selected: true }).waitFor();
  });

  it("leave resolved and snoozed conversations recognizable among open ones", async () => {
    const { page } = await open("all");
    await page.getByRole("link", { name: /Thanks, that worked.*resolved/ }).waitFor();
    await page.getByRole("link", { name: /Ask me next week.*snoozed until/ }).waitFor();
    expect(await page.getByRole("link", { name: /resolved|snoozed/ }).count()).toBe(2);
    await site.picture(page, "inbox-states");
  });
});
