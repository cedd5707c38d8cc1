import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { insertConversation } from "../conversation-seed.ts";
import { type DashboardSite, startDashboardSite } from "../dashboard-site.ts";
import { ask, replyOver } from "../widget-site.ts";
import { shopPage } from "./shop-page.ts";

const folder = join(import.meta.dirname, "../../docs/pictures");
/** All pictures together. */
const maxBytes = 400 * 1024;
const email = "manager@harbour-bikes.example";
const viewport = { width: 1280, height: 800 };

type Scene = {
  name: string;
  /** Path on the server. */
  url: () => string;
  /** Brings the loaded page into the state that the picture shows. */
  prepare: (page: Page) => Promise<void>;
  viewport?: { width: number; height: number };
};

let site: DashboardSite;
let agentId: string;
let openConversationId: string;

/** The widget comes last, because its conversations appear in the inbox. */
const scenes: Scene[] = [
  {
    name: "inbox",
    url: () => `/dashboard/agents/${agentId}/conversations/${openConversationId}`,
    async prepare(page) {
      await page.getByText("The frame is fine.").last().waitFor();
      await page.getByRole("link", { name: /talk to a person/ }).waitFor();
      // The traces of the agent's replies appear after the conversation has scrolled to its end.
      await page.getByText("Trace").last().waitFor();
      await page.getByText("The frame is fine.").last().scrollIntoViewIfNeeded();
    },
  },
  {
    name: "agent",
    url: () => `/dashboard/agents/${agentId}`,
    async prepare(page) {
      const chat = page.getByRole("region", { name: "Try Harbour" });
      await chat.getByLabel("Message to Harbour").fill("What does a basic service cost?");
      await page.keyboard.press("Enter");
      await chat.getByText("1 of 1 passage cited").waitFor();
      await page.getByRole("heading", { level: 1 }).scrollIntoViewIfNeeded();
    },
  },
  {
    name: "widget",
    url: () => "/shop",
    async prepare(page) {
      await ask(page, "When are you open on Saturday?");
      await page.locator(".reply", { hasText: "10:00 to 16:00" }).waitFor();
      await replyOver(page);
      await ask(page, "What does a basic service cost?");
      await page.locator(".reply", { hasText: "59 euros" }).waitFor();
      await replyOver(page);
      await page.locator(".panel").getByText("Workshop prices").first().waitFor();
    },
  },
];

const systemPrompt = `You are Harbour, the assistant of Harbour Bikes.
Answer in a few friendly sentences, and only from what you know.

# Opening hours
- Tuesday to Friday: open from 9:00 to 18:00
- Saturday: open from 10:00 to 16:00
`;

const prices = `# Workshop prices

A basic service costs 59 euros and takes one day.

Fixing a puncture costs 15 euros, and you can wait for it.
`;

beforeAll(async () => {
  site = await startDashboardSite();
  const { db } = site.server.deps;
  const { organizationId, userId } = site.owner;
  await db.updateTable("organizations").set({ name: "Harbour Bikes" }).where("id", "=", organizationId).execute();
  await db.updateTable("users").set({ name: "Shop manager", email }).where("id", "=", userId).execute();
  const { page } = await site.signIn({ email });
  const settings = { name: "Harbour", systemPrompt, model: "foyer/demo", handoff: { isEnabled: true } };
  agentId = (await site.call(page, "POST", "/agents", settings)).data.id;
  const { id } = await site.call(page, "POST", "/documents", {
    agentId,
    kind: "text",
    title: "Workshop prices",
    text: prices,
  });
  await vi.waitFor(async () => expect((await site.call(page, "GET", `/documents/${id}`)).state).toBe("ready"), {
    timeout: 30_000,
  });
  openConversationId = await insertInbox(page);
  await page.context().close();
});
afterAll(() => site.stop());

/** @returns the id of the conversation that a person has taken over */
async function insertInbox(page: Page): Promise<string> {
  const { db } = site.server.deps;
  const minutesAgo = (minutes: number) => Date.now() - minutes * 60_000;
  const add = (minutes: number, ...texts: string[]) =>
    insertConversation(
      db,
      { organizationId: site.owner.organizationId, agentId },
      {
        createdAt: minutesAgo(minutes),
        lastMessageAt: minutesAgo(minutes),
        lastMessageRole: "assistant",
        lastMessagePreview: texts.at(-1) ?? "",
      },
      texts.map((content) => ({ content })),
    );
  await add(1_500, "Can I pay in instalments?", "Yes, from 500 euros, over six or twelve months.");
  await add(300, "How long is the guarantee on frames?", "Ten years on every frame that we build.");
  await add(95, "Is the Tourer 28 in stock in blue?", "Yes, three of them are in the shop.");
  await add(40, "Do you repair e-bikes of other makes?", "Yes. Bring it in before noon, and it is ready the next day.");
  const waiting = await add(
    12,
    "My order has not arrived. Can I talk to a person?",
    "Of course. I have asked the team to join this conversation.",
  );
  await site.call(page, "POST", `/conversations/${waiting}/handoff`, { reason: "The order has not arrived" });
  await db
    .updateTable("handoffs")
    .set({ requestedAt: minutesAgo(11) })
    .where("conversationId", "=", waiting)
    .execute();
  const taken = await add(
    9,
    "I fell off my City One. Can you check the frame?",
    "I am glad that you ask before riding on. A mechanic should look at it.",
    "It has been at your workshop since this morning. Is it safe to ride?",
    "I cannot tell from here, so I have asked the workshop.",
  );
  await site.call(page, "POST", `/conversations/${taken}/takeover`);
  const content = "The frame is fine. Only the rear wheel is bent: we true it for 25 euros, and it is ready at four.";
  await site.call(page, "POST", `/conversations/${taken}/messages`, { content });
  return taken;
}

it.for(scenes.flatMap((scene) => (["light", "dark"] as const).map((colorScheme) => ({ ...scene, colorScheme }))))(
  "takes the picture of the $name in the $colorScheme scheme",
  async (scene) => {
    const { page } = await site.signIn({
      email,
      context: { viewport: scene.viewport ?? viewport, colorScheme: scene.colorScheme },
    });
    await page.route("**/shop", (route) => route.fulfill({ contentType: "text/html", body: shopPage(agentId) }));
    await page.goto(site.server.url + scene.url());
    await scene.prepare(page);
    await page.evaluate(() => document.fonts.ready);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${scene.name}-${scene.colorScheme}.webp`), await capture(page));
  },
);

it("keeps all pictures together within their limit", () => {
  const sizes = readdirSync(folder).map((file) => statSync(join(folder, file)).size);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(maxBytes);
});

/** Takes a picture as WebP, which is a third of a PNG and which only the protocol of Chromium offers. */
async function capture(page: Page): Promise<Buffer> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 85 });
  return Buffer.from(data, "base64");
}
