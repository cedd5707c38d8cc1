import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { onBothDatabases, type TestDatabase } from "../../../../../test/databases.ts";
import { startPushService } from "../../../../../test/push-service.ts";
import { startServer, type TestServer } from "../../../../../test/server.ts";
import { createMember, createOwner, signedInBrowser } from "../../../../../test/session-client.ts";
import { startReceiver } from "../../../../../test/webhook-receiver.ts";
import { deleteExpiredRows } from "../../auth/retention.ts";
import { createPushKeys } from "./push-keys.ts";

type Browser = Awaited<ReturnType<typeof signedInBrowser>>;

onBothDatabases("the settings of notices", (createDatabase) => {
  let database: TestDatabase;
  let server: TestServer;
  let push: Awaited<ReturnType<typeof startPushService>>;
  let receiver: Awaited<ReturnType<typeof startReceiver>>;
  let organizationId: string;
  let owner: Browser;
  beforeAll(async () => {
    database = await createDatabase();
    push = await startPushService();
    receiver = await startReceiver();
    server = await startServer({ database, env: { FOYER_LIMIT_SIGN_IN_PER_ADDRESS: "0" } });
  });
  beforeEach(async () => {
    const account = await createOwner(server);
    organizationId = account.organizationId;
    owner = await signedInBrowser(server, account.email);
    push.receiver.received.length = 0;
    receiver.received.length = 0;
  });
  afterAll(async () => {
    await server.stop();
    await push.stop();
    await receiver.stop();
    await database.drop();
  });

  const memberBrowser = async () =>
    signedInBrowser(server, (await createMember(server, organizationId, "member")).email);
  const subscribe = (browser: Browser, body: object) => browser.call("POST", "/notices/push-subscriptions", body);

  it("belong to each member, and all are on until the member chooses", async () => {
    const member = await memberBrowser();
    expect((await member.call("GET", "/notices")).body).toEqual({
      email: true,
      push: true,
      canEmail: false,
      devices: [],
    });
    expect((await member.call("PUT", "/notices", {})).body).toMatchObject({ email: true, push: true });
    expect((await member.call("PUT", "/notices", { email: false })).body).toMatchObject({ email: false, push: true });
    expect((await member.call("PUT", "/notices", { push: false })).body).toMatchObject({ email: false, push: false });
    expect((await owner.call("GET", "/notices")).body).toMatchObject({ email: true, push: true });
  });

  it("let a member test a browser, whose push service receives an encrypted message signed by the server", async () => {
    const created = await subscribe(owner, { ...push.subscribe("laptop"), label: "Firefox on Linux" });
    expect(created).toMatchObject({ status: 201, body: { label: "Firefox on Linux" } });
    const tested = await owner.call("POST", `/notices/push-subscriptions/${created.body.id}/test`);
    expect(tested.body).toMatchObject({ isDelivered: true, error: null, detail: null });
    const [message] = push.messages();
    const { publicKey } = (await owner.call("GET", "/notices/push-key")).body;
    expect(message).toMatchObject({
      key: publicKey,
      claims: { aud: push.receiver.url, sub: expect.stringMatching(/^mailto:/) },
      headers: { "content-encoding": "aes128gcm", "content-type": "application/octet-stream", urgency: "high" },
      message: { title: "Notifications work on this device", url: "/dashboard/settings/notices" },
    });
    const claims = message?.claims;
    expect((claims?.exp ?? 0) - Date.now() / 1_000).toBeLessThan(86_400);
    const member = await memberBrowser();
    expect((await member.call("POST", `/notices/push-subscriptions/${created.body.id}/test`)).status).toBe(404);
    expect((await member.call("DELETE", `/notices/push-subscriptions/${created.body.id}`)).status).toBe(404);
    expect((await owner.call("DELETE", `/notices/push-subscriptions/${created.body.id}`)).status).toBe(200);
    expect((await owner.call("GET", "/notices")).body.devices).toEqual([]);
  });

  it("forget a browser that has withdrawn its subscription as soon as the push service reports it", async () => {
    const { body } = await subscribe(owner, push.subscribe("phone"));
    push.receiver.answer((_, response) => void response.writeHead(410).end());
    const { body: tested } = await owner.call("POST", `/notices/push-subscriptions/${body.id}/test`);
    push.receiver.answer((_, response) => void response.writeHead(201).end());
    expect(tested).toMatchObject({ isDelivered: false, error: "Unsubscribed" });
    expect((await owner.call("GET", "/notices")).body.devices).toEqual([]);
  });

  it("assign a browser to the member who subscribed last, and keep each member's newest ten", async () => {
    const shared = push.subscribe("shared");
    await subscribe(owner, shared);
    const member = await memberBrowser();
    await subscribe(member, shared);
    await subscribe(member, shared);
    expect((await owner.call("GET", "/notices")).body.devices).toEqual([]);
    for (let index = 0; index < 10; index++) await subscribe(member, push.subscribe(`browser-${index}`));
    const { devices } = (await member.call("GET", "/notices")).body;
    expect(devices).toHaveLength(10);
    expect(devices.map(({ endpoint }: { endpoint: string }) => endpoint)).not.toContain(shared.endpoint);
  });

  it("reach a browser until its member signs out there, even after the session has expired", async () => {
    const { email } = await createMember(server, organizationId, "member");
    const devices = async () => (await here.call("GET", "/notices")).body.devices;
    const here = await signedInBrowser(server, email);
    const elsewhere = await signedInBrowser(server, email);
    await subscribe(here, push.subscribe("here"));
    await subscribe(elsewhere, push.subscribe("elsewhere"));
    expect((await elsewhere.call("POST", "/auth/sign-out")).status).toBe(200);
    expect(await devices()).toMatchObject([{ endpoint: push.subscribe("here").endpoint }]);
    const { db } = server.deps;
    const { sessionId } = await db
      .selectFrom("pushSubscriptions")
      .select("sessionId")
      .where("organizationId", "=", organizationId)
      .executeTakeFirstOrThrow();
    await db
      .updateTable("sessions")
      .set({ expiresAt: new Date(0).toISOString() })
      .where("id", "=", sessionId ?? "")
      .execute();
    await deleteExpiredRows(db, Date.now());
    const again = await signedInBrowser(server, email);
    expect((await again.call("GET", "/notices")).body.devices).toHaveLength(1);
  });

  it("refuse keys that cannot encrypt, and endpoints that may not be called", async () => {
    const { keys } = push.subscribe("wrong");
    const metadata = await subscribe(owner, { endpoint: "http://169.254.169.254/push", keys });
    expect(metadata).toMatchObject({ status: 400, body: { error: { details: [{ path: "endpoint" }] } } });
    const wrongKeys = { ...keys, p256dh: "A".repeat(87) };
    const wrong = await subscribe(owner, { ...push.subscribe("wrong"), keys: wrongKeys });
    expect(wrong).toMatchObject({ status: 400, body: { error: { details: [{ path: "keys" }] } } });
  });

  it("sign with one key, whichever process creates it first", async () => {
    await server.deps.db.deleteFrom("serverKeys").execute();
    const pairs = await Promise.all([1, 2, 3].map(() => createPushKeys(server.deps)()));
    expect(new Set(pairs.map(({ publicKey, privateKey }) => `${publicKey} ${privateKey}`)).size).toBe(1);
    const row = await server.deps.db.selectFrom("serverKeys").selectAll().executeTakeFirstOrThrow();
    expect(row.privateKey).not.toContain(pairs[0]?.privateKey);
  });

  it("include channels that admins create and test, and that no other organization sees", async () => {
    const input = { kind: "webhook", name: " #support ", url: `${receiver.url}/chat` };
    const member = await memberBrowser();
    expect((await member.call("POST", "/notice-channels", input)).status).toBe(403);
    const { status, body: channel } = await owner.call("POST", "/notice-channels", input);
    expect([status, channel]).toEqual([
      201,
      {
        id: expect.stringMatching(/^channel_/),
        kind: "webhook",
        name: "#support",
        url: `${receiver.url}/chat`,
        format: null,
        teamChat: null,
        isEnabled: true,
        lastError: null,
        lastSentAt: null,
        createdAt: expect.any(String),
      },
    ]);
    expect((await member.call("GET", "/notice-channels")).body).toEqual([{ ...channel, url: receiver.url }]);
    const path = `/notice-channels/${channel.id}`;
    expect((await owner.call("POST", `${path}/test`)).body).toMatchObject({
      isDelivered: true,
      error: null,
      detail: null,
      status: 200,
      response: "ok",
    });
    expect(receiver.bodies("/chat")).toEqual([{ text: expect.stringContaining("/dashboard/settings/notices") }]);
    receiver.answer((_, response) => void response.writeHead(404).end("no_service"));
    expect((await owner.call("POST", `${path}/test`)).body).toMatchObject({ isDelivered: false, error: "HTTP 404" });
    receiver.answer((_, response) => void response.end("ok"));

    const stranger = await signedInBrowser(server, (await createOwner(server)).email);
    expect((await stranger.call("GET", "/notice-channels")).body).toEqual([]);
    for (const [method, url] of [
      ["PATCH", path],
      ["DELETE", path],
      ["POST", `${path}/test`],
    ] as const) {
      expect((await stranger.call(method, url, method === "PATCH" ? { name: "mine" } : undefined)).status).toBe(404);
    }
    expect((await owner.call("PATCH", path, { isEnabled: false })).body).toEqual({ ...channel, isEnabled: false });
    expect((await owner.call("DELETE", path)).body).toEqual({ success: true });
    expect((await owner.call("GET", "/notice-channels")).body).toEqual([]);
  });

  it("keep the team chat that was chosen for a webhook, and use its format until the choice is withdrawn", async () => {
    const input = { kind: "webhook", name: "Ops", url: `${receiver.url}/chat`, format: "discord" };
    const { body: channel } = await owner.call("POST", "/notice-channels", input);
    expect(channel.format).toBe("discord");
    const path = `/notice-channels/${channel.id}`;
    await owner.call("POST", `${path}/test`);
    expect(receiver.bodies("/chat").at(-1)).toHaveProperty("content");
    expect((await owner.call("PATCH", path, { format: null })).body.format).toBeNull();
    await owner.call("POST", `${path}/test`);
    expect(receiver.bodies("/chat").at(-1)).toHaveProperty("text");
    expect((await owner.call("PATCH", path, { format: "irc" })).status).toBe(400);
  });

  it("show members only the host of an incoming webhook, because its address is a secret", async () => {
    const url = `${receiver.url}/services/T0/B0/secret-path`;
    await owner.call("POST", "/notice-channels", { kind: "webhook", name: "Team", url });
    const member = await memberBrowser();
    expect((await owner.call("GET", "/notice-channels")).body).toMatchObject([{ url }]);
    expect((await member.call("GET", "/notice-channels")).body).toMatchObject([{ url: receiver.url }]);
    const created = await owner.call("POST", "/webhooks", { url: `${receiver.url}/in?token=secret`, events: ["*"] });
    expect((await member.call("GET", "/webhooks")).body).toMatchObject([{ url: receiver.url }]);
    expect((await member.call("GET", `/webhooks/${created.body.id}`)).body).toMatchObject({ url: receiver.url });
    expect((await owner.call("GET", "/webhooks")).body).toMatchObject([{ url: `${receiver.url}/in?token=secret` }]);
  });

  it("refuse a channel without a URL or with one that may not be called", async () => {
    for (const url of [undefined, "http://169.254.169.254/", "ftp://chat.example"]) {
      const refused = await owner.call("POST", "/notice-channels", { kind: "webhook", name: "Support", url });
      expect(refused, url).toMatchObject({ status: 400, body: { error: { details: [{ path: "url" }] } } });
    }
  });
});
