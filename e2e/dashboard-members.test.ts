import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectFit, measureOverflow } from "../test/browser.ts";
import { type DashboardSite, startDashboardSite } from "../test/dashboard-site.ts";
import { createBrowser, createOrganization, createOwner, password } from "../test/session-client.ts";

describe("members in the settings", () => {
  let site: DashboardSite;
  let member: string;
  let admin: string;
  beforeAll(async () => {
    // A server that is reachable by others keeps links that it could not email for its owners.
    site = await startDashboardSite({
      env: { HOST: "0.0.0.0", FOYER_LIMIT_SIGN_IN_PER_IP: "0", FOYER_LIMIT_SIGN_IN_PER_ADDRESS: "0" },
    });
    await site.server.deps.db.updateTable("organizations").set({ name: "Harbour Bikes" }).execute();
    member = await site.addMember("member");
    admin = await site.addMember("admin");
  });
  afterAll(() => site.stop());

  /** Screenshots are taken only on request, because they take a while. */
  const picture = async (page: Page, name: string) => {
    if (process.env.FOYER_SCREENSHOTS) await site.picture(page, name);
  };
  const row = (page: Page, name: string) => page.getByRole("row", { name: new RegExp(name) });

  it("shows an invitation link to share when email is not configured", async () => {
    const { page, problems } = await site.open("/settings/members", {
      context: { permissions: ["clipboard-read", "clipboard-write"] },
    });
    await page.getByRole("button", { name: "Invite member" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Email").fill("nobody");
    await page.keyboard.press("Enter");
    await dialog.getByText("Must be an email address such as you@example.com.").waitFor();
    await picture(page, "dashboard-members-invite");
    await expectFit(page);
    await dialog.getByLabel("Email").fill(member);
    await page.keyboard.press("Enter");
    await dialog.getByRole("alert").getByText("is already a member").waitFor();
    await dialog.getByLabel("Email").fill("ben@harbour-bikes.example");
    await dialog.getByLabel("Role").selectOption("admin");
    await page.keyboard.press("Enter");
    const url = await dialog.getByRole("region", { name: "the link" }).innerText();
    await expectFit(page);
    await dialog.getByRole("button", { name: "Done" }).click();
    await page.getByRole("button", { name: "Copy link of ben@harbour-bikes.example" }).click();
    await page.getByRole("button", { name: "Copied: link of ben@" }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(url);
    const { status } = await createBrowser(site.server).call("POST", "/auth/magic-link", { email: member });
    expect(status).toBe(200);
    await expect.poll(async () => (await site.call(page, "GET", "/members/links")).length).toBe(1);
    await page.reload();
    await row(page, `${member}.*Sign in`).waitFor();
    await picture(page, "dashboard-members");
    await expectFit(page);
    await page.getByRole("button", { name: "Revoke the invitation for ben@" }).click();
    await expectFit(page);
    await page.getByRole("button", { name: "Revoke invitation" }).click();
    await page.getByText("No pending invitations.").waitFor();
    expect(problems).toEqual([]);
  });

  it("changes a role, undoes the change, and keeps the only owner", async () => {
    const { page, problems } = await site.open("/settings/members");
    await page.getByText("The only owner cannot leave or change roles.").waitFor();
    await expect.poll(() => row(page, site.owner.email).getByRole("button").count()).toBe(0);
    const role = page.getByLabel(`Role of ${member}`);
    await role.selectOption("admin");
    await page.getByText(`${member} is now an admin`).waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText(`${member} is now a member`).waitFor();
    await expect.poll(() => role.inputValue()).toBe("member");
    expect(problems).toEqual([]);
  });

  it("removes the named member", async () => {
    const email = await site.addMember("member");
    const theirs = (await site.open("/settings/you", { email })).page;
    const { page } = await site.open("/settings/members");
    await page.getByRole("button", { name: `Remove ${email}` }).click();
    await picture(page, "dashboard-members-remove");
    await expectFit(page);
    await page
      .getByRole("dialog")
      .getByRole("button", { name: `Remove ${email}` })
      .click();
    await row(page, email).waitFor({ state: "detached" });
    const answer = await theirs.request.get(`${site.server.url}/agents`);
    expect(answer.ok()).toBe(false);
  });

  it("does not let an admin change an owner", async () => {
    const email = await site.addMember("admin");
    const { page } = await site.open("/settings/members", { email });
    await page.getByLabel(`Role of ${admin}`).waitFor();
    await expect.poll(() => row(page, site.owner.email).getByRole("combobox").count()).toBe(0);
    await expect
      .poll(() => page.getByLabel(`Role of ${email}`).getByRole("option").allInnerTexts())
      .toEqual(["Member", "Admin"]);
    await expect.poll(() => page.getByRole("heading", { name: "Undelivered sign-in links" }).count()).toBe(0);
    await page.getByLabel(`Role of ${email}`).selectOption("member");
    await expectFit(page);
    await page.getByRole("button", { name: "Change my role" }).click();
    await page.getByText("Only admins and owners can invite members and change roles.").waitFor();
    await page.getByRole("navigation", { name: "Settings" }).getByRole("link", { name: "API" }).waitFor({
      state: "detached",
    });
  });

  it("shows members only the settings that their role may open", async () => {
    const { page, problems } = await site.open("/settings", { email: member });
    await page.waitForURL("**/settings/you");
    const tabs = page.getByRole("navigation", { name: "Settings" }).getByRole("link");
    await tabs.first().waitFor();
    await expect
      .poll(() => tabs.allInnerTexts())
      .toEqual(["You", "Members", "Teams", "Notifications", "Canned replies", "Tags", "Trash", "Plan"]);
    for (const path of ["api", "secrets", "models", "webhooks", "audit-log", "health"]) {
      await page.goto(`${site.server.url}/dashboard/settings/${path}`);
      await page.getByRole("heading", { name: "You don't have access" }).waitFor();
    }
    await picture(page, "dashboard-not-open");
    await expectFit(page);
    await page.getByRole("link", { name: "View members" }).click();
    await row(page, "Owner").first().waitFor();
    await expectFit(page);
    expect(problems).toEqual([]);
  });

  it("scrolls the tab of the open page into view on a phone", async () => {
    const { page } = await site.open("/settings/audit-log", { context: { viewport: { width: 390, height: 844 } } });
    const tab = page.getByRole("navigation", { name: "Settings" }).getByRole("link", { name: "Audit log" });
    const end = async () => {
      const box = await tab.boundingBox();
      return box ? box.x + box.width : Number.POSITIVE_INFINITY;
    };
    await expect.poll(end).toBeLessThanOrEqual(390);
    await expect.poll(() => measureOverflow(page)).toBe(0);
  });

  it("changes the password, the names, the theme and the current organization", async () => {
    const owner = await createOwner(site.server);
    await createOrganization(site.server, owner.userId);
    const { page, problems } = await site.open("/settings/you", { email: owner.email });
    const elsewhere = (await site.open("/settings/you", { email: owner.email })).page;
    await page.getByLabel("Current password").fill("not the password");
    await page.getByLabel("New password").fill("another long enough password");
    await page.keyboard.press("Enter");
    await page.getByText("Does not match your current password.").waitFor();
    await picture(page, "dashboard-you");
    await expectFit(page);
    await page.getByLabel("Current password").fill(password);
    await page.keyboard.press("Enter");
    await page.getByText("Password changed.").waitFor();
    await expect.poll(() => page.getByLabel("New password").inputValue()).toBe("");
    expect((await elsewhere.request.get(`${site.server.url}/auth/session`)).status()).toBe(401);

    await page.getByLabel("Your name").fill("Ada Lovelace");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Name saved").waitFor();
    await page.getByLabel("Name", { exact: true }).fill("");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("This field is required.").waitFor();
    await page.getByLabel("Name", { exact: true }).fill("Harbour Bikes");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Organization renamed").waitFor();
    const renamed = await (await page.request.get(`${site.server.url}/auth/session`)).json();
    expect([renamed.user.name, renamed.organization.name]).toEqual(["Ada Lovelace", "Harbour Bikes"]);

    await page.getByRole("radio", { name: "Dark" }).check();
    await expect.poll(() => page.evaluate(() => document.documentElement.dataset.theme)).toBe("dark");
    await page.getByRole("button", { name: /^Account menu,/ }).click();
    await page.getByRole("menuitem", { name: "Dark (current)" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Switch to Second" }).click();
    await page.waitForURL("**/dashboard/start");
    const { organization } = await (await page.request.get(`${site.server.url}/auth/session`)).json();
    expect(organization.name).toBe("Second");
    expect(problems).toEqual([]);
  });
});
