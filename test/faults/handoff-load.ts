import { setTimeout as wait } from "node:timers/promises";
import { chat } from "../chat-client.ts";
import type { TelegramServer } from "../telegram-server.ts";
import type { Life } from "./fault-site.ts";
import { type HandoffMember, request } from "./handoff-site.ts";

/** The Telegram user that is linked to the owner. */
export const TELEGRAM_USER = 7;

/** A conversation with everything that a server has acknowledged of it. */
export type Talk = { id: string; token: string; fromMember: string[]; fromVisitor: string[]; isTaken: boolean };

type Parties = { agentId: string; member: HandoffMember; telegram: TelegramServer };
type Step = (life: Life) => Promise<void>;

/** The server is gone, or too busy to answer; the step is repeated. */
class NotAcknowledged extends Error {}

/**
 * Visitors who ask for a person, and a member who answers them in the inbox or from Telegram and returns them. Each goes
 * on until its server is gone, and repeats the step that was not acknowledged at the next one.
 */
export function createHandoffLoad({ agentId, member, telegram }: Parties, visitors: number) {
  const talks: Talk[] = [];
  const plans = Array.from({ length: visitors }, (_, number) => ({ number, round: 0, steps: [] as Step[] }));

  async function acknowledged(answer: ReturnType<typeof request>): Promise<void> {
    const { status, body } = await answer;
    if (status === 503) throw new NotAcknowledged();
    if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`);
  }

  async function say(life: Life, content: string, talk?: Talk) {
    const body = { agentId, messages: [{ role: "user", content }], ...(talk ? { conversationId: talk.id } : {}) };
    const stream = await chat(life.url, body, talk ? { authorization: `Bearer ${talk.token}` } : {});
    if (!stream.response.ok) throw new NotAcknowledged();
    await stream.ended;
    const start = stream.events.find((event) => event.type === "message_start");
    const hasEnded = stream.events.at(-1)?.type === "message_stop";
    if (!hasEnded || start?.type !== "message_start") throw new NotAcknowledged();
    return { id: start.conversationId, token: start.conversationToken ?? "" };
  }

  /** The topic of a conversation, once the bot has posted the request. */
  async function topicOf({ id }: Talk, life: Life): Promise<number> {
    let isOver = false;
    void life.exited.then(() => {
      isOver = true;
    });
    for (;;) {
      const topic = telegram.posts.find(({ text }) => text.includes(id))?.topic;
      if (topic) return topic;
      if (isOver) throw new NotAcknowledged();
      await wait(20);
    }
  }

  /** One conversation, as steps that a server may acknowledge only at the second attempt. */
  function plan(name: string, number: number): Step[] {
    let talk: Talk;
    let attempts = 0;
    const headers = () => ({ authorization: `Bearer ${talk.token}` });
    const ask: Step[] = [
      async (life) => {
        talk = { ...(await say(life, `start ${name}`)), fromMember: [], fromVisitor: [], isTaken: false };
      },
      async (life) => {
        await acknowledged(
          request(life, "POST", `/conversations/${talk.id}/handoff`, { headers: headers(), body: {} }),
        );
        talks.push(talk);
      },
    ];
    const answerInInbox: Step = async (life) => {
      const content = `inbox ${name}.`;
      const more = { "idempotency-key": content };
      talk.isTaken = true;
      await acknowledged(member.call(life, "POST", `/conversations/${talk.id}/messages`, { content }, more));
      talk.fromMember.push(content);
    };
    const answerFromTelegram: Step = async (life) => {
      const topic = await topicOf(talk, life);
      const text = `telegram ${name}.`;
      talk.isTaken = true;
      telegram.say({ from: TELEGRAM_USER, topic, text });
      talk.fromMember.push(text);
    };
    const write: Step = async (life) => {
      // Without an answer the visitor does not know whether it was stored, and writes it again in other words.
      const content = `visitor ${name}, ${++attempts}.`;
      await say(life, content, talk);
      talk.fromVisitor.push(content);
    };
    const giveBack: Step = (life) =>
      acknowledged(member.call(life, "POST", `/conversations/${talk.id}/return`, { note: "done" }));
    const answer = number % 2 === 0 ? answerInInbox : answerFromTelegram;
    // Every third visitor waits in vain.
    return number % 3 === 2 ? [...ask, write] : [...ask, answer, write, giveBack];
  }

  async function act(visitor: (typeof plans)[number], life: Life, isEnough: () => boolean): Promise<void> {
    for (;;) {
      const [step] = visitor.steps;
      if (!step) {
        if (isEnough()) return;
        const number = visitor.number + visitor.round * visitors;
        visitor.steps = plan(`${visitor.number}-${visitor.round++}`, number);
        continue;
      }
      try {
        await step(life);
        visitor.steps.shift();
      } catch (error) {
        const isGone = error instanceof TypeError || error instanceof NotAcknowledged;
        if (!isGone) throw error;
        if (await Promise.race([life.exited.then(() => true), wait(100, false)])) return;
      }
    }
  }

  return {
    talks,
    topicOf,
    /** A visitor who asks for a person. */
    async ask(life: Life): Promise<Talk> {
      const talk = { ...(await say(life, "start")), fromMember: [], fromVisitor: [], isTaken: false };
      const headers = { authorization: `Bearer ${talk.token}` };
      await acknowledged(request(life, "POST", `/conversations/${talk.id}/handoff`, { headers, body: {} }));
      return talk;
    },
    /** Until the server is gone. */
    async run(life: Life): Promise<void> {
      await Promise.all(plans.map((visitor) => act(visitor, life, () => false)));
    },
    /** Finishes what has begun, on a server that lives. */
    async finish(life: Life): Promise<void> {
      await Promise.all(plans.map((visitor) => act(visitor, life, () => true)));
    },
  };
}
