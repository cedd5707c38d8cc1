import { setTimeout as wait } from "node:timers/promises";
import { expect, it } from "vitest";
import { startTelegram, type TelegramServer, telegramToken } from "../telegram-server.ts";
import { faultRun } from "./fault-run.ts";
import { type DatabaseName, type FaultSite, type Life, preload } from "./fault-site.ts";
import { createHandoffLoad, type Talk, TELEGRAM_USER } from "./handoff-load.ts";
import { createHandoffSite, type HandoffMember, signIn } from "./handoff-site.ts";
import { seededRandom } from "./seeded-random.ts";

const failpoints = [
  "notice.recorded",
  "notice.committed",
  "delivery.sending",
  "delivery.sent",
  "delivery.recorded",
  "team-chat.received",
];
const VISITORS = 4;
/** A server whose failpoint is not reached is killed after this time, in milliseconds. */
const LONGEST_LIFE_MS = 8_000;
const { kills, seed, timeout, databases } = faultRun;

it.each(databases)(
  `no request for a person stays without a notice and no message is lost in ${kills} kills on %s (FOYER_FAULT_SEED=${seed})`,
  { timeout },
  async (database) => {
    const telegram = await startTelegram();
    const site = await createHandoffSite(database, {
      FOYER_TELEGRAM_URL: telegram.url,
      FOYER_WEBHOOK_SCHEDULE: "0s,50ms,50ms,50ms,50ms",
    });
    try {
      const parties = await prepare(site, telegram);
      const random = seededRandom(seed);
      const load = createHandoffLoad({ ...parties, telegram }, VISITORS);
      for (let kill = 0; kill < kills; kill++) {
        await liveAndDie(site, random, load);
        await site.allGone();
        await endLeases(site);
        if (kills > 10) console.info(`${database}: ${kill + 1} kills, ${load.talks.length} requests`);
      }
      const last = await site.start();
      await load.finish(last);
      const tally = await verify(site, telegram, { member: parties.member, last, talks: load.talks });
      console.info(`${database}: ${kills} kills, ${JSON.stringify(tally)}, FOYER_FAULT_SEED=${seed}`);
      expect(tally).toMatchObject({ withoutNotice: [], lostToVisitor: [], doubledToVisitor: [], lostToTeam: [] });
    } finally {
      await site.remove();
      await telegram.stop();
    }
  },
);

/** SQLite belongs to one process. */
const bothProcesses: DatabaseName[] = faultRun.isLong ? ["PostgreSQL"] : [];

it.each(bothProcesses)("another process on %s receives a bot's messages once its process was killed", { timeout }, async (database) => {
  const telegram = await startTelegram();
  const site = await createHandoffSite(database, { FOYER_TELEGRAM_URL: telegram.url });
  try {
    const parties = await prepare(site, telegram);
    const lives = [await site.start({ preload: preload("print") }), await site.start({ preload: preload("print") })];
    const receivedBy = (life: Life) => life.output.stdout.split("\n").filter((line) => line === "team-chat.received").length;
    const load = createHandoffLoad({ ...parties, telegram }, 1);
    const talk = await load.ask(lives[0] as Life);
    const topic = await load.topicOf(talk, lives[0] as Life);
    telegram.say({ from: TELEGRAM_USER, topic, text: "first" });
    await expect.poll(() => lives.map(receivedBy).toSorted()).toEqual([0, 1]);
    const holder = lives.find((life) => receivedBy(life) === 1);
    const other = lives.find((life) => life !== holder) as Life;
    holder?.kill("SIGKILL");
    await holder?.exited;
    telegram.say({ from: TELEGRAM_USER, topic, text: "second" });
    await endLeases(site);
    await expect.poll(() => receivedBy(other)).toBe(1);
    const { body } = await parties.member.call(other, "GET", `/conversations/${talk.id}`);
    const { messages } = body.data as unknown as { messages: Array<{ content: string }> };
    const texts = messages.map(({ content }) => content);
    expect(texts.filter((text) => text === "first" || text === "second")).toEqual(["first", "second"]);
  } finally {
    await site.remove();
    await telegram.stop();
  }
});

