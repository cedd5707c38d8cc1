import { describe, expect, it } from "vitest";
import { faultRun } from "./fault-run.ts";
import { createFaultSite, createForm, type FaultSite, preload, submit } from "./fault-site.ts";

/** Where the process dies, whether the submission is stored, and how many times its webhook then arrives in total. */
const points = [
  { at: "submission.committing", isKept: false, webhooks: 0 },
  { at: "submission.committed", isKept: true, webhooks: 1 },
  { at: "delivery.sent", isKept: true, webhooks: 2 },
  { at: "delivery.sent:2", isKept: true, webhooks: 1 },
  { at: "submission.answering", isKept: true, webhooks: 1 },
];
const morePoints = [
  { at: "delivery.sending", isKept: true, webhooks: 1 },
  { at: "delivery.recorded", isKept: true, webhooks: 1 },
  { at: "delivery.sending:2", isKept: true, webhooks: 1 },
  { at: "delivery.recorded:2", isKept: true, webhooks: 1 },
  { at: "delivery.recorded:3", isKept: true, webhooks: 1 },
];
const { timeout, isLong } = faultRun;
const key = "one-submission";

describe.each(faultRun.databases)("a process killed on %s", { timeout }, (database) => {
  it.each(isLong ? [...points, ...morePoints] : points)(
    "at $at loses nothing and repeats nothing that was recorded",
    async ({ at, isKept, webhooks }) => {
      const site = await createFaultSite(database);
      try {
        const { receiver } = site;
        const toolId = await submitAndDie(site, at);
        const left = await deliveries(site);
        expect(left).toHaveLength(isKept ? 3 : 0);
        const [submission] = await submissions(site);

        await site.endLeases();
        await site.serveHere(async (next) => {
          await expect.poll(site.open).toEqual([]);
          const sent = Map.groupBy(receiver.received, ({ path }) => path);
          expect(sent.get("/0")?.length ?? 0).toBe(webhooks);
          for (const { position, state } of left) {
            const calls = sent.get(`/${position}`) ?? [];
            expect(calls.length).toBeOneOf(state === "delivered" ? [1] : [1, 2]);
            expect(new Set(calls.map(({ headers, text }) => `${headers["webhook-id"]} ${text}`)).size).toBe(1);
          }

          // The client that got no response repeats its request. A submission that was already stored is not stored
          // twice.
          const before = receiver.received.length;
          const { submissionId } = await submit(next, toolId, key);
          if (submission) expect([submissionId, receiver.received.length]).toEqual([submission.id, before]);
          expect(await submissions(site)).toEqual([{ id: submissionId, status: "success" }]);
        });
      } finally {
        await site.remove();
      }
    },
  );

  // Leases expire only after a minute, so the short form ends here.
  if (!isLong) return;
  it("is replaced within a minute without intervention", async () => {
    const site = await createFaultSite(database);
    try {
      await submitAndDie(site, "delivery.sent");
      await site.start();
      await expect.poll(site.open, { timeout: 60_000, interval: 200 }).toEqual([]);
      expect(site.receiver.bodies("/0")).toHaveLength(2);
    } finally {
      await site.remove();
    }
  });
});

/** Submits a form with two post actions to a server that dies while handling it. @returns the form's id */
async function submitAndDie(site: FaultSite, at: string): Promise<string> {
  const { url } = site.receiver;
  const doomed = await site.start({ preload: preload("kill"), env: { FOYER_FAULT_AT: at } });
  const toolId = await createForm(doomed, `${url}/0`, [`${url}/100`, `${url}/200`]);
  await expect(submit(doomed, toolId, key)).rejects.toThrow("fetch failed");
  expect((await doomed.exited).signal).toBe("SIGKILL");
  await site.allGone();
  await site.receiver.settled();
  return toolId;
}

const deliveries = ({ db }: FaultSite) =>
  db.selectFrom("deliveries").select(["position", "state"]).orderBy("position").execute();

const submissions = ({ db }: FaultSite) => db.selectFrom("submissions").select(["id", "status"]).execute();
