import * as contract from "@foyer/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import { checkAll } from "../../errors.ts";
import type { App } from "../../http/app.ts";
import { withBodyRules } from "../../http/body-rules.ts";
import { hasAccounts } from "../account-store.ts";
import type { AuditLog } from "../audit/audit-log.ts";
import type { AuthDeps } from "../auth-deps.ts";
import type { ConsumeAttempt } from "../consume-attempt.ts";
import { readEmailAddress } from "../email-address.ts";
import { readPlainName } from "../plain-name.ts";
import { requireSignedIn } from "../sessions/authenticate.ts";
import { toLandingAddress } from "../sessions/same-origin.ts";
import type { SignedIn } from "../sessions/sessions.ts";
import type { Client } from "./client.ts";
import type { SignInProviders } from "./providers.ts";
import type { SignIn, SignInOutcome } from "./sign-in.ts";

type Parts = { signIn: SignIn; providers: SignInProviders; audit: AuditLog; consumeAttempt: ConsumeAttempt };
type Context = Pick<AuthDeps, "db" | "config" | "sessions" | "mailer">;

/** Endpoints that create, read and end sessions. */
export function signInRoutes(app: App, deps: Context, { signIn, audit, consumeAttempt, providers }: Parts): void {
  const { db, config, sessions, mailer } = deps;
  const answer = async (request: FastifyRequest, reply: FastifyReply, session: SignedIn | null) => {
    if (!session) throw new Error("better-auth created no session");
    await audit.recordOwnAction(request, session, "sign-in");
    return reply.header("cache-control", "no-store").send(await sessions.describe(session));
  };

  app.route({
    ...contract.signInByEmail,
    handler: async (request, reply) => {
      const { email, password } = request.body;
      await consumeAttempt(request, email);
      const outcome = await signIn.byPassword(readClient(request), email, password);
      setCookies(reply, outcome);
      return answer(request, reply, outcome.session);
    },
  });
  app.route({
    ...contract.signUpByEmail,
    ...withBodyRules<SignUp>(({ body }) => checkSignUp(body)),
    handler: async (request, reply) => {
      const { email, password, name, invitationId = null, invitationToken = null } = request.body;
      await consumeAttempt(request, email);
      checkSignUp({ email, name: name ?? null });
      const user = { email, password, name: name ? readPlainName("name", name) : "" };
      if (invitationToken === null) {
        await signIn.signUp(readClient(request), { ...user, invitationId });
        return reply.status(201).send({ success: true, verificationSent: mailer.isConfigured, session: null });
      }
      const invitation = { invitationId: invitationId ?? "", invitationToken };
      const outcome = await signIn.signUpInvited(readClient(request), { ...user, ...invitation });
      if (!outcome.session) throw new Error("better-auth created no session");
      setCookies(reply, outcome);
      await audit.recordOwnAction(request, outcome.session, "accept-invitation");
      const session = await sessions.describe(outcome.session);
      return reply
        .status(201)
        .header("cache-control", "no-store")
        .send({ success: true, verificationSent: false, session });
    },
  });
  app.route({
    ...contract.signOut,
    handler: async (request, reply) => {
      const session = requireSignedIn(request);
      await sessions.end(session.token);
      await audit.recordOwnAction(request, session, "sign-out");
      return reply.header("set-cookie", sessions.cookie(null)).send({ success: true as const });
    },
  });
  app.route({
    ...contract.getSession,
    handler: async (request, reply) => {
      const session = requireSignedIn(request);
      if (await sessions.extend(session)) reply.header("set-cookie", sessions.cookie(session.token));
      return reply.header("cache-control", "no-store").send(await sessions.describe(session));
    },
  });
  app.route({
    ...contract.switchOrganization,
    handler: async (request) => {
      const session = requireSignedIn(request);
      await sessions.switchTo(session, request.body.organizationId);
      return sessions.describe((await sessions.find(session.token)) ?? session);
    },
  });
  app.route({
    ...contract.changePassword,
    handler: async (request, reply) => {
      const before = requireSignedIn(request);
      await consumeAttempt(request, before.user.email);
      const { currentPassword, newPassword } = request.body;
      const { session, ...outcome } = await signIn.changePassword(readClient(request), currentPassword, newPassword);
      if (!session) throw new Error("better-auth created no session");
      setCookies(reply, outcome);
      if (before.membership) await sessions.switchTo(session, before.membership.organizationId);
      await audit.recordOwnAction(request, before, "change-password");
      return sessions.describe((await sessions.find(session.token)) ?? session);
    },
  });
  app.route({
    ...contract.getSignInOptions,
    handler: async () => ({
      providers: providers.configured,
      openSignUp: config.openSignUp,
      sendsMail: mailer.isConfigured,
      needsSetUp: !(await hasAccounts(db)),
    }),
  });
}

