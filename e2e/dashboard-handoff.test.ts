import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { accessibilityProblems, measureOverflow } from "../test/browser.ts";
import { insertConversation } from "../test/conversation-seed.ts";
import { type DashboardSite, startDashboardSite } from "../test/dashboard-site.ts";

describe("the dashboard during a handoff", () => {
  let site: DashboardSite;
  let agentId: string;
  let colleague: string;
  beforeAll(async () => {
    site = await startDashboardSite();
    const { db } = site.server.deps;
    colleague = await site.addMember("member");
    await db.updateTable("users").set({ name: "Grace Hopper" }).where("email", "=", colleague).execute();
    await db.updateTable("users").set({ name: "Ada Lovelace" }).where("email", "=", site.owner.email).execute();
    const { page } = await site.signIn();
    const agent = { name: "Harbour", handoff: { isEnabled: true } };
    agentId = (await site.call(page, "POST", "/agents", agent)).data.id;
    await page.context().close();
  });
  afterAll(() => site.stop());

  /** @returns the id of a conversation whose visitor is waiting for a person */
  async function ask(page: Page, content: string) {
    const owner = { organizationId: site.owner.organizationId, agentId };
    const visitor = { userName: "Lin Chen", userEmail: "lin@shop.example", createdAt: Date.now() - 60_000 };
    const sayings = [{ content }, { content: "I will ask a colleague." }];
    const id = await insertConversation(site.server.deps.db, owner, visitor, sayings);
    await site.call(page, "POST", `/conversations/${id}/handoff`, { reason: "The invoice is wrong" });
    return id;
  }

  it("edits, saves and reloads an agent's handoff settings", async () => {
    const { page, problems } = await site.signIn();
    const agent = (await site.call(page, "POST", "/agents", { name: "Harbour" })).data;
    await page.goto(`${site.server.url}/dashboard/agents/${agent.id}/handoff`);
    await page.getByRole("switch", { name: "Let Harbour hand over to people" }).click();
    await page.getByLabel("While a visitor waits").selectOption("silent");
    await page.getByLabel("Reply time (minutes)").fill("10");
    await page.getByRole("switch", { name: "Set office hours" }).click();
    await page.getByLabel("Time zone").selectOption("Europe/Zurich");
    await page.getByRole("switch", { name: "Saturday" }).click();
    await page.getByLabel("Saturday, until").fill("12:30");
    await page.getByRole("button", { name: "Add a span on Monday" }).click();
    await page.getByRole("button", { name: "Add exception" }).click();
    await page.getByLabel("Exception 1, date").fill("2026-12-25");
    await page.getByLabel("Bad ratings").fill("2");
    await page.getByRole("button", { name: "Add event" }).click();
    await page.getByLabel("Event 1", { exact: true }).fill("checkout_failed");
    await page.getByLabel("Add a member").selectOption({ label: "Grace Hopper" });
    await page.getByLabel("Add a member").selectOption({ label: "Ada Lovelace" });
    await page.getByRole("button", { name: "Move Ada Lovelace up" }).click();
    await site.picture(page, "handoff-settings");
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved", { exact: true }).waitFor();
    const { handoff } = (await site.call(page, "GET", `/agents/${agent.id}`)).data;
    expect(handoff).toMatchObject({
      isEnabled: true,
      hasButton: true,
      whileWaiting: "silent",
      promiseMinutes: 10,
      badRatings: 2,
      failedTools: null,
      events: ["checkout_failed"],
    });
    expect(handoff.escalation).toHaveLength(2);
    expect(handoff.escalation[0]).toBe(site.owner.userId);
    expect(handoff.hours).toMatchObject({
      timeZone: "Europe/Zurich",
      exceptions: [{ date: "2026-12-25", from: null, to: null }],
    });
    expect(handoff.hours.days.filter(({ day }: { day: number }) => day === 1)).toHaveLength(2);
    expect(handoff.hours.days.at(-1)).toEqual({ day: 6, from: "09:00", to: "12:30" });
    await page.reload();
    await page.getByLabel("Saturday, until").waitFor();
    await expect.poll(() => page.getByLabel("Reply time (minutes)").inputValue()).toBe("10");
    await page.setViewportSize({ width: 390, height: 844 });
    await expect.poll(() => measureOverflow(page)).toBe(0);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it("lets a member take over a waiting conversation, answer with a canned reply, add a note and return it", async () => {
    const { page, problems } = await site.signIn();
    await site.call(page, "POST", "/canned-replies", {
      name: "Refund",
      text: "Hello {{visitor.name}}, it is on its way.",
    });
    await page.goto(`${site.server.url}/dashboard/agents/${agentId}/conversations?view=waiting`);
    await page.getByText("Nobody is waiting").waitFor();
    // All changes from here on are pushed to the page.
    const id = await ask(page, "My invoice is wrong");
    const row = page.getByRole("link", { name: /My invoice is wrong.*Waiting/ });
    await row.waitFor();
    await page.getByRole("link", { name: "Conversations 1 waiting" }).waitFor();
    await expect.poll(() => page.title()).toBe("(1) Conversations · Foyer");
    await site.picture(page, "handoff-waiting");
    await row.click();
    await page.getByText("The visitor asked for a person").first().waitFor();
    await site.picture(page, "handoff-requested");
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole("heading", { name: "My invoice is wrong", level: 2 }).focus();
    await page.keyboard.press("t");
    const field = page.getByLabel("Message to the visitor");
    await field.fill("/ref");
    await page.getByRole("option", { name: /Refund/ }).waitFor();
    await site.picture(page, "handoff-canned");
    expect(await accessibilityProblems(page)).toEqual([]);
    await field.press("Enter");
    await expect.poll(() => field.inputValue()).toBe("Hello Lin Chen, it is on its way.");
    await field.press("Enter");
    await page.getByRole("article").filter({ hasText: "Ada Lovelace" }).getByText("it is on its way").waitFor();
    await expect.poll(() => field.inputValue()).toBe("");
    await page.getByRole("button", { name: "Suggest an answer" }).click();
    await expect.poll(() => field.inputValue()).not.toBe("");
    await field.fill("");

    await page.getByRole("radio", { name: "Internal note" }).check();
    await page.getByLabel("Internal note", { exact: true }).last().fill("Refunded in full");
    await page.getByRole("button", { name: "Add note" }).click();
    await page.getByText("visible to your team only").first().waitFor();
    await expect.poll(() => field.evaluate((element) => element === document.activeElement)).toBe(true);
    await site.picture(page, "handoff-mine");
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    await expect.poll(() => measureOverflow(page)).toBe(0);

    await page.getByRole("button", { name: "Return to agent" }).click();
    await page.getByLabel("Note for Harbour").fill("Do not offer another refund");
    await site.picture(page, "handoff-return");
    await page.getByRole("dialog").getByRole("button", { name: "Return to agent" }).click();
    await page.getByText("Harbour answers this conversation.").waitFor();
    await page.getByText("Ada Lovelace returned the conversation to Harbour").waitFor();
    await page.getByText("Note for Harbour, not visible to the visitor").waitFor();
    const { data } = await site.call(page, "GET", `/conversations/${id}`);
    expect(data).toMatchObject({ handler: "agent", assignee: null });
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it("moves the focus to the message field after a takeover unless the member has moved it elsewhere", async () => {
    const { page } = await site.signIn();
    const ids = [await ask(page, "The light is broken"), await ask(page, "The bell is broken")];
    const takeOver = page.getByRole("button", { name: "Take over" });
    const field = page.getByLabel("Message to the visitor");
    const search = page.getByRole("searchbox");
    const isFocused = (element: Locator) => element.evaluate((element) => element === document.activeElement);
    await page.goto(`${site.server.url}/dashboard/agents/${agentId}/conversations/${ids[0]}`);
    await takeOver.click();
    await field.waitFor();
    await expect.poll(() => isFocused(field)).toBe(true);

    await page.goto(`${site.server.url}/dashboard/agents/${agentId}/conversations/${ids[1]}`);
    await page.route("**/takeover", async (route) => {
      await search.focus();
      await route.continue();
    });
    await takeOver.click();
    await field.waitFor();
    expect(await isFocused(search)).toBe(true);
    await page.context().close();
  });

  it("shows that a colleague has taken a conversation over and is typing, and lets a member have it assigned", async () => {
    const { page } = await site.signIn();
    const id = await ask(page, "Where is my order?");
    await page.goto(`${site.server.url}/dashboard/agents/${agentId}/conversations/${id}`);
    await page.getByRole("button", { name: "Take over" }).waitFor();
    const other = await site.signIn({ email: colleague });
    await site.call(other.page, "POST", `/conversations/${id}/takeover`);
    await page.getByText("Grace Hopper has this conversation.", { exact: true }).waitFor();
    await site.call(other.page, "POST", `/conversations/${id}/typing`);
    await page.getByText("Grace Hopper is typing…").waitFor();
    await site.call(other.page, "POST", `/conversations/${id}/messages`, { content: "It leaves today." });
    await page.getByRole("article").filter({ hasText: "Grace Hopper" }).getByText("It leaves today.").waitFor();
    await page.getByRole("button", { name: "Assign, tag, snooze or close" }).waitFor();
    await site.picture(page, "handoff-other");
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole("button", { name: "Assign to me" }).click();
    await page.getByText("You have this conversation.").waitFor();
    await page.keyboard.press("a");
    await page.getByLabel("Find a member").fill("grace");
    await page.getByRole("option", { name: /Grace Hopper/ }).waitFor();
    await site.picture(page, "handoff-assign");
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await page.getByText("Grace Hopper has this conversation.", { exact: true }).waitFor();
    // Disabled until the assignment is complete.
    await page.getByRole("button", { name: "Assign, tag, snooze or close" }).click();
    await page.getByRole("menuitem", { name: "Close" }).click();
    await page.getByText("Harbour answers this conversation.").waitFor();
    await page.getByText("Ada Lovelace closed the conversation").waitFor();
    await other.page.context().close();
    await page.context().close();
  });

  it("reports a lost connection, and removes a deleted conversation from the waiting list and from its open page", async () => {
    const { page } = await site.signIn();
    await page.goto(`${site.server.url}/dashboard/agents/${agentId}/conversations?view=waiting`);
    await page.getByText("Nobody is waiting").waitFor();
    // Ends the connection. The next ones fail.
    await page.route("**/inbox/events", (route) => route.abort());
    const reconnect = () => page.evaluate(() => dispatchEvent(new Event("online")));
    await reconnect();
    const isLost = page.getByText("Connection lost. Reconnecting…").filter({ visible: true });
    await isLost.waitFor();
    await site.picture(page, "handoff-connection-lost");
    await page.unroute("**/inbox/events");
    await reconnect();
    await expect.poll(() => isLost.count()).toBe(0);
    const id = await ask(page, "Please delete this");
    await page.getByRole("link", { name: /Please delete this/ }).click();
    await page.getByRole("button", { name: "Take over" }).waitFor();
    await site.call(page, "DELETE", `/conversations/${id}`);
    await page.getByText("Nobody is waiting").waitFor();
    await page.getByRole("heading", { name: "This conversation was deleted" }).waitFor();
    await expect.poll(() => page.getByRole("button", { name: "Take over" }).count()).toBe(0);
    await site.picture(page, "handoff-deleted");
    await page.context().close();
  });
});
