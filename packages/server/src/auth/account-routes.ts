import * as contract from "@foyer/contract";
import type { App } from "../app.ts";
import type { Deps } from "../deps.ts";
import { createAccountMails } from "./account-mails.ts";
import { apiKeyRoutes } from "./api-key-routes.ts";
import { createAuditLog, useAuditLog } from "./audit-log.ts";
import { accountOf } from "./authenticate.ts";
import { memberRoutes } from "./member-routes.ts";
import { createMemberService } from "./member-service.ts";
import { createSignIn, type LoadLibrary } from "./sign-in.ts";
import { createSignInProviders } from "./sign-in-providers.ts";
import { signInLinkRoutes, signInRoutes, type TakeTry } from "./sign-in-routes.ts";

/** Sign-in, members, keys and the audit log. Before all other routes, because what these change is recorded too. */
export function accountRoutes(app: App, deps: Deps, takeTry: TakeTry, loadLibrary: LoadLibrary): void {
  const audit = createAuditLog(deps);
  useAuditLog(app, audit);
  const mails = createAccountMails(deps);
  app.addHook("onClose", mails.settled);
  const signIn = createSignIn(deps, mails, loadLibrary, (user, ip) => audit.everywhere(user, "reset-password", ip));
  const providers = createSignInProviders(deps, mails, loadLibrary);
  const parts = { signIn, providers, audit, takeTry };
  signInRoutes(app, deps, parts);
  signInLinkRoutes(app, deps, parts);
  memberRoutes(app, { members: createMemberService(deps, mails), mails, audit, takeTry });
  apiKeyRoutes(app, deps);
  app.route({
    ...contract.listAuditLog,
    handler: async (request) => audit.list(accountOf(request).organizationId, request.query),
  });
}
