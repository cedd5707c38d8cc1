import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { accessibilityProblems } from "../browser.ts";
import { insertConversation } from "../conversation-seed.ts";
import { dashboardAddresses } from "../dashboard-routes.ts";
import { type DashboardSite, startDashboardSite } from "../dashboard-site.ts";
import { createContactSheet } from "./contact-sheet.ts";

const DAY_MS = 86_400_000;
const dayBefore = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

let site: DashboardSite;
let page: Page;
/** The ids of what the pages show, by the parameter of their route. An empty agent shows what an owner sees first. */
const ids: Record<string, string> = {};
let emptyAgentId: string;

beforeAll(async () => {
  site = await startDashboardSite();
  const { db } = site.server.deps;
  await db.updateTable("users").set({ name: "Mara Lindt" }).where("id", "=", site.owner.userId).execute();
  page = (await site.signIn()).page;
  const create = async (path: string, data: object) => (await site.call(page, "POST", path, data)).data;
  const agentId: string = (await create("/agents", { name: "Harbour", handoff: { isEnabled: true } })).id;
  emptyAgentId = (await create("/agents", { name: "Workshop" })).id;
  const tool = await site.call(page, "POST", "/tools", {
    agentId,
    name: "opening_hours",
    description: "Opening hours of the workshop",
    executionType: "mock",
    inputSchema: { type: "object", properties: {} },
    mockResponse: '"Tuesday to Friday, 9:00 to 18:00"',
  });
  const owner = { organizationId: site.owner.organizationId, agentId };
  const conversation = await insertConversation(db, owner, {}, [
    { content: "What does a basic service cost?" },
    { content: "A basic service costs **59 euros** and takes one day." },
  ]);
  Object.assign(ids, { agentId, toolId: tool.id, conversationId: conversation });
  const days = Array.from({ length: 60 }, (_, n) => ({
    agentId,
    day: dayBefore(n),
    hour: (8 + n * 5) % 24,
    conversations: 12 + ((n * 7) % 9) - Math.floor(n / 12),
    replies: 40 + ((n * 11) % 17),
    failedReplies: n % 4,
    ratedUp: 6,
    ratedDown: n % 3,
    inputTokens: 9_000 + n * 70,
    outputTokens: 3_000,
  }));
  await db.insertInto("conversationHours").values(days).execute();
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
});
afterAll(() => site.stop());

/** Pages of the empty agent have their own names. Pages whose ids no one created are left out. */
const scenes = dashboardAddresses()
  .filter(({ address, isOutside }) => !isOutside && !/\$(?!agentId|toolId|conversationId)/.test(address))
  .flatMap(({ address }) => [
    { address, isEmpty: false },
    ...(/^\/agents\/\$agentId[^$]*$/.test(address) ? [{ address, isEmpty: true }] : []),
  ])
  .map((scene) => ({
    ...scene,
    name: `${scene.address.replace(/[/$]+/g, "-").replace(/^-|-$/g, "") || "home"}${scene.isEmpty ? "-empty" : ""}`,
  }));

const only = process.env.FOYER_SCENES?.split(",");
const sheet = createContactSheet("dashboard");

it.for(scenes.filter(({ name }) => !only || only.includes(name)))(
  "takes the page $name of the dashboard",
  async ({ address, isEmpty, name }) => {
    const { page: tab } = await site.open(
      address.replace(/\$(\w+)/g, (_, id: string) => (isEmpty ? emptyAgentId : (ids[id] ?? ""))),
    );
    await tab.getByRole("heading").first().waitFor();
    await expect.poll(() => tab.getByRole("status", { name: /^Loading/ }).count()).toBe(0);
    expect.soft(await accessibilityProblems(tab)).toEqual([]);
    await sheet.takeAll(tab, name);
  },
);

it("puts the pictures of the dashboard on contact sheets", async () => {
  const { page: blank } = await site.browser.open();
  expect(await sheet.write(blank)).toBeGreaterThan(0);
});
