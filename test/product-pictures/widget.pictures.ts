import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { accessibilityProblems } from "../browser.ts";
import { type DashboardSite, startDashboardSite } from "../dashboard-site.ts";
import { chunk, type Exchange, eventStream, sayWords, startUpstream, type Upstream } from "../upstream.ts";
import { ask, openChat, replyOver } from "../widget-site.ts";
import { createContactSheet } from "./contact-sheet.ts";
import { hostPage, hostPageNames } from "./host-pages.ts";

const greeting = "Hello, I'm Harbour. What can I help you with?";
const suggestions = ["Is the City One in stock?", "What does a basic service cost?", "Can I book a test ride?"];
const answer =
  "A basic service costs **59 euros** and takes one day [1]. Fixing a puncture costs 15 euros, and you can wait for it [2][3].\n\n- Bring the bike in before noon\n- Pick it up the next day [1]";
const sources = [
  { n: 1, title: "Workshop prices - Harbour Bikes help", url: "https://harbour-bikes.example/help/prices" },
  { n: 2, title: "Repairs while you wait - Harbour Bikes help", url: "https://harbour-bikes.example/help/repairs" },
  { n: 3, title: "Opening hours of the workshop - Harbour Bikes help", url: null },
].map((source) => ({ ...source, page: null, snippet: "A basic service costs 59 euros." }));

let site: DashboardSite;
let upstream: Upstream;
let member: Page;
let agentId: string;

type Scene = { name: string; agent?: object; url?: string; prepare: (page: Page) => Promise<unknown> };

const handoff = { isEnabled: true, promiseMinutes: 10 };

/** Runs a request of the signed-in member for the visitor's open conversation. */
async function asMember(page: Page, path: string, data?: object): Promise<void> {
  await site.call(member, "POST", `/conversations/${await conversationId(page)}/${path}`, data);
}

const conversationId = (page: Page) =>
  page.evaluate(() => {
    const name = Object.keys(localStorage).find((key) => key.endsWith(":visit")) ?? "";
    return JSON.parse(localStorage.getItem(name) ?? "{}").owners.anonymous.list[0].id as string;
  });

async function askAndRead(page: Page, text = "What does a basic service cost?"): Promise<void> {
  await openChat(page);
  await ask(page, text);
  await replyOver(page);
}

const talk = (page: Page) => page.getByRole("button", { name: "Talk to a person" }).first().click();

async function wait(page: Page): Promise<void> {
  await askAndRead(page);
  await talk(page);
  await page.locator(".ask [type=submit]").click();
  await page.getByRole("button", { name: "Stop waiting" }).waitFor();
}

async function talkToPerson(page: Page): Promise<void> {
  await wait(page);
  await asMember(page, "takeover");
  await asMember(page, "messages", { content: "Hello, I'm Mara from the workshop. Which bike is it?" });
  await page.getByText("Which bike is it?").first().waitFor();
}

const failing = ({ response }: Exchange) => response.writeHead(400).end('{"error":{"message":"no"}}');

