import * as contract from "@foyer/contract";
import type { FastifyRequest } from "fastify";
import { credentialId, requirePrincipal } from "../../auth/sessions/authenticate.ts";
import type { App } from "../../http/app.ts";
import { withBodyRules } from "../../http/body-rules.ts";
import { createDisconnectSignal } from "../../http/disconnect-signal.ts";
import type { Idempotency } from "../../http/idempotency.ts";
import type { SourceService } from "./service.ts";

export function sourceRoutes(app: App, sources: SourceService, idempotency: Idempotency): void {
  const organizationOf = (request: FastifyRequest) => requirePrincipal(request).organizationId;
  app.route({
    ...contract.createSource,
    ...withBodyRules<contract.SourceCreate>((part) => sources.checkPartOfNew(part)),
    handler: async (request, reply) => {
      const principal = requirePrincipal(request);
      const source = await idempotency.run({ request, reply, scope: credentialId(principal) }, (keep) =>
        sources.create(principal, request.body, keep),
      );
      return reply.status(201).send(source);
    },
  });
  app.route({
    ...contract.listSources,
    handler: async (request) => sources.list(organizationOf(request), request.query),
  });
  app.route({
    ...contract.previewSource,
    ...withBodyRules<contract.SourceCreate>((part) => sources.checkPartOfNew(part)),
    handler: async (request, reply) =>
      sources.preview(organizationOf(request), request.body, createDisconnectSignal(reply)),
  });
  app.route({
    ...contract.getSource,
    handler: async (request) => sources.get(organizationOf(request), request.params.id),
  });
  app.route({
    ...contract.listSourcePages,
    handler: async (request) => sources.pages(organizationOf(request), request.params.id, request.query),
  });
  app.route({
    ...contract.updateSource,
    ...withBodyRules<contract.SourceChanges, { id: string }>((part, request) =>
      sources.checkPart(organizationOf(request), request.params.id, part),
    ),
    handler: async (request) => sources.update(organizationOf(request), request.params.id, request.body),
  });
  app.route({
    ...contract.deleteSource,
    handler: async (request) => {
      await sources.delete(organizationOf(request), request.params.id);
      return { success: true as const };
    },
  });
  app.route({
    ...contract.syncSource,
    handler: async (request, reply) =>
      reply.status(202).send(await sources.sync(organizationOf(request), request.params.id)),
  });
  app.route({
    ...contract.stopSource,
    handler: async (request) => sources.stop(organizationOf(request), request.params.id),
  });
}
