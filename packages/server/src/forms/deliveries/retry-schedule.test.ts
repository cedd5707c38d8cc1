import { createServer } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { onBothDatabases, type TestDatabase } from "../../../../../test/databases.ts";
import { type FormClient, openForms } from "../../../../../test/form-client.ts";
import { close, listen } from "../../../../../test/outbound-servers.ts";
import { holdRefusedPort } from "../../../../../test/refused-port.ts";
import { type SmtpTestServer, startSmtpServer } from "../../../../../test/smtp-server.ts";
import { determineNext } from "../../outbox/attempts.ts";

const usual = [0, 60_000, 300_000, 1_800_000, 7_200_000];
const toMilliseconds = (count: number) => count * 3_600_000;

describe("the next step after an attempt", () => {
  const determineNextAfter = (attempts: number, retryAfterMs = 0, attemptsBefore = 0) =>
    determineNext({ attempts, attemptsBefore }, { error: "HTTP 500", retryAfterMs }, usual);

  it("marks the delivery as delivered after a success", () => {
    expect(determineNext({ attempts: 0, attemptsBefore: 0 }, { error: null, retryAfterMs: 9 }, usual)).toEqual({
      state: "delivered",
    });
    expect(determineNext({ attempts: 4, attemptsBefore: 0 }, { error: null, retryAfterMs: 0 }, usual)).toEqual({
      state: "delivered",
    });
  });

  it("schedules another attempt with up to 10 % jitter, until the fifth attempt fails", () => {
    for (const [attempts, wait] of [60_000, 300_000, 1_800_000, 7_200_000].entries()) {
      const waits = Array.from({ length: 200 }, () => {
        const next = determineNextAfter(attempts);
        return next.state === "pending" ? next.waitMs : -1;
      });
      expect(Math.min(...waits)).toBeGreaterThanOrEqual(wait);
      expect(Math.max(...waits)).toBeLessThanOrEqual(wait * 1.1);
      // Jitter spreads the retries, so that deliveries that failed together are not retried together.
      expect(new Set(waits).size).toBeGreaterThan(100);
    }
    expect(determineNextAfter(4)).toEqual({ state: "failed" });
  });

  it("follows the whole schedule again after a manual retry", () => {
    expect(determineNextAfter(5, 0, 5)).toMatchObject({ state: "pending" });
    expect(determineNextAfter(8, 0, 5)).toMatchObject({ state: "pending" });
    expect(determineNextAfter(9, 0, 5)).toEqual({ state: "failed" });
  });

  it("honors Retry-After up to two hours, without shortening the wait or adding attempts", () => {
    fc.assert(
      fc.property(fc.nat({ max: 4 }), fc.integer({ min: 0, max: toMilliseconds(1_000) }), (attempts, asked) => {
        const next = determineNextAfter(attempts, asked);
        if (attempts === 4) {
          expect(next).toEqual({ state: "failed" });
          return;
        }
        const wait = usual[attempts + 1] ?? 0;
        const waitMs = next.state === "pending" ? next.waitMs : -1;
        expect(waitMs).toBeGreaterThanOrEqual(Math.max(wait, Math.min(asked, toMilliseconds(2))));
        expect(waitMs).toBeLessThanOrEqual(Math.max(wait * 1.1, Math.min(asked, toMilliseconds(2))));
      }),
    );
  });
});

