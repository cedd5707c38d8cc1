import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { accessibilityProblems, measureOverflow } from "../test/browser.ts";
import { insertConversation } from "../test/conversation-seed.ts";
import { type DashboardSite, nextTurn, startDashboardSite } from "../test/dashboard-site.ts";

const MINUTE_MS = 60_000;

describe("the order of the inbox", () => {
  let site: DashboardSite;
  let agentId: string;
  let ids: { old: string; fresh: string; first: string; second: string };
  beforeAll(async () => {
    site = await startDashboardSite();
    const { page } = await site.signIn();
    agentId = (await site.call(page, "POST", "/agents", { name: "Harbour", handoff: { isEnabled: true } })).data.id;
    const owner = { organizationId: site.owner.organizationId, agentId };
    const now = Date.now();
    const insert = (title: string, minutes: number, isRead = false) => {
      const createdAt = now - minutes * MINUTE_MS;
      const preview = { lastMessageRole: "user", lastMessagePreview: title, lastMessageAt: createdAt } as const;
      const fields = { createdAt, updatedAt: createdAt, ...preview, ...(isRead ? { readAt: now } : {}) };
      return insertConversation(site.server.deps.db, owner, fields, [{ content: title }, { content: "Yes." }]);
    };
    ids = {
      old: await insert("Asked last week", 7 * 24 * 60, true),
      fresh: await insert("Asked a minute ago", 1, true),
      first: await insert("Waits the longest", 30),
      second: await insert("Waits as well", 20),
    };
    for (const id of [ids.first, ids.second]) await site.call(page, "POST", `/conversations/${id}/handoff`, {});
    await page.context().close();
  });
  afterAll(() => site.stop());

  const rows = (scope: Page | Locator) => scope.locator("[data-conversation]");
  const titles = async (scope: Page | Locator) =>
    (await rows(scope).allInnerTexts()).map((text) => /Asked[\w ]+|Waits[\w ]+/.exec(text)?.[0].trim());

  it("lists each conversation once: the waiting ones in a group, and the others by their last activity", async () => {
    const { page, problems } = await site.open(`/agents/${agentId}/conversations`);
    const waiting = page.getByRole("region", { name: "Waiting for a person" });
    await page.getByRole("heading", { name: "Waiting for a person", level: 2 }).waitFor();
    await expect.poll(() => titles(waiting)).toEqual(["Waits the longest", "Waits as well"]);
    await expect
      .poll(() => titles(page))
      .toEqual(["Waits the longest", "Waits as well", "Asked a minute ago", "Asked last week"]);
    // A customer comes back to last week's conversation.
    const messages = [{ role: "user", content: "And on Sunday?" }];
    await site.call(page, "POST", "/chat", { agentId, conversationId: ids.old, messages }).catch(() => {});
    await expect
      .poll(() => titles(page))
      .toEqual(["Waits the longest", "Waits as well", "Asked last week", "Asked a minute ago"]);
    const { updatedAt } = (await site.call(page, "GET", `/conversations/${ids.old}`)).data;
    const time = rows(page).filter({ hasText: "Asked last week" }).locator("time");
    await expect.poll(() => time.getAttribute("datetime")).toBe(updatedAt);
    await page.getByTitle("4 messages").waitFor();
    await site.picture(page, "dashboard-inbox-order");
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("stops once at each conversation with j and k", async () => {
    const { page } = await site.open(`/agents/${agentId}/conversations`);
    await rows(page).nth(3).waitFor();
    await nextTurn(page);
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute("data-conversation") ?? "");
    const all = await rows(page).evaluateAll((links) => links.map((link) => link.getAttribute("data-conversation")));
    expect(new Set(all).size).toBe(4);
    for (const id of all) {
      await page.keyboard.press("j");
      await expect.poll(focused).toBe(id);
    }
    for (const id of all.toReversed().slice(1)) {
      await page.keyboard.press("k");
      await expect.poll(focused).toBe(id);
    }
  });

  it("moves on by two when j is pressed twice before the page is drawn again", async () => {
    const { page } = await site.open(`/agents/${agentId}/conversations?view=open`);
    await rows(page).nth(3).waitFor();
    await nextTurn(page);
    const all = await rows(page).evaluateAll((links) => links.map((link) => link.getAttribute("data-conversation")));
    await page.keyboard.press("j");
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute("data-conversation") ?? "");
    await expect.poll(focused).toBe(all[0]);
    await page.evaluate(async () => {
      for (let count = 0; count < 2; count++) {
        document.activeElement?.dispatchEvent(new KeyboardEvent("keydown", { key: "j", bubbles: true }));
        await new Promise((resolve) => setTimeout(resolve));
      }
    });
    await nextTurn(page);
    expect(await focused()).toBe(all[2]);
  });

  it("lists only unread conversations in a view of their own", async () => {
    const { page, problems } = await site.open(`/agents/${agentId}/conversations`);
    await page.getByRole("tab", { name: "Unread" }).click();
    await expect.poll(() => page.url()).toContain("view=unread");
    await page.getByRole("heading", { name: "3 conversations" }).waitFor();
    await expect.poll(() => titles(page)).not.toContain("Asked a minute ago");
    await site.picture(page, "dashboard-inbox-unread");
    expect(await accessibilityProblems(page)).toEqual([]);
    for (const id of [ids.old, ids.first, ids.second]) await site.call(page, "POST", `/conversations/${id}/read`);
    await page.reload();
    await page.getByText("No unread conversations").waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("says that the dates filter by the start, and keeps their fields within the panel", async () => {
    const { page } = await site.open(`/agents/${agentId}/conversations`);
    await page.getByRole("button", { name: "Filters" }).click();
    const fits = async (width: number) => {
      await page.setViewportSize({ width, height: 900 });
      const panel = await page.getByRole("region", { name: "Filters" }).boundingBox();
      for (const name of ["Started from", "Started until"]) {
        const field = await page.getByLabel(name).boundingBox();
        if (!panel || !field) return false;
        if (field.x < panel.x || field.x + field.width > panel.x + panel.width) return false;
      }
      return true;
    };
    for (const width of [390, 768, 1024, 1440]) expect(await fits(width), `${width} px`).toBe(true);
    await site.picture(page, "dashboard-inbox-dates");
    await page.getByLabel("Started from").fill("2026-01-31");
    await page.getByRole("button", { name: /^Started from / }).waitFor();
  });
});

describe("an open conversation", () => {
  let site: DashboardSite;
  let agentId: string;
  beforeAll(async () => {
    site = await startDashboardSite();
    const { db } = site.server.deps;
    await db.updateTable("users").set({ name: "Mara Keller" }).where("email", "=", site.owner.email).execute();
    const { page } = await site.signIn();
    agentId = (await site.call(page, "POST", "/agents", { name: "Harbour", handoff: { isEnabled: true } })).data.id;
    await page.context().close();
  });
  afterAll(() => site.stop());

  const owner = () => ({ organizationId: site.owner.organizationId, agentId });
  const sayings = Array.from({ length: 30 }, (_, at) => ({
    content: `Message ${at + 1}. ${"More of it. ".repeat(8)}`,
  }));
  const insert = (fields: object, said: Parameters<typeof insertConversation>[3] = sayings) =>
    insertConversation(site.server.deps.db, owner(), fields, said);
  const visit = (id: string, options = {}) => site.open(`/agents/${agentId}/conversations/${id}`, options);
  const isInView = (element: Locator) =>
    element.evaluate((node) => {
      const { left, right, top, bottom } = node.getBoundingClientRect();
      return left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight;
    });

  it("names the conversation and the visitor in the title of the tab", async () => {
    const id = await insert({ title: "Where is my order?", userName: "Lin Chen" });
    const { page } = await visit(id);
    await expect.poll(() => page.title()).toBe("Where is my order? · Lin Chen · Foyer");
    await page.getByRole("heading", { name: "Where is my order?", level: 2 }).click();
    await page.keyboard.press("Escape");
    await expect.poll(() => page.title()).toBe("Conversations · Foyer");
  });

  it.each([390, 1440])("keeps Send on a screen of %d px while a message has a long word", async (width) => {
    const id = await insert({});
    const { page } = await visit(id, { context: { viewport: { width, height: 844 } } });
    await page.getByRole("button", { name: "Take over" }).click();
    const address = `https://shop.example/${"a-long-path".repeat(30)}`;
    await page.getByLabel("Message to the visitor").fill(`See ${address}`);
    await expect.poll(() => isInView(page.getByRole("button", { name: "Send", exact: true }))).toBe(true);
    await expect.poll(() => measureOverflow(page)).toBe(0);
    await site.picture(page, `dashboard-composer-${width}`);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole("button", { name: "Return to agent" }).click();
    await page.getByRole("dialog").getByRole("textbox").fill(address);
    await expect.poll(() => measureOverflow(page)).toBe(0);
  });

  it("says that a draft is being written, and keeps the last message above the draft in view", async () => {
    const id = await insert({});
    const { page } = await visit(id);
    await page.getByRole("button", { name: "Take over" }).click();
    const last = page.getByText("Message 30.");
    await expect.poll(() => isInView(last)).toBe(true);
    const answer = Promise.withResolvers<void>();
    await page.route("**/draft", async (route) => {
      await answer.promise;
      await route.fulfill({ json: { data: { text: "A long draft.\n".repeat(20) }, error: null } });
    });
    await page.getByRole("button", { name: "Suggest an answer" }).click();
    await page.getByText("Harbour is writing a draft…").waitFor();
    await site.picture(page, "dashboard-draft");
    expect(await accessibilityProblems(page)).toEqual([]);
    answer.resolve();
    await expect.poll(() => page.getByLabel("Message to the visitor").inputValue()).toContain("A long draft.");
    await page.getByText("Harbour is writing a draft…").waitFor({ state: "detached" });
    const section = page.getByRole("region", { name: "Messages" });
    const hidden = () => section.evaluate((element) => element.scrollHeight - element.scrollTop - element.clientHeight);
    await expect.poll(hidden).toBeLessThan(2);
    await site.picture(page, "dashboard-draft-long");
  });

  it("says by which member a test chat is", async () => {
    const id = await insert({ isTest: 1, userName: "Mara Keller", userEmail: "mara@example.com" });
    const { page } = await visit(id);
    const about = page.getByRole("complementary", { name: "About the visitor" });
    await about.getByText("Test chat by Mara Keller").waitFor();
    await expect.poll(() => about.getByText("Claimed").count()).toBe(0);
    await site.picture(page, "dashboard-test-chat");
  });

  it("lists the fields of a form that the visitor has not submitted, without its controls", async () => {
    const fields = [
      { name: "email", label: "Email address", type: "email", validation: { required: { value: true, message: "" } } },
      { name: "size", label: "Frame size", type: "text" },
    ];
    const formSchema = { fields, submitLabel: "Submit", successMessage: "Submitted", errorMessage: "Error" };
    const form = { toolId: "tool_1", toolName: "test_ride", formSchema, executionMode: "webhook", clientHandler: null };
    const result = { result: "shown", isError: false, display: { type: "form" }, form };
    const call = { id: "call_1", name: "test_ride", toolId: "tool_1", executionType: "form", input: {} };
    const pieces = [{ type: "tool", ...call, result }];
    const id = await insert({}, [{ content: "May I ride it?" }, { content: "", pieces }]);
    const { page, problems } = await visit(id);
    await page.getByText("Form “Test ride” with 2 fields").waitFor();
    await expect
      .poll(() => page.getByRole("list", { name: "Fields" }).getByRole("listitem").allInnerTexts())
      .toEqual(["Email address", "Frame size (optional)"]);
    await page.getByText("Not submitted").waitFor();
    await expect.poll(() => page.getByRole("button", { name: "Submit" }).count()).toBe(0);
    await site.picture(page, "dashboard-unsubmitted-form");
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("shows the visitor's address after a second takeover, and says which answers were emailed", async () => {
    const { page, problems } = await site.signIn();
    const id = await insert({ title: "Invoice 77" });
    await site.call(page, "POST", `/conversations/${id}/handoff`, { email: "lin@shop.example" });
    await site.call(page, "POST", `/conversations/${id}/takeover`, {});
    await site.call(page, "POST", `/conversations/${id}/messages`, { content: "It is on its way." });
    await site.call(page, "POST", `/conversations/${id}/return`, {});
    await site.call(page, "POST", `/conversations/${id}/takeover`, {});
    const answerEmails = [{ to: "lin@shop.example", at: new Date().toISOString(), state: "delivered" }];
    // The email is sent after two minutes without the visitor.
    await page.route(`**/conversations/${id}`, async (route) => {
      if (route.request().resourceType() === "document") return route.continue();
      const response = await route.fetch();
      const body = await response.json();
      await route.fulfill({ response, json: { ...body, data: { ...body.data, answerEmails } } });
    });
    await page.goto(`${site.server.url}/dashboard/agents/${agentId}/conversations/${id}`);
    await page.getByText("While the visitor is away, your answer goes to lin@shop.example.").waitFor();
    await page.getByText("Emailed the answer to lin@shop.example").waitFor();
    const about = page.getByRole("complementary", { name: "About the visitor" });
    await about.getByText("Answers by email").waitFor();
    await about.getByText("lin@shop.example").waitFor();
    await site.picture(page, "dashboard-answer-address");
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(problems).toEqual([]);
  });
});
