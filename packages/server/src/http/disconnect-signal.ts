import type { FastifyReply } from "fastify";
import { AppError } from "../errors.ts";

/**
 * A signal that aborts when the client disconnects before it has received the whole response. Fastify's own
 * `request.signal` follows the request, which has already closed when its body has been read.
 */
export function disconnectSignal({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  raw.once("close", () => {
    if (raw.writableFinished) return;
    controller.abort(new AppError("REQUEST_TIMEOUT", "The client disconnected before the response was ready."));
  });
  return controller.signal;
}
