import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { expectFit } from "../test/browser.ts";
import { type DashboardSite, startDashboardSite } from "../test/dashboard-site.ts";

const prompt = `You are Harbour, the assistant of Harbour Bikes.

# Opening hours
- Tuesday to Friday: open from 9:00 to 18:00
- Saturday: open from 10:00 to 16:00
`;

describe("versions and the draft of an agent in the dashboard", () => {
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

  const change = (body: object) => site.call(page, "PATCH", `/agents/${agentId}`, body);
  const read = async () => (await site.call(page, "GET", `/agents/${agentId}`)).data;
  const go = (rest = "", who = page) => who.goto(`${site.server.url}/dashboard/agents/${agentId}${rest}`);
  const save = () => page.getByRole("button", { name: "Save", exact: true }).click();
  const bar = () => page.getByRole("region", { name: "Draft" });
  const conflict = () => page.getByRole("dialog", { name: "Harbour has changed since you opened this page" });
  const addTool = (name: string) =>
    site.call(page, "POST", "/tools", {
      agentId,
      name,
      description: "Says what is in stock",
      executionType: "mock",
      mockResponse: "3",
      inputSchema: { type: "object", properties: {} },
    });
  /** An agent with three versions and a draft with three changes. */
  const makeDraft = async () => {
    await change({ publishing: "manual" });
    await change({ systemPrompt: prompt.replace("18:00", "19:00"), temperature: 30 });
    await site.call(page, "POST", `/agents/${agentId}/publish`, { note: "Open until seven" });
    await change({ systemPrompt: prompt.replace("16:00", "14:00"), widget: { greeting: "Ahoy" } });
    await addTool("stock");
  };
  const visitorReply = async (question: string) => {
    const answer = await fetch(`${site.server.url}/chat`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ agentId, messages: [{ role: "user", content: question }] }),
    });
    return answer.text();
  };

  it("publishes a draft with a note after a look at its changes", async () => {
    await makeDraft();
    await go();
    await bar().getByText("Draft: 3 changes.").waitFor();
    await bar().getByText("Visitors get version 2.").waitFor();
    await expectFit(page);
    await site.picture(page, "dashboard-draft");
    await bar().getByRole("button", { name: "Review and publish" }).click();
    const dialog = page.getByRole("dialog", { name: "Draft: 3 changes" });
    const changes = dialog.getByRole("list", { name: "Changes" });
    await changes.getByText("- Saturday: open from 10:00 to 14:00").waitFor();
    await changes.getByText("Tool Stock").waitFor();
    await expectFit(page);
    await site.picture(page, "dashboard-draft-review");
    await dialog.getByLabel("Note").fill("Shorter Saturdays");
    await dialog.getByRole("button", { name: "Publish" }).click();
    await bar().waitFor({ state: "detached" });
    await go("/versions");
    await page.getByRole("row", { name: /^3 Live.*Shorter Saturdays/ }).waitFor();
    expect(await visitorReply("When are you open on Saturday?")).toContain("14:00");
    expect(problems).toEqual([]);
  });

  it("discards a draft", async () => {
    await makeDraft();
    await go();
    await bar().getByRole("button", { name: "Review and publish" }).click();
    await page.getByRole("button", { name: "Discard draft" }).click();
    await page.getByRole("button", { name: "Discard 3 changes" }).click();
    await bar().waitFor({ state: "detached" });
    await expect.poll(() => page.getByLabel("System prompt").inputValue()).toContain("19:00");
    expect(problems).toEqual([]);
  });

  it("keeps changes in a draft once publishing is set to by hand, and publishes them when it is set back", async () => {
    await go("/versions");
    await page.getByRole("radio", { name: /Manually/ }).click();
    await expect.poll(async () => (await read()).publishing).toBe("manual");
    await site.follow(page, `/agents/${agentId}`);
    await page.getByLabel("Temperature").fill("20");
    await save();
    await bar().getByText("Draft: 1 change.").waitFor();
    await site.follow(page, `/agents/${agentId}/versions`);
    await page.getByRole("radio", { name: /At once/ }).click();
    await page.getByRole("button", { name: "Publish 1 change" }).click();
    await bar().waitFor({ state: "detached" });
    await expect.poll(read).toMatchObject({ publishing: "immediate", liveVersion: 2 });
    expect(problems).toEqual([]);
  });

  it("restores an earlier version in two clicks", async () => {
    await makeDraft();
    await go("/versions");
    await expectFit(page);
    await site.picture(page, "dashboard-versions");
    await page.getByRole("button", { name: "Restore version 1" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Restore version 1" }).click();
    await page.getByRole("row", { name: /^3 Live/ }).waitFor();
    await expect.poll(read).toMatchObject({ systemPrompt: prompt, liveVersion: 3 });
    expect(problems).toEqual([]);
  });

  it("says what no longer exists when a version is restored, and restores the rest", async () => {
    const email = await site.addMember("member");
    const member = (await site.call(page, "GET", "/members")).find((one: { email: string }) => one.email === email);
    const team = (await site.call(page, "POST", "/teams", { name: "Workshop" })).data;
    const provider = { kind: "openai-compatible", baseUrl: "https://models.example/v1", apiKey: "key" };
    await site.call(page, "PUT", "/models/providers/lab", provider);
    await change({ handoff: { escalation: [member.id], teamId: team.id }, model: "lab/house" });
    await change({ publishing: "manual" });
    await change({ handoff: null, model: null, temperature: 20 });
    await site.call(page, "POST", `/agents/${agentId}/publish`, {});
    await site.call(page, "DELETE", `/members/${member.id}`);
    await site.call(page, "DELETE", `/teams/${team.id}`);
    await site.call(page, "DELETE", "/models/providers/lab");
    await go("/versions");
    await page.getByRole("button", { name: "Restore version 1" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Restore version 1" }).click();
    await page.getByRole("alert").getByText("Version 1 names what no longer exists:").waitFor();
    const listed = (await page.getByRole("dialog").getByRole("listitem").allTextContents()).join("\n");
    expect(listed).toContain("Agent, Model: No model provider");
    expect(listed).toContain(`The member ${email} was removed`);
    expect(listed).toContain("The team was deleted");
    await expectFit(page);
    await site.picture(page, "dashboard-version-missing");
    await page.getByRole("button", { name: "Restore without them" }).click();
    await page.getByRole("row", { name: /^3 Live/ }).waitFor();
    expect(problems).toEqual([]);
  });

  it("compares any two versions, and a version with the draft", async () => {
    await makeDraft();
    await go("/versions");
    await page.getByRole("button", { name: "Changes of version 2" }).click();
    const dialog = page.getByRole("dialog", { name: "Compare versions" });
    await dialog.getByText("- Tuesday to Friday: open from 9:00 to 19:00").waitFor();
    await expectFit(page);
    await site.picture(page, "dashboard-versions-compare");
    await dialog.getByLabel("To", { exact: true }).selectOption("Draft");
    await dialog.getByText("Tool Stock").waitFor();
    await dialog.getByLabel("From", { exact: true }).selectOption("Draft");
    await dialog.getByText("There is no difference.").waitFor();
    expect(problems).toEqual([]);
  });

  it("gives an earlier version to a part of the new conversations, and ends that", async () => {
    await makeDraft();
    await go("/versions");
    await page.getByRole("button", { name: "Start rollout" }).click();
    const dialog = page.getByRole("dialog", { name: "Start rollout" });
    await dialog.getByLabel("Part of new conversations (%)").fill("101");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.locator("[aria-invalid=true]").waitFor();
    await expectFit(page);
    await dialog.getByLabel("Part of new conversations (%)").fill("20");
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText("Version 1 gets 20% of new conversations, and version 2 the others.").waitFor();
    await site.picture(page, "dashboard-rollout");
    await page.getByRole("button", { name: "End rollout" }).click();
    await page.getByRole("button", { name: "Start rollout" }).waitFor();
    expect((await read()).rollout).toBeNull();
    expect(problems).toEqual([]);
  });

  it("answers in the playground and the preview with the draft, and says so", async () => {
    await makeDraft();
    await go();
    const chat = page.getByRole("region", { name: "Try Harbour" });
    await chat.getByText("Replies use the draft. Visitors get version 2.").waitFor();
    await chat.getByLabel("Message to Harbour").fill("When are you open on Saturday?");
    await page.keyboard.press("Enter");
    await chat.getByText("10:00 to 14:00").first().waitFor();
    await site.follow(page, `/agents/${agentId}/appearance`);
    await page.getByText("Replies use the draft.").waitFor();
    const preview = page.frameLocator("iframe[title^='Widget preview']");
    await preview.getByRole("textbox").fill("When are you open on Saturday?");
    await preview.getByRole("textbox").press("Enter");
    await preview.getByText("10:00 to 14:00").first().waitFor();
    expect(await visitorReply("When are you open on Saturday?")).toContain("16:00");
    expect(problems).toEqual([]);
  });

  describe("when two members change an agent at once", () => {
    it("shows what somebody else has changed before it saves, and keeps what was typed", async () => {
      await go();
      await page.getByLabel("System prompt").fill("We repair bikes.");
      await change({ temperature: 30 });
      await save();
      await conflict().getByText("Temperature").waitFor();
      await expectFit(page);
      await site.picture(page, "dashboard-edit-conflict");
      await conflict().getByRole("button", { name: "Keep editing" }).click();
      await expect.poll(() => page.getByLabel("System prompt").inputValue()).toBe("We repair bikes.");
      expect((await read()).systemPrompt).toBe(prompt);
      await save();
      await conflict().getByRole("button", { name: "Save my changes" }).click();
      await page.getByText("Not saved yet", { exact: true }).waitFor({ state: "detached" });
      await expect.poll(read).toMatchObject({ systemPrompt: "We repair bikes.", temperature: 30 });
      expect(problems).toEqual([]);
    });

    it("discards what was typed and shows the saved state", async () => {
      await go();
      await page.getByLabel("System prompt").fill("We repair bikes.");
      await change({ systemPrompt: "We sell boats." });
      await save();
      await conflict().getByRole("button", { name: "Discard my changes" }).click();
      await expect.poll(() => page.getByLabel("System prompt").inputValue()).toBe("We sell boats.");
      await expect.poll(() => page.getByText("Not saved yet", { exact: true }).count()).toBe(0);
      expect((await read()).systemPrompt).toBe("We sell boats.");
    });

    it("names a tool that somebody else has changed while another one is edited", async () => {
      const [hours, stock] = [await addTool("hours"), await addTool("stock")];
      await go(`/tools/${hours.id}`);
      await page.getByLabel("Description").fill("Gives the opening hours.");
      await site.call(page, "PUT", `/tools/${stock.id}`, { description: "Counts the bikes" });
      await save();
      await conflict().getByText("Tool Stock:").waitFor();
      await conflict().getByText("Counts the bikes").waitFor();
      await conflict().getByRole("button", { name: "Save my changes" }).click();
      await expect
        .poll(() => site.call(page, "GET", `/tools/${hours.id}`))
        .toMatchObject({ description: "Gives the opening hours." });
    });

    it("asks before a switch changes what somebody else has changed", async () => {
      const stock = await addTool("stock");
      await go("/tools");
      await page.getByRole("switch", { name: "Stock enabled" }).waitFor();
      await site.call(page, "PUT", `/tools/${stock.id}`, { description: "Counts the bikes" });
      await page.getByRole("switch", { name: "Stock enabled" }).click();
      await conflict().getByRole("button", { name: "Cancel" }).click();
      await expect.poll(() => page.getByRole("switch", { name: "Stock enabled" }).isChecked()).toBe(true);
      await page.getByRole("switch", { name: "Stock enabled" }).click();
      await expect.poll(async () => (await site.call(page, "GET", `/tools/${stock.id}`)).isEnabled).toBe(false);
    });

    it("does not ask about the member's own changes, even in quick succession", async () => {
      const tools = [await addTool("hours"), await addTool("stock")];
      await go("/tools");
      await page.getByRole("switch", { name: "Hours enabled" }).click();
      await page.getByRole("switch", { name: "Stock enabled" }).click();
      const areEnabled = () =>
        Promise.all(tools.map(async ({ id }) => (await site.call(page, "GET", `/tools/${id}`)).isEnabled));
      await expect.poll(areEnabled).toEqual([false, false]);
      expect(await conflict().count()).toBe(0);
    });
  });
});
