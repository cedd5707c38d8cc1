import * as contract from "@foyer/contract";
import { requirePrincipal, requireSignedIn } from "../../auth/sessions/authenticate.ts";
import type { App } from "../../http/app.ts";
import type { TeamChats } from "./team-chats.ts";

/**
 * Endpoints that let members link their account in a team chat. The chats themselves are settings of notice channels.
 */
export function teamChatRoutes(app: App, teamChats: TeamChats): void {
  app.route({
    ...contract.createTeamChatCode,
    handler: async (request, reply) => {
      const { organizationId } = requirePrincipal(request);
      const created = await teamChats.createCode(organizationId, request.params.id, requireSignedIn(request).user.id);
      return reply.status(201).send(created);
    },
  });
  app.route({
    ...contract.deleteTeamChatLink,
    handler: async (request) => {
      const { organizationId } = requirePrincipal(request);
      await teamChats.unlink(organizationId, request.params.id, requireSignedIn(request).user.id);
      return { success: true as const };
    },
  });
}
