import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { newId } from "../packages/server/src/ids.ts";
import { accessibilityProblems, overflowOf, startBrowser, type TestBrowser } from "../test/browser.ts";
import { startServer, type TestServer } from "../test/server.ts";
import { chunk, eventStream, sayWords, startUpstream, type Upstream } from "../test/upstream.ts";

const hostile = `</script><img src=x onerror="window.broken=1"><b>bold</b>`;

describe("the demo page", () => {
  let browser: TestBrowser;
  let server: TestServer;
  let upstream: Upstream;
  let owner: Awaited<ReturnType<TestServer["createAccount"]>>;
  beforeAll(async () => {
    upstream = await startUpstream();
    server = await startServer({
      listen: true,
      env: {
        OPENAI_COMPATIBLE_BASE_URL: `${upstream.url}/v1`,
        FOYER_DEFAULT_MODEL: "openai-compatible/test",
        FOYER_LIMIT_CHAT_PER_SESSION: "3",
      },
    });
    owner = await server.createAccount();
    browser = await startBrowser();
  });
  beforeEach(() => upstream.script(sayWords("We ", "open ", "at nine.")));
  afterAll(async () => {
    await browser.close();
    await server.stop();
    await upstream.stop();
  });

  const createAgent = async (payload: object = { name: "Harbour" }): Promise<string> =>
    (await server.app.inject({ method: "POST", url: "/agents", headers: owner.headers, payload })).json().data.id;
  const visit = async (agent?: object, options = {}) => {
    const agentId = await createAgent(agent);
    const { page, problems } = await browser.open(options);
    await page.goto(`${server.url}/demo/${agentId}`);
    return { page, problems, agentId };
  };
  /** A reply whose words come when the test says so. */
  const slowReply = () => {
    const started = Promise.withResolvers<ReturnType<typeof eventStream>>();
    upstream.script((exchange) => started.resolve(eventStream(exchange)));
    return {
      say: async (content: string) => (await started.promise).send(chunk({ content })),
      async end() {
        const { send, end } = await started.promise;
        send(chunk({}, "stop"));
        send("[DONE]");
        end();
      },
    };
  };
  const ask = async (page: Page, text: string) => {
    await page.getByRole("textbox").fill(text);
    await page.keyboard.press("Enter");
  };
  const replyOver = (page: Page) => page.getByRole("button", { name: "Send" }).waitFor();

  it("streams a reply, lights its lamp meanwhile, and tells a screen reader the start and the end only", async () => {
    const { page, problems } = await visit();
    const reply = slowReply();
    await page.evaluate(() => {
      const said: string[] = [];
      Object.assign(window, { said });
      const status = document.querySelector("[role=status]");
      if (status) new MutationObserver(() => said.push(status.textContent ?? "")).observe(status, { childList: true });
    });
    await ask(page, "When do you open?");
    await reply.say("We open ");
    await page.getByText("We open").first().waitFor();
    expect(await page.locator(".lamp.lit").count()).toBe(2);
    await reply.say("at nine.");
    await page.getByText("We open at nine.").first().waitFor();
    expect(await page.locator("[aria-live], [role=log], [role=alert]").count()).toBe(0);
    await reply.end();
    await replyOver(page);
    expect(await page.locator(".lamp.lit").count()).toBe(0);
    expect(await page.locator(".from-agent .text").innerText()).toBe("We open at nine.");
    const said = await page.evaluate(() => Reflect.get(window, "said"));
    expect(said.map((words: string) => words.trim())).toEqual(["Harbour is replying.", "Harbour: We open at nine."]);
    expect(problems).toEqual([]);
  });

  it("keeps Shift+Enter for a new line, and what is written during a reply", async () => {
    const { page } = await visit();
    const text = page.getByRole("textbox");
    const reply = slowReply();
    await text.fill("One");
    await page.keyboard.press("Shift+Enter");
    await page.keyboard.type("two");
    expect(await text.inputValue()).toBe("One\ntwo");
    await page.keyboard.press("Enter");
    await reply.say("Well");
    await page.getByText("Well").first().waitFor();
    await ask(page, "Next question");
    expect(await text.inputValue()).toBe("Next question");
    await reply.end();
    await replyOver(page);
    expect(await page.locator(".bubble").allInnerTexts()).toEqual(["One\ntwo"]);
  });

  it("stops a reply and keeps what was said", async () => {
    const { page } = await visit();
    const reply = slowReply();
    await ask(page, "Tell me everything");
    await reply.say("First of all");
    await page.getByText("First of all").first().waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await replyOver(page);
    expect(await page.locator(".reply").innerText()).toMatch(/First of all\s+Stopped\./);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("text");
    await page.reload();
    await page.getByText("Stopped.").first().waitFor();
  });

  it("goes on with a running reply after a reload", async () => {
    const { page } = await visit();
    const reply = slowReply();
    await ask(page, "When do you open?");
    await reply.say("We open ");
    await page.getByText("We open").first().waitFor();
    await page.reload();
    await page.getByText("We open").first().waitFor();
    await reply.say("at nine.");
    await reply.end();
    await replyOver(page);
    expect(await page.locator(".bubble").allInnerTexts()).toEqual(["When do you open?"]);
    expect(await page.locator(".text").allInnerTexts()).toEqual(["We open at nine."]);
  });

  it("reconnects when the connection breaks, and loses and doubles nothing", async () => {
    const { page } = await visit();
    const reply = slowReply();
    await ask(page, "Count");
    await reply.say("one two ");
    await page.getByText("one two").first().waitFor();
    const resumed = page.waitForRequest(/\/chat\/conv_\w+\/stream$/);
    server.app.server.closeAllConnections();
    await reply.say("three ");
    const request = await resumed;
    expect((await request.allHeaders())["last-event-id"]).toMatch(/^msg_\w+:\d+$/);
    await reply.say("four");
    await reply.end();
    await replyOver(page);
    expect(await page.locator(".text").allInnerTexts()).toEqual(["one two three four"]);
  });

  it("says that a reply failed and asks again", async () => {
    const { page } = await visit();
    upstream.script((exchange) => {
      eventStream(exchange).send(chunk({ content: "We op" }));
      setImmediate(() => exchange.response.destroy());
    });
    await ask(page, "When do you open?");
    await page.locator(".failure p", { hasText: "The model" }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    upstream.script(sayWords("At nine."));
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("At nine.").first().waitFor();
    await replyOver(page);
    expect(await page.locator(".text").allInnerTexts()).toEqual(["At nine."]);
    expect(await page.locator(".bubble").count()).toBe(1);
  });

  it("marks a message that was not sent and sends it again, once", async () => {
    const { page } = await visit();
    await page.route("**/chat", (route) => route.abort());
    await ask(page, "When do you open?");
    await page.getByText("Not sent").first().waitFor();
    await page.getByText("The server could not be reached.").first().waitFor();
    await page.unroute("**/chat");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("We open at nine.").first().waitFor();
    await replyOver(page);
    expect(await page.getByText("Not sent").isVisible()).toBe(false);
    expect(await page.locator(".bubble").count()).toBe(1);
    await page.reload();
    await page.getByText("We open at nine.").first().waitFor();
    expect(await page.locator(".bubble").count()).toBe(1);
  });

  it("shows the server's own words when it refuses", async () => {
    const { page } = await visit();
    for (const text of ["one", "two", "three"]) {
      await ask(page, text);
      await replyOver(page);
    }
    // The server is on loopback, so only the session's limit holds.
    await ask(page, "four");
    await page
      .getByText(/Too many messages\. Try again in \d+ s\./)
      .first()
      .waitFor();
  });

  it("shows a tool call as a quiet line, also after a reload", async () => {
    const { page, agentId } = await visit();
    await server.deps.db.insertInto("tools").values(stockTool(owner.organizationId, agentId)).execute();
    upstream.script((exchange) => {
      if (upstream.exchanges.length > 1) return sayWords("Three are here.")(exchange);
      const { send, end } = eventStream(exchange);
      send(chunk({ tool_calls: [{ index: 0, id: "call_1", function: { name: "check_stock", arguments: "{}" } }] }));
      send(chunk({}, "tool_calls"));
      send("[DONE]");
      end();
    });
    await ask(page, "Do you have city bikes?");
    await replyOver(page);
    expect(await page.locator(".pieces > *").allInnerTexts()).toEqual(["Used check stock", "Three are here."]);
    await page.reload();
    await page.getByText("Three are here.").first().waitFor();
    expect(await page.locator(".pieces > *").allInnerTexts()).toEqual(["Used check stock", "Three are here."]);
  });

  it("keeps a rating, and shows it after a reload", async () => {
    const { page } = await visit();
    await ask(page, "When do you open?");
    const good = page.getByRole("button", { name: "Good reply" });
    await good.waitFor();
    const kept = page.waitForResponse(/\/feedback$/);
    await good.click();
    expect((await kept).status()).toBe(200);
    await page.reload();
    await good.waitFor();
    expect(await good.getAttribute("aria-pressed")).toBe("true");
    expect(await page.getByRole("button", { name: "Bad reply" }).getAttribute("aria-pressed")).toBe("false");
  });

  it("begins anew, and ends the reply that was running", async () => {
    const { page } = await visit({ name: "Harbour", widget: { greeting: "Good morning." } });
    const reply = slowReply();
    await ask(page, "Tell me everything");
    await reply.say("First");
    await page.getByText("First").first().waitFor();
    const stopped = page.waitForResponse(/\/stop$/);
    await page.getByRole("button", { name: "New conversation" }).click();
    expect((await stopped).status()).toBe(200);
    await page.getByText("Good morning.").first().waitFor();
    expect(await page.locator(".bubble").count()).toBe(0);
    await page.reload();
    await page.getByText("Good morning.").first().waitFor();
  });

  it("runs nothing that a name, a greeting, a suggestion, a visitor or a reply brings", async () => {
    const widget = { greeting: hostile, suggestions: [hostile] };
    const { page, problems } = await visit({ name: hostile, widget });
    expect(await page.title()).toBe(`${hostile} – demo`);
    expect(await page.locator(".greeting").innerText()).toBe(hostile);
    upstream.script(sayWords("</script>", '<img src=x onerror="window.broken=1">', "[x](javascript:window.broken=1)"));
    await page.locator(".suggestions button").click();
    await replyOver(page);
    expect(await page.locator(".bubble").innerText()).toBe(hostile);
    expect(await page.locator(".text").innerText()).toContain('<img src=x onerror="window.broken=1">');
    await page.reload();
    await page.locator(".text").waitFor();
    expect(await page.locator("img, b, a").count()).toBe(0);
    expect(await page.evaluate(() => Reflect.get(window, "broken"))).toBeUndefined();
    expect(problems).toEqual([]);
  });

  it("is accessible and fits a phone, in every state", async () => {
    const name = `Harbour ${"and the longest name of all ".repeat(6)}`.trim();
    const widget = { suggestions: ["A".repeat(120), "When are you open?"] };
    const { page } = await visit({ name, widget }, { viewport: { width: 390, height: 844 } });
    const check = async () => {
      expect(await accessibilityProblems(page)).toEqual([]);
      expect(await overflowOf(page)).toBe(0);
    };
    await check();
    const reply = slowReply();
    await ask(page, "word".repeat(100));
    await check();
    await reply.say("https://shop.example/".padEnd(200, "x"));
    await page.getByText("https://shop.example/").first().waitFor();
    await check();
    await reply.end();
    await replyOver(page);
    await check();
    await page.goto(`${server.url}/demo/unknown`);
    await page.getByText("There is no agent at this address").first().waitFor();
    await check();
  });
});

type Page = Awaited<ReturnType<TestBrowser["open"]>>["page"];

function stockTool(organizationId: string, agentId: string) {
  return {
    ...{ id: newId("tool"), organizationId, agentId, name: "check_stock", description: "Looks up the stock" },
    ...{ executionType: "mock" as const, inputSchema: '{"type":"object"}', isEnabled: 1 as const, displayConfig: null },
    ...{ mockResponse: "3", createdAt: 0, updatedAt: 0 },
  };
}
