import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { insertConversation, insertFailure } from "../../../../test/conversation-seed.ts";
import { onBothDatabases, type TestDatabase } from "../../../../test/databases.ts";
import { holdRefusedPort } from "../../../../test/refused-port.ts";
import { startServer, type TestServer } from "../../../../test/server.ts";
import { type createBrowser, createMember, createOwner, signedInBrowser } from "../../../../test/session-client.ts";
import { startSmtpServer } from "../../../../test/smtp-server.ts";
import type { Check } from "../../../contract/src/index.ts";

const accountCheckIds = ["model", "replies", "embeddings", "deliveries", "notifications", "origins", "encryption"];
const serverCheckIds = ["mail", "address", "https", "client-ip", "secret", "database", "disk"];

type Browser = ReturnType<typeof createBrowser>;

async function examine(browser: Browser, headers: Record<string, string> = {}) {
  const { status, body, text } = await browser.call("GET", "/doctor", undefined, headers);
  expect(status, text).toBe(200);
  const checks: Check[] = body.checks;
  for (const { title, detail, fix, state } of checks) {
    expect([title, detail].every((words) => /\S/.test(words))).toBe(true);
    if (state === "warning" || state === "failure") expect(fix).toMatch(/\S/);
  }
  const find = (id: string) => checks.find((check) => check.id === id);
  return { ids: checks.map(({ id }) => id), find, text };
}

const cleanUps: Array<() => Promise<void>> = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** A server with its owner's browser. */
async function start(env: Record<string, string> = {}) {
  const server = await startServer({ env });
  cleanUps.push(() => server.stop());
  const owner = await createOwner(server);
  return { server, owner, browser: await signedInBrowser(server, owner.email) };
}

