import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLinkToken } from "../packages/server/src/auth/conversation-token.ts";
import { accessibilityProblems, startBrowser, type TestBrowser } from "../test/browser.ts";
import { createSqlite, type TestDatabase } from "../test/databases.ts";
import { startHostPage } from "../test/host-page.ts";
import { takePictures } from "../test/pictures.ts";
import { startServer, type TestServer } from "../test/server.ts";
import { createOwner, password } from "../test/session-client.ts";
import { type SmtpTestServer, startSmtpServer } from "../test/smtp-server.ts";
import { callThenSay, sayWords, startUpstream, type Upstream } from "../test/upstream.ts";
import { ask, openChat, replyOver } from "../test/widget-site.ts";

/** Keeps the same address while the server behind it is restarted. */
async function startRelay() {
  const sockets = new Set<Socket>();
  let target: number | null = null;
  const relay = createServer((socket) => {
    if (target === null) return void socket.destroy();
    const upstream = connect(target, "127.0.0.1");
    for (const [one, other] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      sockets.add(one);
      one.on("error", () => other.destroy());
      one.on("close", () => {
        sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  }).listen(0, "127.0.0.1");
  await once(relay, "listening");
  const drop = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${(relay.address() as AddressInfo).port}`,
    lead(url: string): void {
      target = Number(new URL(url).port);
    },
    /** Ends every connection and refuses new ones. */
    cut(): void {
      target = null;
      drop();
    },
    drop,
    async stop(): Promise<void> {
      drop();
      relay.close();
      await once(relay, "close");
    },
  };
}

describe("a handoff in the widget", () => {
  let database: TestDatabase;
  let upstream: Upstream;
  let smtp: SmtpTestServer;
  let relay: Awaited<ReturnType<typeof startRelay>>;
  let server: TestServer;
  let browser: TestBrowser;
  let host: Awaited<ReturnType<typeof startHostPage>>;
  let member: Page;
  let agentId: string;

  const start = async () => {
    server = await startServer({
      database,
      listen: true,
      env: {
        BASE_URL: relay.url,
        SMTP_URL: smtp.url,
        OPENAI_COMPATIBLE_BASE_URL: `${upstream.url}/v1`,
        FOYER_DEFAULT_MODEL: "openai-compatible/test",
      },
    });
    relay.lead(server.url);
  };
  const call = async (method: string, path: string, data: object = {}) => {
    const answer = await member.request.fetch(relay.url + path, { method, ...(method === "GET" ? {} : { data }) });
    if (!answer.ok()) throw new Error(`${method} ${path}: ${answer.status()} ${await answer.text()}`);
    return (await answer.json()).data;
  };

  beforeAll(async () => {
    database = await createSqlite();
    upstream = await startUpstream();
    upstream.script(sayWords("We ", "open ", "at nine."));
    smtp = await startSmtpServer();
    relay = await startRelay();
    await start();
    browser = await startBrowser();
    host = await startHostPage(relay.url);
    const { email, userId } = await createOwner(server);
    await server.deps.db.updateTable("users").set({ name: "Ada Lovelace" }).where("id", "=", userId).execute();
    member = (await browser.open({ viewport: { width: 1440, height: 900 } })).page;
    await member.request.post(`${relay.url}/auth/sign-in/email`, { data: { email, password } });
    const settings = { name: "Harbour", handoff: { isEnabled: true, promiseMinutes: 10 } };
    agentId = (await call("POST", "/agents", settings)).id;
  });
  afterAll(async () => {
    await browser.close();
    await host.stop();
    await server.stop();
    await relay.stop();
    await upstream.stop();
    await smtp.close();
    await database.drop();
  });

  const said = (page: Page) => page.locator(".messages .bubble, .messages .markdown").allInnerTexts();
  const write = async (text: string) => {
    await member.getByLabel("Message to the visitor").fill(text);
    await member.getByRole("button", { name: "Send", exact: true }).click();
  };
  const dot = (page: Page) => page.locator(".launcher .dot:not([hidden])");

  it("lets the visitor ask, wait, talk to the person through a network outage and a restart, return to the agent, and rate", async () => {
    const { page, problems } = await browser.open();
    await page.goto(host.page("/", { "data-agent-id": agentId }));
    await openChat(page);
    await page.getByRole("button", { name: "Talk to a person" }).click();
    await page.getByLabel("What is it about?").fill("My rental bike was stolen");
    await takePictures(page, "visitor-asks");
    await page.getByLabel("What is it about?").press("Enter");
    await page.getByText("Waiting, about 10 minutes").first().waitFor();
    await page.getByText("We open at nine.").first().waitFor();
    await replyOver(page);
    expect(await accessibilityProblems(page)).toEqual([]);
    await takePictures(page, "visitor-waiting");

    await member.goto(`${relay.url}/dashboard/agents/${agentId}/conversations?view=waiting`);
    await member.getByRole("link", { name: /My rental bike was stolen/ }).click();
    await member.getByRole("button", { name: "Take over" }).click();
    await page.getByText("Ada Lovelace from the team").first().waitFor();
    const seen = page.waitForResponse(/\/seen$/);
    await write("Hello, which bike was it?");
    expect((await seen).status()).toBe(200);
    await page.locator(".reply", { hasText: "Ada Lovelace" }).getByText("which bike").waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await takePictures(page, "visitor-talking");
    // A second tab of the same visitor shows the same conversation from here on.
    const tab = await page.context().newPage();
    await tab.goto(page.url());
    await openChat(tab);
    await tab.getByText("Ada Lovelace from the team").first().waitFor();
    await ask(page, "The City One");
    await member.getByText("The City One").first().waitFor();
    await expect.poll(() => page.getByText("is replying").count()).toBe(0);

    // The visitor is offline while the person writes.
    await page.context().setOffline(true);
    relay.drop();
    await write("I have blocked its lock.");
    await member.getByRole("article").getByText("I have blocked its lock.").waitFor();
    await page.context().setOffline(false);
    await page.getByText("I have blocked its lock.").first().waitFor();

    // The server is restarted.
    relay.cut();
    await server.stop();
    await ask(page, "Thank you");
    await page.getByText("Not sent").waitFor();
    await takePictures(page, "visitor-not-sent");
    await start();
    await page.getByRole("button", { name: "Try again" }).click();
    await expect.poll(() => page.getByText("Not sent").count()).toBe(0);
    await member.getByRole("article").getByText("Thank you").waitFor({ timeout: 30_000 });

    const soFar = [
      "My rental bike was stolen",
      "We open at nine.",
      "Hello, which bike was it?",
      "The City One",
      "I have blocked its lock.",
      "Thank you",
    ];
    await expect.poll(() => said(tab), { timeout: 30_000 }).toEqual(soFar);
    await tab.close();

    // The panel is closed and the page is reloaded.
    await page.locator(".launcher").click();
    await write("You get another bike tomorrow.");
    await dot(page).waitFor();
    const unseen = server.deps.db.selectFrom("handoffTimers").select("step").where("kind", "=", "answer");
    const [{ step: sentFrom } = { step: 0 }] = await unseen.execute();
    await page.reload();
    await dot(page).waitFor();
    await expect.poll(() => dot(page).innerText()).toBe("1");
    await page.locator(".launcher").click();
    await page.getByText("another bike").first().waitFor();
    await expect.poll(() => dot(page).count()).toBe(0);
    // The answer is not sent by email, because the visitor has now read it.
    await expect.poll(async () => (await unseen.execute())[0]?.step).toBeGreaterThan(sentFrom);

    await member.getByRole("button", { name: "Return to agent" }).click();
    await member.getByRole("dialog").getByRole("button", { name: "Return to agent" }).click();
    await page.getByText("Ada Lovelace has left. Harbour is answering again.").first().waitFor();
    await takePictures(page, "visitor-over");
    const rated = page.waitForResponse(/\/feedback$/);
    await page.getByRole("group", { name: "How was it?" }).getByRole("button", { name: "Good reply" }).click();
    expect((await rated).status()).toBe(200);
    await ask(page, "When do you open?");
    await page.getByText("We open at nine.").nth(1).waitFor();
    await replyOver(page);
    await expect
      .poll(() => said(page))
      .toEqual([...soFar, "You get another bike tomorrow.", "When do you open?", "We open at nine."]);
    // Requests fail while the visitor is offline.
    expect(problems.filter((text) => !text.includes("ERR_"))).toEqual([]);

    // The link in an emailed answer opens the conversation in another browser.
    const { id, token } = await page.evaluate((name) => {
      const { owners } = JSON.parse(localStorage.getItem(name) ?? "{}");
      return owners.anonymous.list[0];
    }, `foyer:${agentId}:visit`);
    const linkWith = (secret: string) =>
      `${host.page("/", { "data-agent-id": agentId })}#foyer-conversation=${id}.${secret}`;
    const link = linkWith(createLinkToken(server.deps.encryption, { id, linkVersion: 0 }));
    const other = await browser.open();
    await other.page.goto(link);
    // This browser did not begin the conversation, so the visitor is asked first.
    await other.page.getByText(`This link opens a conversation with Harbour on ${new URL(link).host}`).waitFor();
    expect(await other.page.getByText("I have blocked its lock.").count()).toBe(0);
    expect(new URL(other.page.url()).hash).toBe("");
    await takePictures(other.page, "link-question");
    await other.page.getByRole("button", { name: "Open conversation" }).click();
    await other.page.getByText("I have blocked its lock.").waitFor();
    // Anyone who begins a conversation has its token, so a link with that token opens nothing.
    const third = await browser.open();
    await third.page.goto(linkWith(token));
    await third.page.locator(".launcher").click();
    await third.page.getByRole("textbox").waitFor();
    expect(await third.page.getByText("I have blocked its lock.").count()).toBe(0);
  }, 90_000);

  it("says that the team is away and offers to email the answer, and shows why the agent asks for a person", async () => {
    const hours = { timeZone: "Europe/Zurich", days: [], exceptions: [] };
    const settings = { name: "Harbour", handoff: { isEnabled: true, promiseMinutes: 10, hours } };
    const { id } = await call("POST", "/agents", settings);
    const { page, problems } = await browser.open({ viewport: { width: 390, height: 844 } });
    await page.goto(host.page("/", { "data-agent-id": id }));
    await openChat(page);
    await page.getByRole("button", { name: "Talk to a person" }).click();
    const isAway = page.getByText("Our team is away right now.");
    await isAway.waitFor();
    await page.getByLabel("What is it about?").fill("My lock is stuck");
    await page.getByLabel("Your email address (optional)").fill("grace@example.com");
    await takePictures(page, "visitor-away");
    await page.getByRole("button", { name: "Talk to a person" }).click();
    await page.getByText("If you leave, we'll email the answer to grace@example.com.").waitFor();
    await isAway.waitFor();
    await replyOver(page);
    await takePictures(page, "visitor-waiting-away");

    await call("PATCH", `/agents/${id}`, { handoff: { hours: null } });
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange", { bubbles: true })));
    await page.getByText("Waiting, about 10 minutes").waitFor();
    await expect.poll(() => isAway.count()).toBe(0);
    const stop = page.getByRole("button", { name: "Stop waiting" });
    await stop.click();
    await stop.waitFor({ state: "detached" });

    // The agent asks for a person itself. The visitor sees the reason, but not the summary for the team.
    const request = { reason: "The lock needs a new cylinder", summary: "Grace is impatient" };
    upstream.script(callThenSay("request_human", request, "A colleague will answer."));
    await ask(page, "Let me talk to a person");
    await page.getByText("Harbour asked for a person.").waitFor();
    await page.getByText("The lock needs a new cylinder").first().waitFor();
    await page.getByText("A colleague will answer.").first().waitFor();
    await replyOver(page);
    await stop.waitFor();
    await expect.poll(() => page.getByText("impatient").count()).toBe(0);
    await takePictures(page, "visitor-agent-asked");
    await stop.click();
    await stop.waitFor({ state: "detached" });
    upstream.script(sayWords("We ", "open ", "at nine."));
    expect(problems).toEqual([]);
  });

  it.each([
    [667, 375],
    [844, 390],
    [360, 225],
  ])("shows the whole form that requests a person in a window of %i × %i pixels", async (width, height) => {
    const { page } = await browser.open({ viewport: { width, height } });
    await page.goto(host.page("/", { "data-agent-id": agentId }));
    await openChat(page);
    await page.getByRole("button", { name: "Talk to a person" }).click();
    await page.getByLabel("What is it about?").fill("My rental bike was stolen");
    await takePictures(page, `visitor-asks-${width}`);
    for (const name of ["Cancel", "Talk to a person"]) {
      const button = page.getByRole("button", { name, exact: true });
      await button.focus();
      await expect
        .poll(async () => {
          const { y = -1, height: tall = 0 } = (await button.boundingBox()) ?? {};
          return y >= 0 && y + tall <= height;
        })
        .toBe(true);
    }
    await page.close();
  });

  it("keeps the focus of a visitor who asks by keyboard and stops waiting", async () => {
    const { page, problems } = await browser.open();
    await page.goto(host.page("/", { "data-agent-id": agentId }));
    await openChat(page);
    const focused = () => page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.tagName);
    await page.getByRole("button", { name: "Talk to a person" }).press("Enter");
    await page.getByLabel("What is it about?").fill("My lock is stuck");
    await page.getByRole("button", { name: "Talk to a person" }).press("Enter");
    const stop = page.getByRole("button", { name: "Stop waiting" });
    await stop.waitFor();
    await replyOver(page);
    await expect.poll(focused).toBe("TEXTAREA");
    // The request to stop waiting fails while the visitor leaves an address, which can be sent nevertheless.
    const offline = Promise.withResolvers<void>();
    await page.route("**/handoff", async (route) => {
      if (route.request().method() !== "DELETE") return route.continue();
      await offline.promise;
      await route.abort();
    });
    await stop.press("Enter");
    await page.getByRole("button", { name: "Get the answer by email" }).press("Enter");
    await page.getByLabel("Your email address").fill("grace@example.com");
    await page.getByRole("button", { name: "Save" }).press("Enter");
    await page.getByText("If you leave, we'll email the answer to grace@example.com.").waitFor();
    const refused = page.waitForEvent("requestfailed", (request) => request.method() === "DELETE");
    offline.resolve();
    await refused;
    await page.unroute("**/handoff");
    // The live event arrives before the response to the request, which does not close a card opened in between.
    const response = Promise.withResolvers<void>();
    await page.route("**/handoff", async (route) => {
      if (route.request().method() !== "DELETE") return route.continue();
      const answer = await route.fetch();
      await response.promise;
      await route.fulfill({ response: answer });
    });
    await stop.press("Enter");
    const talk = page.getByRole("button", { name: "Talk to a person" });
    await talk.waitFor();
    await expect.poll(focused).toBe("TEXTAREA");
    await talk.press("Enter");
    const answered = page.waitForEvent("requestfinished", (request) => request.method() === "DELETE");
    response.resolve();
    await answered;

    // A person who takes over and returns the conversation without a message leaves a line.
    await page.getByRole("button", { name: "Talk to a person" }).press("Enter");
    await stop.waitFor();
    const [{ id }] = await call("GET", "/conversations?handler=waiting");
    await call("POST", `/conversations/${id}/takeover`);
    await page.getByText("Ada Lovelace from the team").first().waitFor();
    await call("POST", `/conversations/${id}/return`);
    await page.getByText("Ada Lovelace has left. Harbour is answering again.").first().waitFor();
    await expect.poll(() => page.getByRole("group", { name: "How was it?" }).count()).toBe(0);
    expect(problems).toEqual([]);
  });

  it("takes over the messages that no model could answer, from the first one on", async () => {
    const model = "openai/not-configured";
    const { id } = await call("POST", "/agents", { name: "Harbour", model, handoff: { isEnabled: true } });
    const { page } = await browser.open();
    await page.goto(host.page("/", { "data-agent-id": id }));
    await openChat(page);
    const refused = page.waitForResponse((response) => new URL(response.url()).pathname === "/chat");
    await ask(page, "My rental bike was stolen");
    expect((await refused).status()).toBe(503);
    await page.getByText("I can't answer right now.").first().waitFor();
    await page.getByRole("button", { name: "Talk to a person" }).last().click();
    await page.getByLabel("What is it about? (optional)").fill("A stolen bike");
    await takePictures(page, "visitor-asks-without-model");
    await page.getByLabel("What is it about? (optional)").press("Enter");
    await page.getByText("Waiting for a person").first().waitFor();
    expect(await said(page)).toEqual(["My rental bike was stolen"]);
    expect(await page.getByText("Not sent").count()).toBe(0);
    await takePictures(page, "visitor-waiting-without-model");

    await member.goto(`${relay.url}/dashboard/agents/${id}/conversations?view=waiting`);
    await member.getByRole("link", { name: /My rental bike was stolen/ }).click();
    await member.getByRole("button", { name: "Take over" }).click();
    await write("Which bike was it?");
    await page.locator(".reply").getByText("Which bike was it?").waitFor();
    await ask(page, "The red one");
    await member.getByText("The red one").first().waitFor();
    // A visitor who asks at once gets a person, too: nothing was sent before.
    const other = await browser.open();
    await other.page.goto(host.page("/", { "data-agent-id": id }));
    await openChat(other.page);
    await other.page.getByRole("button", { name: "Talk to a person" }).click();
    await other.page.getByLabel("What is it about?").fill("My lock is stuck");
    await other.page.getByLabel("What is it about?").press("Enter");
    await other.page.getByText("Waiting for a person").first().waitFor();
    expect(await said(other.page)).toEqual(["My lock is stuck"]);
    await other.page.reload();
    await other.page.getByText("Waiting for a person").first().waitFor();
    expect(await said(other.page)).toEqual(["My lock is stuck"]);
  });
});
