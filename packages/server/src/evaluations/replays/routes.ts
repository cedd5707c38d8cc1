import * as contract from "@foyer/contract";
import { isAtLeast } from "@foyer/contract/rules/roles";
import type { FastifyRequest } from "fastify";
import { requirePrincipal } from "../../auth/sessions/authenticate.ts";
import { AppError } from "../../errors.ts";
import type { App } from "../../http/app.ts";
import type { ReplayService } from "./service.ts";

export function replayRoutes(app: App, replays: ReplayService): void {
  app.route({
    ...contract.listReplays,
    handler: async (request) => replays.list(placeOf(request, request.params), request.query),
  });
  app.route({
    ...contract.createReplay,
    handler: async (request, reply) => {
      const { userId, role } = requirePrincipal(request);
      const isDryRun = request.query.dryRun === true;
      if (request.body.maxCost === null && !isDryRun && !isAtLeast(role, "admin")) {
        throw new AppError("FORBIDDEN", "You need the admin role to start a replay without a `maxCost`.");
      }
      if (isDryRun) request.auditDetails = { dryRun: true };
      const place = placeOf(request, request.params);
      const { id, estimate, suggestedMaxCost } = await replays.create(place, request.body, { isDryRun, userId });
      const status = isDryRun ? null : ("running" as const);
      return reply.status(isDryRun ? 200 : 202).send({ data: { id, status, estimate, suggestedMaxCost }, error: null });
    },
  });
  app.route({
    ...contract.getReplay,
    handler: async (request) => ({
      data: await replays.get(placeOf(request, request.params), request.params.replayId, request.query),
      error: null,
    }),
  });
  app.route({
    ...contract.deleteReplay,
    handler: async (request) => {
      await replays.delete(placeOf(request, request.params), request.params.replayId);
      return { success: true as const };
    },
  });
  app.route({
    ...contract.putReplayVerdict,
    handler: async (request) => ({
      data: await replays.setVerdict(placeOf(request, request.params), request.params, request.body.verdict),
      error: null,
    }),
  });
}

/** The agent of a request, within the caller's organization. */
function placeOf(request: FastifyRequest, { id }: { id: string }) {
  return { organizationId: requirePrincipal(request).organizationId, agentId: id };
}
