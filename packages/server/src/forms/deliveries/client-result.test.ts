import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { onBothDatabases, type TestDatabase } from "../../../../../test/databases.ts";
import { type FormClient, openForms } from "../../../../../test/form-client.ts";
import { newId } from "../../ids.ts";

onBothDatabases("the result of the page's handler", (createDatabase) => {
  let database: TestDatabase;
  let forms: FormClient;
  beforeAll(async () => {
    database = await createDatabase();
    forms = await openForms({ database, env: { FOYER_WEBHOOK_SCHEDULE: "0s" } });
  });
  beforeEach(() => forms.reset());
  afterAll(async () => {
    await forms.stop();
    await database.drop();
  });

  const report = (submissionId: string, more: object) => forms.visit("client-result", { submissionId, ...more });
  async function createSubmission(more: object) {
    const form = await forms.createForm({ formClientHandler: "onLead", ...more });
    return { form, id: (await forms.submit(form.id)).body.submissionId as string };
  }
  const ok = { status: 200, body: { success: true } };

  it.each([
    [true, "client_success", { successful: 1, failed: 0 }],
    [false, "client_failed", { successful: 0, failed: 1 }],
  ])("with success %s gives the submission the status %s in client mode", async (success, status, counts) => {
    const { form, id } = await createSubmission({ formExecutionMode: "client" });
    expect(await forms.analyticsOf(form.id)).toMatchObject({ submitted: 1, successful: 1, failed: 0 });
    const result = { success, message: "Grüße", data: { order: [1, { a: null }] } };
    expect(await report(id, result)).toEqual(ok);
    expect(await forms.detail(id)).toMatchObject({ status, clientResult: result });
    expect(await forms.analyticsOf(form.id)).toMatchObject({ submitted: 1, ...counts });
  });

  it.each([
    ["ok", true, "success"],
    ["ok", false, "failed"],
    ["failed", true, "webhook_failed"],
    ["failed", false, "webhook_failed"],
  ])("is combined with the webhook in mode both: %s and %s give %s", async (webhook, success, status) => {
    forms.receiver.answer((_, response) => void response.writeHead(webhook === "ok" ? 200 : 500).end());
    const { id } = await createSubmission({ formExecutionMode: "both", formWebhookUrl: `${forms.receiver.url}/lead` });
    expect((await forms.detail(id)).status).toBe(webhook === "ok" ? "webhook_success" : "webhook_failed");
    expect(await report(id, { success })).toEqual(ok);
    expect(await forms.detail(id)).toMatchObject({ status, clientResult: { success, message: null, data: null } });
  });

  it("waits for the webhook when it arrives first", async () => {
    const held = Promise.withResolvers<void>();
    forms.receiver.answer((_, response) => void held.promise.then(() => response.end()));
    const form = await forms.createForm({ formExecutionMode: "both", formWebhookUrl: `${forms.receiver.url}/lead` });
    const answered = forms.submit(form.id);
    await forms.receiver.hasReceived(1);
    const { submissionId } = forms.receiver.bodies("/lead")[0];
    expect(await report(submissionId, { success: true })).toEqual(ok);
    expect((await forms.detail(submissionId)).status).toBe("pending");
    held.resolve();
    await answered;
    expect((await forms.detail(submissionId)).status).toBe("success");
  });

  it("is final: repeating it succeeds and a different one gets 409", async () => {
    const { id } = await createSubmission({ formExecutionMode: "client" });
    const result = { success: true, message: "Done", data: { a: 1, b: [2] } };
    expect(await report(id, result)).toEqual(ok);
    expect(await report(id, { data: { b: [2], a: 1 }, message: "Done", success: true })).toEqual(ok);
    const { updatedAt } = await forms.detail(id);
    for (const other of [
      { ...result, success: false },
      { ...result, message: "Other" },
      { ...result, data: { a: 1 } },
      { ...result, data: null },
      { success: true },
    ]) {
      const { status, body } = await report(id, other);
      expect([status, body.error.code], JSON.stringify(other)).toEqual([409, "CONFLICT"]);
    }
    expect(await forms.detail(id)).toMatchObject({ status: "client_success", clientResult: result, updatedAt });
  });

  it("is compared exactly, whatever numbers it contains", async () => {
    const { id } = await createSubmission({ formExecutionMode: "client" });
    const payload = `{"submissionId":"${id}","success":true,"data":{"below":-0,"huge":1e999}}`;
    const headers = { "content-type": "application/json" };
    for (let i = 0; i < 2; i++) {
      const url = "/form-submissions/client-result";
      const { statusCode } = await forms.server.app.inject({ method: "POST", url, payload, headers });
      expect(statusCode, `report ${i}`).toBe(200);
    }
  });

  it("is recorded once when several arrive concurrently", async () => {
    const { form, id } = await createSubmission({ formExecutionMode: "client" });
    const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => report(id, { success: i % 2 === 0 })));
    const { clientResult, status } = await forms.detail(id);
    expect(answers.map((answer) => answer.status)).toEqual(
      answers.map((_, i) => ((i % 2 === 0) === clientResult?.success ? 200 : 409)),
    );
    expect(status).toBe(clientResult?.success ? "client_success" : "client_failed");
    const { successful, failed } = await forms.analyticsOf(form.id);
    expect([successful, failed]).toEqual(clientResult?.success ? [1, 0] : [0, 1]);
  });

  it("is stored without changing the status in webhook mode", async () => {
    const { form, id } = await createSubmission({
      formExecutionMode: "webhook",
      formWebhookUrl: `${forms.receiver.url}/lead`,
    });
    expect(await report(id, { success: false, message: "No" })).toEqual(ok);
    expect((await report(id, { success: true })).status).toBe(409);
    const clientResult = { success: false, message: "No", data: null };
    expect(await forms.detail(id)).toMatchObject({ status: "webhook_success", clientResult });
    expect(await forms.analyticsOf(form.id)).toMatchObject({ successful: 1, failed: 0 });
  });

  it("gets 404 for an unknown submission", async () => {
    for (const id of [newId("sub"), newId("tool"), "sub_", "nobody", "sub_%00"]) {
      const { status, body } = await report(id, { success: true });
      expect([status, body], id).toEqual([
        404,
        { data: null, error: { code: "NOT_FOUND", message: expect.stringContaining("Submission") } },
      ]);
    }
  });
});
