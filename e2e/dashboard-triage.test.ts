import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { accessibilityProblems, measureOverflow } from "../test/browser.ts";
import { insertConversation } from "../test/conversation-seed.ts";
import { type DashboardSite, startDashboardSite } from "../test/dashboard-site.ts";

const COUNT = 20;
const phone = { width: 390, height: 844 };

describe("triage in the inbox", () => {
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

  const heading = (page: Page, number: number) =>
    page.getByRole("heading", { name: `Question number ${number}?`, exact: true, level: 2 });

  it("sends a canned reply with its actions, and sends and resolves with one key", async () => {
    const { page, problems } = await site.signIn();
    const agentId = await createAgent(page, 2);
    await page.goto(`${site.server.url}/dashboard/settings/canned-replies`);
    await page.getByRole("button", { name: "Create canned reply" }).click();
    const dialog = page.getByRole("dialog", { name: "Create canned reply" });
    await dialog.getByLabel("Name").fill("Money back");
    await dialog.getByLabel("Text").fill("{{member.name}} here: the question about {{order.id}} is answered.");
    await dialog.getByLabel("Conversation after sending").selectOption("Snooze it for 3 hours");
    await site.picture(page, "macro-dialog");
    expect(await accessibilityProblems(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Create canned reply" }).click();
    await page.getByText("Canned reply created").waitFor();

    await page.goto(`${site.server.url}/dashboard/agents/${agentId}/conversations?view=open&scope=agent`);
    await page.getByRole("heading", { name: "2 conversations" }).waitFor();
    await page.keyboard.press("j");
    await page.locator("[data-conversation]:focus").waitFor();
    await page.keyboard.press("Enter");
    await heading(page, 1).waitFor();
    await page.keyboard.press("t");
    const field = page.getByLabel("Message to the visitor");
    await expect.poll(() => field.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.type("/answered question");
    await page.getByRole("option", { name: /Money back/ }).waitFor();
    await site.picture(page, "macro-menu");
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await page.getByText("After sending: snooze for 3 hours").waitFor();
    await page.getByText("Not filled in: {{order.id}}.").waitFor();
    await site.picture(page, "macro-composer");
    for (const colorScheme of ["dark", "light"] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await accessibilityProblems(page)).toEqual([]);
    }
    await page.setViewportSize({ width: 390, height: 844 });
    await expect.poll(() => measureOverflow(page)).toBe(0);
    await page.setViewportSize({ width: 1280, height: 800 });
    await field.focus();
    await page.keyboard.press("Enter");

    await heading(page, 2).waitFor();
    await page.keyboard.press("t");
    await expect.poll(() => field.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.type("Done");
    await page.keyboard.press("Control+Enter");
    await page.getByText("No open conversations").waitFor();
    const list = (status: string) => site.call(page, "GET", `/conversations?agentId=${agentId}&status=${status}`);
    expect((await list("snoozed")).data).toHaveLength(1);
    expect((await list("resolved")).data).toHaveLength(1);
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it("says that what happens after sending could not be loaded, and loads it again", async () => {
    const { page } = await site.signIn();
    const agentId = await createAgent(page, 1);
    const { data } = await site.call(page, "GET", `/conversations?agentId=${agentId}`);
    const [tag] = (await site.call(page, "POST", `/conversations/${data[0].id}/tags`, { name: "refund" })).data;
    const actions = { tagIds: [tag.id], resolve: true };
    await site.call(page, "POST", "/canned-replies", { name: "Refunded", text: "You have it back.", actions });
    await site.call(page, "POST", `/conversations/${data[0].id}/takeover`, {});
    await page.route("**/tags", (route) => route.fulfill({ status: 500, body: "" }));
    await page.goto(`${site.server.url}/dashboard/agents/${agentId}/conversations/${data[0].id}`);
    await page.getByLabel("Message to the visitor").fill("/refunded");
    await page.getByRole("option", { name: /Refunded/ }).click();
    await page.getByText("After sending: tag …, resolve").waitFor();
    const alert = page.getByRole("alert").filter({ hasText: "Some names could not be loaded." });
    await alert.waitFor();
    await site.picture(page, "macro-not-loaded");
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.unroute("**/tags");
    await alert.getByRole("button", { name: "Try again" }).click();
    await page.getByText("After sending: tag refund, resolve").waitFor();
    await page.context().close();
  });

  it("reads, answers, tags and resolves twenty conversations with the keyboard alone", async () => {
    const { page, problems } = await site.signIn();
    const agentId = await createAgent(page, COUNT);
    await page.goto(`${site.server.url}/dashboard/agents/${agentId}/conversations?view=open&scope=agent`);
    await page.getByRole("heading", { name: `${COUNT} conversations` }).waitFor();
    await page.keyboard.press("j");
    await page.locator("[data-conversation]:focus").waitFor();
    await page.keyboard.press("Enter");
    for (let number = 1; number <= COUNT; number++) {
      await heading(page, number).waitFor();
      await page.keyboard.press("t");
      const field = page.getByLabel("Message to the visitor");
      await expect.poll(() => field.evaluate((element) => element === document.activeElement)).toBe(true);
      await page.keyboard.type(`Answer ${number}`);
      await page.keyboard.press("Enter");
      await page.getByRole("region", { name: "Messages" }).getByText(`Answer ${number}`, { exact: true }).waitFor();
      await page.keyboard.press("Escape");
      await page.keyboard.press("g");
      await page.getByRole("dialog", { name: "Add tag" }).waitFor();
      await page.keyboard.type("triaged");
      await page
        .getByRole("option", { name: /triaged/ })
        .first()
        .waitFor();
      await page.keyboard.press("Enter");
      await page.getByRole("dialog", { name: "Add tag" }).waitFor({ state: "detached" });
      await page.getByRole("button", { name: "Remove the tag triaged" }).waitFor();
      await page.keyboard.press("e");
    }
    await page.getByText("No open conversations").waitFor();
    const { data } = await site.call(page, "GET", `/conversations?agentId=${agentId}&status=resolved&limit=100`);
    const states = data.map(({ tags, messageCount }: { tags: { name: string }[]; messageCount: number }) => [
      tags[0]?.name,
      messageCount,
    ]);
    expect(states).toEqual(Array.from({ length: COUNT }, () => ["triaged", 3]));
    expect(problems).toEqual([]);
  });

  it("resolves, snoozes and opens conversations again on a phone", async () => {
    const { page, problems } = await site.signIn();
    await page.setViewportSize({ width: 390, height: 844 });
    const agentId = await createAgent(page, 3);
    await page.goto(`${site.server.url}/dashboard/agents/${agentId}/conversations?view=open&scope=agent`);
    await page.getByRole("link", { name: /Question number 1\?/ }).click();
    await heading(page, 1).waitFor();
    await page.getByRole("button", { name: "Resolve", exact: true }).click();
    await heading(page, 2).waitFor();
    await expect.poll(() => measureOverflow(page)).toBe(0);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole("button", { name: "Assign, tag, snooze or close" }).click();
    await page.getByRole("menuitem", { name: "Snooze…" }).click();
    await page.getByRole("dialog", { name: "Snooze conversation" }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole("button", { name: /Until tomorrow/ }).click();
    await heading(page, 3).waitFor();
    await page.goto(`${site.server.url}/dashboard/agents/${agentId}/conversations?view=snoozed`);
    await page.getByRole("link", { name: /Question number 2\?/ }).click();
    await page.getByText(/Snoozed until/).waitFor();
    await page.getByRole("button", { name: "Open again" }).click();
    await page.getByRole("button", { name: "Resolve", exact: true }).waitFor();
    const { data } = await site.call(page, "GET", `/conversations?agentId=${agentId}&status=open`);
    expect(data).toHaveLength(2);
    expect(problems).toEqual([]);
  });

  it("reads, answers, tags and resolves twenty conversations on a phone with one thumb", async () => {
    const { page, problems } = await site.signIn({ context: { viewport: phone, hasTouch: true, isMobile: true } });
    const agentId = await createAgent(page, COUNT);
    await page.goto(`${site.server.url}/dashboard/agents/${agentId}/conversations?view=open&scope=agent`);
    /** Taps what is large enough for a thumb. `within` is how much of the screen, from its lower end, it can be in. */
    const tap = async (target: Locator, within = 1) => {
      await target.waitFor();
      const box = await target.boundingBox();
      const middle = (box?.y ?? 0) + (box?.height ?? 0) / 2;
      expect([Math.min(box?.width ?? 0, box?.height ?? 0) >= 44, middle >= phone.height * (1 - within)]).toEqual([
        true,
        true,
      ]);
      await target.tap();
    };
    await tap(page.getByRole("link", { name: /Question number 1\?/ }));
    for (let number = 1; number <= COUNT; number++) {
      await heading(page, number).waitFor();
      await tap(page.getByRole("button", { name: "Take over" }), 0.3);
      await tap(page.getByLabel("Message to the visitor"), 0.3);
      await page.keyboard.insertText(`Answer ${number}`);
      await tap(page.getByRole("button", { name: "Send" }), 0.3);
      await page.getByRole("region", { name: "Messages" }).getByText(`Answer ${number}`, { exact: true }).waitFor();
      await tap(page.getByRole("button", { name: "Assign, tag, snooze or close" }), 0.5);
      if (number === 1) await site.picture(page, "triage-phone-menu");
      await tap(page.getByRole("menuitem", { name: "Add tag…" }), 0.6);
      const dialog = page.getByRole("dialog", { name: "Add tag" });
      if (number === 1) await dialog.getByLabel("Find or create a tag").fill("triaged");
      if (number === 1) await site.picture(page, "triage-phone-tag");
      await tap(dialog.getByRole("option", { name: /triaged/ }).first());
      await dialog.waitFor({ state: "detached" });
      const tag = page.getByRole("button", { name: "Remove the tag triaged" });
      await tag.waitFor();
      if (number === 1) {
        // The list is below the conversation on a phone, and nothing of it shows through.
        expect(await page.locator("[data-conversation] *").filter({ visible: true }).count()).toBe(0);
        expect((await tag.boundingBox())?.height).toBeGreaterThanOrEqual(44);
        expect(await accessibilityProblems(page)).toEqual([]);
        await site.picture(page, "triage-phone");
      }
      await tap(page.getByRole("button", { name: "Resolve", exact: true }), 0.5);
    }
    await page.getByText("No open conversations").waitFor();
    const { data } = await site.call(page, "GET", `/conversations?agentId=${agentId}&status=resolved&limit=100`);
    const states = data.map(({ tags, messageCount }: { tags: { name: string }[]; messageCount: number }) => [
      tags[0]?.name,
      messageCount,
    ]);
    expect(states).toEqual(Array.from({ length: COUNT }, () => ["triaged", 3]));
    expect(problems).toEqual([]);
  });
});
