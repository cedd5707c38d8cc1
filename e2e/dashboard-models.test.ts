import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectFit } from "../test/browser.ts";
import { openChat } from "../test/chat-client.ts";
import { type DashboardSite, startDashboardSite } from "../test/dashboard-site.ts";
import { createOwner } from "../test/session-client.ts";
import { chunk, type Exchange, eventStream, startUpstream, type Upstream } from "../test/upstream.ts";

const own = "anthropic/claude-haiku-4-5";
const second = "openai-compatible/small";
const third = "mistral/mistral-small-latest";

/** The first provider limits requests. The second one looks up the stock and answers. */
function answer(exchange: Exchange): void {
  const { request, response, body } = exchange;
  if (body === "") return void response.writeHead(404).end();
  if (request.url?.startsWith("/first")) {
    const error = { type: "error", error: { type: "rate_limit_error", message: "Too many requests" } };
    response.writeHead(429, { "content-type": "application/json", "retry-after": "30" }).end(JSON.stringify(error));
    return;
  }
  const { messages, tools } = JSON.parse(body);
  const isAsked = tools?.length > 0 && messages.at(-1).role !== "tool";
  const { send, end } = eventStream(exchange);
  const call = { index: 0, id: "call_0", function: { name: "stock_lookup", arguments: '{"bike":"Tourer 28"}' } };
  send(chunk(isAsked ? { tool_calls: [call] } : { role: "assistant", content: "Three Tourer 28 are in stock [1]." }));
  send({
    ...chunk({}, isAsked ? "tool_calls" : "stop"),
    usage: { prompt_tokens: 1_200, completion_tokens: 40, prompt_tokens_details: { cached_tokens: 800 } },
  });
  send("[DONE]");
  end();
}

const stock = {
  name: "stock_lookup",
  description: "Looks up how many of a bike are in stock",
  executionType: "mock",
  inputSchema: { type: "object", properties: { bike: { type: "string", description: "Which bike" } } },
  mockResponse: JSON.stringify({ bike: "Tourer 28", left: 3 }),
};

