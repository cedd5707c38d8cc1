import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { accessibilityProblems, expectFit } from "../test/browser.ts";
import { insertConversation } from "../test/conversation-seed.ts";
import { type DashboardSite, startDashboardSite } from "../test/dashboard-site.ts";

describe("the trash in the dashboard", () => {
  let site: DashboardSite;
  let agentId: string;
  beforeAll(async () => {
    site = await startDashboardSite();
    const { page } = await site.signIn();
    agentId = (await site.call(page, "POST", "/agents", { name: "Harbour" })).data.id;
    await page.context().close();
  });
  afterAll(() => site.stop());

  const seed = (title: string) =>
    insertConversation(site.server.deps.db, { organizationId: site.owner.organizationId, agentId }, { title }, [
      { content: title },
      { content: "Gladly." },
    ]);
  const trash = async (page: Page) => (await site.call(page, "GET", "/trash")).data.items as Array<{ id: string }>;
  const row = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });

  it("deletes a conversation into the trash, and brings it back with Undo", async () => {
    const id = await seed("Where is my order");
    const { page } = await site.open(`/agents/${agentId}/conversations/${id}`);
    const list = page.getByRole("link", { name: /Where is my order/ }).first();
    await list.waitFor();
    await page.getByRole("button", { name: "Delete conversation" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete this conversation?" });
    await dialog.getByText("You can restore it from the trash for 30 days.").waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Delete conversation" }).click();
    await page.getByText("Conversation deleted").waitFor();
    expect((await trash(page)).map((item) => item.id)).toEqual([id]);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Conversation restored").waitFor();
    expect(await trash(page)).toEqual([]);
    await list.waitFor();
  });

  it("lists what is in the trash, restores it and deletes it permanently", async () => {
    const { page } = await site.signIn();
    const kept = await seed("Broken spoke on a rental bike");
    const lost = await seed("Spam about watches");
    for (const id of [kept, lost]) await site.call(page, "POST", `/conversations/${id}/trash`);
    const other = (await site.call(page, "POST", "/agents", { name: "Winter sale" })).data.id;
    await site.call(page, "POST", `/agents/${other}/trash`);
    await page.goto(`${site.server.url}/dashboard/settings/trash`);
    await row(page, "Winter sale").waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await site.picture(page, "dashboard-trash");
    await page.setViewportSize({ width: 390, height: 844 });
    await expectFit(page);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByRole("radio", { name: "Conversations" }).check({ force: true });
    await row(page, "Winter sale").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Restore Broken spoke on a rental bike" }).click();
    await row(page, "Broken spoke").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Delete Spam about watches permanently" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete Spam about watches permanently?" });
    await dialog.getByRole("button", { name: "Delete permanently" }).click();
    await page.getByRole("heading", { name: "Nothing of this kind in the trash" }).waitFor();
    expect((await trash(page)).map(({ id }) => id)).toEqual([other]);
    await page.getByRole("link", { name: "Show everything" }).click();
    await page.getByRole("button", { name: "Empty trash" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Empty trash" }).click();
    await page.getByRole("heading", { name: "The trash is empty" }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await expectFit(page);
  });

  it("says that a deletion is final on a server without a trash", async () => {
    const own = await startDashboardSite({ env: { FOYER_TRASH_DAYS: "0" } });
    const { page } = await own.signIn();
    const id = (await own.call(page, "POST", "/agents", { name: "Harbour" })).data.id;
    const conversation = await insertConversation(
      own.server.deps.db,
      { organizationId: own.owner.organizationId, agentId: id },
      {},
      [{ content: "Hello" }],
    );
    await page.goto(`${own.server.url}/dashboard/agents/${id}/conversations/${conversation}`);
    await page.getByRole("button", { name: "Delete conversation" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("This cannot be undone.").waitFor();
    await dialog.getByRole("button", { name: "Delete conversation" }).click();
    await page.getByText("Conversation deleted").waitFor();
    expect(await page.getByRole("button", { name: "Undo" }).count()).toBe(0);
    await own.stop();
  });
});
