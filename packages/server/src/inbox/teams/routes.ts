import * as contract from "@foyer/contract";
import { requirePrincipal } from "../../auth/sessions/authenticate.ts";
import type { App } from "../../http/app.ts";
import type { TeamService } from "./service.ts";

export function teamRoutes(app: App, teams: TeamService): void {
  app.route({
    ...contract.listTeams,
    handler: async (request) => ({ data: await teams.list(requirePrincipal(request).organizationId), error: null }),
  });
  app.route({
    ...contract.createTeam,
    handler: async (request, reply) => {
      const team = await teams.create(requirePrincipal(request).organizationId, request.body);
      return reply.status(201).send({ data: team, error: null });
    },
  });
  app.route({
    ...contract.getTeam,
    handler: async (request) => ({
      data: await teams.get(requirePrincipal(request).organizationId, request.params.id),
      error: null,
    }),
  });
  app.route({
    ...contract.updateTeam,
    handler: async (request) => ({
      data: await teams.update(requirePrincipal(request).organizationId, request.params.id, request.body),
      error: null,
    }),
  });
  app.route({
    ...contract.deleteTeam,
    handler: async (request) => {
      await teams.delete(requirePrincipal(request).organizationId, request.params.id);
      return { data: { success: true as const }, error: null };
    },
  });
}
