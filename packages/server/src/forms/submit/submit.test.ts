import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { onBothDatabases, type TestDatabase } from "../../../../../test/databases.ts";
import { type FormClient, openForms } from "../../../../../test/form-client.ts";

const fields = [
  { name: "name", label: "Name", type: "text", validation: { required: { value: true, message: "Who are you?" } } },
  { name: "email", label: "Email", type: "email" },
  { name: "cv", label: "CV", type: "file" },
];

onBothDatabases("submitting a form", (createDatabase) => {
  let database: TestDatabase;
  let forms: FormClient;
  let receiver: FormClient["receiver"];
  let account: FormClient["account"];

  beforeAll(async () => {
    database = await createDatabase();
    forms = await openForms({ database, env: { FOYER_SUBMIT_WAIT: "1s", FOYER_WEBHOOK_TIMEOUT: "30s" } });
    ({ receiver, account } = forms);
  });
  beforeEach(() => {
    forms.reset();
    receiver.answer((_, response) => response.end("thanks"));
  });
  afterAll(async () => {
    await forms.stop();
    await database.drop();
  });

  const createForm = (more: object = {}) => forms.createForm({ formSchema: { fields }, ...more });
  const submit = (toolId: string, formData: object, more: object = {}) => forms.submit(toolId, formData, more);

  it("delivers the data and reports the result", async () => {
    const form = await createForm({ formWebhookUrl: `${receiver.url}/lead` });
    const { status, body } = await submit(form.id, { name: "Ada", extra: 1 }, { conversationId: "conv_x" });
    expect([status, body]).toEqual([
      200,
      {
        success: true,
        submissionId: expect.stringMatching(/^sub_/),
        executionMode: "webhook",
        webhookResult: { success: true, state: "delivered", error: null },
        postActionResults: [],
        clientHandler: null,
        ignoredFields: ["extra"],
      },
    ]);
    expect(receiver.bodies("/lead")).toEqual([
      {
        submissionId: body.submissionId,
        toolId: form.id,
        toolName: form.name,
        conversationId: "conv_x",
        formData: { name: "Ada" },
        submittedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    ]);
    const detail = await account.call("GET", `/form-submissions/${body.submissionId}`);
    expect(detail.body).toMatchObject({
      status: "webhook_success",
      deliveries: [{ state: "delivered", attempts: [{ number: 1, status: 200, error: null, response: "thanks" }] }],
    });
  });

  it("delivers a file as submitted and keeps it for download", async () => {
    const form = await createForm({ formWebhookUrl: `${receiver.url}/lead` });
    const bytes = Buffer.alloc(1_000_000, "foyer");
    const cv = `data:application/pdf;name=a.pdf;base64,${bytes.toString("base64")}`;
    const { body } = await submit(form.id, { name: "Ada", cv });
    expect(body).toMatchObject({ success: true, webhookResult: { success: true } });
    expect(receiver.bodies("/lead")[0].formData).toEqual({ name: "Ada", cv });
    const { headers } = account;
    const url = `/form-submissions/${body.submissionId}/files/cv`;
    const file = await forms.server.app.inject({ method: "GET", url, headers });
    expect(file.headers).toMatchObject({ "content-type": "application/pdf", "x-content-type-options": "nosniff" });
    expect(file.headers["content-disposition"]).toBe("attachment; filename*=UTF-8''cv");
    expect(file.rawPayload.equals(bytes)).toBe(true);
  });

  it("reports what is wrong with each field", async () => {
    const form = await createForm();
    const { status, body } = await submit(form.id, { email: "nobody" });
    expect([status, body.error.code]).toEqual([400, "VALIDATION_ERROR"]);
    expect(body.error.details).toEqual([
      { path: "formData.name", code: "required", message: "Who are you?" },
      { path: "formData.email", code: "format", message: expect.stringContaining("email") },
    ]);
  });

  it("responds before a slow receiver does and delivers in the background", async () => {
    const formPostActions = [{ type: "webhook", url: `${receiver.url}/after` }];
    const form = await createForm({ formWebhookUrl: `${receiver.url}/slow`, formPostActions });
    const held = Promise.withResolvers<() => void>();
    const heldAction = Promise.withResolvers<() => void>();
    receiver.answer(({ path }, response) => (path === "/slow" ? held : heldAction).resolve(() => response.end()));
    const { body } = await submit(form.id, { name: "Ada" });
    expect(body.webhookResult).toMatchObject({ success: false, state: "pending", error: "Delivery in progress" });
    expect(body.postActionResults).toEqual([{ type: "webhook", success: false, state: "pending" }]);
    const readStatus = async () => (await account.call("GET", `/form-submissions/${body.submissionId}`)).body.status;
    expect(await readStatus()).toBe("pending");
    (await held.promise)();
    await expect.poll(() => receiver.bodies("/after").length).toBe(1);
    (await heldAction.promise)();
    await expect.poll(readStatus).toBe("success");
  });
});
