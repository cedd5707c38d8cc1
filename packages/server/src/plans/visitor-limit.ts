import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Config } from "../config.ts";
import { countBody, createRateLimit, findLimitedClient } from "./rate-limit.ts";

/** How many further calls a request counts as whose body was refused, because a client can repeat it at no cost. */
const REFUSED_POINTS = 9;

export type VisitorLimit = ReturnType<typeof registerVisitorLimit>;

/**
 * Counts requests with the token of a conversation against the same limit as chat messages, by address: anyone has such
 * a token. Routes with a limit of their own, such as live streams, are left out.
 * @returns hooks that count a request and, if it was refused, more than once; for `POST /chat`
 */
export function registerVisitorLimit(app: FastifyInstance, config: Config) {
  const perAddress = createRateLimit(config.limits.chatPerIp, "messages and requests from your address");
  const hooks = {
    onRequest: (request: FastifyRequest) =>
      perAddress.consume(findLimitedClient(request, config), request, countBody(request)),
    async onResponse(request: FastifyRequest, { statusCode }: FastifyReply) {
      if (request.isBodyRefused || statusCode === 413)
        await perAddress.penalize(findLimitedClient(request, config), REFUSED_POINTS);
    },
  };
  app.addHook("onRoute", (route) => {
    if (route.config?.access !== "conversation" || route.onRequest) return;
    route.onRequest = async (request) => {
      // Only the chat's own responses state the limit.
      if (!request.principal)
        await perAddress.consume(findLimitedClient(request, config), undefined, countBody(request));
    };
    route.onResponse = async (request, reply) => {
      if (!request.principal) await hooks.onResponse(request, reply);
    };
  });
  return hooks;
}
