import { setTimeout as wait } from "node:timers/promises";
import { expect, it } from "vitest";
import { insertConversation } from "../conversation-seed.ts";
import { createMember, password } from "../session-client.ts";
import { createFaultSite, type DatabaseName, type FaultSite, isBusy, type ServerProcess } from "./fault-site.ts";
import { type Answer, type HandoffMember, signIn } from "./handoff-site.ts";

const races = Number(process.env.FOYER_ASSIGNMENT_RACES ?? 12);
const CONCURRENCY = 4;
/** The number of races after which the tally of a long run is printed. */
const LOG_EVERY = 500;

type Colleague = { member: HandoffMember; userId: string; at: ServerProcess };
type Race = { site: FaultSite; colleagues: readonly [Colleague, Colleague]; organizationId: string; agentId: string };

/** Repeats a request while the server is too busy for it. */
async function isHandled(send: () => Promise<Answer>): Promise<Answer> {
  const answer = await send();
  return isBusy(answer.status) ? wait(200).then(() => isHandled(send)) : answer;
}

/** Two members, each in a process of their own, do everything at the same moment with a visitor who waits. */
async function race({ site, colleagues, organizationId, agentId }: Race) {
  const [ada, ben] = colleagues;
  const id = await insertConversation(site.db, { organizationId, agentId }, {}, [{ content: "Hello?" }]);
  await isHandled(() => ada.member.call(ada.at, "POST", `/conversations/${id}/handoff`, {}));
  const post = ({ member, at }: Colleague, action: string, body: object, key: string) =>
    isHandled(() =>
      member.call(at, "POST", `/conversations/${id}/${action}`, body, { "idempotency-key": `${id}-${key}` }),
    );
  const acts = [
    () => post(ada, "takeover", {}, "take-a"),
    () => post(ben, "takeover", {}, "take-b"),
    () => post(ada, "assign", { userId: ben.userId }, "assign-a"),
    () => post(ben, "assign", { userId: ada.userId }, "assign-b"),
    () => post(ada, "messages", { content: "From Ada" }, "say-a"),
    () => post(ben, "messages", { content: "From Ben" }, "say-b"),
    () => post(ada, "resolve", {}, "resolve"),
  ];
  const answers = await Promise.all(
    acts.map(async (act) => {
      await wait(Math.random() * 30);
      return act();
    }),
  );
  return { id, answers };
}

async function judge({ db }: FaultSite, { id, answers }: Awaited<ReturnType<typeof race>>) {
  const messages = await db.selectFrom("messages").select("content").where("conversationId", "=", id).execute();
  const sent = answers
    .slice(4, 6)
    .flatMap(({ status }, index) => (status === 201 ? [index === 0 ? "From Ada" : "From Ben"] : []));
  const found = messages.map(({ content }) => content).filter((content) => content.startsWith("From"));
  const row = await db
    .selectFrom("conversations")
    .select(["handler", "assigneeId", "messageCount"])
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  const open = await db
    .selectFrom("handoffs")
    .select(["takenBy"])
    .where("conversationId", "=", id)
    .where("endedAt", "is", null)
    .execute();
  const isOwnedOnce = row.handler === "human" ? row.assigneeId !== null && open.length === 1 : row.assigneeId === null;
  return {
    lost: found.sort().join() === sent.sort().join() && row.messageCount === messages.length ? 0 : 1,
    owners: isOwnedOnce && open.length <= 1 ? 0 : 1,
    failed: answers.filter(({ status }) => status >= 500).length,
    sent: sent.length,
  };
}

// Only one process can use SQLite.
it.each<[DatabaseName, number]>([
  ["SQLite", 1],
  ["PostgreSQL", 2],
])(
  "two members who assign, take over, resolve and write at the same moment on %s, in %i process(es), lose no message and leave one owner",
  { timeout: 7_200_000 },
  async (kind, processes) => {
    const site = await createFaultSite(kind, { FOYER_LIMIT_SIGN_IN_PER_ADDRESS: "0" });
    try {
      const here = await site.start();
      const there = processes === 2 ? await site.start() : here;
      const owner = await signIn(here);
      const agentId = await owner.createAgent(here);
      const { organizationId } = await site.db
        .selectFrom("agents")
        .select("organizationId")
        .where("id", "=", agentId)
        .executeTakeFirstOrThrow();
      const { userId } = await site.db
        .selectFrom("members")
        .select("userId")
        .where("organizationId", "=", organizationId)
        .executeTakeFirstOrThrow();
      const ben = await createMember({ deps: site }, organizationId, "member");
      const colleagues = [
        { member: owner, userId, at: here },
        { member: await signIn(there, { email: ben.email, password }), userId: ben.userId, at: there },
      ] as const;
      const counts = { lost: 0, owners: 0, failed: 0, sent: 0 };
      let [begun, done] = [0, 0];
      const runSome = async () => {
        while (begun++ < races) {
          const outcome = await judge(site, await race({ site, colleagues, organizationId, agentId }));
          for (const [name, count] of Object.entries(outcome)) counts[name as keyof typeof counts] += count;
          if (++done % LOG_EVERY === 0) console.info(`${kind}: ${done} of ${races} races, ${JSON.stringify(counts)}`);
        }
      };
      await Promise.all(Array.from({ length: CONCURRENCY }, runSome));
      console.info(`${kind}, ${processes} process(es): ${races} races, ${JSON.stringify(counts)}`);
      expect(counts).toMatchObject({ lost: 0, owners: 0, failed: 0 });
      expect(counts.sent).toBeGreaterThan(0);
    } finally {
      await site.remove();
    }
  },
);
