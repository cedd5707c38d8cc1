import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectFit } from "../test/browser.ts";
import { type DashboardSite, startDashboardSite } from "../test/dashboard-site.ts";
import { chunk, type Exchange, eventStream, startUpstream, type Upstream } from "../test/upstream.ts";

const own = "anthropic/claude-haiku-4-5";
const second = "openai-compatible/small";
const third = "mistral/mistral-small-latest";

/** The first provider limits requests, and the second one answers. */
function answer(exchange: Exchange): void {
  const { request, response, body } = exchange;
  if (body === "") return void response.writeHead(404).end();
  if (request.url?.startsWith("/first")) {
    const error = { type: "error", error: { type: "rate_limit_error", message: "Too many requests" } };
    return void response
      .writeHead(429, { "content-type": "application/json", "retry-after": "30" })
      .end(JSON.stringify(error));
  }
  const { send, end } = eventStream(exchange);
  send(chunk({ role: "assistant", content: "We open at 10:00 on Saturday." }));
  send({
    ...chunk({}, "stop"),
    usage: { prompt_tokens: 1_200, completion_tokens: 40, prompt_tokens_details: { cached_tokens: 800 } },
  });
  send("[DONE]");
  end();
}

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
    await page.getByText("with a model provider of this server", { exact: false }).waitFor();
    expect(await wrong.evaluate((field) => field === document.activeElement)).toBe(true);
    await site.picture(page, "agent-models-error");
    await expectFit(page);
    await wrong.fill(second);
    await page.getByRole("button", { name: "Save" }).click();
    await wrong.and(page.locator("[aria-invalid=true]")).waitFor();
    expect((await read(page, agentId)).fallbackModels).toEqual([second]);
  });

  it("hands over after failed replies in a row", async () => {
    const { page, agentId } = await visit({ handoff: { isEnabled: true } }, "/handoff");
    await page.getByLabel("Failed replies").fill("2");
    await expectFit(page);
    await save(page);
    expect((await read(page, agentId)).handoff.failedReplies).toBe(2);
  });
});
