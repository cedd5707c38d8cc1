import * as contract from "@foyer/contract";
import { notFound } from "../errors.ts";
import type { App } from "../http/app.ts";
import { renameOrganization, renameUser } from "./account-store.ts";
import type { AuditLog } from "./audit/audit-log.ts";
import type { AuthDeps } from "./auth-deps.ts";
import { readPlainName } from "./plain-name.ts";
import { requirePrincipal, requireSignedIn } from "./sessions/authenticate.ts";

/** Endpoints that rename the organization and the signed-in user. */
export function profileRoutes(app: App, { db, sessions }: Pick<AuthDeps, "db" | "sessions">, audit: AuditLog): void {
  app.route({
    ...contract.updateOrganization,
    handler: async (request) => {
      const name = readPlainName("name", request.body.name);
      const organization = await renameOrganization(db, requirePrincipal(request).organizationId, name);
      if (!organization) throw notFound("Organization");
      return organization;
    },
  });
  app.route({
    ...contract.updateProfile,
    handler: async (request) => {
      const session = requireSignedIn(request);
      const name = readPlainName("name", request.body.name);
      await renameUser(db, session.user.id, name);
      await audit.recordOwnAction(request, session, "change-name");
      return sessions.describe({ ...session, user: { ...session.user, name } });
    },
  });
}
