import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { accessibilityProblems, expectFit } from "../test/browser.ts";
import { insertConversation } from "../test/conversation-seed.ts";
import { type DashboardSite, startDashboardSite } from "../test/dashboard-site.ts";

describe("the page of a visitor", () => {
  let site: DashboardSite;
  let agentId: string;
  let conversationId: string;
  beforeAll(async () => {
    site = await startDashboardSite();
    const { page } = await site.signIn();
    agentId = (await site.call(page, "POST", "/agents", { name: "Harbour" })).data.id;
    const ada = {
      userId: "customer-42",
      userName: "Ada Lovelace",
      userEmail: "ada@example.com",
      isUserVerified: 1 as const,
      verifiedVisitor: JSON.stringify({
        id: "customer-42",
        email: "ada@example.com",
        name: "Ada Lovelace",
        claims: { plan: "pro" },
      }),
    };
    const { db } = site.server.deps;
    const owner = { organizationId: site.owner.organizationId, agentId };
    await insertConversation(db, owner, { ...ada, title: "Is the cargo bike in stock" }, [
      { content: "Is the cargo bike in stock" },
      { content: "Yes, three of them." },
    ]);
    conversationId = await insertConversation(db, owner, { ...ada, title: "Where is my invoice" }, [
      { content: "Where is my invoice" },
      { content: "In your account." },
    ]);
    const visited = { url: "https://shop.example/account", title: "Your account", language: null, context: null };
    await db
      .updateTable("messages")
      .set({ page: JSON.stringify(visited) })
      .where("conversationId", "=", conversationId)
      .where("position", "=", 0)
      .execute();
    await page.context().close();
  });
  afterAll(() => site.stop());

  it("opens from a conversation, shows everything on one time axis and keeps notes about the person", async () => {
    const { page, problems } = await site.open(`/agents/${agentId}/conversations/${conversationId}`);
    const panel = page.getByRole("complementary", { name: "About the visitor" });
    await panel.getByRole("link", { name: "Visitor page, 2 conversations" }).click();
    await page.getByRole("heading", { name: "Ada Lovelace" }).waitFor();
    const timeline = page.getByRole("region", { name: "Timeline" });
    expect(await timeline.getByRole("listitem").count()).toBe(3);
    await timeline.getByText("Your account").waitFor();
    await page.getByLabel("New note").fill("Prefers calls in the afternoon.");
    await page.getByRole("button", { name: "Add note" }).click();
    await page.getByRole("region", { name: "Notes" }).getByText("Prefers calls in the afternoon.").waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await site.picture(page, "dashboard-visitor");
    await page.setViewportSize({ width: 390, height: 844 });
    await expectFit(page);
    await page.setViewportSize({ width: 1440, height: 900 });
    await timeline.getByRole("link", { name: "Is the cargo bike in stock" }).click();
    await panel.getByText("Prefers calls in the afternoon.").waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await site.picture(page, "dashboard-visitor-panel");
    expect(problems).toEqual([]);
  });
});
