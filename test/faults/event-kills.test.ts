import { setTimeout as wait } from "node:timers/promises";
import { expect, it } from "vitest";
import { createEventLoad, untilGone } from "./event-load.ts";
import { createFeedReader, createInbox } from "./event-records.ts";
import { faultRun } from "./fault-run.ts";
import { call, createFaultSite, createForm, type FaultSite } from "./fault-site.ts";
import { runUntilKilled } from "./random-death.ts";
import { seededRandom } from "./seeded-random.ts";

const failpoints = [
  "event.committing",
  "event.committed",
  "feed.committing",
  "feed.committed",
  "delivery.sending",
  "delivery.sent",
  "delivery.recorded",
];
/**
 * The webhook's timeout. With the usual one, an attempt could time out on a busy machine after the receiver accepted
 * the event, which would then be sent again without a kill.
 */
const TIMEOUT = "10m";
/** The pause between two pages of the feed, in milliseconds. */
const READ_EVERY_MS = 20;
/** The number of kills between printed tallies, so that even a long run that is interrupted has a result. */
const LOG_EVERY = 50;

const { eventKills: kills, events, isLong, seed, timeout } = faultRun;
const loads = faultRun.loads.map(({ database }) => ({ database, clients: isLong ? 24 : 2 }));

it.each(loads)(
  `no event is lost, unsigned or out of order in ${kills} kills on $database (FOYER_FAULT_SEED=${seed})`,
  { timeout: Math.max(timeout, kills * 60_000) },
  async ({ database, clients }) => {
    const site = await createFaultSite(database, { FOYER_WEBHOOK_TIMEOUT: TIMEOUT });
    try {
      const { secret, ...sources } = await prepare(site);
      const random = seededRandom(seed);
      const load = createEventLoad(sources, clients);
      const [inbox, feed] = [createInbox(secret), createFeedReader()];
      const deaths = new Map<string, number>();
      const tell = (kill: number) => {
        const died = [...deaths].map(([where, count]) => `${count} ${where}`).sort();
        const tally = `${feed.ids.size} events, ${inbox.duplicates()} sent twice, ${kill} kills (${died.join(", ")})`;
        console.log(`${database}, ${clients} clients: ${tally}, FOYER_FAULT_SEED=${seed}`);
      };
      let repeated = 0;
      for (let kill = 1; kill <= kills || feed.ids.size < events; kill++) {
        const cause = await runUntilKilled(site, random, {
          failpoints,
          maxTimes: isLong ? 1_200 : 20,
          maxDelayMs: isLong ? 20_000 : 500,
          maxLifetimeMs: 60_000,
          load: async (serverProcess) => {
            const read = async () => (await feed.read(serverProcess)) > 0 || (await wait(READ_EVERY_MS));
            await Promise.all([load.run(serverProcess), untilGone(read)]);
          },
        });
        deaths.set(cause, (deaths.get(cause) ?? 0) + 1);
        await site.allGone();
        await site.receiver.settled();
        repeated += await takeSent(site, inbox);
        await site.endLeases();
        if (kill % LOG_EVERY === 0) tell(kill);
      }

      const serverProcess = await site.start();
      const pending = site.db.selectFrom("deliveries").select("id").where("state", "=", "pending").limit(1);
      await expect.poll(() => pending.execute(), { timeout: 120_000 }).toEqual([]);
      while ((await feed.read(serverProcess)) > 0);
      await takeSent(site, inbox);
      tell([...deaths.values()].reduce((sum, count) => sum + count, 0));

      const recorded = await readIds(site.db.selectFrom("events").select("id"));
      expect(missing(recorded, inbox.ids()), "events that were not sent").toEqual([]);
      expect(missing(recorded, feed.ids), "events that were not listed").toEqual([]);
      expect([inbox.ids().size, feed.ids.size]).toEqual([recorded.size, recorded.size]);
      // Each duplicate is explained: the event was sent, and the server was killed before it recorded this.
      expect(inbox.duplicates()).toBe(repeated);
      await checkState(site, load.acknowledged, feed);
    } finally {
      await site.remove();
    }
  },
);

/** An agent with a form, a webhook for all of its events, and the feed. */
async function prepare(site: FaultSite) {
  const serverProcess = await site.start();
  const toolId = await createForm(serverProcess);
  const { agentId } = await call<{ agentId: string }>(serverProcess, "GET", `/tools/${toolId}`);
  const webhook = { url: `${site.receiver.url}/events`, events: ["*"] };
  const { id } = await call<{ id: string }>(serverProcess, "POST", "/webhooks", webhook);
  const { secret } = await call<{ secret: string }>(serverProcess, "GET", `/webhooks/${id}/secret`);
  await call(serverProcess, "PUT", "/events/feed", { isEnabled: true });
  serverProcess.kill("SIGKILL");
  await serverProcess.exited;
  return { agentId, toolId, secret };
}

/** Takes what a server has sent. @returns how many of these events will be sent again because they were not recorded */
async function takeSent({ db, receiver }: FaultSite, inbox: ReturnType<typeof createInbox>): Promise<number> {
  const sent = inbox.take(receiver.received.splice(0));
  const ids = new Set(sent);
  expect(ids.size, "one process sends nothing twice").toBe(sent.length);
  const open = await db.selectFrom("deliveries").select("eventId").where("state", "=", "pending").execute();
  return open.filter(({ eventId }) => eventId !== null && ids.has(eventId)).length;
}

type Acknowledged = ReturnType<typeof createEventLoad>["acknowledged"];
type Feed = ReturnType<typeof createFeedReader>;

/** Everything that is stored or was acknowledged has its event, and there is no other event. */
async function checkState({ db }: FaultSite, acknowledged: Acknowledged, feed: Feed): Promise<void> {
  const messages = db.selectFrom("messages").select("id");
  const stored = {
    "conversation.started": await readIds(db.selectFrom("conversations").select("id")),
    "message.created": await readIds(messages.where("role", "=", "user")),
    "reply.finished": await readIds(messages.where("role", "=", "assistant").where("stopReason", "is not", null)),
    "form.submitted": await readIds(db.selectFrom("submissions").select("id")),
  } as const;
  for (const [type, ids] of Object.entries(stored)) {
    const about = feed.about(type as keyof typeof stored);
    expect(missing(ids, about), `stored without the event ${type}`).toEqual([]);
    expect(missing(about, ids), `the event ${type} without what it is about`).toEqual([]);
  }
  expect(missing(acknowledged.replies, feed.about("reply.finished"))).toEqual([]);
  expect(missing(acknowledged.submissions, feed.about("form.submitted"))).toEqual([]);
  expect(missing(acknowledged.ratings, feed.about("message.rated"))).toEqual([]);
}

async function readIds(query: { execute(): Promise<Array<{ id: string }>> }): Promise<Set<string>> {
  return new Set((await query.execute()).map(({ id }) => id));
}

const missing = (ids: ReadonlySet<string>, among: ReadonlySet<string>) => [...ids].filter((id) => !among.has(id));
