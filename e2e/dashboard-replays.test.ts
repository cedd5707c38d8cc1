import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { expectFit } from "../test/browser.ts";
import { openChat } from "../test/chat-client.ts";
import { type DashboardSite, startDashboardSite } from "../test/dashboard-site.ts";
import { callThenSay, type Exchange, sayWords, startUpstream, type Upstream } from "../test/upstream.ts";

const price = { input: 1_000, cachedInput: null, output: 1_000, currency: "USD" };
const question = "What does a bike cost for two days?";

describe("replays in the dashboard", () => {
  let site: DashboardSite;
  let model: Upstream;
  let page: Page;
  let problems: string[];
  let agentId: string;
  beforeAll(async () => {
    model = await startUpstream();
    site = await startDashboardSite({
      env: {
        OPENAI_COMPATIBLE_BASE_URL: model.url,
        FOYER_DEFAULT_MODEL: "openai-compatible/test",
        FOYER_LIMIT_CHAT_PER_SESSION: "0",
        FOYER_LIMIT_CHAT_PER_IP: "0",
      },
    });
  });
  afterAll(async () => {
    await site.stop();
    await model.stop();
  });
  beforeEach(async () => {
    ({ page, problems } = await site.signIn());
    await site.call(page, "PUT", `/models/prices/${encodeURIComponent("openai-compatible/test")}`, price);
    const agent = { name: "Harbour", systemPrompt: "Rent bikes.", publishing: "manual", followUps: false };
    agentId = (await site.call(page, "POST", "/agents", agent)).data.id;
    model.script(sayWords("A city bike costs 50 euros for two days, with a helmet and a lock."));
  });

  const go = (rest = "") => page.goto(`${site.server.url}/dashboard/agents/${agentId}/tests/replays${rest}`);
  const chat = async (content: string) => {
    const stream = await openChat(site.server.url, { agentId, messages: [{ role: "user", content }] });
    await stream.ended;
  };
  /** The draft answers like this, and the live version as before. */
  const draftAnswers = async (answer: (exchange: Exchange) => void) => {
    await site.call(page, "PATCH", `/agents/${agentId}`, { systemPrompt: "Rent bikes. Changed." });
    const before = sayWords("A city bike costs 50 euros for two days, with a helmet and a lock.");
    model.script((exchange) => (exchange.body.includes("Changed.") ? answer : before)(exchange));
  };
  const startInDialog = async () => {
    await page.getByRole("button", { name: "Start replay" }).first().click();
    const dialog = page.getByRole("dialog", { name: "Start replay" });
    await dialog.getByRole("button", { name: "Show price" }).click();
    await dialog
      .getByRole("region", { name: "Price" })
      .getByText(/^About /)
      .waitFor();
    await dialog.getByRole("button", { name: "Start replay" }).click();
    await page.getByRole("status").getByText("Finished").waitFor();
  };
  const readReplay = async () => {
    const id = page
      .url()
      .split("/")
      .find((part) => part.startsWith("replay_"));
    return (await site.call(page, "GET", `/agents/${agentId}/replays/${id}`)).data;
  };

  it("shows the price before a replay starts, and what it may cost at most", async () => {
    await chat(question);
    await go();
    await page.getByRole("heading", { name: "No replays yet" }).waitFor();
    await expectFit(page);
    await page.getByRole("button", { name: "Start replay" }).click();
    const dialog = page.getByRole("dialog", { name: "Start replay" });
    await expect.poll(() => dialog.getByLabel("Baseline").inputValue()).toBe("1");
    await expect.poll(() => dialog.getByLabel("Candidate").inputValue()).toBe("draft");
    await dialog.getByRole("button", { name: "Show price" }).click();
    const shown = dialog.getByRole("region", { name: "Price" });
    await shown.getByText("1 reply, each from both versions.").waitFor();
    expect(Number(await shown.getByLabel("Stop at (USD)").inputValue())).toBeGreaterThan(0);
    await expectFit(page);
    await site.picture(page, "dashboard-replay-price");
    expect((await site.call(page, "GET", `/agents/${agentId}/replays`)).data).toEqual([]);
    await dialog.getByLabel("Feedback").selectOption("Rated bad");
    await shown.waitFor({ state: "detached" });
    await dialog.getByRole("button", { name: "Show price" }).click();
    await shown.getByText("No conversation matches. Choose others.").waitFor();
    expect(await dialog.getByRole("button", { name: "Start replay" }).count()).toBe(0);
    expect(problems).toEqual([]);
  });

  it("refuses a limit that is no number, and stops at the limit", async () => {
    await chat(question);
    await draftAnswers(sayWords("A city bike costs 50 euros."));
    await go();
    await page.getByRole("button", { name: "Start replay" }).click();
    const dialog = page.getByRole("dialog", { name: "Start replay" });
    await dialog.getByRole("button", { name: "Show price" }).click();
    await dialog.getByLabel("Stop at (USD)").fill("");
    await dialog.getByRole("button", { name: "Start replay" }).click();
    await dialog.locator("[aria-invalid=true]").waitFor();
    await dialog.getByLabel("Stop at (USD)").fill("0.0001");
    await dialog.getByRole("button", { name: "Start replay" }).click();
    await page.getByRole("status").getByText("Stopped").waitFor();
    await expectFit(page);
    await site.picture(page, "dashboard-replay-stopped");
  });

  it("starts a replay without a limit if a model has no price", async () => {
    await chat(question);
    await site.call(page, "DELETE", `/models/prices/${encodeURIComponent("openai-compatible/test")}`);
    await go();
    await page.getByRole("button", { name: "Start replay" }).click();
    const dialog = page.getByRole("dialog", { name: "Start replay" });
    await dialog.getByRole("button", { name: "Show price" }).click();
    await dialog.getByText("Unknown price").waitFor();
    await expectFit(page);
    await dialog.getByRole("button", { name: "Start replay" }).click();
    await page.getByRole("status").getByText("Finished").waitFor();
    expect(await readReplay()).toMatchObject({ maxCost: null, status: "finished" });
  });

  it("shows both replies beside each other with calls, failed checks, tokens, cost and time", async () => {
    await chat(question);
    await chat("And for a week?");
    await draftAnswers(sayWords("A city bike costs 70 dollars for two days, with a helmet and a lock."));
    await go();
    await startInDialog();
    const reply = page.getByRole("list", { name: "Replies" }).getByRole("listitem").filter({ hasText: question });
    await reply.getByText("Failed checks").first().waitFor();
    await reply.getByRole("group", { name: "Version 1" }).getByText("A city bike costs 50 euros").waitFor();
    await reply.getByRole("group", { name: "Draft" }).getByText("A city bike costs 70 dollars").waitFor();
    await reply.getByRole("group", { name: "Draft" }).getByText("Invented fact").waitFor();
    await reply
      .getByRole("group", { name: "Draft" })
      .getByText(/tokens · \$.* · .* m?s$/)
      .waitFor();
    await page.getByRole("region", { name: "Comparison" }).getByText("Tokens").waitFor();
    await expectFit(page);
    await site.picture(page, "dashboard-replay");
    await page.getByRole("radio", { name: "Identical 0" }).check();
    await page.getByText("There are no such replies.").waitFor();
    await page.getByRole("radio", { name: "Failed checks 2" }).check();
    await expect.poll(() => page.getByRole("link", { name: "Open conversation" }).count()).toBe(2);
    await page.getByRole("link", { name: "All replays" }).click();
    await page.getByRole("row", { name: /Version 1 → Draft Finished/ }).waitFor();
    await expectFit(page);
    await site.picture(page, "dashboard-replays");
    expect(problems).toEqual([]);
  });

  it("names the call that was not recorded", async () => {
    const tool = { agentId, name: "stock_lookup", description: "Stock", executionType: "mock", mockResponse: "3" };
    const inputSchema = { type: "object", properties: { bike: { type: "string" } } };
    await site.call(page, "POST", "/tools", { ...tool, inputSchema });
    await site.call(page, "POST", `/agents/${agentId}/publish`, {});
    await chat(question);
    await draftAnswers(callThenSay("stock_lookup", { bike: "city" }, "Three are left."));
    await go();
    await startInDialog();
    await page.getByText('Not in the recording: Stock lookup {"bike":"city"}').waitFor();
    await page.getByText("A conversation ends where the replies diverge").waitFor();
    await expectFit(page);
  });

  it("lets a member compare replies blindly with the keys 1, 2 and 0", async () => {
    for (const content of [question, "And for a week?", "And a month?"]) await chat(content);
    await draftAnswers(sayWords("It costs 50 euros for two days: a city bike with a helmet and a lock."));
    await go();
    await startInDialog();
    await page.getByRole("link", { name: "Compare blindly" }).click();
    await page.getByText("Pair 1 of 3").waitFor();
    expect(await page.getByText("Draft", { exact: true }).count()).toBe(0);
    await expectFit(page);
    await site.picture(page, "dashboard-replay-blind");
    const first = page.getByRole("region", { name: "Reply 1" });
    const isDraftFirst = (await first.textContent())?.includes("It costs 50 euros") ?? false;
    await page.keyboard.press("1");
    await first.getByText(isDraftFirst ? "Draft" : "Version 1").waitFor();
    await site.picture(page, "dashboard-replay-decided");
    await page.keyboard.press("Enter");
    await page.getByText("Pair 2 of 3").waitFor();
    await page.keyboard.press("0");
    await page.getByText("Saved: no difference.").waitFor();
    await page.keyboard.press("Enter");
    await page.getByText("Pair 3 of 3").waitFor();
    const isDraftSecond = ((await page.getByRole("region", { name: "Reply 2" }).textContent()) ?? "").includes(
      "It costs",
    );
    await page.keyboard.press("2");
    await page.getByRole("button", { name: "Show result" }).click();
    await page.getByRole("heading", { name: "All pairs compared" }).waitFor();
    await expectFit(page);
    const candidate = Number(isDraftFirst) + Number(isDraftSecond);
    await page.getByRole("link", { name: "Back to the replay" }).last().click();
    await page.getByText("Your team prefers", { exact: true }).waitFor();
    expect((await readReplay()).verdicts).toEqual({ candidate, baseline: 2 - candidate, tie: 1 });
    await page.getByRole("link", { name: "Compare blindly" }).click();
    await page.getByText("There is nothing left to compare").waitFor();
    expect(problems).toEqual([]);
  });

  it("shows the progress of a replay, and stops it", async () => {
    await chat(question);
    model.script(() => {});
    await go();
    await page.getByRole("button", { name: "Start replay" }).click();
    const dialog = page.getByRole("dialog", { name: "Start replay" });
    await dialog.getByRole("button", { name: "Show price" }).click();
    await dialog.getByRole("region", { name: "Price" }).waitFor();
    await dialog.getByRole("button", { name: "Start replay" }).click();
    await page.getByRole("progressbar", { name: "Replies" }).waitFor();
    await expectFit(page);
    await page.getByRole("button", { name: "Stop and delete replay" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete replay" }).click();
    await page.getByRole("heading", { name: "No replays yet" }).waitFor();
  });
});
