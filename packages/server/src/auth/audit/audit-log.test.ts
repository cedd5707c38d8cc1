import { afterAll, beforeAll, expect, it } from "vitest";
import { onBothDatabases, type TestDatabase } from "../../../../../test/databases.ts";
import { createAgent } from "../../../../../test/factories.ts";
import { startServer, type TestServer } from "../../../../../test/server.ts";
import { createBrowser, createMember, createOwner, signedInBrowser } from "../../../../../test/session-client.ts";
import { newId } from "../../ids.ts";
import { createAuditLog } from "./audit-log.ts";

type Entry = { action: string; actor: { type: string; id: string; name: string }; [name: string]: unknown };

onBothDatabases("the audit log", (createDatabase) => {
  let database: TestDatabase;
  let server: TestServer;
  beforeAll(async () => {
    database = await createDatabase();
    server = await startServer({ database });
  });
  afterAll(async () => {
    await server.stop();
    await database.drop();
  });

  it("records who did what to which resource, when and from which IP address", async () => {
    const startedAt = Date.now();
    const { email, userId, organizationId } = await createOwner(server);
    const browser = await signedInBrowser(server, email);
    const agentId = await createAgent(browser, { name: "A" });
    const { id: keyId, key } = (await browser.call("POST", "/api-keys", { name: "Laptop" })).body;
    await server.app.inject({
      method: "PATCH",
      url: `/agents/${agentId}`,
      remoteAddress: "203.0.113.9",
      headers: { authorization: `Bearer ${key}` },
      payload: { name: "B" },
    });
    await browser.call("POST", "/secrets", { name: "TOKEN", value: "a secret value" });
    await browser.call("DELETE", "/secrets/TOKEN");
    const { body } = await browser.call("GET", "/audit-log");
    const user = { type: "user", id: userId, name: email };
    const entry = {
      details: null,
      id: expect.stringMatching(/^log_/),
      at: expect.any(String),
      actor: user,
      ip: "127.0.0.1",
    };
    expect(body).toEqual({
      entries: [
        { ...entry, action: "DELETE /secrets/:name", resource: "secrets", resourceId: "TOKEN", targetName: "TOKEN" },
        { ...entry, action: "POST /secrets", resource: "secrets", resourceId: "TOKEN", targetName: "TOKEN" },
        {
          ...entry,
          action: "PATCH /agents/:id",
          resource: "agents",
          resourceId: agentId,
          targetName: "A",
          details: { changed: ["name"] },
          ip: "203.0.113.9",
          actor: { type: "key", id: keyId, name: "Laptop" },
        },
        { ...entry, action: "POST /api-keys", resource: "api-keys", resourceId: keyId, targetName: "Laptop" },
        { ...entry, action: "POST /agents", resource: "agents", resourceId: agentId, targetName: "A" },
        { ...entry, action: "sign-in", resource: "users", resourceId: userId, targetName: email },
      ],
      pagination: { total: 6, limit: 50, offset: 0 },
    });
    const times = body.entries.map(({ at }: { at: string }) => Date.parse(at));
    expect(times).toEqual(times.toSorted((a: number, b: number) => b - a));
    expect(times.at(-1)).toBeGreaterThanOrEqual(startedAt);
    expect(times[0]).toBeLessThanOrEqual(Date.now());
    const page = (await browser.call("GET", "/audit-log?limit=2&offset=1")).body;
    expect(page).toEqual({ entries: body.entries.slice(1, 3), pagination: { total: 6, limit: 2, offset: 1 } });
    expect(organizationId).toMatch(/^org_/);
  });

  it("leaves out failed calls, reads and the contents of conversations", async () => {
    const { email } = await createOwner(server);
    const browser = await signedInBrowser(server, email);
    await browser.call("GET", "/agents");
    await browser.call("POST", "/agents", {});
    await browser.call("DELETE", "/agents/agent_nobody");
    const { key } = (await browser.call("POST", "/api-keys", { name: "k" })).body;
    await browser.call("POST", "/secrets", { name: "WORD", value: "canary-in-a-secret" });
    await browser.call("PUT", "/models/providers/openai", { apiKey: "sk-canary" });
    const { body, text } = await browser.call("GET", "/audit-log");
    expect(body.entries.map(({ action }: Entry) => action)).toEqual([
      "PUT /models/providers/:provider",
      "POST /secrets",
      "POST /api-keys",
      "sign-in",
    ]);
    const dump = JSON.stringify(await server.deps.db.selectFrom("auditLog").selectAll().execute()) + text;
    const cookie = browser.cookies.get("foyer_session") ?? "";
    for (const secret of [key, "canary-in-a-secret", "sk-canary", decodeURIComponent(cookie), "a long enough"]) {
      expect(dump).not.toContain(secret);
    }
  });

  it("names the changed or deleted resource, and members and invitations by email address", async () => {
    const owner = await createOwner(server);
    const member = await createMember(server, owner.organizationId, "member");
    const browser = await signedInBrowser(server, owner.email);
    const agentId = await createAgent(browser);
    await browser.call("DELETE", `/agents/${agentId}`);
    const invitation = (await browser.call("POST", "/invitations", { email: "guest@example.com", role: "member" }))
      .body;
    await browser.call("DELETE", `/invitations/${invitation.id}`);
    await browser.call("DELETE", `/members/${member.userId}`);
    await browser.call("PATCH", "/organization", { name: "Harbour Bikes" });
    await browser.call("PATCH", "/auth/profile", { name: "Ada" });
    const { entries } = (await browser.call("GET", "/audit-log")).body;
    expect(entries.map(({ action, targetName }: Entry) => [action, targetName])).toEqual([
      ["change-name", owner.email],
      ["PATCH /organization", "Harbour Bikes"],
      ["DELETE /members/:id", member.email],
      ["DELETE /invitations/:id", "guest@example.com"],
      ["POST /invitations", "guest@example.com"],
      ["DELETE /agents/:id", "Harbour"],
      ["POST /agents", "Harbour"],
      ["sign-in", owner.email],
    ]);
  });

  it("records who read an identity secret, the signing secret of a webhook or of a form, or pending links", async () => {
    const { email } = await createOwner(server);
    const browser = await signedInBrowser(server, email);
    const agentId = await createAgent(browser);
    await browser.call("GET", `/agents/${agentId}/identity-secret`);
    // An empty list of links reveals nothing and is not recorded.
    await browser.call("GET", "/members/links");
    const link = {
      id: newId("link"),
      kind: "sign-in" as const,
      email,
      url: "",
      createdAt: 0,
      expiresAt: Date.now() + 60_000,
    };
    const encrypted = server.deps.encryption.encrypt("https://chat.example/", `pending-link/${link.id}`);
    await server.deps.db
      .insertInto("pendingLinks")
      .values({ ...link, url: encrypted })
      .execute();
    await browser.call("GET", "/members/links");
    await browser.call("GET", "/tools/tool_nothing/webhook-secret");
    const webhook = { url: "https://hooks.example/", events: ["*"] };
    const { id: webhookId } = (await browser.call("POST", "/webhooks", webhook)).body;
    await browser.call("GET", `/webhooks/${webhookId}/secret`);
    const formSchema = { fields: [{ name: "email", label: "Email", type: "email" }] };
    const tool = { agentId, name: "contact", description: "d", executionType: "form", formSchema };
    const { id: toolId } = (await browser.call("POST", "/tools", { ...tool, inputSchema: { type: "object" } })).body;
    await browser.call("GET", `/tools/${toolId}/webhook-secret`);
    const { entries } = (await browser.call("GET", "/audit-log?limit=6")).body;
    expect(entries).toMatchObject([
      { action: "GET /tools/:id/webhook-secret", resourceId: toolId, targetName: "contact", actor: { name: email } },
      { action: "POST /tools" },
      { action: "GET /webhooks/:id/secret", resourceId: webhookId },
      { action: "POST /webhooks" },
      { action: "GET /members/links", actor: { name: email } },
      { action: "GET /agents/:id/identity-secret", resourceId: agentId, targetName: "Harbour" },
    ]);
  });

  it("names sites by their address, and does not record searches", async () => {
    const { email } = await createOwner(server);
    const browser = await signedInBrowser(server, email);
    const agentId = await createAgent(browser);
    await browser.call("POST", "/documents/search", { agentId, query: "bikes" });
    const site = { agentId, kind: "site", url: "https://harbour.example/" };
    const { id } = (await browser.call("POST", "/sources", site)).body;
    await browser.call("DELETE", `/sources/${id}`);
    const { entries } = (await browser.call("GET", "/audit-log?limit=3")).body;
    expect(entries.map(({ action, targetName }: Entry) => [action, targetName])).toEqual([
      ["DELETE /sources/:id", "https://harbour.example/"],
      ["POST /sources", "https://harbour.example/"],
      ["POST /agents", "Harbour"],
    ]);
  });

  it("records a limited number of failed sign-ins of a user, and none for an unknown address", async () => {
    const { email } = await createOwner(server);
    const browser = await signedInBrowser(server, email);
    const stranger = createBrowser(server, { ip: "203.0.113.9" });
    const failures = async () => {
      const { entries } = (await browser.call("GET", "/audit-log?limit=200")).body;
      return entries.filter(({ action }: Entry) => action === "sign-in-failed");
    };
    await stranger.signIn(email, "a wrong password");
    await stranger.signIn("nobody-here@example.com", "a wrong password");
    await expect.poll(failures).toMatchObject([{ targetName: email, ip: "203.0.113.9" }]);
    const audit = createAuditLog(server.deps);
    for (let i = 0; i < 30; i++) await audit.recordFailedSignIn(email, "203.0.113.9");
    expect(await failures()).toHaveLength(21);
  });

  it("is visible only to owners of the organization", async () => {
    const owner = await createOwner(server);
    const admin = await createMember(server, owner.organizationId, "admin");
    expect((await (await signedInBrowser(server, admin.email)).call("GET", "/audit-log")).status).toBe(403);
    const actors = async (email: string) =>
      (await (await signedInBrowser(server, email)).call("GET", "/audit-log")).body.entries.map(
        ({ actor }: Entry) => actor.name,
      );
    expect(await actors(owner.email)).toEqual([owner.email, admin.email]);
    const stranger = await createOwner(server);
    expect(await actors(stranger.email)).toEqual([stranger.email]);
  });

  it("records every one of many concurrent calls", async () => {
    const browser = await signedInBrowser(server, (await createOwner(server)).email);
    const created = await Promise.all(
      Array.from({ length: 40 }, (_, i) => browser.call("POST", "/agents", { name: `Agent ${i}` })),
    );
    const { body } = await browser.call("GET", "/audit-log?limit=1000");
    const ids = body.entries.flatMap((entry: Entry) => (entry.action === "POST /agents" ? [entry.resourceId] : []));
    expect(ids.toSorted()).toEqual(created.map((answer) => answer.body.data.id).toSorted());
    expect(body.pagination).toEqual({ total: 41, limit: 200, offset: 0 });
  });

  it("refuses an offset that exceeds the database's integers", async () => {
    const browser = await signedInBrowser(server, (await createOwner(server)).email);
    const statusOf = async (offset: string) => (await browser.call("GET", `/audit-log?offset=${offset}`)).status;
    for (const offset of ["1e300", "9223372036854775808", "2147483648", "-1"]) expect(await statusOf(offset)).toBe(400);
    expect(await statusOf("2147483647")).toBe(200);
  });
});
