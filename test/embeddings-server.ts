import { type Exchange, startUpstream } from "./upstream.ts";

export type EmbeddingsServer = Awaited<ReturnType<typeof startEmbeddingsServer>>;

type Embed = (text: string) => number[];

/**
 * A provider that embeds texts over HTTP as OpenAI does. `script` replaces its responses, and `answer` restores them.
 */
export async function startEmbeddingsServer(embed: Embed) {
  const upstream = await startUpstream();
  const texts: string[] = [];

  function answer(exchange: Exchange, vectorOf: Embed = embed): void {
    // The dashboard lists the provider's models, of which there is no list here.
    if (exchange.request.method !== "POST") {
      exchange.response.writeHead(404).end();
      return;
    }
    const { input } = JSON.parse(exchange.body) as { input: string[] };
    texts.push(...input);
    const data = input.map((text, index) => ({ object: "embedding", index, embedding: vectorOf(text) }));
    const usage = { prompt_tokens: 5 * input.length, total_tokens: 5 * input.length };
    exchange.response.writeHead(200, { "content-type": "application/json" });
    exchange.response.end(JSON.stringify({ object: "list", data, model: "test", usage }));
  }

  const reset = () => {
    texts.length = 0;
    upstream.script((exchange) => answer(exchange));
  };
  reset();
  return {
    url: upstream.url,
    exchanges: upstream.exchanges,
    next: upstream.next,
    stop: upstream.stop,
    /** The texts embedded since the last reset. */
    texts,
    answer,
    script: upstream.script,
    reset,
    fail: (status: number, message: string) =>
      upstream.script(({ response }) =>
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ error: { message } })),
      ),
  };
}

const concepts = [
  /\b(car|automobile|vehicle)s?\b/gi,
  /\b(refund|money back|reimburse)\w*/gi,
  /\b(open|hours|closed?)\b/gi,
];

/** A vector with one component for each of a few concepts, whichever word expresses them. */
export function conceptVector(text: string): number[] {
  const counts = concepts.map((concept) => text.match(concept)?.length ?? 0);
  // A vector is never all zero, and no two sets of concepts have the same signs.
  return [...counts.flatMap((count) => (count > 0 ? [1, 1, 1, 1] : [-0.1, -0.1, -0.1, -0.1])), 0.01];
}