describe("models in the dashboard", () => {
  let site: DashboardSite;
  let upstream: Upstream;
  beforeAll(async () => {
    upstream = await startUpstream();
    upstream.script(answer);
    site = await startDashboardSite({
      env: {
        ANTHROPIC_BASE_URL: `${upstream.url}/first`,
        ANTHROPIC_API_KEY: "sk-first",
        OPENAI_COMPATIBLE_BASE_URL: `${upstream.url}/second`,
      },
    });
  });
  afterAll(async () => {
    await site.stop();
    await upstream.stop();
  });

  const visit = async (settings: object, path = "") => {
    const opened = await site.signIn();
    const body = { name: "Harbour", model: own, ...settings };
    const agentId: string = (await site.call(opened.page, "POST", "/agents", body)).data.id;
    await opened.page.goto(`${site.server.url}/dashboard/agents/${agentId}${path}`);
    return { ...opened, agentId };
  };
  const read = async (page: Page, agentId: string) => (await site.call(page, "GET", `/agents/${agentId}`)).data;
  const save = async (page: Page) => {
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Not saved yet", { exact: true }).waitFor({ state: "detached" });
  };

  it("sets fallback models with the keyboard, and how the model answers", async () => {
    const { page, problems, agentId } = await visit({});
    const add = page.getByRole("button", { name: "Add fallback model" });
    for (const model of [second, third]) {
      await add.press("Enter");
      await page.keyboard.type(model);
      await page.keyboard.press("Escape");
    }
    await page.getByRole("button", { name: `Move ${third} up` }).press("Enter");
    await expect.poll(() => page.getByRole("combobox", { name: "Second model" }).inputValue()).toBe(third);
    // The focus follows the model, on the only direction that is left.
    await page.keyboard.press("Enter");
    await expect.poll(() => page.getByRole("combobox", { name: "Third model" }).inputValue()).toBe(third);
    await add.click();
    await page.getByLabel("Reasoning").selectOption("low");
    await page.getByText("Thinks briefly.", { exact: false }).waitFor();
    await page.getByLabel("Longest reply (tokens)").fill("900");
    await page.getByLabel("Monthly cost limit (USD)").fill("12.5");
    await page.getByLabel("Longest reply (tokens)").scrollIntoViewIfNeeded();
    await site.picture(page, "agent-models");
    await expectFit(page);
    await save(page);
    expect(await read(page, agentId)).toMatchObject({
      fallbackModels: [second, third],
      reasoning: "low",
      maxOutputTokens: 900,
      monthlyCostBudget: 12.5,
    });
    await page.getByRole("combobox", { name: "Fourth model" }).waitFor({ state: "detached" });
    await page.getByRole("button", { name: `Remove ${second}` }).click();
    await save(page);
    expect((await read(page, agentId)).fallbackModels).toEqual([third]);
    expect(problems).toEqual([]);
  });

  it("shows the error of a fallback model beside its field", async () => {
    const { page, agentId } = await visit({ fallbackModels: [second] });
    await page.getByRole("button", { name: "Add fallback model" }).click();
    await page.getByRole("button", { name: "Add fallback model" }).click();
    const wrong = page.getByRole("combobox", { name: "Fourth model" });
    await wrong.fill("nobody/knows");
    await page.getByRole("button", { name: "Save" }).click();
    await wrong.and(page.locator("[aria-invalid=true]")).waitFor();
    await page.getByText("Must be a provider, a slash and a model.", { exact: false }).waitFor();
    expect(await wrong.evaluate((field) => field === document.activeElement)).toBe(true);
    await site.picture(page, "agent-models-error");
    await expectFit(page);
    await wrong.fill(second);
    await page.getByRole("button", { name: "Save" }).click();
    await wrong.and(page.locator("[aria-invalid=true]")).waitFor();
    expect((await read(page, agentId)).fallbackModels).toEqual([second]);
  });

  /** Asks the agent as a visitor would. @returns the id of the conversation */
  const ask = async (agentId: string): Promise<string> => {
    const messages = [{ role: "user", content: "How many of the Tourer 28 are in stock?" }];
    const stream = await openChat(site.server.url, { agentId, messages });
    await stream.ended;
    const start = stream.events.find((event) => event.type === "message_start");
    if (!start) throw new Error("The reply has not started");
    return start.conversationId;
  };

  /** An agent with a tool and a document, whose second model answers at a known price. */
  const createAnswering = async (page: Page) => {
    const settings = {
      name: "Harbour",
      model: own,
      fallbackModels: [second],
      systemPrompt: "You sell bikes. ".repeat(40),
    };
    const agentId: string = (await site.call(page, "POST", "/agents", settings)).data.id;
    await site.call(page, "POST", "/tools", { agentId, ...stock });
    const text = "The Tourer 28 has eight gears and weighs 14 kg.";
    const document = { agentId, kind: "text", title: "Bikes in stock", text };
    const { id } = await site.call(page, "POST", "/documents", document);
    const isReady = async () => (await site.call(page, "GET", `/documents/${id}`)).state;
    await expect.poll(isReady).toBe("ready");
    const price = { input: 3, cachedInput: 0.3, output: 15 };
    await site.call(page, "PUT", `/models/prices/${encodeURIComponent(second)}`, price);
    return agentId;
  };

  /** Gives the steps of the reply the times that they would have with a real provider. */
  const stretch = async (conversationId: string) => {
    const { db } = site.server.deps;
    const rows = await db
      .selectFrom("replySteps")
      .innerJoin("messages", "messages.id", "replySteps.messageId")
      .select(["replySteps.messageId", "replySteps.position", "replySteps.startedAt"])
      .where("messages.conversationId", "=", conversationId)
      .orderBy("replySteps.position")
      .execute();
    const times = [
      { from: 0, durationMs: 900, firstTokenMs: 620 },
      { from: 905, durationMs: 240, firstTokenMs: null },
      { from: 1_150, durationMs: 1_100, firstTokenMs: 310 },
    ];
    for (const [index, { messageId, position }] of rows.entries()) {
      const { from = 0, ...values } = times[index] ?? {};
      const startedAt = (rows[0]?.startedAt ?? 0) + from;
      const ofStep = db.updateTable("replySteps").where("messageId", "=", messageId).where("position", "=", position);
      await ofStep.set({ startedAt, ...values }).execute();
    }
  };

  it("shows the steps of a reply in the inbox, loaded when they are opened", async () => {
    const { page, problems } = await site.signIn();
    const agentId = await createAnswering(page);
    const conversationId = await ask(agentId);
    await stretch(conversationId);
    let loads = 0;
    page.on("request", (request) => {
      if (request.url().endsWith("/trace")) loads += 1;
    });
    await page.goto(`${site.server.url}/dashboard/agents/${agentId}/conversations/${conversationId}`);
    const summary = page.getByText("Trace", { exact: true });
    await page.getByText(`${second} · 2,480 tokens · $0.0041`, { exact: false }).waitFor();
    await page.getByText(`in place of ${own}`, { exact: false }).waitFor();
    expect(loads).toBe(0);
    await page.locator("summary", { has: summary }).press("Enter");
    const steps = page.getByRole("table", { name: "Steps of the reply" });
    const rows = steps.getByRole("row");
    await expect.poll(() => rows.count()).toBe(5);
    expect(loads).toBe(1);
    await steps
      .getByRole("row", { name: /Model.*called tools.*first token after 620 ms.*1,200 in \(800 cached\)/ })
      .waitFor();
    await steps.getByRole("row", { name: /Stock lookup.*result.*240 ms/ }).waitFor();
    await steps.getByRole("row", { name: /Total 2\.3 s 2,400 in \(1,600 cached\)\s*80 out \$0\.0041/ }).waitFor();
    const prompt = page.getByRole("table", { name: "Prompt of the last step, in characters" });
    await prompt.getByRole("row", { name: /Instructions \d+% 64\d/ }).waitFor();
    await page
      .getByRole("region", { name: "Documents of the reply" })
      .getByRole("link", { name: "Bikes in stock" })
      .waitFor();
    await page
      .locator("aside dt", { hasText: /^Cost$/ })
      .locator("xpath=..")
      .getByText("$0.0041", { exact: true })
      .waitFor();
    await site.picture(page, "trace-inbox");
    await expectFit(page);
    expect(problems).toEqual([]);
  });

  it("shows the steps of a reply in the playground", async () => {
    const { page, problems } = await site.signIn();
    const agentId = await createAnswering(page);
    await page.goto(`${site.server.url}/dashboard/agents/${agentId}`);
    const chat = page.getByRole("region", { name: "Try Harbour" });
    await chat.getByLabel("Message to Harbour").fill("How many of the Tourer 28 are in stock?");
    await page.keyboard.press("Enter");
    await chat.locator("summary", { hasText: "Trace" }).click();
    await chat.getByRole("table", { name: "Steps of the reply" }).getByText("Stock lookup").waitFor();
    await site.picture(page, "trace-playground");
    await expectFit(page);
    expect(problems).toEqual([]);
  });

  it("lists prices, sets and removes an own one, and compares costs", async () => {
    const { email } = await createOwner(site.server);
    const { page, problems } = await site.signIn({ email });
    const agent = { name: "Harbour", model: own, fallbackModels: [second] };
    const agentId: string = (await site.call(page, "POST", "/agents", agent)).data.id;
    await ask(agentId);
    await page.goto(`${site.server.url}/dashboard/settings/models`);
    await page.getByRole("link", { name: "View prices" }).click();
    const prices = page.getByRole("region", { name: "Prices of models" });
    await prices.getByRole("row", { name: new RegExp(`${second} In use Unknown`) }).waitFor();
    await prices.getByRole("row", { name: new RegExp(`${own} In use .*Foyer, `) }).waitFor();
    await prices.getByRole("button", { name: `Add the price of ${second}` }).click();
    const dialog = page.getByRole("dialog", { name: `Price of ${second}` });
    await dialog.getByLabel("Input", { exact: true }).fill("-1");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("This field is required.").waitFor();
    await dialog.getByLabel("Output").fill("15");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("Must be at least 0.").waitFor();
    await dialog.getByLabel("Input", { exact: true }).and(page.locator("[aria-invalid=true]")).waitFor();
    await site.picture(page, "prices-dialog");
    await expectFit(page);
    await dialog.getByLabel("Input", { exact: true }).fill("3");
    await dialog.getByLabel("Output").fill("15");
    await dialog.getByLabel("Currency").fill("abc");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByLabel("Currency").and(page.locator("[aria-invalid=true]")).waitFor();
    await dialog.getByLabel("Currency").fill("usd");
    await dialog.getByRole("button", { name: "Save" }).click();
    await prices.getByRole("row", { name: new RegExp(`${second} In use \\$3.00 as input \\$15.00 Yours, `) }).waitFor();
    await page.getByLabel("Period").selectOption("This month");
    await page.getByText("1 reply, without 1 of unknown cost").waitFor();
    await page.getByRole("combobox", { name: "Other model" }).fill(second);
    await page.keyboard.press("Escape");
    // 1,200 tokens at 3 and 40 at 15, per million.
    await page.getByText("$0.0042", { exact: true }).waitFor();
    await site.picture(page, "prices");
    await expectFit(page);
    await prices.getByRole("button", { name: `Remove your price of ${second}` }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove price" }).click();
    await prices.getByRole("row", { name: new RegExp(`${second} In use Unknown`) }).waitFor();
    expect(problems).toEqual([]);
  });

  it("shows above every page how often a fallback model answered, and why", async () => {
    const { email } = await createOwner(site.server);
    const { page, problems } = await site.signIn({ email });
    const agent = { name: "Harbour", model: own, fallbackModels: [second] };
    const agentId: string = (await site.call(page, "POST", "/agents", agent)).data.id;
    await ask(agentId);
    await ask(agentId);
    await page.goto(`${site.server.url}/dashboard/settings/you`);
    const banner = page.getByRole("region", { name: "Provider failures" });
    await banner.getByText("A fallback model answered 2 times in the last 24 hours. Anthropic: rate limit").waitFor();
    await site.picture(page, "changeovers");
    await expectFit(page);
    await banner.getByRole("link", { name: "Model settings" }).click();
    await page.waitForURL("**/settings/models");
    await page.goto(`${site.server.url}/dashboard/settings/health`);
    await page.getByText("Answered by a fallback model: Anthropic: 2.", { exact: false }).waitFor();
    await expectFit(page);
    expect(problems).toEqual([]);
  });

  it("adds a server from a preset, tests and removes it", async () => {
    const { email } = await createOwner(site.server);
    const { page, problems } = await site.signIn({ email });
    await page.goto(`${site.server.url}/dashboard/settings/models`);
    await page.getByRole("button", { name: "Add a server" }).click();
    const dialog = page.getByRole("dialog", { name: "Add a server" });
    await dialog.getByLabel("Resource name").waitFor();
    await site.picture(page, "server-azure");
    await dialog.getByLabel("Service").selectOption("Amazon Bedrock");
    await dialog.getByLabel("Region").waitFor();
    await site.picture(page, "server-bedrock");
    await expectFit(page);
    await dialog.getByLabel("Service").selectOption("Groq");
    await expect.poll(() => dialog.getByLabel("Base URL").inputValue()).toBe("https://api.groq.com/openai/v1");
    await dialog.getByLabel("Base URL").fill(`${upstream.url}/groq`);
    await dialog.getByLabel("API key").fill("gsk-of-the-shop");
    await dialog.getByLabel("Model to test with").fill("small");
    await dialog.getByRole("button", { name: "Test" }).click();
    await dialog.getByText(/Responded in \d+ ms\. Streams, .*accepts pictures\./).waitFor();
    await site.picture(page, "server-tested");
    await expectFit(page);
    await dialog.getByLabel("Name", { exact: true }).fill("OpenAI");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByLabel("Name", { exact: true }).and(page.locator("[aria-invalid=true]")).waitFor();
    await dialog.getByLabel("Name", { exact: true }).fill("groq");
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "Change: groq" }).waitFor();
    await expectFit(page);
    await page.getByRole("button", { name: "Remove groq" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove groq settings" }).click();
    await page.getByRole("button", { name: "Change: groq" }).waitFor({ state: "detached" });
    expect(problems).toEqual([]);
  });

  it("sets that a model cannot see pictures, and removes the setting", async () => {
    const { email } = await createOwner(site.server);
    const { page, problems } = await site.signIn({ email });
    await page.goto(`${site.server.url}/dashboard/settings/models`);
    const section = page.locator("section").filter({ has: page.getByRole("heading", { name: "Pictures" }) });
    await section.getByRole("combobox", { name: "Model" }).fill("groq/llama");
    await section.getByRole("combobox", { name: "Pictures" }).selectOption("Cannot see pictures");
    await section.getByRole("button", { name: "Save" }).click();
    const row = page.getByRole("row", { name: /groq\/llama/ });
    await row.getByText("Cannot see pictures").waitFor();
    await row.scrollIntoViewIfNeeded();
    await site.picture(page, "model-pictures");
    await expectFit(page);
    await row.getByRole("button", { name: "Remove the setting of groq/llama" }).click();
    await row.waitFor({ state: "detached" });
    expect(problems).toEqual([]);
    await page.context().close();
  });

  it("hands over after failed replies in a row", async () => {
    const { page, agentId } = await visit({ handoff: { isEnabled: true } }, "/handoff");
    await page.getByLabel("Failed replies").fill("2");
    await expectFit(page);
    await save(page);
    expect((await read(page, agentId)).handoff.failedReplies).toBe(2);
  });
});