const scenes: Scene[] = [
  { name: "closed", prepare: (page) => page.locator(".launcher").waitFor() },
  { name: "greeting", prepare: openChat },
  {
    name: "streaming",
    async prepare(page) {
      upstream.script((exchange) => eventStream(exchange).send(chunk({ content: "A basic service costs 59 eu" })));
      await openChat(page);
      await ask(page, "What does a basic service cost?");
      await page.getByText("59 eu").waitFor();
    },
  },
  {
    name: "sources",
    async prepare(page) {
      await page.route(/\/conversations\/[^/]+$/, async (route) => {
        const response = await route.fetch();
        const { data } = await response.json();
        for (const message of data.messages.filter(({ role }: { role: string }) => role === "assistant")) {
          Object.assign(message, { content: answer, sources, suggestions: suggestions.slice(1) });
        }
        await route.fulfill({ response, json: { data } });
      });
      await askAndRead(page);
      await page.reload();
      await page.locator(".sources").waitFor();
    },
  },
  {
    name: "tools",
    async prepare(page) {
      await addTools();
      callTools(["opening_hours", "price_list", "find_bikes"], "Two bikes fit your height.");
      await askAndRead(page, "Which bike fits me? I'm 1.80 m tall and want to ride to work every day");
      await page.locator(".carousel").waitFor();
    },
  },
  {
    name: "confirm",
    async prepare(page) {
      await page.evaluate(() => {
        const confirm = "Put this bike into your cart?";
        Reflect.get(window, "Foyer").registerTool("add_to_cart", () => "added", { confirm });
      });
      await addTool("add_to_cart", { executionType: "client", label: "Add to cart" });
      callTools(["add_to_cart"], "It is in your cart.", { bike: "City One", size: "M", price: "600 euros" });
      await openChat(page);
      await ask(page, "Put the City One into my cart");
      await page.locator(".confirm").waitFor();
    },
  },
  {
    name: "form",
    async prepare(page) {
      const required = { required: { value: true, message: "" } };
      await addTool("test_ride", {
        executionType: "form",
        label: "Book a test ride",
        formSchema: {
          fields: [
            { name: "bike", type: "select", label: "Bike", options: [{ value: "City One", label: "City One" }] },
            { name: "date", type: "date", label: "Date", validation: required },
            { name: "email", type: "email", label: "Email", validation: required },
          ],
        },
      });
      callTools(["test_ride"], "Choose a day, and we get the bike ready.");
      await askAndRead(page, "Can I book a test ride?");
      await page.locator(".form .input").first().waitFor();
    },
  },
  {
    name: "error",
    async prepare(page) {
      upstream.script(failing);
      await askAndRead(page);
      await page.locator(".failure").waitFor();
    },
  },
  {
    name: "offline",
    async prepare(page) {
      await askAndRead(page);
      await page.context().setOffline(true);
      await ask(page, "And a puncture?");
      await page.locator(".failure").waitFor();
    },
  },
  { name: "waiting", prepare: wait },
  { name: "person", prepare: talkToPerson },
  {
    name: "typing",
    async prepare(page) {
      await talkToPerson(page);
      await ask(page, "It's a City One");
      await asMember(page, "typing");
      await page.getByText("is typing").first().waitFor();
    },
  },
  {
    name: "ended",
    async prepare(page) {
      await talkToPerson(page);
      await asMember(page, "close");
      await page.getByRole("group", { name: "How was it?" }).waitFor();
    },
  },
  {
    name: "rating",
    async prepare(page) {
      await askAndRead(page);
      await page.getByRole("button", { name: "Bad reply" }).click();
      await page.locator(".comment").waitFor();
    },
  },
  {
    name: "handoff-form",
    async prepare(page) {
      await askAndRead(page);
      await talk(page);
      await page.locator(".ask").waitFor();
    },
  },
  {
    name: "consent",
    agent: { widget: { greeting, suggestions, consentText: "We store this chat for 30 days." } },
    prepare: openChat,
  },
  {
    name: "past",
    async prepare(page) {
      await askAndRead(page);
      await page.getByRole("button", { name: "Conversations" }).click();
      await page.locator(".past").waitFor();
    },
  },
];

function addTool(name: string, settings: object): Promise<unknown> {
  return site.call(member, "POST", "/tools", {
    agentId,
    name,
    description: `What ${name} does`,
    inputSchema: { type: "object", properties: {} },
    ...settings,
  });
}

async function addTools(): Promise<void> {
  const bikes = [
    { name: "City One", price: "600 euros", about: "Seven gears, hub dynamo, a basket." },
    { name: "Tourer 28", price: "1,150 euros", about: "For long days by the sea." },
    { name: "Cargo Two", price: "2,900 euros", about: "Carries two children and the shopping." },
  ];
  const mock = (name: string, response: object | string, displayConfig: object) =>
    addTool(name, { executionType: "mock", mockResponse: JSON.stringify(response), displayConfig });
  await mock("opening_hours", "Tuesday to Friday, 9:00 to 18:00", { type: "text" });
  const rows = { rows: "rows", Bike: "name", Price: "price" };
  await mock("price_list", { rows: bikes }, { type: "table", fieldMappings: rows });
  const mapped = { items: "bikes", title: "name", price: "price", description: "about" };
  const options = { showAddToCart: true };
  await mock("find_bikes", { bikes }, { type: "product_carousel", fieldMappings: mapped, options });
}

