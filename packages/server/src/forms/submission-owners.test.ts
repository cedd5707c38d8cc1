import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { onBothDatabases, type TestDatabase } from "../../../../test/databases.ts";
import { createFormClient, type FormClient, openForms } from "../../../../test/form-client.ts";
import { newId } from "../ids.ts";

onBothDatabases("submissions of another organization", (createDatabase) => {
  let database: TestDatabase;
  let forms: FormClient;
  beforeAll(async () => {
    database = await createDatabase();
    forms = await openForms({ database, env: { FOYER_WEBHOOK_SCHEDULE: "0s,50ms" } });
  });
  beforeEach(() => forms.reset());
  afterAll(async () => {
    await forms.stop();
    await database.drop();
  });

  const formSchema = { fields: [{ name: "cv", label: "CV", type: "file" }] };
  const cv = "data:a/b;base64,QUJD";

  it("get the same responses as unknown ids", async () => {
    const stranger = await forms.server.createAccount();
    const form = await forms.createForm({ formSchema, formWebhookUrl: `${forms.receiver.url}/lead` });
    const { submissionId } = (await forms.submit(form.id, { cv })).body;
    const own = [
      ["GET", `/form-submissions/${submissionId}`, `/form-submissions/${newId("sub")}`],
      ["DELETE", `/form-submissions/${submissionId}`, `/form-submissions/${newId("sub")}`],
      ["POST", `/form-submissions/${submissionId}/retry`, `/form-submissions/${newId("sub")}/retry`],
      ["GET", `/form-submissions/${submissionId}/files/cv`, `/form-submissions/${newId("sub")}/files/cv`],
      [
        "GET",
        `/form-submissions/analytics?agentId=${forms.agentId}`,
        `/form-submissions/analytics?agentId=${newId("agent")}`,
      ],
      ["GET", `/form-submissions?agentId=${forms.agentId}`, `/form-submissions?agentId=${newId("agent")}`],
      ["GET", `/form-submissions?toolId=${form.id}`, `/form-submissions?toolId=${newId("tool")}`],
      ["GET", `/form-submissions?format=csv&toolId=${form.id}`, `/form-submissions?format=csv&toolId=${newId("tool")}`],
      ["GET", `/tools/${form.id}/webhook-secret`, `/tools/${newId("tool")}/webhook-secret`],
      ["POST", `/tools/${form.id}/webhook-secret/rotate`, `/tools/${newId("tool")}/webhook-secret/rotate`],
    ] as const;
    const before = await forms.account.call("GET", `/tools/${form.id}/webhook-secret`);
    for (const [method, url, unknown] of own) {
      const answer = await stranger.call(method, url);
      expect(answer.status, url).toBe(404);
      expect(answer, url).toEqual(await stranger.call(method, unknown));
      expect(answer, url).toEqual(await forms.account.call(method, unknown));
    }
    for (const query of ["", "?conversationId=conv_x", "?status=webhook_success"]) {
      const { body } = await stranger.call("GET", `/form-submissions${query}`);
      expect(body, query).toEqual({ submissions: [], pagination: { total: 0, limit: 20, offset: 0 } });
    }
    const { headers } = stranger;
    const csv = await forms.server.app.inject({ url: "/form-submissions?format=csv", headers });
    expect(csv.body).not.toContain("sub_");

    // The rejected requests changed nothing, and the owner can still read everything.
    expect(await forms.account.call("GET", `/tools/${form.id}/webhook-secret`)).toEqual(before);
    expect((await forms.detail(submissionId)).deliveries[0]?.attempts).toHaveLength(1);
    for (const [method, url] of own.filter(([, url]) => !/(\/cv|\/rotate|format=csv.*)$/.test(url))) {
      if (method === "GET") expect((await forms.account.call(method, url)).status, url).toBe(200);
    }
  });

  it("cannot be read without a key", async () => {
    for (const [method, url] of [
      ["GET", "/form-submissions"],
      ["GET", `/form-submissions/${newId("sub")}`],
      ["GET", "/form-submissions/analytics?agentId=x"],
      ["DELETE", `/form-submissions/${newId("sub")}`],
      ["POST", `/form-submissions/${newId("sub")}/retry`],
      ["GET", `/form-submissions/${newId("sub")}/files/cv`],
    ] as const) {
      expect((await forms.server.app.inject({ method, url })).statusCode, url).toBe(401);
    }
  });

  it("are deleted with their agent, and pending deliveries are not sent", async () => {
    const doomed = await createFormClient(forms.server, forms.account);
    const form = await doomed.createForm({ formSchema, formWebhookUrl: `${forms.receiver.url}/doomed` });
    const other = await forms.createForm({ formWebhookUrl: `${forms.receiver.url}/other` });
    await forms.account.call("POST", `/tools/${form.id}/webhook-secret/rotate`);
    await forms.db
      .insertInto("failureNotices")
      .values({ toolId: form.id, agentId: doomed.agentId, sentAt: 1 })
      .execute();
    const { submissionId } = (await doomed.submit(form.id, { cv }, { fieldsCompleted: ["cv"] })).body;
    forms.receiver.answer((_, response) => void response.writeHead(500).end());
    const waiting = (await doomed.submit(form.id, { cv })).body.submissionId;
    const countRows = async () => {
      const { db } = forms;
      const count = async (query: { execute(): Promise<unknown[]> }) => (await query.execute()).length;
      const selectOfAgent = (
        table: "submissions" | "formInstances" | "formDays" | "formFieldDays" | "webhookSecrets",
      ) => count(db.selectFrom(table).select("toolId").where("agentId", "=", doomed.agentId));
      const selectOfSubmissions = (table: "submissionFiles" | "deliveries") =>
        count(db.selectFrom(table).select("submissionId").where("submissionId", "in", [submissionId, waiting]));
      return {
        submissions: await selectOfAgent("submissions"),
        formInstances: await selectOfAgent("formInstances"),
        formDays: await selectOfAgent("formDays"),
        formFieldDays: await selectOfAgent("formFieldDays"),
        webhookSecrets: await selectOfAgent("webhookSecrets"),
        failureNotices: await count(
          db.selectFrom("failureNotices").select("toolId").where("agentId", "=", doomed.agentId),
        ),
        submissionFiles: await selectOfSubmissions("submissionFiles"),
        deliveries: await selectOfSubmissions("deliveries"),
        deliveryAttempts: await count(
          db.selectFrom("deliveryAttempts").select("number").where("deliveryId", "in", deliveryIds),
        ),
      };
    };
    const ofBoth = forms.db.selectFrom("deliveries").select("id").where("submissionId", "in", [submissionId, waiting]);
    const deliveryIds = (await ofBoth.execute()).map(({ id }) => id);
    expect(Object.entries(await countRows()).filter(([, count]) => count === 0)).toEqual([]);

    const after = (await forms.submit(other.id)).body.submissionId;
    expect((await forms.account.call("DELETE", `/agents/${doomed.agentId}`)).status).toBe(200);
    const countReceived = () => forms.receiver.received.filter(({ path }) => path === "/doomed").length;
    const before = countReceived();
    expect([...new Set(Object.values(await countRows()))]).toEqual([0]);
    // The delivery was due later than the other retry, so that retry has run by then.
    await expect.poll(async () => (await forms.detail(after)).deliveries[0]?.attempts.length).toBe(2);
    expect(countReceived()).toBe(before);
    for (const id of [submissionId, waiting]) {
      expect((await forms.account.call("GET", `/form-submissions/${id}`)).status).toBe(404);
      expect((await forms.visit("client-result", { submissionId: id, success: true })).status).toBe(404);
    }
    expect((await forms.submit(form.id, { cv })).status).toBe(404);
  });
});
