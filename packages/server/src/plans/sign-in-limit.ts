import * as contract from "@foyer/contract";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Config } from "../config.ts";
import { createRateLimit, findLimitedClient } from "./rate-limit.ts";

/** The kind of sign-in attempt. Each kind has separate limits, so guessing passwords does not block sign-in links. */
export type SignInAttempt = "password" | "link";

/**
 * The number of clients that can exhaust their attempts for one email address before all other clients are refused for
 * this address too.
 */
const CLIENTS_PER_ADDRESS = 10;

/**
 * Counts one sign-in attempt against the limits of the client and, if given, of the email address. The limit of address
 * and client together is checked first, so a client that guesses passwords locks out itself and not the owner of the
 * address.
 * @throws 429
 */
export function createSignInLimit(
  app: FastifyInstance,
  config: Config,
): (request: FastifyRequest, email?: string, kind?: SignInAttempt) => Promise<void> {
  const perIp = createRateLimit(config.limits.signInPerIp, "attempts to sign in");
  // Attempts are counted in the handlers, which do not run for an invalid body.
  app.addHook("onRequest", async (request) => {
    if (limitedUrls.has(request.routeOptions.url)) await perIp.note(findLimitedClient(request, config), request);
  });
  const limits = { password: createAddressLimits(config), link: createAddressLimits(config) };
  return async (request, email, kind = "password") => {
    const client = findLimitedClient(request, config);
    await perIp.consume(client, request);
    if (email === undefined) return;
    const address = email.trim().toLowerCase();
    const { perClient, overall } = limits[kind];
    await perClient.consume(`${address} ${client ?? "local"}`, request);
    // Not reported to the caller, because it would reveal how often others try this address.
    await overall.consume(address);
  };
}

const limitedUrls = new Set<string | undefined>(
  [
    contract.signInByEmail,
    contract.signUpByEmail,
    contract.changePassword,
    contract.sendMagicLink,
    contract.confirmMagicLink,
    contract.requestPasswordReset,
    contract.resetPassword,
    contract.sendVerificationEmail,
    contract.confirmEmail,
    contract.signInByProvider,
    contract.providerCallback,
  ].map(({ url }) => url),
);

function createAddressLimits({ limits: { signInPerAddress } }: Config) {
  const what = "attempts to sign in with this address";
  return {
    perClient: createRateLimit(signInPerAddress, what),
    overall: createRateLimit(signInPerAddress * CLIENTS_PER_ADDRESS, what),
  };
}
