import type { CDPSession, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { accessibilityProblems, expectFit } from "../test/browser.ts";
import { insertConversation, insertFailure } from "../test/conversation-seed.ts";
import { dashboardAddresses } from "../test/dashboard-routes.ts";
import { type DashboardSite, startDashboardSite } from "../test/dashboard-site.ts";
import { startPushService } from "../test/push-service.ts";
import { createOwner } from "../test/session-client.ts";
import { startUpstream, type Upstream } from "../test/upstream.ts";
import { startReceiver } from "../test/webhook-receiver.ts";

const unlimited = { FOYER_LIMIT_SIGN_IN_PER_IP: "0", FOYER_LIMIT_SIGN_IN_PER_ADDRESS: "0" };

describe("the settings", () => {
  let site: DashboardSite;
  let receiver: Awaited<ReturnType<typeof startReceiver>>;
  let upstream: Upstream;
  let agentId: string;
  let formId: string;
  beforeAll(async () => {
    receiver = await startReceiver();
    upstream = await startUpstream(({ request, response }) => {
      response.statusCode = request.headers.authorization === "Bearer sk-right" ? 200 : 401;
      const choice = { message: { content: "Hello." }, finish_reason: "stop" };
      const list = { data: [{ id: "harbour-large" }, { id: "harbour-small" }] };
      response.end(JSON.stringify(request.method === "GET" ? list : { choices: [choice] }));
    });
    const env = {
      ...unlimited,
      FOYER_OUTBOUND_ALLOW: "127.0.0.1",
      FOYER_SUBMIT_WAIT: "2s",
      FOYER_WEBHOOK_TIMEOUT: "1s",
    };
    site = await startDashboardSite({ env });
    await site.server.deps.db.updateTable("organizations").set({ name: "Harbour Bikes" }).execute();
    ({ agentId, formId } = await fillSettings(site, receiver.url));
  });
  afterAll(async () => {
    await site.stop();
    await receiver.stop();
    await upstream.stop();
  });

  /** Screenshots are taken only on request, because they take a while. */
  const picture = async (page: Page, name: string) => {
    if (process.env.FOYER_SCREENSHOTS) await site.picture(page, name);
  };
  const open = (path: string, more = {}) => site.open(`/settings${path}`, more);
  const isRefused = async (key: string) => {
    const { status } = await fetch(`${site.server.url}/agents`, { headers: { authorization: `Bearer ${key}` } });
    return status === 401;
  };

  it("creates and revokes an API key", async () => {
    const { page, problems } = await open("/api", { context: { permissions: ["clipboard-read", "clipboard-write"] } });
    await page.getByRole("heading", { name: "No API keys yet" }).waitFor();
    await picture(page, "dashboard-api-empty");
    await expectFit(page);
    await page.getByRole("button", { name: "Create API key" }).click();
    const dialog = page.getByRole("dialog");
    await expect.poll(() => dialog.getByLabel("Name").evaluate((field) => field === document.activeElement)).toBe(true);
    await page.keyboard.press("Enter");
    await dialog.getByText("This field is required.").waitFor();
    await expectFit(page);
    await dialog.getByLabel("Name").fill("Stock sync");
    await dialog.getByLabel("Expires").selectOption("date");
    await dialog.getByLabel("Last day").fill("2020-01-01");
    await page.keyboard.press("Enter");
    await dialog.getByText("Must be in the future.").waitFor();
    await picture(page, "dashboard-api-new");
    await dialog.getByLabel("Expires").selectOption("90");
    await dialog.getByRole("button", { name: "Create API key" }).click();

    const key = await page.getByRole("region", { name: "the key" }).innerText();
    await page.getByRole("button", { name: "Copy the key" }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key);
    await expect.poll(() => page.getByRole("region", { name: "the example" }).innerText()).toContain(`Bearer ${key}`);
    await expect.poll(() => isRefused(key)).toBe(false);
    await page.keyboard.press("Escape");
    await page.getByRole("alert").getByText("Did you copy the key?").waitFor();
    await picture(page, "dashboard-api-made");
    await expectFit(page);
    await page.getByRole("button", { name: "I've copied it" }).click();

    for (const [name, expiresAt] of [
      ["Website", null],
      ["Nightly export", new Date(Date.now() + 3 * 86_400_000).toISOString()],
    ]) {
      await site.call(page, "POST", "/api-keys", { name, expiresAt });
    }
    await page.reload();
    await page.getByRole("row", { name: /Stock sync/ }).waitFor();
    expect(await page.content()).not.toContain(key);
    await picture(page, "dashboard-api");
    await expectFit(page);
    await page.getByRole("button", { name: "Revoke Stock sync" }).click();
    await picture(page, "dashboard-api-revoke");
    await expectFit(page);
    await page.getByRole("dialog").getByRole("button", { name: "Revoke Stock sync" }).click();
    // While the modal dialog is open, the rows behind it are hidden from the accessibility tree, so `getByRole` cannot
    // find them.
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.getByRole("row", { name: /Stock sync/ }).waitFor({ state: "detached" });
    await expect.poll(() => isRefused(key)).toBe(true);
    expect(problems).toEqual([]);
  });

  it("copies from a dialog on plain HTTP", async () => {
    const { page } = await site.signIn({ context: { permissions: ["clipboard-read", "clipboard-write"] } });
    await page.addInitScript(() => Object.defineProperty(navigator, "clipboard", { value: undefined }));
    await page.goto(`${site.server.url}/dashboard/settings/api`);
    await page.getByRole("button", { name: "Create API key" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("Plain");
    await page.keyboard.press("Enter");
    const key = await page.getByRole("region", { name: "the key" }).innerText();
    await page.getByRole("button", { name: "Copy the key" }).click();
    await page.getByRole("button", { name: "the key: copied" }).waitFor();
    const reader = await page.context().newPage();
    await reader.goto(`${site.server.url}/dashboard/settings/you`);
    await reader.bringToFront();
    expect(await reader.evaluate(() => navigator.clipboard.readText())).toBe(key);
  });

  it("stores secrets without showing their values", async () => {
    const { page, problems } = await open("/secrets");
    await page.getByRole("row", { name: /STOCK_API_KEY.*Stock look up/ }).waitFor();
    await page.getByRole("button", { name: "Create secret" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("STOCK_API_KEY");
    await dialog.getByLabel("Value").fill("a value");
    await page.keyboard.press("Enter");
    await dialog.getByText(/already in use/).waitFor();
    await dialog.getByLabel("Name").fill("CRM_TOKEN");
    await dialog.getByLabel("Allowed hosts").fill("https://crm.example");
    await dialog.getByRole("button", { name: "Create secret" }).click();
    await dialog.getByText("Must be a host such as api.example.com", { exact: false }).waitFor();
    await picture(page, "dashboard-secrets-new");
    await expectFit(page);
    await dialog.getByLabel("Allowed hosts").fill("crm.example, api.crm.example");
    await dialog.getByRole("button", { name: "Create secret" }).click();
    await page.getByRole("row", { name: /CRM_TOKEN.*crm.example, api.crm.example.*Not used/ }).waitFor();
    await picture(page, "dashboard-secrets");
    await expectFit(page);

    await page.getByRole("button", { name: "Replace CRM_TOKEN" }).click();
    await expect.poll(() => dialog.getByLabel("Allowed hosts").inputValue()).toBe("crm.example\napi.crm.example");
    await dialog.getByLabel("New value").fill("another value");
    await dialog.getByRole("button", { name: "Replace value" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await page.content()).not.toContain("another value");
    await page.getByRole("button", { name: "Delete STOCK_API_KEY" }).click();
    await dialog.getByText(/Stock look up of Harbour/).waitFor();
    await picture(page, "dashboard-secrets-delete");
    await dialog.getByRole("button", { name: "Delete STOCK_API_KEY" }).click();
    await page.getByRole("row", { name: /STOCK_API_KEY/ }).waitFor({ state: "detached" });
    expect(problems).toEqual([]);
  });

  it("tests a provider before and after it is saved", async () => {
    const { page, problems } = await open("/models");
    await page.getByText("No provider is connected.").waitFor();
    await picture(page, "dashboard-models-bare");
    await expectFit(page);
    await page.getByRole("button", { name: "Connect: OpenAI-compatible" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("This field is required.").waitFor();
    await dialog.getByLabel("Base URL").fill(`${upstream.url}/v1`);
    await dialog.getByLabel("API key").fill("sk-wrong");
    await dialog.getByRole("button", { name: "Test" }).click();
    await dialog
      .getByRole("status")
      .getByText(/refused|key/i)
      .waitFor();
    await picture(page, "dashboard-models-test");
    await expectFit(page);
    await dialog.getByLabel("API key").fill("sk-right");
    await dialog.getByRole("button", { name: "Test" }).click();
    await dialog.getByText(/Responded in \d+ ms\./).waitFor();
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByRole("listitem").getByText("Your own key").waitFor();
    await page.getByText("harbour-large").waitFor();
    await page.getByRole("button", { name: "Test OpenAI-compatible" }).click();
    await page.getByText(/Responded in \d+ ms\./).waitFor();
    await page.getByText("Requests and responses (2)").click();
    await page.getByText("authorization: ***").first().waitFor();
    await page.getByText('"content":"Hello."').waitFor();
    await picture(page, "dashboard-models");
    await expectFit(page);
    expect(await page.content()).not.toContain("sk-right");
    await page.goto(`${site.server.url}/dashboard/settings/health`);
    await page.getByRole("button", { name: "Test OpenAI-compatible" }).click();
    await page.getByText(/Responded in \d+ ms\./).waitFor();
    await page.getByText("Requests and responses (2)").click();
    await page.getByText('"content":"Hello."').waitFor();
    await picture(page, "dashboard-health-provider");
    await expectFit(page);
    await page.goBack();
    await page.getByRole("button", { name: "Remove OpenAI-compatible" }).click();
    await dialog.getByRole("button", { name: /^Remove .* settings/ }).click();
    await page.getByText("No provider is connected.").waitFor();
    expect(problems).toEqual([]);
  });

  it("lists every form's webhook, and replaces its secret without a gap", async () => {
    const { page, problems } = await open("/webhooks");
    await page.getByRole("row", { name: /Test ride.*Delivered/ }).waitFor();
    await picture(page, "dashboard-webhooks");
    await expectFit(page);
    await page.getByRole("button", { name: "Signing secret of Test ride" }).click();
    await page.getByRole("button", { name: "Show" }).click();
    const secret = await page.getByRole("region", { name: "the secret", exact: true }).innerText();
    expect(secret).toMatch(/^whsec_/);
    await page.getByRole("button", { name: "Replace secret" }).click();
    await expectFit(page);
    await page.getByRole("button", { name: "Replace signing secret" }).click();
    await page.getByText(/The previous secret is valid until/).waitFor();
    await page.getByRole("button", { name: "Show" }).click();
    await expect.poll(() => page.getByRole("region", { name: "the previous secret" }).innerText()).toBe(secret);
    await picture(page, "dashboard-webhooks-secret");
    await expectFit(page);
    await page.keyboard.press("Escape");
    await page.getByRole("radio", { name: "PHP" }).check();
    await page.getByRole("region", { name: "the code" }).getByText("hash_hmac").waitFor();
    await page
      .getByRole("link", { name: /Delivered/ })
      .first()
      .click();
    await page.waitForURL(`**/agents/${agentId}/forms/*`);
    expect(problems).toEqual([]);
  });

  it("shows the plan's limits and usage", async () => {
    const { page, problems } = await open("/plan");
    await page.getByRole("row", { name: /Harbour.*12,400 of 50,000/ }).waitFor();
    await expect.poll(() => page.getByRole("meter", { name: "Tokens of Harbour" }).getAttribute("value")).toBe("12400");
    await page.getByRole("row", { name: /Workshop.*Almost used up/ }).waitFor();
    await picture(page, "dashboard-plan");
    await expectFit(page);
    expect(problems).toEqual([]);
  });

  it("shows who did what in the audit log", async () => {
    const { page, problems } = await site.signIn();
    for (let entry = 0; entry < 60; entry++) {
      await site.call(page, "PATCH", `/agents/${agentId}`, { temperature: entry / 100 });
    }
    await page.goto(`${site.server.url}/dashboard/settings/audit-log`);
    await page
      .getByRole("row", { name: /Updated agent Harbour/ })
      .first()
      .waitFor();
    await picture(page, "dashboard-audit-log");
    for (const text of [site.owner.email, "127.0.0.1"]) {
      const lines = await page
        .getByRole("cell", { name: text, exact: true })
        .first()
        .evaluate((cell) => {
          const range = document.createRange();
          range.selectNodeContents(document.createTreeWalker(cell, NodeFilter.SHOW_TEXT).nextNode() ?? cell);
          return range.getClientRects().length;
        });
      expect(lines, text).toBe(1);
    }
    await page.getByRole("link", { name: "Older" }).click();
    await page.waitForURL("**/audit-log?page=2");
    await page.getByText(/^51 to/).waitFor();
    await page
      .getByRole("row", { name: /Created (a )?tool Test ride/ })
      .first()
      .waitFor();
    await page
      .getByRole("row", { name: /Created (an )?agent.*Harbour/ })
      .first()
      .waitFor();
    await expectFit(page);
    await page.goto(`${site.server.url}/dashboard/settings/audit-log?page=900`);
    await page.getByRole("heading", { name: "This page is past the end of the log" }).waitFor();
    expect(problems).toEqual([]);
  });

  it("checks the server and the connection to it", async () => {
    const { page, problems } = await open("/health");
    await page.getByRole("heading", { name: "Streaming works" }).waitFor();
    await page.getByText(/checks? (is|are) failing|checks? needs? attention|All checks passed/).waitFor();
    await picture(page, "dashboard-health");
    await expectFit(page);
    const tick = 'event: tick\ndata: {"type":"tick","number":1}\n\n';
    const whole = { contentType: "text/event-stream", body: tick.repeat(5) };
    await page.route("**/doctor/stream", (route) => route.fulfill(whole));
    await page.getByRole("button", { name: "Run again" }).click();
    await page.getByRole("heading", { name: "A proxy buffers streams" }).waitFor();
    await page.getByRole("region", { name: "the proxy configuration" }).getByText("proxy_buffering off").waitFor();
    await page.getByRole("heading", { name: "A proxy buffers streams" }).scrollIntoViewIfNeeded();
    await picture(page, "dashboard-health-held");
    await expectFit(page);
    expect(problems).toEqual([]);
  });

  it("shows failing providers above every page", async () => {
    const { db } = site.server.deps;
    const from = { organizationId: site.owner.organizationId, agentId };
    const conversationId = await insertConversation(db, from, { createdAt: Date.now() - 60_000 }, [
      { content: "Is the shop open?" },
      { stopReason: "error" },
    ]);
    await insertFailure(db, { ...from, conversationId, message: "You exceeded your current quota." });

    const { page, problems } = await open("/plan");
    const banner = page.getByRole("region", { name: "Provider failures" });
    await banner.getByText("You exceeded your current quota. (HTTP 429)").waitFor();
    await expect.poll(() => banner.getByRole("time").count()).toBe(1);
    await expectFit(page);
    await banner.getByRole("link", { name: "Model settings" }).click();
    await page.waitForURL("**/settings/models");
    await banner.getByRole("link", { name: "Failed conversations" }).click();
    await page.waitForURL(`**/agents/${agentId}/conversations?failed=%22true%22`);
    await page.getByText("Is the shop open?").first().waitFor();

    const { page: ofMember } = await open("/plan", { email: await site.addMember("member") });
    await ofMember.getByRole("link", { name: "Failed conversations" }).waitFor();
    await expect.poll(() => ofMember.getByRole("link", { name: "Model settings" }).count()).toBe(0);

    await insertConversation(db, from, { createdAt: Date.now() - 60_000 }, [
      { content: "And now?" },
      { content: "Yes." },
    ]);
    await ofMember.evaluate(() => window.dispatchEvent(new Event("visibilitychange")));
    await ofMember.getByRole("region", { name: "Provider failures" }).waitFor({ state: "detached" });
    expect(problems).toEqual([]);
  });

  it("notifies a member by push while the dashboard is closed, and posts to a team chat", async () => {
    const push = await startPushService();
    const context = { permissions: ["notifications"] };
    const { page, problems } = await site.signIn({ context });
    // The test browser has no push service, so the subscription is scripted. Everything else is real.
    await page.addInitScript(subscribeAs, push.subscribe("laptop"));
    await page.goto(`${site.server.url}/dashboard/settings/notices`);
    await page.getByRole("heading", { name: "No channels yet" }).waitFor();
    await expectFit(page);
    await picture(page, "notices-empty");
    // Without a device, push reaches nobody and is shown as off.
    const pushSwitch = page.getByRole("switch", { name: "Push" });
    await expect.poll(() => pushSwitch.isChecked()).toBe(false);
    await page.getByRole("switch", { name: "Notify me on this device" }).click();
    await page.getByText("This device", { exact: true }).waitFor();
    await expect.poll(() => pushSwitch.isChecked()).toBe(true);
    await pushSwitch.click();
    await page.getByText("Push is off, so these devices are not notified.").waitFor();
    await pushSwitch.click();
    await page.getByRole("button", { name: /^Send test notification to/ }).click();
    await page.getByText("Test notification sent").waitFor();
    const [received] = push.messages();
    const [worker] = page.context().serviceWorkers();
    if (!worker) throw new Error("no service worker");
    // A headless browser cannot show notifications.
    await worker.evaluate(recordNotices);
    const client = await page.context().newCDPSession(page);
    const registrationId = await registeredWorker(client);
    const data = JSON.stringify(received?.message);
    await client.send("ServiceWorker.deliverPushMessage", { origin: site.server.url, registrationId, data });
    await expect
      .poll(() => worker.evaluate(() => Reflect.get(globalThis, "shown")))
      .toEqual([["Notifications work on this device", "/dashboard/settings/notices"]]);

    await page.getByRole("button", { name: "Create channel" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("#support");
    await dialog.getByLabel("Webhook URL").fill("ftp://chat.example");
    await dialog.getByRole("button", { name: "Create channel" }).click();
    await dialog.getByText("Only http and https URLs can be called").waitFor();
    await dialog.getByLabel("Webhook URL").fill(`${receiver.url}/support`);
    await dialog.getByRole("button", { name: "Create channel" }).click();
    await page.getByRole("button", { name: "Send test notification to #support" }).click();
    await page.getByText("Test notification sent to #support").waitFor();
    expect(receiver.bodies("/support")).toEqual([
      { text: expect.stringContaining("Notifications work in this channel") },
    ]);
    await expectFit(page);
    await picture(page, "notices");
    await page.getByRole("button", { name: "Create channel" }).click();
    await dialog.getByLabel("Kind").selectOption("telegram");
    await dialog.getByLabel("Name").fill("Team");
    await dialog.getByLabel("Bot token").fill("nonsense");
    await dialog.getByLabel("Chat ID").fill("-1001234");
    await dialog.getByRole("button", { name: "Create channel" }).click();
    await dialog.getByText("must look like 123456:ABC-DEF…").waitFor();
    await picture(page, "notices-telegram");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("switch", { name: "Notify me on this device" }).click();
    await page.getByText("This device", { exact: true }).waitFor({ state: "detached" });
    expect(problems).toEqual([]);
    await push.stop();
  });

  it("has no accessibility problems on any page, and every page of a kind starts at the same place", async () => {
    const { db } = site.server.deps;
    const { page, problems } = await open("/you");
    const bubble = { actionType: "show_bubble", actionConfig: { message: "Any questions?" } };
    const trigger = { name: "Pricing", triggerType: "page_view", conditions: { page: "/pricing" }, ...bubble };
    const { id: triggerId } = await site.call(page, "POST", `/triggers?agentId=${agentId}`, trigger);
    const from = { organizationId: site.owner.organizationId, agentId };
    const conversationId = await insertConversation(db, from, { userId: "ada" }, [
      { content: "Hello" },
      { content: "**Hi.**" },
    ]);
    const { submissions } = await site.call(page, "GET", `/form-submissions?toolId=${formId}`);
    const text = { agentId, kind: "text", title: "Returns", text: "You can return a bike within 30 days." };
    const { id: documentId } = await site.call(page, "POST", "/documents", text);
    const webhook = { url: "https://crm.example/hook", events: ["*"] };
    const { id: webhookId } = await site.call(page, "POST", "/webhooks", webhook);
    const submissionId = submissions[0].id;
    const { visitorKey } = (await site.call(page, "GET", `/conversations/${conversationId}`)).data;
    const replay = { from: 1, to: 1, sample: { n: 1 }, maxCost: 0 };
    const { id: replayId } = (await site.call(page, "POST", `/agents/${agentId}/replays`, replay)).data;
    const test = { name: "Hours", turns: ["When are you open?"], checks: [{ kind: "says", text: "18" }] };
    const { id: testId } = (await site.call(page, "POST", `/agents/${agentId}/tests`, test)).data;
    const ids = {
      agentId,
      testId,
      replayId,
      toolId: formId,
      triggerId,
      conversationId,
      submissionId,
      documentId,
      webhookId,
      visitorKey,
    };
    const outside = await site.browser.openWarm({ viewport: { width: 1440, height: 900 } });
    await outside.page.goto(`${site.server.url}/dashboard/sign-in`);

    const found: string[] = [];
    const starts = { page: new Set<number>(), settings: new Set<number>() };
    const addresses = dashboardAddresses();
    expect(addresses.length).toBeGreaterThan(30);
    for (const { address, isOutside } of addresses) {
      const path = address.replace(/\$(\w*)/g, (_, name: string) => ids[name as keyof typeof ids] ?? "nowhere");
      const visitor = isOutside ? outside.page : page;
      await site.follow(visitor, path);
      await visitor.getByRole("heading", { level: 1 }).first().waitFor();
      await expect.poll(() => visitor.locator(".glow.bg-sunken").count(), { message: address }).toBe(0);
      const heading = await visitor.getByRole("main").getByRole("heading", { level: 1 }).first().boundingBox();
      const kind = address.startsWith("/settings") ? "settings" : "page";
      if (!isOutside) starts[kind].add(Math.round(heading?.x ?? 0));
      found.push(...(await accessibilityProblems(visitor)).map((problem) => `${address}: ${problem}`));
    }
    expect(found).toEqual([]);
    expect([...starts.page], "where the content of a page starts").toHaveLength(1);
    expect([...starts.settings], "where the content starts beside the list of settings").toHaveLength(1);
    expect([...problems, ...outside.problems]).toEqual([]);
  });

  it("shows nothing of another organization", async () => {
    const { email } = await createOwner(site.server);
    const { page } = await open("/webhooks", { email });
    await page.getByRole("heading", { name: "No forms yet" }).waitFor();
    await expectFit(page);
    await page.goto(`${site.server.url}/dashboard/settings/plan`);
    await page.getByRole("heading", { name: "No usage yet" }).waitFor();
    await page.goto(`${site.server.url}/dashboard/agents/${agentId}/tools/${formId}`);
    await page.getByRole("heading", { name: "Not found" }).waitFor();
  });

  it("reports that the server does not answer", async () => {
    const { page } = await open("/plan");
    await page.getByRole("heading", { name: /^Usage in/ }).waitFor();
    await page.route("**/audit-log?*", (route) => route.abort());
    await page.getByRole("link", { name: "Audit log" }).click();
    await page.getByRole("heading", { name: "Can't reach the server" }).waitFor();
    await expectFit(page);
    await page.unroute("**/audit-log?*");
    await page.getByRole("button", { name: "Try again" }).click();
    await page
      .getByRole("row", { name: /Signed in/ })
      .first()
      .waitFor();
  });
});

/** Runs in the page. `subscribe` returns this subscription until it is withdrawn. */
function subscribeAs({ endpoint, keys }: { endpoint: string; keys: Record<string, string> }) {
  let isSubscribed = false;
  const subscription = {
    endpoint,
    toJSON: () => ({ endpoint, keys }),
    unsubscribe: async () => {
      isSubscribed = false;
      return true;
    },
  };
  const scripted = {
    getSubscription: async () => (isSubscribed ? subscription : null),
    subscribe: async () => {
      isSubscribed = true;
      return subscription;
    },
  };
  Object.assign(PushManager.prototype, scripted);
}

/** Runs in the service worker. Records the title and link of each notification. */
function recordNotices() {
  const shown: unknown[] = [];
  Reflect.set(globalThis, "shown", shown);
  const registration: ServiceWorkerRegistration = Reflect.get(globalThis, "registration");
  registration.showNotification = async (title, options) => {
    shown.push([title, options?.data.url]);
  };
}

/** The id of the page's service worker, once it is registered. */
async function registeredWorker(client: CDPSession): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  client.on("ServiceWorker.workerRegistrationUpdated", ({ registrations: [first] }) => {
    if (first) resolve(first.registrationId);
  });
  await client.send("ServiceWorker.enable");
  return promise;
}

/** Fills the settings of Harbour Bikes. */
async function fillSettings(site: DashboardSite, receiverUrl: string) {
  const { page } = await site.signIn();
  const make = (path: string, data: object) => site.call(page, "POST", path, data);
  const { id: agentId } = (await make("/agents", { name: "Harbour", monthlyTokenBudget: 50_000 })).data;
  const { id: workshopId } = (await make("/agents", { name: "Workshop", monthlyTokenBudget: 20_000 })).data;
  await make("/secrets", { name: "STOCK_API_KEY", value: "sk-stock", hosts: ["stock.example"] });
  await make("/tools", {
    agentId,
    name: "stock_look_up",
    description: "Looks up stock",
    inputSchema: { type: "object" },
    executionType: "http",
    httpUrl: "https://stock.example/bikes",
    httpMethod: "GET",
    httpHeaders: { authorization: "Bearer {{STOCK_API_KEY}}" },
  });
  const form = {
    agentId,
    name: "test_ride",
    description: "Books a test ride",
    inputSchema: { type: "object" },
    executionType: "form",
    formExecutionMode: "webhook",
    formWebhookUrl: `${receiverUrl}/hooks/test-rides`,
    formSchema: { fields: [{ name: "email", label: "Email", type: "email" }] },
  };
  const { id: formId } = await make("/tools", form);
  await make("/tools", { ...form, agentId: workshopId, name: "repair_request" });
  const submission = { toolId: formId, formData: { email: "ada@example.com" }, fieldsCompleted: ["email"] };
  await make("/form-submissions/submit", submission);
  await vi.waitFor(async () => {
    const { submissions } = await site.call(page, "GET", `/form-submissions?toolId=${formId}`);
    expect(submissions[0].status).toBe("webhook_success");
  }, 30_000);
  await recordTokenUsage(site, agentId, 12_400);
  await recordTokenUsage(site, workshopId, 17_800);
  await page.context().close();
  return { agentId, formId };
}

/** Records tokens that an agent's replies used this month. */
async function recordTokenUsage({ server }: DashboardSite, agentId: string, tokens: number) {
  const month = new Date().toISOString().slice(0, 7);
  await server.deps.db.insertInto("agentMonths").values({ agentId, month, tokens }).execute();
}
