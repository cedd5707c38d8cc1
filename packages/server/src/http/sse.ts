import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";

/** What a reader that stopped reading may leave waiting, in UTF-16 units, before it is cut off. */
const MAX_WAITING = 256 * 1024;

/** Gets events as finished text, until `end`. */
export type EventReader = { write(events: string): void; end(): void };

/**
 * Answers with Server-Sent Events. `follow` starts the source and returns how to leave it; it is left when the client
 * goes, or is too slow. A comment every `heartbeat` milliseconds keeps proxies from closing a quiet stream.
 */
export function sendEvents(reply: FastifyReply, heartbeat: number, follow: (reader: EventReader) => () => void) {
  // As text, so that nothing is made a Buffer only to be made a chunk.
  const stream = new Readable({ read() {}, encoding: "utf8" });
  const write = (events: string) => {
    if (events === "" || stream.destroyed) return;
    stream.push(events, "utf8");
    if (stream.readableLength > MAX_WAITING) stream.destroy();
  };
  const beat = setInterval(() => write(": keep-alive\n\n"), heartbeat);
  const leave = follow({ write, end: () => stream.push(null) });
  stream.once("close", () => {
    clearInterval(beat);
    leave();
  });
  return reply.headers(headers).send(stream);
}

const headers = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};
