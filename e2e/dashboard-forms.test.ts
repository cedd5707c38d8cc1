import type { ServerResponse } from "node:http";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { expectFit } from "../test/browser.ts";
import { openChat } from "../test/chat-client.ts";
import { type FormDashboard, photo, ride, startFormDashboard } from "../test/form-dashboard.ts";
import { createOwner } from "../test/session-client.ts";

let site: FormDashboard;
beforeAll(async () => {
  site = await startFormDashboard({ env: { FOYER_WEBHOOK_SCHEDULE: "0s,0s" } });
});
afterAll(() => site.stop());
afterEach(() => site.receiver.answer((_, response) => response.end("ok")));

/** Creates a new owner with an agent and a form. `go` opens a page of the agent's forms. */
async function start(form: object | null = {}) {
  const { email } = await createOwner(site.server);
  const opened = await site.signIn({ email });
  const agentId = await site.createAgent(opened.page);
  const tool = form && (await site.createForm(opened.page, agentId, form));
  const go = (to: string) => opened.page.goto(`${site.server.url}/dashboard/agents/${agentId}/forms${to}`);
  return { ...opened, email, agentId, go, toolId: tool?.id ?? "" };
}

const refusal = '<h1 id="injected">The calendar is down</h1>';
const refuseDeliveries = () =>
  site.receiver.answer((_, response) => {
    response.writeHead(503).end(refusal);
  });

/**
 * Makes the receiver hold its responses. @returns a function that makes it reject them and all later requests. With
 * `retryAfter`, the server waits that many seconds before it retries those that were held.
 */
function holdResponses() {
  const waiting: ServerResponse[] = [];
  site.receiver.answer((_, response) => void waiting.push(response));
  return (retryAfter = "0") => {
    refuseDeliveries();
    for (const response of waiting) response.writeHead(503, { "retry-after": retryAfter }).end(refusal);
  };
}

/** Submits a form that the receiver rejects. The dashboard counts failures when a page opens, and then every 10 s. */
async function submitToRefusingReceiver(page: Page, toolId: string, name: string): Promise<void> {
  const id = await site.submit(toolId, ride(name));
  await expect.poll(async () => (await site.detail(page, id)).status).toBe("webhook_failed");
}

const row = (page: Page, text: string) => page.getByRole("row").filter({ hasText: text });

