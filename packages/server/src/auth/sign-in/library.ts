import { betterAuth } from "better-auth";
import { genericOAuth } from "better-auth/plugins/generic-oauth";
import { magicLink } from "better-auth/plugins/magic-link";
import type { AuthDeps } from "../auth-deps.ts";
import { type AccountMails, MAGIC_LINK_SECONDS } from "./account-mails.ts";
import { signInHooks } from "./library-hooks.ts";
import { type OnPasswordReset, signInOptions } from "./library-options.ts";
import { createOidcProvider } from "./oidc-provider.ts";

/** Configures better-auth. Importing this file costs 200 ms and 38 MB, so it is imported on first use. */
export function createSignInLibrary(deps: AuthDeps, mails: AccountMails, onPasswordReset?: OnPasswordReset) {
  const plugin = magicLink({
    storeToken: "hashed",
    expiresIn: MAGIC_LINK_SECONDS,
    sendMagicLink: ({ email, token, metadata }) => mails.magicLink(email, token, String(metadata?.callbackUrl)),
  });
  return betterAuth({ ...createOptions(deps, mails, onPasswordReset), plugins: [plugin] });
}

/**
 * Like `createSignInLibrary`, with the OpenID Connect provider, whose discovery document is fetched on first use. It
 * is a separate instance, so that password sign-in works while the provider is down. @throws when the provider cannot
 * be reached
 */
export async function createOidcLibrary(deps: AuthDeps, mails: AccountMails) {
  const { oidc } = deps.config.signIn;
  if (!oidc) throw new Error("OIDC_ISSUER is not set");
  const provider = await createOidcProvider(oidc, { fetch: globalThis.fetch, log: deps.log });
  const library = betterAuth({ ...createOptions(deps, mails), plugins: [genericOAuth({ config: [provider] })] });
  const { socialProviders } = await library.$context;
  if (!socialProviders.some(({ id }) => id === "oidc"))
    throw new Error(`Cannot read the OpenID configuration of ${oidc.issuer}`);
  return library;
}

function createOptions(deps: AuthDeps, mails: AccountMails, onPasswordReset?: OnPasswordReset) {
  const { user, ...options } = signInOptions(deps, mails, onPasswordReset);
  return { ...options, user: { ...user, ...signInHooks.user(deps) }, databaseHooks: signInHooks.database(deps) };
}
