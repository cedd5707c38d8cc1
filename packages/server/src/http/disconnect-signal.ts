import type { FastifyReply } from "fastify";
import { AppError } from "../errors.ts";

/**
 * Creates a signal that aborts when the client disconnects before it has received the whole response. Fastify's own
 * `request.signal` follows the request, which closes as soon as its body has been read.
 */
export function createDisconnectSignal({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  const abort = () => {
    if (raw.writableFinished) return;
    controller.abort(new AppError("REQUEST_TIMEOUT", "The client disconnected before the response was ready."));
  };
  // If the client has disconnected during authentication, no event follows.
  if (raw.destroyed) abort();
  else raw.once("close", abort);
  return controller.signal;
}