onBothDatabases("failing deliveries", (createDatabase) => {
  let database: TestDatabase;
  let smtp: SmtpTestServer;
  let forms: FormClient;
  beforeAll(async () => {
    database = await createDatabase();
    smtp = await startSmtpServer();
    const schedule = { FOYER_WEBHOOK_SCHEDULE: "0s,20ms,20ms", FOYER_WEBHOOK_TIMEOUT: "2s", FOYER_SUBMIT_WAIT: "5s" };
    forms = await openForms({ database, env: { ...schedule, SMTP_URL: smtp.url, BASE_URL: "http://localhost:3210" } });
    await forms.addMember("owner", "owner@example.com");
    await forms.addMember("owner", "second@example.com");
    await forms.addMember("admin", "admin@example.com");
  });
  beforeEach(() => forms.reset());
  afterAll(async () => {
    await forms.stop();
    await smtp.close();
    await database.drop();
  });

  const formSettings = (path: string) => ({ formWebhookUrl: forms.receiver.url + path });
  const rejectWith = (status: number, headers: Record<string, string> = {}) =>
    forms.receiver.answer((_, response) => void response.writeHead(status, headers).end("Sorry."));
  const readAttempts = async (id: string) => (await forms.detail(id)).deliveries[0]?.attempts ?? [];
  const findMailsAbout = (id: string) => smtp.mails().filter(({ text }) => text.includes(id));

  it("are attempted as often as the schedule specifies, with each response recorded, then fail with a notice to the owners", async () => {
    rejectWith(503);
    const form = await forms.createForm(formSettings("/down"));
    const { body } = await forms.submit(form.id);
    const id = body.submissionId;
    expect(body.webhookResult).toMatchObject({ success: false, error: "HTTP 503" });
    const detail = await forms.reaches(id, "webhook_failed");
    const attempt = { status: 503, error: "HTTP 503", response: "Sorry.", startedAt: expect.stringMatching(/Z$/) };
    expect(detail.deliveries).toMatchObject([
      {
        state: "failed",
        nextAttemptAt: null,
        purpose: "webhook",
        attempts: [1, 2, 3].map((number) => ({ ...attempt, number })),
      },
    ]);
    expect(forms.receiver.received.map(({ headers }) => headers["webhook-id"])).toEqual([id, id, id]);
    expect(await forms.analyticsOf(form.id)).toMatchObject({ submitted: 1, successful: 0, failed: 1 });

    await expect.poll(() => findMailsAbout(id).length).toBe(2);
    const [mail] = findMailsAbout(id);
    expect(
      findMailsAbout(id)
        .flatMap(({ to }) => to)
        .toSorted(),
    ).toEqual(["owner@example.com", "second@example.com"]);
    expect(mail?.subject).toBe(`Delivery failed: submission of ${form.name}`);
    expect(mail?.text).toContain(`http://localhost:3210/dashboard/forms/submissions/${id}`);
    // The notices appear neither in the submission's deliveries nor in its status.
    expect((await forms.detail(id)).deliveries).toHaveLength(1);
    expect((await forms.detail(id)).status).toBe("webhook_failed");
  });

  it("stay leased for as long as an attempt with files can take", async () => {
    const seen = Promise.withResolvers<number>();
    forms.receiver.answer(async (_, response) => {
      const [row] = await forms.db.selectFrom("deliveries").select("dueAt").orderBy("createdAt", "desc").execute();
      seen.resolve(Number(row?.dueAt) - Date.now());
      response.end("ok");
    });
    await forms.submit((await forms.createForm(formSettings("/slow"))).id);
    // The sum of the wait for a slot, the wait for memory for the files, and the attempt itself, which may take 1 s
    // here.
    expect(await seen.promise).toBeGreaterThan(10_000 + 10_000 + 1_000);
  });

  it("wait as long as Retry-After specifies, in seconds or as a date, up to two hours", async () => {
    const failWith = async (retryAfter: string) => {
      rejectWith(429, { "retry-after": retryAfter });
      return (await forms.submit((await forms.createForm(formSettings("/busy"))).id)).body.submissionId as string;
    };
    const waitAfter = async (retryAfter: string) => {
      const [delivery] = (await forms.detail(await failWith(retryAfter))).deliveries;
      expect(delivery?.state).toBe("pending");
      return Date.parse(delivery?.nextAttemptAt ?? "") - Date.parse(delivery?.attempts[0]?.startedAt ?? "");
    };
    const isAbout = (ms: number, expected: number) => expect(Math.abs(ms - expected)).toBeLessThan(15_000);
    isAbout(await waitAfter("600"), 600_000);
    isAbout(await waitAfter(new Date(Date.now() + 900_000).toUTCString()), 900_000);
    isAbout(await waitAfter("999999"), toMilliseconds(2));
    for (const nonsense of ["soon", "-5", "Mon, 01 Jan 2001 00:00:00 GMT", "9".repeat(400)]) {
      const id = await failWith(nonsense);
      const countAttempts = async () => (await forms.detail(id)).deliveries[0]?.attempts.length;
      await expect.poll(countAttempts, { message: nonsense }).toBeGreaterThan(1);
    }
  });

  describe("report a general error to the visitor and the details to members", () => {
    const readFailure = async (formWebhookUrl: string) => {
      const { body } = await forms.submit((await forms.createForm({ formWebhookUrl })).id);
      expect(body.webhookResult.success).toBe(false);
      const [attempt] = await readAttempts(body.submissionId);
      expect(attempt?.error).toBe(body.webhookResult.error);
      return attempt;
    };

    it("for a response that is not a success", async () => {
      for (const status of [199, 400, 404, 410, 500, 599].slice(1)) {
        rejectWith(status);
        const detail = `The receiver responded with HTTP ${status}.`;
        expect(await readFailure(formSettings("/x").formWebhookUrl)).toMatchObject({
          status,
          error: `HTTP ${status}`,
          detail,
        });
      }
    });

    it("for a second redirect, which is not followed", async () => {
      const elsewhere = `${forms.receiver.url}/elsewhere`;
      for (const status of [301, 302, 303, 307, 308]) {
        rejectWith(status, { location: "/elsewhere" });
        const attempt = await readFailure(formSettings("/moved").formWebhookUrl);
        expect(attempt).toMatchObject({ status, error: `HTTP ${status}`, detail: expect.stringContaining(elsewhere) });
      }
    });

    it("for a receiver that times out", async () => {
      forms.receiver.answer(() => {});
      const attempt = await readFailure(formSettings("/hang").formWebhookUrl);
      expect(attempt).toMatchObject({ status: null, error: "Timed out", detail: expect.stringContaining("2 s") });
      expect(attempt?.durationMs).toBeGreaterThanOrEqual(1_990);
    });

    it("for a receiver that is unreachable or closes the connection", async () => {
      const { port, release } = await holdRefusedPort();
      expect(await readFailure(`http://127.0.0.1:${port}/x`)).toMatchObject({
        status: null,
        error: "Not reachable",
        response: null,
        detail: `127.0.0.1:${port} does not accept connections.`,
      });
      release();
      const server = createServer((socket) => socket.once("data", () => socket.destroy()));
      const rude = await listen(server, "127.0.0.1");
      expect(await readFailure(`http://127.0.0.1:${rude.port}/x`)).toMatchObject({
        status: null,
        error: "Not reachable",
        detail: expect.stringContaining("closed the connection"),
      });
      await close(server);
    });

    it("without revealing the URL to the visitor", async () => {
      const { port, release } = await holdRefusedPort();
      const { body } = await forms.submit(
        (await forms.createForm({ formWebhookUrl: `http://127.0.0.1:${port}/x` })).id,
      );
      expect(JSON.stringify(body)).not.toContain(`:${port}`);
      release();
    });
  });

  it.each([200, 201, 202, 204, 299])("do not include one with the success status %d", async (status) => {
    rejectWith(status);
    const { body } = await forms.submit((await forms.createForm(formSettings("/ok"))).id);
    expect(body.webhookResult).toMatchObject({ success: true, error: null });
  });
});