/** Sign-in by emailed links and by external providers: sending the links, and the URLs that the browser returns to. */
export function signInLinkRoutes(
  app: App,
  { config }: Pick<Context, "config">,
  { signIn, providers, audit, consumeAttempt }: Parts,
): void {
  const redirect = async (request: FastifyRequest, reply: FastifyReply, outcome: SignInOutcome) => {
    setCookies(reply, outcome);
    if (outcome.session) await audit.recordOwnAction(request, outcome.session, "sign-in");
    return reply.header("cache-control", "no-store").redirect(outcome.location ?? `${config.baseUrl}/dashboard`);
  };

  app.route({
    ...contract.sendMagicLink,
    handler: async (request) => {
      const { email, callbackUrl } = request.body;
      const landing = toLandingAddress(callbackUrl, config);
      await consumeAttempt(request, email, "link");
      await signIn.sendMagicLink(readClient(request), email, landing);
      return { success: true as const };
    },
  });
  app.route({
    ...contract.confirmMagicLink,
    handler: async (request, reply) => {
      const landing = toLandingAddress(request.query.callbackUrl, config);
      await consumeAttempt(request);
      return redirect(request, reply, await signIn.followMagicLink(readClient(request), request.query.token, landing));
    },
  });
  app.route({
    ...contract.requestPasswordReset,
    handler: async (request) => {
      await consumeAttempt(request, request.body.email, "link");
      await signIn.requestPasswordReset(readClient(request), request.body.email);
      return { success: true as const };
    },
  });
  app.route({
    ...contract.resetPassword,
    handler: async (request) => {
      await consumeAttempt(request);
      await signIn.resetPassword(readClient(request), request.body.token, request.body.newPassword);
      return { success: true as const };
    },
  });
  app.route({
    ...contract.sendVerificationEmail,
    handler: async (request) => {
      await consumeAttempt(request, request.body.email, "link");
      await signIn.sendVerification(readClient(request), request.body.email);
      return { success: true as const };
    },
  });
  app.route({
    ...contract.confirmEmail,
    handler: async (request, reply) => {
      await consumeAttempt(request);
      return redirect(request, reply, await signIn.verifyEmail(readClient(request), request.query.token));
    },
  });
  app.route({
    ...contract.signInByProvider,
    // A HEAD request would start a sign-in, or use it up at the callback.
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      const landing = toLandingAddress(request.query.callbackUrl, config);
      await consumeAttempt(request);
      return redirect(request, reply, await providers.start(readClient(request), request.params.provider, landing));
    },
  });
  app.route({
    ...contract.providerCallback,
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      await consumeAttempt(request);
      return redirect(
        request,
        reply,
        await providers.finish(readClient(request), request.params.provider, request.query),
      );
    },
  });
}

type SignUp = { email: string; name?: string | null };

/** Checks what the schema of the body cannot express. @throws 400 with the path of every problem */
function checkSignUp({ email, name }: Partial<SignUp>): void {
  checkAll([
    () => {
      if (email !== undefined) readEmailAddress("email", email);
    },
    () => {
      if (name) readPlainName("name", name);
    },
  ]);
}

function readClient({ ip, headers }: FastifyRequest): Client {
  return { ip, userAgent: headers["user-agent"], cookies: headers.cookie };
}

function setCookies(reply: FastifyReply, { cookies }: Pick<SignInOutcome, "cookies">) {
  if (cookies.length > 0) reply.header("set-cookie", cookies);
}