/** An agent that hands over, a webhook for the notices, and a bot with a linked member. */
async function prepare(site: FaultSite, telegram: TelegramServer) {
  const life = await site.start();
  const member = await signIn(life);
  const agentId = await member.createAgent(life);
  const channels = [
    { kind: "webhook", name: "Notices", url: `${site.receiver.url}/notices` },
    { kind: "telegram", name: "Bot", chatId: telegram.chatId, botToken: telegramToken },
  ];
  for (const channel of channels) {
    const { status, body } = await member.call(life, "POST", "/notice-channels", channel);
    expect(status, JSON.stringify(body)).toBe(201);
    if (channel.kind !== "telegram") continue;
    const code = await member.call(life, "POST", `/notice-channels/${body.id}/link-code`);
    telegram.say({ from: TELEGRAM_USER, text: String(code.body.command) });
  }
  await telegram.until(() => telegram.posts.some(({ text }) => text.startsWith("You are linked")));
  life.kill("SIGKILL");
  await life.exited;
  await site.allGone();
  await endLeases(site);
  return { agentId, member };
}

/** A server that dies at a failpoint, one of many, or at any time at all. */
async function liveAndDie(site: FaultSite, random: () => number, load: ReturnType<typeof createHandoffLoad>) {
  const at = `${failpoints[Math.floor(random() * failpoints.length)]}:${1 + Math.floor(random() * 6)}`;
  const isTimed = random() < 0.3;
  const delay = isTimed ? random() * 1_500 : LONGEST_LIFE_MS;
  const env = { FOYER_FAULT_AT: isTimed ? "" : at };
  const life = await site.start({ preload: preload("kill"), env }).catch(() => null);
  // What the last one left to deliver can take it to its end before it says where it is.
  if (!life) return;
  const timer = setTimeout(() => life.kill("SIGKILL"), delay);
  await load.run(life);
  expect((await life.exited).signal).toBe("SIGKILL");
  clearTimeout(timer);
}

/** Simulates that an hour has passed, so that another process takes over deliveries and bots. */
async function endLeases(site: FaultSite): Promise<void> {
  await site.endLeases();
  await site.db
    .updateTable("teamChats")
    .set((x) => ({ dueAt: x("dueAt", "-", 3_600_000) }))
    .execute();
}

type Given = { member: HandoffMember; last: Awaited<ReturnType<FaultSite["start"]>>; talks: readonly Talk[] };

/** What was lost, once everything has been sent. */
async function verify({ db, receiver }: FaultSite, telegram: TelegramServer, { member, last, talks }: Given) {
  const pending = db.selectFrom("deliveries").select("id").where("state", "in", ["pending", "waiting"]);
  await expect.poll(() => pending.execute(), { timeout: 60_000 }).toEqual([]);
  while (!telegram.isConfirmed()) await wait(50);
  const notices = receiver.bodies("/notices").map(({ text }) => String(text));
  const unneeded = await db
    .selectFrom("deliveryAttempts")
    .innerJoin("deliveries", "deliveries.id", "deliveryAttempts.deliveryId")
    .select("conversationId")
    .where("error", "=", "Not needed")
    .execute();
  const tally = {
    requests: talks.length,
    messages: 0,
    withoutNotice: [] as string[],
    lostToVisitor: [] as string[],
    doubledToVisitor: [] as string[],
    lostToTeam: [] as string[],
    postedTwice: 0,
  };
  for (const { id, fromMember, fromVisitor, isTaken } of talks) {
    // Once a member has taken the conversation, a notice that was not sent yet is not sent anymore.
    const isUnneeded = isTaken && unneeded.some(({ conversationId }) => conversationId === id);
    if (!notices.some((text) => text.includes(id)) && !isUnneeded) tally.withoutNotice.push(id);
    if (!telegram.posts.some(({ text }) => text.includes(id))) tally.withoutNotice.push(`${id} (bot)`);
    const { body } = await member.call(last, "GET", `/conversations/${id}`);
    const stored = (body.data as unknown as { messages: Array<{ content: string }> }).messages;
    for (const content of [...fromMember, ...fromVisitor]) {
      tally.messages += 1;
      const count = stored.filter((message) => message.content === content).length;
      if (count === 0) tally.lostToVisitor.push(content);
      if (count > 1) tally.doubledToVisitor.push(content);
    }
    for (const content of fromVisitor) {
      const count = telegram.posts.filter(({ text }) => text.endsWith(content)).length;
      if (count === 0) tally.lostToTeam.push(content);
      tally.postedTwice += Math.max(0, count - 1);
    }
  }
  return tally;
}
