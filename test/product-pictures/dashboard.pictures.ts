import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { accessibilityProblems } from "../browser.ts";
import { dashboardAddresses } from "../dashboard-routes.ts";
import { type FormDashboard, ride, startFormDashboard } from "../form-dashboard.ts";
import { insertHarbourConversations } from "../harbour-conversations.ts";
import { createContactSheet } from "./contact-sheet.ts";

const DAY_MS = 86_400_000;
const dayBefore = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

let site: FormDashboard;
/** The ids of what the pages show, by the parameter of their route. An empty agent shows what an owner sees first. */
const ids: Record<string, string> = {};
let emptyAgentId: string;

beforeAll(async () => {
  site = await startFormDashboard();
  const { db } = site.server.deps;
  await db.updateTable("users").set({ name: "Mara Lindt" }).where("id", "=", site.owner.userId).execute();
  const { page } = await site.signIn();
  const agentId: string = (await site.call(page, "POST", "/agents", { name: "Harbour", handoff: { isEnabled: true } }))
    .data.id;
  emptyAgentId = (await site.call(page, "POST", "/agents", { name: "Workshop" })).data.id;
  const tool = await site.call(page, "POST", "/tools", {
    agentId,
    name: "opening_hours",
    description: "Opening hours of the workshop",
    executionType: "mock",
    inputSchema: { type: "object", properties: {} },
    mockResponse: '"Tuesday to Friday, 9:00 to 18:00"',
  });
  const form = await site.createForm(page, agentId);
  const trigger = await site.call(page, "POST", `/triggers?agentId=${agentId}`, {
    name: "Help on the pricing page",
    triggerType: "page_view",
    conditions: { page: "/pricing" },
    actionType: "show_bubble",
    actionConfig: { message: "Shall I compare the service plans for you?" },
  });
  const document = await site.call(page, "POST", "/documents", {
    agentId,
    kind: "text",
    title: "Workshop prices",
    text: "# Workshop prices\n\nA basic service costs 59 euros and takes one day.\n",
  });
  const webhook = await site.call(page, "POST", "/webhooks", {
    url: `${site.receiver.url}/hook`,
    events: ["*"],
  });
  const submissionId = await site.submit(form.id, ride("Ada Lindqvist"));
  const owner = { organizationId: site.owner.organizationId, agentId };
  const conversations = await insertHarbourConversations(db, owner, form.id);
  await site.call(page, "POST", `/conversations/${conversations.ride}/takeover`);
  const content = "The Tender 2 is reserved for you. Come by on Saturday at ten.";
  await site.call(page, "POST", `/conversations/${conversations.ride}/messages`, { content });
  await site.call(page, "POST", `/conversations/${conversations.failed}/handoff`, { reason: "The order is late" });
  const { visitorKey } = (await site.call(page, "GET", `/conversations/${conversations.ride}`)).data;
  Object.assign(ids, {
    agentId,
    visitorKey,
    toolId: tool.id,
    formId: form.id,
    triggerId: trigger.id,
    documentId: document.id,
    webhookId: webhook.id,
    submissionId,
    conversationId: conversations.ride,
    waitingId: conversations.failed,
  });
  await insertFigures(agentId, { toolId: form.id, triggerId: trigger.id });
});
afterAll(() => site.stop());

/** Two months of conversations, of a trigger and of a form. */
async function insertFigures(agentId: string, { toolId, triggerId }: { toolId: string; triggerId: string }) {
  const { db } = site.server.deps;
  const days = Array.from({ length: 60 }, (_, n) => ({ n, day: dayBefore(n) }));
  await db
    .insertInto("conversationHours")
    .values(
      days.map(({ n, day }) => ({
        agentId,
        day,
        hour: (8 + n * 5) % 24,
        conversations: 12 + ((n * 7) % 9) - Math.floor(n / 12),
        replies: 40 + ((n * 11) % 17),
        failedReplies: n % 4,
        ratedUp: 6,
        ratedDown: n % 3,
        inputTokens: 9_000 + n * 70,
        outputTokens: 3_000,
        cost: 0.02 + ((n * 7) % 9) / 1_000,
        unknownCostReplies: n === 3 ? 4 : 0,
      })),
    )
    .execute();
  await db
    .insertInto("triggerDays")
    .values(days.map(({ n, day }) => ({ triggerId, day, fired: 30 + ((n * 5) % 11), converted: 4 + (n % 5) })))
    .execute();
  await db
    .insertInto("formDays")
    .values(
      days.slice(1).map(({ n, day }) => ({
        toolId,
        day,
        agentId,
        impressions: 14 + (n % 6),
        started: 8 + (n % 4),
        submitted: 5 + (n % 3),
        successful: 4 + (n % 3),
        failed: n % 5 === 0 ? 1 : 0,
      })),
    )
    .execute();
  await db
    .insertInto("handoffDays")
    .values({
      agentId,
      day: dayBefore(1),
      cause: "visitor",
      requested: 14,
      conversations: 12,
      taken: 13,
      waitedMs: 2_400_000,
      answered: 12,
      answerMs: 3_600_000,
      inTime: 9,
      answersWithin1Min: 2,
      answersWithin5Min: 6,
      answersWithin15Min: 3,
      answersWithin1Hour: 1,
    })
    .execute();
}

