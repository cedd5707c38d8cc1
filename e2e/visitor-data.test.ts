import { afterAll, beforeAll, expect, it } from "vitest";
import { type DashboardSite, startDashboardSite } from "../test/dashboard-site.ts";
import { sayWords } from "../test/upstream.ts";
import { insertPerson } from "../test/visitor-seed.ts";
import { foyer } from "../test/widget-forms.ts";
import { ask, openChat, replyOver, startWidgetSite, type WidgetSite } from "../test/widget-site.ts";

let dashboard: DashboardSite;
let widget: WidgetSite;
beforeAll(async () => {
  [dashboard, widget] = await Promise.all([startDashboardSite(), startWidgetSite()]);
});
afterAll(() => Promise.all([dashboard.stop(), widget.stop()]));

it("an owner finds a visitor's data, erases it after typing the identifier, and gets a receipt", async () => {
  const { page } = await dashboard.open("/settings/visitors");
  const { data: agent } = await dashboard.call(page, "POST", "/agents", { name: "Harbour" });
  const { db, encryption } = dashboard.server.deps;
  const { organizationId } = dashboard.owner;
  const person = await insertPerson(db, encryption, { organizationId, agentId: agent.id, toolId: "tool_1", number: 0 });
  await page.getByLabel("Visitor", { exact: true }).fill(person.email);
  await page.getByRole("button", { name: "Find" }).click();
  await page.getByText("hooks.example").waitFor();
  await dashboard.picture(page, "visitor-found");
  await page.getByRole("button", { name: "Erase visitor" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("deletes 1 conversation and 1 form submission, with").waitFor();
  await dialog.getByRole("textbox").fill(person.email);
  await dialog.getByRole("button", { name: "Erase visitor" }).click();
  await page.getByText("Hash of the identifier").waitFor();
  await page.getByText("Erased at").waitFor();
  await dashboard.picture(page, "visitor-receipt");
  const found = await dashboard.call(page, "GET", `/visitors/data?userId=${person.userId}`);
  expect(found.counts.conversations).toBe(0);
});

it("a visitor reads that an AI answers, gives consent before the first message, and deletes the conversation", async () => {
  widget.upstream.script(sayWords("We are open."));
  const settings = { consentText: "I agree to this.", privacyPolicyUrl: "https://shop.example/privacy" };
  const { page } = await widget.visit({ widget: settings });
  await openChat(page);
  await page.getByText("AI assistant").waitFor();
  await page.getByText("AI can make mistakes").waitFor();
  await expect
    .poll(() => page.getByRole("link", { name: "Privacy policy" }).getAttribute("href"))
    .toBe(settings.privacyPolicyUrl);
  await widget.picture(page, "consent");
  await page.getByRole("button", { name: "Agree and continue" }).click();
  await page.locator("textarea").fill("When are you open?");
  await page.keyboard.press("Enter");
  await replyOver(page);
  await page.getByText("We are open.").first().waitFor();
  await page.getByRole("button", { name: "Conversations" }).click();
  await page.getByRole("button", { name: "Delete the open conversation" }).click();
  await widget.picture(page, "delete");
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await page.locator("textarea").waitFor();
  expect(await widget.server.deps.db.selectFrom("conversations").select("id").execute()).toEqual([]);
});

it("a message that awaits consent is not sent for the next visitor", async () => {
  widget.upstream.script(sayWords("We are open."));
  const settings = { consentText: "I agree to this.", suggestions: ["Where is my order?"] };
  const { page, agentId } = await widget.visit({ widget: settings });
  await foyer(page, "identify", { userId: "1" });
  await openChat(page);
  await page.getByRole("button", { name: "Where is my order?" }).click();
  await foyer(page, "identify", { userId: "2" });
  await page.getByRole("button", { name: "Agree and continue" }).click();
  await ask(page, "When are you open?");
  await replyOver(page);
  const sent = widget.server.deps.db
    .selectFrom("messages")
    .innerJoin("conversations", "conversations.id", "messages.conversationId")
    .select("content")
    .where("agentId", "=", agentId)
    .where("role", "=", "user");
  expect(await sent.execute()).toEqual([{ content: "When are you open?" }]);
});
