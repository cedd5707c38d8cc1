import * as contract from "@foyer/contract";
import type { App } from "../http/app.ts";
import { apiKeyRoutes } from "./api-key-routes.ts";
import { type AuditLog, createAuditLog, registerAuditLog } from "./audit/audit-log.ts";
import type { AuthDeps } from "./auth-deps.ts";
import type { ConsumeAttempt } from "./consume-attempt.ts";
import { memberRoutes } from "./members/routes.ts";
import { createMemberService } from "./members/service.ts";
import type { OnMemberRemoved } from "./members/store.ts";
import { profileRoutes } from "./profile-routes.ts";
import { requirePrincipal } from "./sessions/authenticate.ts";
import { createAccountMails } from "./sign-in/account-mails.ts";
import { createSignInProviders } from "./sign-in/providers.ts";
import { signInLinkRoutes, signInRoutes } from "./sign-in/routes.ts";
import { createSignIn, type LoadLibrary } from "./sign-in/sign-in.ts";

type Parts = { consumeAttempt: ConsumeAttempt; loadLibrary: LoadLibrary; onMemberRemoved: OnMemberRemoved };

/**
 * Registers sign-in, members, keys and the audit log. Call this before registering other routes, so that their changes
 * are recorded.
 * @returns the audit log
 */
export function accountRoutes(
  app: App,
  deps: AuthDeps,
  { consumeAttempt, loadLibrary, onMemberRemoved }: Parts,
): AuditLog {
  const audit = createAuditLog(deps);
  registerAuditLog(app, audit);
  const mails = createAccountMails(deps);
  app.addHook("onClose", mails.drain);
  const signIn = createSignIn(deps, {
    mails,
    loadLibrary,
    onReset: (user, ip) => audit.recordEverywhere(user, "reset-password", ip),
    onFailedSignIn: audit.recordFailedSignIn,
  });
  const providers = createSignInProviders(deps, mails, loadLibrary);
  const parts = { signIn, providers, audit, consumeAttempt };
  signInRoutes(app, deps, parts);
  signInLinkRoutes(app, deps, parts);
  memberRoutes(app, { members: createMemberService(deps, mails, onMemberRemoved), mails, audit, consumeAttempt });
  profileRoutes(app, deps, audit);
  apiKeyRoutes(app, deps);
  app.route({
    ...contract.listAuditLog,
    handler: async (request) => audit.list(requirePrincipal(request).organizationId, request.query),
  });
  return audit;
}
