import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";

/** What a reader may leave waiting, in UTF-16 units, before it must have read something within the grace time. */
const WAITING = 256 * 1024;
const GRACE_MS = 10_000;
/** What it may leave waiting at all: two of the largest tool results. */
const MAX_WAITING = 8 * 1024 * 1024;

/** Gets events as finished text, until `end`. */
export type EventReader = { write(events: string): void; end(): void };

/**
 * Answers with Server-Sent Events. `follow` starts the source and returns how to leave it; it is left when the client
 * goes, or is too slow. A comment every `heartbeat` milliseconds keeps proxies from closing a quiet stream.
 */
export function sendEvents(reply: FastifyReply, heartbeat: number, follow: (reader: EventReader) => () => void) {
  let lastRead = Date.now();
  const stream = new Readable({
    // As text, so that nothing is made a Buffer only to be made a chunk.
    encoding: "utf8",
    read() {
      lastRead = Date.now();
    },
  });
  let isOver = false;
  const write = (events: string) => {
    // The end may wait behind what was not read yet, and nothing can follow it.
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
