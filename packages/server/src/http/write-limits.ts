import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply } from "fastify";

/** The maximum size of a response that fits into the buffers of the operating system. */
const SMALL_BYTES = 64 * 1024;
const SLICE_BYTES = 64 * 1024;

const defaults = {
  /** the maximum time that a client may leave a response unread, in milliseconds */
  timeoutMs: 30_000,
  /** the maximum number of unread bytes of all clients together, without streams, which are limited at their source */
  maxWaitingBytes: 96 * 1024 * 1024,
};

type Response = FastifyReply["raw"];
type WatchedResponse = { response: Response; bytes: number; lastProgress: number };

/**
 * Closes the connections of clients that do not read. Large responses are written in slices, so that progress is
 * visible. A response without progress for `timeoutMs` is ended. If too many bytes are waiting in total, the response
 * that has waited longest is ended.
 */
export function registerWriteLimits(app: FastifyInstance, limits: Partial<typeof defaults> = {}): void {
  const { timeoutMs, maxWaitingBytes } = { ...defaults, ...limits };
  const watched = new Set<WatchedResponse>();
  let waitingBytes = 0;

  function closeStalledResponses(): void {
    const now = Date.now();
    for (const { response, lastProgress } of watched) {
      const isWaiting = response.writableNeedDrain || response.writableEnded;
      if (isWaiting && now - lastProgress > timeoutMs) response.destroy();
    }
  }

  function watch(response: Response, bytes: number): void {
    const entry = { response, bytes, lastProgress: Date.now() };
    watched.add(entry);
    waitingBytes += bytes;
    response.on("drain", () => {
      entry.lastProgress = Date.now();
    });
    response.once("close", () => {
      watched.delete(entry);
      waitingBytes -= bytes;
    });
    if (waitingBytes <= maxWaitingBytes) return;
    const others = [...watched].filter((other) => other.bytes > 0 && other !== entry);
    others.sort((a, b) => a.lastProgress - b.lastProgress)[0]?.response.destroy();
  }

  // biome-ignore lint/complexity/useMaxParams: the arguments of this hook
  app.addHook("onSend", (_request, reply, payload, done) => {
    // Tests that call the app with `inject` have no socket.
    if (!reply.raw.socket) return done(null, payload);
    if (payload instanceof Readable) {
      watch(reply.raw, 0);
      return done(null, payload);
    }
    if (typeof payload !== "string" && !Buffer.isBuffer(payload)) return done(null, payload);
    if (Buffer.byteLength(payload) <= SMALL_BYTES) return done(null, payload);
    const bytes = typeof payload === "string" ? Buffer.from(payload) : payload;
    watch(reply.raw, bytes.length);
    reply.header("content-length", bytes.length);
    done(null, Readable.from(splitIntoSlices(bytes), { objectMode: false }));
  });
  const timer = setInterval(closeStalledResponses, Math.min(timeoutMs / 4, 5_000)).unref();
  app.addHook("onClose", async () => clearInterval(timer));
}

function* splitIntoSlices(bytes: Buffer): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += SLICE_BYTES) yield bytes.subarray(start, start + SLICE_BYTES);
}
