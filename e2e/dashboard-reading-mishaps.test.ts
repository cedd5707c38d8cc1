import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { accessibilityProblems } from "../test/browser.ts";
import { insertConversation } from "../test/conversation-seed.ts";
import { type DashboardSite, startDashboardSite } from "../test/dashboard-site.ts";
import { createOwner } from "../test/session-client.ts";

describe("the dashboard under unusual conditions", () => {
  let site: DashboardSite;
  let agentId: string;
  beforeAll(async () => {
    site = await startDashboardSite();
    const { page } = await site.signIn();
    agentId = (await site.call(page, "POST", "/agents", { name: "Harbour" })).data.id;
    await page.context().close();
  });
  afterAll(() => site.stop());

  const owner = () => ({ organizationId: site.owner.organizationId, agentId });
  const converse = (title: string) => insertConversation(site.server.deps.db, owner(), { title }, [{ content: title }]);
  const visit = (id: string) => site.open(`/agents/${agentId}/conversations/${id}`);
  const heading = (page: Page, name: string) => page.getByRole("heading", { name, level: 2 });
  const notDone = (page: Page) => page.getByRole("status").filter({ hasText: "Failed." });

  it("reloads a conversation once the network is back", async () => {
    const id = await converse("Before the outage");
    const { page } = await visit(id);
    await heading(page, "Before the outage").waitFor();
    await page.context().setOffline(true);
    const { db } = site.server.deps;
    await db.updateTable("conversations").set({ title: "After the outage" }).where("id", "=", id).execute();
    await page.context().setOffline(false);
    await heading(page, "After the outage").waitFor();
  });

  it("removes a conversation that was deleted elsewhere", async () => {
    const id = await converse("To be forgotten");
    const { page } = await visit(id);
    await heading(page, "To be forgotten").waitFor();
    await site.call(page, "DELETE", `/conversations/${id}`);
    await heading(page, "This conversation was deleted").waitFor();
    await expect.poll(() => heading(page, "To be forgotten").count()).toBe(0);
  });

  it("announces page changes to screen readers", async () => {
    const id = await converse("To be kept");
    const { page } = await visit(id);
    await page.getByRole("button", { name: "Delete conversation" }).click();
    await page.route("**/conversations/*/trash", (route) => route.abort());
    await page.getByRole("button", { name: "Delete conversation" }).click();
    await notDone(page).waitFor();
    await page.getByRole("dialog", { name: "Delete this conversation?" }).waitFor();
  });

  it("reports that signing out failed", async () => {
    const { page, problems } = await site.open("/agents");
    await page.route("**/auth/sign-out", (route) => route.abort());
    await page.getByRole("button", { name: /^Account menu,/ }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await notDone(page).waitFor();
    expect(problems).toEqual([]);
  });

  it("does not leave the page while a new API key is shown", async () => {
    const { page } = await site.open("/settings/api");
    const menu = page.getByRole("dialog", { name: "Search" });
    await page.getByRole("button", { name: "Create API key" }).waitFor();
    await page.keyboard.press("Control+k");
    await menu.waitFor();
    await page.keyboard.press("Control+k");
    await menu.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Create API key" }).click();
    await page.getByLabel("Name").fill("Stock sync");
    await page.keyboard.press("Enter");
    await page.getByRole("region", { name: "the key" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.keyboard.press("Escape");
    await page.getByRole("alert").getByText("Did you copy the key?").waitFor();
    await page.getByRole("region", { name: "the key" }).waitFor();
  });

  it("keeps a long numeric visitor id in the URL exact", async () => {
    const { page } = await site.open(`/agents/${agentId}/conversations?userId=281474976710656123456`);
    await page.getByRole("button", { name: /^Visitor 281474976710656123456/ }).waitFor();
    await page.reload();
    await page.getByRole("button", { name: /^Visitor 281474976710656123456/ }).waitFor();
  });

  it("offers the newest entries for an audit log page that does not exist", async () => {
    const { page } = await site.signIn();
    for (const wrong of ["1e300", "0", "-3", "last"]) {
      await page.goto(`${site.server.url}/dashboard/settings/audit-log?page=${wrong}`);
      await page.getByRole("table").waitFor();
    }
  });

  it("shows a submission whose answer cannot be encoded in a URL", async () => {
    const { page, problems } = await site.signIn();
    const formSchema = { fields: [{ name: "phone", label: "Phone", type: "tel" }] };
    const form = { agentId, name: "call_back", description: "Calls back", executionType: "form", formSchema };
    const tool = await site.call(page, "POST", "/tools", { ...form, inputSchema: { type: "object" } });
    const body = { toolId: tool.id, formData: { phone: "12\ud80034" }, fieldsCompleted: [], impressionAt: -1e18 };
    const { submissionId } = await site.call(page, "POST", "/form-submissions/submit", body);
    await page.goto(`${site.server.url}/dashboard/agents/${agentId}/forms/${submissionId}`);
    await page.getByRole("heading", { name: "Answers" }).waitFor();
    await page.getByRole("link", { name: /^12/ }).waitFor();
    expect(problems).toEqual([]);
  });

  it("reports that a sign-in link could not be requested", async () => {
    const { page } = await site.browser.openWarm();
    await page.goto(`${site.server.url}/dashboard/sign-in?next=${encodeURIComponent("http://[")}`);
    await page.route("**/auth/magic-link", (route) => route.abort());
    await page.getByLabel("Email").fill(site.owner.email);
    await page.getByRole("button", { name: "Email me a sign-in link" }).click();
    await page.getByRole("alert").getByText("The server could not be reached.").waitFor();
  });

  it("reports that the session could not be loaded", async () => {
    const inside = (await site.signIn()).page;
    const invited = { email: "new@example.com", role: "member" };
    const { url } = await site.call(inside, "POST", "/invitations", invited);
    const { page } = await site.browser.openWarm();
    await page.route("**/auth/session", (route) => route.abort());
    await page.goto(url);
    await page.getByRole("alert").waitFor();
    await page.unroute("**/auth/session");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("heading", { name: /^Join / }).waitFor();
  });
});

describe("the dashboard", () => {
  let site: DashboardSite;
  let agentId: string;
  beforeAll(async () => {
    site = await startDashboardSite();
    const { page } = await site.signIn();
    agentId = (await site.call(page, "POST", "/agents", { name: "Harbour" })).data.id;
    for (const name of ["opening_hours", "stock_lookup"]) {
      await site.call(page, "POST", "/tools", {
        agentId,
        name,
        description: "Looks something up.",
        executionType: "mock",
        mockResponse: "9 to 18",
        inputSchema: { type: "object", properties: {} },
      });
    }
    const form = await site.call(page, "POST", "/tools", {
      agentId,
      name: "test_ride",
      description: "Books a test ride.",
      executionType: "form",
      inputSchema: { type: "object" },
      formSchema: { fields: [{ name: "name", label: "Name", type: "text" }] },
    });
    await site.call(page, "POST", "/form-submissions/submit", {
      toolId: form.id,
      formData: { name: "Ada Lovelace" },
      fieldsCompleted: ["name"],
    });
    await site.call(page, "POST", `/triggers?agentId=${agentId}`, {
      name: "Large cart",
      triggerType: "page_view",
      conditions: { page: "/cart" },
      actionType: "open_chat",
      actionConfig: {},
    });
    await insertConversation(site.server.deps.db, { organizationId: site.owner.organizationId, agentId }, {}, [
      { content: "Do you rent tandems?" },
    ]);
    await page.context().close();
  });
  afterAll(() => site.stop());

  const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent ?? "");
  const open = (path: string, context: BrowserContextOptions = {}) => site.open(path, { context });

  it("opens the clicked row, in a new tab with a modifier key or the middle button, and opens nothing when text was selected", async () => {
    const { page, problems } = await open(`/agents/${agentId}/tools`);
    const row = page.getByRole("row").filter({ hasText: "Looks something up." }).first();
    const href = await row.getByRole("link").getAttribute("href");
    const description = row.getByText("Looks something up.");
    for (const options of [{ button: "middle" as const }, { modifiers: ["ControlOrMeta" as const] }]) {
      const [tab] = await Promise.all([page.context().waitForEvent("page"), description.click(options)]);
      await tab.waitForURL(`**${href}`);
      await tab.close();
    }
    const box = await description.boundingBox();
    if (!box) throw new Error("the description is not visible");
    const middle = box.y + box.height / 2;
    await page.mouse.move(box.x + 2, middle);
    await page.mouse.down();
    await page.mouse.move(box.x + 60, middle, { steps: 4 });
    await page.mouse.up();
    await expect.poll(() => page.evaluate(() => getSelection()?.toString())).not.toBe("");
    expect(new URL(page.url()).pathname).toBe(`/dashboard/agents/${agentId}/tools`);
    await page.evaluate(() => getSelection()?.empty());
    await description.click();
    await page.waitForURL(`**${href}`);
    expect(problems).toEqual([]);
  });

  it("returns the focus to where it was when a dialog or the search closes", async () => {
    const { page } = await open("/settings/secrets");
    const button = page.getByRole("main").getByRole("button").first();
    const name = (await button.textContent()) ?? "";
    await button.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => focused(page)).toBe(name);
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog", { name: "Search" }).waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => focused(page)).toBe(name);
  });

  it("finds tools by name, and by id only when the whole id is typed", async () => {
    const { page } = await open(`/agents/${agentId}`);
    await page.getByRole("button", { name: "Save" }).or(page.getByLabel("System prompt")).first().waitFor();
    await page.keyboard.press("Control+k");
    const search = page.getByRole("combobox", { name: "Search" });
    await search.fill("hours");
    await page.getByRole("option", { name: "Opening hours" }).waitFor();
    await search.fill(agentId.slice(-6));
    await page.getByText("Nothing found.").waitFor();
    await search.fill(agentId);
    await page.getByRole("option", { name: "Harbour" }).waitFor();
    await search.fill("opening ho");
    await page.getByRole("option", { name: "Opening hours" }).click();
    await page.waitForURL(/\/tools\/tool_/);
  });

  it("finds triggers by name, submissions by their answers and conversations by their text", async () => {
    const { page } = await open(`/agents/${agentId}`);
    await page.getByLabel("System prompt").waitFor();
    await page.keyboard.press("Control+k");
    const search = page.getByRole("combobox", { name: "Search" });
    const found = async (text: string, group: string, name: string) => {
      await search.fill(text);
      const option = page.getByRole("group", { name: group }).getByRole("option", { name });
      await option.waitFor();
      return option;
    };
    await found("large c", "Triggers", "Large cart");
    await found("lovel", "Submissions", "Ada Lovelace");
    await site.call(page, "POST", "/documents", { agentId, kind: "text", title: "Warranty terms", text: "Two years." });
    await found("warranty", "Documents", "Warranty terms");
    await found("create tr", "Actions", "Create trigger");
    await (await found("dark", "Actions", "Switch to the dark theme")).click();
    await expect.poll(() => page.evaluate(() => document.documentElement.dataset.theme)).toBe("dark");
    await page.keyboard.press("Control+k");
    await (await found("tandems", "Conversations", "Do you rent tandems?")).click();
    await page.waitForURL(/\/conversations\/conv_/);
  });

  it("grows text areas with their text in browsers without field-sizing", async () => {
    const { page } = await site.signIn({ context: { bypassCSP: true } });
    await page.addInitScript(() => {
      const supports = CSS.supports.bind(CSS);
      CSS.supports = (...[name, value]: string[]) => name !== "field-sizing" && supports(name ?? "", value ?? "");
    });
    await page.goto(`${site.server.url}/dashboard/agents/${agentId}`);
    const prompt = page.getByLabel("System prompt");
    await prompt.waitFor();
    await page.addStyleTag({ content: "textarea { field-sizing: fixed !important }" });
    await prompt.fill("Short.");
    const height = () => prompt.evaluate((area) => area.getBoundingClientRect().height);
    const short = await height();
    await prompt.fill("A line.\n".repeat(18));
    await expect.poll(() => height()).toBeGreaterThan(short + 40);
    await expect.poll(() => prompt.evaluate((area) => area.scrollHeight - area.clientHeight)).toBeLessThanOrEqual(1);
  });

  it("keeps the navigation on an unknown URL, with an account menu no wider than the sidebar", async () => {
    const { email } = await createOwner(site.server, `${"long".repeat(15)}@example.com`);
    const { page } = await site.open("/no/such/page", { email });
    await page.getByRole("heading", { name: "Page not found" }).waitFor();
    await page.getByRole("navigation", { name: "Main" }).waitFor();
    const account = await page.getByRole("button", { name: "Account menu" }).boundingBox();
    const sidebar = await page.getByRole("navigation", { name: "Main" }).boundingBox();
    const endOf = (box: typeof account) => (box?.x ?? 0) + (box?.width ?? 0);
    expect(endOf(account)).toBeLessThanOrEqual(endOf(sidebar));
    await expect.poll(() => page.title()).toBe("Page not found · Foyer");
    expect(await accessibilityProblems(page)).toEqual([]);
  });
});
