import * as contract from "@foyer/contract";
import type { FastifyRequest } from "fastify";
import { requirePrincipal, requireSignedIn } from "../../auth/sessions/authenticate.ts";
import type { App } from "../../http/app.ts";
import type { BulkService } from "./service.ts";

export function bulkRoutes(app: App, bulk: BulkService): void {
  app.route({
    ...contract.createBulkAction,
    handler: async (request, reply) =>
      reply.status(202).send({ data: await bulk.create(readOwner(request), request.body), error: null }),
  });
  app.route({
    ...contract.getBulkAction,
    handler: async (request) => ({ data: await bulk.get(readOwner(request), request.params.id), error: null }),
  });
  app.route({
    ...contract.undoBulkAction,
    handler: async (request, reply) =>
      reply.status(202).send({ data: await bulk.undo(readOwner(request), request.params.id), error: null }),
  });
}

function readOwner(request: FastifyRequest) {
  return { organizationId: requirePrincipal(request).organizationId, userId: requireSignedIn(request).user.id };
}
