import { AppError } from "../../errors.ts";
import { createBoundedFetch, withFetch } from "../../outbound/scoped-fetch.ts";
import type { AuthDeps } from "../auth-deps.ts";
import type { AccountMails } from "./account-mails.ts";
import type { Client } from "./client.ts";
import { callOptions, type LoadLibrary, readOutcome, type SignInOutcome } from "./sign-in.ts";

const providerNames = ["google", "github", "oidc"] as const;
type Provider = (typeof providerNames)[number];

/** Time limit for a whole exchange with a provider. Each call has a lower limit. */
const PROVIDER_MS = 15_000;
const CALL_LIMITS = { timeoutMs: 10_000, maxBytes: 1024 * 1024 };

export type SignInProviders = ReturnType<typeof createSignInProviders>;

/**
 * Sign-in by redirect. A cookie binds the single-use state to the browser, PKCE binds the code to the request, and a
 * nonce binds the ID token to it; better-auth checks all three. better-auth calls the URLs from the operator's
 * environment and the provider's discovery document through our client, which limits time and size and does not follow
 * redirects.
 */
export function createSignInProviders(deps: AuthDeps, mails: AccountMails, loadLibrary: LoadLibrary) {
  const { config, sessions } = deps;
  const outcomeOf = readOutcome(sessions);
  const fetch = createBoundedFetch(deps.outbound.fetch({ trust: "operator", organizationId: null }), CALL_LIMITS);
  const library = createLibraries(deps, mails, loadLibrary);
  const configured = providerNames.filter((name) => config.signIn[name] !== null);

  function requireProvider(name: string): Provider {
    const provider = configured.find((candidate) => candidate === name);
    if (!provider) throw new AppError("NOT_FOUND", "This sign-in provider is not configured on this server.");
    return provider;
  }

  return {
    configured,
    /**
     * Returns where to redirect the browser. @throws 404 for a provider that is not configured, 503 when it cannot be
     * reached
     */
    async start(client: Client, name: string, callbackURL: string): Promise<SignInOutcome> {
      const provider = requireProvider(name);
      const body = { provider, callbackURL, errorCallbackURL: `${config.baseUrl}/dashboard` };
      const answer = withFetch(fetch, async () =>
        (await library(provider)).api.signInSocial({ body, ...callOptions(client) }),
      );
      return outcomeOf(await answer, client);
    },
    /** Redirects to `/dashboard?error=…` when the provider or the state is invalid. */
    async finish(client: Client, name: string, query: Record<string, string>): Promise<SignInOutcome> {
      const provider = requireProvider(name);
      const given = { method: "GET", params: { id: provider }, query, ...callOptions(client) } as const;
      const answer = withFetch(fetch, async () => (await library(provider)).api.callbackOAuth(given));
      return outcomeOf(await withTimeLimit(answer), client);
    },
  };
}

/**
 * Google and GitHub need no discovery document. The document of `oidc` is fetched on first use, and again after a
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
      return await withTimeLimit(oidc);
    } catch (error) {
      oidc = undefined;
      deps.log.warn({ reason: error instanceof Error ? error.message : null }, "the sign-in provider is not available");
      throw providerUnavailableError();
    }
  };
}

async function withTimeLimit<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(providerUnavailableError()), PROVIDER_MS);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

function providerUnavailableError() {
  return new AppError("OVERLOADED", "The sign-in provider is not available right now. Try again in a moment.", {
    retryAfter: 5,
  });
}
