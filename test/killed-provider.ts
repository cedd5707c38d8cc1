import { setTimeout as wait } from "node:timers/promises";
import { openChat } from "./chat-client.ts";
import { chunk, type Exchange, eventStream, startUpstream } from "./upstream.ts";

const ANSWER = ["All", " well", " at the harbour."];

/** What happened to one reply. Times are in milliseconds. */
export type KilledReply = {
  conversationId: string;
  text: string;
  stopReason: string;
  /** how often each provider was asked */
  requests: { first: number; second: number };
  /** from the first failure of the first provider to the first word; null when it was not asked */
  changeoverMs: number | null;
  /** from the request to the first word */
  firstWordMs: number;
};

/** Ways in which a provider can die before its first visible word. */
const kills: Array<(exchange: Exchange) => void> = [
  ({ response }) => response.destroy(),
  ({ response }) => response.writeHead(503).end(),
  ({ response }) => response.writeHead(500, { "content-type": "application/json" }).end('{"error":{"message":"Died"}}'),
  (exchange) => {
    eventStream(exchange);
    exchange.response.flushHeaders();
    exchange.response.destroy();
  },
  (exchange) => {
    eventStream(exchange).send(chunk({ role: "assistant", content: "" }));
    setImmediate(() => exchange.response.destroy());
  },
  (exchange) => {
    eventStream(exchange).send(chunk({ role: "assistant", reasoning_content: "The visitor asks" }));
    setImmediate(() => exchange.response.destroy());
  },
  ({ response }) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write('data: {"choices":[{"index":0,"del');
    setImmediate(() => response.destroy());
  },
];

/**
 * Two providers in one server: `/first` is killed at a random moment before its first word, and `/second` answers. The
 * question's number tells which reply a request belongs to.
 */
export async function startKilledProvider() {
  const requests = new Map<number, { first: number; second: number; failedAt: number | null }>();
  const upstream = await startUpstream(async (exchange) => {
    if (exchange.body === "") return exchange.response.writeHead(404).end();
    const number = Number(/Question (\d+)/.exec(exchange.body)?.[1]);
    const seen = requests.get(number) ?? { first: 0, second: 0, failedAt: null };
    requests.set(number, seen);
    if (!exchange.request.url?.startsWith("/first")) {
      seen.second += 1;
      const { send, end } = eventStream(exchange);
      for (const content of ANSWER) send(chunk({ content }));
      send({ ...chunk({}, "stop"), usage: { prompt_tokens: 10, completion_tokens: 3, total_tokens: 13 } });
      send("[DONE]");
      return end();
    }
    seen.first += 1;
    await wait(Math.random() * 100);
    const kill = kills[Math.floor(Math.random() * kills.length)] ?? kills[0];
    kill?.(exchange);
    seen.failedAt ??= performance.now();
  });
  let asked = 0;

  async function ask(url: string, agentId: string): Promise<KilledReply> {
    const number = asked++;
    const askedAt = performance.now();
    const stream = await openChat(url, { agentId, messages: [{ role: "user", content: `Question ${number}?` }] });
    const events = stream.until("message_start");
    const firstWordAt = stream.until("content_block_delta").then(() => performance.now());
    const start = await events;
    const at = await firstWordAt.catch(() => Number.POSITIVE_INFINITY);
    await stream.ended;
    const { first, second, failedAt } = requests.get(number) ?? { first: 0, second: 0, failedAt: null };
    const stop = stream.events.at(-1);
    return {
      conversationId: start.type === "message_start" ? start.conversationId : "",
      text: stream.events.map((event) => (event.type === "content_block_delta" ? event.delta.text : "")).join(""),
      stopReason: stop?.type === "message_stop" ? stop.stopReason : "none",
      requests: { first, second },
      changeoverMs: failedAt === null ? null : at - failedAt,
      firstWordMs: at - askedAt,
    };
  }

  return {
    url: upstream.url,
    answer: ANSWER.join(""),
    /** Requests this many replies, some of them at the same time. */
    async askAll(url: string, agentId: string, { replies, atOnce }: { replies: number; atOnce: number }) {
      const results: KilledReply[] = [];
      const worker = async () => {
        while (results.length + running < replies) {
          running += 1;
          const result = await ask(url, agentId);
          running -= 1;
          results.push(result);
        }
      };
      let running = 0;
      await Promise.all(Array.from({ length: atOnce }, worker));
      return results;
    },
    stop: () => upstream.stop(),
  };
}
