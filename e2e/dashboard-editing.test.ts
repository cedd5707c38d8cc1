import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { expectFit } from "../test/browser.ts";
import { type DashboardSite, startDashboardSite } from "../test/dashboard-site.ts";
import { password } from "../test/session-client.ts";

describe("editing in the dashboard", () => {
  let site: DashboardSite;
  let page: Page;
  let agentId: string;
  beforeAll(async () => {
    site = await startDashboardSite();
  });
  afterAll(() => site.stop());
  beforeEach(async () => {
    ({ page } = await site.signIn());
    agentId = (await site.call(page, "POST", "/agents", { name: "Harbour", systemPrompt: "We sell bikes." })).data.id;
  });

  /** Ends the session with this request. If it ended earlier, any other request could open the dialog first. */
  const endSessionBefore = async (method: string, path: string) => {
    let isEnded = false;
    await page.route(`${site.server.url}${path}`, async (route) => {
      if (!isEnded && route.request().method() === method) {
        isEnded = true;
        await page.context().clearCookies();
      }
      await route.continue();
    });
    onTestFinished(() => page.unroute(`${site.server.url}${path}`));
  };
  const go = (rest = "", id = agentId) => page.goto(`${site.server.url}/dashboard/agents/${id}${rest}`);
  const save = () => page.getByRole("button", { name: "Save", exact: true }).click();
  /** Saves on top of what somebody else has saved since the page was loaded. */
  const saveAnyway = async () => {
    await save();
    await page.getByRole("dialog", { name: /has changed since you opened this page/ }).waitFor();
    await page.getByRole("button", { name: "Save my changes" }).click();
  };
  const saved = () => page.getByText("Not saved yet", { exact: true }).waitFor({ state: "detached" });
  const agent = async () => (await site.call(page, "GET", `/agents/${agentId}`)).data;
  /** Simulates a return to the window, upon which the page loads its data again. */
  const comeBack = async (path: string) => {
    let isAsked = false;
    page.on("response", (answer) => {
      isAsked ||= answer.url().endsWith(path) && answer.ok();
    });
    const look = async () => {
      await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange", { bubbles: true })));
      return isAsked;
    };
    await expect.poll(look, { interval: 500 }).toBe(true);
  };
  const addMock = (more: object = {}) =>
    site.call(page, "POST", "/tools", {
      agentId,
      name: "hours",
      description: "Gives the hours.",
      executionType: "mock",
      mockResponse: "9 to 18",
      inputSchema: { type: "object", properties: {} },
      ...more,
    });

  it("keeps what another member saved in other fields of an agent", async () => {
    await go();
    await page.getByLabel("Name", { exact: true }).fill("Harbour Bikes");
    await site.call(page, "PATCH", `/agents/${agentId}`, { systemPrompt: "We repair bikes." });
    await saveAnyway();
    await saved();
    await expect.poll(() => agent()).toMatchObject({ name: "Harbour Bikes", systemPrompt: "We repair bikes." });
    await expect.poll(() => page.getByLabel("System prompt").inputValue()).toBe("We repair bikes.");
  });

  it("asks for the password over the page when the session has ended, and then saves", async () => {
    await go();
    await page.getByLabel("System prompt").fill("We repair bikes.");
    await endSessionBefore("PATCH", "/agents/*");
    await save();
    const dialog = page.getByRole("dialog", { name: "Your session ended" });
    await dialog.waitFor();
    await expectFit(page);
    await site.picture(page, "dashboard-session-ended");
    await dialog.getByLabel("Password").fill("not the password");
    await page.keyboard.press("Enter");
    await dialog.getByText("The email address or password is incorrect.").waitFor();
    await dialog.getByLabel("Password").fill(password);
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
    await saved();
    await expect.poll(() => agent()).toMatchObject({ systemPrompt: "We repair bikes." });
  });

  it("keeps what was typed in a dialog of the settings when the session has ended", async () => {
    await page.goto(`${site.server.url}/dashboard/settings/canned-replies`);
    await page.getByRole("button", { name: "Create canned reply" }).first().click();
    await page.getByLabel("Name", { exact: true }).fill("hours");
    await page.getByLabel("Text").fill("We are open from 9 to 18.");
    await endSessionBefore("POST", "/canned-replies");
    await page.getByRole("dialog").getByRole("button", { name: "Create canned reply" }).click();
    const dialog = page.getByRole("dialog", { name: "Your session ended" });
    await dialog.getByLabel("Password").fill(password);
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
    await expect
      .poll(() => site.call(page, "GET", "/canned-replies"))
      .toMatchObject([{ text: "We are open from 9 to 18." }]);
  });

  it("asks before it continues as another person who signed in to the same browser", async () => {
    const email = await site.addMember("admin");
    await go();
    await page.getByLabel("System prompt").fill("We repair bikes.");
    await page.context().clearCookies();
    const second = await page.context().newPage();
    await second.request.post(`${site.server.url}/auth/sign-in/email`, { data: { email, password } });
    await second.goto(`${site.server.url}/dashboard/settings/you`);
    await second.getByRole("heading", { level: 1 }).waitFor();
    const dialog = page.getByRole("dialog", { name: "Someone else signed in" });
    await dialog.getByText(`This browser is now signed in as ${email}.`).waitFor();
    await expectFit(page);
    await dialog.getByRole("button", { name: `Continue as ${email}` }).click();
    await dialog.waitFor({ state: "detached" });
    await save();
    await saved();
    await expect.poll(() => agent()).toMatchObject({ systemPrompt: "We repair bikes." });
  });

  it("keeps what another member saved in an agent's appearance and embedding", async () => {
    await go("/appearance");
    await page.getByLabel("Title").fill("Ask Harbour");
    await site.call(page, "PATCH", `/agents/${agentId}`, { widget: { greeting: "Hello." } });
    await saveAnyway();
    await saved();
    await expect.poll(async () => (await agent()).widget).toMatchObject({ title: "Ask Harbour", greeting: "Hello." });
    await go("");
    await page.getByLabel("Message when the budget is used up").fill("Closed.");
    await site.call(page, "PATCH", `/agents/${agentId}`, { temperature: 30 });
    await saveAnyway();
    await saved();
    await expect.poll(() => agent()).toMatchObject({ budgetMessage: "Closed.", temperature: 30 });
  });

  it("keeps what another member saved in a tool", async () => {
    const { id } = await addMock();
    await go(`/tools/${id}`);
    await page.getByLabel("Description").fill("Gives the opening hours.");
    await site.call(page, "PUT", `/tools/${id}`, { mockResponse: "10 to 19" });
    await comeBack(`/tools/${id}`);
    await saveAnyway();
    await saved();
    await expect
      .poll(() => site.call(page, "GET", `/tools/${id}`))
      .toMatchObject({
        description: "Gives the opening hours.",
        mockResponse: "10 to 19",
      });
  });

  it("keeps what another member saved in a trigger", async () => {
    const trigger = { name: "Prices", triggerType: "page_view", conditions: { page: "/pricing" } };
    const action = { actionType: "show_bubble", actionConfig: { message: "Any questions?" } };
    const { id } = await site.call(page, "POST", `/triggers?agentId=${agentId}`, { ...trigger, ...action });
    await go(`/triggers/${id}`);
    await page.getByLabel("Message", { exact: true }).fill("Any questions about prices?");
    await site.call(page, "PUT", `/triggers/${id}`, { isEnabled: false, priority: 7 });
    await saveAnyway();
    await saved();
    await expect
      .poll(() => site.call(page, "GET", `/triggers/${id}`))
      .toMatchObject({
        isEnabled: false,
        priority: 7,
        actionConfig: { message: "Any questions about prices?" },
      });
  });

  it("does not carry discarded changes over to another agent", async () => {
    const other = (await site.call(page, "POST", "/agents", { name: "Quay", systemPrompt: "We sell boats." })).data.id;
    await go();
    await page.getByLabel("System prompt").fill("Only half written");
    await page.getByRole("button", { name: /switch agent/ }).click();
    await page.getByRole("menuitem", { name: "Quay" }).click();
    await page.getByRole("button", { name: "Discard changes" }).click();
    await page.waitForURL(new RegExp(`${other}$`));
    await page.getByRole("heading", { name: "Quay", level: 1 }).waitFor();
    await expect.poll(() => page.getByLabel("System prompt").inputValue()).toBe("We sell boats.");
    await expect.poll(() => page.getByText("Not saved yet", { exact: true }).count()).toBe(0);
  });

  it("asks before leaving when saving fails", async () => {
    await go();
    await page.getByLabel("Temperature").fill("999");
    const gate = Promise.withResolvers<void>();
    await page.route(`**/agents/${agentId}`, async (route) => {
      if (route.request().method() === "PATCH") await gate.promise;
      await route.continue();
    });
    await save();
    await page.getByRole("link", { name: "Triggers" }).first().click();
    gate.resolve();
    await page.getByRole("dialog", { name: "Leave without saving?" }).waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await expect.poll(() => page.getByLabel("Temperature").inputValue()).toBe("999");
    await page.getByLabel("Temperature").fill("20");
    await save();
    await page.getByRole("link", { name: "Triggers" }).first().click();
    await page.getByRole("heading", { name: "Triggers", level: 1 }).waitFor();
    await expect.poll(async () => (await agent()).temperature).toBe(20);
  });

  it("discards conditions on event data together with other changes", async () => {
    const trigger = { name: "Cart", triggerType: "custom_event" };
    const conditions = { event: "cart_updated", eventData: { total: { $gte: 500 } } };
    const action = { actionType: "show_bubble", actionConfig: { message: "Any questions?" } };
    const { id } = await site.call(page, "POST", `/triggers?agentId=${agentId}`, { ...trigger, conditions, ...action });
    await go(`/triggers/${id}`);
    const value = page.getByLabel("Condition 1: value");
    await value.fill("9");
    await page.getByRole("button", { name: "Discard" }).click();
    await expect.poll(() => value.inputValue()).toBe("500");
    await page.getByRole("button", { name: "Edit as JSON" }).click();
    await page.getByLabel("Conditions as JSON").fill('{ "total": ');
    await page.getByRole("button", { name: "Edit as rows" }).click();
    await page.getByRole("button", { name: "Edit as JSON" }).click();
    await expect.poll(() => page.getByLabel("Conditions as JSON").inputValue()).toBe('{ "total": ');
    await page.getByRole("button", { name: "Discard" }).click();
    await expect.poll(() => page.getByLabel("Conditions as JSON").inputValue()).toContain('"$gte": 500');
  });

  it("restores a removed input without undoing later changes", async () => {
    const text = { type: "string" };
    const { id } = await addMock({ inputSchema: { type: "object", properties: { day: text, shop: text } } });
    await go(`/tools/${id}?part=inputs`);
    await page.getByRole("button", { name: "Remove the input day" }).click();
    const parts = page.getByRole("navigation", { name: "Parts of the tool" });
    await parts.getByRole("link", { name: "About" }).click();
    await page.getByLabel("Description").waitFor();
    await parts.getByRole("link", { name: "Inputs" }).click();
    await page.getByLabel("Description").fill("Which shop");
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => page.getByLabel("Name", { exact: true }).count()).toBe(2);
    await expect.poll(() => page.getByLabel("Description").nth(1).inputValue()).toBe("Which shop");
  });

  it("restores a removed form action without undoing later changes", async () => {
    const chat = (name: string) => ({
      type: "team_chat",
      webhookUrl: `https://${name}.example`,
      messageTemplate: name,
    });
    const { id } = await addMock({
      executionType: "form",
      formSchema: { fields: [{ name: "email", label: "Email", type: "email" }] },
      formPostActions: [chat("one"), chat("two")],
    });
    await go(`/tools/${id}?part=delivery`);
    await page.getByRole("button", { name: "Remove action 1" }).click();
    await page.getByLabel("Message").fill("Changed");
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => page.getByLabel("Message").count()).toBe(2);
    await expect.poll(() => page.getByLabel("Message").nth(1).inputValue()).toBe("Changed");
  });

  it("does not add a row with Enter to a full list", async () => {
    const suggestions = Array.from({ length: 10 }, (_, index) => `Question ${index + 1}`);
    await site.call(page, "PATCH", `/agents/${agentId}`, { widget: { suggestions } });
    await go("/appearance");
    await page.getByLabel("Suggestion 10").press("Enter");
    await page.getByLabel("Title").fill("Ask");
    await page.getByText("Not saved yet", { exact: true }).waitFor();
    await expect.poll(() => page.getByLabel(/^Suggestion \d+$/).count()).toBe(10);
  });

  it("deletes an agent whose name contains consecutive spaces", async () => {
    await site.call(page, "PATCH", `/agents/${agentId}`, { name: "Harbour  Bikes" });
    await go();
    await page.getByRole("button", { name: /^Delete Harbour/ }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox").fill("Harbour Bikes");
    await expect.poll(() => dialog.getByRole("button", { name: /^Delete/ }).isEnabled()).toBe(true);
  });
});
