import { afterAll, beforeAll, expect, it } from "vitest";
import { onBothDatabases, type TestDatabase } from "../../../../../test/databases.ts";
import { type FormClient, openForms } from "../../../../../test/form-client.ts";
import type { LeasedDelivery, Next } from "../../outbox/delivery-queue.ts";
import { createOutbox } from "../../outbox/outbox.ts";
import { createFormCounters } from "../analytics/form-counters.ts";
import { asSubmissionDelivery } from "../submission-delivery.ts";
import { type AttemptRecords, createAttemptRecords } from "./attempt-records.ts";

onBothDatabases("attempt records", (createDatabase) => {
  let database: TestDatabase;
  let forms: FormClient;
  let records: AttemptRecords;
  beforeAll(async () => {
    database = await createDatabase();
    // Submissions are due much later, so that only the tests send their deliveries.
    forms = await openForms({ database, env: { FOYER_WEBHOOK_SCHEDULE: "1h" } });
    await forms.addMember("owner", "owner@example.com");
    const { deps } = forms.server;
    const mailer = { ...deps.mailer, isConfigured: true };
    records = createAttemptRecords({ ...deps, mailer }, createOutbox(deps), {
      counters: createFormCounters(deps.db, deps.databaseKind === "postgres"),
      recordEvents: async () => {},
    });
  });
  afterAll(async () => {
    await forms.stop();
    await database.drop();
  });

  const url = "http://127.0.0.1:9/";
  async function createSubmission() {
    const form = await forms.createForm({ formWebhookUrl: url, formPostActions: [{ type: "webhook", url }] });
    const { submissionId } = (await forms.submit(form.id)).body;
    const rows = await forms.db.selectFrom("deliveries").selectAll().where("submissionId", "=", submissionId).execute();
    const delivery = rows.find(({ purpose }) => purpose === "webhook");
    if (!delivery) throw new Error("nothing to deliver");
    return { form, submissionId, delivery };
  }
  const failed = {
    status: 500,
    error: "HTTP 500",
    detail: "No.",
    response: "no",
    redirect: null,
    startedAt: 1_700_000_000_000,
    durationMs: 5,
  };
  const write = (delivery: LeasedDelivery, next: Next) =>
    records.write({ delivery: asSubmissionDelivery(delivery), attempt: failed, next });
  const listNotices = (id: string) =>
    forms.db
      .selectFrom("deliveries")
      .select("id")
      .where("submissionId", "=", id)
      .where("purpose", "=", "notice")
      .execute();

  it("record nothing for a lost lease: no attempt, status, count or email, and unblock nothing", async () => {
    const { form, submissionId, delivery } = await createSubmission();
    const before = await forms.detail(submissionId);
    expect(await write({ ...delivery, fence: delivery.fence - 1 }, { state: "failed" })).toEqual([]);
    expect(await forms.detail(submissionId)).toEqual(before);
    expect(await listNotices(submissionId)).toEqual([]);
    expect(await forms.analyticsOf(form.id)).toMatchObject({ successful: 0, failed: 0 });
    expect(await forms.db.selectFrom("failureNotices").selectAll().where("toolId", "=", form.id).execute()).toEqual([]);
  });

  it("record everything that follows from the attempts of a batch with valid leases", async () => {
    const all = await Promise.all(Array.from({ length: 5 }, createSubmission));
    const released = await Promise.all(all.map(({ delivery }) => write(delivery, { state: "failed" })));
    for (const [index, { submissionId, form }] of all.entries()) {
      expect(released[index]).toMatchObject([{ submissionId, purpose: "action", state: "pending" }]);
      const { status, deliveries } = await forms.detail(submissionId);
      expect(status).toBe("webhook_failed");
      const { startedAt: _, ...attempt } = failed;
      expect(deliveries[0]?.attempts).toEqual([{ number: 1, startedAt: "2023-11-14T22:13:20.000Z", ...attempt }]);
      expect(await listNotices(submissionId)).toHaveLength(1);
      expect(await forms.analyticsOf(form.id)).toMatchObject({ successful: 0, failed: 1 });
    }
  });

  it("accept one of two outcomes for a delivery in the same batch, and unblock the actions once", async () => {
    const { submissionId, delivery } = await createSubmission();
    const wait = { state: "pending", waitMs: 3_600_000 } as const;
    const released = await Promise.all([
      write({ ...delivery, fence: delivery.fence - 1 }, { state: "failed" }),
      write(delivery, wait),
    ]);
    expect(released.map(({ length }) => length)).toEqual([0, 1]);
    const { status, deliveries } = await forms.detail(submissionId);
    expect([status, deliveries[0]?.attempts.length]).toEqual(["pending", 1]);
    expect(await listNotices(submissionId)).toEqual([]);
    const [held] = await forms.db.selectFrom("deliveries").selectAll().where("id", "=", delivery.id).execute();
    if (held) expect(await write(held, { state: "delivered" })).toEqual([]);
    expect((await forms.detail(submissionId)).deliveries[0]?.attempts.map(({ number }) => number)).toEqual([1, 2]);
  });

  it("record nothing about deleted submissions", async () => {
    const { submissionId, delivery } = await createSubmission();
    await forms.account.call("DELETE", `/form-submissions/${submissionId}`);
    expect(await write(delivery, { state: "failed" })).toEqual([]);
  });
});