onBothDatabases("the doctor", (createDatabase) => {
  let database: TestDatabase;
  let server: TestServer;
  let browser: Browser;
  let organizationId: string;
  beforeAll(async () => {
    database = await createDatabase();
    server = await startServer({ database });
    const owner = await createOwner(server);
    ({ organizationId } = owner);
    browser = await signedInBrowser(server, owner.email);
  });
  afterAll(async () => {
    await server.stop();
    await database.drop();
  });

  it("reports no errors for a new server, except for what is not configured yet", async () => {
    const { ids, find } = await examine(browser);
    expect(ids).toEqual([...accountCheckIds, ...serverCheckIds]);
    expect(ids.filter((id) => find(id)?.state === "warning" || find(id)?.state === "failure")).toEqual([
      "model",
      "mail",
      "address",
    ]);
    expect(ids.filter((id) => find(id)?.state === "off")).toEqual(["embeddings", "notifications"]);
    const name = database.address.kind === "sqlite" ? "SQLite" : "PostgreSQL";
    expect(find("database")?.detail).toContain(name);
  });

  it("shows other organizations only their own checks, and members nothing", async () => {
    const stranger = await signedInBrowser(server, (await createOwner(server)).email);
    expect((await examine(stranger)).ids).toEqual(accountCheckIds);
    const admin = await signedInBrowser(server, (await createMember(server, organizationId, "admin")).email);
    expect((await examine(admin)).ids).toEqual([...accountCheckIds, ...serverCheckIds]);
    const member = await signedInBrowser(server, (await createMember(server, organizationId, "member")).email);
    expect((await member.call("GET", "/doctor")).status).toBe(403);
    expect((await member.call("GET", "/doctor/stream")).status).toBe(403);
  });

  it("lists the pages that an agent of the organization refused", async () => {
    const shop = { name: "Shop", allowedOrigins: ["https://shop.example"] };
    const { id } = (await browser.call("POST", "/agents", shop)).body.data;
    const url = `/agents/${id}/widget`;
    const refused = await server.app.inject({ url, headers: { origin: "https://new-shop.example" } });
    expect(refused.statusCode).toBe(403);
    expect((await examine(browser)).find("origins")).toMatchObject({
      state: "warning",
      detail: expect.stringContaining("https://new-shop.example by Shop, 1×"),
    });
    const stranger = await signedInBrowser(server, (await createOwner(server)).email);
    expect((await examine(stranger)).find("origins")?.state).toBe("ok");
  });

  it("reports failed replies with the provider's message, until a model has answered again", async () => {
    const owner = await createOwner(server);
    const own = await signedInBrowser(server, owner.email);
    const { id: agentId } = (await own.call("POST", "/agents", { name: "Failing" })).body.data;
    const of = { organizationId: owner.organizationId, agentId };
    const replies = async () => (await examine(own)).find("replies");
    expect((await replies())?.state).toBe("ok");
    const asked = [{ content: "Hello?" }, { content: "", stopReason: "error" }];
    const conversationId = await insertConversation(server.deps.db, of, {}, asked);
    await insertFailure(server.deps.db, { ...of, conversationId, message: "You exceeded your quota" });
    expect(await replies()).toMatchObject({
      state: "failure",
      detail: "Failed replies in the last 24 hours: OpenAI: 1. Newest (HTTP 429): You exceeded your quota",
      fix: expect.stringContaining("API key, quota and model name"),
    });
    expect((await examine(browser)).find("replies")?.state).toBe("ok");
    await insertConversation(server.deps.db, of, {}, [{ content: "Again" }, { content: "Here I am." }]);
    expect(await replies()).toMatchObject({ state: "warning", fix: expect.stringContaining("succeeded since") });
  });

  it("reports replies that a fallback model answered apart from failed ones", async () => {
    const owner = await createOwner(server);
    const own = await signedInBrowser(server, owner.email);
    const { id: agentId } = (await own.call("POST", "/agents", { name: "Falling back" })).body.data;
    const of = { organizationId: owner.organizationId, agentId };
    const answered = async (isAnswered: 0 | 1) => {
      const messages = [{ content: "Hi" }, { content: "Hello" }];
      const conversationId = await insertConversation(server.deps.db, of, {}, messages);
      await insertFailure(server.deps.db, { ...of, conversationId, message: "Slow down", isAnswered });
    };
    await answered(1);
    await answered(1);
    const replies = async () => (await examine(own)).find("replies");
    expect(await replies()).toMatchObject({
      state: "warning",
      detail:
        "No reply failed in the last 24 hours. Answered by a fallback model: OpenAI: 2. Newest (HTTP 429): Slow down",
      fix: expect.stringContaining("API key, quota and model name"),
    });
    await answered(0);
    expect((await replies())?.detail).toContain(
      "Failed replies in the last 24 hours: OpenAI: 1. Answered by a fallback model: OpenAI: 2.",
    );
  });

  it("reports failures of the last day and due deliveries that are not sent", async () => {
    const agent = (await browser.call("POST", "/agents", { name: "Forms" })).body.data;
    const formSchema = { fields: [{ name: "a", label: "A", type: "text" }] };
    const tool = { agentId: agent.id, name: "contact", description: "d", executionType: "form", formSchema };
    const form = (await browser.call("POST", "/tools", { ...tool, inputSchema: { type: "object" } })).body;
    const payload = { toolId: form.id, formData: {}, fieldsCompleted: [] };
    const submitted = await server.app.inject({ method: "POST", url: "/form-submissions/submit", payload });
    const { submissionId } = submitted.json();
    const { db } = server.deps;
    const failed = (updatedAt: number) =>
      db
        .updateTable("submissions")
        .set({ status: "webhook_failed", updatedAt })
        .where("id", "=", submissionId)
        .execute();
    await failed(Date.now() - 86_400_000 - 1_000);
    expect((await examine(browser)).find("deliveries")?.state).toBe("ok");
    await failed(Date.now());
    expect((await examine(browser)).find("deliveries")).toMatchObject({
      state: "warning",
      detail: "1 submission could not be delivered in the last 24 hours.",
    });
    await server.drain();
    const delivery = {
      ...({
        id: "delivery_1",
        organizationId,
        kind: "submission",
        submissionId,
        position: 0,
        purpose: "webhook",
      } as const),
      ...({ type: "webhook", target: "{}" } as const),
      ...({ host: "x", state: "pending", attempts: 0, attemptsBefore: 0, fence: 0, createdAt: 0 } as const),
    };
    await db
      .insertInto("deliveries")
      .values({ ...delivery, dueAt: Date.now() - 300_000 })
      .execute();
    expect((await examine(browser)).find("deliveries")).toMatchObject({
      state: "warning",
      detail: expect.stringContaining("5 min overdue"),
    });
    await db
      .updateTable("deliveries")
      .set({ attempts: 3, dueAt: Date.now() + 3_600_000 })
      .where("id", "=", "delivery_1")
      .execute();
    expect((await examine(browser)).find("deliveries")?.detail).toContain(
      "1 delivery failed at every attempt so far and will be attempted again.",
    );
    await db
      .updateTable("deliveries")
      .set({ attempts: 0, dueAt: Date.now() - 3_600_000 })
      .execute();
    expect((await examine(browser)).find("deliveries")?.state).toBe("failure");
    // A receiver with no free slots: its waiting deliveries are not stuck.
    const beingSent = Array.from({ length: 16 }, (_, n) => ({
      ...delivery,
      id: `delivery_sent_${n}`,
      position: n + 1,
      fence: 1,
      dueAt: Date.now() + 30_000,
    }));
    await db.insertInto("deliveries").values(beingSent).execute();
    expect((await examine(browser)).find("deliveries")?.detail).toMatch(/could not be delivered in the last 24 hours/);
    const elsewhere = { ...delivery, id: "delivery_2", position: 20, host: "y", dueAt: Date.now() - 300_000 };
    await db.insertInto("deliveries").values(elsewhere).execute();
    expect((await examine(browser)).find("deliveries")?.detail).toMatch(/5 min overdue/);
  });
});

