import { setTimeout as wait } from "node:timers/promises";
import { expect, it } from "vitest";
import { openChat } from "../chat-client.ts";
import { createTool } from "../factories.ts";
import { callThenSay, type Exchange, startUpstream } from "../upstream.ts";
import { createFaultSite, type DatabaseName, type FaultSite, isBusy, type ServerProcess } from "./fault-site.ts";
import { type Answer, signIn } from "./handoff-site.ts";

const replies = Number(process.env.FOYER_PUBLISH_REPLIES ?? 60);
const publishes = Math.max(6, Math.round(replies / 50));
const CONCURRENCY = 6;

/** The marks of a version that a request to the model has, in its instructions and in its tool. */
const marksOf = ({ messages, tools }: { messages: Array<{ role: string; content: unknown }>; tools: unknown[] }) => {
  const [system] = messages;
  return [JSON.stringify(system), JSON.stringify(tools)].map((text) => /mark-(\d+)/.exec(text)?.[1] ?? "none");
};

/** A model that calls the tool and then answers, and notes which versions each question met. */
function createModel() {
  const seen = new Map<string, Set<string>>();
  const speak = callThenSay("stock", {}, "Twelve.");
  return {
    seen,
    answer(exchange: Exchange) {
      const question = /question-\d+/.exec(exchange.body)?.[0] ?? "";
      const marks = seen.get(question) ?? new Set();
      for (const mark of marksOf(JSON.parse(exchange.body))) marks.add(mark);
      seen.set(question, marks);
      return speak(exchange);
    },
  };
}

/** Repeats a request while the server is too busy for it. */
async function isAccepted<T extends Answer>(send: () => Promise<T>): Promise<T> {
  const answer = await send();
  if (isBusy(answer.status)) return wait(200).then(() => isAccepted(send));
  if (answer.status >= 300) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
  return answer;
}

async function ask(at: ServerProcess, agentId: string, question: string): Promise<void> {
  const messages = [{ role: "user", content: question }];
  const stream = await openChat(at.url, { agentId, messages });
  if (isBusy(stream.response.status)) return wait(200).then(() => ask(at, agentId, question));
  await stream.ended;
}

/** The mark that each question's stored reply belongs to, by its version. */
async function readStoredMarks({ db }: FaultSite, markOf: ReadonlyMap<number, string>) {
  const rows = await db
    .selectFrom("messages as reply")
    .innerJoin("messages as question", "question.conversationId", "reply.conversationId")
    .where("reply.role", "=", "assistant")
    .where("question.role", "=", "user")
    .select(["question.content as question", "reply.agentVersion as version"])
    .execute();
  return new Map(rows.map(({ question, version }) => [question, markOf.get(version ?? 0) ?? "none"]));
}

// Only one process can use SQLite.
it.each<[DatabaseName, number]>([
  ["SQLite", 1],
  ["PostgreSQL", 2],
])(
  "replies during publishes on %s, in %i process(es), each use one version in all their steps, and name it",
  { timeout: 7_200_000 },
  async (kind, processes) => {
    const model = createModel();
    const upstream = await startUpstream(model.answer);
    const env = { OPENAI_COMPATIBLE_BASE_URL: upstream.url, FOYER_DEFAULT_MODEL: "openai-compatible/test" };
    const site = await createFaultSite(kind, env);
    try {
      const here = await site.start();
      const there = processes === 2 ? await site.start() : here;
      const member = await signIn(here);
      const call = (method: string, path: string, body: object) =>
        isAccepted(() => member.call(here, method, path, body));
      const agentId = await member.createAgent(here, { systemPrompt: "mark-0", publishing: "manual" });
      const settings = { agentId, name: "stock", executionType: "mock", mockResponse: "12" } as const;
      const tool = await createTool({ call }, { ...settings, description: "mark-0" });
      const markOf = new Map<number, string>();
      const publish = async (mark: number) => {
        await call("PATCH", `/agents/${agentId}`, { systemPrompt: `mark-${mark}` });
        await call("PUT", `/tools/${tool.id}`, { description: `mark-${mark}` });
        const { body } = await call("POST", `/agents/${agentId}/publish`, { note: `Version ${mark}` });
        markOf.set((body.data as unknown as { version: number }).version, String(mark));
      };
      await publish(0);
      let begun = 0;
      const askSome = async (at: ServerProcess) => {
        while (begun++ < replies) await ask(at, agentId, `question-${begun}`);
      };
      const asking = Promise.all(
        Array.from({ length: CONCURRENCY }, (_, index) => askSome(index % 2 === 0 ? here : there)),
      );
      for (let mark = 1; mark <= publishes; mark++) {
        // Publishes are spread over the replies.
        while (begun < (mark * replies) / (publishes + 1)) await wait(5);
        await publish(mark);
      }
      await asking;
      const stored = await readStoredMarks(site, markOf);
      const mixed = [...model.seen].filter(
        ([question, marks]) => marks.size !== 1 || !marks.has(stored.get(question) ?? ""),
      );
      const met = new Set([...model.seen.values()].flatMap((marks) => [...marks]));
      console.info(`${kind}, ${processes} process(es): ${model.seen.size} replies met ${met.size} versions`);
      expect(mixed).toEqual([]);
      expect(model.seen.size).toBe(replies);
      expect(met.size).toBeGreaterThan(3);
    } finally {
      await site.remove();
      await upstream.stop();
    }
  },
);
