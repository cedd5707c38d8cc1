import { readFile } from "node:fs/promises";
import type { Page, Route } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { accessibilityProblems, expectFit, measureOverflow } from "../test/browser.ts";
import { insertConversation, insertManyConversations } from "../test/conversation-seed.ts";
import { type DashboardSite, nextTurn, startDashboardSite } from "../test/dashboard-site.ts";
import { insertHarbourConversations } from "../test/harbour-conversations.ts";
import { createOwner } from "../test/session-client.ts";

/** A day in the page's time zone, which the filters use; `later` is the number of days after today. */
const dayInPage = (page: Page, later: number) =>
  page.evaluate((days) => {
    const day = new Date();
    day.setDate(day.getDate() + days);
    return day.toLocaleDateString("en-CA");
  }, later);

/** Rates a reply. The server pushes what happens in a conversation, but not what a test inserts into the database. */
async function rate(site: DashboardSite, page: Page, id: string): Promise<void> {
  const { messages } = (await site.call(page, "GET", `/conversations/${id}`)).data;
  const messageId = messages.find(({ role }: { role: string }) => role === "assistant").id;
  await site.call(page, "POST", `/conversations/${id}/feedback`, { messageId, rating: "up" });
}

describe("the inbox", () => {
  let site: DashboardSite;
  let agentId: string;
  let conversationIds: { ride: string; failed: string };
  let submissionId: string;
  beforeAll(async () => {
    site = await startDashboardSite();
    const { page } = await site.signIn();
    agentId = (await site.call(page, "POST", "/agents", { name: "Harbour" })).data.id;
    const formSchema = { fields: [{ name: "email", label: "E-mail", type: "email" }] };
    const form = { agentId, name: "test_ride", description: "Books a test ride", executionType: "form", formSchema };
    const tool = await site.call(page, "POST", "/tools", { ...form, inputSchema: { type: "object" } });
    conversationIds = await insertHarbourConversations(site.server.deps.db, owner(), tool.id);
    const payload = { toolId: tool.id, conversationId: conversationIds.ride, formData: { email: "ada@example.com" } };
    ({ submissionId } = await site.call(page, "POST", "/form-submissions/submit", { ...payload, fieldsCompleted: [] }));
    await page.context().close();
  });
  afterAll(() => site.stop());

  const owner = () => ({ organizationId: site.owner.organizationId, agentId });
  const visit = (rest = "?view=all") => site.open(`/agents/${agentId}/conversations${rest}`);
  const row = (page: Page, title: string) => page.getByRole("link", { name: new RegExp(title) });

  it("lists what visitors wrote and shows a conversation beside it", async () => {
    const { page, problems } = await visit();
    await page.getByRole("heading", { name: "9 conversations" }).waitFor();
    await row(page, "cargo bike").click();
    await page.getByRole("heading", { name: /cargo bike/, level: 2 }).waitFor();
    expect(page.url()).toContain(`/conversations/${conversationIds.ride}`);
    await page.getByText("Two of ours carry").waitFor();
    // Visitors' messages remain plain text, in which only web addresses become links.
    await page.getByText("<img src=x onerror=alert(1)> Could I ride it").waitFor();
    const link = page.getByRole("link", { name: "https://harbour.example/bikes/tender-2" });
    await expect.poll(() => link.getAttribute("rel")).toBe("noopener noreferrer nofollow");
    await page.getByText("Rated good").first().waitFor();
    await page.getByText("Bike stock").click();
    await page.getByText("Called as bike_stock").waitFor();
    await page.getByText("API call", { exact: true }).waitFor();
    await page.getByText("Form “Test ride” with").waitFor();
    await page.getByRole("link", { name: "Test ride", exact: true }).waitFor();
    await page.getByText('"seats": 2').waitFor();
    await page.getByText("€4,290").waitFor();
    const submitted = page.getByRole("link", { name: "Submitted: see the answers" });
    await expect.poll(() => submitted.getAttribute("href")).toContain(`/forms/${submissionId}`);
    await site.picture(page, "dashboard-conversation");
    expect(await accessibilityProblems(page)).toEqual([]);

    await row(page, "order 5521").click();
    await page.getByText("Reply failed").waitFor();
    await page.getByText("Stopped before it finished").waitFor();
    await page.getByText("Failed", { exact: true }).waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    await expect.poll(() => measureOverflow(page)).toBe(0);
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("filters and searches conversations and keeps the filters in the URL", async () => {
    const { page, problems } = await visit();
    await page.getByRole("searchbox").fill("instal");
    await page.getByRole("heading", { name: "1 conversation" }).waitFor();
    await row(page, "pay in instalments").waitFor();
    expect(page.url()).toContain("q=instal");
    await page.getByRole("searchbox").fill("");
    await page.getByRole("heading", { name: "9 conversations" }).waitFor();
    await page.getByRole("button", { name: "Filters" }).click();
    await page.getByLabel("Form").selectOption("true");
    await page.getByRole("heading", { name: "1 conversation" }).waitFor();
    await page.getByLabel("Feedback").selectOption("up");
    await page.getByLabel("Until").fill(await dayInPage(page, 1));
    await row(page, "cargo bike").waitFor();
    await site.picture(page, "dashboard-inbox-filters");
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByLabel("Feedback").selectOption("down");
    await page.getByText("No conversations match your search and filters.").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: /^With a form/ }).click();
    await row(page, "order 5521").waitFor();
    // The URL alone restores the same list, and the back link leads to it.
    await page.reload();
    await row(page, "order 5521").click();
    await page.getByRole("heading", { name: "Where is my order 5521?", level: 2 }).waitFor();
    expect(page.url()).toContain("feedback=down");
    await page.getByRole("heading", { name: "1 conversation" }).waitFor();
    await page.goto(`${site.server.url}/dashboard/agents/${agentId}/conversations/${conversationIds.ride}`);
    await page.getByRole("link", { name: "All conversations of this visitor" }).first().click();
    await page.getByRole("button", { name: /^Visitor customer-1042/ }).waitFor();
    await page.getByRole("heading", { name: "1 conversation" }).waitFor();
    expect(problems).toEqual([]);
  });

  it("searches a moment after the last key press, even if the page changes in the meantime", async () => {
    const { page } = await visit();
    const other = row(page, "cargo bike");
    await other.waitFor();
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 60_000);
    await page.getByRole("searchbox").fill("instal");
    await page.clock.runFor(200);
    await other.click();
    await expect.poll(() => page.url()).toContain(`/conversations/${conversationIds.ride}`);
    await page.clock.runFor(60);
    await expect.poll(() => page.url()).toContain("q=instal");
    await page.context().close();
  });

  it("adds tags to a conversation and removes them with the keyboard, and lists the conversations with a tag", async () => {
    const { page, problems } = await visit(`/${conversationIds.ride}`);
    const tags = page.getByRole("list", { name: "Tags", exact: true }).getByRole("listitem");
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
    await page.getByRole("button", { name: "Add tag" }).click();
    const dialog = page.getByRole("dialog", { name: "Add tag" });
    await dialog.getByText("No tags yet.").waitFor();
    await dialog.getByLabel("Find or create a tag").fill("refund");
    await dialog.getByRole("option", { name: "Create “refund”" }).waitFor();
    await site.picture(page, "dashboard-tags-create");
    expect(await accessibilityProblems(page)).toEqual([]);
    for (const name of ["bug", "invoice", "Saturday", "VIP"]) {
      await site.call(page, "POST", `/conversations/${conversationIds.failed}/tags`, { name });
    }
    await page.keyboard.press("Enter");
    await page.getByRole("status").getByText("Added refund.").waitFor();
    await expect.poll(focused).toBe("Add tag");
    await row(page, "order 5521.*Tags: bug, invoice, Saturday, VIP,").getByText("+1").waitFor();

    await page.keyboard.press("g");
    await dialog.getByLabel("Find or create a tag").fill("vip");
    await expect.poll(() => dialog.getByRole("option").allInnerTexts()).toEqual(["VIP"]);
    await page.keyboard.press("Enter");
    await expect.poll(() => tags.allInnerTexts()).toEqual(["refund", "VIP"]);
    await row(page, "cargo bike.*Tags: refund, VIP").waitFor();
    await site.picture(page, "dashboard-tags");
    expect(await accessibilityProblems(page)).toEqual([]);

    await page.getByRole("button", { name: "Filters" }).click();
    await page.getByLabel("Tag", { exact: true }).selectOption({ label: "refund" });
    await page.getByRole("heading", { name: "1 conversation" }).waitFor();
    await page.getByRole("button", { name: "Tagged refund" }).waitFor();
    await expect.poll(() => page.url()).toContain("tag=");
    const removals: Route[] = [];
    await page.route("**/conversations/*/tags/*", (route) => void removals.push(route));
    await page.getByRole("button", { name: "Remove the tag refund" }).press("Enter");
    await expect.poll(focused).toBe("Remove the tag VIP");
    await page.keyboard.press("Enter");
    await expect.poll(focused).toBe("Add tag");
    await expect.poll(() => removals.length).toBe(2);
    for (const route of removals) await route.continue();
    await page.getByText("No conversations match your search and filters.").waitFor();
    await expect.poll(() => tags.count()).toBe(0);
    await expect.poll(focused).toBe("Add tag");
    await page.getByRole("button", { name: "Show all conversations" }).click();
    await row(page, "order 5521").waitFor();
    expect(problems).toEqual([]);
  });

  it("renames and deletes tags in the settings", async () => {
    const { page, problems } = await site.signIn();
    const names = ["invoice", "late delivery", "VIP"];
    for (const name of names) await site.call(page, "POST", `/conversations/${conversationIds.failed}/tags`, { name });
    await page.goto(`${site.server.url}/dashboard/settings/tags`);
    await page.getByRole("button", { name: "Rename VIP" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Invoice");
    await dialog.getByRole("button", { name: "Rename" }).click();
    await dialog.getByRole("alert").waitFor();
    await site.picture(page, "dashboard-settings-tags-rename");
    await expectFit(page);
    await dialog.getByLabel("Name").fill("important");
    await page.keyboard.press("Enter");
    await page.getByText("Tag renamed").waitFor();
    await page.getByRole("row", { name: /^important/ }).waitFor();
    await site.picture(page, "dashboard-settings-tags");
    await page.getByRole("button", { name: "Delete late delivery" }).click();
    await dialog.getByText("This removes the tag from all conversations.").waitFor();
    await site.picture(page, "dashboard-settings-tags-delete");
    expect(await accessibilityProblems(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Delete tag" }).click();
    await page.getByRole("row", { name: /^late delivery/ }).waitFor({ state: "detached" });
    await site.follow(page, `/agents/${agentId}/conversations/${conversationIds.failed}`);
    await row(page, "order 5521.*Tags: .*important").waitFor();
    await row(page, "order 5521.*late delivery").waitFor({ state: "detached" });
    expect(problems).toEqual([]);
  });

  it("supports keyboard shortcuts", async () => {
    const { page } = await visit();
    await row(page, "cargo bike").waitFor();
    await nextTurn(page);
    for (const key of ["j", "j", "ArrowDown", "k"]) {
      await page.keyboard.press(key);
      await nextTurn(page);
    }
    const focused = () =>
      page.evaluate(() => document.activeElement?.closest("[data-conversation]")?.textContent ?? "");
    const isSearching = () => page.evaluate(() => document.activeElement?.getAttribute("type") === "search");
    await expect.poll(focused).toContain("order 5521");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Where is my order 5521?", level: 2 }).waitFor();
    await page.keyboard.press("j");
    await expect.poll(focused).not.toContain("order 5521");
    await page.keyboard.press("k");
    await expect.poll(focused).toContain("order 5521");
    await page.getByRole("heading", { name: "Where is my order 5521?", level: 2 }).click();
    await page.keyboard.press("Escape");
    await page.getByText("Select a conversation to read it here.").waitFor();
    await expect.poll(focused).toContain("order 5521");
    await page.keyboard.press("/");
    await expect.poll(isSearching).toBe(true);
    await page.keyboard.press("ArrowDown");
    await expect.poll(focused).toContain("order 5521");
    // Two keys within one frame: the list, which focuses its row with the next frame, leaves the focus in the search.
    await page.evaluate(async () => {
      for (const key of ["k", "/"]) document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
      for (let frame = 0; frame < 2; frame += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
    });
    await expect.poll(() => isSearching()).toBe(true);
    await page.keyboard.press("ArrowDown");
    await expect.poll(focused).not.toBe("");
    await page.keyboard.press("?");
    const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await help.getByText("Back to the list").waitFor();
    await site.picture(page, "dashboard-inbox-shortcuts");
    expect(await accessibilityProblems(page)).toEqual([]);
    await help.getByRole("switch", { name: "Single-key shortcuts" }).click();
    await page.keyboard.press("Escape");
    await help.waitFor({ state: "detached" });
    await page.keyboard.press("/");
    await expect.poll(() => isSearching()).toBe(false);
  });

  it("asks before it deletes a conversation", async () => {
    const { db } = site.server.deps;
    await insertConversation(db, owner(), {}, [{ content: "To be deleted" }, { content: "Very well" }]);
    const { page } = await visit();
    await row(page, "To be deleted").focus();
    await page.keyboard.press("Delete");
    await page.getByRole("dialog", { name: "Delete this conversation?" }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await row(page, "To be deleted").click();
    await page.getByRole("button", { name: "Delete conversation" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete conversation" }).click();
    await page.getByText("Conversation deleted").waitFor();
    await page.getByText("Select a conversation to read it here.").waitFor();
    await expect.poll(() => row(page, "To be deleted").count()).toBe(0);
    await page.getByRole("heading", { name: "9 conversations" }).waitFor();
  });

  it("updates an open conversation while a reply streams in", async () => {
    const { db } = site.server.deps;
    const id = await insertConversation(db, owner(), {}, [
      { content: "Still writing?" },
      { content: "We have", stopReason: null },
    ]);
    const { page } = await visit(`/${id}`);
    await page.getByText("Replying").waitFor();
    await db
      .updateTable("messages")
      .set({ content: "We have three of them.", stopReason: "end_turn" })
      .where("conversationId", "=", id)
      .where("role", "=", "assistant")
      .execute();
    await page.getByText("We have three of them.").waitFor();
    await page.getByText("Replying").waitFor({ state: "detached" });
    await site.call(page, "DELETE", `/conversations/${id}`);
  });

  it("revokes the links that were emailed for a conversation, after a confirmation", async () => {
    const { page, problems } = await visit();
    const { db } = site.server.deps;
    const id = conversationIds.ride;
    await page.route(`**/conversations/${id}`, async (route) => {
      if (route.request().resourceType() !== "fetch") return route.continue();
      const response = await route.fetch();
      const { data, error } = await response.json();
      const answerEmails = [{ to: "ada@example.com", at: "2026-01-02T10:00:00.000Z", state: "delivered" }];
      await route.fulfill({ response, json: { data: { ...data, answerEmails }, error } });
    });
    await page.goto(`${page.url().split(/[?#]/)[0]}/${id}`);
    const readVersion = async () =>
      (await db.selectFrom("conversations").select("linkVersion").where("id", "=", id).executeTakeFirstOrThrow())
        .linkVersion;
    const before = await readVersion();
    await page.getByRole("button", { name: "Revoke emailed links" }).click();
    await page.getByRole("button", { name: "Revoke links", exact: true }).click();
    await page.getByText("Emailed links revoked").waitFor();
    expect(await readVersion()).toBe(before + 1);
    expect(problems).toEqual([]);
  });

  it("exports a conversation and all filtered conversations", async () => {
    const { page, problems } = await visit(`/${conversationIds.ride}`);
    const save = async (act: () => Promise<void>) => {
      const [file] = await Promise.all([page.waitForEvent("download"), act()]);
      return { name: file.suggestedFilename(), text: await readFile((await file.path()) ?? "", "utf8") };
    };
    const exportAs = (name: string) => async () => {
      await page.getByRole("button", { name: "Export this conversation" }).click();
      await page.getByRole("menuitem", { name }).click();
    };
    const json = await save(exportAs("As JSON"));
    expect([json.name, JSON.parse(json.text).messages.length]).toEqual([`${conversationIds.ride}.json`, 4]);
    const text = await save(exportAs("As plain text"));
    expect(text.text).toContain('(bike_stock {"category":"cargo","seats":2} gave');

    const exportList = async (kind: string) => {
      await page.getByRole("button", { name: "More actions", exact: true }).click();
      await page.getByRole("menuitem", { name: "Export conversations" }).click();
      await page.getByLabel("File").selectOption(kind);
      return save(() => page.getByRole("dialog").getByRole("button", { name: "Export", exact: true }).click());
    };
    const csv = await exportList("csv");
    expect(csv.name).toBe("conversations.csv");
    // The server quotes every cell, so that spreadsheets treat none of them as a formula.
    expect(csv.text.trim().split("\r\n")).toHaveLength(10);
    expect(csv.text).toMatch(/^\ufeff"id","title",/);
    const lines = (await exportList("jsonl-messages")).text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.map(({ messages }) => messages.length)).toEqual([4, 4, 2, 2, 2, 2, 2, 2, 2]);

    await page.route("**/conversations?**offset=0**", (route) => route.abort());
    await page.getByRole("button", { name: "More actions", exact: true }).click();
    await page.getByRole("menuitem", { name: "Export conversations" }).click();
    await page.getByLabel("File").selectOption("jsonl");
    await site.picture(page, "dashboard-inbox-export");
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole("dialog").getByRole("button", { name: "Export", exact: true }).click();
    await page.getByRole("button", { name: "Stop export" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(problems).toEqual([]);
  });

  it("shows either the list or a conversation on a phone", async () => {
    const { page } = await site.open(`/agents/${agentId}/conversations?view=all`, {
      context: { viewport: { width: 390, height: 500 }, hasTouch: true },
    });
    await row(page, "public holidays")
      .scrollIntoViewIfNeeded()
      .catch(() => {});
    const list = page.getByRole("list", { name: "Conversations" });
    await list.waitFor();
    await list.evaluate((element) => element.parentElement?.scrollTo({ top: 300 }));
    await row(page, "public holidays").click();
    await page.getByRole("heading", { name: "Opening hours on public holidays", level: 2 }).waitFor();
    await expect.poll(() => page.getByRole("searchbox").isVisible()).toBe(false);
    await expect.poll(() => measureOverflow(page)).toBe(0);
    await page.goBack();
    await row(page, "public holidays").waitFor();
    await expect.poll(() => list.evaluate((element) => element.parentElement?.scrollTop)).toBeGreaterThan(200);
    await expect.poll(() => measureOverflow(page)).toBe(0);
    await row(page, "public holidays").click();
    await page.getByRole("button", { name: "Back to the list" }).click();
    await row(page, "public holidays").waitFor();
    await expect.poll(() => list.evaluate((element) => element.parentElement?.scrollTop)).toBeGreaterThan(200);
  });

  it("explains how to get the first conversation", async () => {
    const first = await site.signIn();
    const { id } = (await site.call(first.page, "POST", "/agents", { name: "Second" })).data;
    const { page, problems } = await site.open(`/agents/${id}/conversations`);
    await page.getByRole("heading", { name: "The first conversation will appear here" }).waitFor();
    await expect
      .poll(() => page.getByRole("link", { name: "Try it on the demo page" }).getAttribute("href"))
      .toBe(`/demo/${id}`);
    await site.picture(page, "dashboard-inbox-empty");
    expect(await accessibilityProblems(page)).toEqual([]);
    const { organizationId } = site.owner;
    const sayings = [{ content: "Hello there" }, { content: "Hello." }];
    const inserted = await insertConversation(site.server.deps.db, { organizationId, agentId: id }, {}, sayings);
    await rate(site, page, inserted);
    await row(page, "Hello there").waitFor();
    await page.goto(`${site.server.url}/dashboard/agents/${id}/conversations/${conversationIds.ride}`);
    await page.getByRole("heading", { name: "Not found" }).waitFor();
    expect(problems).toEqual([]);
  });

  it("shows no conversation of another organization", async () => {
    const { email } = await createOwner(site.server);
    const { page } = await site.open(`/agents/${agentId}/conversations/${conversationIds.ride}`, { email });
    await page.getByRole("heading", { name: "Not found" }).waitFor();
    expect(await page.content()).not.toContain("cargo");
  });
});

describe("an inbox of 100,000 conversations", () => {
  const amount = 100_000;
  let site: DashboardSite;
  let page: Page;
  let problems: string[];
  let agentId: string;
  const owner = () => ({ organizationId: site.owner.organizationId, agentId });
  beforeAll(async () => {
    site = await startDashboardSite();
    ({ page, problems } = await site.signIn());
    agentId = (await site.call(page, "POST", "/agents", { name: "Harbour" })).data.id;
    await insertManyConversations(site.server.deps.db, owner(), amount);
  }, 120_000);
  afterAll(() => site.stop());

  const list = () => page.getByRole("list", { name: "Conversations" });
  const scrollTo = (top: number) => list().evaluate((element, to) => element.parentElement?.scrollTo({ top: to }), top);
  const titleAt = (number: number) => page.getByText(`Question ${number} about a bicycle`, { exact: true });

  it("scrolls through 100,000 conversations", async () => {
    await page.goto(`${site.server.url}/dashboard/agents/${agentId}/conversations?view=all`);
    await page.getByRole("heading", { name: "100,000 conversations" }).waitFor();
    await titleAt(1).waitFor();
    // Scrolls as with a mouse wheel, and then as by dragging the scroll bar.
    await list().evaluate(async (element) => {
      const scroller = element.parentElement as HTMLElement;
      const step = (top: number) =>
        new Promise<void>((resolve) =>
          requestAnimationFrame(() => {
            scroller.scrollTop = top;
            resolve();
          }),
        );
      for (let frame = 0; frame < 50; frame++) await step(scroller.scrollTop + 120);
      for (let frame = 0; frame < 50; frame++) await step((frame / 50) * scroller.scrollHeight);
    });
    await scrollTo(1e9);
    await titleAt(amount).waitFor();
    await scrollTo(50_000 * 64);
    await titleAt(50_003).waitFor();
    await expect.poll(() => list().getByRole("listitem").count()).toBeLessThan(60);
    await site.picture(page, "dashboard-inbox-100000");
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("keeps the scroll position while new conversations arrive", async () => {
    await scrollTo(640);
    await titleAt(11).waitFor();
    const place = () => titleAt(15).boundingBox();
    const before = await place();
    for (const number of [1, 2, 3]) {
      const sayings = [{ content: `Just now, number ${number}` }, { content: "Yes." }];
      const id = await insertConversation(site.server.deps.db, owner(), {}, sayings);
      if (number === 3) await rate(site, page, id);
    }
    const button = page.getByRole("button", { name: "3 new" });
    await button.waitFor();
    await expect.poll(() => place()).toEqual(before);
    await site.picture(page, "dashboard-inbox-new");
    expect(await accessibilityProblems(page)).toEqual([]);
    await button.click();
    await page.getByText("Just now, number 3").waitFor();
    await page.getByRole("heading", { name: "100,003 conversations" }).waitFor();
  });

  it("reports a part of the list that failed to load", async () => {
    const pattern = "**/conversations?**offset=30**";
    await page.route(pattern, (route) => route.abort());
    await scrollTo(30_050 * 64);
    await page.getByText("Part of the list failed to load.").waitFor();
    await page.unroute(pattern);
    await page.getByRole("button", { name: "Try again" }).click();
    await titleAt(30_050).waitFor();
  });

  it("renders only a part of a conversation of 10,000 messages", async () => {
    const sayings = Array.from({ length: 10_000 }, (_, at) => ({
      content: `Message ${at}. ${"More of it. ".repeat(at % 30)}`,
    }));
    // Long enough ago that the last message is not in the future.
    const createdAt = Date.now() - 10_000 * 40_000;
    const updatedAt = Date.now();
    for (const [title, count] of [["A very long one", 10_000] as const, ["A short one", 4] as const]) {
      const fields = { title, createdAt, updatedAt };
      await insertConversation(site.server.deps.db, owner(), fields, sayings.slice(0, count));
    }
    await page.goto(`${site.server.url}/dashboard/agents/${agentId}/conversations?view=all`);
    await page.getByText("A short one").waitFor();
    await page.getByText("A very long one").click();
    await page.getByText("Message 9999.").waitFor();
    await expect.poll(() => page.getByRole("article").count()).toBeLessThan(60);
    const messages = page.getByRole("region", { name: "Messages" });
    // Until the end has settled, the list scrolls back to it.
    const pressHome = async () => {
      await messages.press("Home");
      return page.getByText("Message 0.").count();
    };
    await expect.poll(pressHome).toBe(1);
    const jump = page.getByRole("button", { name: "Jump to the latest message" });
    await jump.click();
    await page.getByText("Message 9999.").waitFor();
    await jump.waitFor({ state: "detached" });
    // Another conversation opens at its end, too.
    await page.getByText("A short one").click();
    await page.getByText("Message 3.").waitFor();
    await page.getByText("A very long one").click();
    await page.getByText("Message 9999.").waitFor();
    await expect.poll(() => page.getByText("Message 0.").count()).toBe(0);
  });
});
