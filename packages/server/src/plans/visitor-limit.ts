import type { FastifyInstance } from "fastify";
import type { Config } from "../config.ts";
import { createRateLimit, findLimitedClient, type RateLimit } from "./rate-limit.ts";

/**
 * Counts requests with the token of a conversation against the same limit as chat messages, by address: anyone has such
 * a token. Routes with a limit of their own, such as live streams, are left out.
 * @returns the limit, for `POST /chat`
 */
export function registerVisitorLimit(app: FastifyInstance, config: Config): RateLimit {
  const perAddress = createRateLimit(config.limits.chatPerIp, "messages and requests from your address");
  app.addHook("onRoute", (route) => {
    if (route.config?.access !== "conversation" || route.onRequest) return;
    route.onRequest = async (request) => {
      if (!request.principal) await perAddress.consume(findLimitedClient(request, config), request);
    };
  });
  return perAddress;
}
