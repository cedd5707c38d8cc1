import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { serveChild } from "./serve-child.ts";

/**
 * A webhook receiver. `/hang` never responds; `/twice` refuses each submission once and records the time until it is
 * retried; `/event` records the time since the event's `createdAt`; everything else is accepted. `/counts` returns
 * `{ taken, firstAt, lastAt, waits }`, with times in milliseconds.
 */
const refusedAt = new Map<string, number>();
const counts = { taken: 0, firstAt: 0, lastAt: 0, waits: [] as number[] };

const server = createServer(async (request, response) => {
  if (request.url === "/counts") return response.end(JSON.stringify(counts));
  if (request.url === "/hang") return;
  const id = String(request.headers["webhook-id"]);
  const now = performance.now();
  const body = await text(request);
  const before = refusedAt.get(id);
  if (request.url === "/twice" && before === undefined) {
    refusedAt.set(id, now);
    response.statusCode = 500;
    return response.end();
  }
  if (before !== undefined) counts.waits.push(now - before);
  if (request.url === "/event") counts.waits.push(Date.now() - Date.parse(JSON.parse(body).createdAt));
  counts.firstAt ||= now;
  counts.lastAt = now;
  counts.taken++;
  response.end("ok");
});
server.keepAliveTimeout = 60_000;
await serveChild(server);
