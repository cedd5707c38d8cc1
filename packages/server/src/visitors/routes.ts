import * as contract from "@foyer/contract";
import { requirePrincipal } from "../auth/sessions/authenticate.ts";
import type { Deps } from "../deps.ts";
import type { App } from "../http/app.ts";
import type { Idempotency } from "../http/idempotency.ts";
import { createVisitorExport } from "./export.ts";
import { identifierIn } from "./identifier.ts";
import { createPersonService } from "./person.ts";
import { personRoutes } from "./person-routes.ts";
import type { VisitorService } from "./service.ts";

export function visitorRoutes(
  app: App,
  deps: Pick<Deps, "db" | "reads" | "databaseKind" | "encryption">,
  {
    visitors,
    idempotency,
    ...sources
  }: { visitors: VisitorService; idempotency: Idempotency } & Omit<Parameters<typeof createVisitorExport>[1], "find">,
): void {
  personRoutes(app, createPersonService(deps), idempotency);
  const exportData = createVisitorExport(deps, { ...visitors, ...sources });
  app.route({
    ...contract.getVisitorData,
    handler: async (request) => visitors.data(requirePrincipal(request).organizationId, identifierIn(request.query)),
  });
  app.route({
    ...contract.exportVisitorData,
    handler: async (request, reply) => {
      const identifier = identifierIn(request.query);
      const file = exportData(requirePrincipal(request).organizationId, identifier);
      reply.header("content-disposition", 'attachment; filename="visitor-data.zip"');
      return reply.type("application/zip").send(file as never);
    },
  });
  app.route({
    ...contract.eraseVisitor,
    handler: async (request) => {
      const { organizationId } = requirePrincipal(request);
      const { dryRun, ...given } = request.body;
      const identifier = identifierIn(given);
      if (dryRun) {
        request.auditDetails = { dryRun: true };
        const found = await visitors.data(organizationId, identifier);
        return { id: null, erasedAt: null, identifierHash: visitors.hashOf(organizationId, identifier), ...found };
      }
      const receipt = await visitors.erase(organizationId, identifier);
      const { counts, identifierHash, receivers } = receipt;
      request.auditDetails = { counts, identifierHash, receivers };
      return receipt;
    },
  });
}
