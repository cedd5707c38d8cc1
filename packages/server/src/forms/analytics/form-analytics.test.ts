import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { onBothDatabases, type TestDatabase } from "../../../../../test/databases.ts";
import { createFormClient, type FormClient, openForms } from "../../../../../test/form-client.ts";
import { startServer, type TestServer } from "../../../../../test/server.ts";
import { toUtcDay } from "../../utc-day.ts";
import { countStatus } from "./form-counters.ts";

const fields = ["name", "email", "phone"].map((name) => ({ name, label: name, type: "text" }));
const zeros = {
  impressions: 0,
  started: 0,
  submitted: 0,
  successful: 0,
  failed: 0,
  conversionRate: 0,
  completionRate: 0,
};

onBothDatabases("form analytics", (createDatabase) => {
  let database: TestDatabase;
  let forms: FormClient;
  /** On PostgreSQL, a second process uses the same database. */
  let second: TestServer | null = null;
  const env = { FOYER_WEBHOOK_SCHEDULE: "0s,10ms", FOYER_WEBHOOK_TIMEOUT: "1s" };
  beforeAll(async () => {
    database = await createDatabase();
    forms = await openForms({ database, env });
    if (database.address.kind === "postgres") second = await startServer({ database, env });
  });
  beforeEach(() => forms.reset());
  afterAll(async () => {
    await second?.stop();
    await forms.stop();
    await database.drop();
  });

  const sendEvent = (toolId: string, eventType: string, formInstanceId: string, fieldName?: string) =>
    forms.visit("event", { toolId, eventType, formInstanceId, ...(fieldName ? { fieldName } : {}) });

  it("reports zeros for a form without visitors, and nothing for other tools of the agent", async () => {
    const client = await createFormClient(forms.server, forms.account);
    const form = await client.createForm({ formSchema: { fields } });
    const mock = { name: "hours", description: "d", executionType: "mock", inputSchema: { type: "object" } };
    await forms.account.call("POST", "/tools", { agentId: client.agentId, ...mock });
    const { body } = await forms.account.call("GET", `/form-submissions/analytics?agentId=${client.agentId}`);
    const fieldCompletionRates = { name: 0, email: 0, phone: 0 };
    expect(body).toEqual({ analytics: [{ toolId: form.id, toolName: form.name, ...zeros, fieldCompletionRates }] });
  });

  it("counts each impression once, a start as an impression, and a submission as both", async () => {
    const form = await forms.createForm({ formSchema: { fields }, formWebhookUrl: `${forms.receiver.url}/x` });
    const readCounts = async () => {
      const { impressions, started, submitted } = await forms.analyticsOf(form.id);
      return [impressions, started, submitted];
    };
    for (let i = 0; i < 3; i++)
      expect(await sendEvent(form.id, "impression", "a")).toEqual({ status: 200, body: { success: true } });
    expect(await readCounts()).toEqual([1, 0, 0]);
    await sendEvent(form.id, "started", "a");
    await sendEvent(form.id, "started", "b");
    await sendEvent(form.id, "impression", "b");
    expect(await readCounts()).toEqual([2, 2, 0]);
    await sendEvent(form.id, "field_completed", "c", "name");
    expect(await readCounts()).toEqual([3, 3, 0]);
    await forms.submit(form.id, { name: "Ada" }, { formInstanceId: "a" });
    expect(await readCounts()).toEqual([3, 3, 1]);
    await forms.submit(form.id, { name: "Ada" }, { formInstanceId: "a" });
    await forms.submit(form.id, { name: "Ada" }, { formInstanceId: "new" });
    expect(await readCounts()).toEqual([4, 4, 3]);
    await forms.submit(form.id, { name: "Ada" });
    expect(await readCounts()).toEqual([5, 5, 4]);
  });

  it("returns unrounded rates", async () => {
    const form = await forms.createForm({ formSchema: { fields }, formWebhookUrl: `${forms.receiver.url}/x` });
    for (const id of ["a", "b", "c", "d", "e", "f", "g"]) await sendEvent(form.id, "impression", id);
    for (const id of ["a", "b", "c"]) await sendEvent(form.id, "started", id);
    await sendEvent(form.id, "field_completed", "a", "name");
    await sendEvent(form.id, "field_completed", "a", "name");
    await sendEvent(form.id, "field_completed", "b", "name");
    await sendEvent(form.id, "field_completed", "b", "nobodys");
    await forms.submit(
      form.id,
      { name: "Ada", email: "" },
      { formInstanceId: "a", fieldsCompleted: ["name", "email", "x"] },
    );
    expect(await forms.analyticsOf(form.id)).toEqual({
      toolId: form.id,
      toolName: form.name,
      impressions: 7,
      started: 3,
      submitted: 1,
      successful: 1,
      failed: 0,
      conversionRate: (1 / 7) * 100,
      completionRate: (1 / 3) * 100,
      fieldCompletionRates: { name: (2 / 3) * 100, email: (1 / 3) * 100, phone: 0 },
    });
  });

  it("returns the newest 366 days on request, oldest first", async () => {
    const client = await createFormClient(forms.server, forms.account);
    const form = await client.createForm({ formSchema: { fields } });
    const unseen = await client.createForm({ formSchema: { fields } });
    const { agentId } = client;
    const daysAgo = (days: number) => toUtcDay(Date.UTC(2026, 0, 31) - days * 86_400_000);
    const counts = { impressions: 4, started: 3, submitted: 2, successful: 1, failed: 1 };
    const rows = Array.from({ length: 400 }, (_, n) => ({ toolId: form.id, agentId, day: daysAgo(n), ...counts }));
    await forms.server.deps.db.insertInto("formDays").values(rows).execute();
    const read = async (query: string) => {
      const url = `/form-submissions/analytics?agentId=${agentId}&${query}`;
      const { status, body } = await forms.account.call("GET", url);
      expect(status, JSON.stringify(body)).toBe(200);
      return body.analytics.find(({ toolId }: { toolId: string }) => toolId === form.id);
    };
    expect(await read("from=2026-01-30&groupBy=day")).toMatchObject({
      submitted: 4,
      days: [
        { date: "2026-01-30", ...counts },
        { date: "2026-01-31", ...counts },
      ],
    });
    const { days, submitted } = await read("groupBy=day");
    expect([submitted, days.length, days[0].date, days.at(-1).date]).toEqual([800, 366, daysAgo(365), "2026-01-31"]);
    expect(await read("")).not.toHaveProperty("days");
    const { body } = await forms.account.call("GET", `/form-submissions/analytics?agentId=${agentId}&groupBy=day`);
    expect(body.analytics.find(({ toolId }: { toolId: string }) => toolId === unseen.id).days).toEqual([]);
    const wrong = await forms.account.call("GET", `/form-submissions/analytics?agentId=${agentId}&groupBy=week`);
    expect(wrong.status).toBe(400);
    const stranger = await forms.server.createAccount();
    const foreign = await stranger.call("GET", `/form-submissions/analytics?agentId=${agentId}&groupBy=day`);
    expect(foreign.status).toBe(404);
  });

  it("counts successes and failures by the current status", async () => {
    const form = await forms.createForm({ formExecutionMode: "client" });
    const [a, b, c] = [await forms.submit(form.id), await forms.submit(form.id), await forms.submit(form.id)];
    const readCounts = async () => {
      const { submitted, successful, failed } = await forms.analyticsOf(form.id);
      return [submitted, successful, failed];
    };
    expect(await readCounts()).toEqual([3, 3, 0]);
    await forms.visit("client-result", { submissionId: a?.body.submissionId, success: false });
    await forms.visit("client-result", { submissionId: b?.body.submissionId, success: true });
    expect(await readCounts()).toEqual([3, 2, 1]);
    await forms.account.call("DELETE", `/form-submissions/${a?.body.submissionId}`);
    await forms.account.call("DELETE", `/form-submissions/${c?.body.submissionId}`);
    expect(await readCounts()).toEqual([1, 1, 0]);
  });

  describe("limited to a range of days", () => {
    let toolId: string;
    beforeAll(async () => {
      const { agentId } = forms;
      ({ id: toolId } = await forms.createForm({ formSchema: { fields } }));
      for (const [index, day] of ["2026-01-01", "2026-01-02", "2026-01-03"].entries()) {
        const impressions = 10 ** index;
        const counts = { impressions, started: impressions, submitted: 0, successful: 0, failed: 0 };
        await forms.db
          .insertInto("formDays")
          .values({ toolId, agentId, day, ...counts })
          .execute();
        const field = { toolId, agentId, day, field: "name", completed: impressions };
        await forms.db.insertInto("formFieldDays").values(field).execute();
      }
    });
    it.each([
      ["", 111],
      ["&from=2026-01-02", 110],
      ["&to=2026-01-02", 11],
      ["&from=2026-01-02&to=2026-01-02", 10],
      ["&from=2026-01-03&to=2026-01-01", 0],
      ["&from=2026-01-02T00:00:00Z&to=2026-01-02T23:59:59.999Z", 10],
      ["&from=2026-01-02T23:30:00-02:00", 100],
      ["&to=2026-01-03T01:00:00%2B05:30", 11],
    ])("with %s counts %d impressions", async (query, impressions) => {
      const entry = await forms.analyticsOf(toolId, query);
      const name = impressions === 0 ? 0 : 100;
      expect(entry).toMatchObject({ impressions, started: impressions, fieldCompletionRates: { name } });
    });
  });

  it.each(["", "?agentId=", "?agentId=x&from=yesterday", "?agentId=x&to=2026-02-32", "?agentId=x&agentId=y"])(
    "refuses the query %j with 400",
    async (query) => {
      expect((await forms.account.call("GET", `/form-submissions/analytics${query}`)).status).toBe(400);
    },
  );

  it.each([
    { eventType: "impression" },
    { eventType: "other", formInstanceId: "i" },
    { eventType: "impression", formInstanceId: "" },
    { eventType: "impression", formInstanceId: "x".repeat(101) },
    { eventType: "field_completed", formInstanceId: "i", fieldName: 1 },
  ])("refuses the event %j with 400 and does not count it", async (bad) => {
    const form = await forms.createForm();
    expect((await forms.visit("event", { toolId: form.id, ...bad })).status).toBe(400);
    expect(await forms.analyticsOf(form.id)).toMatchObject({ impressions: 0 });
  });

  it("equals a recount of the rows after concurrent changes", async () => {
    const formWebhookUrl = `${forms.receiver.url}/x`;
    const formSchema = { fields };
    const tools = [
      await forms.createForm({ formSchema, formWebhookUrl }),
      await forms.createForm({ formSchema, formWebhookUrl, formExecutionMode: "both" }),
      await forms.createForm({
        formSchema,
        formExecutionMode: "client",
        formPostActions: [{ type: "webhook", url: formWebhookUrl }],
      }),
    ];
    const servers = [forms.server.app, (second ?? forms.server).app];
    const submitted: string[] = [];
    let calls = 0;
    forms.receiver.answer((_, response) => void response.writeHead(++calls % 3 === 0 ? 500 : 200).end());

    const small = (max: number) => fc.nat({ max });
    const operation = fc.record({
      what: fc.constantFrom(
        "impression",
        "started",
        "field_completed",
        "submit",
        "submit",
        "report",
        "retry",
        "delete",
      ),
      tool: small(2),
      server: small(1),
      instance: small(12),
      field: small(2),
      which: small(20),
      success: fc.boolean(),
    });
    async function run({ what, tool, server, instance, field, which, success }: Record<string, unknown>) {
      const app = servers[server as number];
      const toolId = tools[tool as number]?.id;
      const formInstanceId = `instance ${instance}`;
      const fieldName = fields[field as number]?.name;
      const submissionId = submitted[which as number] ?? submitted[0] ?? "sub_none";
      const visit = async (path: string, payload: object) =>
        app?.inject({ method: "POST", url: `/form-submissions/${path}`, payload });
      const manage = async (method: "POST" | "DELETE", path: string) =>
        app?.inject({ method, url: `/form-submissions/${path}`, headers: forms.account.headers });
      if (what === "submit") {
        const body = { toolId, formData: {}, fieldsCompleted: [fieldName], ...(success ? { formInstanceId } : {}) };
        const answer = await visit("submit", body);
        submitted.unshift(answer?.json().submissionId);
        return answer;
      }
      if (what === "report") return visit("client-result", { submissionId, success });
      if (what === "retry") return manage("POST", `${submissionId}/retry`);
      if (what === "delete") return manage("DELETE", submissionId);
      return visit("event", { toolId, formInstanceId, eventType: what, fieldName });
    }

    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 60, maxLength: 60, size: "max" }), async (operations) => {
        for (let from = 0; from < operations.length; from += 20) {
          const answers = await Promise.all(operations.slice(from, from + 20).map(run));
          for (const answer of answers) expect([200, 404, 409], answer?.body).toContain(answer?.statusCode);
        }
      }),
      { numRuns: 4 },
    );
    const listPending = () => forms.db.selectFrom("deliveries").select("id").where("state", "=", "pending").execute();
    await expect.poll(listPending).toEqual([]);
    const ids = tools.map(({ id }) => id);
    expect(await readCounts(ids)).toEqual(await recount(ids));
  });

  type Counts = Record<string, number>;

  /** Returns the counters without zeros. */
  async function readCounts(toolIds: string[]) {
    const counts: Counts = {};
    const days = await forms.db.selectFrom("formDays").selectAll().where("toolId", "in", toolIds).execute();
    for (const { toolId, day, agentId: _, ...row } of days) {
      for (const [name, count] of Object.entries(row)) if (count !== 0) counts[`${toolId} ${day} ${name}`] = count;
    }
    const perField = await forms.db.selectFrom("formFieldDays").selectAll().where("toolId", "in", toolIds).execute();
    for (const { toolId, day, field, completed } of perField) counts[`${toolId} ${day} field ${field}`] = completed;
    return counts;
  }

  async function recount(toolIds: string[]) {
    const counts: Counts = {};
    const add = (key: string, more = 1) => {
      if (more > 0) counts[key] = (counts[key] ?? 0) + more;
    };
    const rows = await forms.db.selectFrom("submissions").selectAll().where("toolId", "in", toolIds).execute();
    for (const { toolId, createdAt, status } of rows) {
      const { successful, failed } = countStatus(status);
      const key = `${toolId} ${toUtcDay(createdAt)}`;
      add(`${key} submitted`);
      add(`${key} successful`, successful);
      add(`${key} failed`, failed);
    }
    const instances = await forms.db.selectFrom("formInstances").selectAll().where("toolId", "in", toolIds).execute();
    for (const { toolId, day, isStarted, fields } of instances) {
      add(`${toolId} ${day} impressions`);
      add(`${toolId} ${day} started`, isStarted);
      for (const field of JSON.parse(fields)) add(`${toolId} ${day} field ${field}`);
    }
    expect(rows.length).toBeGreaterThan(10);
    expect(instances.length).toBeGreaterThan(10);
    return counts;
  }
});
