import { afterAll, beforeAll, expect, it } from "vitest";
import { onBothDatabases, type TestDatabase } from "../../../../../test/databases.ts";
import { createFormClient, type FormClient, openForms } from "../../../../../test/form-client.ts";
import { type SmtpTestServer, startSmtpServer } from "../../../../../test/smtp-server.ts";

const createField = (name: string, type = "text") => ({ name, label: name, type });
const HOUR = 3_600_000;

onBothDatabases("form submissions", (createDatabase) => {
  let database: TestDatabase;
  let smtp: SmtpTestServer;
  let forms: FormClient;
  beforeAll(async () => {
    database = await createDatabase();
    smtp = await startSmtpServer();
    const env = {
      SMTP_URL: smtp.url,
      FOYER_WEBHOOK_SCHEDULE: "0s",
      FOYER_LIMIT_SUBMISSION_BYTES_PER_DAY: "200000",
      FOYER_LIMIT_CONFIRMATIONS_PER_ADDRESS: "2",
    };
    forms = await openForms({ database, env });
  });
  afterAll(async () => {
    await forms.stop();
    await smtp.close();
    await database.drop();
  });

  const openPage = (method: "GET" | "POST", url: string) => forms.server.app.inject({ method, url });
  const findToken = (text: string) => /confirm\?token=([\w-]+)/.exec(text)?.[1] ?? "";

  it("leave unknown fields out of webhooks, templates and emails", async () => {
    const ada = await forms.addMember("owner", "ada@harbour.example");
    const formPostActions = [
      { type: "webhook", url: `${forms.receiver.url}/crm`, payload: { role: "{{role}}" } },
      { type: "email", recipientIds: [ada] },
    ];
    const form = await forms.createForm({ formWebhookUrl: `${forms.receiver.url}/lead`, formPostActions });
    const { body } = await forms.submit(form.id, { name: "Ada", role: "admin", "a\nForm: other": "x" });
    expect(body.ignoredFields).toEqual(["role", "a\nForm: other"]);
    expect(forms.receiver.bodies("/lead")).toMatchObject([{ formData: { name: "Ada" } }]);
    expect(forms.receiver.bodies("/crm")).toEqual([{ role: "" }]);
    const mail = smtp.mails().at(-1);
    expect([mail?.to, mail?.text]).toEqual([["ada@harbour.example"], expect.stringContaining("Name: Ada")]);
    expect(mail?.text).not.toMatch(/admin|Form: other/);
  });

  it("are refused with 429 when an agent's forms have reached the daily storage limit", async () => {
    const other = await createFormClient(forms.server, forms.account);
    const form = await other.createForm();
    const text = "x".repeat(90_000);
    const answers = [];
    for (let i = 0; i < 3; i++) answers.push(await other.submit(form.id, { name: text }));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(answers[2]?.body.error.message).toContain("daily limit");
    expect((await other.submit(form.id, { name: "short" })).status).toBe(200);
  });

  it("are accepted for an hour after the form was disabled", async () => {
    const form = await forms.createForm();
    await forms.account.call("PUT", `/tools/${form.id}`, { isEnabled: false });
    expect((await forms.submit(form.id)).status).toBe(200);
    const disabledAt = Date.now() - HOUR - 1_000;
    await forms.db.updateTable("tools").set({ disabledAt }).where("id", "=", form.id).execute();
    expect(await forms.submit(form.id)).toMatchObject({ status: 404, body: { error: { code: "NOT_FOUND" } } });
    await forms.account.call("PUT", `/tools/${form.id}`, { isEnabled: true });
    expect((await forms.submit(form.id)).status).toBe(200);
  });

  it("accept a page's result only from origins that the agent allows", async () => {
    const form = await forms.createForm({ formExecutionMode: "client", formClientHandler: "save" });
    const { body } = await forms.submit(form.id);
    const allowedOrigins = ["https://shop.example"];
    await forms.account.call("PATCH", `/agents/${forms.agentId}`, { allowedOrigins });
    const report = { submissionId: body.submissionId, success: false };
    expect((await forms.visit("client-result", report, { origin: "https://evil.example" })).status).toBe(403);
    expect((await forms.visit("client-result", report, { origin: "https://shop.example" })).status).toBe(200);
    await forms.account.call("PATCH", `/agents/${forms.agentId}`, { allowedOrigins: [] });
  });

  it("find the oldest form of a name whose agent allows the page's origin, whatever others create", async () => {
    const strangerAccount = await forms.server.createAccount();
    const stranger = await createFormClient(forms.server, strangerAccount);
    const own = await forms.createForm({ name: "contact_form" });
    const getForm = (origin?: string, query = "") =>
      forms.server.app.inject({
        url: `/triggers/form/contact_form${query}`,
        headers: origin === undefined ? {} : { origin },
      });
    expect((await getForm()).json().toolId).toBe(own.id);
    const theirs = await stranger.createForm({ name: "contact_form" });
    expect((await getForm()).json().toolId).toBe(own.id);
    expect((await getForm("https://shop.example")).json().toolId).toBe(own.id);
    expect((await getForm(undefined, `?agentId=${stranger.agentId}`)).json().toolId).toBe(theirs.id);
    await forms.account.call("PATCH", `/agents/${forms.agentId}`, { allowedOrigins: ["https://shop.example"] });
    expect((await getForm("https://shop.example")).json().toolId).toBe(own.id);
    expect((await getForm("https://other.example")).json().toolId).toBe(theirs.id);
    await strangerAccount.call("PATCH", `/agents/${stranger.agentId}`, { allowedOrigins: ["https://shop.example"] });
    expect((await getForm("https://shop.example")).json().toolId).toBe(own.id);
    expect((await getForm("https://other.example")).statusCode).toBe(404);
    await forms.account.call("PATCH", `/agents/${forms.agentId}`, { allowedOrigins: [] });
  });

  it("are emailed to an external address after its owner has confirmed it with the button on the page", async () => {
    const action = { type: "email", to: ["Leads@Shop.example"] };
    const refused = await forms.account.call("POST", "/tools", {
      agentId: forms.agentId,
      name: "unknown_recipient",
      description: "d",
      executionType: "form",
      inputSchema: { type: "object" },
      formSchema: { fields: [createField("name")] },
      formPostActions: [action],
    });
    expect([refused.status, refused.body.error.details[0].path]).toEqual([400, "formPostActions.0.to.0"]);
    const added = await forms.account.call("POST", "/mail-recipients", { address: " Leads@Shop.example" });
    expect([added.status, added.body]).toMatchObject([201, { address: "leads@shop.example", confirmedAt: null }]);
    const form = await forms.createForm({ formPostActions: [action] });
    const read = () => forms.account.call("GET", `/tools/${form.id}`);
    expect((await read()).body.warnings).toEqual([
      { path: "formPostActions.0.to.0", message: expect.stringContaining("not been confirmed") },
    ]);
    const before = await forms.submit(form.id);
    expect((await forms.detail(before.body.submissionId)).failingActions).toEqual([
      { type: "email", state: "failed", error: "No recipient" },
    ]);

    const mail = smtp.mails().at(-1);
    expect(mail?.to).toEqual(["leads@shop.example"]);
    const url = `/mail-recipients/confirm?token=${findToken(mail?.text ?? "")}`;
    expect((await openPage("GET", url)).body).toContain("leads@shop.example");
    expect((await forms.account.call("GET", "/mail-recipients")).body).toMatchObject([{ confirmedAt: null }]);
    expect((await openPage("POST", `${url}x`)).statusCode).toBe(404);
    expect((await openPage("POST", url)).statusCode).toBe(200);
    expect((await read()).body.warnings).toEqual([]);
    const after = await forms.submit(form.id, { name: "Ada" });
    expect(after.body.postActionResults).toMatchObject([{ type: "email", success: true }]);
    expect(smtp.mails().at(-1)).toMatchObject({
      to: ["leads@shop.example"],
      text: expect.stringContaining("Name: Ada"),
    });
    const stranger = await forms.server.createAccount();
    expect((await stranger.call("GET", "/mail-recipients")).body).toEqual([]);
    expect((await stranger.call("DELETE", `/mail-recipients/${added.body.id}`)).status).toBe(404);
  });

  it("are confirmed to the visitor by email, a few times a day per address, without the visitor's links", async () => {
    const formConfirmation = { emailField: "email", subject: "Thanks, {{name}}", message: "We got it, {{name}}." };
    const formSchema = { fields: [createField("email", "email"), createField("name")] };
    const form = await forms.createForm({ formSchema, formConfirmation });
    const listConfirmations = () => smtp.mails().filter(({ to }) => to.join() === "visitor@example.com");
    for (let i = 0; i < 3; i++) {
      const { status } = await forms.submit(form.id, {
        email: "Visitor@example.com",
        name: "win at https://evil.example/x\nor www.evil.example",
      });
      expect(status).toBe(200);
    }
    expect(listConfirmations()).toHaveLength(2);
    expect(listConfirmations()[0]?.text).toContain("We got it, win at … or ….");
    expect(listConfirmations()[0]?.subject).not.toContain("evil");
    const wrong = await forms.account.call("PUT", `/tools/${form.id}`, {
      formConfirmation: { ...formConfirmation, emailField: "name" },
    });
    expect([wrong.status, wrong.body.error.details[0].path]).toEqual([400, "formConfirmation.emailField"]);
  });
});

onBothDatabases("email actions on a server without email", (createDatabase) => {
  it("warn when saved, and fail at the first attempt with the reason", async () => {
    const database = await createDatabase();
    const forms = await openForms({ database });
    const ada = await forms.addMember("owner", "ada@example.com");
    const form = await forms.createForm({ formPostActions: [{ type: "email", recipientIds: [ada] }] });
    const { body: tool } = await forms.account.call("GET", `/tools/${form.id}`);
    expect(tool.warnings).toEqual([{ path: "formPostActions.0", message: expect.stringContaining("SMTP_URL") }]);
    const { body } = await forms.submit(form.id);
    expect(await forms.detail(body.submissionId)).toMatchObject({
      status: "failed",
      failingActions: [{ type: "email", state: "failed", error: "Email is not configured" }],
      deliveries: [{ state: "failed", attempts: [{ detail: expect.stringContaining("SMTP_URL") }] }],
    });
    expect((await forms.account.call("POST", "/mail-recipients", { address: "a@b.example" })).status).toBe(409);
    await forms.stop();
    await database.drop();
  });
});
