import Type, { type Static } from "typebox";
import { maxEmailLength } from "../rules/limits.ts";
import { roles } from "../rules/roles.ts";
import { nullable, ref, refOrNull, Success, stringEnum } from "../schema.ts";
import { Organization, plainName } from "./organization.ts";

export { type Role, roles } from "../rules/roles.ts";

const email = Type.String({ format: "email", minLength: 3, maxLength: maxEmailLength, description: "Email address" });
const newPassword = Type.String({ minLength: 12, maxLength: 128, description: "The new password" });
const somePassword = Type.String({ minLength: 1, maxLength: 128, description: "The current password" });
const token = Type.String({ minLength: 1, maxLength: 2_000, description: "Token of the emailed link" });
const callbackUrl = Type.String({
  minLength: 1,
  maxLength: 2_000,
  description: "Where to redirect after signing in: a path, or a URL on this server. Defaults to `/dashboard`.",
});

/** The signed-in user, the active organization, and all organizations of the user. */
export const Session = Type.Object(
  {
    user: Type.Object({
      id: Type.String(),
      name: Type.String(),
      email: Type.String(),
      emailVerified: Type.Boolean(),
    }),
    organization: nullable(Type.Object(Organization.properties)),
    role: nullable(stringEnum(roles)),
    organizations: Type.Array(Type.Object({ id: Type.String(), name: Type.String(), role: stringEnum(roles) })),
    expiresAt: Type.String({ format: "date-time" }),
  },
  { $id: "Session" },
);
export type Session = Static<typeof Session>;

const tags = ["Sign-in"];
const open = { access: "public", sameOrigin: true } as const;
const link = { access: "public" } as const;
const forUser = { access: "user" } as const;
const moved = { 302: Type.Null({ description: "Redirects to `callbackUrl`, or to `/dashboard?error=…`" }) };

export const signInByEmail = {
  method: "POST",
  url: "/auth/sign-in/email",
  config: open,
  schema: {
    tags,
    summary: "Sign in with a password. Sets the cookie `foyer_session` (`__Host-foyer_session` over HTTPS).",
    body: Type.Object({ email, password: somePassword }),
    response: { 200: ref(Session) },
  },
} as const;

/** The response is the same when the address already has an account, so it does not reveal who has one. */
export const signUpByEmail = {
  method: "POST",
  url: "/auth/sign-up/email",
  config: open,
  schema: {
    tags,
    summary: "Create a user. Requires an invitation unless open sign-up is enabled.",
    body: Type.Object({
      email,
      password: newPassword,
      name: Type.Optional(nullable(plainName)),
      invitationId: Type.Optional(
        nullable(
          Type.String({
            minLength: 1,
            maxLength: 100,
            description: "Id of an invitation for this address. Required unless open sign-up is enabled.",
          }),
        ),
      ),
      invitationToken: Type.Optional(
        nullable(
          Type.String({
            minLength: 1,
            maxLength: 200,
            description:
              "Token of the emailed invitation. It proves the address, so the user is signed in and joins. 409 if the address already has an account.",
          }),
        ),
      ),
    }),
    response: {
      201: Type.Object({
        success: Type.Literal(true),
        verificationSent: Type.Boolean({
          description: "Whether the user must confirm the email address before signing in",
        }),
        session: refOrNull(Session, { description: "The new session. `null` without `invitationToken`." }),
      }),
    },
  },
} as const;

export const signOut = {
  method: "POST",
  url: "/auth/sign-out",
  config: forUser,
  schema: { tags, summary: "Sign out", response: { 200: Success } },
} as const;

export const getSession = {
  method: "GET",
  url: "/auth/session",
  config: forUser,
  schema: { tags, summary: "Read the current session. 401 without one.", response: { 200: ref(Session) } },
} as const;

export const updateProfile = {
  method: "PATCH",
  url: "/auth/profile",
  config: forUser,
  schema: {
    tags,
    summary: "Change your own name",
    body: Type.Object({ name: plainName }),
    response: { 200: ref(Session) },
  },
} as const;

export const switchOrganization = {
  method: "POST",
  url: "/auth/switch-organization",
  config: forUser,
  schema: {
    tags,
    summary: "Switch to another of the user's organizations",
    body: Type.Object({
      organizationId: Type.String({ minLength: 1, maxLength: 100, description: "Id of the organization to switch to" }),
    }),
    response: { 200: ref(Session) },
  },
} as const;

/** The response is the same when no user has this address, so it does not reveal who has an account. */
export const sendMagicLink = {
  method: "POST",
  url: "/auth/magic-link",
  config: open,
  schema: {
    tags,
    summary: "Send a sign-in link. It can be used once, within ten minutes.",
    body: Type.Object({ email, callbackUrl: Type.Optional(nullable(callbackUrl)) }),
    response: { 200: Success },
  },
} as const;

