import type { Page } from "playwright-core";
import { afterEach, beforeEach, expect, it } from "vitest";
import { setUpLink } from "../packages/server/src/setup/setup-token.ts";
import { startBrowser, type TestBrowser } from "../test/browser.ts";
import { startOwnServer } from "../test/dashboard-site.ts";
import { onBothDatabases, type TestDatabase } from "../test/databases.ts";
import { photo, testRideFields } from "../test/form-dashboard.ts";
import { startHostPage } from "../test/host-page.ts";
import type { TestServer } from "../test/server.ts";
import { password } from "../test/session-client.ts";
import { startReceiver } from "../test/webhook-receiver.ts";
import { sent, showForm, submit } from "../test/widget-forms.ts";
import { ask, replyOver } from "../test/widget-site.ts";

onBothDatabases("from an empty data directory to a delivered form", (createDatabase) => {
  let database: TestDatabase;
  let server: TestServer;
  let browser: TestBrowser;
  let receiver: Awaited<ReturnType<typeof startReceiver>>;
  let host: Awaited<ReturnType<typeof startHostPage>>;
  beforeEach(async () => {
    database = await createDatabase();
    server = await startOwnServer({ database, env: { FOYER_WEBHOOK_SCHEDULE: "0s,2s", FOYER_SUBMIT_WAIT: "1s" } });
    browser = await startBrowser();
    receiver = await startReceiver();
    host = await startHostPage(server.url);
  });
  afterEach(async () => {
    await browser.close();
    await host.stop();
    await server.stop();
    await receiver.stop();
    await database.drop();
  });

  it("completes every main task of the dashboard in one pass", async () => {
    const { page, problems } = await browser.open({ viewport: { width: 1440, height: 900 } });
    await createOwnerAccount(page, setUpLink(server.deps));
    const agentId = await completeOnboarding(page);
    const toolId = await makeForm(page, agentId, `${receiver.url}/rides`);

    // The receiver is down at first, so that failed attempts are shown.
    receiver.answer((_, response) => {
      response.statusCode = receiver.received.length === 1 ? 503 : 200;
      response.end(response.statusCode === 200 ? "Booked" : "The calendar is down");
    });
    const visitor = await browser.open();
    await visitor.page.goto(host.page("/bikes/city-one", { "data-agent-id": agentId }));
    await visitor.page.locator(".launcher").waitFor();
    await showForm(visitor.page, toolId);
    await fillTestRide(visitor.page);
    await submit(visitor.page);
    await sent(visitor.page);

    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Submissions" }).click();
    await page.getByRole("link", { name: /^Ada Lovelace · The City One/ }).click();
    await page.getByRole("definition").filter({ hasText: "ada@example.com" }).waitFor();
    const webhook = page.getByRole("article", { name: "Webhook" });
    await webhook.getByText("Delivered at attempt 2").waitFor();
    const attempts = await webhook.getByRole("listitem").allInnerTexts();
    expect(attempts.map((text) => text.replace(/\s+/g, " ").match(/Attempt \d \w+( with)? (HTTP )?\d+/)?.[0])).toEqual([
      "Attempt 2 Accepted with HTTP 200",
      "Attempt 1 HTTP 503",
    ]);
    await webhook.getByText("Attempt 1").click();
    await webhook.getByText("The calendar is down").waitFor();

    expect(receiver.bodies("/rides")).toHaveLength(2);
    expect(receiver.bodies("/rides").at(-1)).toMatchObject({
      submissionId: new URL(page.url()).pathname.split("/").at(-1),
      toolId,
      formData: { name: "Ada Lovelace", bike: "city-one", day: "2027-03-14", email: "ada@example.com", photo },
    });
    expect([...problems, ...visitor.problems]).toEqual([]);
  });
});

async function createOwnerAccount(page: Page, link: string) {
  await page.goto(link);
  await page.getByLabel("Email").fill("owner@harbour-bikes.example");
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Set up this server" }).click();
  await page.getByRole("navigation", { name: "Main" }).waitFor();
}

/**
 * Goes through every step of onboarding. A visitor on the demo page asks the first question. @returns the agent's id
 */
async function completeOnboarding(page: Page): Promise<string> {
  await page.getByRole("heading", { name: "What should it know?" }).waitFor();
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("button", { name: "When are you open?" }).click();
  await page.getByText("9:00 to 18:00").first().waitFor();
  await page.getByRole("link", { name: "Continue", exact: true }).click();
  await page.getByRole("link", { name: "Continue" }).click();
  await page.getByRole("heading", { name: "Waiting for the first conversation" }).waitFor();
  const address = new URL(page.url());
  const agentId = address.searchParams.get("agentId") ?? "";
  const visitor = await page.context().newPage();
  await visitor.goto(`${address.origin}/demo/${agentId}`);
  await ask(visitor, "Can I take a test ride?");
  await replyOver(visitor);
  await visitor.close();
  await page.getByRole("heading", { name: "Your first conversation" }).waitFor();
  return agentId;
}

/** Creates a form with the owner's session. @returns the tool's id */
async function makeForm(page: Page, agentId: string, formWebhookUrl: string): Promise<string> {
  const answer = await page.request.post(new URL("/tools", page.url()).href, {
    data: {
      agentId,
      name: "test_ride",
      description: "Books a test ride",
      executionType: "form",
      formWebhookUrl,
      inputSchema: { type: "object", properties: {} },
      formSchema: { fields: testRideFields },
    },
  });
  expect(answer.status(), await answer.text()).toBe(201);
  return (await answer.json()).id;
}

async function fillTestRide(page: Page) {
  await page.getByLabel("Your name").fill("Ada Lovelace");
  await page.getByLabel("Which bike?").selectOption({ label: "The City One" });
  await page.getByLabel("When would you like to come?").fill("2027-03-14");
  await page.getByLabel("E-mail").fill("ada@example.com");
  const buffer = Buffer.from(photo.split(",")[1] ?? "", "base64");
  await page.locator("input[name=photo]").setInputFiles({ name: "old-bike.png", mimeType: "image/png", buffer });
}
