import { setTimeout as wait } from "node:timers/promises";
import type { Transaction } from "kysely";
import { isDuplicate } from "../../db/database-errors.ts";
import type { Tables } from "../../db/tables.ts";
import { inTransaction } from "../../db/transaction.ts";
import { AppError, invalid, notFound } from "../../errors.ts";
import {
  findUser,
  hasAccounts,
  insertVerifiedUser,
  renameUser,
  writePassword,
  writePasswordWithin,
} from "../account-store.ts";
import type { AuthDeps } from "../auth-deps.ts";
import { readEmailAddress } from "../email-address.ts";
import { acceptInvitationWithin, findInvitation } from "../members/invitation-store.ts";
import { isInvitationToken } from "../members/invitation-token.ts";
import { purgeUnverifiedWithin } from "../members/unverified-user.ts";
import type { SignedIn } from "../sessions/sessions.ts";
import type { AccountMails } from "./account-mails.ts";
import { type Client, clientIpHeader } from "./client.ts";
import { toAppError } from "./library-errors.ts";
import { createPasswordHashing } from "./password-hashing.ts";
import { requirePendingHash, withPendingHash } from "./pending-hash.ts";

/** Imports better-auth and its configuration on first use. */
export type LoadLibrary = () => Promise<typeof import("./library.ts")>;

/** better-auth's response: where to redirect, which cookies to set, and the session if one was created. */
export type SignInOutcome = { location: string | null; cookies: string[]; session: SignedIn | null };

type NewUser = { email: string; password: string; name: string; invitationId: string | null };

type InvitedUser = Omit<NewUser, "invitationId"> & { invitationId: string; invitationToken: string };

/**
 * The minimum duration of a sign-up response, in milliseconds. Creating a user takes longer than finding an existing
 * one, and the response time must not reveal which happened.
 */
const SIGN_UP_MS = 300;

export type SignIn = ReturnType<typeof createSignIn>;

/** Callbacks for the audit log. */
type Events = {
  onReset: (user: { id: string; email: string }, ip: string) => Promise<void>;
  onFailedSignIn: (email: string, ip: string) => Promise<void>;
};

/** Sign-in, sign-up and password changes through better-auth, which is imported with the first call. */
export function createSignIn(
  deps: AuthDeps,
  { mails, loadLibrary, onReset, onFailedSignIn }: { mails: AccountMails; loadLibrary: LoadLibrary } & Events,
) {
  const { db, config, sessions, encryption, keys } = deps;
  const dashboard = `${config.baseUrl}/dashboard`;
  let library: Promise<ReturnType<Awaited<ReturnType<LoadLibrary>>["createSignInLibrary"]>> | undefined;
  const load = () => {
    library ??= loadLibrary().then((module) => module.createSignInLibrary(deps, mails, saveResetPassword(db, onReset)));
    return library;
  };
  const outcomeOf = readOutcome(sessions);
  const passwords = createPasswordHashing();

  /** Continues after the response, so that response times do not reveal whether the address is known. */
  const continueInBackground = (work: Promise<Response>, client: Client) =>
    mails.inBackground(work.then((response) => outcomeOf(response, client)));

  return {
    /** @throws 401 for a wrong password or an unknown address alike, 403 for an unverified address */
    async byPassword(client: Client, email: string, password: string): Promise<SignInOutcome> {
      const body = { email: readEmailAddress("email", email), password };
      const { api } = await load();
      const response = await api.signInEmail({ body, ...callOptions(client) });
      // Run this in the background, so that response times do not reveal whether the address is known.
      if (response.status === 401) mails.inBackground(onFailedSignIn(body.email, client.ip));
      return outcomeOf(response, client);
    },
    /**
     * Responds the same way when the address is taken. @throws 403 when sign-up is disabled and there is no invitation
     */
    async signUp(client: Client, { invitationId, ...user }: NewUser): Promise<void> {
      const email = readEmailAddress("email", user.email);
      if (!(await hasAccounts(db))) {
        throw new AppError(
          "FORBIDDEN",
          "This server has no owner yet. Use the setup link that the server printed when it started.",
        );
      }
      const isInvited = async () => invitationId !== null && (await findInvitation(db, invitationId))?.email === email;
      if (!config.openSignUp && !(await isInvited())) {
        throw new AppError("FORBIDDEN", "Sign-up is disabled on this server. Ask an owner for an invitation.");
      }
      const { api } = await load();
      const [response] = await Promise.all([
        api.signUpEmail({ body: { ...user, email }, ...callOptions(client) }),
        wait(SIGN_UP_MS),
      ]);
      await outcomeOf(response, client);
    },
    /**
     * Creates the invited user, who joins and is signed in. The token of the emailed link proves the address.
     * @throws 400 for a wrong token, 404 for an invitation that is not open, 409 when the address has an account
     */
    async signUpInvited(client: Client, user: InvitedUser): Promise<SignInOutcome> {
      const { password, invitationId, invitationToken } = user;
      const email = readEmailAddress("email", user.email);
      if (!isInvitationToken(encryption, invitationId, invitationToken))
        throw invalid("invitationToken", "is not valid");
      if ((await findInvitation(db, invitationId))?.email !== email) throw notFound("Invitation");
      const { api } = await load();
      const hash = await passwords.hash(password);
      if (!(await createInvitedMember(db, invitationId, { email, name: user.name, hash }))) {
        throw new AppError("CONFLICT", `${email} already has an account. Sign in to join.`);
      }
      keys.clearCache();
      return outcomeOf(await api.signInEmail({ body: { email, password }, ...callOptions(client) }), client);
    },
    async sendMagicLink(client: Client, email: string, callbackUrl: string): Promise<void> {
      const body = { email: readEmailAddress("email", email), metadata: { callbackUrl } };
      const { api } = await load();
      continueInBackground(api.signInMagicLink({ body, ...callOptions(client) }), client);
    },
    /** Redirects to `/dashboard?error=…` when the link is invalid, expired or already used. */
    async followMagicLink(client: Client, token: string, callbackURL: string): Promise<SignInOutcome> {
      const { api } = await load();
      const query = { token, callbackURL, errorCallbackURL: dashboard };
      return outcomeOf(await api.magicLinkVerify({ query, ...callOptions(client) }), client);
    },
    async requestPasswordReset(client: Client, email: string): Promise<void> {
      const body = { email: readEmailAddress("email", email) };
      const { api } = await load();
      continueInBackground(api.requestPasswordReset({ body, ...callOptions(client) }), client);
    },
    /** @throws 400 for a token that is invalid, expired or already used */
    async resetPassword(client: Client, token: string, newPassword: string): Promise<void> {
      const { api } = await load();
      const reset = () => api.resetPassword({ body: { token, newPassword }, ...callOptions(client) });
      await outcomeOf(await withPendingHash(client.ip, reset), client);
    },
    /** Replaces all sessions with a new one for this browser. @throws 400 when the current password is wrong */
    async changePassword(client: Client, currentPassword: string, newPassword: string): Promise<SignInOutcome> {
      const body = { currentPassword, newPassword, revokeOtherSessions: true };
      const { api } = await load();
      const change = async () => outcomeOf(await api.changePassword({ body, ...callOptions(client) }), client);
      return withPendingHash(client.ip, () => saveChangedPassword(db, change));
    },
    async sendVerification(client: Client, email: string): Promise<void> {
      const body = { email: readEmailAddress("email", email) };
      const { api } = await load();
      continueInBackground(
        api.sendVerificationEmail({ body, ...callOptions({ ...client, cookies: undefined }) }),
        client,
      );
    },
    /** Does not sign the user in, because the link may have reached someone who did not create the account. */
    async verifyEmail(client: Client, token: string): Promise<SignInOutcome> {
      const { api } = await load();
      return outcomeOf(
        await api.verifyEmail({ query: { token, callbackURL: dashboard }, ...callOptions(client) }),
        client,
      );
    },
  };
}

