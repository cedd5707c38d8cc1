import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { accessibilityProblems } from "../test/browser.ts";
import { insertConversation } from "../test/conversation-seed.ts";
import { type DashboardSite, nextTurn, startDashboardSite } from "../test/dashboard-site.ts";
import { createMember } from "../test/session-client.ts";

describe("members who work in the inbox", () => {
  let site: DashboardSite;
  let agentId: string;
  beforeAll(async () => {
    site = await startDashboardSite();
    const { page } = await site.signIn();
    await page.context().close();
  });
  afterAll(() => site.stop());

  async function insertAll(count: number) {
    const { page } = await site.signIn();
    const created = await site.call(page, "POST", "/agents", { name: "Harbour", handoff: { isEnabled: true } });
    agentId = created.data.id;
    await page.context().close();
    const ids: string[] = [];
    for (let number = 0; number < count; number++) ids.push(await insert({ title: `Question ${number}` }));
    return ids;
  }
  const insert = (fields: object, said: Array<{ content: string }> = [{ content: "Hello?" }]) =>
    insertConversation(site.server.deps.db, { organizationId: site.owner.organizationId, agentId }, fields, said);
  const visit = (rest = "?view=open&scope=agent", options = {}) =>
    site.open(`/agents/${agentId}/conversations${rest}`, options);
  const listed = async (page: Page, status: string) =>
    (await site.call(page, "GET", `/conversations?agentId=${agentId}&status=${status}&limit=100`)).data.length;
  const press = (page: Page, init: object) =>
    page.evaluate((keys) => {
      const event = new KeyboardEvent("keydown", { bubbles: true, cancelable: true, ...keys });
      (document.activeElement ?? document.body).dispatchEvent(event);
    }, init);
  const openFirst = async (page: Page) => {
    await page.locator("[data-conversation]").first().waitFor();
    await nextTurn(page);
    await page.keyboard.press("j");
    await expect.poll(() => page.evaluate(() => document.activeElement?.hasAttribute("data-conversation"))).toBe(true);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: /Question/, level: 2 }).waitFor();
  };

  it.each([
    ["the key e", (page: Page) => page.keyboard.down("e")],
    [
      "Enter on the button",
      async (page: Page) => {
        await page.getByRole("button", { name: "Resolve", exact: true }).focus();
        await page.keyboard.down("Enter");
      },
    ],
  ])("resolve one conversation while they hold %s", async (name, down) => {
    await insertAll(5);
    const { page } = await visit();
    await openFirst(page);
    await down(page);
    await expect.poll(() => listed(page, "resolved")).toBe(1);
    for (let repeat = 0; repeat < 20; repeat++) {
      await page.keyboard.down(name === "the key e" ? "e" : "Enter");
      await nextTurn(page);
    }
    expect(await listed(page, "resolved")).toBe(1);
  });

  it.each([
    ["Cyrillic", { key: "у", code: "KeyE" }],
    ["Greek", { key: "ε", code: "KeyE" }],
    ["Caps Lock", { key: "E", code: "KeyE" }],
  ])("resolve with the key of e on a keyboard with %s", async (_name, key) => {
    await insertAll(2);
    const { page } = await visit();
    await openFirst(page);
    await press(page, key);
    await expect.poll(() => listed(page, "resolved")).toBe(1);
  });

  it("can undo a single resolution, which gives the conversation back to them", async () => {
    const [id] = await insertAll(1);
    const { page } = await visit(`/${id}`);
    await page.getByRole("button", { name: "Take over" }).click();
    await page.getByRole("button", { name: "Resolve", exact: true }).click();
    await page.getByRole("button", { name: "Undo" }).click();
    const standing = async () => {
      const { status, handler } = (await site.call(page, "GET", `/conversations/${id}`)).data;
      return `${status} ${handler}`;
    };
    await expect.poll(standing).toBe("open human");
  });

  const isInView = (element: Locator) =>
    element.evaluate((node) => {
      const { top, bottom } = node.getBoundingClientRect();
      const section = node.closest("section[aria-label=Messages]")?.getBoundingClientRect();
      return section !== undefined && top >= section.top - 1 && bottom <= section.bottom + 1;
    });
  const said = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ content: `Message ${at + 1}. ${"More of it. ".repeat(8)}` }));

  it.each([30, 400])("see the end of a conversation of %i messages that nobody has read", async (count) => {
    await insertAll(0);
    const id = await insert({ title: "Question" }, said(count));
    const { page } = await visit(`/${id}`);
    // The visitor's last message. The agent's reply is below it.
    await expect.poll(() => isInView(page.getByText(`Message ${count - 1}.`))).toBe(true);
  });

  it.each([30, 400])("see the first unread of %i messages below a line", async (count) => {
    await insertAll(0);
    const createdAt = Date.now() - 100_000_000;
    const readAt = createdAt + 9.5 * 40_000;
    const id = await insert({ title: "Question", createdAt, readAt }, said(count));
    const { page } = await visit(`/${id}`);
    await expect.poll(() => isInView(page.getByText("Message 11."))).toBe(true);
    await page.getByText("New", { exact: true }).waitFor();
    await site.picture(page, `inbox-unread-${count}`);
  });

  it("keep the page where it is on a phone when they take a conversation over", async () => {
    const ids = await insertAll(30);
    const { page } = await visit(`/${ids[0]}?view=open&scope=agent`, {
      context: { viewport: { width: 390, height: 844 } },
    });
    await page.getByRole("button", { name: "Take over" }).click();
    await page.getByLabel("Message to the visitor").waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe("TEXTAREA");
    const scroll = await page.evaluate(() => [scrollY, (document.scrollingElement?.scrollHeight ?? 0) - innerHeight]);
    expect(scroll).toEqual([0, 0]);
    await site.picture(page, "inbox-phone-taken");
  });

  it("say that they are away, which the inbox shows until they are back", async () => {
    await insertAll(1);
    const { page, problems } = await visit();
    await page.getByRole("button", { name: /Account menu/ }).click();
    await page.getByRole("menuitem", { name: "Set yourself away" }).click();
    await page.getByText("You are away.").waitFor();
    await site.picture(page, "inbox-away");
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole("button", { name: "I’m back" }).click();
    await page.getByText("You are away.").waitFor({ state: "detached" });
    expect(problems).toEqual([]);
  });

  it("mention a colleague in a note with the keyboard", async () => {
    const { userId } = await createMember(site.server, site.owner.organizationId, "member");
    const { db } = site.server.deps;
    await db.updateTable("users").set({ name: "Mara Lind" }).where("id", "=", userId).execute();
    const [id] = await insertAll(1);
    const { page, problems } = await visit(`/${id}`);
    await page.getByRole("button", { name: "Add an internal note" }).click();
    const note = page.getByLabel("Internal note", { exact: true });
    await note.pressSequentially("Can you look, @ma");
    await page.getByRole("option", { name: /Mara Lind/ }).waitFor();
    await site.picture(page, "inbox-mention");
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await expect.poll(() => note.inputValue()).toBe("Can you look, @Mara Lind ");
    await page.keyboard.press("Enter");
    await page.getByText("Notified: Mara Lind").waitFor();
    expect(problems).toEqual([]);
  });
});
