import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type Upstream = Awaited<ReturnType<typeof startUpstream>>;

/** A request that a provider's stand-in received, with its body and its response, which the test writes. */
export type Exchange = { request: IncomingMessage; body: string; response: ServerResponse };

/** A real HTTP server in place of a model provider. `answer` scripts it; `next` waits for a request. */
export async function startUpstream(answer?: (exchange: Exchange) => unknown) {
  const exchanges: Exchange[] = [];
  const waiting: Array<(exchange: Exchange) => void> = [];
  let current = answer;
  const server = createServer(async (request, response) => {
    const chunks = await Array.fromAsync(request as AsyncIterable<Buffer>).catch(() => null);
    // The client ended the request before its body was complete.
    if (chunks === null) return;
    const exchange = { request, response, body: Buffer.concat(chunks).toString("utf8") };
    exchanges.push(exchange);
    waiting.shift()?.(exchange);
    await current?.(exchange);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    exchanges,
    /** Scripts the responses from now on. */
    script(answer: (exchange: Exchange) => unknown) {
      current = answer;
      exchanges.length = 0;
    },
    next: () => new Promise<Exchange>((resolve) => waiting.push(resolve)),
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Starts an event stream; each call of `send` writes one JSON event. */
export function eventStream({ response }: Exchange) {
  response.writeHead(200, { "content-type": "text/event-stream" });
  return {
    send: (event: unknown) => response.write(`data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`),
    end: () => response.end(),
  };
}

/** One chunk of a streamed chat completion. */
export const chunk = (delta: object, finish: string | null = null) => ({
  id: "chatcmpl-test",
  object: "chat.completion.chunk",
  choices: [{ index: 0, delta, finish_reason: finish }],
});

/** Responds to a chat completion with these words, one event each. */
export function sayWords(...words: string[]) {
  return (exchange: Exchange) => {
    const { send, end } = eventStream(exchange);
    for (const word of words) send(chunk({ content: word }));
    send(chunk({}, "stop"));
    send({
      choices: [],
      usage: { prompt_tokens: 12, completion_tokens: words.length, total_tokens: 12 + words.length },
    });
    send("[DONE]");
    end();
  };
}

/** Calls a tool, and responds to its result with these words. */
export function callThenSay(name: string, input: object, words: string) {
  return (exchange: Exchange) => {
    const isAnswered = JSON.parse(exchange.body).messages.at(-1).role === "tool";
    if (isAnswered) return sayWords(words)(exchange);
    const { send, end } = eventStream(exchange);
    const call = { index: 0, id: "call_0", function: { name, arguments: JSON.stringify(input) } };
    send(chunk({ tool_calls: [call] }, "tool_calls"));
    send("[DONE]");
    end();
  };
}
