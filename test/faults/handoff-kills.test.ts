import { expect, it } from "vitest";
import { startTelegram, type TelegramServer, telegramToken } from "../telegram-server.ts";
import { faultRun } from "./fault-run.ts";
import { createFaultSite, type DatabaseName, type FaultSite, preload, type ServerProcess } from "./fault-site.ts";
import { createHandoffLoad, TELEGRAM_USER } from "./handoff-load.ts";
import { signIn } from "./handoff-site.ts";
import type { Talk } from "./handoff-talk.ts";
import { runUntilKilled } from "./random-death.ts";
import { seededRandom } from "./seeded-random.ts";

const failpoints = [
  "handoff.committing",
  "handoff.committed",
  "notice.recorded",
  "notice.committed",
  "delivery.sending",
  "delivery.sent",
  "delivery.recorded",
  "team-chat.received",
];
/** The number of kills between checks of everything, so that even a long run that is interrupted has a result. */
const CHECK_EVERY = 50;

const { handoffKills: kills, seed, timeout, isLong, databases } = faultRun;

// In a group without topics, a post whose response was lost leaves a copy that the server does not know.
const runs = databases.map((database) => ({ database, isForum: database === "SQLite", visitors: isLong ? 8 : 4 }));

it.each(runs)(
  `no request for a person stays without a notice, and no message is lost or doubled in ${kills} kills on $database (FOYER_FAULT_SEED=${seed})`,
  { timeout: Math.max(timeout, kills * 60_000) },
  async ({ database, isForum, visitors }) => {
    const telegram = await startTelegram({ isForum });
    const site = await createSite(database, telegram);
    try {
      const random = seededRandom(seed);
      const load = createHandoffLoad({ ...(await prepare(site, telegram)), telegram }, visitors);
      const deaths = new Map<string, number>();
      for (let kill = 1; kill <= kills; kill++) {
        const cause = await runUntilKilled(site, random, {
          failpoints,
          maxTimes: isLong ? 30 : 10,
          maxDelayMs: isLong ? 3_000 : 1_000,
          maxLifetimeMs: isLong ? 6_000 : 3_000,
          load: load.run,
        });
        deaths.set(cause, (deaths.get(cause) ?? 0) + 1);
        await site.allGone();
        await site.receiver.settled();
        await site.endLeases();
        if (kill % CHECK_EVERY !== 0 && kill < kills) continue;
        const losses = await finish(site, telegram, load);
        const died = [...deaths].map(([where, count]) => `${count} ${where}`).sort();
        const tally = `${load.talks.length} conversations, ${kill} kills (${died.join(", ")})`;
        console.log(`${database}, ${visitors} visitors: ${tally}, ${JSON.stringify(losses)}, FOYER_FAULT_SEED=${seed}`);
        expect(losses).toMatchObject({ withoutNotice: [], notStored: [], doubled: [], notReceived: [], notPosted: [] });
        expect(losses.messages).toBeGreaterThan(0);
      }
    } finally {
      await site.remove();
      await telegram.stop();
    }
  },
);

it.each(databases)(
  "a command that a killed process on %s has carried out does not end the visitor's next request",
  { timeout },
  async (database) => {
    const telegram = await startTelegram();
    const site = await createSite(database, telegram);
    try {
      const parties = await prepare(site, telegram);
      const { visitors } = createHandoffLoad({ ...parties, telegram }, 0);
      const talk = await site.serveHere((server) => visitors.begin(server, 0));
      // The request is the first change, and the return the second.
      const doomed = await site.start({ preload: preload("kill"), env: { FOYER_FAULT_AT: "handoff.committed:2" } });
      await visitors.handoff(doomed, talk, "POST");
      await telegram.until(() => telegram.posts.some(({ text }) => text.includes(talk.id)));
      telegram.say({ from: TELEGRAM_USER, topic: telegram.topics[0]?.id ?? 0, text: "/return" });
      expect((await doomed.exited).signal).toBe("SIGKILL");
      await site.allGone();
      expect(telegram.isConfirmed()).toBe(false);
      await site.serveHere(async (server) => {
        // The killed process still has the bot.
        await visitors.handoff(server, talk, "POST");
        await site.endLeases();
        await expect.poll(telegram.isConfirmed).toBe(true);
        const { body } = await parties.member.call(server, "GET", `/conversations/${talk.id}`);
        expect(body.data).toMatchObject({ handler: "waiting" });
      });
    } finally {
      await site.remove();
      await telegram.stop();
    }
  },
);

