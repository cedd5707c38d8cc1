import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { accessibilityProblems, expectFit } from "../test/browser.ts";
import { insertConversation } from "../test/conversation-seed.ts";
import { type DashboardSite, startDashboardSite } from "../test/dashboard-site.ts";

describe("ratings of conversations in the dashboard", () => {
  let site: DashboardSite;
  let agentId: string;
  let unhappy: string;
  beforeAll(async () => {
    site = await startDashboardSite();
    const { page } = await site.signIn();
    agentId = (await site.call(page, "POST", "/agents", { name: "Harbour", askRating: "all" })).data.id;
    const { db } = site.server.deps;
    const owner = { organizationId: site.owner.organizationId, agentId };
    const ada = { userId: "customer-42", userName: "Ada Lovelace" };
    const insert = (title: string, rating: object) =>
      insertConversation(db, owner, { ...ada, title, ...rating }, [
        { content: title },
        { content: "Please send us the number of your order." },
      ]);
    await insert("Is the Tender 2 in stock?", { ratingScore: 5, ratedAt: Date.now() });
    unhappy = await insert("My order has not arrived", {
      ratingScore: 2,
      ratingComment: "I have asked three times, and the shop still cannot tell me where my bike is.",
      ratedAt: Date.now() + 60_000,
    });
    await insert("Do you open on Sunday?", {});
    await page.context().close();
  });
  afterAll(() => site.stop());

  const row = (page: Page, title: string) => page.getByRole("link", { name: new RegExp(title) });

  async function check(page: Page, name: string) {
    await site.picture(page, `ratings-${name}`);
    for (const colorScheme of ["dark", "light"] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await accessibilityProblems(page), name).toEqual([]);
    }
    await page.setViewportSize({ width: 390, height: 844 });
    await expectFit(page);
    await page.setViewportSize({ width: 1440, height: 900 });
  }

  it("are in the list, in the conversation and on the page of the visitor", async () => {
    const { page, problems } = await site.open(`/agents/${agentId}/conversations?view=all`);
    await row(page, "Tender 2.*Rated 5 of 5").waitFor();
    await row(page, "My order has not arrived.*Rated 2 of 5").click();
    const transcript = page.getByRole("region", { name: "Messages" });
    await transcript.getByText("Rated 2 of 5 by the visitor").waitFor();
    await transcript.getByText("I have asked three times").waitFor();
    await check(page, "conversation");
    await page.getByRole("link", { name: /^Visitor page/ }).click();
    const timeline = page.getByRole("region", { name: "Timeline" });
    await timeline.getByText("Rated 2 of 5: I have asked three times").waitFor();
    await check(page, "visitor");
    expect(problems).toEqual([]);
  });

  it("filter the list, and a saved view keeps the filter", async () => {
    const { page, problems } = await site.open(`/agents/${agentId}/conversations?view=all`);
    await row(page, "Sunday").waitFor();
    await page.getByRole("button", { name: "Filters" }).click();
    await page.getByLabel("Rating").selectOption("Rated 1 or 2 of 5");
    await row(page, "Sunday").waitFor({ state: "detached" });
    await row(page, "My order has not arrived").waitFor();
    await check(page, "filter");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Saved views" }).click();
    await page.getByRole("menuitem", { name: "Save as a view…" }).click();
    const dialog = page.getByRole("dialog", { name: "Save as a view" });
    await dialog.getByLabel("Name").fill("Unhappy");
    await dialog.getByRole("button", { name: /^Rated 1 or 2 of 5/ }).waitFor();
    await dialog.getByRole("button", { name: "Save view" }).click();
    await expect.poll(() => page.url()).toContain("saved=view_");
    await row(page, "My order has not arrived").waitFor();
    expect(await row(page, "Sunday").count()).toBe(0);
    expect(problems).toEqual([]);
  });

  it("appear in the open conversation and in the list when the visitor gives them", async () => {
    const { page, problems } = await site.open(`/agents/${agentId}/conversations/${unhappy}`);
    const transcript = page.getByRole("region", { name: "Messages" });
    await transcript.getByText("Rated 2 of 5 by the visitor").waitFor();
    const { key } = await site.call(page, "POST", "/api-keys", { name: "Relay" });
    const answer = await fetch(`${site.server.url}/conversations/${unhappy}/rating`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ score: 4, comment: "It has arrived." }),
    });
    expect(answer.status).toBe(200);
    await transcript.getByText("Rated 4 of 5 by the visitor").waitFor();
    await transcript.getByText("It has arrived.").waitFor();
    await row(page, "My order has not arrived.*Rated 4 of 5").waitFor();
    expect(problems).toEqual([]);
  });
});
