import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { accessibilityProblems } from "../test/browser.ts";
import { callThenSay, chunk, eventStream, sayWords } from "../test/upstream.ts";
import { ask, openChat, replyOver, startWidgetSite, type WidgetSite } from "../test/widget-site.ts";

describe("the chat in the widget", () => {
  let site: WidgetSite;
  beforeAll(async () => {
    site = await startWidgetSite();
  });
  beforeEach(() => site.upstream.script(sayWords("We ", "open ", "at nine.")));
  afterAll(() => site.stop());

  const texts = (page: Page) => page.locator(".reply .markdown").allInnerTexts();
  const headerLine = (page: Page, text: string) => page.locator(".title p", { hasText: text });

  it("streams a reply, shows its progress, and announces only the start and the end to screen readers", async () => {
    const { page, problems } = await site.visit();
    await openChat(page);
    const reply = site.slowReply();
    await page.evaluate(() => {
      const said: string[] = [];
      Object.assign(window, { said });
      const status = document.querySelector("foyer-widget")?.shadowRoot?.querySelector("[role=status]");
      const note = () => status?.textContent && said.push(status.textContent.trim());
      if (status) new MutationObserver(note).observe(status, { childList: true, characterData: true, subtree: true });
    });
    await ask(page, "When do you open?");
    await page.locator(".reply .glowing").waitFor();
    await reply.say("We open ");
    await page.getByText("We open").first().waitFor();
    await reply.say("at **nine**.");
    await page.locator("strong", { hasText: "nine" }).waitFor();
    await expect.poll(() => page.locator("[aria-live], [role=log], [role=alert]").count()).toBe(0);
    await reply.end();
    await replyOver(page);
    await expect.poll(() => page.locator(".glowing").count()).toBe(0);
    const said = await page.evaluate(() => Reflect.get(window, "said"));
    expect(said).toEqual(["Harbour is replying", "Harbour: We open at nine."]);
    expect(problems).toEqual([]);
  });

  it("uses Shift+Enter for a new line, and keeps what is typed during a reply", async () => {
    const { page } = await site.visit();
    await openChat(page);
    const field = page.locator(".panel textarea");
    const reply = site.slowReply();
    await expect
      .poll(() => field.evaluate((element) => (element.getRootNode() as ShadowRoot).activeElement === element))
      .toBe(true);
    await field.fill("One");
    await page.keyboard.press("Shift+Enter");
    await page.keyboard.type("two");
    await page.keyboard.press("Enter");
    await page.locator(".user").waitFor();
    await field.fill("Next question");
    await page.keyboard.press("Enter");
    // The server asks the model again after an empty reply.
    await reply.say("Yes.");
    await reply.end();
    await replyOver(page);
    await expect.poll(() => page.locator(".bubble").allInnerTexts()).toEqual(["One\ntwo"]);
    await expect.poll(() => field.inputValue()).toBe("Next question");
  });

  it("stops a reply and keeps its text", async () => {
    const { page } = await site.visit();
    await openChat(page);
    const reply = site.slowReply();
    await ask(page, "Tell me everything");
    await reply.say("First of all");
    await page.getByText("First of all").first().waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await replyOver(page);
    await expect.poll(() => page.locator(".reply").innerText()).toMatch(/First of all\s+Stopped\./);
    await page.reload();
    await page.getByText("Stopped.").first().waitFor();
  });

  it("resumes a running reply after a reload and on the next page", async () => {
    const { page } = await site.visit();
    await openChat(page);
    const reply = site.slowReply();
    await ask(page, "When do you open?");
    await reply.say("We open ");
    await page.getByText("We open").first().waitFor();
    await page.reload();
    await page.getByText("We open").first().waitFor();
    await reply.say("at nine, ");
    await page.getByText("at nine,").first().waitFor();
    await page.getByRole("link", { name: "The City One" }).click();
    await page.waitForURL(/bikes\/city-one/);
    await page.getByText("at nine,").first().waitFor();
    await reply.say("or later.");
    await reply.end();
    await replyOver(page);
    await expect.poll(() => page.locator(".bubble").allInnerTexts()).toEqual(["When do you open?"]);
    await expect.poll(() => texts(page)).toEqual(["We open at nine, or later."]);
  });

  it("reconnects when the connection breaks, without losing or repeating text", async () => {
    const { page } = await site.visit();
    await openChat(page);
    const reply = site.slowReply();
    await ask(page, "Count");
    await reply.say("one two ");
    await page.getByText("one two").first().waitFor();
    const resumed = page.waitForRequest(/\/chat\/conv_\w+\/stream$/);
    await page.route(/\/chat\/conv_\w+\/stream$/, (route) => route.abort());
    site.server.app.server.closeAllConnections();
    await page.getByText("Connection lost. Reconnecting…").waitFor();
    await page.unroute(/\/chat\/conv_\w+\/stream$/);
    await reply.say("three ");
    expect((await (await resumed).allHeaders())["last-event-id"]).toMatch(/^msg_\w+:\d+$/);
    await reply.say("four");
    await reply.end();
    await replyOver(page);
    await expect.poll(() => texts(page)).toEqual(["one two three four"]);
  });

  it("reports a failed reply and retries it", async () => {
    const { page } = await site.visit();
    await openChat(page);
    site.upstream.script((exchange) => {
      eventStream(exchange).send(chunk({ content: "We op" }));
      setImmediate(() => exchange.response.destroy());
    });
    await ask(page, "When do you open?");
    await page.getByText("Sorry, something went wrong. Please try again.").first().waitFor();
    await headerLine(page, "I can't answer right now.").waitFor();
    await site.picture(page, "failed");
    site.upstream.script(sayWords("At nine."));
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("At nine.").first().waitFor();
    await headerLine(page, "AI assistant").waitFor();
    await replyOver(page);
    await expect.poll(() => texts(page)).toEqual(["At nine."]);
    await expect.poll(() => page.locator(".bubble").count()).toBe(1);
  });

  it("offers no second try for a failure that only the owner can remove", async () => {
    const { page } = await site.visit();
    await openChat(page);
    site.upstream.script(({ response }) => void response.writeHead(401).end('{"error":{"message":"Bad key"}}'));
    await ask(page, "When do you open?");
    await page.locator(".failure", { hasText: "I can't answer right now." }).waitFor();
    await headerLine(page, "I can't answer right now.").waitFor();
    await site.picture(page, "failed-for-good");
    expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0);
  });

  it("links the numbers of citations to the pages of their sources", async () => {
    const { page } = await site.visit();
    await page.route(/\/conversations\/[^/]+$/, async (route) => {
      const response = await route.fetch();
      const { data } = await response.json();
      const source = { title: "Opening hours", page: null, snippet: "We open at nine." };
      for (const message of data.messages.filter(({ role }: { role: string }) => role === "assistant")) {
        const sources = [
          { ...source, n: 1, url: "https://harbour-bikes.example/hours" },
          { ...source, n: 2, url: null },
        ];
        Object.assign(message, { content: "We open at nine [1, 2].", sources });
      }
      await route.fulfill({ response, json: { data } });
    });
    await openChat(page);
    await ask(page, "When do you open?");
    await replyOver(page);
    await page.reload();
    const link = page.locator(".reply .markdown a", { hasText: "1" });
    expect(await link.getAttribute("href")).toBe("https://harbour-bikes.example/hours");
    expect(await link.getAttribute("rel")).toBe("noopener noreferrer nofollow");
    expect(await page.locator(".reply .markdown .citation").allInnerTexts()).toEqual(["1", "2"]);
    expect(await page.locator(".reply .markdown a").count()).toBe(1);
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  it("shows one chip for all cited passages of a document", async () => {
    const { page } = await site.visit();
    await page.route(/\/conversations\/[^/]+$/, async (route) => {
      const response = await route.fetch();
      const { data } = await response.json();
      const source = { title: "Warranty terms 2026", page: 3, url: null, snippet: "Two years." };
      const sources = [
        { ...source, n: 1 },
        { ...source, n: 2, page: 7, snippet: "Batteries: one year." },
        { ...source, n: 3, title: "Delivery" },
      ];
      for (const message of data.messages.filter(({ role }: { role: string }) => role === "assistant"))
        Object.assign(message, { content: "Two years [1], batteries one [2], delivered free [3].", sources });
      await route.fulfill({ response, json: { data } });
    });
    await openChat(page);
    await ask(page, "How long is the warranty?");
    await replyOver(page);
    await page.reload();
    await page.locator(".sources").waitFor();
    const chips = await page.locator(".sources li").allInnerTexts();
    expect(chips.map((chip) => chip.replace(/\s+/g, " ").trim())).toEqual(["1 2 Warranty terms 2026", "3 Delivery"]);
  });

  it("shows a list of tasks with check boxes", async () => {
    const { page } = await site.visit();
    await openChat(page);
    site.upstream.script(sayWords("Included:\n\n- [x] Lights\n- [ ] Bell"));
    await ask(page, "What is included?");
    await replyOver(page);
    await site.picture(page, "tasks");
    expect(await page.locator(".reply li").allInnerTexts()).toEqual(["☑ Lights", "☐ Bell"]);
  });

  it("marks a message that was not sent and sends it again, once", async () => {
    const { page } = await site.visit();
    await openChat(page);
    await page.route("**/chat", (route) => route.abort());
    await ask(page, "When do you open?");
    await page.getByText("Not sent").first().waitFor();
    await page.locator(".failure", { hasText: "The server couldn't be reached." }).waitFor();
    await site.picture(page, "not-sent");
    await page.unroute("**/chat");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("We open at nine.").first().waitFor();
    await replyOver(page);
    await expect.poll(() => page.getByText("Not sent").count()).toBe(0);
    await page.reload();
    await page.getByText("We open at nine.").first().waitFor();
    await expect.poll(() => page.locator(".bubble").count()).toBe(1);
  });

  it("sends an unsent message again, once, when the connection returns", async () => {
    const { page } = await site.visit();
    await openChat(page);
    await page.route("**/chat", (route) => route.abort());
    await ask(page, "When do you open?");
    await page.getByText("Not sent").first().waitFor();
    await page.unroute("**/chat");
    await page.evaluate(() => dispatchEvent(new Event("online")));
    await page.getByText("We open at nine.").first().waitFor();
    await replyOver(page);
    await expect.poll(() => page.getByText("Not sent").count()).toBe(0);
    expect(await page.locator(".bubble").count()).toBe(1);
    expect(await page.locator(".failure").count()).toBe(0);
  });

  it("offers a new conversation for a message that does not fit into a full one, and sends it there", async () => {
    const { page, agentId } = await site.visit();
    await openChat(page);
    await ask(page, "When do you open?");
    await replyOver(page);
    const full = { messageCount: 2_000 };
    await site.server.deps.db.updateTable("conversations").set(full).where("agentId", "=", agentId).execute();
    await ask(page, "And on Sunday?");
    const failure = page.locator(".failure", { hasText: "This conversation is too long. Please start a new one." });
    await failure.getByRole("button", { name: "New conversation" }).click();
    // The reply to the first question is on the page until the new conversation replaces it.
    await expect.poll(() => page.locator(".bubble").allInnerTexts()).toEqual(["And on Sunday?"]);
    await page.getByText("We open at nine.").first().waitFor();
    await replyOver(page);
    const { body } = await site.owner.call("GET", `/conversations?agentId=${agentId}`);
    expect(body.data.map(({ title }: { title: string }) => title)).toEqual(["And on Sunday?", "When do you open?"]);
  });

  it("suggests questions for the page, even after client-side navigation, and follow-up questions after a reply", async () => {
    site.upstream.script((exchange) =>
      sayWords(exchange.body.includes("may ask next") ? "Until when?\nAnd on Sunday?" : "From nine.")(exchange),
    );
    const widget = {
      greeting: "Hello, I am Harbour.",
      suggestions: ["When are you open?"],
      pageSuggestions: [{ page: "/bikes/*", suggestions: ["Is it in stock?", "Which size fits me?"] }],
    };
    const { page, problems } = await site.visit({ followUps: true, widget });
    const buttons = page.getByRole("list", { name: "Suggestions" }).getByRole("button");
    const suggested = (...texts: string[]) => expect.poll(() => buttons.allInnerTexts()).toEqual(texts);
    await openChat(page);
    await suggested("When are you open?");
    await page.evaluate(() => history.pushState(null, "", `/bikes/city-one${location.search}`));
    await suggested("Is it in stock?", "Which size fits me?");
    await site.picture(page, "page-suggestions");
    await page.goBack();
    await suggested("When are you open?");
    await buttons.first().focus();
    await page.keyboard.press("Enter");
    await suggested("Until when?", "And on Sunday?");
    await expect.poll(() => page.locator("textarea").evaluate((field) => field.matches(":focus"))).toBe(true);
    const status = page.locator(".panel + [role=status]");
    await expect.poll(() => status.innerText()).toBe("Harbour: From nine. Suggestions: Until when? And on Sunday?");
    expect(await accessibilityProblems(page)).toEqual([]);
    await site.picture(page, "follow-ups");
    await page.emulateMedia({ colorScheme: "dark" });
    await site.picture(page, "follow-ups-dark");
    await page.setViewportSize({ width: 390, height: 700 });
    await site.picture(page, "follow-ups-phone");
    await page.setViewportSize({ width: 1280, height: 720 });
    await page.reload();
    await suggested("Until when?", "And on Sunday?");
    const reply = site.slowReply();
    await buttons.nth(1).click();
    await page.locator(".user", { hasText: "And on Sunday?" }).waitFor();
    await suggested();
    await reply.say("Closed.");
    await page.getByText("Closed.").first().waitFor();
    expect(problems).toEqual([]);
  });

  it("asks before it runs a page tool, even on a page that resumes the reply and registers the tool later", async () => {
    const register = (page: Page) =>
      page.evaluate(() => {
        const calls: unknown[] = [];
        const run = async (input: object) => calls.push(input);
        const foyer = Reflect.get(window, "Foyer") as { push(call: unknown[]): void };
        foyer.push(["registerTool", "add_to_cart", run, { confirm: "Add it to the cart?" }]);
        Object.assign(window, { calls });
      });
    const callsOf = (page: Page) => page.evaluate(() => Reflect.get(window, "calls"));
    const { page, problems, agentId } = await site.visit();
    const tool = { executionType: "client", inputSchema: { type: "object", properties: { bike: { type: "string" } } } };
    const created = { agentId, name: "add_to_cart", label: "Cart", description: "Puts a bike into the cart", ...tool };
    expect((await site.owner.call("POST", "/tools", created)).status).toBe(201);
    site.upstream.script(callThenSay("add_to_cart", { bike: "Tern" }, "All right."));
    await register(page);
    await openChat(page);
    const card = page.getByRole("group", { name: "Add it to the cart?" });

    await ask(page, "I take the Tern");
    await card.waitFor();
    await expect.poll(() => card.locator("dd").allInnerTexts()).toEqual(["Tern"]);
    await expect.poll(() => page.locator(".panel + [role=status]").innerText()).toBe("Add it to the cart?");
    expect(await accessibilityProblems(page)).toEqual([]);
    await site.picture(page, "tool-confirmation");
    await page.emulateMedia({ colorScheme: "dark" });
    await page.setViewportSize({ width: 390, height: 700 });
    await site.picture(page, "tool-confirmation-phone-dark");
    await page.setViewportSize({ width: 1280, height: 720 });
    await page.emulateMedia({ colorScheme: "light" });
    await card.getByRole("button", { name: "Don't allow" }).click();
    await replyOver(page);
    await page.getByText("Cart: you didn't allow it.").waitFor();
    expect(await callsOf(page)).toEqual([]);

    await ask(page, "Yes, I do");
    await card.waitFor();
    await page.reload();
    await page.locator(".tool.waiting").waitFor();
    await register(page);
    await card.getByRole("button", { name: "Allow", exact: true }).click();
    await page.getByText("All right.").nth(1).waitFor();
    await replyOver(page);
    await expect.poll(() => callsOf(page)).toEqual([{ bike: "Tern" }]);
    await expect.poll(() => card.count()).toBe(0);
    await site.picture(page, "tool-declined");
    expect(problems).toEqual([]);
  });

  it("rates, copies and regenerates a reply", async () => {
    const { page } = await site.visit({}, { context: { permissions: ["clipboard-read", "clipboard-write"] } });
    await openChat(page);
    await ask(page, "When do you open?");
    const good = page.getByRole("button", { name: "Good reply" });
    const saved = page.waitForResponse(/\/feedback$/);
    await good.click();
    expect((await saved).status()).toBe(200);
    await page.getByRole("button", { name: "Copy", exact: true }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    await page.reload();
    await good.waitFor();
    await expect.poll(() => good.getAttribute("aria-pressed")).toBe("true");
    site.upstream.script(sayWords("At ten, in winter."));
    await page.getByRole("button", { name: "Regenerate reply" }).click();
    await page.getByText("At ten, in winter.").first().waitFor();
    await replyOver(page);
    await expect.poll(() => texts(page)).toEqual(["At ten, in winter."]);
    await expect.poll(() => page.locator(".bubble").count()).toBe(1);
  });

  it("shows the time of messages and asks for a comment after a bad rating", async () => {
    const { page, agentId } = await site.visit({}, { context: { locale: "en-GB", timezoneId: "Europe/Berlin" } });
    await openChat(page);
    await ask(page, "When do you open?");
    await replyOver(page);
    await expect
      .poll(() => page.locator(".time").allInnerTexts())
      .toEqual([expect.stringMatching(/^\d{2}:\d{2}$/), expect.stringMatching(/^\d{2}:\d{2}$/)]);
    await page.getByRole("button", { name: "Bad reply" }).click();
    await page.getByLabel("What went wrong? (optional)").fill("It is closed on Sundays.");
    await page.locator(".comment button").click();
    await page.locator(".reply .note", { hasText: "Thanks for your feedback." }).waitFor();
    const { body } = await site.owner.call("GET", `/conversations?agentId=${agentId}`);
    const stored = await site.owner.call("GET", `/conversations/${body.data[0].id}`);
    expect(stored.body.data.messages[1]).toMatchObject({
      feedback: "down",
      feedbackComment: "It is closed on Sundays.",
    });
  });

  it("shows the owner's error message when a reply fails", async () => {
    const { page } = await site.visit({ widget: { errorMessage: "Please call 01234 567." } });
    await openChat(page);
    site.upstream.script((exchange) => {
      eventStream(exchange).send(chunk({ content: "We op" }));
      setImmediate(() => exchange.response.destroy());
    });
    await ask(page, "When do you open?");
    await page.locator(".failure", { hasText: "Please call 01234 567." }).waitFor();
  });

  it("starts a new conversation, stops the running reply, and reopens the old conversation", async () => {
    const { page } = await site.visit({ widget: { greeting: "Good morning." } });
    await openChat(page);
    const reply = site.slowReply();
    await ask(page, "Tell me everything");
    await reply.say("First");
    await page.getByText("First").first().waitFor();
    const stopped = page.waitForResponse(/\/stop$/);
    await page.getByRole("button", { name: "New conversation" }).click();
    expect((await stopped).status()).toBe(200);
    await page.getByText("Good morning.").first().waitFor();
    await expect.poll(() => page.locator(".bubble").count()).toBe(0);
    await page.getByRole("button", { name: "Conversations" }).click();
    await site.picture(page, "past-conversations");
    await page.getByRole("button", { name: /Tell me everything/ }).click();
    await page.getByText("First").first().waitFor();
    await expect.poll(() => page.locator(".bubble").allInnerTexts()).toEqual(["Tell me everything"]);
  });

  it("shows that a reply arrived while the chat was closed", async () => {
    const { page } = await site.visit();
    await openChat(page);
    const reply = site.slowReply();
    await ask(page, "When do you open?");
    await page.keyboard.press("Escape");
    await page.locator(".panel").waitFor({ state: "hidden" });
    expect(
      await page.evaluate(() => document.querySelector("foyer-widget")?.shadowRoot?.activeElement?.className),
    ).toContain("launcher");
    await reply.say("At nine.");
    await reply.end();
    await page.getByRole("button", { name: "Open chat. New reply" }).click();
    await page.getByText("At nine.").first().waitFor();
    await expect.poll(() => page.locator(".launcher .dot").isVisible()).toBe(false);
  });

  it("renders only the end of a conversation of 10,000 messages and shows earlier ones on demand", async () => {
    const { page, agentId } = await site.visit();
    await openChat(page);
    await ask(page, "When do you open?");
    await replyOver(page);
    await addMessages(site, agentId, 10_000);
    await page.reload();
    await page.getByText("Message 9999").waitFor();
    await expect.poll(() => page.locator(".messages > li").count()).toBeLessThan(100);
    await expect.poll(() => page.getByText("Message 9999").isVisible()).toBe(true);
    await page.getByRole("button", { name: "Show earlier messages" }).click();
    await page.locator(".messages > li").nth(79).waitFor();
  });
});

async function addMessages({ server, owner }: WidgetSite, agentId: string, count: number) {
  const { id } = (await owner.call("GET", `/conversations?agentId=${agentId}`)).body.data[0];
  const { db } = server.deps;
  const last = await db
    .selectFrom("messages")
    .selectAll()
    .where("conversationId", "=", id)
    .orderBy("position", "desc")
    .executeTakeFirstOrThrow();
  const rows = Array.from({ length: count }, (_, index) => ({
    ...last,
    id: `msg_${String(index).padStart(26, "0")}`,
    position: last.position + index + 1,
    content: `Message ${index}`,
  }));
  for (let at = 0; at < rows.length; at += 500)
    await db
      .insertInto("messages")
      .values(rows.slice(at, at + 500))
      .execute();
}
