import { AppError } from "../../errors.ts";
import { boundedFetch, withFetch } from "../../outbound/scoped-fetch.ts";
import type { AuthDeps } from "../auth-deps.ts";
import type { AccountMails } from "./account-mails.ts";
import type { Client } from "./client.ts";
import { call, type LoadLibrary, readOutcome, type SignInOutcome } from "./sign-in.ts";

const names = ["google", "github", "oidc"] as const;
type Provider = (typeof names)[number];

/** An exchange with a provider takes no longer, in milliseconds; each of its calls less. */
const PROVIDER_MS = 15_000;
const CALL = { timeoutMs: 10_000, maxBytes: 1024 * 1024 };

export type SignInProviders = ReturnType<typeof createSignInProviders>;

/**
 * Sign-in by redirect. The state is bound to the browser by a cookie and used once, the code to the request by PKCE, the
 * ID token to it by a nonce; better-auth checks all three. It calls the addresses that the operator's environment and the
 * provider's own description name, by our client: in time, of bounded size, without following redirects.
 */
export function createSignInProviders(deps: AuthDeps, mails: AccountMails, loadLibrary: LoadLibrary) {
  const { config, sessions } = deps;
  const outcomeOf = readOutcome(sessions);
  const fetch = boundedFetch(deps.outbound.fetch("operator"), CALL);
  const library = createLibraries(deps, mails, loadLibrary);
  const configured = names.filter((name) => config.signIn[name] !== null);

  function known(name: string): Provider {
    const provider = configured.find((candidate) => candidate === name);
    if (!provider) throw new AppError("NOT_FOUND", "This server has no such sign-in provider.");
    return provider;
  }

  return {
    configured,
    /** Where to send the browser. @throws 404 for a provider that is not set up, 503 when it cannot be reached */
    async start(client: Client, name: string, callbackURL: string): Promise<SignInOutcome> {
      const provider = known(name);
      const body = { provider, callbackURL, errorCallbackURL: `${config.baseUrl}/dashboard` };
      const answer = withFetch(fetch, async () =>
        (await library(provider)).api.signInSocial({ body, ...call(client) }),
      );
      return outcomeOf(await answer, client);
    },
    /** Goes to `/dashboard?error=…` when the provider or the state is not what it should be. */
    async finish(client: Client, name: string, query: Record<string, string>): Promise<SignInOutcome> {
      const provider = known(name);
      const given = { method: "GET", params: { id: provider }, query, ...call(client) } as const;
      const answer = withFetch(fetch, async () => (await library(provider)).api.callbackOAuth(given));
      return outcomeOf(await inTime(answer), client);
    },
  };
}

/**
 * Google and GitHub need no description of theirs; the one of `oidc` is fetched on first use, and again after a
 * failure.
 */
function createLibraries(deps: AuthDeps, mails: AccountMails, load: LoadLibrary) {
  let plain: ReturnType<Awaited<ReturnType<LoadLibrary>>["createSignInLibrary"]> | undefined;
  let oidc: ReturnType<Awaited<ReturnType<LoadLibrary>>["createOidcLibrary"]> | undefined;
  return async (provider: Provider) => {
    const { createOidcLibrary, createSignInLibrary } = await load();
    if (provider !== "oidc") {
      plain ??= createSignInLibrary(deps, mails);
      return plain;
    }
    oidc ??= createOidcLibrary(deps, mails);
    try {
      return await inTime(oidc);
    } catch (error) {
      oidc = undefined;
      deps.log.warn({ reason: error instanceof Error ? error.message : null }, "the sign-in provider is not to be had");
      throw unreachable();
    }
  };
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(unreachable()), PROVIDER_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function unreachable() {
  return new AppError("OVERLOADED", "The sign-in provider is not available right now. Try again in a moment.", {
    retryAfter: 5,
  });
}