onBothDatabases("a retry schedule that starts with a wait", (createDatabase) => {
  it("delays the first attempt by that wait", async () => {
    const database = await createDatabase();
    const forms = await openForms({ database, env: { FOYER_WEBHOOK_SCHEDULE: "10m,10m" } });
    const formPostActions = [{ type: "webhook", url: `${forms.receiver.url}/action` }];
    const form = await forms.createForm({ formWebhookUrl: `${forms.receiver.url}/lead`, formPostActions });
    const { body } = await forms.submit(form.id);
    expect(body.webhookResult).toMatchObject({ success: false, error: "Delivery in progress" });
    expect(forms.receiver.received).toEqual([]);
    const { createdAt, deliveries } = await forms.detail(body.submissionId);
    const wait = Date.parse(deliveries[0]?.nextAttemptAt ?? "") - Date.parse(createdAt);
    expect(Math.abs(wait - 600_000)).toBeLessThan(60_000);
    // Simulate that ten minutes have passed.
    await forms.db.updateTable("deliveries").set({ dueAt: 0 }).where("state", "=", "pending").execute();
    expect(await forms.reaches(body.submissionId, "success")).toMatchObject({
      deliveries: [{ attempts: [{ number: 1 }] }, { attempts: [{ number: 1 }] }],
    });
    await forms.stop();
    await database.drop();
  });
});

onBothDatabases("owners", (createDatabase) => {
  it("are notified about a form at most once an hour", async () => {
    const database = await createDatabase();
    // Nothing listens on this port, because the test only checks what would be sent.
    const mailPort = await holdRefusedPort();
    const env = { FOYER_WEBHOOK_SCHEDULE: "0s", SMTP_URL: `smtp://127.0.0.1:${mailPort.port}` };
    const forms = await openForms({ database, env });
    const owner = await forms.addMember("owner", "owner@example.com");
    forms.receiver.answer((_, response) => void response.writeHead(500).end());
    const at = { formWebhookUrl: `${forms.receiver.url}/down` };
    const [form, other] = [await forms.createForm(at), await forms.createForm(at)];
    const fail = async ({ id }: { id: string }) => (await forms.submit(id)).body.submissionId as string;
    const retry = (id: string) => forms.account.call("POST", `/form-submissions/${id}/retry`);
    const listNotices = async (id: string) => {
      const rows = forms.db.selectFrom("deliveries").select("target").where("submissionId", "=", id);
      return (await rows.where("purpose", "=", "notice").execute()).map(({ target }) => JSON.parse(target));
    };
    const toOwner = { recipientIds: [owner] };
    const setNoticeAge = (ms: number) =>
      forms.db
        .updateTable("failureNotices")
        .set({ sentAt: Date.now() - ms })
        .where("toolId", "=", form.id)
        .execute();

    const [first, second, third] = [await fail(form), await fail(form), await fail(other)];
    expect([await listNotices(first), await listNotices(second), await listNotices(third)]).toEqual([
      [toOwner],
      [],
      [toOwner],
    ]);
    const both = await Promise.all([fail(form), fail(form)]);
    expect([await listNotices(both[0]), await listNotices(both[1])]).toEqual([[], []]);
    await setNoticeAge(toMilliseconds(1) - 60_000);
    expect((await retry(second)).body.status).toBe("webhook_failed");
    expect(await listNotices(second)).toEqual([]);
    await setNoticeAge(toMilliseconds(1));
    await retry(second);
    await retry(first);
    expect([await listNotices(second), await listNotices(first)]).toEqual([[toOwner], [toOwner]]);
    // This also applies to the submission that was reported first: one notice does not replace another.
    await setNoticeAge(toMilliseconds(1));
    await retry(first);
    expect(await listNotices(first)).toEqual([toOwner, toOwner]);
    await forms.stop();
    mailPort.release();
    await database.drop();
  });
});
