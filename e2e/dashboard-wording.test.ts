import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DashboardSite, startDashboardSite } from "../test/dashboard-site.ts";

/** Sentences and places that keep an owner from a wrong conclusion, each of which was missing or misleading once. */
describe("the wording of the dashboard", () => {
  let site: DashboardSite;
  let page: Page;
  let agentId: string;
  beforeAll(async () => {
    site = await startDashboardSite();
    ({ page } = await site.open("/agents"));
    const agent = { name: "Harbour", systemPrompt: "Open 9 to 18.", handoff: { isEnabled: true } };
    agentId = (await site.call(page, "POST", "/agents", agent)).data.id;
    await page.reload();
  });
  afterAll(() => site.stop());

  const follow = (path: string) => site.follow(page, path);

  it("says on the list of agents that its numbers include test chats", async () => {
    await follow("/agents");
    await page.getByText("Conversations include your test chats, which analytics leave out.").waitFor();
  });

  it("says in analytics that test chats are not counted", async () => {
    await follow(`/agents/${agentId}/analytics`);
    await page.getByText("Your own test chats are not counted.").waitFor();
  });

  it("warns below the embed code that only this computer can open a loopback address", async () => {
    await follow(`/agents/${agentId}/embed`);
    const warning = page.getByRole("status").filter({ hasText: "Only this computer can open this address." });
    expect(await warning.textContent()).toContain("Set BASE_URL before you add the line to a public site.");
  });

  it("warns on the handoff page while no member can be notified", async () => {
    await follow(`/agents/${agentId}/handoff`);
    const warning = page.getByRole("status").filter({ hasText: "No member can be notified." });
    expect(await warning.textContent()).toContain("Set SMTP_URL, add a channel, or turn on a device.");
    await warning.getByRole("link", { name: "Notification settings" }).waitFor();
  });

  it("does not warn on the handoff page once a team chat is notified", async () => {
    const channel = { kind: "webhook", name: "Team", url: "https://chat.example.com/hook" };
    const { id } = await site.call(page, "POST", "/notice-channels", channel);
    const counted = page.waitForResponse("**/notices/reach");
    await page.goto(`${site.server.url}/dashboard/agents/${agentId}/handoff`);
    expect(await (await counted).json()).toMatchObject({ channels: 1 });
    await page.getByText("Who is notified").waitFor();
    expect(await page.getByText("No member can be notified.").count()).toBe(0);
    await site.call(page, "DELETE", `/notice-channels/${id}`);
  });

  it("names the knowledge among what the deletion of an agent deletes", async () => {
    await follow(`/agents/${agentId}`);
    await page
      .getByText("This also deletes its knowledge, tools, triggers, conversations and form submissions.")
      .waitFor();
    await page.getByRole("button", { name: "Delete Harbour" }).click();
    await page.getByRole("dialog").getByText("its documents and sites").waitFor();
    await page.keyboard.press("Escape");
  });

  it("offers a site in the menu that adds knowledge", async () => {
    await follow(`/agents/${agentId}/knowledge`);
    await page.getByRole("button", { name: "Add", exact: true }).first().click();
    await page.getByRole("menuitem", { name: /^Site/ }).waitFor();
    await page.keyboard.press("Escape");
  });

  it("lists the settings in named groups", async () => {
    await follow("/settings/you");
    const side = page.getByRole("navigation", { name: "Settings" });
    await side.getByRole("list", { name: "Team" }).getByRole("link", { name: "Notifications" }).waitFor();
    expect(await side.getByRole("list").count()).toBeGreaterThan(2);
  });

  it("shows no empty column of states while all tools work", async () => {
    const tool = { executionType: "mock", mockResponse: "12", inputSchema: { type: "object" } };
    await site.call(page, "POST", "/tools", { agentId, name: "stock", description: "Looks up the stock", ...tool });
    await page.goto(`${site.server.url}/dashboard/agents/${agentId}/tools`);
    await page.getByRole("link", { name: "Stock" }).waitFor();
    expect(await page.getByRole("columnheader", { name: "State" }).count()).toBe(0);
  });
});