/** The model calls these tools, and then says the words. */
function callTools(names: string[], words: string, input: object = {}): void {
  upstream.script((exchange) => {
    if (JSON.parse(exchange.body).messages.at(-1).role === "tool") return sayWords(words)(exchange);
    const { send, end } = eventStream(exchange);
    for (const [index, name] of names.entries()) {
      const call = { index, id: `call_${index}`, function: { name, arguments: JSON.stringify(input) } };
      send(chunk({ tool_calls: [call] }));
    }
    send(chunk({}, "tool_calls"));
    send("[DONE]");
    end();
  });
}

beforeAll(async () => {
  upstream = await startUpstream();
  site = await startDashboardSite({
    env: { OPENAI_COMPATIBLE_BASE_URL: `${upstream.url}/v1`, FOYER_DEFAULT_MODEL: "openai-compatible/test" },
  });
  const { db } = site.server.deps;
  await db.updateTable("users").set({ name: "Mara Lindt" }).where("id", "=", site.owner.userId).execute();
  member = (await site.signIn()).page;
});
afterAll(async () => {
  await site.stop();
  await upstream.stop();
});

type Opening = { agent?: object; host?: string; size?: { width: number; height: number }; attributes?: string };

/** Opens a page with the closed widget of a new agent. */
async function visit({ agent = {}, host = "white", size, attributes }: Opening = {}): Promise<Page> {
  upstream.script(sayWords("A basic service costs 59 euros and takes one day. Bring it in before noon."));
  const settings = { name: "Harbour", handoff, widget: { greeting, suggestions }, ...agent };
  agentId = (await site.call(member, "POST", "/agents", settings)).data.id;
  const { page } = await site.browser.open({ viewport: size ?? { width: 1440, height: 900 } });
  const body = hostPage(host, agentId, attributes);
  await page.route("**/shop", (route) => route.fulfill({ contentType: "text/html", body }));
  await page.goto(`${site.server.url}/shop`);
  await page.locator(".launcher").waitFor();
  return page;
}

const only = process.env.FOYER_SCENES?.split(",");
const wanted = <Item extends { name: string }>(items: Item[]) =>
  items.filter(({ name }) => !only || only.includes(name));

const states = createContactSheet("widget-states", { isWidget: true });
const hosts = createContactSheet("widget-hosts");

it.for(wanted(scenes))("takes the widget in the state $name", async ({ agent, prepare, name }) => {
  const page = await visit(agent ? { agent } : {});
  await prepare(page);
  expect.soft(await accessibilityProblems(page)).toEqual([]);
  await states.takeAll(page, name);
});

const windows = [
  { name: "zoom", width: 360, height: 225 },
  { name: "sideways", width: 844, height: 390 },
  { name: "keyboard", width: 390, height: 420 },
];

it.for(wanted(windows))("takes the opened chat in the window of $name", async ({ name, ...size }) => {
  const page = await visit({ size });
  await openChat(page);
  await states.take(page, `${name}-greeting`);
  await talk(page);
  await page.locator(".ask").waitFor();
  await states.take(page, `${name}-handoff-form`);
  await page.locator(".ask textarea").fill("My bike was stolen");
  await page.locator(".ask [type=submit]").focus();
  await states.take(page, `${name}-handoff-form-end`);
});

it.for(wanted(hostPageNames.map((name) => ({ name }))))("takes the widget on the page $name", async ({ name }) => {
  const size = name === "narrow" ? { width: 320, height: 568 } : { width: 1440, height: 900 };
  const page = await visit({ host: name, size });
  await hosts.take(page, `${name}-closed`);
  await askAndRead(page);
  if (name === "print") await page.emulateMedia({ media: "print" });
  await hosts.take(page, `${name}-open`);
});

it("puts the pictures on sheets", async () => {
  const { page } = await site.browser.open();
  expect((await states.write(page)) + (await hosts.write(page))).toBeGreaterThan(0);
});
