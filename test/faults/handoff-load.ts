import { setTimeout as wait } from "node:timers/promises";
import type { TelegramServer } from "../telegram-server.ts";
import type { Server, ServerProcess } from "./fault-site.ts";
import type { HandoffMember } from "./handoff-site.ts";
import { createVisitors, NotAcknowledgedError, requireAcknowledged, type Talk } from "./handoff-talk.ts";

/** The Telegram user that is linked to the owner. */
export const TELEGRAM_USER = 7;
/** The time after which a message that has not arrived on a running server counts as lost, in milliseconds. */
const LOST_MS = 60_000;

type Visitors = ReturnType<typeof createVisitors>;
type Parties = { agentId: string; member: HandoffMember; telegram: TelegramServer };
/** @returns steps to insert before the next step */
type Step = (server: Server) => Promise<Step[] | undefined> | Promise<void>;
/** @throws NotAcknowledgedError when the server is gone before `isDone` */
type Until = (server: Server, isDone: () => boolean, what: string) => Promise<void>;

/**
 * Visitors who ask for a person and follow the conversation, and a member who answers them in the inbox or in Telegram
 * and returns them to the agent. Each continues until the server is gone, and repeats unacknowledged requests on the
 * next server.
 */
export function createHandoffLoad({ agentId, member, telegram }: Parties, count: number) {
  const visitors = createVisitors(agentId);
  const all = Array.from({ length: count }, (_, number) => ({ number, round: 0, steps: [] as Step[] }));
  const talks: Talk[] = [];
  const gone = new WeakSet<Server>();

  const until: Until = async (server, isDone, what) => {
    for (const deadline = Date.now() + LOST_MS; !isDone(); await wait(20)) {
      if (gone.has(server)) throw new NotAcknowledgedError();
      if (Date.now() > deadline) throw new Error(`Did not arrive: ${what}`);
    }
  };

  /** The steps of the next conversation of this visitor. */
  function plan(name: string, way: number): Step[] {
    const begin: Step = async (server) => {
      const talk = await visitors.begin(server, telegram.posts.length);
      talks.push(talk);
      const { ask, answerInInbox, answerInTelegram, write, returned } = createSteps(talk, name, {
        visitors,
        member,
        telegram,
        until,
      });
      const ways: Step[][] = [
        [answerInInbox, write, returned.inInbox],
        [answerInTelegram, write, returned.inTelegram("/return They want blue ones")],
        [write, returned.byVisitor],
        [answerInTelegram, answerInInbox, write, returned.inTelegram("/close")],
        // Closes the page while the member has the conversation.
        [write, answerInInbox, async () => talk.leave()],
      ];
      return [ask, ...(ways[way % ways.length] ?? [])];
    };
    return [begin];
  }

  async function act(visitor: (typeof all)[number], server: Server, isLast: () => boolean): Promise<void> {
    while (!gone.has(server)) {
      const [step] = visitor.steps;
      if (!step) {
        if (isLast()) return;
        visitor.steps = plan(`${visitor.number}-${visitor.round}`, visitor.number + visitor.round);
        visitor.round++;
        continue;
      }
      try {
        const more = await step(server);
        visitor.steps.splice(0, 1, ...(more ?? []));
      } catch (error) {
        if (!isUnanswered(error)) throw error;
        await wait(50);
      }
    }
  }

  return {
    /** Every conversation so far. */
    talks,
    visitors,
    /** Resolves when the server is gone. */
    async run(serverProcess: ServerProcess): Promise<void> {
      visitors.use(serverProcess);
      void serverProcess.exited.then(() => gone.add(serverProcess));
      await Promise.all(all.map((visitor) => act(visitor, serverProcess, () => false)));
    },
    /** Finishes the conversations that have begun. */
    async finish(server: Server): Promise<void> {
      visitors.use(server);
      await Promise.all(all.map((visitor) => act(visitor, server, () => true)));
    },
  };
}

/** `fetch` rejects with a TypeError when the connection breaks. */
function isUnanswered(error: unknown): boolean {
  return (
    error instanceof NotAcknowledgedError ||
    (error instanceof TypeError && /fetch failed|terminated/.test(error.message))
  );
}

type StepContext = Omit<Parties, "agentId"> & { visitors: Visitors; until: Until };

/**
 * Creates the steps of a visitor and a member in one conversation. Every text ends with a period, so that no text is a
 * prefix of another.
 */
function createSteps(talk: Talk, name: string, { visitors, member, telegram, until }: StepContext) {
  const path = `/conversations/${talk.id}`;
  let attempts = 0;
  /** The post about the request to which the member replies in Telegram. */
  let post: TelegramServer["posts"][number] | undefined;

  const newPosts = () => telegram.posts.slice(talk.postsBefore);
  const isReturned: Step = (server) => until(server, () => talk.handler === "agent", `the return of ${talk.id}`);
  const sayInTelegram = (text: string) =>
    telegram.say({ from: TELEGRAM_USER, text, ...(post?.topic ? { topic: post.topic } : { replyTo: post?.id ?? 0 }) });

  /** Replies to the newest post about the request. If the server does not know that post, the member tries again. */
  const answerInTelegram: Step = async (server) => {
    const newest = () => newPosts().findLast(({ text }) => text.includes(talk.id));
    await until(server, () => newest() !== undefined, `the request of ${talk.id}`);
    post = newest();
    const text = `telegram ${name}.`;
    talk.isWaitOver = true;
    talk.fromMember.add(text);
    const id = sayInTelegram(text);
    const isRejected = () => newPosts().some(({ replyTo, text }) => replyTo === id && text.startsWith("Not sent"));
    const hear: Step = async (host) => {
      await until(host, () => talk.received.has(text) || isRejected(), text);
      return talk.received.has(text) ? [] : [answerInTelegram];
    };
    return [hear];
  };
  const ask: Step = async (server) => {
    await visitors.handoff(server, talk, "POST");
    visitors.follow(talk);
    return [(host) => until(host, () => talk.handler !== null, `who has ${talk.id}`)];
  };
  const answerInInbox: Step = async (server) => {
    const content = `inbox ${name}.`;
    talk.isWaitOver = true;
    await requireAcknowledged(
      member.call(server, "POST", `${path}/messages`, { content }, { "idempotency-key": `inbox-${name}` }),
    );
    talk.fromMember.add(content);
    return [(host) => until(host, () => talk.received.has(content), content)];
  };
  const write: Step = async (server) => {
    // Without a response, the visitor does not know whether the message was stored, and writes it again in other words.
    const content = `visitor ${name}, ${++attempts}.`;
    await visitors.say(server, content, talk);
    talk.fromVisitor.add(content);
  };
  const returned = {
    async inInbox(server: Server) {
      await requireAcknowledged(member.call(server, "POST", `${path}/return`, { note: "They want blue ones" }));
      return [isReturned];
    },
    /** Replies to a post that the server is known to have stored. */
    inTelegram: (command: string) => async () => {
      sayInTelegram(command);
      return [isReturned];
    },
    async byVisitor(server: Server) {
      talk.isWaitOver = true;
      await visitors.handoff(server, talk, "DELETE");
      return [isReturned];
    },
  };
  return { ask, answerInInbox, answerInTelegram, write, returned };
}
