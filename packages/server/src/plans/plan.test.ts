import { afterAll, beforeAll, expect, it } from "vitest";
import { onBothDatabases, type TestDatabase } from "../../../../test/databases.ts";
import { createAgent } from "../../../../test/factories.ts";
import { startServer, type TestServer } from "../../../../test/server.ts";
import { createOwner, signedInBrowser } from "../../../../test/session-client.ts";
import { firstIdAt } from "../ids.ts";
import { toMonth } from "./routes.ts";
import { createUsageStore } from "./usage-store.ts";

const nothing = {
  tools: 0,
  documents: 0,
  chatBytesToday: 0,
  submissionBytesToday: 0,
  tokensThisMonth: 0,
  costThisMonth: 0,
  monthlyCostBudget: null,
  conversationsThisMonth: 0,
  submissionsThisMonth: 0,
};

onBothDatabases("the plan endpoint", (createDatabase) => {
  let database: TestDatabase;
  let server: TestServer;
  beforeAll(async () => {
    database = await createDatabase();
    server = await startServer({ database, env: { FOYER_LIMIT_API_FREE: "50" } });
  });
  afterAll(async () => {
    await server.stop();
    await database.drop();
  });

  it("returns the limits and usage of the caller's organization", async () => {
    const [free, pro] = [await server.createAccount("free"), await server.createAccount("pro")];
    const { data } = (await free.call("POST", "/agents", { name: "Harbour", monthlyTokenBudget: 5_000 })).body;
    const inputSchema = { type: "object" };
    const tool = { agentId: data.id, name: "hours", description: "d", executionType: "mock", inputSchema };
    await free.call("POST", "/tools", tool);
    expect((await free.call("GET", "/plan")).body).toEqual({
      planId: "free",
      limits: {
        requestsPerMinute: 50,
        toolsPerAgent: 3,
        operatorTokensPerMonth: 1_000_000,
        agents: 10,
        documentsPerAgent: 20,
        documentBytes: 500_000_000,
        documentBytesPerDay: 200_000_000,
        chatBytesPerAgentPerDay: 500_000_000,
        submissionBytesPerAgentPerDay: 500_000_000,
      },
      usage: {
        requestsThisMinute: expect.any(Number),
        operatorTokensThisMonth: 0,
        documentBytes: 0,
        documentBytesToday: 0,
        agents: [{ id: data.id, name: "Harbour", ...nothing, tools: 1, monthlyTokenBudget: 5_000 }],
      },
    });
    // The test servers have no limit for this plan.
    expect((await pro.call("GET", "/plan")).body).toMatchObject({
      planId: "pro",
      limits: { requestsPerMinute: null, toolsPerAgent: null, operatorTokensPerMonth: null },
      usage: { requestsThisMinute: 0, operatorTokensThisMonth: 0, agents: [] },
    });
  });

  it("counts the calls of this minute, excluding reads with a session", async () => {
    const { email, organizationId } = await createOwner(server);
    const { db } = server.deps;
    await db.updateTable("organizations").set({ plan: "free" }).where("id", "=", organizationId).execute();
    const browser = await signedInBrowser(server, email);
    const { key } = (await browser.call("POST", "/api-keys", { name: "k" })).body;
    const headers = { authorization: `Bearer ${key}` };
    const used = async () => (await browser.call("GET", "/plan")).body.usage.requestsThisMinute;
    const call = async () => (await server.app.inject({ url: "/agents", headers })).headers["x-ratelimit-reset"];
    for (;;) {
      const first = await call();
      const before = await used();
      await call();
      const counts = [await used(), await used()];
      // Retries the calls when the minute ended between them.
      if ((await call()) !== first) continue;
      expect(counts).toEqual([before + 1, before + 1]);
      expect(before).toBeGreaterThan(0);
      break;
    }
  });

  it("adds up a month in UTC", async () => {
    const account = await server.createAccount();
    const { db } = server.deps;
    const create = (name: string) => createAgent(account, { name });
    const [agentId, idle] = [await create("Busy"), await create("Idle")];
    const march = toMonth(Date.parse("2026-03-31T23:59:59.999Z"));
    expect([march.month, march.firstDay]).toEqual(["2026-03", "2026-03-01"]);
    const { organizationId } = account;
    const begun = (at: string) => ({
      id: firstIdAt("conv", Date.parse(at)),
      organizationId,
      agentId,
      title: "t",
      messageCount: 0,
      sessionId: null,
      userId: null,
      userEmail: null,
      userName: null,
      userMetadata: null,
      isUserVerified: 0 as const,
      createdAt: Date.parse(at),
      updatedAt: Date.parse(at),
    });
    const instants = ["2026-02-28T23:59:59.999Z", "2026-03-01T00:00:00.000Z", "2026-03-31T23:00:00.000Z"];
    await db.insertInto("conversations").values(instants.map(begun)).execute();
    const tokens = ["2026-02", "2026-03"].map((month) => ({ agentId, month, tokens: 700, cost: 0.25 }));
    await db.insertInto("agentMonths").values(tokens).execute();
    const counts = { agentId, impressions: 9, started: 9, submitted: 2, successful: 9, failed: 9 };
    const days = ["2026-02-28", "2026-03-01", "2026-03-31"].map((day) => ({ toolId: "tool_1", day, ...counts }));
    await db
      .insertInto("formDays")
      .values([...days, { ...counts, toolId: "tool_2", day: "2026-03-02" }])
      .execute();
    await db
      .insertInto("byteDays")
      .values(["2026-03-30", "2026-03-31"].map((day) => ({ organizationId, subject: agentId, day, bytes: 700 })))
      .execute();
    await db.insertInto("submissionDays").values({ agentId, day: "2026-03-31", bytes: 90 }).execute();
    expect(await createUsageStore(server.deps)(organizationId, { ...march, today: "2026-03-31" })).toEqual([
      {
        id: agentId,
        name: "Busy",
        ...nothing,
        chatBytesToday: 700,
        submissionBytesToday: 90,
        monthlyTokenBudget: null,
        tokensThisMonth: 700,
        costThisMonth: 0.25,
        conversationsThisMonth: 2,
        submissionsThisMonth: 6,
      },
      { id: idle, name: "Idle", ...nothing, monthlyTokenBudget: null },
    ]);
  });
});
