import * as contract from "@foyer/contract";
import type { FastifyRequest } from "fastify";
import { requirePrincipal, requireSignedIn } from "../../auth/sessions/authenticate.ts";
import type { App } from "../../http/app.ts";
import type { ViewService } from "./service.ts";

export function viewRoutes(app: App, views: ViewService): void {
  app.route({
    ...contract.listInboxViews,
    handler: async (request) => ({ data: await views.list(readUser(request)), error: null }),
  });
  app.route({
    ...contract.createInboxView,
    handler: async (request, reply) =>
      reply.status(201).send({ data: await views.create(readUser(request), request.body), error: null }),
  });
  app.route({
    ...contract.updateInboxView,
    handler: async (request) => ({
      data: await views.update(readUser(request), request.params.id, request.body),
      error: null,
    }),
  });
  app.route({
    ...contract.deleteInboxView,
    handler: async (request) => {
      await views.delete(readUser(request), request.params.id);
      return { data: { success: true as const }, error: null };
    },
  });
}

function readUser(request: FastifyRequest) {
  return { organizationId: requirePrincipal(request).organizationId, userId: requireSignedIn(request).user.id };
}
