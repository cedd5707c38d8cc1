import Type, { type Static } from "typebox";
import { Organization, plainName } from "./organization.ts";
import { nullable, oneOf, ref, Success } from "./schema.ts";

/** What somebody may do in an organization, from least to most. */
export const roles = ["member", "admin", "owner"] as const;
export type Role = (typeof roles)[number];

const email = Type.String({ minLength: 3, maxLength: 254, description: "An address such as you@example.com" });
const newPassword = Type.String({ minLength: 12, maxLength: 128 });
const somePassword = Type.String({ minLength: 1, maxLength: 128 });
const token = Type.String({ minLength: 1, maxLength: 2_000 });
const callbackUrl = Type.String({
  minLength: 1,
  maxLength: 2_000,
  description: "Where to go once signed in: a path, or an address of this server. `/dashboard` when left out",
});

/** Whose browser this is, in which organization it works, and in which it could. */
export const Session = Type.Object(
  {
    user: Type.Object({
      id: Type.String(),
      name: Type.String(),
      email: Type.String(),
      emailVerified: Type.Boolean(),
    }),
    organization: nullable(Type.Object(Organization.properties)),
    role: nullable(oneOf(roles)),
    organizations: Type.Array(Type.Object({ id: Type.String(), name: Type.String(), role: oneOf(roles) })),
    expiresAt: Type.String({ format: "date-time" }),
  },
  { $id: "Session" },
);
export type Session = Static<typeof Session>;

const tags = ["Sign-in"];
const open = { access: "public", sameOrigin: true } as const;
const link = { access: "public" } as const;
const forUser = { access: "user" } as const;
const moved = { 302: Type.Null({ description: "Goes on to `callbackUrl`, or to `/dashboard?error=…`" }) };

export const signInByEmail = {
  method: "POST",
  url: "/auth/sign-in/email",
  config: open,
  schema: {
    tags,
    summary: "Sign in with a password; sets the cookie `foyer_session` (`__Host-foyer_session` over https)",
    body: Type.Object({ email, password: somePassword }),
    response: { 200: ref(Session) },
  },
} as const;

/** The same answer for an address that has an account already. */
export const signUpByEmail = {
  method: "POST",
  url: "/auth/sign-up/email",
  config: open,
  schema: {
    tags,
    summary: "Make a user; sign in afterwards. Needs an invitation unless the server is open to all",
    body: Type.Object({
      email,
      password: newPassword,
      name: Type.Optional(nullable(plainName)),
      invitationId: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 100 }))),
    }),
    response: {
      201: Type.Object({
        success: Type.Literal(true),
        verificationSent: Type.Boolean({ description: "A mail with a link has to be followed before signing in" }),
      }),
    },
  },
} as const;

export const signOut = {
  method: "POST",
  url: "/auth/sign-out",
  config: forUser,
  schema: { tags, summary: "End this session", response: { 200: Success } },
} as const;

export const getSession = {
  method: "GET",
  url: "/auth/session",
  config: forUser,
  schema: { tags, summary: "Who is signed in; 401 when nobody is", response: { 200: ref(Session) } },
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
    summary: "Go on in another of one's organizations",
    body: Type.Object({ organizationId: Type.String({ minLength: 1, maxLength: 100 }) }),
    response: { 200: ref(Session) },
  },
} as const;

/** The same answer for an address that nobody has. */
export const sendMagicLink = {
  method: "POST",
  url: "/auth/magic-link",
  config: open,
  schema: {
    tags,
    summary: "Send a link that signs in, once, within ten minutes",
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
    summary: "Open a sign-in link: shows the page that signs in with one click",
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
    summary: "Use up a sign-in link and sign in; sent by the button of that page",
    querystring: magicLinkQuery,
    response: moved,
  },
} as const;

/** The same answer for an address that nobody has. */
export const requestPasswordReset = {
  method: "POST",
  url: "/auth/request-password-reset",
  config: open,
  schema: {
    tags,
    summary: "Send a link to `/dashboard/reset-password?token=…`, good for an hour",
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
    summary: "Set a new password by such a link's token; ends every session",
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
    summary: "Change one's password; ends every other session",
    body: Type.Object({ currentPassword: somePassword, newPassword }),
    response: { 200: ref(Session) },
  },
} as const;

/** The same answer for an address that nobody has, and for one that is confirmed already. */
export const sendVerificationEmail = {
  method: "POST",
  url: "/auth/send-verification-email",
  config: open,
  schema: {
    tags,
    summary: "Send the link that confirms an address again",
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
    summary: "Open a confirmation link: shows the page that confirms the address with one click",
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
    summary: "Confirm an email address; sent by the button of that page",
    querystring: Type.Object({ token }),
    response: moved,
  },
} as const;

export const signInByProvider = {
  method: "GET",
  url: "/auth/sign-in/:provider",
  config: link,
  schema: {
    tags,
    summary: "Sign in with `google`, `github` or `oidc`; 404 for one that is not set up here",
    params: Type.Object({ provider: Type.String() }),
    querystring: Type.Object({ callbackUrl: Type.Optional(callbackUrl) }),
    response: { 302: Type.Null({ description: "Goes on to the provider" }) },
  },
} as const;

export const providerCallback = {
  method: "GET",
  url: "/auth/callback/:provider",
  config: link,
  schema: {
    tags,
    summary: "Where a provider sends the browser back to",
    params: Type.Object({ provider: Type.String() }),
    querystring: Type.Object({
      code: Type.Optional(Type.String({ maxLength: 4_000 })),
      state: Type.Optional(Type.String({ maxLength: 4_000 })),
      error: Type.Optional(Type.String({ maxLength: 200 })),
      iss: Type.Optional(Type.String({ maxLength: 2_000 })),
    }),
    response: moved,
  },
} as const;

/** For the sign-in page. */
export const getSignInOptions = {
  method: "GET",
  url: "/auth/options",
  config: link,
  schema: {
    tags,
    summary: "How one can sign in here",
    response: {
      200: Type.Object({
        providers: Type.Array(oneOf(["google", "github", "oidc"])),
        openSignUp: Type.Boolean(),
        sendsMail: Type.Boolean({ description: "Otherwise links go to the log, or to owners at `/members/links`" }),
        needsSetUp: Type.Boolean({ description: "Nobody owns this server yet: the printed set-up link comes first" }),
      }),
    },
  },
} as const;