// SQLite belongs to one process.
it.each<DatabaseName>(isLong ? ["PostgreSQL"] : [])(
  "another process on %s receives a bot's messages once its process was killed, each of them once",
  { timeout },
  async (database) => {
    const telegram = await startTelegram();
    const site = await createSite(database, telegram);
    try {
      const parties = await prepare(site, telegram);
      const processes = [
        await site.start({ preload: preload("print") }),
        await site.start({ preload: preload("print") }),
      ];
      const receivedBy = ({ output }: ServerProcess) =>
        output.stdout.split("\n").filter((line) => line === "team-chat.received");
      const { visitors } = createHandoffLoad({ ...parties, telegram }, 0);
      const [here] = processes as [ServerProcess, ServerProcess];
      const talk = await visitors.begin(here, 0);
      await visitors.handoff(here, talk, "POST");
      await telegram.until(() => telegram.posts.some(({ text }) => text.includes(talk.id)));
      const say = (text: string) => telegram.say({ from: TELEGRAM_USER, topic: telegram.topics[0]?.id ?? 0, text });
      say("first");
      await expect
        .poll(() => processes.map((serverProcess) => receivedBy(serverProcess).length).toSorted())
        .toEqual([0, 1]);
      const [holder, other] = processes.toSorted((one, two) => receivedBy(two).length - receivedBy(one).length) as [
        ServerProcess,
        ServerProcess,
      ];
      holder.kill("SIGKILL");
      await holder.exited;
      say("second");
      await site.endLeases();
      await expect.poll(() => receivedBy(other).length).toBeGreaterThan(0);
      await expect.poll(telegram.isConfirmed).toBe(true);
      const { body } = await parties.member.call(other, "GET", `/conversations/${talk.id}`);
      const { messages } = body.data as unknown as { messages: Array<{ content: string }> };
      const said = messages.map(({ content }) => content).filter((text) => ["first", "second"].includes(text));
      expect(said).toEqual(["first", "second"]);
    } finally {
      await site.remove();
      await telegram.stop();
    }
  },
);

const createSite = (database: DatabaseName, telegram: TelegramServer) =>
  createFaultSite(database, {
    FOYER_TELEGRAM_URL: telegram.url,
    FOYER_WEBHOOK_SCHEDULE: "0s,50ms,50ms,1s,1s",
    // On a busy machine, an attempt that takes long must not count as failed.
    FOYER_WEBHOOK_TIMEOUT: "10m",
  });

/** An agent that hands over, a webhook for the notices, and a bot with a linked member. */
async function prepare(site: FaultSite, telegram: TelegramServer) {
  const prepared = await site.serveHere(async (server) => {
    const member = await signIn(server);
    const agentId = await member.createAgent(server);
    const create = async (channel: object) => {
      const { status, body } = await member.call(server, "POST", "/notice-channels", channel);
      expect(status, JSON.stringify(body)).toBe(201);
      return body.id;
    };
    await create({ kind: "webhook", name: "Notices", url: `${site.receiver.url}/notices` });
    const bot = await create({ kind: "telegram", name: "Bot", chatId: telegram.chatId, botToken: telegramToken });
    const code = await member.call(server, "POST", `/notice-channels/${bot}/link-code`);
    telegram.say({ from: TELEGRAM_USER, text: String(code.body.command) });
    await telegram.until(() => telegram.posts.some(({ text }) => text.startsWith("You are now linked")));
    return { agentId, member };
  });
  await site.endLeases();
  return prepared;
}

/** Finishes open conversations, delivers everything, and compares the messages sent with those that arrived. */
async function finish(site: FaultSite, telegram: TelegramServer, load: ReturnType<typeof createHandoffLoad>) {
  await site.serveHere(async (server) => {
    await load.finish(server);
    const pending = site.db.selectFrom("deliveries").select("id").where("state", "in", ["pending", "waiting"]);
    await expect.poll(() => pending.execute(), { timeout: 60_000 }).toEqual([]);
    await expect.poll(telegram.isConfirmed).toBe(true);
  });
  expect(load.talks.flatMap(({ failure }) => failure ?? [])).toEqual([]);
  return findLosses(site, telegram, load.talks);
}

async function findLosses({ db, receiver }: FaultSite, telegram: TelegramServer, talks: readonly Talk[]) {
  const notices = countBy(receiver.bodies("/notices").map((body) => idIn(JSON.stringify(body))));
  const requests = countBy(telegram.posts.map(({ text }) => idIn(text)));
  const posts = countBy(telegram.posts.map(({ text }) => text.split("\n").at(-1) ?? ""));
  const messages = await db.selectFrom("messages").select(["conversationId", "content"]).execute();
  const stored = countBy(messages.map(({ conversationId, content }) => `${conversationId} ${content}`));
  const unneeded = await db
    .selectFrom("deliveryAttempts")
    .innerJoin("deliveries", "deliveries.id", "deliveryAttempts.deliveryId")
    .select("conversationId")
    .where("error", "=", "Not needed")
    .execute();
  const unneededIn = new Set(unneeded.map(({ conversationId }) => conversationId));

  const said = talks.flatMap(({ id, fromMember, fromVisitor }) =>
    [...fromMember, ...fromVisitor].map((text) => ({ id, text, count: stored.get(`${id} ${text}`) ?? 0 })),
  );
  const received = talks.flatMap((talk) => [...talk.fromMember].map((text) => talk.received.get(text)?.length ?? 0));
  return {
    messages: said.length,
    noticesTwice: [...notices.values()].filter((count) => count > 1).length,
    postsTwice: [...posts].filter(([text, count]) => text.startsWith("visitor ") && count > 1).length,
    withoutNotice: talks.filter(
      ({ id, isWaitOver }) => !requests.has(id) || !(notices.has(id) || (isWaitOver && unneededIn.has(id))),
    ),
    notStored: said.filter(({ count }) => count === 0),
    doubled: [...said.filter(({ count }) => count > 1), ...received.filter((count) => count > 1)],
    notReceived: received.filter((count) => count === 0),
    notPosted: talks.flatMap(({ fromVisitor }) => [...fromVisitor].filter((text) => !posts.has(text))),
  };
}

/** The id of the conversation to which a notice links. */
const idIn = (text: string) => /\/conversations\/(conv_\w+)/.exec(text)?.[1] ?? "";

function countBy(values: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}