type InvitedMember = { email: string; name: string; hash: string };

/**
 * Creates a verified user who joins the organization, or nothing if the invitation is not open anymore.
 * @returns false when the address belongs to a verified user
 */
function createInvitedMember(db: AuthDeps["db"], invitationId: string, member: InvitedMember): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    const id = await createInvitedUser(trx, member);
    if (id === null) return false;
    const joined = await acceptInvitationWithin(trx, invitationId, { id, email: member.email });
    // Rolls back the user as well.
    if (joined === null) throw notFound("Invitation");
    return true;
  }).catch((error: unknown) => {
    if (isDuplicate(error)) return false;
    throw error;
  });
}

/**
 * A stranger may have signed up with the address before, so an unverified user loses their credentials, sessions and
 * keys. @returns the id, or null when the address belongs to a verified user
 */
async function createInvitedUser(trx: Transaction<Tables>, { email, name, hash }: InvitedMember) {
  const known = await findUser(trx, email);
  if (!known) return insertVerifiedUser(trx, { email, name, hash });
  if (!(await purgeUnverifiedWithin(trx, known.id))) return null;
  await renameUser(trx, known.id, name);
  await writePasswordWithin(trx, known.id, { hash });
  return known.id;
}

function saveResetPassword(db: AuthDeps["db"], onReset: Events["onReset"]) {
  return async (user: { id: string; email: string }) => {
    const { hash, ip } = requirePendingHash();
    await writePassword(db, user.id, { hash });
    await onReset(user, ip);
  };
}

/** Writes the password captured during `change`, and keeps the session that it created. */
async function saveChangedPassword(db: AuthDeps["db"], change: () => Promise<SignInOutcome>): Promise<SignInOutcome> {
  const outcome = await change();
  if (!outcome.session) throw new Error("better-auth created no session");
  const { token, user } = outcome.session;
  await writePassword(db, user.id, { hash: requirePendingHash().hash, keptSession: token });
  return outcome;
}

/** Converts better-auth's response. @throws our error for its refusals */
export function readOutcome(sessions: AuthDeps["sessions"]) {
  return async (response: Response, client: Client): Promise<SignInOutcome> => {
    if (response.status >= 400) throw toAppError(response.status, await response.json().catch(() => null));
    const cookies = response.headers.getSetCookie();
    const own = cookies.find((cookie) => cookie.startsWith(`${sessions.cookieName}=`))?.split(";", 1)[0];
    const session = own === undefined ? null : await sessions.authenticate(own);
    // Each sign-in creates a new session and ends the browser's previous one.
    if (session) await sessions.endPrevious(client.cookies);
    return { location: response.headers.get("location"), cookies, session };
  };
}

/** The options of every better-auth call. better-auth sees no other headers of the client. */
export function callOptions({ ip, userAgent, cookies }: Client) {
  const headers = new Headers({ [clientIpHeader]: ip });
  if (userAgent) headers.set("user-agent", userAgent.slice(0, 300));
  if (cookies) headers.set("cookie", cookies);
  return { headers, asResponse: true } as const;
}
