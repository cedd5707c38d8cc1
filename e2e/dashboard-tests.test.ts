import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { expectFit } from "../test/browser.ts";
import { insertConversation } from "../test/conversation-seed.ts";
import { type DashboardSite, startDashboardSite } from "../test/dashboard-site.ts";

const prompt = `You are Harbour, the assistant of Harbour Bikes.

# Opening hours
- Tuesday to Friday: open from 9:00 to 18:00
- Saturday: open from 10:00 to 16:00
`;

describe("tests of an agent in the dashboard", () => {
  let site: DashboardSite;
  let page: Page;
  let problems: string[];
  let agentId: string;
  beforeAll(async () => {
    site = await startDashboardSite();
  });
  afterAll(() => site.stop());
  beforeEach(async () => {
    ({ page, problems } = await site.signIn());
    agentId = (await site.call(page, "POST", "/agents", { name: "Harbour", systemPrompt: prompt })).data.id;
  });

  const go = (rest = "") => page.goto(`${site.server.url}/dashboard/agents/${agentId}${rest}`);
  const change = (body: object) => site.call(page, "PATCH", `/agents/${agentId}`, body);
  const listTests = async () => (await site.call(page, "GET", `/agents/${agentId}/tests`)).data;
  const addTest = async (name: string, text: string) => {
    const turns = ["When are you open on Saturday?"];
    return site.call(page, "POST", `/agents/${agentId}/tests`, { name, turns, checks: [{ kind: "says", text }] });
  };
  const addTool = () =>
    site.call(page, "POST", "/tools", {
      agentId,
      name: "stock_lookup",
      description: "Says what is in stock",
      executionType: "mock",
      mockResponse: "3",
      inputSchema: { type: "object", properties: {} },
    });
  const row = (name: string) =>
    page.getByRole("list", { name: "Tests" }).getByRole("listitem").filter({ hasText: name });
  const addConversation = (feedback: "down" | null) =>
    insertConversation(site.server.deps.db, { organizationId: site.owner.organizationId, agentId }, {}, [
      { content: "When are you open on Saturday?" },
      { content: "We are open on Saturday from ten to four, and we look forward to your visit.", feedback },
    ]);

  it("creates a test by hand and runs it", async () => {
    await addTool();
    await go("/tests");
    await page.getByRole("heading", { name: "No tests yet" }).waitFor();
    await expectFit(page);
    await page.getByRole("link", { name: "Create test" }).click();
    await page.getByLabel("Name").fill("Stock");
    await page.getByRole("textbox", { name: "The visitor's message" }).fill("Please call stock_lookup");
    await page.getByLabel("Check 1", { exact: true }).selectOption("Calls a tool");
    await page.getByLabel("Tool", { exact: true }).fill("stock_lookup");
    await page.getByLabel("Tool", { exact: true }).press("Escape");
    await page.getByRole("button", { name: "Add check" }).click();
    await page.getByLabel("Text").fill("seven");
    await page.getByRole("button", { name: "Add answer" }).click();
    await page.getByLabel("Tool", { exact: true }).last().fill("stock_lookup");
    await page.getByLabel("Tool", { exact: true }).last().press("Escape");
    await page.getByLabel("Answer", { exact: true }).fill("seven bikes");
    await expectFit(page);
    await site.picture(page, "dashboard-test-new");
    await page.getByRole("button", { name: "Create test" }).click();
    await page.getByRole("heading", { level: 1, name: "Stock" }).waitFor();
    expect(await listTests()).toMatchObject([
      {
        name: "Stock",
        turns: ["Please call stock_lookup"],
        checks: [
          { kind: "tool_called", tool: "stock_lookup" },
          { kind: "says", text: "seven" },
        ],
        results: { stock_lookup: "seven bikes" },
      },
    ]);
    await page.getByLabel("Times").selectOption("3");
    await page.getByRole("button", { name: "Run test" }).click();
    await page.getByText("Passed 3 of 3").waitFor();
    await expectFit(page);
    await site.picture(page, "dashboard-test-run");
    expect(problems).toEqual([]);
  });

  it("shows fields that are wrong, and creates nothing", async () => {
    await go("/tests/new");
    await page.getByLabel("Name").fill("Broken");
    await page.getByRole("textbox", { name: "The visitor's message" }).fill("Hello");
    await page.getByLabel("Check 1", { exact: true }).selectOption("Calls a tool");
    await page.getByLabel("Arguments (optional)").fill("{days}");
    await page.getByRole("button", { name: "Create test" }).click();
    await page.getByText(/^Line 1: /).waitFor();
    await page.getByLabel("Arguments (optional)").fill('{"days": 2}');
    await page.getByRole("button", { name: "Create test" }).click();
    await expect.poll(() => page.locator("[aria-invalid=true]").count()).toBe(1);
    await expectFit(page);
    await site.picture(page, "dashboard-test-errors");
    expect(await listTests()).toEqual([]);
  });

  it("runs all tests with the draft or a version and says what came instead", async () => {
    await addTest("Saturday", "14:00");
    await addTest("Week", "Saturday");
    await change({ publishing: "manual" });
    await change({ systemPrompt: prompt.replace("16:00", "14:00") });
    await go("/tests");
    await page.getByRole("button", { name: "Run all tests" }).click();
    await page.getByText("All 2 tests passed.").waitFor();
    await page.getByLabel("Run with").selectOption("Version 1 (live)");
    await page.getByRole("button", { name: "Run all tests" }).click();
    await page.getByText("1 of 2 tests passed.").waitFor();
    await row("Saturday").getByText("Says “14:00”").waitFor();
    await row("Saturday").getByText("10:00 to 16:00").waitFor();
    await row("Week").getByText("Passed").waitFor();
    await expectFit(page);
    await site.picture(page, "dashboard-tests");
    expect(problems).toEqual([]);
  });

  it("changes and deletes a test", async () => {
    await addTest("Saturday", "14:00");
    await go("/tests");
    await page.getByRole("link", { name: "Saturday" }).click();
    await page.getByLabel("Text").fill("16:00");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Not saved yet", { exact: true }).waitFor({ state: "detached" });
    expect((await listTests())[0].checks).toEqual([{ kind: "says", text: "16:00" }]);
    await page.getByRole("button", { name: "Delete Saturday" }).click();
    await page.getByRole("button", { name: "Delete test" }).click();
    await page.getByRole("heading", { name: "No tests yet" }).waitFor();
    expect(await listTests()).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("publishes only what passes the tests, and names those that fail", async () => {
    await addTest("Saturday hours", "16:00");
    await change({ publishing: "manual" });
    await go("/tests");
    await page.getByRole("switch", { name: "Publish only when all tests pass" }).click();
    await expect
      .poll(async () => (await site.call(page, "GET", `/agents/${agentId}`)).data.publishRequiresTests)
      .toBe(true);
    await change({ systemPrompt: prompt.replace("16:00", "14:00") });
    await go("/tests");
    await page.getByRole("button", { name: "Review and publish" }).click();
    const dialog = page.getByRole("dialog", { name: "Draft: 1 change" });
    await dialog.getByRole("button", { name: "Publish" }).click();
    await dialog.getByText("Not published, because a test fails with the draft:").waitFor();
    await dialog.getByText("Saturday hours").waitFor();
    await dialog.getByText("Says. Got: Opening hours:").waitFor();
    await expectFit(page);
    await site.picture(page, "dashboard-publish-refused");
    await dialog.getByRole("link", { name: "Go to the tests" }).click();
    await dialog.waitFor({ state: "detached" });
    await change({ systemPrompt: prompt.replace("9:00", "8:00") });
    await go("/tests");
    await page.getByRole("button", { name: "Review and publish" }).click();
    await page.getByRole("button", { name: "Publish", exact: true }).click();
    await page.getByText("Visitors get version 2 now").waitFor();
  });

  it("says on the page of an agent without drafts that nothing is tested before it is live", async () => {
    await addTest("Saturday", "16:00");
    await go("/tests");
    await page.getByText("Changes of this agent are live as soon as they are saved").waitFor();
    await page.getByRole("link", { name: "publish by hand" }).click();
    await page.getByRole("heading", { level: 1, name: "Versions" }).waitFor();
  });

  it("keeps a conversation as a test", async () => {
    const id = await addConversation(null);
    await go(`/conversations/${id}`);
    await page.getByRole("button", { name: "Keep as test" }).click();
    await page.getByRole("dialog").getByText("The test is deleted with the conversation.").waitFor();
    await expectFit(page);
    await site.picture(page, "dashboard-keep-as-test");
    await page.getByRole("button", { name: "Create test" }).click();
    await page.getByRole("heading", { level: 1, name: "When are you open on Saturday?" }).waitFor();
    await page.getByText("Kept from a conversation.").waitFor();
    expect(await listTests()).toMatchObject([{ conversationId: id, checks: [{ kind: "language", language: "en" }] }]);
    await expectFit(page);
    expect(problems).toEqual([]);
  });

  it("says why a conversation without a completed reply cannot be kept as a test", async () => {
    const id = await insertConversation(
      site.server.deps.db,
      { organizationId: site.owner.organizationId, agentId },
      {},
      [{ content: "When are you open on Saturday?" }, { content: "", stopReason: "error" }],
    );
    await go(`/conversations/${id}`);
    await page.getByRole("button", { name: "Keep as test" }).click();
    await page.getByRole("button", { name: "Create test" }).click();
    await page.getByRole("dialog").getByText("This conversation has no completed reply of the agent").waitFor();
    await expectFit(page);
    await site.picture(page, "dashboard-keep-refused");
    expect(await listTests()).toEqual([]);
  });

  it("keeps the conversation up to a reply that was rated bad as a test", async () => {
    const id = await addConversation("down");
    await go(`/conversations/${id}`);
    const reply = page.getByRole("article").filter({ hasText: "Rated bad" });
    await reply.getByRole("button", { name: "Keep as test" }).click();
    await page.getByRole("dialog").getByText("because the reply was rated bad").waitFor();
    await expectFit(page);
    await page.getByLabel("Name (optional)").fill("Saturday in detail");
    await page.getByRole("button", { name: "Create test" }).click();
    await page.getByRole("heading", { level: 1, name: "Saturday in detail" }).waitFor();
    expect(await listTests()).toMatchObject([{ name: "Saturday in detail", conversationId: id }]);
  });
});
