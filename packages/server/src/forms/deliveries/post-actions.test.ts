import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { onBothDatabases, type TestDatabase } from "../../../../../test/databases.ts";
import { type FormClient, openForms } from "../../../../../test/form-client.ts";
import { startServer } from "../../../../../test/server.ts";
import { type SmtpTestServer, startSmtpServer } from "../../../../../test/smtp-server.ts";

onBothDatabases("post actions", (createDatabase) => {
  let database: TestDatabase;
  let smtp: SmtpTestServer;
  let forms: FormClient;
  let at: (path: string) => string;
  let ada: string;
  let grace: string;
  beforeAll(async () => {
    database = await createDatabase();
    smtp = await startSmtpServer();
    forms = await openForms({ database, env: { SMTP_URL: smtp.url, FOYER_WEBHOOK_SCHEDULE: "0s" } });
    at = (path) => forms.receiver.url + path;
    ada = await forms.addMember("member", "ada@example.com");
    grace = await forms.addMember("admin", "grace@example.com");
  });
  beforeEach(() => {
    forms.reset();
    smtp.script({});
  });
  afterAll(async () => {
    await forms.stop();
    await smtp.close();
    await database.drop();
  });

  const createForm = (formPostActions: object[], more: object = {}) => forms.createForm({ formPostActions, ...more });
  const listReceivedPaths = () => forms.receiver.received.map(({ path }) => path);
  const readActions = async (id: string) =>
    (await forms.detail(id)).deliveries.filter(({ purpose }) => purpose === "action");
  const retry = (id: string) => forms.account.call("POST", `/form-submissions/${id}/retry`);

  it("of type webhook send the default body or the payload, with headers, to url or webhookUrl", async () => {
    const headers = {
      "X-Team": "harbour",
      Authorization: "Bearer abc",
      "Content-Type": "text/plain",
      "User-Agent": "Shop",
    };
    const form = await createForm([
      { type: "webhook", url: at("/plain"), headers },
      {
        type: "webhook",
        webhookUrl: at("/payload"),
        payload: { lead: { who: "{{name}}", from: "{{_toolName}}" }, n: 1 },
      },
    ]);
    const { body } = await forms.submit(form.id, { name: "Ada" });
    expect(body.postActionResults).toEqual([
      { type: "webhook", success: true, state: "delivered" },
      { type: "webhook", success: true, state: "delivered" },
    ]);
    expect(forms.receiver.bodies("/plain")).toEqual([
      {
        submissionId: body.submissionId,
        toolId: form.id,
        toolName: form.name,
        conversationId: null,
        formData: { name: "Ada" },
        submittedAt: expect.stringMatching(/Z$/),
      },
    ]);
    expect(forms.receiver.bodies("/payload")).toEqual([{ lead: { who: "Ada", from: form.name }, n: 1 }]);
    const plain = forms.receiver.received.find(({ path }) => path === "/plain");
    expect(plain?.headers).toMatchObject({
      "x-team": "harbour",
      authorization: "Bearer abc",
      "user-agent": "Shop",
      "content-type": "application/json",
      "webhook-id": `${body.submissionId}.100`,
    });
    const sent = plain?.rawHeaders.filter((_, i) => i % 2 === 0).map((name) => name.toLowerCase());
    expect(sent?.toSorted()).toEqual([...new Set(sent)].toSorted());
  });

  it("keep the type of an answer in a payload's text that is only its placeholder", async () => {
    const fields = [
      { name: "qty", label: "Quantity", type: "number" },
      { name: "ok", label: "OK", type: "checkbox" },
      { name: "tags", label: "Tags", type: "multiselect", options: [{ label: "A", value: "Red, dark" }] },
      { name: "note", label: "Note", type: "text" },
    ];
    const payload = { qty: "{{qty}}", ok: " {{ ok }} ", list: ["{{tags}}"], note: "{{note}}", line: "Q: {{qty}}" };
    const form = await createForm([{ type: "webhook", webhookUrl: at("/typed"), payload }], { formSchema: { fields } });
    await forms.submit(form.id, { qty: 5, ok: true, tags: ["Red, dark"] });
    expect(forms.receiver.bodies("/typed")).toEqual([
      { qty: 5, ok: true, list: [["Red, dark"]], note: "", line: "Q: 5" },
    ]);
  });

  it("of type email are answered to the visitor's address", async () => {
    const fields = [
      { name: "friend", label: "A friend", type: "text" },
      { name: "email", label: "Email", type: "email" },
    ];
    const form = await createForm([{ type: "email", recipientIds: [ada] }], { formSchema: { fields } });
    const before = smtp.mails().length;
    await forms.submit(form.id, { friend: "eve@example.com", email: "grace.h@example.org" });
    await forms.submit(form.id, { friend: "eve@example.com" });
    const replies = smtp
      .mails()
      .slice(before)
      .map(({ headers }) => headers["reply-to"]);
    expect(replies).toEqual(["grace.h@example.org", undefined]);
  });

  it("warn of placeholders in an address and of a header that has no effect", async () => {
    const form = await createForm(
      [{ type: "webhook", url: `${at("/a")}?n={{name}}`, headers: { "Content-Type": "text/xml" } }],
      { formWebhookUrl: `${at("/b")}?n={{name}}` },
    );
    const { body: tool } = await forms.account.call("GET", `/tools/${form.id}`);
    expect(tool.warnings.map(({ path }: { path: string }) => path)).toEqual([
      "formWebhookUrl",
      "formPostActions.0.url",
      "formPostActions.0.headers.Content-Type",
    ]);
  });

  it("cannot replace the signature headers", async () => {
    const headers = { "Webhook-Signature": "v1,forged", "WEBHOOK-ID": "other", "webhook-timestamp": "1" };
    const form = await createForm([{ type: "webhook", url: at("/a"), headers }]);
    const { body } = await forms.submit(form.id);
    const received = forms.receiver.received[0]?.headers;
    expect(received).toMatchObject({ "webhook-id": `${body.submissionId}.100` });
    expect(received?.["webhook-signature"]).not.toContain("forged");
    expect(Number(received?.["webhook-timestamp"])).toBeGreaterThan(1_700_000_000);
  });

  it("of type team_chat and slack send escaped text without a signature", async () => {
    const form = await createForm([
      { type: "team_chat", webhookUrl: at("/chat"), messageTemplate: "{{name}} & co by {{_toolName}}{{nobody}}" },
      { type: "slack", webhookUrl: at("/slack"), message: "New: {{name}}" },
    ]);
    const { body } = await forms.submit(form.id, { name: "<!channel>" });
    expect(body.postActionResults).toEqual([
      { type: "team_chat", success: true, state: "delivered" },
      { type: "slack", success: true, state: "delivered" },
    ]);
    expect(forms.receiver.bodies("/chat")).toEqual([{ text: `&lt;!channel&gt; & co by ${form.name}` }]);
    expect(forms.receiver.bodies("/slack")).toEqual([{ text: "New: &lt;!channel&gt;" }]);
    for (const { headers } of forms.receiver.received) expect(headers).not.toHaveProperty("webhook-signature");
  });

  it("of type email send each member the fields and a one-line subject", async () => {
    const fields = ["name", "text"].map((name) => ({ name, label: name, type: "textarea" }));
    const action = { type: "email", recipientIds: [ada, grace], subject: "Lead: {{name}}" };
    const form = await createForm([action], { formSchema: { fields } });
    const before = smtp.mails().length;
    const { body } = await forms.submit(form.id, { name: "Ådå\r\nBcc: evil@example.com", text: "Hello\n.\nWorld" });
    expect(body.postActionResults).toEqual([{ type: "email", success: true, state: "delivered" }]);
    const mails = smtp.mails().slice(before);
    expect(mails.map(({ to }) => to.join()).toSorted()).toEqual(["ada@example.com", "grace@example.com"]);
    for (const mail of mails) {
      expect(mail.subject).toBe("Lead: Ådå Bcc: evil@example.com");
      expect(mail.headers).not.toHaveProperty("bcc");
      expect(mail.text).toContain("text: Hello\n    .\n    World");
      expect(mail.text).toContain(`Submission: ${body.submissionId}`);
    }
    expect(await readActions(body.submissionId)).toMatchObject([
      { type: "email", target: ada, state: "delivered", attempts: [{ status: null, error: null }] },
      { type: "email", target: grace, state: "delivered" },
    ]);
  });

  it("of type email fail only for recipients who have left the organization", async () => {
    const leaver = await forms.addMember("member", "leaver@example.com");
    const form = await createForm([{ type: "email", recipientIds: [leaver, ada] }]);
    await forms.db.deleteFrom("members").where("userId", "=", leaver).execute();
    const before = smtp.mails().length;
    const { body } = await forms.submit(form.id);
    expect(body.postActionResults).toEqual([{ type: "email", success: false, state: "failed" }]);
    expect(
      smtp
        .mails()
        .slice(before)
        .map(({ to }) => to),
    ).toEqual([["ada@example.com"]]);
    expect(await forms.detail(body.submissionId)).toMatchObject({
      status: "failed",
      deliveries: [
        {
          state: "failed",
          attempts: [{ error: "No recipient", detail: expect.stringContaining("no longer a member") }],
        },
        { state: "delivered" },
      ],
    });
  });

  it("of type email show the mail server's response to members only", async () => {
    smtp.script({ recipient: "550 No such mailbox here" });
    const form = await createForm([{ type: "email", recipientIds: [ada] }]);
    const { body } = await forms.submit(form.id);
    expect(body.postActionResults).toEqual([{ type: "email", success: false, state: "failed" }]);
    expect(JSON.stringify(body)).not.toContain("mailbox");
    expect((await readActions(body.submissionId))[0]?.attempts).toMatchObject([
      { error: "Rejected by the mail server", detail: expect.stringContaining("550 No such mailbox here") },
    ]);
    smtp.script({});
    expect((await retry(body.submissionId)).body.status).toBe("success");
  });

  it("of type email fail when no mail server is configured", async () => {
    const server = await startServer({ database, env: { FOYER_WEBHOOK_SCHEDULE: "0s" } });
    const form = await createForm([{ type: "email", recipientIds: [ada] }]);
    const payload = { toolId: form.id, formData: {}, fieldsCompleted: [] };
    // Try again if the server responds with 503, because a machine under load may stall while a server starts.
    const answer = await vi.waitFor(async () => {
      const response = await server.app.inject({ method: "POST", url: "/form-submissions/submit", payload });
      expect(response.statusCode).toBe(200);
      return response;
    }, 30_000);
    expect(answer.json().postActionResults).toEqual([{ type: "email", success: false, state: "failed" }]);
    expect((await readActions(answer.json().submissionId))[0]?.attempts[0]?.detail).toContain("SMTP_URL");
    await server.stop();
  });

  it("of type email do not reach members of another organization", async () => {
    const { agentId, account } = forms;
    const stranger = await forms.server.createAccount();
    const strangersAgent = await stranger.call("POST", "/agents", { name: "Other" });
    const known = { name: "mail", description: "d", executionType: "form", inputSchema: { type: "object" } };
    const form = { ...known, formSchema: { fields: [{ name: "a", label: "A", type: "text" }] } };
    const formPostActions = [{ type: "email", recipientIds: [ada] }];
    const refused = await stranger.call("POST", "/tools", {
      agentId: strangersAgent.body.data.id,
      ...form,
      formPostActions,
    });
    expect([refused.status, refused.body.error.details[0].path]).toEqual([400, "formPostActions"]);
    expect((await account.call("POST", "/tools", { agentId, ...form, formPostActions })).status).toBe(201);
  });

  it.each([
    ["after the webhook", "/lead"],
    ["without a webhook", undefined],
  ])("run one after the other in the order shown, whatever their results: %s", async (_, webhook) => {
    const open = new Set<string>();
    const seen: string[] = [];
    forms.receiver.answer(({ path }, response) => {
      open.add(path);
      seen.push([...open].join(" "));
      setImmediate(() => {
        open.delete(path);
        response.writeHead(path === "/second" ? 500 : 200).end();
      });
    });
    const actions = [
      { type: "webhook", url: at("/first") },
      { type: "slack", webhookUrl: at("/second"), message: "a" },
      { type: "email", recipientIds: [ada] },
      { type: "team_chat", webhookUrl: at("/third"), message: "b" },
    ];
    const form = await createForm(actions, webhook ? { formWebhookUrl: at(webhook) } : {});
    const { body } = await forms.submit(form.id);
    expect(seen).toEqual([...(webhook ? [webhook] : []), "/first", "/second", "/third"]);
    expect(body.postActionResults).toEqual([
      { type: "webhook", success: true, state: "delivered" },
      { type: "slack", success: false, state: "failed" },
      { type: "email", success: true, state: "delivered" },
      { type: "team_chat", success: true, state: "delivered" },
    ]);
  });

  it.each([200, 500])(
    "wait for the webhook's first attempt, even when the receiver responds with %d",
    async (status) => {
      const answered = Promise.withResolvers<void>();
      forms.receiver.answer(({ path }, response) => {
        if (path === "/lead") answered.promise.then(() => response.writeHead(status).end());
        else response.end();
      });
      const form = await createForm([{ type: "webhook", url: at("/after") }], { formWebhookUrl: at("/lead") });
      const submitted = forms.submit(form.id);
      await forms.receiver.hasReceived(1);
      const { submissionId } = forms.receiver.bodies("/lead")[0];
      expect(await readActions(submissionId)).toMatchObject([{ state: "waiting", nextAttemptAt: null, attempts: [] }]);
      expect(listReceivedPaths()).toEqual(["/lead"]);
      answered.resolve();
      const { body } = await submitted;
      expect(listReceivedPaths()).toEqual(["/lead", "/after"]);
      expect(body.webhookResult.success).toBe(status === 200);
      expect(body.postActionResults).toEqual([{ type: "webhook", success: true, state: "delivered" }]);
      expect((await forms.detail(submissionId)).status).toBe(status === 200 ? "success" : "webhook_failed");
    },
  );

  it("start immediately when there is no webhook to wait for", async () => {
    const form = await createForm([{ type: "webhook", url: at("/only") }], {
      formExecutionMode: "client",
      formWebhookUrl: at("/never"),
      formClientHandler: "onLead",
    });
    const { body } = await forms.submit(form.id);
    expect(listReceivedPaths()).toEqual(["/only"]);
    expect((await forms.detail(body.submissionId)).status).toBe("submitted");
    await forms.visit("client-result", { submissionId: body.submissionId, success: true });
    expect((await forms.detail(body.submissionId)).status).toBe("success");
  });

  it("are not repeated after they succeed, and count their own attempts", async () => {
    forms.receiver.answer(({ path }, response) => void response.writeHead(path === "/done" ? 200 : 503).end());
    const form = await createForm(
      [
        { type: "webhook", url: at("/done") },
        { type: "webhook", url: at("/open") },
      ],
      { formWebhookUrl: at("/lead") },
    );
    const { body } = await forms.submit(form.id);
    const attempts = async () => (await forms.detail(body.submissionId)).deliveries.map((one) => one.attempts.length);
    expect(await attempts()).toEqual([1, 1, 1]);
    expect((await retry(body.submissionId)).body.status).toBe("webhook_failed");
    expect(await attempts()).toEqual([2, 1, 2]);
    forms.receiver.answer((_, response) => response.end());
    expect((await retry(body.submissionId)).body.status).toBe("success");
    expect(await attempts()).toEqual([3, 1, 3]);
    expect(listReceivedPaths().filter((path) => path === "/done")).toHaveLength(1);
  });
});
