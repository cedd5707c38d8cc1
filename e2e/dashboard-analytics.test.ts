import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newHandoff } from "../packages/server/src/conversations/log/new-handoff.ts";
import { expectFit } from "../test/browser.ts";
import { insertConversation } from "../test/conversation-seed.ts";
import { type DashboardSite, startDashboardSite } from "../test/dashboard-site.ts";

const DAY_MS = 86_400_000;
const dayBefore = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

// Each screenshot is taken six times, and axe checks each state in both color schemes.
describe("the analytics page", { timeout: 120_000 }, () => {
  let site: DashboardSite;
  let agentId: string;
  let otherId: string;
  beforeAll(async () => {
    site = await startDashboardSite();
    const { page } = await site.signIn();
    agentId = (await site.call(page, "POST", "/agents", { name: "Harbour" })).data.id;
    otherId = (await site.call(page, "POST", "/agents", { name: "Workshop" })).data.id;
    const rows = Array.from({ length: 20 }, (_, n) => ({
      agentId,
      day: dayBefore(n),
      hour: (8 + n * 5) % 24,
      conversations: 12 + ((n * 7) % 9),
      replies: 40 + ((n * 11) % 17),
      failedReplies: n % 4,
      ratedUp: 6,
      ratedDown: 2,
      inputTokens: 9_000,
      outputTokens: 3_000,
      visitorAttachments: 4,
      memberAttachments: 1,
      cost: 0.02,
    }));
    const other = { ...rows[0], agentId: otherId, day: dayBefore(0), hour: 9, conversations: 3 };
    await site.server.deps.db
      .insertInto("conversationHours")
      .values([...rows, { ...rows[0], ...other } as (typeof rows)[number]])
      .execute();
    const sums = { requested: 4, conversations: 3, taken: 4, waitedMs: 400_000, answered: 4, answerMs: 600_000 };
    await site.server.deps.db
      .insertInto("handoffDays")
      .values([
        { ...sums, agentId, day: dayBefore(0), cause: "visitor", inTime: 3, answersWithin1Min: 3, answersLater: 1 },
        {
          ...sums,
          agentId,
          day: dayBefore(0),
          cause: "member",
          waitedMs: 0,
          inTime: 4,
          answersWithin1Min: 0,
          answersLater: 0,
        },
      ])
      .execute();
    await insertHandoffs();
    const used = { agentId, day: dayBefore(0), inputTokens: 9_000, cachedInputTokens: 4_000, outputTokens: 3_000 };
    await site.server.deps.db
      .insertInto("modelDays")
      .values([
        { ...used, model: "openai/gpt-5", replies: 30, cost: 0.4, unknownCostReplies: 2 },
        { ...used, model: "groq/llama", replies: 10, cost: 0, unknownCostReplies: 10 },
      ])
      .execute();
    const bubble = { actionType: "show_bubble", actionConfig: { message: "Any questions?" } };
    const pricing = { name: "Pricing", triggerType: "page_view", conditions: { page: "/pricing" }, ...bubble };
    const { id: triggerId } = await site.call(page, "POST", `/triggers?agentId=${agentId}`, pricing);
    await site.server.deps.db
      .insertInto("triggerDays")
      .values({ triggerId, day: dayBefore(1), fired: 200, converted: 50 })
      .execute();
    const form = await site.call(page, "POST", "/tools", {
      agentId,
      name: "test_ride",
      description: "Books a test ride",
      executionType: "form",
      inputSchema: { type: "object", properties: {} },
      formSchema: { fields: [{ name: "name", label: "Your name", type: "text" }] },
    });
    const counts = { impressions: 80, started: 40, submitted: 30, successful: 29, failed: 1 };
    await site.server.deps.db
      .insertInto("formDays")
      .values({ toolId: form.id, agentId, day: dayBefore(1), ...counts })
      .execute();
    await page.context().close();
  });
  afterAll(() => site.stop());

  /** Three requests of the team `Workshop`, which the owner took and answered after 2, 4 and 30 minutes. */
  async function insertHandoffs() {
    const { db } = site.server.deps;
    const { organizationId, userId } = site.owner;
    const { page } = await site.signIn();
    const team = await site.call(page, "POST", "/teams", { name: "Workshop" });
    for (const [minutes, ratingScore] of [
      [2, 5],
      [4, 4],
      [30, null],
    ] as const) {
      const now = Date.now() - 3_600_000;
      const conversationId = await insertConversation(db, { organizationId, agentId }, {}, [{ content: "Hello?" }]);
      const request = { organizationId, conversationId, cause: "visitor", reason: null, teamId: team.data.id } as const;
      const handoff = newHandoff(request, agentId, { now, promisedAt: null, takenBy: userId });
      const answeredAt = now + minutes * 60_000;
      const ended = { endedAt: answeredAt + 60_000, endedBy: "closed", nextMet: 2, nextMissed: 1 } as const;
      await db
        .insertInto("handoffs")
        .values({ ...handoff, answeredAt, ...ended })
        .execute();
      await rate(conversationId, ratingScore, handoff.id);
    }
    for (const ratingScore of [5, 5, 1, null, null]) {
      const alone = await insertConversation(db, { organizationId, agentId }, {}, [{ content: "Hello?" }]);
      await rate(alone, ratingScore);
    }
  }

  /** Stores that the visitor was asked for a rating, and gave it unless it is null. */
  async function rate(id: string, ratingScore: number | null, ratingHandoffId: string | null = null) {
    const ratingAskedAt = Date.now();
    const given = ratingScore === null ? {} : { ratingScore, ratedAt: ratingAskedAt, ratingHandoffId };
    const { db } = site.server.deps;
    await db
      .updateTable("conversations")
      .set({ ratingAskedAt, ...given })
      .where("id", "=", id)
      .execute();
  }

  const figure = (page: Page, name: string) => page.locator("dl > div, fieldset > label", { hasText: name });

  it("shows the volume and quality of conversations", async () => {
    const { page, problems } = await site.open(`/agents/${agentId}/conversations?view=all`);
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Analytics" }).click();
    await figure(page, "Rated good").getByText("75%").waitFor();
    await figure(page, "Tokens").getByText("240K").waitFor();
    await page.getByRole("figure", { name: "Conversations by day; the table below has the figures" }).waitFor();
    await page.locator("[data-bar]").last().waitFor();
    await page
      .getByRole("region", { name: "Figures by member" })
      .getByRole("cell", { name: "4 min (p90 30 min)" })
      .waitFor();
    await page.getByRole("region", { name: "Figures by team" }).getByRole("cell", { name: "6 of 9" }).waitFor();
    const members = page.getByRole("region", { name: "Figures by member" });
    await members.getByRole("cell", { name: "4.5" }).waitFor();
    await members.getByRole("cell", { name: "2 of 3 (67%)" }).waitFor();
    const alone = page.getByRole("region", { name: "Conversations that agents did not hand over" });
    await alone.getByRole("row", { name: /^Harbour .* 3\.67 \(3\) .* 4\.5 \(2\)/ }).waitFor();
    await figure(page, "With people").getByText("2 of 3 rated").waitFor();
    const ratings = page.getByRole("region", { name: "Conversations by rating" });
    await ratings.getByRole("row", { name: "5 of 5 1 2 60%" }).waitFor();
    await ratings.scrollIntoViewIfNeeded();
    await site.picture(page, "dashboard-analytics-ratings");
    await page.getByText("Show hours as a table").click();
    await expect.poll(() => page.getByRole("region", { name: "Requests by hour" }).getByRole("row").count()).toBe(25);
    await site.picture(page, "dashboard-analytics");
    await page.getByText("Show as a table").first().click();
    await expect.poll(() => page.getByRole("region", { name: "Figures by day" }).getByRole("row").count()).toBe(21);
    await page.getByText("Show as a table").last().click();
    await expect.poll(() => page.getByRole("region", { name: "Figures by hour" }).getByRole("row").count()).toBe(25);
    await figure(page, "Answered in time").getByText("75%").waitFor();
    await figure(page, "Wait until taken").getByText("1 min").waitFor();
    const byTime = page.getByRole("region", { name: "Requests by the time to the first answer" });
    await byTime.getByRole("row", { name: "Within 1 min 3 75%" }).waitFor();
    const byCause = page.getByRole("region", { name: "Handed over by cause" });
    await byCause.getByRole("row", { name: "A member took over without a request 4 " }).waitFor();
    await expectFit(page);
    const funnel = (name: string) => page.getByRole("list", { name: `Funnel of ${name}` }).getByRole("listitem");
    await expect
      .poll(() => funnel("triggers").allInnerTexts())
      .toEqual([expect.stringMatching(/^Fired.*200/s), expect.stringMatching(/^Converted.*50.*25% of fired/s)]);
    await expect
      .poll(() => funnel("forms").allInnerTexts())
      .toEqual([
        expect.stringMatching(/^Shown.*80/s),
        expect.stringMatching(/^Started.*40.*50% of shown/s),
        expect.stringMatching(/^Submitted.*30.*75% of started/s),
        expect.stringMatching(/^Delivered.*29.*97% of submitted/s),
      ]);
    await figure(page, "Cost").getByText("$0.40").waitFor();
    const models = page.getByRole("region", { name: "Figures by model" });
    await models.getByRole("row", { name: /openai\/gpt-5 30 .* \$0\.40 without 2 replies of unknown cost/ }).waitFor();
    await models.getByRole("row", { name: /groq\/llama 10 .* Unknown for 10 replies/ }).waitFor();
    await figure(page, "Attachments").getByText("80 from visitors, 20 from your team").waitFor();
    await page
      .getByRole("region", { name: "Figures by day" })
      .getByRole("row", { name: / 4 1 \$0\.020$/ })
      .last()
      .waitFor();
    await page.getByRole("radio", { name: "Attachments" }).check();
    await page.getByRole("slider", { name: "Attachments by day" }).press("End");
    await expect
      .poll(() => page.getByRole("slider", { name: "Attachments by day" }).getAttribute("aria-valuetext"))
      .toMatch(/, From visitors 4, From your team 1$/);
    await site.picture(page, "dashboard-analytics-attachments");
    await page.getByRole("radio", { name: "Cost" }).check();
    await page.getByRole("slider", { name: "Cost by day" }).press("End");
    await expect
      .poll(() => page.getByRole("slider", { name: "Cost by day" }).getAttribute("aria-valuetext"))
      .toMatch(/, Cost \$0\.020$/);
    await page.getByRole("radio", { name: "Tokens" }).check();
    const chart = page.getByRole("figure", { name: "Tokens by day; the table below has the figures" });
    const slider = chart.getByRole("slider", { name: "Tokens by day" });
    await page.keyboard.press("Tab");
    await expect.poll(() => slider.getAttribute("aria-valuetext")).toMatch(/, Input 9,000, Output 3,000$/);
    await page.keyboard.press("Home");
    await expect.poll(() => slider.getAttribute("aria-valuetext")).toMatch(/, Input 0, Output 0$/);
    expect(await slider.getAttribute("aria-valuenow")).toBe("1");
    await page.keyboard.press("Escape");
    await slider.hover();
    await chart.getByText("Output", { exact: true }).last().waitFor();
    await site.picture(page, "dashboard-analytics-tokens");

    // The whole choice is the radio button's click target, not only its circle.
    const choice = page.locator("label", { hasText: "7 days" });
    await expect
      .poll(() => page.getByRole("radio", { name: "7 days" }).boundingBox())
      .toEqual(await choice.boundingBox());
    await choice.click();
    await page.waitForURL(/range=7d/);
    await figure(page, "Tokens").getByText("84K").waitFor();
    await page.locator("label", { hasText: "Custom" }).click();
    await page.getByLabel("From", { exact: true }).fill(dayBefore(1));
    await page.getByLabel("To", { exact: true }).fill(dayBefore(1));
    await figure(page, "Tokens").getByText("12K").waitFor();
    await page.reload();
    await figure(page, "Tokens").getByText("12K").waitFor();
    await expectFit(page);
    expect(problems).toEqual([]);
  });

  it("has a scale beside the replies by the hour", async () => {
    const { page } = await site.open(`/agents/${agentId}/analytics`);
    const chart = page.getByRole("figure", { name: "Replies by hour; the table below has the figures" });
    await chart.locator("[data-bar]").first().waitFor();
    const scale = await chart.locator("[data-tick]").allInnerTexts();
    expect(scale[0]).toBe("0");
    expect(Number(scale.at(-1))).toBeGreaterThanOrEqual(52);
  });

  it("offers to set up handoff only while it is off", async () => {
    const { page } = await site.signIn();
    await page.route("**/conversations/analytics?*", async (route) => {
      const response = await route.fetch();
      const body = await response.json();
      Object.assign(body.data.handoffs, { count: 0 });
      await route.fulfill({ response, json: body });
    });
    const address = `${site.server.url}/dashboard/agents/${agentId}/analytics`;
    await page.goto(address);
    await page.getByRole("link", { name: "Set up handoff" }).waitFor();
    await site.call(page, "PATCH", `/agents/${agentId}`, { handoff: { isEnabled: true } });
    await page.goto(address);
    await page.getByRole("link", { name: "Handoff settings" }).waitFor();
    expect(await page.getByRole("link", { name: "Set up handoff" }).count()).toBe(0);
  });

  it("compares all agents of the organization", async () => {
    const { page, problems } = await site.open(`/agents/${agentId}/analytics?range=7d`);
    await page.getByText("All agents", { exact: true }).click();
    const table = page.getByRole("region", { name: "Figures by agent" });
    await table.getByRole("row", { name: /Workshop 3 / }).waitFor();
    await expectFit(page);
    await site.picture(page, "dashboard-analytics-all");
    await table.getByRole("link", { name: "Workshop" }).click();
    await figure(page, "Conversations").getByText("3", { exact: true }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/dashboard/agents/${otherId}/analytics`);
    expect(new URL(page.url()).searchParams.get("range")).toBe("7d");
    await page.getByRole("heading", { name: "No conversations were handed over in this period" }).waitFor();
    expect(problems).toEqual([]);
  });

  it("explains what the analytics page shows before the first conversation", async () => {
    const { page } = await site.open(`/agents/${otherId}/analytics?range=custom&from=2020-01-01&to=2020-01-31`);
    await page.getByRole("heading", { name: "No conversations in this period" }).waitFor();
    await expectFit(page);
    await site.picture(page, "dashboard-analytics-empty");
    const gate = Promise.withResolvers<void>();
    await page.route("**/conversations/analytics?*", async (route) => {
      await gate.promise;
      await route.fulfill({ status: 500, json: { data: null, error: { code: "INTERNAL", message: "It broke." } } });
    });
    await page.goto(`${site.server.url}/dashboard/agents/${agentId}/analytics`);
    await page.getByRole("status", { name: "Loading analytics" }).waitFor();
    await expectFit(page);
    await site.picture(page, "dashboard-analytics-loading");
    gate.resolve();
    await page.getByRole("alert").getByText("It broke.").waitFor();
    await expectFit(page);
    await page.unroute("**/conversations/analytics?*");
    await page.getByRole("button", { name: "Try again" }).click();
    await figure(page, "Rated good").getByText("75%").waitFor();
  });
});
