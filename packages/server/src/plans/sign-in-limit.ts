import type { FastifyRequest } from "fastify";
import type { Config } from "../config.ts";
import { createRateLimit, limitedClient } from "./rate-limit.ts";

/** Takes one try to sign in from the limits of the client and, where it names one, of the e-mail address. @throws 429 */
export function createSignInLimit(config: Config): (request: FastifyRequest, email?: string) => Promise<void> {
  const perAddress = createRateLimit(config.limits.signInPerAddress, "tries to sign in with this address");
  const perIp = createRateLimit(config.limits.signInPerIp, "tries to sign in");
  return async (request, email) => {
    const client = limitedClient(request, config);
    if (client !== null) await perIp.consume(client);
    if (email !== undefined) await perAddress.consume(email.trim().toLowerCase());
  };
}
