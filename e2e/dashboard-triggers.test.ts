import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { accessibilityProblems, expectFit } from "../test/browser.ts";
import { type DashboardSite, nextTurn, startDashboardSite } from "../test/dashboard-site.ts";
import { createOwner } from "../test/session-client.ts";

const bubble = {
  actionType: "show_bubble",
  actionConfig: { message: "Any questions about prices?", duration: 10_000 },
};
const harbour = [
  { name: "Help with prices", triggerType: "page_view", conditions: { page: "/pricing" }, ...bubble },
  { name: "Before visitors leave", triggerType: "exit_intent", conditions: {}, ...bubble },
  {
    name: "Large cart",
    triggerType: "custom_event",
    conditions: { event: "cart_updated", eventData: { total: { $gte: 500 } } },
    actionType: "open_chat",
    actionConfig: { message: "Can I pay in instalments?" },
  },
  { name: "Half read", triggerType: "scroll_depth", conditions: { scrollDepth: 50 }, ...bubble, isEnabled: false },
];

describe("the triggers area of the dashboard", () => {
  let site: DashboardSite;
  let page: Page;
  let problems: string[];
  let agentId: string;
  let formId: string;
  beforeAll(async () => {
    site = await startDashboardSite();
  });
  afterAll(() => site.stop());
  beforeEach(async () => {
    ({ page, problems } = await site.signIn());
    const widget = { title: "Harbour", greeting: "Hello. Which bike are you looking for?" };
    agentId = (await site.call(page, "POST", "/agents", { name: "Harbour", widget })).data.id;
    const fields = [
      { name: "name", label: "Name", type: "text" },
      { name: "email", label: "E-mail", type: "email" },
    ];
    const form = { agentId, name: "test_ride", description: "Books a test ride", executionType: "form" };
    const tool = { ...form, formSchema: { fields, submitLabel: "Book it" }, inputSchema: { type: "object" } };
    formId = (await site.call(page, "POST", "/tools", tool)).id;
  });

  const go = (rest = "") => page.goto(`${site.server.url}/dashboard/agents/${agentId}/triggers${rest}`);
  const add = async (trigger: object) => site.call(page, "POST", `/triggers?agentId=${agentId}`, trigger);
  const addAll = async () => {
    for (const trigger of harbour) await add(trigger);
    return triggers();
  };
  const triggers = (): Promise<Array<{ id: string; name: string; priority: number; isEnabled: boolean }>> =>
    site.call(page, "GET", `/triggers?agentId=${agentId}`);
  const names = async () => (await triggers()).map(({ name }) => name);
  const shown = () =>
    page
      .getByRole("list", { name: /^Triggers/ })
      .getByRole("link")
      .allInnerTexts();
  const count = async (triggerId: string, perDay: Array<readonly [fired: number, converted: number]>) => {
    const days = perDay.map(([fired, converted], ago) => ({
      triggerId,
      fired,
      converted,
      day: new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10),
    }));
    await site.server.deps.db.insertInto("triggerDays").values(days).execute();
  };

  it("describes each trigger and shows its figures", async () => {
    const [first] = await addAll();
    await count(first?.id ?? "", [
      [30, 3],
      [10, 1],
    ]);
    await go();
    await page.getByText("On /pricing. Says “Any questions about prices?” for 10 s.").waitFor();
    await page.getByText("On event cart_updated where total is at least 500.").waitFor();
    await page.getByText("10% rate").waitFor();
    await site.picture(page, "dashboard-triggers");
    await expectFit(page);
    const toggle = page.getByRole("switch", { name: "Help with prices enabled" });
    await toggle.click();
    await expect.poll(async () => (await triggers())[0]?.isEnabled).toBe(false);
    await expect.poll(() => toggle.getAttribute("aria-checked")).toBe("false");

    await page.route("**/toggle", (route) => route.abort());
    await toggle.click();
    await page.getByText("Help with prices is still disabled.").waitFor();
    await expect.poll(() => toggle.getAttribute("aria-checked")).toBe("false");
    expect(problems).toEqual([]);
  });

  it("reorders triggers by dragging and with the keyboard", async () => {
    await addAll();
    await go();
    const handle = page.getByRole("button", { name: "Move Large cart" });
    const [from, to] = [
      await handle.boundingBox(),
      await page.getByRole("button", { name: "Move Help with prices" }).boundingBox(),
    ];
    await page.mouse.move((from?.x ?? 0) + 10, (from?.y ?? 0) + 10);
    await page.mouse.down();
    await page.mouse.move((to?.x ?? 0) + 10, (to?.y ?? 0) + 20, { steps: 8 });
    await page.mouse.move((to?.x ?? 0) + 10, (to?.y ?? 0) + 6, { steps: 4 });
    await page.mouse.up();
    await expect.poll(names).toEqual(["Large cart", "Help with prices", "Before visitors leave", "Half read"]);
    await expect.poll(shown).toEqual(await names());

    await page.getByRole("button", { name: "Move Half read" }).focus();
    await page.keyboard.press("Space");
    await page.getByText("Half read at position 4 of 4.").waitFor({ state: "attached" });
    await nextTurn(page);
    await page.keyboard.press("ArrowUp");
    await page.getByText("Half read at position 3 of 4.").waitFor({ state: "attached" });
    await page.keyboard.press("Space");
    await expect.poll(names).toEqual(["Large cart", "Help with prices", "Half read", "Before visitors leave"]);

    await page.getByRole("button", { name: "Actions for Before visitors leave" }).click();
    await page.getByRole("menuitem", { name: "Move up" }).click();
    await expect.poll(names).toEqual(["Large cart", "Help with prices", "Before visitors leave", "Half read"]);
    await page.reload();
    await expect.poll(shown).toEqual(await names());
  });

  it("creates a trigger with a form from a template", async () => {
    await go();
    await page.getByRole("heading", { name: "No triggers yet" }).waitFor();
    await page.getByRole("link", { name: "Large cart" }).waitFor();
    await site.picture(page, "dashboard-triggers-empty");
    await expectFit(page);
    await page.getByRole("link", { name: "Show “Test ride” on the contact page" }).click();
    await page.getByLabel("Page", { exact: true }).fill("/bikes/*");
    await page.getByRole("listitem").filter({ hasText: "/bikes/tender-2" }).getByText("Matches").waitFor();
    await page.getByRole("listitem").filter({ hasText: "/pricing" }).getByText("No match").waitFor();
    const preview = page.frameLocator("iframe");
    await preview.getByRole("button", { name: "Book it", includeHidden: true }).waitFor();
    await page.getByLabel("Action").selectOption("show_bubble");
    await page.getByLabel("Message", { exact: true }).fill("Which bike are you looking for?");
    await preview.locator(".nudge").getByText("Which bike are you looking for?").waitFor();
    await page.getByLabel("Action").selectOption("open_chat");
    await expect.poll(() => preview.locator(".panel textarea").inputValue()).toBe("Which bike are you looking for?");
    await page.getByLabel("Action").selectOption("show_form");
    await site.picture(page, "dashboard-trigger-new");
    await expectFit(page);
    await page.getByRole("button", { name: "Create trigger" }).click();
    await page.getByRole("heading", { name: "Show “Test ride” on the contact page" }).waitFor();
    const [made] = await site.call(page, "GET", `/triggers?agentId=${agentId}`);
    expect(made).toMatchObject({
      conditions: { page: "/bikes/*" },
      actionConfig: { toolId: formId },
      triggerOnce: true,
    });
    expect(page.url()).toContain(`/triggers/${made.id}`);
    expect(problems).toEqual([]);
  });

  it("shows errors of a trigger at its fields", async () => {
    await go();
    await page.getByRole("link", { name: "Create trigger" }).first().click();
    await page.getByRole("button", { name: "Create trigger" }).click();
    // The message is the first invalid field on the page, so it has the focus.
    await page.locator("textarea[aria-invalid=true]:focus").waitFor();
    const name = page.getByRole("textbox", { name: "Name", exact: true });
    await name.and(page.locator("[aria-invalid=true]")).waitFor();
    await name.fill("Trial");
    await page.getByLabel("Trigger type").selectOption("page_view");
    await page.getByLabel("Page", { exact: true }).fill("pricing");
    await page.getByRole("button", { name: "Create trigger" }).click();
    await page.getByText("Must start with / (/pricing, /blog/**) or be ** for every page.", { exact: true }).waitFor();
    await expectFit(page);
    // Leaving asks for confirmation first.
    await page.getByRole("link", { name: "Cancel" }).click();
    await page.getByRole("dialog", { name: "Leave without saving?" }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole("button", { name: "Discard changes" }).click();
    await page.getByRole("heading", { name: "Triggers", exact: true }).waitFor();
  });

  it("edits conditions on event data as rows and as JSON", async () => {
    const { id } = await add(harbour[2] ?? {});
    await count(
      id,
      Array.from({ length: 30 }, (_, ago) => [20 + ((ago * 7) % 13), (ago * 5) % 6] as const),
    );
    await go(`/${id}`);
    await page.getByText("This event runs the trigger.").waitFor();
    await page.getByRole("button", { name: "Add condition" }).click();
    await page.getByLabel("Condition 2: field").fill("items.sku");
    await page.getByLabel("Condition 2: comparison").selectOption("$in");
    await page.getByLabel("Condition 2: value").fill("tender-9, tandem");
    await page.getByRole("listitem").filter({ hasText: "items.sku is one of" }).getByText("No match").waitFor();
    await page.getByRole("listitem").filter({ hasText: "total is at least 500" }).getByText("Matches").waitFor();
    await page.locator("[data-bar]").last().waitFor();
    await site.picture(page, "dashboard-trigger");
    await expectFit(page);
    await page.getByRole("button", { name: "Edit as JSON" }).click();
    const json = page.getByLabel("Conditions as JSON");
    expect(JSON.parse(await json.inputValue())).toEqual({
      total: { $gte: 500 },
      "items.sku": { $in: ["tender-9", "tandem"] },
    });
    await json.fill('{ "total": { "$over": 5 } }');
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("total.$over must be one of $eq", { exact: false }).waitFor();
    await json.fill('{ "total": { "$gt": 700 } }');
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved", { exact: true }).waitFor();
    await expect
      .poll(async () => (await site.call(page, "GET", `/triggers/${id}`)).conditions.eventData)
      .toEqual({ total: { $gt: 700 } });

    await page.getByText("Show as a table").click();
    await expect
      .poll(() => page.getByRole("region", { name: "Fired and converted by day" }).getByRole("row").count())
      .toBe(31);
    await page.getByRole("radio", { name: "7 days" }).check();
    await expect
      .poll(() => page.getByRole("region", { name: "Fired and converted by day" }).getByRole("row").count())
      .toBe(8);
    await page.getByRole("button", { name: "Delete Large cart" }).click();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole("dialog").getByRole("button", { name: "Delete trigger" }).click();
    await page.getByRole("heading", { name: "No triggers yet" }).waitFor();
    expect(await triggers()).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("shows no triggers of another organization", async () => {
    const { id } = await add(harbour[0] ?? {});
    const { email } = await createOwner(site.server);
    const other = await site.open(`/agents/${agentId}/triggers/${id}`, { email });
    await other.page.getByRole("heading", { name: "Not found" }).waitFor();
    await other.page.context().close();
  });
});
