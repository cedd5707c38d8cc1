import { Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { FastifyReply } from "fastify";

export type JsonPages = {
  /** the JSON up to and with the `[` of the array */
  before: string;
  pages: AsyncIterable<readonly unknown[]>;
  /** the JSON from the `]` on */
  after: string;
};

/**
 * Sends JSON with one long array that is read and written page by page. Other requests get a turn of the event loop after
 * each page: rendering 8 MB in one piece held it for 0.2 s. The response schema of the route is not applied, so the items
 * must have no more properties than it declares.
 * @throws whatever reading the first page throws, so that the client gets a JSON error; later errors end the connection
 */
export async function sendJsonPages(reply: FastifyReply, { before, pages, after }: JsonPages): Promise<FastifyReply> {
  const iterator = pages[Symbol.asyncIterator]();
  let page = await iterator.next();
  async function* text() {
    let separator = "";
    yield before;
    for (; !page.done; page = await iterator.next()) {
      if (page.value.length === 0) continue;
      // Reading a page of one large item has taken its time, too.
      await nextTurn();
      yield separator + JSON.stringify(page.value).slice(1, -1);
      separator = ",";
      await nextTurn();
    }
    yield after;
  }
  return reply.type("application/json; charset=utf-8").send(Readable.from(text(), { objectMode: false }));
}
