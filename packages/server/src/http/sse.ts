import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";

type Response = FastifyReply["raw"];

/**
 * The number of unread UTF-16 units above which a client is disconnected unless it reads something within `GRACE_MS`.
 */
const SLOW_CLIENT_LENGTH = 256 * 1024;
const GRACE_MS = 10_000;
/** The maximum number of unread UTF-16 units: two of the largest tool results. */
const MAX_UNREAD_LENGTH = 8 * 1024 * 1024;

/** Receives formatted events until `end`. */
export type EventReader = { write(events: string): void; end(): void };

/**
 * Sends Server-Sent Events. `follow` starts the source and returns a function that stops it. That function is called
 * when the client disconnects or reads too slowly. A comment every `heartbeat` milliseconds keeps proxies from closing
 * an idle stream.
 */
export function sendEvents(reply: FastifyReply, heartbeat: number, follow: (reader: EventReader) => () => void) {
  // Do not start the source for a HEAD request: no one reads the stream, so nothing would end it.
  if (reply.request.method === "HEAD") return reply.headers(headers).send();
  const stream = new EventStream();
  const stopFollowing = follow({ write: (events) => stream.add(events), end: () => stream.end() });
  const heartbeatTimer = setInterval(() => stream.add(": keep-alive\n\n"), heartbeat);
  stream.once("close", () => {
    clearInterval(heartbeatTimer);
    stopFollowing();
  });
  return reply.headers(headers).send(stream);
}

const headers = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

/** The maximum length of events that are sent together. A slow client makes progress in steps of about this length. */
const BATCH_LENGTH = 16 * 1024;

/**
 * The stream that Fastify pipes into the response. It writes to the response itself, once per turn of the event loop.
 * Buffering each event in a readable stream would cost more than all other work for sending a token (see
 * docs/decisions/0052-commits-and-tokens.md). Events that the client is too slow to read wait in this stream.
 */
class EventStream extends Readable {
  #response: Response | null = null;
  #pendingEvents: string[] = [];
  #waitingLength = 0;
  #lastRead = 0;
  #isScheduled = false;
  #isOver = false;

  override _read(): void {}

  override pipe<T extends NodeJS.WritableStream>(target: T): T {
    const response = target as unknown as Response;
    response.writeHead(response.statusCode);
    response.on("drain", this.#send);
    this.#response = response;
    this.#send();
    return target;
  }

  add(events: string): void {
    // Ignore events after the end. The client may still be reading events before it.
    if (events === "" || this.#isOver || this.destroyed) return;
    if (this.#pendingEvents.length === 0) this.#lastRead = Date.now();
    else if (this.#isStuck()) {
      this.destroy();
      return;
    }
    const last = this.#pendingEvents.at(-1);
    const canAppend = last !== undefined && last.length + events.length <= BATCH_LENGTH;
    if (canAppend) this.#pendingEvents[this.#pendingEvents.length - 1] = last + events;
    else this.#pendingEvents.push(events);
    this.#waitingLength += events.length;
    this.#schedule();
  }

  end(): void {
    this.#isOver = true;
    this.#schedule();
  }

  #isStuck(): boolean {
    const isLate = this.#waitingLength > SLOW_CLIENT_LENGTH && Date.now() - this.#lastRead > GRACE_MS;
    return isLate || this.#waitingLength > MAX_UNREAD_LENGTH;
  }

  #schedule(): void {
    if (this.#isScheduled || this.#response === null) return;
    this.#isScheduled = true;
    process.nextTick(this.#send);
  }

  /** Writes events until the connection's buffer is full. */
  #send = (): void => {
    this.#isScheduled = false;
    const response = this.#response;
    if (response === null || response.destroyed || response.writableEnded) return;
    while (this.#pendingEvents.length > 0 && !response.writableNeedDrain) {
      const events = this.#pendingEvents.shift() ?? "";
      this.#waitingLength -= events.length;
      this.#lastRead = Date.now();
      response.write(events);
    }
    if (!this.#isOver || this.#pendingEvents.length > 0) return;
    response.end();
    // Emit `end`, without which Fastify treats the response as incomplete.
    this.push(null);
    this.resume();
  };
}
