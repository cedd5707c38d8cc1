import type { FastifyReply } from "fastify";
import type { CountCall } from "../auth/sessions/authenticate.ts";
import type { Deps } from "../deps.ts";
import { AppError } from "../errors.ts";
import { type CallCounter, createLocalCounter, createSharedCounter, type MinuteCount } from "./call-counter.ts";
import { callsPerMinute } from "./plan-limits.ts";

/**
 * Counts calls with an API key against the organization's plan, per clock minute. Every response to such a call carries
 * the rate-limit headers, whatever its status.
 * @throws 429 over the limit
 */
export function createPlanLimit({ config }: Pick<Deps, "config">, count: CallCounter): CountCall {
  return ({ organizationId, plan }, reply) => {
    const limit = callsPerMinute(plan, config.limits.apiCalls);
    if (limit === 0) return;
    const counted = count(organizationId, limit);
    if (counted instanceof Promise) return counted.then((known) => admit(reply, known, { plan, limit }));
    admit(reply, counted, { plan, limit });
  };
}

/** On PostgreSQL, the counter is shared by all processes. */
export function createCallCounter({ db, databaseKind }: Pick<Deps, "db" | "databaseKind">): CallCounter {
  return databaseKind === "postgres" ? createSharedCounter(db) : createLocalCounter();
}

function admit(
  reply: FastifyReply,
  { calls, now, endsAt }: MinuteCount,
  { plan, limit }: { plan: string; limit: number },
) {
  reply.headers({
    "x-ratelimit-limit": limit,
    "x-ratelimit-remaining": Math.max(0, limit - calls),
    "x-ratelimit-reset": endsAt / 1_000,
  });
  if (calls <= limit) return;
  const retryAfter = Math.ceil((endsAt - now) / 1_000);
  const message = `The plan ${plan} allows ${limit} requests a minute. Try again in ${retryAfter} s.`;
  throw new AppError("RATE_LIMITED", message, { retryAfter });
}
