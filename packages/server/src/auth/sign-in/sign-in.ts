import { setTimeout as wait } from "node:timers/promises";
import { email as parseEmail } from "../../config-values.ts";
import { AppError, invalid } from "../../errors.ts";
import { hasAccounts, writePassword } from "../account-store.ts";
import type { AuthDeps } from "../auth-deps.ts";
import { findInvitation } from "../members/invitation-store.ts";
import type { SignedIn } from "../sessions/sessions.ts";
import type { AccountMails } from "./account-mails.ts";
import { type Client, clientIpHeader } from "./client.ts";
import { explainRefusal } from "./library-errors.ts";
import { pendingHash, withPendingHash } from "./pending-hash.ts";

/** better-auth and how it works here; loaded with the first call that needs it. */
export type LoadLibrary = () => Promise<typeof import("./library.ts")>;

/** What better-auth answered: where to go, which cookies to set, and the session when it made one. */
export type SignInOutcome = { location: string | null; cookies: string[]; session: SignedIn | null };

type NewUser = { email: string; password: string; name: string; invitationId: string | null };

/** Making a user writes more than finding that there is one; both take this long. */
const SIGN_UP_MS = 300;

export type SignIn = ReturnType<typeof createSignIn>;

/** What the audit log hears of. */
type Events = {
  onReset: (user: { id: string; email: string }, ip: string) => Promise<void>;
  onFailedSignIn: (email: string, ip: string) => Promise<void>;
};

/** Signing in and what belongs to it, by better-auth, which is loaded with the first call. */
export function createSignIn(
  deps: AuthDeps,
  mails: AccountMails,
  loadLibrary: LoadLibrary,
  { onReset, onFailedSignIn }: Events,
) {
  const { db, config, sessions } = deps;
  const dashboard = `${config.baseUrl}/dashboard`;
  let library: Promise<ReturnType<Awaited<ReturnType<LoadLibrary>>["createSignInLibrary"]>> | undefined;
  const load = () => {
    library ??= loadLibrary().then((module) => module.createSignInLibrary(deps, mails, keepResetPassword(db, onReset)));
    return library;
  };
  const outcomeOf = readOutcome(sessions);

  /** Answers at once and goes on afterwards, so that the answer's time does not depend on the address. */
  const quietly = (work: Promise<Response>, client: Client) =>
    mails.inBackground(work.then((response) => outcomeOf(response, client)));

  return {
    /** @throws 401 for a wrong password and an unknown address alike, 403 for an address that is not confirmed */
    async byPassword(client: Client, email: string, password: string): Promise<SignInOutcome> {
      const body = { email: address(email), password };
      const { api } = await load();
      const response = await api.signInEmail({ body, ...call(client) });
      // In the background, so that the time of the answer does not tell whether the address is known.
      if (response.status === 401) mails.inBackground(onFailedSignIn(body.email, client.ip));
      return outcomeOf(response, client);
    },
    /** Says the same when the address is taken. @throws 403 when sign-up is closed and there is no invitation */
    async signUp(client: Client, { invitationId, ...user }: NewUser): Promise<void> {
      const email = address(user.email);
      if (!(await hasAccounts(db))) {
        throw new AppError("FORBIDDEN", "Nobody owns this server yet. Use the set-up link that its start printed.");
      }
      const isInvited = async () => invitationId !== null && (await findInvitation(db, invitationId))?.email === email;
      if (!config.openSignUp && !(await isInvited())) {
        throw new AppError("FORBIDDEN", "Sign-up is closed on this server. Ask its owner for an invitation.");
      }
      const { api } = await load();
      const [response] = await Promise.all([
        api.signUpEmail({ body: { ...user, email }, ...call(client) }),
        wait(SIGN_UP_MS),
      ]);
      await outcomeOf(response, client);
    },
    async sendMagicLink(client: Client, email: string, callbackUrl: string): Promise<void> {
      const body = { email: address(email), metadata: { callbackUrl } };
      const { api } = await load();
      quietly(api.signInMagicLink({ body, ...call(client) }), client);
    },
    /** Goes to `/dashboard?error=…` when the link is wrong, was used or is too old. */
    async followMagicLink(client: Client, token: string, callbackURL: string): Promise<SignInOutcome> {
      const { api } = await load();
      const query = { token, callbackURL, errorCallbackURL: dashboard };
      return outcomeOf(await api.magicLinkVerify({ query, ...call(client) }), client);
    },
    async requestPasswordReset(client: Client, email: string): Promise<void> {
      const body = { email: address(email) };
      const { api } = await load();
      quietly(api.requestPasswordReset({ body, ...call(client) }), client);
    },
    /** @throws 400 for a token that is wrong, used or too old */
    async resetPassword(client: Client, token: string, newPassword: string): Promise<void> {
      const { api } = await load();
      const reset = () => api.resetPassword({ body: { token, newPassword }, ...call(client) });
      await outcomeOf(await withPendingHash(client.ip, reset), client);
    },
    /** Replaces every session with a new one for this browser. @throws 400 when the current password is wrong */
    async changePassword(client: Client, currentPassword: string, newPassword: string): Promise<SignInOutcome> {
      const body = { currentPassword, newPassword, revokeOtherSessions: true };
      const { api } = await load();
      const change = async () => outcomeOf(await api.changePassword({ body, ...call(client) }), client);
      return withPendingHash(client.ip, () => keepNewPassword(db, change));
    },
    async sendVerification(client: Client, email: string): Promise<void> {
      const body = { email: address(email) };
      const { api } = await load();
      quietly(api.sendVerificationEmail({ body, ...call({ ...client, cookies: undefined }) }), client);
    },
    /** Signs nobody in: the link may have come to somebody who did not make the account. */
    async verifyEmail(client: Client, token: string): Promise<SignInOutcome> {
      const { api } = await load();
      return outcomeOf(await api.verifyEmail({ query: { token, callbackURL: dashboard }, ...call(client) }), client);
    },
  };
}