const magicLinkQuery = Type.Object({ token, callbackUrl: Type.Optional(callbackUrl) });
const confirmationPage = {
  200: {
    description: "A page with a button. Opening the page changes nothing.",
    content: { "text/html": { schema: Type.String() } },
  },
};

/** Mail scanners open links, so opening one only shows a button. */
export const followMagicLink = {
  method: "GET",
  url: "/auth/magic-link/verify",
  config: link,
  schema: {
    tags,
    summary: "Open a sign-in link. Shows a page with a button that signs in.",
    querystring: magicLinkQuery,
    response: confirmationPage,
  },
} as const;

export const confirmMagicLink = {
  method: "POST",
  url: "/auth/magic-link/verify",
  config: open,
  schema: {
    tags,
    summary: "Redeem a sign-in link. The button of its page sends this request.",
    querystring: magicLinkQuery,
    response: moved,
  },
} as const;

/** The response is the same when no user has this address, so it does not reveal who has an account. */
export const requestPasswordReset = {
  method: "POST",
  url: "/auth/request-password-reset",
  config: open,
  schema: {
    tags,
    summary: "Send a password reset link, valid for one hour",
    body: Type.Object({ email }),
    response: { 200: Success },
  },
} as const;

export const resetPassword = {
  method: "POST",
  url: "/auth/reset-password",
  config: open,
  schema: {
    tags,
    summary: "Set a new password with the token of a reset link. Ends every session of the user.",
    body: Type.Object({ token, newPassword }),
    response: { 200: Success },
  },
} as const;

export const changePassword = {
  method: "POST",
  url: "/auth/change-password",
  config: forUser,
  schema: {
    tags,
    summary: "Change the user's password. Ends every other session.",
    body: Type.Object({ currentPassword: somePassword, newPassword }),
    response: { 200: ref(Session) },
  },
} as const;

/** The response is the same when no user has this address or when it is already confirmed, so it reveals neither. */
export const sendVerificationEmail = {
  method: "POST",
  url: "/auth/send-verification-email",
  config: open,
  schema: {
    tags,
    summary: "Resend the link that confirms an email address",
    body: Type.Object({ email }),
    response: { 200: Success },
  },
} as const;

export const verifyEmail = {
  method: "GET",
  url: "/auth/verify-email",
  config: link,
  schema: {
    tags,
    summary: "Open a confirmation link. Shows a page with a button that confirms the address.",
    querystring: Type.Object({ token }),
    response: confirmationPage,
  },
} as const;

export const confirmEmail = {
  method: "POST",
  url: "/auth/verify-email",
  config: open,
  schema: {
    tags,
    summary: "Confirm an email address. The button of the link's page sends this request.",
    querystring: Type.Object({ token }),
    response: moved,
  },
} as const;

const providerParams = Type.Object({ provider: Type.String({ description: "`google`, `github` or `oidc`" }) });

export const signInByProvider = {
  method: "GET",
  url: "/auth/sign-in/:provider",
  config: link,
  schema: {
    tags,
    summary: "Sign in with `google`, `github` or `oidc`. 404 if the provider is not configured.",
    params: providerParams,
    querystring: Type.Object({ callbackUrl: Type.Optional(callbackUrl) }),
    response: { 302: Type.Null({ description: "Redirects to the provider" }) },
  },
} as const;

export const providerCallback = {
  method: "GET",
  url: "/auth/callback/:provider",
  config: link,
  schema: {
    tags,
    summary: "Callback for sign-in providers",
    params: providerParams,
    querystring: Type.Object({
      code: Type.Optional(
        Type.String({
          maxLength: 4_000,
          description: "Authorization code, which the server exchanges for the identity",
        }),
      ),
      state: Type.Optional(
        Type.String({ maxLength: 4_000, description: "The value that the server sent to the provider" }),
      ),
      error: Type.Optional(
        Type.String({ maxLength: 200, description: "Why the provider rejected the sign-in, such as `access_denied`" }),
      ),
      iss: Type.Optional(
        Type.String({ maxLength: 2_000, description: "Issuer identifier of the provider (RFC 9207)" }),
      ),
    }),
    response: moved,
  },
} as const;

export const getSignInOptions = {
  method: "GET",
  url: "/auth/options",
  config: link,
  schema: {
    tags,
    summary: "Read the available sign-in methods",
    response: {
      200: Type.Object({
        providers: Type.Array(stringEnum(["google", "github", "oidc"])),
        openSignUp: Type.Boolean(),
        sendsMail: Type.Boolean({
          description: "Whether the server sends email. If not, links appear in the log or at `/members/links`.",
        }),
        needsSetUp: Type.Boolean({
          description: "Whether the server has no owner yet. The setup link in the terminal creates one.",
        }),
      }),
    },
  },
} as const;
