import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectFit } from "../test/browser.ts";
import { type DashboardSite, startDashboardSite } from "../test/dashboard-site.ts";
import { createOwner } from "../test/session-client.ts";

const prompt = `You are Harbour, the assistant of Harbour Bikes, a small bicycle shop.
Answer in a few friendly sentences. Use only the facts below.

# Opening hours
- Tuesday to Friday: open from 9:00 to 18:00
- Saturday: open from 10:00 to 16:00

# Service
- A basic service costs 59 euros and takes one day.
`;

const stock = {
  name: "stock_lookup",
  description: "Looks up how many of a bike are in stock",
  executionType: "mock",
  inputSchema: { type: "object", properties: { bike: { type: "string", description: "Which bike" } } },
  mockResponse: JSON.stringify({ bike: "Tourer 28", left: 3 }),
};

/** Simulates a month of usage by visitors. */
function showUsage(page: Page, id: string, usage: object) {
  const agent = { id, tokensThisMonth: 0, conversationsThisMonth: 0, submissionsThisMonth: 0, ...usage };
  return page.route("**/plan", (route) => route.fulfill({ json: { planId: "pro", usage: { agents: [agent] } } }));
}

describe("the agents area of the dashboard", () => {
  let site: DashboardSite;
  beforeAll(async () => {
    site = await startDashboardSite();
  });
  afterAll(() => site.stop());

  const makeAgent = async (page: Page, more: object = {}) => {
    const body = { name: "Harbour", systemPrompt: prompt, ...more };
    return (await site.call(page, "POST", "/agents", body)).data.id as string;
  };
  const visit = async (agent: object, path = "") => {
    const opened = await site.signIn();
    const agentId = await makeAgent(opened.page, agent);
    await opened.page.goto(`${site.server.url}/dashboard/agents/${agentId}${path}`);
    return { ...opened, agentId };
  };
  const save = async (page: Page) => {
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Not saved yet", { exact: true }).waitFor({ state: "detached" });
  };
  const read = async (page: Page, agentId: string) => (await site.call(page, "GET", `/agents/${agentId}`)).data;

  it("lists agents, and explains them while there are none", async () => {
    const { email } = await createOwner(site.server);
    const { page, problems } = await site.open("/agents", { email });
    await page.getByRole("heading", { name: "No agents yet" }).waitFor();
    await expectFit(page);
    await site.picture(page, "dashboard-agents-empty");
    const ids: string[] = [];
    for (const name of ["Harbour", "Workshop desk", "Rentals"]) ids.push(await makeAgent(page, { name }));
    await showUsage(page, ids[1] ?? "", { conversationsThisMonth: 1_204 });
    await page.reload();
    await page.getByRole("row", { name: /Workshop desk.*1,204/ }).waitFor();
    await expectFit(page);
    await site.picture(page, "dashboard-agents");
    await page.getByRole("link", { name: "Rentals" }).click();
    await page.getByRole("heading", { level: 1, name: "Rentals" }).waitFor();
    expect(problems).toEqual([]);
  });

  it("edits an agent", async () => {
    const { page, problems, agentId } = await visit({});
    await page.getByLabel("Name").fill(" ");
    await page.getByLabel("Temperature").fill("140");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByLabel("Name").and(page.locator("[aria-invalid=true]")).waitFor();
    await page.getByLabel("Temperature").and(page.locator("[aria-invalid=true]")).waitFor();
    await expectFit(page);
    await page.getByLabel("Name").fill("Harbour desk");
    await page.getByLabel("Temperature").fill("30");
    await page.getByLabel("System prompt").fill("We open at nine.");
    await save(page);
    await expect
      .poll(() => read(page, agentId))
      .toMatchObject({
        name: "Harbour desk",
        temperature: 30,
        systemPrompt: "We open at nine.",
      });
    await page.getByRole("heading", { level: 1, name: "Harbour desk" }).waitFor();
    expect(problems).toEqual([]);
  });

  it("sets which conversations visitors are asked to rate, and shows it in the draft", async () => {
    const { page, problems, agentId } = await visit({ publishing: "manual" });
    const which = page.getByLabel("Conversations to rate");
    expect(await which.inputValue()).toBe("");
    expect(await page.getByLabel("Rating question").count()).toBe(0);
    await which.selectOption({ label: "Those that a member had" });
    await page.getByLabel("Rating question").fill(" Did we help? ");
    await page.getByLabel("Rating question").scrollIntoViewIfNeeded();
    await expectFit(page);
    await site.picture(page, "dashboard-rating-settings");
    await save(page);
    expect(await read(page, agentId)).toMatchObject({ askRating: "handed_over", ratingQuestion: "Did we help?" });
    await page.getByRole("region", { name: "Draft" }).getByRole("button", { name: "Review and publish" }).click();
    const dialog = page.getByRole("dialog", { name: /^Draft: 2 changes/ });
    await dialog.getByText("Conversations to rate", { exact: true }).waitFor();
    await dialog.getByText("Did we help?").waitFor();
    await site.picture(page, "dashboard-rating-draft");
    await dialog.getByRole("button", { name: "Publish" }).click();
    await dialog.waitFor({ state: "detached" });
    await which.selectOption({ label: "None" });
    await save(page);
    expect((await read(page, agentId)).askRating).toBeNull();
    expect(problems).toEqual([]);
  });

  it("chats with an agent in the playground while it is edited", async () => {
    const { page, problems, agentId } = await visit({});
    await site.call(page, "POST", "/tools", { agentId, ...stock });
    const chat = page.getByRole("region", { name: "Try Harbour" });
    await chat.getByLabel("Message to Harbour").fill("When are you open on Saturday?");
    await page.keyboard.press("Enter");
    await chat.getByText("10:00 to 16:00").first().waitFor();
    await chat.getByText(/done after/i).waitFor();
    await chat.getByLabel("Message to Harbour").fill("How many of the Tourer 28 are in stock? Use stock_lookup");
    await page.keyboard.press("Enter");
    await chat.getByText("Stock lookup", { exact: true }).click();
    await chat.getByText('"left": 3').waitFor();
    await chat.getByText("Canned answer", { exact: true }).waitFor();
    await expect.poll(() => chat.getByText(/not saved yet/).count()).toBe(0);
    await page.getByLabel("Temperature").fill("20");
    await chat.getByText(/not saved yet/).waitFor();
    await expectFit(page);
    await site.picture(page, "dashboard-agent");
    const stored = await site.call(page, "GET", `/conversations?agentId=${agentId}`);
    expect(stored.data).toMatchObject([{ userEmail: site.owner.email, messageCount: 4 }]);
    await chat.getByRole("button", { name: "New conversation" }).click();
    await chat.getByText("Chat with Harbour as a visitor would.", { exact: false }).waitFor();
    expect(problems).toEqual([]);
  });

  it("chats and submits a form in the playground as a verified visitor on a page, and shows both in the inbox", async () => {
    const { page, problems, agentId } = await visit({ pageQuery: ["bike"] });
    await site.call(page, "POST", "/tools", {
      agentId,
      name: "test_ride",
      description: "Shows the form for a test ride",
      executionType: "form",
      requires: "verified",
      formSchema: { fields: [{ name: "email", label: "Your e-mail", type: "email", defaultValue: "{{user.email}}" }] },
      inputSchema: { type: "object", properties: {} },
    });
    const chat = page.getByRole("region", { name: "Try Harbour" });
    await chat.getByRole("button", { name: "Visitor: You" }).click();
    const dialog = page.getByRole("dialog", { name: "Chat as a visitor" });
    await dialog.getByRole("radio", { name: "Verified" }).check();
    await dialog.getByLabel("Page URL").fill("shop.example");
    await dialog.getByRole("button", { name: "Apply" }).click();
    await dialog.getByText("This field is required.").waitFor();
    await expectFit(page);
    await dialog.getByLabel("Visitor ID").fill("ada-1");
    await dialog.getByLabel("Visitor email").fill("ada@example.com");
    await dialog.getByLabel("Visitor name").fill("Ada Lindqvist");
    await dialog.getByLabel("Claims").fill('{ "plan": "pro" }');
    await dialog.getByRole("button", { name: "Apply" }).click();
    await dialog.getByText("Must start with https:// or http://.").waitFor();
    await dialog.getByLabel("Page URL").fill("https://shop.example/bikes/tern?bike=7&session=secret");
    await dialog.getByLabel("Page title").fill("Tern, the folding bike");
    await dialog.getByLabel("Page context").fill('{ "productId": "tern" }');
    await site.picture(page, "dashboard-playground-visitor");
    await page.keyboard.press("Tab");
    await dialog.getByRole("button", { name: "Apply" }).click();
    // The closing dialog returns the focus to the button, and Enter would open it again.
    const visitor = chat.getByRole("button", { name: "Visitor: Ada Lindqvist" });
    await expect.poll(() => visitor.evaluate((element) => element === document.activeElement)).toBe(true);
    await chat.getByLabel("Message to Harbour").fill("When are you open on Saturday?");
    await page.keyboard.press("Enter");
    await chat.getByText("10:00 to 16:00").first().waitFor();
    await expectFit(page);
    await chat.getByRole("button", { name: "Stop" }).waitFor({ state: "detached" });
    // Rotating the secret invalidates the playground's token.
    await site.call(page, "POST", `/agents/${agentId}/identity-secret/rotate`);
    await chat.getByLabel("Message to Harbour").fill("Book a test ride");
    await page.keyboard.press("Enter");
    await chat.getByLabel("Your e-mail").waitFor();
    await expect.poll(() => chat.getByLabel("Your e-mail").inputValue()).toBe("ada@example.com");
    await site.call(page, "POST", `/agents/${agentId}/identity-secret/rotate`);
    await chat.getByRole("button", { name: "Submit" }).click();
    await chat.getByRole("heading", { name: "Submitted" }).waitFor();
    const { submissions } = await site.call(page, "GET", `/form-submissions?agentId=${agentId}`);
    expect(submissions).toMatchObject([{ identity: "verified", userId: "ada-1" }]);
    await chat.getByRole("link", { name: "Transcript" }).click();
    const messages = page.getByRole("region", { name: "Messages" });
    await messages.getByText("Tern, the folding bike").first().click();
    await messages.getByRole("link", { name: "https://shop.example/bikes/tern?bike=7", exact: true }).waitFor();
    await messages.getByText('"productId": "tern"').waitFor();
    const about = page.getByRole("complementary", { name: "About the visitor" });
    await about.getByText("Verified", { exact: true }).waitFor();
    await about.getByText('"plan": "pro"').waitFor();
    await expectFit(page);
    await site.picture(page, "dashboard-inbox-visitor");
    expect(problems).toEqual([]);
  });

  it("renders replies in the playground and the inbox as the widget does", async () => {
    const { page, problems, agentId } = await visit({});
    const inputSchema = { type: "object", properties: {} };
    await site.call(page, "POST", "/tools", {
      agentId,
      name: "bike_card",
      label: "Looking at bikes",
      description: "Shows our best bike",
      executionType: "mock",
      mockResponse: '{"name":"Tourer 28","cost":"990 €"}',
      inputSchema,
      displayConfig: { type: "product_card", fieldMappings: { title: "name", price: "cost" } },
    });
    // Visitors' pages receive the whole result of this tool. Of the result of a card, they receive only the filled
    // slots.
    await site.call(page, "POST", "/tools", {
      agentId,
      name: "delivery_price",
      description: "Says what a delivery costs",
      executionType: "mock",
      mockResponse: '{"cost":"49 €"}',
      inputSchema,
    });
    const fields = [
      { name: "email", label: "Your e-mail", type: "email", validation: { required: { value: true } } },
      { name: "budget", label: "Budget", type: "text", defaultValue: "{{context.previousResult.cost}}" },
    ];
    await site.call(page, "POST", "/tools", {
      agentId,
      name: "test_ride",
      label: "Book a ride",
      description: "Shows the form for a test ride",
      executionType: "form",
      formSchema: { fields },
      inputSchema,
    });
    const chat = page.getByRole("region", { name: "Try Harbour" });
    const ask = async (text: string) => {
      // Enter sends nothing while a reply is running.
      await chat.getByRole("button", { name: "Stop" }).waitFor({ state: "detached" });
      await chat.getByLabel("Message to Harbour").fill(text);
      await page.keyboard.press("Enter");
    };
    await ask("Show me the bike card");
    await chat.getByRole("article", { name: "Tourer 28" }).waitFor();
    await ask("What is the delivery price");
    await chat.getByText("Delivery price", { exact: true }).waitFor();
    await ask("Book a test ride");
    await chat.getByLabel("Your e-mail").fill("ada@example.com");
    await expect.poll(() => chat.getByLabel("Budget").inputValue()).toBe("49 €");
    await chat.getByRole("button", { name: "Submit" }).click();
    await chat.getByRole("heading", { name: "Submitted" }).waitFor();
    await site.picture(page, "dashboard-playground");
    await chat.getByRole("link", { name: "Transcript" }).click();
    const messages = page.getByRole("region", { name: "Messages" });
    await messages.getByRole("article", { name: "Tourer 28" }).waitFor();
    await messages.getByText("Submitted: see the answers").waitFor();
    const said = [
      { role: "user", content: "Which bikes do you have?" },
      { role: "assistant", content: "## Our bikes\n\n| Model | Price |\n|---|---|\n| **Tourer** | 990 |" },
      { role: "user", content: "Thank you" },
    ];
    const reply = await page.request.post(`${site.server.url}/chat`, { data: { agentId, messages: said } });
    expect(await reply.text()).toContain("message_stop");
    await page.getByRole("link", { name: /Which bikes do you have/ }).click();
    await messages.getByRole("heading", { name: "Our bikes" }).waitFor();
    await messages.getByRole("cell", { name: "Tourer" }).locator("strong").waitFor();
    await expectFit(page);
    await site.picture(page, "dashboard-inbox-rendered");
    expect(problems).toEqual([]);
  });

  it("stops a reply in the playground", async () => {
    // The demo writes one word at a time and at most eight items of a list, so many short words keep it writing for ten
    // seconds.
    const piers = Array.from({ length: 150 }, (_, index) => index % 10).join(" ");
    const tours = Array.from({ length: 8 }, (_, index) => `- Tour ${index}: piers ${piers}`);
    const { page } = await visit({ systemPrompt: `# Harbour tours\n${tours.join("\n")}` });
    const chat = page.getByRole("region", { name: "Try Harbour" });
    await chat.getByLabel("Message to Harbour").fill("Which harbour tours are there?");
    await page.keyboard.press("Enter");
    await chat.getByText("Tour 0", { exact: false }).first().waitFor();
    await chat.getByRole("button", { name: "Stop" }).click();
    await chat.getByText("Stopped. The partial reply is saved.").waitFor();
  });

  it("shows the reason why a reply failed", async () => {
    const { page } = await visit({});
    const chat = page.getByRole("region", { name: "Try Harbour" });
    const error = { code: "MODEL_NOT_CONFIGURED", message: "The model openai/gpt-5 is not configured on this server." };
    await page.route("**/chat", (route) => route.fulfill({ status: 503, json: { data: null, error } }));
    await chat.getByLabel("Message to Harbour").fill("When are you open on Saturday?");
    await chat.getByRole("button", { name: "Send" }).click();
    await chat.getByText("The reply failed. The model openai/gpt-5 is not configured on this server.").waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe("TEXTAREA");
    await expectFit(page);
    await site.picture(page, "dashboard-agent-failed");
    await page.unroute("**/chat");
    await chat.getByRole("button", { name: "Try again" }).click();
    await chat.getByText("10:00 to 16:00").first().waitFor();
  });

  it("asks before unsaved changes of an agent are lost", async () => {
    const { page, agentId } = await visit({});
    await page.getByLabel("System prompt").fill("We open at ten.");
    await page.getByRole("link", { name: "Embed" }).click();
    const dialog = page.getByRole("dialog", { name: "Leave without saving?" });
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await expect.poll(() => page.getByLabel("System prompt").inputValue()).toBe("We open at ten.");
    await page.getByRole("button", { name: "Discard" }).click();
    await expect.poll(() => page.getByLabel("System prompt").inputValue()).toBe(prompt);
    await page.getByRole("link", { name: "Embed" }).click();
    await page.getByRole("heading", { level: 1, name: "Embed" }).waitFor();
    await expect.poll(async () => (await read(page, agentId)).systemPrompt).toBe(prompt);

    await page.getByRole("link", { name: "Agent", exact: true }).click();
    await page.getByLabel("System prompt").fill("We open at eleven.");
    await page.getByRole("link", { name: "Embed" }).click();
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { level: 1, name: "Embed" }).waitFor();
    await expect.poll(async () => (await read(page, agentId)).systemPrompt).toBe("We open at eleven.");

    await page.getByRole("link", { name: "Agent", exact: true }).click();
    await page.getByLabel("Name").fill(" ");
    await page.getByRole("link", { name: "Embed" }).click();
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText("This field is required.").waitFor();
    expect(new URL(page.url()).pathname).toBe(`/dashboard/agents/${agentId}`);
  });

  it("duplicates an agent with its tools and triggers", async () => {
    const { page, problems, agentId } = await visit({ name: "Front desk" });
    await page.getByRole("button", { name: "Duplicate" }).click();
    await page.getByRole("heading", { level: 1, name: "Front desk (copy)" }).waitFor();
    expect(page.url()).not.toContain(agentId);
    expect(problems).toEqual([]);
  });

  it("offers to switch an agent from the demo to a connected provider", async () => {
    const { page } = await site.signIn();
    const agentId = await makeAgent(page);
    const models = [
      { id: "foyer/demo", provider: "foyer", name: "Demo (no AI)", isDefault: false },
      { id: "openai/gpt-5", provider: "openai", name: "gpt-5", isDefault: false },
    ];
    await page.route("**/models", (route) => route.fulfill({ json: { data: models, error: null } }));
    await page.goto(`${site.server.url}/dashboard/agents/${agentId}`);
    await page.getByText("still answers with the demo").waitFor();
    await expectFit(page);
    await page.getByRole("button", { name: "Use openai/gpt-5" }).click();
    await page.getByText("still answers with the demo").waitFor({ state: "detached" });
    await expect.poll(async () => (await read(page, agentId)).model).toBe("openai/gpt-5");
  });

  it("deletes an agent after its name is typed", async () => {
    const { page, agentId } = await visit({ name: "Old desk" });
    await page.getByRole("button", { name: "Delete Old desk" }).click();
    const dialog = page.getByRole("dialog");
    await expect.poll(() => dialog.getByRole("button", { name: "Delete Old desk" }).isDisabled()).toBe(true);
    await expectFit(page);
    await site.picture(page, "dashboard-agent-delete");
    await dialog.getByLabel('Type "Old desk" to confirm').fill("Old desk");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Agents" }).waitFor();
    await expect.poll(() => page.getByRole("link", { name: "Old desk" }).count()).toBe(0);
    await page.goto(`${site.server.url}/dashboard/agents/${agentId}`);
    await page.getByRole("heading", { name: "Not found" }).waitFor();
  });

  it("edits suggestions by page and follow-up questions, and offers the suggestions in the playground", async () => {
    const widget = { suggestions: ["When are you open?"] };
    const { page, problems, agentId } = await visit({ widget }, "/appearance");
    await page.getByRole("button", { name: "Add page" }).click();
    const pattern = page.getByRole("textbox", { name: "Page", exact: true });
    await pattern.fill("bikes");
    const list = page.getByRole("group", { name: "Suggestions on bikes" });
    await list.getByRole("button", { name: "Add suggestion" }).click();
    await list.getByLabel("Suggestion 1", { exact: true }).fill("Is it in stock?");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Must start with /", { exact: false }).waitFor();
    await expectFit(page);
    await site.picture(page, "dashboard-page-suggestions");
    await pattern.fill("/bikes/*");
    await page.getByRole("button", { name: "Add page" }).click();
    await pattern.nth(1).fill("/bikes/tern");
    await page.getByRole("button", { name: "Actions for /bikes/tern" }).click();
    await page.getByRole("menuitem", { name: "Move up" }).click();
    await expect.poll(() => pattern.first().inputValue()).toBe("/bikes/tern");
    await site.picture(page, "dashboard-page-suggestions-order");
    await save(page);
    await page.getByRole("link", { name: "Agent", exact: true }).click();
    await page.getByRole("switch", { name: "Follow-up questions" }).click();
    await save(page);
    const pageSuggestions = [
      { page: "/bikes/tern", suggestions: [] },
      { page: "/bikes/*", suggestions: ["Is it in stock?"] },
    ];
    await expect
      .poll(() => read(page, agentId))
      .toMatchObject({ followUps: true, widget: { ...widget, pageSuggestions } });
    const offered = page.getByRole("list", { name: "Suggestions on /bikes/*" });
    await offered.getByRole("button", { name: "Is it in stock?" }).waitFor();
    await site.picture(page, "dashboard-agent-suggestions");
    expect(problems.filter((problem) => !problem.includes("400"))).toEqual([]);
  });

  it("previews the widget with unsaved settings", async () => {
    const { page, problems, agentId } = await visit({ widget: { greeting: "Good morning." } }, "/appearance");
    const preview = page.frameLocator("iframe");
    await preview.getByText("Good morning.").waitFor();
    await page.getByLabel("Title").fill("Harbour Bikes");
    await page.getByLabel("Greeting").press("Control+End");
    await page.keyboard.type(" Welcome");
    await preview.getByText("Good morning. Welcome").waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe("TEXTAREA");
    await page.getByRole("button", { name: "Add suggestion" }).click();
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe("INPUT");
    await page.keyboard.type("When are you open?");
    await preview.getByRole("button", { name: "When are you open?" }).waitFor();
    await page.getByLabel("Accent color", { exact: true }).fill("#0f766e");
    await page.getByText("white text").waitFor();
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><circle cx="4" cy="4" r="4"/></svg>';
    const file = { name: "face.svg", mimeType: "image/svg+xml", buffer: Buffer.from(svg) };
    await page.getByLabel("Avatar").setInputFiles({ ...file, name: "notes.txt", buffer: Buffer.from("no image") });
    await page.getByText("notes.txt can't be read as an image.", { exact: false }).waitFor();
    await page.getByLabel("Avatar").setInputFiles(file);
    await preview.locator(".header .avatar[src^='data:image/png']").waitFor();
    await page.getByLabel("Theme").selectOption("dark");
    await preview.locator(".frame[data-theme=dark]").waitFor({ state: "attached" });
    await page.getByLabel("Theme").selectOption("auto");
    await expectFit(page);
    await site.picture(page, "dashboard-appearance");
    await page.getByText("Phone", { exact: true }).click();
    await preview.getByText("Good morning. Welcome").waitFor();
    await page.getByRole("region", { name: "Preview" }).getByText("Dark").click();
    await preview.locator(":root[data-theme=dark]").waitFor({ state: "attached" });
    await preview.locator(".frame[data-theme=dark]").waitFor({ state: "attached" });
    await preview.getByText("Good morning. Welcome").waitFor();
    await site.picture(page, "dashboard-appearance-phone");
    await expect.poll(async () => (await read(page, agentId)).widget).toEqual({ greeting: "Good morning." });
    await save(page);
    await expect
      .poll(async () => (await read(page, agentId)).widget)
      .toMatchObject({
        title: "Harbour Bikes",
        greeting: "Good morning. Welcome",
        suggestions: ["When are you open?"],
        accentColor: "#0f766e",
        position: "right",
        launcherIcon: "chat",
      });
    const { avatar } = (await read(page, agentId)).images;
    expect(avatar).toContain(`/agents/${agentId}/images/avatar?v=`);
    expect((await page.request.get(site.server.url + avatar)).headers()["content-type"]).toBe("image/png");
    await page.getByRole("button", { name: "Remove avatar" }).click();
    await preview.locator(".header .avatar").waitFor({ state: "detached" });
    await save(page);
    await expect.poll(async () => (await read(page, agentId)).images.avatar).toBeNull();
    await page.getByLabel("Accent color", { exact: true }).fill("teal");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByLabel("Accent color", { exact: true }).and(page.locator("[aria-invalid=true]")).waitFor();
    expect(problems).toEqual([]);
  });

  it("shows the embed code and restricts the sites that may use it", async () => {
    const { page, problems, agentId } = await visit({}, "/embed");
    const line = `<script src="${site.server.url}/widget.js" data-agent-id="${agentId}" async></script>`;
    await expect.poll(() => page.getByRole("region", { name: "the line", exact: true }).innerText()).toBe(line);
    await page.getByRole("button", { name: "Add site" }).click();
    await page.keyboard.type("https://shop.example/cart");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Must be an origin such as https://shop.example.").waitFor();
    await expectFit(page);
    await page.getByLabel("Site 1").fill("https://shop.example");
    await page.getByRole("button", { name: "Add parameter" }).click();
    await page.getByRole("textbox", { name: "Parameter 1" }).fill(" product ");
    await save(page);
    await expect
      .poll(() => read(page, agentId))
      .toMatchObject({
        allowedOrigins: ["https://shop.example"],
        pageQuery: ["product"],
      });
    await site.picture(page, "dashboard-embed");
    expect(problems).toEqual([]);
  });

  it("limits the monthly tokens of an agent", async () => {
    const { page, problems } = await site.signIn();
    const agentId = await makeAgent(page, { monthlyTokenBudget: 500_000 });
    await showUsage(page, agentId, { tokensThisMonth: 312_480 });
    await page.goto(`${site.server.url}/dashboard/agents/${agentId}`);
    await page.getByText("312,480").waitFor();
    await page.getByText("of 500,000 tokens this month").waitFor();
    await page.getByLabel("Monthly token limit").fill("300000");
    await page.getByText("tokens this month. The budget is used up").waitFor();
    await expectFit(page);
    await site.picture(page, "dashboard-agent-budget");
    await page.getByLabel("Monthly token limit").fill("");
    await page.getByText("312,480 tokens this month").waitFor();
    await save(page);
    await expect.poll(async () => (await read(page, agentId)).monthlyTokenBudget).toBeNull();
    expect(problems).toEqual([]);
  });

  it("shows how a site proves who its visitors are, and checks its tokens", async () => {
    const { page, problems, agentId } = await visit({}, "/identity");
    await expectFit(page);
    await site.picture(page, "dashboard-identity");
    await page.getByRole("radio", { name: "Ruby" }).check();
    await page.getByRole("region", { name: "the code for Ruby" }).getByText(agentId, { exact: false }).waitFor();
    await page.getByRole("switch", { name: "Require signed identities" }).click();
    await page.getByRole("button", { name: "Add fact" }).click();
    const fact = page.getByRole("textbox", { name: "Fact 1" });
    await fact.fill("claims.{plan");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Must be id, email, name or the name of a claim such as claims.plan.").waitFor();
    await fact.fill("plan");
    await save(page);
    await expect.poll(() => read(page, agentId)).toMatchObject({ requireIdentity: true, tellModel: ["claims.plan"] });

    const visitor = { id: "ada-1", email: "ada@example.com", claims: { plan: "pro" } };
    const { token } = (await site.call(page, "POST", `/agents/${agentId}/identity-token`, visitor)).data;
    await page.getByRole("textbox", { name: "Token" }).fill(token);
    await page.getByRole("button", { name: "Check token" }).click();
    await page.getByText("ada@example.com").waitFor();
    await expectFit(page);
    await site.picture(page, "dashboard-identity-valid");
    await page.getByRole("textbox", { name: "Token" }).fill(`${token.slice(0, -8)}AAAAAAAA`);
    await page.getByRole("button", { name: "Check token" }).click();
    await page.getByText("Its signature does not match.", { exact: false }).waitFor();
    await expectFit(page);
    await site.picture(page, "dashboard-identity-refused");
    expect(problems).toEqual([]);
  });

  it("shows the identity secret on demand", async () => {
    const { page, problems, agentId } = await visit({}, "/identity");
    const secretOf = async () =>
      (await site.call(page, "GET", `/agents/${agentId}/identity-secret`)).data.identitySecret as string;
    const before = await secretOf();
    await page.getByRole("button", { name: "Show secret" }).waitFor();
    expect(await page.content()).not.toContain(before);
    await page.getByRole("button", { name: "Show secret" }).click();
    await page.getByText(before).waitFor();
    await page.getByRole("button", { name: "Replace secret" }).click();
    await expectFit(page);
    await page.getByRole("button", { name: "Replace the identity secret" }).click();
    await expect.poll(secretOf).not.toBe(before);
    await page.getByText(await secretOf()).waitFor();
    await expect.poll(() => page.getByText(before).count()).toBe(0);

    const member = await site.open(`/agents/${agentId}/identity`, { email: await site.addMember("member") });
    await member.page.getByText("Only owners and admins can see the identity secret.").waitFor();
    await expect.poll(() => member.page.getByRole("button", { name: "Show secret" }).count()).toBe(0);
    expect(problems).toEqual([]);
  });

  it("hides agents from other organizations", async () => {
    const agentId = await makeAgent((await site.signIn()).page);
    const { email } = await createOwner(site.server);
    const { page } = await site.signIn({ email });
    for (const path of ["", "/appearance", "/embed", "/identity"]) {
      await page.goto(`${site.server.url}/dashboard/agents/${agentId}${path}`);
      await page.getByRole("heading", { name: "Not found" }).waitFor();
    }
    await page.goto(`${site.server.url}/dashboard/start?agentId=${agentId}`);
    await page.getByRole("heading", { name: "Not found" }).waitFor();
  });
});
