import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";

/** The number of unread UTF-16 units above which a client must read something within the grace period. */
const WAITING = 256 * 1024;
const GRACE_MS = 10_000;
/** The maximum number of unread UTF-16 units: two of the largest tool results. */
const MAX_WAITING = 8 * 1024 * 1024;

/** Receives formatted events until `end`. */
export type EventReader = { write(events: string): void; end(): void };

/**
 * Sends Server-Sent Events. `follow` starts the source and returns a function that stops it, which is called when the
 * client disconnects or reads too slowly. A comment every `heartbeat` milliseconds keeps proxies from closing an idle
 * stream.
 */
export function sendEvents(reply: FastifyReply, heartbeat: number, follow: (reader: EventReader) => () => void) {
  let lastRead = Date.now();
  const stream = new Readable({
    // Text avoids a Buffer per event.
    encoding: "utf8",
    read() {
      lastRead = Date.now();
    },
  });
  let isOver = false;
  const write = (events: string) => {
    // After `end`, the stream may still have unread data, and nothing can follow it.
    if (events === "" || isOver || stream.destroyed) return;
    const waiting = stream.readableLength;
    const isStuck = waiting > MAX_WAITING || (waiting > WAITING && Date.now() - lastRead > GRACE_MS);
    if (isStuck) stream.destroy();
    else stream.push(events, "utf8");
  };
  const end = () => {
    isOver = true;
    stream.push(null);
  };
  const leave = follow({ write, end });
  const beat = setInterval(() => write(": keep-alive\n\n"), heartbeat);
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
