import type { ServerResponse } from "node:http";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { faultRun } from "./fault-run.ts";
import { createFaultSite, createForm, type FaultSite, preload, type ServerProcess, submit } from "./fault-site.ts";

const { timeout } = faultRun;

/** Two servers that share one PostgreSQL database. Failed deliveries are retried after an hour. */
let site: FaultSite;
let here: ServerProcess;
let there: ServerProcess;
let toolId: string;
let template: string;

beforeAll(async () => {
  site = await createFaultSite("PostgreSQL", {
    FOYER_WEBHOOK_TIMEOUT: "2m",
    FOYER_SUBMIT_WAIT: "2m",
    FOYER_WEBHOOK_SCHEDULE: "0s,1h",
  });
  here = await site.start({ preload: preload("print") });
  there = await site.start({ preload: preload("print") });
  toolId = await createForm(here, site.receiver.url);
  template = (await submit(here, toolId)).submissionId;
});
beforeEach(async () => {
  await site.db.deleteFrom("submissions").where("id", "!=", template).execute();
  site.receiver.received.splice(0);
});
afterEach(() => {
  site.receiver.answer((_, response) => response.end("ok"));
});
afterAll(() => site.remove());

const receivedIds = () => site.receiver.received.map(({ headers }) => String(headers["webhook-id"]));
const sentBy = (serverProcess: ServerProcess) =>
  serverProcess.output.stdout.split("\n").filter((line) => line === "delivery.sent").length;

/** Holds back all responses until they are released. */
function holdAnswers() {
  const held: ServerResponse[] = [];
  site.receiver.answer((_, response) => void held.push(response));
  return held;
}

it("two processes race for 1,000 due deliveries and send each once", { timeout }, async () => {
  const before = [sentBy(here), sentBy(there)];
  const held = holdAnswers();
  const ids = await site.addJobs(template, 1_000);
  // One process sends at most 16 deliveries to a host concurrently. If one more arrives, both processes have started.
  await site.receiver.hasReceived(17);
  site.receiver.answer((_, response) => response.end("ok"));
  for (const response of held) response.end("ok");
  await site.receiver.hasReceived(1_000);
  await expect.poll(site.open).toEqual([]);
  expect(receivedIds().toSorted()).toEqual(ids.toSorted());
  const sent = [sentBy(here), sentBy(there)].map((count, index) => count - (before[index] ?? 0));
  expect(Math.min(...sent)).toBeGreaterThan(0);
  expect(sent[0] ?? 0).toBe(1_000 - (sent[1] ?? 0));
});

it.each([
  { late: 500, timely: 200, status: "webhook_success" },
  { late: 200, timely: 500, status: "pending" },
])(
  "two processes cannot overwrite HTTP $timely with HTTP $late after the lease has ended",
  { timeout },
  async ({ late, timely, status }) => {
    const held = holdAnswers();
    const answer = submit(here, toolId);
    await site.receiver.hasReceived(1);
    here.kill("SIGSTOP");
    site.receiver.answer((_, response) => response.writeHead(timely).end());
    await site.endLeases();
    await site.receiver.hasReceived(2);
    const [first, second] = receivedIds();
    expect(second).toBe(first);
    const outcome = () => site.outcome(first ?? "");
    await expect.poll(async () => (await outcome()).attempts.length).toBe(1);
    const written = await outcome();
    expect(written).toMatchObject({ status, attempts: [{ status: timely }] });

    held[0]?.writeHead(late).end();
    here.kill("SIGCONT");
    expect((await answer).webhookResult.success).toBe(timely === 200);
    expect(await outcome()).toEqual(written);
    expect(receivedIds()).toHaveLength(2);
  },
);

const days: Array<[string, number]> = [
  ["ahead", 86_400_000],
  ["behind", -86_400_000],
];

it.each(faultRun.isLong ? days : days.slice(0, 1))(
  "two processes use the database's clock when one's own is a day %s",
  { timeout },
  async (_, shift) => {
    const held = holdAnswers();
    const underWay = submit(here, toolId);
    await site.receiver.hasReceived(1);
    const [running = ""] = receivedIds();
    const future = await site.addJobs(template, 50, { dueInMs: 1_800_000 });
    for (const serverProcess of [here, there]) serverProcess.kill("SIGSTOP");
    const wrong = await site.start({ preload: preload("clock", "print"), env: { FOYER_FAULT_CLOCK: String(shift) } });
    site.receiver.answer((_, response) => response.writeHead(503).end());

    // By the database's clock, the process's own failed delivery is due in an hour. The process claims the delivery
    // that is due now and leaves the rest.
    const { submissionId: own } = await submit(wrong, toolId);
    const [due = ""] = await site.addJobs(template, 1);
    await expect.poll(async () => (await site.outcome(due)).attempts.length).toBe(1);
    const open = new Map((await site.open()).map((job) => [job.submissionId, job]));
    for (const id of [own, due]) {
      expect(open.get(id)?.dueInMs).toBeGreaterThan(3_500_000);
      expect(open.get(id)?.dueInMs).toBeLessThan(4_000_000);
    }
    expect(future.map((id) => open.get(id)?.fence)).toEqual(future.map(() => 0));
    expect(receivedIds().toSorted()).toEqual([running, own, due].toSorted());

    // No delivery is lost.
    site.receiver.answer((_, response) => response.end());
    for (const response of held) response.end();
    for (const serverProcess of [here, there]) serverProcess.kill("SIGCONT");
    expect((await underWay).webhookResult.success).toBe(true);
    await site.endLeases();
    await site.endLeases();
    await expect.poll(site.open).toEqual([]);
    expect(receivedIds()).toHaveLength(1 + 2 * 2 + 50);
    wrong.kill("SIGTERM");
    expect((await wrong.exited).code).toBe(0);
  },
);
