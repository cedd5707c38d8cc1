import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectFit } from "../test/browser.ts";
import { insertConversation } from "../test/conversation-seed.ts";
import { type DashboardSite, startDashboardSite } from "../test/dashboard-site.ts";

describe("teams", () => {
  let site: DashboardSite;
  let member: string;
  beforeAll(async () => {
    site = await startDashboardSite();
    const { db } = site.server.deps;
    await db.updateTable("users").set({ name: "Mara Keller" }).where("email", "=", site.owner.email).execute();
    member = await site.addMember("member");
    await db.updateTable("users").set({ name: "Lin Chen" }).where("email", "=", member).execute();
  });
  afterAll(() => site.stop());

  const row = (page: Page, name: string) => page.getByRole("row", { name: new RegExp(name) });

  it("creates, edits and deletes teams", async () => {
    const { page, problems } = await site.open("/settings/teams");
    await page.getByText("No teams yet").waitFor();
    await site.picture(page, "dashboard-teams-none");
    await expectFit(page);
    await page.getByRole("button", { name: "Create team" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Create team" }).click();
    await dialog.getByText("This field is required.").waitFor();
    await dialog.getByLabel("Name").fill("Workshop");
    await dialog.getByLabel("Description").fill("Repairs, spare parts and appointments");
    await dialog.getByRole("switch", { name: "Lin Chen" }).check();
    await dialog.getByLabel("Conversations at once for Lin Chen").fill("3");
    await dialog.getByLabel("Assignment").selectOption("In turn");
    await dialog.getByLabel("First answer").fill("30");
    await site.picture(page, "dashboard-team-dialog");
    await expectFit(page);
    await dialog.getByRole("button", { name: "Create team" }).click();
    await page.getByText("Team created").waitFor();
    await row(page, "Workshop.*Lin Chen.*In turn").waitFor();
    const { data } = await site.call(page, "GET", "/teams");
    expect(data).toMatchObject([
      { members: [{ name: "Lin Chen", capacity: 3 }], targets: { firstAnswer: 30, nextAnswer: null } },
    ]);

    await page.getByRole("button", { name: "Create team" }).click();
    await dialog.getByLabel("Name").fill("Sales");
    await dialog.getByLabel("If no member takes a conversation").selectOption("It passes to Workshop");
    await dialog.getByLabel("After how many minutes").fill("20");
    await dialog.getByRole("button", { name: "Create team" }).click();
    await row(page, "Sales").waitFor();
    await site.picture(page, "dashboard-teams");
    await expectFit(page);

    await page.getByRole("button", { name: "Edit Sales" }).click();
    await expect.poll(() => dialog.getByLabel("After how many minutes").inputValue()).toBe("20");
    await dialog.getByLabel("Name").fill("Bike sales");
    await dialog.getByRole("button", { name: "Save" }).click();
    await row(page, "Bike sales").waitFor();
    await page.getByRole("button", { name: "Delete Bike sales" }).click();
    await expectFit(page);
    await dialog.getByRole("button", { name: "Delete team" }).click();
    await row(page, "Bike sales").waitFor({ state: "detached" });
    expect(problems).toEqual([]);
  });

  it("shows teams to members without the buttons that change them", async () => {
    const { page, problems } = await site.signIn();
    await site.call(page, "POST", "/teams", { name: "Night shift" });
    const theirs = await site.open("/settings/teams", { email: member });
    await row(theirs.page, "Night shift").waitFor();
    await expect.poll(() => theirs.page.getByRole("button", { name: /^(Create|Edit|Delete)/ }).count()).toBe(0);
    expect([...problems, ...theirs.problems]).toEqual([]);
  });

  it("assigns a conversation to a team and shows when its target is due", async () => {
    const { page, problems } = await site.signIn();
    const { id: teamId } = (
      await site.call(page, "POST", "/teams", { name: "Spare parts", targets: { firstAnswer: 1 } })
    ).data;
    const { id: agentId } = (
      await site.call(page, "POST", "/agents", { name: "Harbour", handoff: { isEnabled: true } })
    ).data;
    const owner = { organizationId: site.owner.organizationId, agentId };
    const id = await insertConversation(site.server.deps.db, owner, { userName: "Ada Novak" }, [
      { content: "Do you have a brake cable?" },
    ]);
    await page.goto(`${site.server.url}/dashboard/agents/${agentId}/conversations/${id}`);
    await page.getByRole("button", { name: "Assign, tag, snooze or close" }).click();
    await page.getByRole("menuitem", { name: "Assign to team Spare parts" }).click();
    await page.getByRole("status").getByText("Spare parts").waitFor();
    await page
      .getByRole("status")
      .getByText(/First answer due in/)
      .waitFor({ timeout: 60_000 });
    await page
      .getByRole("link", { name: /Do you have a brake cable\?.*First answer/ })
      .first()
      .waitFor();
    await site.picture(page, "dashboard-team-clock");
    await expectFit(page);
    const { data } = await site.call(page, "GET", `/conversations?team=${teamId}`);
    expect(data.map((one: { id: string }) => one.id)).toEqual([id]);
    expect(problems).toEqual([]);
  });

  it("names the team of an agent's requests", async () => {
    const { page, problems } = await site.signIn();
    const { id: teamId } = (await site.call(page, "POST", "/teams", { name: "Test rides" })).data;
    const { id: agentId } = (
      await site.call(page, "POST", "/agents", { name: "Harbour", handoff: { isEnabled: true } })
    ).data;
    await page.goto(`${site.server.url}/dashboard/agents/${agentId}/handoff`);
    await page.getByRole("combobox", { name: "Team", exact: true }).selectOption("Test rides");
    await page.getByRole("button", { name: "Save" }).click();
    await expect
      .poll(async () => (await site.call(page, "GET", `/agents/${agentId}`)).data.handoff.teamId)
      .toBe(teamId);
    await site.picture(page, "dashboard-agent-team");
    await expectFit(page);
    expect(problems).toEqual([]);
  });
});