function keepResetPassword(db: AuthDeps["db"], onReset: Events["onReset"]) {
  return async (user: { id: string; email: string }) => {
    const { hash, ip } = pendingHash();
    await writePassword(db, user.id, { hash });
    await onReset(user, ip);
  };
}

/** Writes the password that `change` held back, and keeps the session that it began. */
async function keepNewPassword(db: AuthDeps["db"], change: () => Promise<SignInOutcome>): Promise<SignInOutcome> {
  const outcome = await change();
  if (!outcome.session) throw new Error("better-auth made no session");
  const { token, user } = outcome.session;
  await writePassword(db, user.id, { hash: pendingHash().hash, keptSession: token });
  return outcome;
}

/** Turns what better-auth answered into an outcome, or throws our error for it. */
export function readOutcome(sessions: AuthDeps["sessions"]) {
  return async (response: Response, client: Client): Promise<SignInOutcome> => {
    if (response.status >= 400) throw explainRefusal(response.status, await response.json().catch(() => null));
    const cookies = response.headers.getSetCookie();
    const own = cookies.find((cookie) => cookie.startsWith(`${sessions.cookieName}=`))?.split(";", 1)[0];
    const session = own === undefined ? null : await sessions.authenticate(own);
    // Every sign-in is a session of its own: the one that the browser came with ends.
    if (session) await sessions.endPrevious(client.cookies);
    return { location: response.headers.get("location"), cookies, session };
  };
}

/** What every call of better-auth gets. Of the client's headers it sees none but these. */
export function call({ ip, userAgent, cookies }: Client) {
  const headers = new Headers({ [clientIpHeader]: ip });
  if (userAgent) headers.set("user-agent", userAgent.slice(0, 300));
  if (cookies) headers.set("cookie", cookies);
  return { headers, asResponse: true } as const;
}

function address(email: string): string {
  try {
    return parseEmail(email.trim());
  } catch (error) {
    throw invalid("email", `must be ${error instanceof Error ? error.message : "an address"}`);
  }
}
