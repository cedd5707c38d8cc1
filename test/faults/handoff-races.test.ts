import { setTimeout as wait } from "node:timers/promises";
import { expect, it } from "vitest";
import { joinText, openChat } from "../chat-client.ts";
import { chunk, type Exchange, eventStream, startUpstream } from "../upstream.ts";
import { createFaultSite, type DatabaseName, type FaultSite, isBusy, type ServerProcess } from "./fault-site.ts";
import { type HandoffMember, signIn } from "./handoff-site.ts";

const races = Number(process.env.FOYER_HANDOFF_RACES ?? 8);
/** The number of concurrent races. A race mostly waits, so a long run has more of them. */
const CONCURRENCY = races > 100 ? 32 : 8;
/** The number of races after which the tally of a long run is printed. */
const LOG_EVERY = 500;

/** Streams a word every 30 ms, for longer than a takeover in another process takes. */
async function keepTalking(exchange: Exchange) {
  const { send, end } = eventStream(exchange);
  for (let word = 1; word <= 150 && !exchange.response.destroyed; word++) {
    send(chunk({ content: `word${word} ` }));
    await wait(30);
  }
  send(chunk({}, "stop"));
  send("[DONE]");
  end();
}

type Race = { site: FaultSite; here: ServerProcess; there: ServerProcess; member: HandoffMember; agentId: string };

const stored = ({ db }: FaultSite, conversationId: string) =>
  db
    .selectFrom("messages")
    .select(["role", "content", "stopReason", "authorName"])
    .where("conversationId", "=", conversationId)
    .orderBy("position")
    .execute();

/** The reply runs in the process `here`, and the takeover is requested from the process `there`. */
async function race({ site, here, there, member, agentId }: Race) {
  const stream = await isAccepted(() => openChat(here.url, { agentId, messages: [{ role: "user", content: "Talk" }] }));
  const start = await stream.until("message_start");
  if (start.type !== "message_start") throw new Error("not the start");
  const { conversationId: id, conversationToken } = start;
  await wait(Math.random() * 350);
  const content = "A person is here.";
  const once = { "idempotency-key": id };
  await isAccepted(() => member.call(there, "POST", `/conversations/${id}/messages`, { content }, once));
  const heardAtTakeover = joinText(stream.events);
  const atTakeover = await stored(site, id);
  const thanks = { agentId, conversationId: id, messages: [{ role: "user", content: "Thanks" }] };
  const authorization = `Bearer ${conversationToken}`;
  const answered = await isAccepted(() => openChat(here.url, thanks, { authorization }));
  await Promise.all([stream.ended, answered.ended]);
  return { answered, atTakeover, heardAtTakeover, stream, messages: await stored(site, id) };
}

type Outcome = Awaited<ReturnType<typeof race>>;

/** The stored text of the agent's reply. */
const wordsOf = (rows: Outcome["messages"]) =>
  rows
    .filter(({ role, authorName }) => role === "assistant" && authorName === null)
    .map(({ content }) => content)
    .join("");

/** Repeats a request while the server is too busy for it. */
async function isAccepted<T extends { status: number } | { response: Response }>(send: () => Promise<T>): Promise<T> {
  const answer = await send();
  const { status } = "response" in answer ? answer.response : answer;
  if (isBusy(status)) return wait(200).then(() => isAccepted(send));
  if (status >= 300) throw new Error(`${status} ${JSON.stringify(answer)}`);
  return answer;
}

/**
 * On a very busy machine, a server can also close a connection that it was too slow to read. Such a race is not
 * counted.
 */
function unanswered(error: unknown) {
  if (!(error instanceof TypeError)) throw error;
  console.info(error.message);
  return { unanswered: 1 };
}

function judge({ answered, atTakeover, heardAtTakeover, stream, messages }: Outcome) {
  const others = messages.filter(({ role, authorName }) => role === "user" || authorName !== null);
  const expected = ["Talk", "A person is here.", "Thanks"];
  const last = stream.events.at(-1);
  // Text that was sent before the takeover's response is not necessarily stored: if the reply's process does not react
  // within two seconds, the takeover ends the reply with its last checkpoint.
  const heard = joinText(stream.events);
  const isHeardStored = heard === heardAtTakeover || wordsOf(atTakeover).startsWith(heard.trimEnd());
  return {
    wordsStored: wordsOf(messages) === wordsOf(atTakeover) ? 0 : 1,
    wordsSent: isHeardStored && joinText(answered.events) === "" ? 0 : 1,
    lost: others.map(({ content }) => content).join() === expected.join() ? 0 : 1,
    cutOff: last?.type === "message_stop" && last.stopReason === "handed_over" ? 1 : 0,
  };
}

// Only one process can use SQLite.
it.each<[DatabaseName, number]>([
  ["SQLite", 1],
  ["PostgreSQL", 2],
])(
  "a takeover against a running reply on %s, in %i process(es), leaves no word of the agent stored or sent afterwards, and no message lost",
  { timeout: 7_200_000 },
  async (kind, processes) => {
    const upstream = await startUpstream(keepTalking);
    const env = { OPENAI_COMPATIBLE_BASE_URL: upstream.url, FOYER_DEFAULT_MODEL: "openai-compatible/test" };
    const site = await createFaultSite(kind, env);
    try {
      const here = await site.start();
      const there = processes === 2 ? await site.start() : here;
      const member = await signIn(there);
      const counts = { wordsStored: 0, wordsSent: 0, lost: 0, cutOff: 0, unanswered: 0 };
      let [begun, done] = [0, 0];
      const runSome = async (agentId: string) => {
        while (begun++ < races) {
          const outcome = await race({ site, here, there, member, agentId }).then(judge, unanswered);
          for (const [name, count] of Object.entries(outcome)) counts[name as keyof typeof counts] += count;
          if (++done % LOG_EVERY === 0) console.info(`${kind}: ${done} of ${races} races, ${JSON.stringify(counts)}`);
        }
      };
      // Conversations of one agent share counters, and would wait for the locks on them.
      const agents: string[] = [];
      while (agents.length < CONCURRENCY) agents.push(await member.createAgent(there));
      await Promise.all(agents.map(runSome));
      console.info(`${kind}, ${processes} process(es): ${races} races, ${JSON.stringify(counts)}`);
      expect(counts).toMatchObject({ wordsStored: 0, wordsSent: 0, lost: 0 });
      expect(counts.cutOff).toBeGreaterThan(0);
      expect(counts.unanswered).toBeLessThan(races / 2);
    } finally {
      await site.remove();
      await upstream.stop();
    }
  },
);