type Scene = { name: string; address: string; isEmpty?: boolean; prepare?: (page: Page) => Promise<void> };

const toName = (address: string) => address.replace(/[/$]+/g, "-").replace(/^-|-$/g, "") || "home";
const press = (name: string | RegExp) => (page: Page) => page.getByRole("button", { name }).first().click();
const inbox = "/agents/$agentId/conversations";

/** Every page. Pages of an agent are also taken for the empty one, if they show nothing else. */
const pages: Scene[] = dashboardAddresses()
  .filter(({ address, isOutside }) => !isOutside && address !== "/$")
  .flatMap(({ address }) => [
    { name: toName(address), address },
    ...(/^\/agents\/\$agentId[^$]*$/.test(address)
      ? [{ name: `${toName(address)}-empty`, address, isEmpty: true }]
      : []),
  ]);

/** What opens on a page, and pages with other content. */
const states: Scene[] = [
  { name: "signed-out", address: "/sign-in", prepare: (page) => page.context().clearCookies() },
  { name: "not-found", address: "/no-such-page" },
  { name: "tool-not-found", address: "/agents/$agentId/tools/tool_0" },
  { name: "form", address: "/agents/$agentId/tools/$formId" },
  { name: "inbox-filters", address: inbox, prepare: press("Filters") },
  { name: "inbox-waiting", address: `${inbox}/$waitingId?view=waiting` },
  { name: "inbox-no-matches", address: `${inbox}?q=zeppelin` },
  { name: "inbox-shortcuts", address: inbox, prepare: (page) => page.keyboard.press("?") },
  { name: "command-menu", address: "/agents/$agentId", prepare: (page) => page.keyboard.press("Control+k") },
  {
    name: "analytics-cost",
    address: "/agents/$agentId/analytics",
    prepare: (page) => page.getByRole("radio", { name: "Cost" }).check(),
  },
  { name: "analytics-all", address: "/agents/$agentId/analytics?scope=all" },
  {
    name: "playground-reply",
    address: "/agents/$agentId",
    async prepare(page) {
      await page.getByLabel("Message to Harbour").fill("What does a basic service cost?");
      await page.getByLabel("Message to Harbour").press("Enter");
      await page
        .getByText(/^done after|done after/i)
        .first()
        .waitFor();
    },
  },
  { name: "unsaved", address: "/agents/$agentId", prepare: (page) => page.getByLabel("Name").first().fill("Harbor") },
  { name: "team-chat-dialog", address: "/settings/notices", prepare: press("Create channel") },
  {
    name: "team-chat-bot-dialog",
    address: "/settings/notices",
    async prepare(page) {
      await press("Create channel")(page);
      await page.getByLabel("Kind").selectOption({ index: 1 });
    },
  },
  { name: "invite-dialog", address: "/settings/members", prepare: press(/^Invite/) },
  { name: "canned-dialog", address: "/settings/canned-replies", prepare: press(/^(Create|Add)/) },
  { name: "price-dialog", address: "/settings/models/prices", prepare: press(/^(Set|Add)/) },
];

const only = process.env.FOYER_SCENES?.split(",");
const sheet = createContactSheet("dashboard", { isFullPage: true });

it.for([...pages, ...states].filter(({ name }) => !only || only.includes(name)))(
  "takes $name of the dashboard",
  async ({ address, isEmpty = false, prepare, name }) => {
    const { page: tab } = await site.open(
      address.replace(/\$(\w+)/g, (_, id: string) => (isEmpty && id === "agentId" ? emptyAgentId : (ids[id] ?? ""))),
    );
    await tab.getByRole("heading").first().waitFor();
    await expect.poll(() => tab.getByRole("status", { name: /^Loading/ }).count()).toBe(0);
    await prepare?.(tab);
    expect.soft(await accessibilityProblems(tab)).toEqual([]);
    await sheet.takeAll(tab, name);
    // Phones wrap what fits on wide screens, so both sizes are checked.
    await tab.setViewportSize({ width: 390, height: 844 });
    expect.soft(await accessibilityProblems(tab)).toEqual([]);
  },
);

it("puts the pictures of the dashboard on contact sheets", async () => {
  const { page: blank } = await site.browser.open();
  expect(await sheet.write(blank)).toBeGreaterThan(0);
});