describe("the list of submissions", () => {
  it("explains submissions and forms while there are none", async () => {
    const { page, agentId, problems, go } = await start(null);
    await go("");
    await page.getByRole("heading", { name: "No forms yet" }).waitFor();
    await site.picture(page, "dashboard-forms-none");
    await expectFit(page);
    await page.getByRole("link", { name: "Create form" }).click();
    await page.waitForURL(`**/agents/${agentId}/tools/new?kind=form`);

    await site.createForm(page, agentId);
    await go("");
    await page.getByRole("heading", { name: "No submissions yet" }).waitFor();
    expect(problems).toEqual([]);
  });

  it("shows new submissions without a reload", async () => {
    const { page, problems, toolId, go } = await start();
    await go("");
    await page.getByRole("heading", { name: "No submissions yet" }).waitFor();
    await site.submit(toolId, ride("Ada Lovelace", { photo }));
    await row(page, "Ada Lovelace · The City One · Mar 14, 2027 · ada@example.com · 1 file").waitFor();
    const down = holdResponses();
    await site.submit(toolId, ride("Grace Hopper", { bike: "tourer" }));
    await row(page, "Grace Hopper").getByText("Sending").first().waitFor();
    down();
    await row(page, "Grace Hopper").getByText("Not delivered").first().waitFor();
    await row(page, "Ada Lovelace").getByText("Webhook delivered").waitFor();
    await page.getByText("What the statuses mean").click();
    await page.getByText("Your webhook did not accept the submission, and no retries are left.").waitFor();
    await expectFit(page);
    expect(problems).toEqual([]);
  });

  it("filters by status, form and days and keeps the filters in the URL", async () => {
    const { page, agentId, toolId, go } = await start();
    const other = await site.createForm(page, agentId, { name: "call_back", formWebhookUrl: null });
    await site.submit(toolId, ride("Ada Lovelace"));
    await site.submit(other.id, ride("Grace Hopper"));
    await go("");
    await row(page, "Ada Lovelace").waitFor();
    await page.getByLabel("Status").selectOption({ label: "Received" });
    await page.waitForURL("**/forms?status=submitted");
    await row(page, "Ada Lovelace").waitFor({ state: "detached" });
    await row(page, "Grace Hopper").getByRole("cell", { name: "Call back" }).waitFor();
    await page.reload();
    await row(page, "Grace Hopper").waitFor();
    await expect.poll(() => row(page, "Ada Lovelace").count()).toBe(0);

    await page.getByRole("link", { name: /^Grace Hopper/ }).click();
    await page.getByText("Received · Call back").waitFor();
    await page.getByRole("link", { name: "Call back" }).waitFor();
    await page.getByRole("link", { name: "All submissions" }).click();
    await page.waitForURL("**/forms?status=submitted");

    await page.getByLabel("Form", { exact: true }).selectOption({ label: "Test ride" });
    await page.getByRole("heading", { name: "No submissions that match" }).waitFor();
    await page.getByRole("button", { name: "Clear" }).click();
    await row(page, "Ada Lovelace").waitFor();

    await page.getByLabel("To", { exact: true }).fill("2020-01-31");
    await page.getByRole("heading", { name: "No submissions that match" }).waitFor();
    expect(new URL(page.url()).search).toBe("?to=2020-01-31");
    await page.getByRole("link", { name: "Clear filters" }).click();
    const today = await page.evaluate(() => new Date().toLocaleDateString("en-CA"));
    await page.getByLabel("From").fill(today);
    await page.getByLabel("To", { exact: true }).fill(today);
    await page.waitForURL(`**/forms?from=${today}&to=${today}`);
    await row(page, "Ada Lovelace").waitFor();
  });

  it("downloads the filtered submissions as CSV", async () => {
    const { page, agentId, toolId, go } = await start();
    const other = await site.createForm(page, agentId, { name: "call_back", formWebhookUrl: null });
    await site.submit(toolId, ride("Ada Lovelace"));
    await site.submit(other.id, ride("Grace Hopper"));
    await go(`?toolId=${toolId}`);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Download CSV" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("form-submissions.csv");
    const text = await (await download.createReadStream()).toArray().then((parts) => Buffer.concat(parts).toString());
    expect(text).toContain("Ada Lovelace");
    expect(text).not.toContain("Grace Hopper");
  });

  it("redelivers all failed submissions and shows the progress", async () => {
    const { page, agentId, toolId, go, problems } = await start();
    refuseDeliveries();
    const names = ["Ada Lovelace", "Grace Hopper", "Hedy Lamarr"];
    await Promise.all(names.map((name) => submitToRefusingReceiver(page, toolId, name)));
    await go("");
    await page.getByRole("button", { name: "Redeliver 3 failed" }).waitFor();
    await site.picture(page, "dashboard-forms-failed");
    await expectFit(page);
    await site.call(page, "PUT", `/tools/${toolId}`, { formWebhookUrl: `${site.receiver.url}/mended` });
    await page.reload();
    await page.getByRole("button", { name: "Redeliver 3 failed" }).click();
    const dialog = page.getByRole("dialog", { name: "Redeliver 3 submissions?" });
    await dialog.getByText(`${site.receiver.url}/mended`).waitFor();
    await site.picture(page, "dashboard-forms-redeliver");
    await expectFit(page);
    site.receiver.answer((_, response) => response.end("ok"));
    await dialog.getByRole("button", { name: "Redeliver 3 failed" }).click();
    await page.getByText("Finished redelivering 3 submissions.").waitFor();
    await expect.poll(() => row(page, "Webhook delivered").count()).toBe(3);
    const bodies = site.receiver.bodies("/mended").map(({ formData }) => formData.name);
    expect(bodies.toSorted()).toEqual(names);
    expect(
      (await site.call(page, "GET", `/form-submissions?agentId=${agentId}&status=webhook_failed`)).submissions,
    ).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("hides bulk redelivery while the list is filtered by date", async () => {
    const { page, toolId, go } = await start();
    refuseDeliveries();
    await submitToRefusingReceiver(page, toolId, "Ada Lovelace");
    await go("");
    await page.getByRole("button", { name: "Redeliver 1 failed" }).waitFor();
    await page.getByLabel("From").fill("2020-01-31");
    await row(page, "Ada Lovelace").waitFor();
    await page.getByRole("button", { name: /^Redeliver/ }).waitFor({ state: "detached" });
  });

  it("opens the last page and any other of 10,000 submissions", async () => {
    const { page, toolId, go, problems } = await start();
    await site.submit(toolId, ride("Ada Lovelace"));
    await insertOldSubmissions(toolId, 10_000);
    await go("");
    await page.getByText("10,001 submissions").waitFor();
    await page.getByRole("button", { name: "Last page" }).focus();
    await page.keyboard.press("Enter");
    await page.waitForURL("**/forms?page=101");
    await row(page, "Visitor 1 ·").waitFor();
    await page.getByText("10,001–10,001 of 10,001").waitFor();
    await page.getByLabel("Page", { exact: true }).fill("50");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/forms?page=50");
    await page.getByText("4,901–5,000 of 10,001").waitFor();
    await site.picture(page, "dashboard-forms-many");
    await page.goBack();
    await page.getByText("10,001–10,001 of 10,001").waitFor();
    expect(problems).toEqual([]);
  });
});

/** Inserts submissions that are older than those that the tests create. */
async function insertOldSubmissions(toolId: string, count: number) {
  const { db } = site.server.deps;
  const like = await db.selectFrom("submissions").selectAll().where("toolId", "=", toolId).executeTakeFirstOrThrow();
  for (let at = 0; at < count; at += 1_000) {
    const rows = Array.from({ length: 1_000 }, (_, index) => {
      const number = at + index + 1;
      const formData = JSON.stringify(ride(`Visitor ${number}`));
      const id = `sub_${String(number).padStart(26, "0")}`;
      return {
        ...like,
        id,
        formData,
        formInstanceId: `many-${number}`,
        createdAt: like.createdAt - (count - number) * 60_000,
      };
    });
    await db.insertInto("submissions").values(rows).execute();
  }
}

describe("a submission's page", () => {
  it("shows all answers of a submission with their labels", async () => {
    const { page, toolId, go, problems } = await start({
      formPostActions: [{ type: "slack", webhookUrl: `${site.receiver.url}/chat`, message: "New ride: {{name}}" }],
    });
    const down = holdResponses();
    const note = "Is there a place for my dog?\nShe is small.";
    const id = await site.submit(toolId, ride("Ada Lovelace", { note, photo }));
    await go(`/${id}`);
    await page.getByRole("heading", { name: "Ada Lovelace" }).waitFor();
    await page.getByRole("definition").filter({ hasText: "The City One" }).waitFor();
    await expect
      .poll(() =>
        page.getByRole("img", { name: "Photo of your old bike" }).evaluate((img: HTMLImageElement) => img.naturalWidth),
      )
      .toBe(1);
    const webhook = page.getByRole("article", { name: "Webhook" });
    await webhook.getByText("Sending").waitFor();
    down("4");
    await webhook.getByText(/^Attempt 2 in [1-4] s$/).waitFor();
    await webhook.getByText("The receiver responded with HTTP 503.").first().waitFor();
    await expect
      .poll(() => webhook.getByText("The calendar is down").first().innerText())
      .toContain('<h1 id="injected">');
    await expect.poll(() => page.locator("#injected").count()).toBe(0);
    await site.picture(page, "dashboard-submission-pending");
    await webhook.getByText("Failed after 2 attempts").waitFor();
    await page.getByText("Webhook failed after 2 attempts").waitFor();
    await expect.poll(() => webhook.getByRole("listitem").count()).toBe(2);
    await site.picture(page, "dashboard-submission-failed");
    await expectFit(page);

    site.receiver.answer((_, response) => response.end("Thank you"));
    await page.getByRole("button", { name: "Redeliver failed" }).click();
    await webhook.getByText("Delivered at attempt 3").waitFor();
    await page.getByRole("article", { name: "Slack message" }).getByText("Delivered at attempt 3").waitFor();
    await page.getByRole("button", { name: "Send webhook again" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Send webhook again" }).click();
    await webhook.getByText("Delivered at attempt 4").waitFor();
    expect(problems).toEqual([]);
  });

  it("downloads a submitted file without opening it as a page", async () => {
    const fields = [
      { name: "paper", label: "Your papers", type: "file" },
      { name: "drawing", label: "A drawing", type: "file" },
    ];
    const { page, toolId, go, problems } = await start({ formSchema: { fields }, formWebhookUrl: null });
    const encode = (text: string) => Buffer.from(text).toString("base64");
    const id = await site.submit(toolId, {
      paper: `data:text/html;base64,${encode("<script>document.title='run'</script>")}`,
      drawing: `data:image/svg+xml;base64,${encode("<svg xmlns='http://www.w3.org/2000/svg'/>")}`,
    });
    await go(`/${id}`);
    await page.getByRole("heading", { name: "Submission", exact: true }).waitFor();
    await expect.poll(() => page.getByRole("img").count()).toBe(0);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Download Your papers" }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^paper/);
    await page.getByText("the form had no webhook and no actions").waitFor();
    expect(problems).toEqual([]);
  });

  it("shows the visitor, the page's report, and answers to deleted fields", async () => {
    const { page, agentId, toolId, go } = await start({ formExecutionMode: "both", formClientHandler: "bookRide" });
    const visitor = { id: "u1", name: "Ada Lovelace", claims: { plan: "pro" } };
    const { token: userToken } = (await site.call(page, "POST", `/agents/${agentId}/identity-token`, visitor)).data;
    const user = { userToken, userEmail: "ada@example.com", userMetadata: { cart: 2 } };
    const messages = [{ role: "user", content: "Can I take a test ride?" }];
    await (await openChat(site.server.url, { agentId, messages, ...user })).ended;
    const [conversation] = (await site.call(page, "GET", `/conversations?agentId=${agentId}`)).data;
    const id = await site.submit(toolId, ride("Ada Lovelace"), { conversationId: conversation.id, userToken });
    await site.call(page, "PUT", `/tools/${toolId}`, {
      formSchema: { fields: [{ name: "name", label: "Full name", type: "text" }] },
    });
    await go(`/${id}`);
    await page.getByRole("term").filter({ hasText: "Full name" }).waitFor();
    await expect.poll(() => page.getByText("no longer in the form").count()).toBe(3);
    await page.getByText("Your server proved who this visitor is.").waitFor();
    await page.getByText('"plan": "pro"').waitFor();
    await page
      .getByRole("definition")
      .filter({ hasText: "ada@example.com" })
      .last()
      .getByText("not verified")
      .waitFor();
    await page.getByRole("region", { name: "Metadata" }).getByText('"cart": 2').waitFor();
    await page.getByText("on the visitor's page has not reported yet").waitFor();
    await fetch(`${site.server.url}/form-submissions/client-result`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ submissionId: id, success: false, message: "That hour is taken", data: { hour: 10 } }),
    });
    await page.reload();
    await page.getByText("That hour is taken").waitFor();
    await page.getByText("Incomplete").first().waitFor();
    await site.picture(page, "dashboard-submission-page-failed");
    await expectFit(page);
    await page.getByRole("link", { name: conversation.title }).click();
    await page.waitForURL(`**/agents/${agentId}/conversations/${conversation.id}`);
  });

  it("deletes a submission after a confirmation", async () => {
    const { page, agentId, toolId, go } = await start();
    const id = await site.submit(toolId, ride("Ada Lovelace", { photo }));
    await site.submit(toolId, ride("Grace Hopper"));
    await go(`/${id}`);
    await page.getByRole("button", { name: "Delete" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete this submission?" });
    await dialog.getByText("Its answers, 1 file").waitFor();
    await expectFit(page);
    await dialog.getByRole("button", { name: "Delete submission" }).click();
    await page.waitForURL(`**/agents/${agentId}/forms`);
    await row(page, "Grace Hopper").waitFor();
    await row(page, "Ada Lovelace").waitFor({ state: "detached" });
    await go(`/${id}`);
    await page.getByRole("heading", { name: "Not found" }).waitFor();
  });

  it("shows no submission of another organization", async () => {
    const first = await start();
    const id = await site.submit(first.toolId, ride("Ada Lovelace"));
    const stranger = await start();
    await stranger.go(`/${id}`);
    await stranger.page.getByRole("heading", { name: "Not found" }).waitFor();
    await stranger.page.goto(`${site.server.url}/dashboard/agents/${first.agentId}/forms`);
    await stranger.page.getByRole("heading", { name: "Not found" }).waitFor();
    const second = await site.createAgent(first.page);
    await first.page.goto(`${site.server.url}/dashboard/agents/${second}/forms/${id}`);
    await first.page.getByRole("heading", { name: "Not found" }).waitFor();
    await first.page.goto(`${site.server.url}/dashboard/forms/submissions/${id}`);
    await first.page.waitForURL(`**/agents/${first.agentId}/forms/${id}`);
  });
});

describe("the form analytics page", () => {
  it("shows a form's funnel", async () => {
    const { page, agentId, toolId, go, problems } = await start();
    const begin = async (index: number) => {
      await site.event(toolId, "impression", `shown-${index}`);
      if (index < 12) await site.event(toolId, "started", `shown-${index}`);
      if (index < 10) await site.event(toolId, "field_completed", `shown-${index}`, "name");
      if (index < 6) await site.event(toolId, "field_completed", `shown-${index}`, "bike");
    };
    await Promise.all(Array.from({ length: 20 }, (_, index) => begin(index)));
    for (let index = 0; index < 3; index++) {
      await site.submit(toolId, ride(`Visitor ${index}`), { formInstanceId: `shown-${index}` });
    }
    await go("/analytics");
    const funnel = page.getByRole("list", { name: "Funnel" });
    await funnel.waitFor();
    const steps = await funnel.getByRole("listitem").allInnerTexts();
    const numbers = steps.map((text) =>
      text
        .replace(/\s+/g, " ")
        .match(/\d+( [\d.]+% of \w+)?\s*$/)?.[0]
        .trim(),
    );
    expect(numbers).toEqual(["20", "12 60% of shown", "3 25% of started", "3 100% of submitted"]);
    await page.getByRole("definition").filter({ hasText: "15%" }).waitFor();
    await page.getByText("Most visitors drop off at Which bike?").waitFor();
    await page.locator("[data-bar]").last().waitFor();
    await page.getByText("Show as a table").click();
    await page.getByRole("region", { name: "Figures by day" }).getByRole("row").nth(1).waitFor();
    await expectFit(page);

    await page.getByRole("radio", { name: "7 days" }).check();
    await page.waitForURL("**/analytics?range=7d");
    await funnel.getByText("60% of shown").waitFor();
    const other = await site.createForm(page, agentId, { name: "call_back" });
    await page.reload();
    await page.getByLabel("Form", { exact: true }).selectOption({ label: "Call back" });
    await page.getByRole("heading", { name: "“Call back” was not shown in the last 7 days" }).waitFor();
    expect(new URL(page.url()).search).toBe(`?range=7d&toolId=${other.id}`);
    await expectFit(page);
    await page.getByRole("region", { name: "All forms" }).getByRole("link", { name: "Test ride" }).click();
    await funnel.getByText("60% of shown").waitFor();
    expect(problems).toEqual([]);
  });

  it("shows a form's figures by day for the selected period", async () => {
    const { page, agentId, toolId, go, problems } = await start();
    const quiet = await site.createForm(page, agentId, { name: "call_back" });
    await insertFormActivity(agentId, toolId, 120);
    await insertFormActivity(agentId, quiet.id, 12);
    await go("/analytics");
    await page.locator("[data-bar]").last().waitFor();
    await page.getByText("Most visitors drop off at E-mail").waitFor();
    await site.picture(page, "dashboard-analytics");
    await page.getByText("The share of started forms").scrollIntoViewIfNeeded();
    await site.picture(page, "dashboard-analytics-days");
    await page.getByText("Show as a table").click();
    const rows = page.getByRole("region", { name: "Figures by day" }).getByRole("row");
    const count = async () => (await rows.count()) - 1;
    await expect.poll(() => count()).toBe(30);
    for (const [name, days] of [
      ["7 days", 7],
      ["90 days", 90],
      ["All time", 120],
    ] as const) {
      await page.getByRole("radio", { name }).check();
      await expect.poll(count).toBe(days);
    }
    await expectFit(page);
    expect(problems).toEqual([]);
  });

  it("explains form analytics before the first form", async () => {
    const { page, go } = await start(null);
    await go("/analytics");
    await page.getByRole("heading", { name: "No forms yet" }).waitFor();
    await expectFit(page);
    await page.getByRole("navigation", { name: "Submissions" }).getByRole("link", { name: "Submissions" }).click();
    await page.getByRole("heading", { name: "Submissions" }).waitFor();
  });
});

describe("the dashboard of an unreachable server", () => {
  it("reports that the server is unreachable", async () => {
    const { page, toolId, go } = await start();
    await site.submit(toolId, ride("Ada Lovelace"));
    await page.route("**/form-submissions?*", (route) => route.abort());
    await go("");
    await page.getByRole("alert").getByText("Can't reach the server").waitFor();
    await page.unroute("**/form-submissions?*");
    await page.getByRole("button", { name: "Try again" }).click();
    await row(page, "Ada Lovelace").waitFor();
  });
});

/** Inserts activity of a form for this many days up to today, with more on weekends. */
async function insertFormActivity(agentId: string, toolId: string, count: number) {
  const { db } = site.server.deps;
  const owned = (index: number) => ({
    agentId,
    toolId,
    day: new Date(Date.now() - index * 86_400_000).toISOString().slice(0, 10),
  });
  const days = Array.from({ length: count }, (_, index) => {
    const impressions = 60 + ((index * 37) % 29) + (index % 7 < 2 ? 45 : 0);
    const submitted = Math.round(impressions * 0.21) + (index % 3);
    const failed = index === 9 ? 8 : 0;
    const counts = { impressions, started: Math.round(impressions * 0.46), submitted, failed };
    return { ...owned(index), ...counts, successful: submitted - failed };
  });
  await db.insertInto("formDays").values(days).execute();
  const shares = { name: 0.96, bike: 0.93, day: 0.84, email: 0.52, note: 0.2, photo: 0.11 };
  for (const [field, share] of Object.entries(shares)) {
    const rows = days.map(({ started }, index) => ({ ...owned(index), field, completed: Math.round(started * share) }));
    await db.insertInto("formFieldDays").values(rows).execute();
  }
}
