import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

/** A caller's state for one limit. `resetsAt` is in milliseconds since 1970. */
export type LimitState = { limit: number; remaining: number; resetsAt: number };

const states = new WeakMap<FastifyRequest, LimitState>();

/**
 * Records a limit's state for the response. If a request has several limits, the one with the fewest calls left is
 * sent.
 */
export function noteLimit(request: FastifyRequest, state: LimitState): void {
  const previous = states.get(request);
  if (!previous || state.remaining < previous.remaining) states.set(request, state);
}

/** Sends `X-RateLimit-*` with every response to a request that a limit was noted for, errors included. */
export function registerRateLimitHeaders(app: FastifyInstance): void {
  // biome-ignore lint/complexity/useMaxParams: the arguments of this hook
  app.addHook("onSend", (request, reply, _payload, done) => {
    const state = states.get(request);
    if (state && !reply.hasHeader("x-ratelimit-limit")) setHeaders(reply, state);
    done();
  });
}

function setHeaders(reply: FastifyReply, { limit, remaining, resetsAt }: LimitState) {
  reply.headers({
    "x-ratelimit-limit": limit,
    "x-ratelimit-remaining": remaining,
    "x-ratelimit-reset": Math.ceil(resetsAt / 1_000),
  });
}
