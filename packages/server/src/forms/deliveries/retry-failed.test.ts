import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { onBothDatabases, type TestDatabase } from "../../../../../test/databases.ts";
import { createFormClient, type FormClient, openForms } from "../../../../../test/form-client.ts";
import { startServer, type TestServer } from "../../../../../test/server.ts";

onBothDatabases("retrying all failed deliveries", (createDatabase) => {
  let database: TestDatabase;
  let forms: FormClient;
  let second: TestServer;
  const env = { FOYER_WEBHOOK_SCHEDULE: "0s", FOYER_WEBHOOK_TIMEOUT: "5s" };
  beforeAll(async () => {
    database = await createDatabase();
    forms = await openForms({ database, env });
    // On PostgreSQL, a second process uses the same database.
    second = database.address.kind === "postgres" ? await startServer({ database, env }) : forms.server;
  });
  beforeEach(() => forms.reset());
  afterAll(async () => {
    if (second !== forms.server) await second.stop();
    await forms.stop();
    await database.drop();
  });

  const retry = async (body: object, { app } = forms.server, { headers } = forms.account) => {
    const response = await app.inject({ method: "POST", url: "/form-submissions/retry", headers, payload: body });
    return { status: response.statusCode, body: response.json() };
  };
  const rejectDeliveries = () => forms.receiver.answer((_, response) => void response.writeHead(500).end());
  const acceptDeliveries = () => forms.receiver.answer((_, response) => response.end("ok"));
  const createHookUrl = (path: string) => `${forms.receiver.url}/${path}`;
  const submitTimes = async (toolId: string, times: number): Promise<string[]> => {
    const answers = await Promise.all(Array.from({ length: times }, () => forms.submit(toolId)));
    return answers.map(({ body }) => body.submissionId);
  };
  /**
   * Waits until this many submissions of the form have failed. If the machine is busy or 16 other deliveries are being
   * sent, the server responds to a submission before its first attempt, which could then receive the receiver's next
   * response.
   */
  const waitForFailures = (toolId: string, count: number) =>
    expect.poll(async () => (await forms.analyticsOf(toolId)).failed).toBe(count);
  const listReceivedIds = (path: string) => forms.receiver.bodies(`/${path}`).map((body) => String(body.submissionId));

  it("sends them once, to the form's current address, and returns the number of submissions", async () => {
    rejectDeliveries();
    const form = await forms.createForm({ formWebhookUrl: createHookUrl("wrong") });
    const ids = await submitTimes(form.id, 5);
    await waitForFailures(form.id, 5);
    forms.reset();
    await forms.account.call("PUT", `/tools/${form.id}`, { formWebhookUrl: createHookUrl("right") });
    expect(await retry({ toolId: form.id })).toEqual({ status: 200, body: { retried: 5 } });
    expect((await retry({ toolId: form.id })).body).toEqual({ retried: 0 });
    for (const id of ids) expect((await forms.reaches(id, "webhook_success")).deliveries[0]?.attempts).toHaveLength(2);
    expect(listReceivedIds("right").sort()).toEqual(ids.sort());
    expect(listReceivedIds("wrong")).toEqual([]);
    expect(await forms.analyticsOf(form.id)).toMatchObject({ submitted: 5, successful: 5, failed: 0 });
    expect((await retry({ toolId: form.id })).body).toEqual({ retried: 0 });
  });

  it("sends only failed parts, not pending or completed ones", async () => {
    forms.receiver.answer((request, response) => {
      if (request.path === "/action") response.writeHead(500);
      response.end();
    });
    const formPostActions = [{ type: "webhook", url: createHookUrl("action") }];
    const form = await forms.createForm({ formWebhookUrl: createHookUrl("main"), formPostActions });
    const [id = ""] = await submitTimes(form.id, 1);
    await forms.reaches(id, "failed");
    forms.reset();
    expect((await retry({ toolId: form.id, statuses: ["webhook_failed", "success"] })).body).toEqual({ retried: 0 });
    expect((await retry({ toolId: form.id, statuses: ["failed"] })).body).toEqual({ retried: 1 });
    await forms.reaches(id, "success");
    expect([listReceivedIds("main"), listReceivedIds("action")]).toEqual([[], [id]]);
  });

  it("includes failed parts of a submission whose page has not reported a result", async () => {
    rejectDeliveries();
    const formPostActions = [{ type: "webhook", url: createHookUrl("action") }];
    const form = await forms.createForm({ formExecutionMode: "client", formPostActions });
    const [id = ""] = await submitTimes(form.id, 1);
    const readState = async () => (await forms.detail(id)).deliveries[0]?.state;
    await expect.poll(readState).toBe("failed");
    expect((await forms.detail(id)).status).toBe("submitted");
    forms.reset();
    expect((await retry({ toolId: form.id })).body).toEqual({ retried: 1 });
    await expect.poll(readState).toBe("delivered");
    expect(listReceivedIds("action")).toEqual([id]);
  });

  it("can be limited to an agent, a form or a status, and never affects another organization", async () => {
    rejectDeliveries();
    const other = await createFormClient(forms.server, forms.account);
    const [mine, theirs] = [await forms.createForm({ formWebhookUrl: createHookUrl("a") }), await other.createForm()];
    await forms.account.call("PUT", `/tools/${theirs.id}`, { formWebhookUrl: createHookUrl("b") });
    const [a = ""] = await submitTimes(mine.id, 1);
    const b: string = (await other.submit(theirs.id)).body.submissionId;
    await forms.reaches(a, "webhook_failed");
    await forms.reaches(b, "webhook_failed");
    acceptDeliveries();
    const stranger = await forms.server.createAccount();
    expect((await retry({}, forms.server, stranger)).body).toEqual({ retried: 0 });
    expect((await retry({ toolId: mine.id }, forms.server, stranger)).status).toBe(404);
    expect((await retry({ agentId: other.agentId }, forms.server, stranger)).status).toBe(404);
    expect((await retry({ agentId: other.agentId, toolId: mine.id })).body).toEqual({ retried: 0 });
    expect((await forms.detail(a)).status).toBe("webhook_failed");
    expect((await retry({ agentId: other.agentId })).body).toEqual({ retried: 1 });
    await forms.reaches(b, "webhook_success");
    expect((await forms.detail(a)).status).toBe("webhook_failed");
    expect((await retry({ agentId: null, statuses: null })).body).toEqual({ retried: 1 });
    await forms.reaches(a, "webhook_success");
  });

  it("sends each delivery once when several processes do it concurrently", async () => {
    rejectDeliveries();
    const form = await forms.createForm({ formWebhookUrl: createHookUrl("crowd") });
    // Enough submissions for several batches.
    const submitted = await submitTimes(form.id, 20);
    await waitForFailures(form.id, 20);
    const ids = [...submitted, ...(await createCopies(form.id, 140))];
    forms.reset();
    const answers = await Promise.all([
      retry({ toolId: form.id }),
      retry({ toolId: form.id }, second),
      retry({ toolId: form.id }),
      retry({ toolId: form.id }, second),
    ]);
    expect(answers.reduce((sum, { body }) => sum + body.retried, 0)).toBe(160);
    const url = `/form-submissions?toolId=${form.id}&status=webhook_success&limit=1`;
    const countDelivered = async () => (await forms.account.call("GET", url)).body.pagination.total;
    await expect.poll(countDelivered).toBe(160);
    expect(listReceivedIds("crowd").sort()).toEqual(ids.sort());
  });

  /** Inserts copies of the form's first submission, with failed deliveries, directly into the database. */
  async function createCopies(toolId: string, count: number): Promise<string[]> {
    const { db } = forms;
    const first = await db.selectFrom("submissions").selectAll().where("toolId", "=", toolId).executeTakeFirstOrThrow();
    const [delivery] = await db.selectFrom("deliveries").selectAll().where("submissionId", "=", first.id).execute();
    if (!delivery) throw new Error("nothing to deliver");
    const ids = Array.from({ length: count }, (_, n) => `${first.id.slice(0, -3)}${String(n).padStart(3, "0")}`).filter(
      (id) => id !== first.id,
    );
    for (const id of ids) {
      await db
        .insertInto("submissions")
        .values({ ...first, id })
        .execute();
      await db
        .insertInto("deliveries")
        .values({ ...delivery, id: `delivery_${id.slice(4)}`, submissionId: id })
        .execute();
    }
    return ids;
  }
});
