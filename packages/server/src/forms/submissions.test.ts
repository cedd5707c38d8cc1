import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { onBothDatabases, type TestDatabase } from "../../../../test/databases.ts";
import { createFormClient, type FormClient, openForms } from "../../../../test/form-client.ts";
import { newId } from "../ids.ts";

const notFound = (what: string) => ({
  data: null,
  error: { code: "NOT_FOUND", message: expect.stringContaining(what) },
});

onBothDatabases("submissions", (createDatabase) => {
  let database: TestDatabase;
  let forms: FormClient;
  let hook: string;
  beforeAll(async () => {
    database = await createDatabase();
    forms = await openForms({ database, env: { FOYER_WEBHOOK_SCHEDULE: "0s" } });
    hook = `${forms.receiver.url}/lead`;
  });
  beforeEach(() => forms.reset());
  afterAll(async () => {
    await forms.stop();
    await database.drop();
  });
  const manage: FormClient["account"]["call"] = (...args) => forms.account.call(...args);

  describe("are accepted", () => {
    const none = { success: true, state: "delivered", error: null, attempted: false };
    const done = { success: true, state: "delivered", error: null };
    it.each([
      ["webhook", true, { webhookResult: done, clientHandler: null }, "webhook_success"],
      ["webhook", false, { webhookResult: none, clientHandler: null }, "submitted"],
      ["client", true, { webhookResult: none, clientHandler: "onLead" }, "submitted"],
      ["client", false, { webhookResult: none, clientHandler: "onLead" }, "submitted"],
      ["both", true, { webhookResult: done, clientHandler: "onLead" }, "webhook_success"],
      ["both", false, { webhookResult: none, clientHandler: "onLead" }, "submitted"],
    ])("in mode %s with webhook %s", async (formExecutionMode, hasUrl, answer, status) => {
      const url = hasUrl ? { formWebhookUrl: hook } : {};
      const form = await forms.createForm({ formExecutionMode, formClientHandler: "onLead", ...url });
      const { status: code, body } = await forms.submit(form.id);
      const submissionId = expect.stringMatching(/^sub_[0-9a-z]{26}$/);
      expect([code, body]).toEqual([
        200,
        { success: true, submissionId, executionMode: formExecutionMode, postActionResults: [], ...answer },
      ]);
      expect(forms.receiver.bodies("/lead")).toHaveLength(answer.webhookResult === done ? 1 : 0);
      expect(await forms.detail(body.submissionId)).toMatchObject({ status, executionMode: formExecutionMode });
    });

    it("with all data, and null for everything that was not sent", async () => {
      const form = await forms.createForm({ formWebhookUrl: hook });
      const sent = {
        conversationId: "conv_elsewhere",
        impressionAt: 1_700_000_000_000.5,
        startedAt: 1_700_000_001_000,
      };
      const formData = { name: "Ådå" };
      const first = await forms.submit(form.id, { ...formData, extra: { deep: [1, null] } }, sent);
      const second = await forms.submit(form.id, {});
      const known = { agentId: forms.agentId, toolId: form.id, toolName: form.name, clientResult: null };
      expect(await forms.detail(first.body.submissionId)).toEqual({
        id: first.body.submissionId,
        ...known,
        ...sent,
        formData,
        changedByVisitor: [],
        identity: "anonymous",
        userId: null,
        visitor: null,
        fieldsCompleted: ["name"],
        failingActions: [],
        status: "webhook_success",
        executionMode: "webhook",
        createdAt: expect.stringMatching(/Z$/),
        updatedAt: expect.stringMatching(/Z$/),
        deliveries: [
          {
            id: expect.any(String),
            purpose: "webhook",
            type: "webhook",
            target: hook,
            state: "delivered",
            nextAttemptAt: null,
            attempts: [
              {
                number: 1,
                startedAt: expect.stringMatching(/Z$/),
                durationMs: expect.any(Number),
                status: 200,
                error: null,
                detail: null,
                response: "ok",
                redirect: null,
              },
            ],
          },
        ],
      });
      const nothing = { conversationId: null, impressionAt: null, startedAt: null, formData: {}, fieldsCompleted: [] };
      expect(await forms.detail(second.body.submissionId)).toMatchObject(nothing);
      expect(forms.receiver.bodies("/lead")[1]).toMatchObject({ conversationId: null, formData: {} });
    });

    it("from a form that was disabled in the meantime, but not from a deleted one", async () => {
      const form = await forms.createForm({ formWebhookUrl: hook });
      await manage("PUT", `/tools/${form.id}`, { isEnabled: false });
      expect((await forms.submit(form.id)).body.webhookResult).toMatchObject(done);
      await manage("DELETE", `/tools/${form.id}`);
      const gone = await forms.submit(form.id);
      expect([gone.status, gone.body]).toEqual([404, notFound("Form")]);
    });

    it("only for forms, not for other tools or unknown ids", async () => {
      const { agentId } = forms;
      const mock = { agentId, name: "hours", description: "d", executionType: "mock", inputSchema: { type: "object" } };
      const { body } = await manage("POST", "/tools", mock);
      for (const id of [body.id, newId("tool"), "contact", "tool_", `${body.id}x`]) {
        const { status, body } = await forms.submit(id);
        expect([status, body], id).toEqual([404, notFound("Form")]);
      }
    });

    it("from the origins that the agent allows", async () => {
      const other = await createFormClient(forms.server, forms.account);
      const form = await other.createForm();
      await manage("PATCH", `/agents/${other.agentId}`, { allowedOrigins: ["https://shop.example"] });
      const submitFrom = async (origin?: string) => {
        const headers = origin === undefined ? {} : { origin };
        const event = { toolId: form.id, eventType: "impression", formInstanceId: "i" };
        const { status } = await forms.visit("event", event, headers);
        expect((await forms.submit(form.id, {}, {}, headers)).status).toBe(status);
        return status;
      };
      expect(await submitFrom("https://shop.example")).toBe(200);
      expect(await submitFrom()).toBe(200);
      expect(await submitFrom("http://localhost:3000")).toBe(200);
      expect(await submitFrom("https://evil.example")).toBe(403);
      expect(await submitFrom("null")).toBe(403);
    });

    it("from any origin, with CORS headers for the response", async () => {
      const form = await forms.createForm();
      const headers = { origin: "https://shop.example" };
      const payload = { toolId: form.id, formData: {}, fieldsCompleted: [] };
      const response = await forms.server.app.inject({
        method: "POST",
        url: "/form-submissions/submit",
        headers,
        payload,
      });
      expect(response.headers["access-control-allow-origin"]).toBe("*");
    });

    it("only when valid, with an error message for each invalid field", async () => {
      const createRule = (value: unknown, message?: string) => ({ value, ...(message ? { message } : {}) });
      const fields = [
        { name: "name", label: "Name", type: "text", validation: { required: createRule(true, "Who are you?") } },
        { name: "email", label: "Email", type: "email" },
        { name: "age", label: "Age", type: "number", validation: { min: createRule(18, "Adults only") } },
        {
          name: "code",
          label: "Code",
          type: "text",
          validation: { pattern: createRule("^[A-Z]{3}$", "Three letters") },
        },
        { name: "bike", label: "Bike", type: "select", options: [{ label: "City", value: "city" }] },
      ];
      const form = await forms.createForm({ formSchema: { fields }, formWebhookUrl: hook });
      const { status, body } = await forms.submit(form.id, { email: "x", age: 7, code: "abcd", bike: "plane" });
      expect([status, body.error.code]).toEqual([400, "VALIDATION_ERROR"]);
      expect(body.error.details).toMatchObject([
        { path: "formData.name", code: "required", message: "Who are you?" },
        { path: "formData.email", code: "format", message: expect.stringContaining("email") },
        { path: "formData.age", code: "min", message: "Adults only" },
        { path: "formData.code", code: "pattern", message: "Three letters" },
        { path: "formData.bike", message: expect.stringContaining("options") },
      ]);
      expect(forms.receiver.received).toEqual([]);
      expect((await forms.submit(form.id, { name: "Ada", age: 18, code: "ABC", bike: "city" })).status).toBe(200);
    });

    it("up to 100 KiB without files, ignoring unknown fields", async () => {
      const form = await forms.createForm();
      const overhead = JSON.stringify({ name: "" }).length;
      expect((await forms.submit(form.id, { name: "ä".repeat((102_400 - overhead) / 2) })).status).toBe(200);
      const { status, body } = await forms.submit(form.id, { name: "ä".repeat(51_200) });
      expect([status, body.error.code]).toEqual([400, "FILE_TOO_LARGE"]);
      const other = await forms.submit(form.id, { name: "Ada", unknown: "x".repeat(200_000) });
      expect([other.status, other.body.ignoredFields]).toEqual([200, ["unknown"]]);
    });
  });

  describe("that failed", () => {
    const rejectDeliveries = () => forms.receiver.answer((_, response) => void response.writeHead(500).end("no"));
    const retry = (id: string) => manage("POST", `/form-submissions/${id}/retry`);

    it("are delivered to the form's current address", async () => {
      const form = await forms.createForm({ formWebhookUrl: `${forms.receiver.url}/wrong` });
      rejectDeliveries();
      const { body } = await forms.submit(form.id);
      expect(body.webhookResult).toMatchObject({ success: false, error: "HTTP 500" });
      expect(await forms.detail(body.submissionId)).toMatchObject({ status: "webhook_failed" });
      await manage("PUT", `/tools/${form.id}`, { formWebhookUrl: `${forms.receiver.url}/right` });
      forms.reset();
      const retried = await retry(body.submissionId);
      expect(retried).toMatchObject({
        status: 200,
        body: {
          status: "webhook_success",
          deliveries: [
            {
              state: "delivered",
              target: `${forms.receiver.url}/right`,
              attempts: [
                { number: 1, status: 500, error: "HTTP 500", response: "no" },
                { number: 2, status: 200, error: null },
              ],
            },
          ],
        },
      });
      expect(forms.receiver.bodies("/right")).toMatchObject([{ submissionId: body.submissionId }]);
      expect(forms.receiver.bodies("/wrong")).toEqual([]);
    });

    it("are delivered to their original address, with the same secret, after the form was deleted", async () => {
      const form = await forms.createForm({ formWebhookUrl: hook });
      rejectDeliveries();
      const { body } = await forms.submit(form.id);
      await manage("DELETE", `/tools/${form.id}`);
      forms.reset();
      expect((await retry(body.submissionId)).body.status).toBe("webhook_success");
      expect(forms.receiver.received[0]?.headers["webhook-signature"]).toMatch(/^v1,/);
    });

    it("get 409 when there is nothing to deliver", async () => {
      const form = await forms.createForm({ formExecutionMode: "client" });
      const { body } = await forms.submit(form.id);
      expect(await retry(body.submissionId)).toMatchObject({ status: 409, body: { error: { code: "CONFLICT" } } });
    });

    it("get 409 while they are being sent", async () => {
      const form = await forms.createForm({ formWebhookUrl: hook });
      rejectDeliveries();
      const { body } = await forms.submit(form.id);
      forms.reset();
      // Set the state of a delivery that another process is sending.
      const setLeased = (isLeased: 0 | 1) =>
        forms.db
          .updateTable("deliveries")
          .set({ state: "pending", isLeased, dueAt: Date.now() + 3_600_000 })
          .where("submissionId", "=", body.submissionId)
          .execute();
      await setLeased(1);
      expect(await retry(body.submissionId)).toMatchObject({
        status: 409,
        body: { error: { code: "CONFLICT", message: expect.stringContaining("being delivered right now") } },
      });
      expect(forms.receiver.received).toEqual([]);
      await setLeased(0);
      expect(await retry(body.submissionId)).toMatchObject({ status: 200, body: { status: "webhook_success" } });
    });

    it("repeat only what failed, or the webhook when everything succeeded", async () => {
      const formPostActions = ["/one", "/two"].map((path) => ({ type: "webhook", url: forms.receiver.url + path }));
      const form = await forms.createForm({ formWebhookUrl: hook, formPostActions });
      const listReceivedPaths = () => forms.receiver.received.map(({ path }) => path).sort();
      forms.receiver.answer(({ path }, response) => void response.writeHead(path === "/two" ? 500 : 200).end());
      const { body } = await forms.submit(form.id);
      expect(listReceivedPaths()).toEqual(["/lead", "/one", "/two"]);
      expect(await forms.detail(body.submissionId)).toMatchObject({ status: "failed" });
      forms.reset();
      expect((await retry(body.submissionId)).body.status).toBe("success");
      expect(listReceivedPaths()).toEqual(["/two"]);
      forms.reset();
      expect((await retry(body.submissionId)).body).toMatchObject({
        status: "success",
        deliveries: [{ attempts: [{ number: 1 }, { number: 2 }] }, { attempts: [{}] }, { attempts: [{}, {}] }],
      });
      expect(listReceivedPaths()).toEqual(["/lead"]);
    });
  });

  it("store the first 16 KB of a response and the reason of a failure", async () => {
    const form = await forms.createForm({ formWebhookUrl: hook });
    forms.receiver.answer((_, response) => void response.writeHead(418).end(`a\0b${"ü".repeat(20_000)}`));
    const { body } = await forms.submit(form.id);
    const [attempt] = (await forms.detail(body.submissionId)).deliveries[0]?.attempts ?? [];
    expect(attempt).toMatchObject({ status: 418, error: "HTTP 418", detail: "The receiver responded with HTTP 418." });
    expect(attempt?.durationMs).toBeGreaterThanOrEqual(0);
    const response = attempt?.response ?? "";
    expect(response.startsWith("abüü")).toBe(true);
    expect(Buffer.from(response).length).toBeGreaterThan(16 * 1024 - 8);
    expect(Buffer.from(response).length).toBeLessThanOrEqual(16 * 1024 + 2);
  });

  describe("are listed", () => {
    let ids: Record<string, string>;
    let list: (query?: string) => Promise<{ submissions: { id: string }[]; pagination: object }>;
    let other: Awaited<ReturnType<typeof createFormClient>>;
    const readFormNames = (page: { submissions: { id: string }[] }) =>
      page.submissions.map(({ id }) => Object.entries(ids).find(([, known]) => known === id)?.[0]);
    let tools: Record<"hooked" | "client" | "elsewhere", string>;

    beforeAll(async () => {
      const account = await forms.server.createAccount();
      const client = await createFormClient(forms.server, account);
      other = await createFormClient(forms.server, account);
      forms.reset();
      const hooked = await client.createForm({ formWebhookUrl: hook });
      const page = await client.createForm({ formExecutionMode: "client" });
      const elsewhere = await other.createForm();
      tools = { hooked: hooked.id, client: page.id, elsewhere: elsewhere.id };
      ids = {};
      ids.delivered = (await client.submit(hooked.id)).body.submissionId;
      forms.receiver.answer((_, response) => void response.writeHead(500).end());
      ids.failed = (await client.submit(hooked.id)).body.submissionId;
      ids.page = (await client.submit(page.id, {}, { conversationId: "somewhere" })).body.submissionId;
      ids.elsewhere = (await other.submit(elsewhere.id)).body.submissionId;
      list = async (query = "") => (await account.call("GET", `/form-submissions${query}`)).body;
      tools = { ...tools, hooked: hooked.id };
      ids.agent = client.agentId;
      const createdAt = Date.parse("2026-03-01T10:00:00Z");
      await forms.db
        .updateTable("submissions")
        .set({ createdAt })
        .where("id", "=", ids.delivered ?? "")
        .execute();
    });

    it("newest first, with pagination and total", async () => {
      const page = await list();
      expect(readFormNames(page)).toEqual(["elsewhere", "page", "failed", "delivered"]);
      expect(page.pagination).toEqual({ total: 4, limit: 20, offset: 0 });
      expect(page.submissions[0]).not.toHaveProperty("deliveries");
      expect(page.submissions[2]).toMatchObject({ status: "webhook_failed", formData: { name: "Ada" } });
    });

    it.each([
      ["?limit=2", ["elsewhere", "page"], { total: 4, limit: 2, offset: 0 }],
      ["?limit=2&offset=3", ["delivered"], { total: 4, limit: 2, offset: 3 }],
      ["?offset=9", [], { total: 4, limit: 20, offset: 9 }],
      ["?limit=5000", ["elsewhere", "page", "failed", "delivered"], { total: 4, limit: 100, offset: 0 }],
      ["?status=webhook_failed", ["failed"], { total: 1, limit: 20, offset: 0 }],
      ["?status=submitted", ["elsewhere", "page"], { total: 2, limit: 20, offset: 0 }],
      ["?status=pending", [], { total: 0, limit: 20, offset: 0 }],
      [() => `?toolId=${tools.hooked}`, ["failed", "delivered"], { total: 2, limit: 20, offset: 0 }],
      [() => `?agentId=${other.agentId}`, ["elsewhere"], { total: 1, limit: 20, offset: 0 }],
      [
        () => `?agentId=${ids.agent}&status=submitted&toolId=${tools.client}`,
        ["page"],
        { total: 1, limit: 20, offset: 0 },
      ],
      [() => `?agentId=${ids.agent}&toolId=${tools.elsewhere}`, [], { total: 0, limit: 20, offset: 0 }],
      ["?conversationId=somewhere", ["page"], { total: 1, limit: 20, offset: 0 }],
      ["?from=2020-01-01&to=2020-12-31", [], { total: 0, limit: 20, offset: 0 }],
      ["?from=2026-03-01&to=2026-03-01", ["delivered"], { total: 1, limit: 20, offset: 0 }],
      ["?from=2026-03-01T10:00:00.001Z&to=2026-03-02", [], { total: 0, limit: 20, offset: 0 }],
      ["?to=2026-03-01T10:00:00Z", [], { total: 0, limit: 20, offset: 0 }],
      ["?to=2026-03-02&status=webhook_success", ["delivered"], { total: 1, limit: 20, offset: 0 }],
    ])("filtered by %s", async (query, expected, pagination) => {
      const page = await list(typeof query === "string" ? query : query());
      expect([readFormNames(page), page.pagination]).toEqual([expected, pagination]);
    });

    it.each([
      "limit=0",
      "limit=-1",
      "limit=x",
      "limit=1.5",
      "offset=-1",
      "status=done",
      "status=",
      "format=xml",
      "from=yesterday",
      "to=2026-02-30T00",
      "from=2026-02-31",
      "to=2026-04-31T10:00:00Z",
      "to=2026-01-01T25:00:00Z",
      "conversationId=",
      "agentId=",
    ])("never with the invalid filter %s", async (query) => {
      const { status, body } = await manage("GET", `/form-submissions?${query}`);
      expect([status, body.error.code]).toEqual([400, "VALIDATION_ERROR"]);
    });
  });

  it("are listed in pages of at most 4 MiB, and a page that was cut names the number of its submissions as its limit", async () => {
    const client = await createFormClient(forms.server, forms.account);
    const form = await client.createForm();
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) ids.unshift((await client.submit(form.id)).body.submissionId);
    const formData = JSON.stringify({ name: "x".repeat(2_000_000) });
    await forms.db.updateTable("submissions").set({ formData }).where("toolId", "=", form.id).execute();
    const page = async (query: string) => {
      const { body } = await manage("GET", `/form-submissions?toolId=${form.id}${query}`);
      return [body.submissions.map(({ id }: { id: string }) => id), body.pagination];
    };
    expect(await page("")).toEqual([ids.slice(0, 2), { total: 3, limit: 2, offset: 0 }]);
    expect(await page("&offset=2")).toEqual([ids.slice(2), { total: 3, limit: 20, offset: 2 }]);
  });

  it("are deleted with their files, deliveries and counts", async () => {
    const fields = [{ name: "cv", label: "CV", type: "file" }];
    const form = await forms.createForm({ formWebhookUrl: hook, formSchema: { fields } });
    const kept = await forms.submit(form.id);
    const { body } = await forms.submit(form.id, { cv: "data:a/b;base64,QUJD" });
    const id = body.submissionId;
    const countRows = async () => {
      const { db } = forms;
      const deliveries = await db.selectFrom("deliveries").select("id").where("submissionId", "=", id).execute();
      const found = [
        await db.selectFrom("submissions").select("id").where("id", "=", id).execute(),
        await db.selectFrom("submissionFiles").select("field").where("submissionId", "=", id).execute(),
        deliveries,
        await db.selectFrom("deliveryAttempts").select("number").execute(),
      ];
      return found.map(({ length }) => length);
    };
    const [, , , attempts = 0] = await countRows();
    expect((await countRows()).slice(0, 3)).toEqual([1, 1, 1]);
    expect(await forms.analyticsOf(form.id)).toMatchObject({ submitted: 2, successful: 2, failed: 0 });
    expect(await manage("DELETE", `/form-submissions/${id}`)).toEqual({ status: 200, body: { success: true } });
    expect(await countRows()).toEqual([0, 0, 0, attempts - 1]);
    expect(await forms.analyticsOf(form.id)).toMatchObject({ submitted: 1, successful: 1, failed: 0, impressions: 2 });
    for (const [method, path] of [
      ["DELETE", ""],
      ["GET", ""],
      ["POST", "/retry"],
      ["GET", "/files/cv"],
    ] as const) {
      expect((await manage(method, `/form-submissions/${id}${path}`)).status).toBe(404);
    }
    expect((await forms.detail(kept.body.submissionId)).id).toBe(kept.body.submissionId);
  });
});
