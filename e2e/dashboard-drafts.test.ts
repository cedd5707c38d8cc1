import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { accessibilityProblems } from "../test/browser.ts";
import { insertConversation } from "../test/conversation-seed.ts";
import { type DashboardSite, startDashboardSite } from "../test/dashboard-site.ts";
import { tinyPictures } from "../test/tiny-pictures.ts";

describe("drafts in the dashboard", () => {
  let site: DashboardSite;
  let agentId: string;
  let colleague: string;
  beforeAll(async () => {
    site = await startDashboardSite();
    colleague = await site.addMember("member");
    const { db } = site.server.deps;
    await db.updateTable("users").set({ name: "Grace Hopper" }).where("email", "=", colleague).execute();
    await db.updateTable("users").set({ name: "Ada Lovelace" }).where("email", "=", site.owner.email).execute();
    const { page } = await site.signIn();
    agentId = (await site.call(page, "POST", "/agents", { name: "Harbour", handoff: { isEnabled: true } })).data.id;
    await page.context().close();
  });
  afterAll(() => site.stop());

  async function take(page: Page) {
    const owner = { organizationId: site.owner.organizationId, agentId };
    const id = await insertConversation(site.server.deps.db, owner, { userName: "Lin Chen" }, [
      { content: "Where is my bike?" },
    ]);
    await site.call(page, "POST", `/conversations/${id}/takeover`);
    return id;
  }
  const open = (page: Page, id: string) =>
    page.goto(`${site.server.url}/dashboard/agents/${agentId}/conversations/${id}`);
  const messageField = (page: Page) => page.getByLabel("Message to the visitor");
  const saved = (page: Page) =>
    page.waitForResponse((response) => response.request().method() === "PUT" && response.url().includes("/drafts/"));

  it("follow a member to another device with their attachments, and disappear when they are sent there", async () => {
    const desk = await site.signIn();
    const id = await take(desk.page);
    await open(desk.page, id);
    const field = messageField(desk.page);
    await field.waitFor();
    const picture = { mimeType: "image/png", buffer: tinyPictures["image/png"] };
    for (const name of ["b.png", "a.png"]) {
      await desk.page.locator("input[type=file]").setInputFiles({ ...picture, name });
      await desk.page.getByRole("button", { name: `Remove ${name}` }).waitFor();
      await expect.poll(() => desk.page.getByText("Uploading…").count()).toBe(0);
    }
    const isSaved = saved(desk.page);
    await field.fill("Your bike is ready");
    await isSaved;

    const phone = await site.signIn();
    await open(phone.page, id);
    const onPhone = messageField(phone.page);
    await expect.poll(() => onPhone.inputValue()).toBe("Your bike is ready");
    const attachments = phone.page.getByRole("list", { name: "Attachments" }).getByRole("button");
    const names = () => attachments.evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")));
    await expect.poll(names).toEqual(["Remove b.png", "Remove a.png"]);
    expect(await accessibilityProblems(phone.page)).toEqual([]);
    await onPhone.press("Enter");
    await expect.poll(() => onPhone.inputValue()).toBe("");
    await expect.poll(() => field.inputValue()).toBe("");
    await expect.poll(() => desk.page.getByRole("button", { name: /^Remove/ }).count()).toBe(0);
    const { messages } = (await site.call(desk.page, "GET", `/conversations/${id}`)).data;
    expect(messages.at(-1).attachments.map(({ name }: { name: string }) => name)).toEqual(["b.png", "a.png"]);
    expect([...desk.problems, ...phone.problems]).toEqual([]);
    await desk.page.context().close();
    await phone.page.context().close();
  });

  it("are not shown to a colleague, who sees that the member types until a pause", async () => {
    const { page, problems } = await site.signIn();
    const other = await site.signIn({ email: colleague });
    const id = await take(page);
    await open(page, id);
    await open(other.page, id);
    await other.page.getByRole("button", { name: "Add an internal note" }).click();
    const isSaved = saved(page);
    await messageField(page).pressSequentially("Between us");
    await other.page.getByText("Ada Lovelace is typing…").waitFor();
    await isSaved;
    await other.page.reload();
    await other.page.getByRole("button", { name: "Add an internal note" }).click();
    expect(await other.page.getByRole("textbox", { name: "Internal note" }).inputValue()).toBe("");
    await messageField(page).press("End");
    await messageField(page).pressSequentially(".");
    // A colleague who writes a note is seen as well.
    await other.page.getByRole("textbox", { name: "Internal note" }).pressSequentially("I know this one");
    await page.getByText("Grace Hopper is typing…").waitFor();
    await page.getByText("Grace Hopper is typing…").waitFor({ state: "detached" });
    expect([...problems, ...other.problems]).toEqual([]);
    await page.context().close();
    await other.page.context().close();
  });
});
