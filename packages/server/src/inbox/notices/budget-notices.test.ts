import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { openChat } from "../../../../../test/chat-client.ts";
import { onBothDatabases, type TestDatabase } from "../../../../../test/databases.ts";
import { createAgent } from "../../../../../test/factories.ts";
import { startServer, type TestServer } from "../../../../../test/server.ts";
import { createMember, createOwner, signedInBrowser } from "../../../../../test/session-client.ts";
import { type SmtpTestServer, startSmtpServer } from "../../../../../test/smtp-server.ts";
import { chunk, eventStream, startUpstream, type Upstream } from "../../../../../test/upstream.ts";

const model = "openai-compatible/test";

onBothDatabases("emails about budgets", (createDatabase) => {
  let database: TestDatabase;
  let smtp: SmtpTestServer;
  let provider: Upstream;
  /** two processes with one database */
  let server: TestServer;
  let other: TestServer;
  let team: Awaited<ReturnType<typeof createTeam>>;
  beforeAll(async () => {
    database = await createDatabase();
    smtp = await startSmtpServer();
    provider = await startUpstream((exchange) => {
      const { send, end } = eventStream(exchange);
      send(chunk({ content: "Yes." }));
      // At the price below, a reply costs 0.10.
      send({ ...chunk({}, "stop"), usage: { prompt_tokens: 80, completion_tokens: 20 } });
      send("[DONE]");
      end();
    });
    const env = {
      SMTP_URL: smtp.url,
      OPENAI_COMPATIBLE_BASE_URL: `${provider.url}/v1`,
      FOYER_OUTBOUND_ALLOW: "127.0.0.1",
      FOYER_LIMIT_CHAT_PER_IP: "0",
      FOYER_LIMIT_RUNNING_PER_IP: "0",
      FOYER_LIMIT_SIGN_IN_PER_ADDRESS: "0",
    };
    server = await startServer({ database, env, listen: true });
    other = await startServer({ database, env, listen: true });
  });
  beforeEach(async () => {
    team = await createTeam();
  });
  afterAll(async () => {
    await server.stop();
    await other.stop();
    await smtp.close();
    await provider.stop();
    await database.drop();
  });

  /** An organization with an owner, an admin and a member, and with a price of 1,000 per million tokens. */
  async function createTeam() {
    const account = await createOwner(server);
    const { call } = await signedInBrowser(server, account.email);
    const admin = await createMember(server, account.organizationId, "admin");
    await createMember(server, account.organizationId, "member");
    await call("PUT", `/models/prices/${encodeURIComponent(model)}`, { input: 1_000, output: 1_000, currency: "EUR" });
    return { ...account, call, admins: [account.email, admin.email].sort() };
  }
  const createBudgeted = (budgets: object) => createAgent(team, { name: "Harbour", model, ...budgets });

  /** Says hello and reads the reply, of 100 tokens, to its end. */
  async function say(agentId: string, at = server): Promise<void> {
    const stream = await openChat(at.url, { agentId, messages: [{ role: "user", content: "Hello" }] });
    await stream.ended;
    expect(stream.events.at(-1)?.type).toBe("message_stop");
  }

  /** The emails about an agent, once every delivery of the organization has been sent. */
  async function listMails(agentId: string) {
    const open = server.deps.db
      .selectFrom("deliveries")
      .select("id")
      .where("organizationId", "=", team.organizationId)
      .where("state", "!=", "delivered");
    await expect.poll(() => open.execute()).toEqual([]);
    return smtp
      .mails()
      .filter(({ text }) => text.includes(agentId))
      .map(({ to: [address = ""], subject, text }) => ({ address, subject, text }))
      .toSorted((a, b) => (a.address < b.address ? -1 : 1));
  }

  it("reach owners and admins at 80 % of the token budget, once", async () => {
    const agentId = await createBudgeted({ monthlyTokenBudget: 500 });
    for (let replies = 0; replies < 3; replies++) await say(agentId);
    expect(await listMails(agentId)).toEqual([]);
    await say(agentId);
    await say(agentId);
    const mails = await listMails(agentId);
    expect(mails.map(({ address }) => address)).toEqual(team.admins);
    expect(mails[0]?.subject).toBe("Harbour has used 80% of its monthly token budget");
    expect(mails[0]?.text).toContain("400 tokens of 500 tokens in ");
    expect(mails[0]?.text).toContain(`/dashboard/agents/${agentId}`);
  });

  it("reach owners and admins at 80 % of the cost budget, in the organization's currency", async () => {
    const agentId = await createBudgeted({ monthlyCostBudget: 0.25 });
    await say(agentId);
    expect(await listMails(agentId)).toEqual([]);
    await say(agentId);
    await say(agentId);
    const mails = await listMails(agentId);
    expect(mails.map(({ address }) => address)).toEqual(team.admins);
    expect(mails[0]?.subject).toBe("Harbour has used 80% of its monthly cost budget");
    expect(mails[0]?.text).toContain("€0.20 of €0.25 in ");
  });

  it("are sent for each of the two budgets", async () => {
    const agentId = await createBudgeted({ monthlyTokenBudget: 100, monthlyCostBudget: 0.1 });
    await say(agentId);
    const mails = await listMails(agentId);
    expect(mails.map(({ address }) => address)).toEqual([...team.admins, ...team.admins].sort());
    expect(mails[0]?.text).toContain("The budget is used up, so visitors get the agent's message for that case");
  });

  it("are sent once when replies of two processes end at the same time", async () => {
    const agentId = await createBudgeted({ monthlyTokenBudget: 2_000 });
    await Promise.all(Array.from({ length: 24 }, (_, index) => say(agentId, index % 2 ? other : server)));
    expect((await listMails(agentId)).map(({ address }) => address)).toEqual(team.admins);
  });

  it("are sent with the next reply after the budget was lowered below what is used", async () => {
    const agentId = await createBudgeted({ monthlyTokenBudget: 10_000 });
    await say(agentId);
    expect(await listMails(agentId)).toEqual([]);
    await team.call("PATCH", `/agents/${agentId}`, { monthlyTokenBudget: 150 });
    await say(agentId);
    expect((await listMails(agentId)).map(({ address }) => address)).toEqual(team.admins);
  });

  it("are not sent again in a month in which the budget was raised", async () => {
    const agentId = await createBudgeted({ monthlyTokenBudget: 100 });
    await say(agentId);
    await team.call("PATCH", `/agents/${agentId}`, { monthlyTokenBudget: 250 });
    await say(agentId);
    expect((await listMails(agentId)).map(({ address }) => address)).toEqual(team.admins);
  });

  it("are sent again in the next month", async () => {
    const agentId = await createBudgeted({ monthlyTokenBudget: 100 });
    await say(agentId);
    const months = server.deps.db.updateTable("agentMonths").where("agentId", "=", agentId);
    await months.set({ month: "2020-01" }).execute();
    await say(agentId);
    expect((await listMails(agentId)).length).toBe(4);
  });

  it("do not count replies of unknown cost", async () => {
    const agentId = await createBudgeted({ monthlyCostBudget: 0.01, model: "openai-compatible/unpriced" });
    await say(agentId);
    await say(agentId);
    expect(await listMails(agentId)).toEqual([]);
  });
});