describe("the doctor", () => {
  it("names the agents whose model has no configured provider", async () => {
    const { browser } = await start({ OPENAI_API_KEY: "sk-operator", FOYER_DEFAULT_MODEL: "openai/small" });
    await browser.call("POST", "/agents", { name: "Good" });
    const before = (await examine(browser)).find("model");
    expect(before).toMatchObject({ state: "ok", detail: "OpenAI. The default model is openai/small." });
    await browser.call("POST", "/agents", { name: "Stuck", model: "anthropic/claude" });
    const { find, text } = await examine(browser);
    expect(find("model")).toMatchObject({
      state: "failure",
      detail: expect.stringContaining("Stuck (anthropic/claude)."),
    });
    expect(text).not.toContain("sk-operator");
  });

  it("says how to choose the default model of a provider that lists none", async () => {
    const { port, release } = await holdRefusedPort();
    cleanUps.push(async () => release());
    const { browser } = await start({ OPENAI_COMPATIBLE_BASE_URL: `http://127.0.0.1:${port}/v1` });
    await browser.call("POST", "/agents", { name: "Harbour" });
    expect((await examine(browser)).find("model")).toMatchObject({
      state: "warning",
      detail: expect.stringContaining("openai-compatible is connected, but lists no models"),
      fix: "Set FOYER_DEFAULT_MODEL=openai-compatible/…, or choose a model for each agent.",
    });
  });

  it("warns of a handoff that nobody would be notified of, until a channel exists", async () => {
    const { server, owner, browser } = await start();
    await browser.call("POST", "/agents", { name: "Harbour", handoff: { isEnabled: true } });
    expect((await examine(browser)).find("notifications")).toMatchObject({
      state: "warning",
      detail: expect.stringContaining("No member can be notified"),
      fix: "Set SMTP_URL, add a channel, or turn on a device.",
    });
    expect((await browser.call("GET", "/notices/reach")).body).toEqual({ email: 0, push: 0, channels: 0 });
    const elsewhere = await createOwner(server);
    const channel = {
      kind: "webhook" as const,
      name: "#support",
      url: "https://hooks.example/x",
      isEnabled: 1 as const,
    };
    const state = { lastError: null, lastSentAt: null, createdAt: 0 };
    const insert = (organizationId: string, id: string) =>
      server.deps.db
        .insertInto("noticeChannels")
        .values({ id, organizationId, ...channel, ...state })
        .execute();
    await insert(elsewhere.organizationId, "channel_1");
    expect((await browser.call("GET", "/notices/reach")).body.channels).toBe(0);
    await insert(owner.organizationId, "channel_2");
    expect((await examine(browser)).find("notifications")).toMatchObject({
      state: "ok",
      detail: "Notified of waiting visitors: 1 channel.",
    });
  });

  it("sends a test notification to the member's own address", async () => {
    const smtp = await startSmtpServer();
    cleanUps.push(() => smtp.close());
    const { owner, browser } = await start({ SMTP_URL: smtp.url });
    const [mail, { body }] = await Promise.all([smtp.waitForMail(), browser.call("POST", "/notices/email/test")]);
    expect(body).toEqual({ isDelivered: true, error: null, detail: null });
    expect([mail.to, mail.subject]).toEqual([[owner.email], "Test notification from Foyer"]);
  });

  it("signs in to the mail server without revealing its address or password", async () => {
    const smtp = await startSmtpServer({ auth: { user: "foyer", pass: "mail-secret" } });
    cleanUps.push(() => smtp.close());
    const works = await start({ SMTP_URL: smtp.url });
    expect((await examine(works.browser)).find("mail")?.state).toBe("ok");
    expect(smtp.seen.connections).toBe(1);
    const refused = await start({ SMTP_URL: smtp.url.replace("mail-secret", "other-secret") });
    const { find, text } = await examine(refused.browser);
    expect(find("mail")).toMatchObject({ state: "failure", detail: expect.stringContaining("rejected the user name") });
    expect(text).not.toMatch(/other-secret/);
    const gone = await start({ SMTP_URL: "smtp://127.0.0.1:9" });
    expect((await examine(gone.browser)).find("mail")).toMatchObject({ state: "failure" });
  });

  it("compares BASE_URL with the browser's URL", async () => {
    const { browser } = await start({ BASE_URL: "https://chat.example" });
    const come = async (headers: Record<string, string>) => {
      const { find } = await examine(browser, headers);
      return [find("address")?.state, find("https")?.state];
    };
    expect(await come({ host: "chat.example" })).toEqual(["ok", "ok"]);
    expect(await come({ host: "other.example" })).toEqual(["failure", "ok"]);
    expect(await come({ host: "chat.example", origin: "http://chat.example" })).toEqual(["failure", "ok"]);
    expect((await examine(browser, { host: "other.example" })).find("address")?.fix).toContain("other.example");
    const plain = await start({ BASE_URL: "http://chat.example" });
    const { find } = await examine(plain.browser, { host: "chat.example" });
    expect([find("address")?.state, find("https")?.state]).toEqual(["ok", "failure"]);
  });

  it("detects an untrusted proxy and names it", async () => {
    const forwarded = { host: "chat.example", "x-forwarded-for": "203.0.113.9" };
    const untrusting = await start({ BASE_URL: "https://chat.example" });
    expect((await examine(untrusting.browser, forwarded)).find("client-ip")).toMatchObject({
      state: "warning",
      fix: expect.stringContaining("FOYER_TRUST_PROXY=127.0.0.1 "),
    });
    expect((await examine(untrusting.browser)).find("client-ip")?.state).toBe("warning");
    const trusting = await start({ BASE_URL: "https://chat.example", FOYER_TRUST_PROXY: "127.0.0.1" });
    expect((await examine(trusting.browser, forwarded)).find("client-ip")).toMatchObject({
      state: "ok",
      detail: "Your address is 203.0.113.9.",
    });
  });

  it("detects that FOYER_SECRET has changed", async () => {
    const { browser, server } = await start();
    const { id } = (await browser.call("POST", "/agents", { name: "Sealed" })).body.data;
    expect((await examine(browser)).find("encryption")?.state).toBe("ok");
    const identitySecret = server.deps.encryption.encrypt("x", "somebody else");
    await server.deps.db.updateTable("agents").set({ identitySecret }).where("id", "=", id).execute();
    expect((await examine(browser)).find("encryption")?.state).toBe("failure");
  });

  it("shows the user of FOYER_ADMIN_EMAIL the server's checks, whatever their organization", async () => {
    const FOYER_ADMIN_EMAIL = "boss@example.com";
    const { server } = await start({ FOYER_ADMIN_EMAIL, FOYER_ADMIN_PASSWORD: "a long enough password" });
    await createOwner(server, FOYER_ADMIN_EMAIL);
    const boss = await signedInBrowser(server, FOYER_ADMIN_EMAIL);
    expect((await examine(boss)).ids).toEqual([...accountCheckIds, ...serverCheckIds]);
  });

  it("streams five events, each when it is due, like the chat", async () => {
    const { browser } = await start();
    const { status, headers, text } = await browser.call("GET", "/doctor/stream");
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache, no-transform",
      "x-accel-buffering": "no",
    });
    const events = text.trim().split("\n\n");
    const ticks = events.map((event) => JSON.parse(/^event: tick\ndata: (.*)$/.exec(event)?.[1] ?? "null"));
    expect(ticks.map(({ type, number }) => [type, number])).toEqual([1, 2, 3, 4, 5].map((number) => ["tick", number]));
    const times = ticks.map(({ at }) => at);
    expect(times[4] - times[0]).toBeGreaterThanOrEqual(4 * 200 - 50);
  });
});
