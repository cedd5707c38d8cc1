import type { FastifyRequest } from "fastify";
import type { Config } from "../config.ts";
import { createRateLimit, limitedClient } from "./rate-limit.ts";

/** What is being tried with an email address. Each has limits of its own, so that guessing passwords blocks no link. */
export type SignInTry = "password" | "link";

/** Clients that can use up their attempts for one address before everybody else is refused for it too. */
const CLIENTS_PER_ADDRESS = 10;

/**
 * Takes one attempt to sign in from the limits of the client and, where it names one, of the email address. The limit of
 * address and client together comes first: one client that guesses passwords locks itself out and not the owner of the
 * address. @throws 429
 */
export function createSignInLimit(
  config: Config,
): (request: FastifyRequest, email?: string, kind?: SignInTry) => Promise<void> {
  const perIp = createRateLimit(config.limits.signInPerIp, "attempts to sign in");
  const limits = { password: createAddressLimits(config), link: createAddressLimits(config) };
  return async (request, email, kind = "password") => {
    const client = limitedClient(request, config);
    await perIp.consume(client, request);
    if (email === undefined) return;
    const address = email.trim().toLowerCase();
    const { perClient, overall } = limits[kind];
    await perClient.consume(`${address} ${client ?? "local"}`, request);
    // Not reported to the caller: it would tell how often others try this address.
    await overall.consume(address);
  };
}

function createAddressLimits({ limits: { signInPerAddress } }: Config) {
  const what = "attempts to sign in with this address";
  return {
    perClient: createRateLimit(signInPerAddress, what),
    overall: createRateLimit(signInPerAddress * CLIENTS_PER_ADDRESS, what),
  };
}
