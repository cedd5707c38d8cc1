import type { BetterAuthOptions } from "better-auth";
import { newId } from "../../ids.ts";
import type { AuthDeps } from "../auth-deps.ts";
import { SESSION_SECONDS, sessionCookieScope, signInSecret } from "../sessions/session-cookie.ts";
import type { AccountMails } from "./account-mails.ts";
import { clientIpHeader } from "./client.ts";
import { createPasswordHashing } from "./password-hashing.ts";

export type OnPasswordReset = (user: { id: string; email: string }) => Promise<void>;

const idPrefixes: Record<string, Parameters<typeof newId>[0]> = {
  user: "user",
  session: "session",
  account: "identity",
  verification: "verification",
};

/** better-auth is called as a library and not mounted: rate limits, origin checks and routes are our own. */
export function signInOptions(deps: AuthDeps, mails: AccountMails, onPasswordReset?: OnPasswordReset) {
  const { config, db, databaseKind, encryption, mailer } = deps;
  const { name, path, isSecure: secure } = sessionCookieScope(config);
  const { google, github } = config.signIn;
  return {
    appName: "Foyer",
    baseURL: `${config.baseUrl}/auth`,
    basePath: "/auth",
    secret: signInSecret(encryption),
    database: { db, type: databaseKind, transaction: false },
    telemetry: { enabled: false },
    logger: createLogger(deps),
    rateLimit: { enabled: false },
    onAPIError: { errorURL: `${config.baseUrl}/dashboard` },
    user: { modelName: "users" },
    session: {
      modelName: "sessions",
      expiresIn: SESSION_SECONDS,
      additionalFields: { activeOrganizationId: { type: "string", required: false, input: false } },
    },
    account: {
      modelName: "identities",
      updateAccountOnSignIn: false,
      // library-hooks.ts deletes the earlier credentials of a user whose address was never verified.
      accountLinking: { enabled: true, trustedProviders: [], requireLocalEmailVerified: false },
    },
    verification: { modelName: "verifications", storeIdentifier: "hashed" },
    emailAndPassword: {
      enabled: true,
      minPasswordLength: 12,
      maxPasswordLength: 128,
      autoSignIn: false,
      requireEmailVerification: mailer.isConfigured,
      resetPasswordTokenExpiresIn: 3_600,
      revokeSessionsOnPasswordReset: true,
      sendResetPassword: async ({ user, token }) => mails.passwordReset(user.email, token),
      onPasswordReset: async ({ user }) => onPasswordReset?.(user),
      onExistingUserSignUp: async ({ user }) => mails.alreadySignedUp(user.email),
      password: createPasswordHashing(),
    },
    emailVerification: {
      sendOnSignUp: mailer.isConfigured,
      sendOnSignIn: mailer.isConfigured,
      expiresIn: 86_400,
      sendVerificationEmail: async ({ user, token }) => mails.verification(user.email, token),
    },
    socialProviders: {
      ...(google ? { google: { ...google, mapProfileToUser: readEmailVerified } } : {}),
      ...(github ? { github } : {}),
    },
    advanced: {
      // Set explicitly, because better-auth disables the check when it detects a test runner.
      disableOriginCheck: false,
      useSecureCookies: false,
      cookiePrefix: "foyer",
      cookies: { session_token: { name } },
      defaultCookieAttributes: { path, secure, httpOnly: true, sameSite: "lax" },
      database: { generateId: ({ model }) => newId(idPrefixes[model] ?? "verification"), validateSchema: false },
      ipAddress: { ipAddressHeaders: [clientIpHeader] },
      backgroundTasks: { handler: mails.inBackground },
    },
  } satisfies BetterAuthOptions;
}

/** better-auth would accept any truthy claim, such as the text "false". */
function readEmailVerified(profile: { email_verified?: unknown }) {
  return { emailVerified: profile.email_verified === true };
}

/** Forwards better-auth's messages to our log without their details, which may contain email addresses and tokens. */
function createLogger({ log }: AuthDeps): NonNullable<BetterAuthOptions["logger"]> {
  return {
    level: "warn",
    log(level, message, ...details) {
      const reason = details.find((detail) => detail instanceof Error)?.message;
      log[level === "error" ? "warn" : "debug"]({ reason }, `sign-in: ${message}`);
    },
  };
}
