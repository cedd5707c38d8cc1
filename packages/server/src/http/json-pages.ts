import { Readable } from "node:stream";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { FastifyReply } from "fastify";

export type JsonPages = {
  /** the JSON up to and including the `[` of the array */
  before: string;
  pages: AsyncIterable<readonly unknown[]>;
  /** the JSON from the `]` of the array to the end */
  after: string;
};

/** The maximum length of JSON that is sent without a stream, which takes a quarter of the CPU time of a stream. */
const SHORT_LENGTH = 64 * 1024;

/**
 * Sends JSON with one long array, page by page. It yields to the event loop after each page, because rendering 8 MB at
 * once blocked the event loop for 0.2 s. The response schema of the route is not applied, so the items must not have
 * properties that the schema does not declare.
 * @returns the reply, typed so that a handler can return it in place of the response body
 * @throws any error of reading the first page, so that the client gets a JSON error; a later error ends the connection
 */
export async function sendJsonPages(reply: FastifyReply, { before, pages, after }: JsonPages): Promise<never> {
  const iterator = pages[Symbol.asyncIterator]();
  reply.type("application/json; charset=utf-8");
  const first = await iterator.next();
  const start = before + (first.done ? "" : stringifyItems(first.value));
  if (first.done) return reply.send(start + after) as never;
  let page = start.length < SHORT_LENGTH ? await iterator.next() : undefined;
  if (page?.done) return reply.send(start + after) as never;
  async function* streamJson() {
    yield start;
    let hasItems = first.value.length > 0;
    for (page ??= await readNextPage(iterator); !page.done; page = await readNextPage(iterator)) {
      if (page.value.length === 0) continue;
      await yieldToEventLoop();
      yield (hasItems ? "," : "") + stringifyItems(page.value);
      hasItems = true;
    }
    yield after;
  }
  return reply.send(Readable.from(streamJson(), { objectMode: false })) as never;
}

function stringifyItems(page: readonly unknown[]): string {
  return JSON.stringify(page).slice(1, -1);
}

/**
 * Reads the next page in another turn of the event loop, because reading a page with one large item also takes time.
 */
async function readNextPage(iterator: AsyncIterator<readonly unknown[]>) {
  await yieldToEventLoop();
  return iterator.next();
}
