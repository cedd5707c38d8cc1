import type { FastifyInstance, FastifyRequest } from "fastify";

const MAX_BYTES = 64 * 1024 * 1024;
const MAX_MS = 5_000;

/**
 * Reads the rest of a rejected request, within limits, before the response is sent. Many clients send the whole body
 * before they read the response. If the connection closes earlier, they report a broken pipe instead of the error.
 */
export function registerRequestDraining(app: FastifyInstance): void {
  // biome-ignore lint/complexity/useMaxParams: the arguments of this hook
  app.addHook("onSend", (request, reply, payload, done) => {
    if (reply.statusCode < 400 || request.raw.complete !== false || request.raw.destroyed) return done(null, payload);
    drain(request.raw, () => done(null, payload));
  });
}

function drain(request: FastifyRequest["raw"], onDone: () => void): void {
  let remaining = MAX_BYTES;
  const finish = () => {
    clearTimeout(timer);
    request.off("data", countBytes).off("end", finish).off("close", finish);
    // Discards the rest of the request.
    request.resume();
    onDone();
  };
  const countBytes = (chunk: Buffer) => {
    remaining -= chunk.length;
    if (remaining < 0) finish();
  };
  const timer = setTimeout(finish, MAX_MS);
  request.on("data", countBytes).on("end", finish).on("close", finish);
  request.resume();
}
