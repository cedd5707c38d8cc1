import { expect, it } from "vitest";
import { faultRun } from "./fault-run.ts";
import { createFaultSite, createForm, type FaultSite, submit } from "./fault-site.ts";
import { runUntilKilled } from "./random-death.ts";
import { createRetryingLoad } from "./retrying-load.ts";
import { seededRandom } from "./seeded-random.ts";

const failpoints = [
  "submission.committing",
  "submission.committed",
  "submission.answering",
  "delivery.sending",
  "delivery.sent",
  "delivery.recorded",
];

const { kills, seed, timeout } = faultRun;

it.each(faultRun.loads)(
  `nothing acknowledged is lost in ${kills} kills on $database with $clients clients (FOYER_FAULT_SEED=${seed})`,
  { timeout },
  async ({ database, clients }) => {
    const site = await createFaultSite(database);
    try {
      const toolId = await site.serveHere((server) => createForm(server, site.receiver.url));
      const random = seededRandom(seed);
      const load = createRetryingLoad(async (server, key) => (await submit(server, toolId, key)).submissionId, {
        clients,
      });
      let repeated = 0;
      for (let kill = 0; kill < kills; kill++) {
        const before = site.receiver.received.length;
        await runUntilKilled(site, random, {
          failpoints,
          maxTimes: 40,
          maxDelayMs: 400,
          maxLifetimeMs: 20_000,
          load: load.run,
        });
        await site.allGone();
        await site.receiver.settled();
        repeated += await countCutOff(site, before);
        await site.endLeases();
      }
      await site.serveHere(async (server) => {
        await load.finish(server);
        await expect.poll(site.open).toEqual([]);
      });

      const ids = site.receiver.received.map(({ headers, text }) => {
        expect(headers["webhook-id"]).toBe(JSON.parse(text).submissionId);
        return String(headers["webhook-id"]);
      });
      const duplicates = ids.length - new Set(ids).size;
      const tally = `${load.acknowledged.length} acknowledged, ${duplicates} sent twice, ${kills} kills`;
      console.log(`${database}, ${clients} clients: ${tally}, FOYER_FAULT_SEED=${seed}`);
      // Every request got a response in the end, many of them after one or two kills. Each submission is stored once
      // and delivered.
      const stored = await site.db.selectFrom("submissions").select(["id", "status"]).execute();
      expect(stored.map(({ id }) => id).toSorted()).toEqual(load.acknowledged.toSorted());
      expect([...new Set(ids)].toSorted()).toEqual(load.acknowledged.toSorted());
      expect(stored.filter(({ status }) => status !== "webhook_success")).toEqual([]);
      expect(stored.length).toBeGreaterThan(kills);
      // Each duplicate is explained: the delivery was sent, and the process was killed before it recorded this.
      expect(duplicates).toBe(repeated);
      expect(duplicates).toBeLessThanOrEqual(kills * clients);
    } finally {
      await site.remove();
    }
  },
);

/** Returns the number of deliveries that this process sent without recording them, so that they will be sent again. */
async function countCutOff({ db, receiver }: FaultSite, before: number): Promise<number> {
  const sent = receiver.received.slice(before).map(({ headers }) => String(headers["webhook-id"]));
  const ids = new Set(sent);
  expect(ids.size, "one process sends nothing twice").toBe(sent.length);
  const open = await db.selectFrom("deliveries").select("submissionId").where("state", "=", "pending").execute();
  return open.filter(({ submissionId }) => submissionId !== null && ids.has(submissionId)).length;
}
