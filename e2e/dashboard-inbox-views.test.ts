import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { accessibilityProblems, measureOverflow } from "../test/browser.ts";
import { insertConversation } from "../test/conversation-seed.ts";
import { type DashboardSite, startDashboardSite } from "../test/dashboard-site.ts";

describe("saved views in the inbox", () => {
  let site: DashboardSite;
  let agentId: string;
  let tagId: string;
  beforeAll(async () => {
    site = await startDashboardSite();
    const { page } = await site.signIn();
    agentId = (await site.call(page, "POST", "/agents", { name: "Harbour" })).data.id;
    const owner = { organizationId: site.owner.organizationId, agentId };
    const insert = (content: string) => insertConversation(site.server.deps.db, owner, {}, [{ content }]);
    const refund = await insert("I want my money back");
    await insert("Do you open on Sunday?");
    [{ id: tagId }] = (await site.call(page, "POST", `/conversations/${refund}/tags`, { name: "refund" })).data;
    const members = [{ userId: site.owner.userId, capacity: 5 }];
    await site.call(page, "POST", "/teams", { name: "Workshop", members });
    await page.context().close();
  });
  afterAll(() => site.stop());

  it("are saved, opened, changed, shared with a team and deleted, and say what was deleted", async () => {
    const { page, problems } = await site.open(`/agents/${agentId}/conversations?tag=${tagId}`);
    const check = async (name: string) => {
      await site.picture(page, `inbox-views-${name}`);
      for (const colorScheme of ["dark", "light"] as const) {
        await page.emulateMedia({ colorScheme });
        expect(await accessibilityProblems(page), name).toEqual([]);
      }
    };
    const choose = async (item: string | RegExp) => {
      await page.getByRole("button", { name: "Saved views" }).click();
      await page.getByRole("menuitem", { name: item }).click();
    };
    const refund = page.getByRole("link", { name: /I want my money back/ });
    const sunday = page.getByRole("link", { name: /Do you open on Sunday/ });
    await refund.waitFor();

    await choose("Save as a view…");
    const dialog = page.getByRole("dialog", { name: "Save as a view" });
    await dialog.getByLabel("Name").fill("Refunds");
    await dialog.getByRole("button", { name: /^Tag: refund/ }).waitFor();
    await dialog.getByLabel("Agent", { exact: true }).check();
    await check("dialog");
    await dialog.getByRole("button", { name: "Save view" }).click();
    await page.getByRole("button", { name: /^Refunds/ }).waitFor();
    await expect.poll(() => page.url()).toContain("saved=view_");
    await refund.waitFor();
    expect(await sunday.count()).toBe(0);
    await refund.getByText("Harbour").waitFor();
    await check("open");
    const url = page.url();

    await page.getByRole("button", { name: /^Refunds/ }).click();
    await sunday.waitFor();
    await choose(/^Refunds/);
    await sunday.waitFor({ state: "detached" });

    await choose("Change view…");
    const change = page.getByRole("dialog", { name: "Change view" });
    await change.getByLabel("Name").fill("Money back");
    await change.getByLabel("Who has the view").selectOption("The team Workshop");
    await change.getByRole("button", { name: "Save changes" }).click();
    await page.getByRole("button", { name: /^Money back/ }).waitFor();
    await page.getByRole("button", { name: "Saved views" }).click();
    await page.getByRole("menuitem", { name: /Money back.*Shared with Workshop/s }).waitFor();
    await check("menu");
    await page.keyboard.press("Escape");

    await site.call(page, "DELETE", `/tags/${tagId}`);
    await page.goto(url);
    await page.getByText("This view names a tag that was deleted. It shows the rest.").waitFor();
    await sunday.waitFor();
    await check("missing");
    await page.setViewportSize({ width: 390, height: 844 });
    await expect.poll(() => measureOverflow(page)).toBe(0);

    await choose("Delete view…");
    await page.getByRole("dialog", { name: "Delete Money back?" }).waitFor();
    await check("delete");
    await page.getByRole("button", { name: "Delete view" }).click();
    await expect.poll(() => page.url()).not.toContain("saved=");
    await page.goto(url);
    await page.getByText(/This view was deleted, or is no longer shared with you/).waitFor();
    expect(await page.getByText("Not found").count()).toBe(0);
    await check("gone");
    await page.getByRole("button", { name: "Show all conversations" }).click();
    await sunday.waitFor();
    expect(problems).toEqual([]);
  });
});
