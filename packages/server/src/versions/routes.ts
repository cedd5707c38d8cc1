import * as contract from "@foyer/contract";
import { readEditor } from "../agents/editor.ts";
import { requirePrincipal } from "../auth/sessions/authenticate.ts";
import type { App } from "../http/app.ts";
import { createDisconnectSignal } from "../http/disconnect-signal.ts";
import type { VersionService } from "./service.ts";

export function versionRoutes(app: App, versions: VersionService): void {
  app.route({
    ...contract.listAgentVersions,
    handler: async (request) =>
      versions.list(requirePrincipal(request).organizationId, request.params.id, request.query),
  });
  app.route({
    ...contract.getAgentVersion,
    handler: async (request) => {
      const { id, version } = request.params;
      return { data: await versions.get(requirePrincipal(request).organizationId, id, version), error: null };
    },
  });
  app.route({
    ...contract.compareAgentVersions,
    handler: async (request) => {
      const { organizationId } = requirePrincipal(request);
      return {
        data: { changes: await versions.compare(organizationId, request.params.id, request.query) },
        error: null,
      };
    },
  });
  app.route({
    ...contract.publishAgent,
    handler: async (request, reply) => {
      const { organizationId } = requirePrincipal(request);
      const { version, isNew } = await versions.publish(organizationId, request.params.id, {
        note: request.body?.note?.trim() || null,
        editor: readEditor(request),
        signal: createDisconnectSignal(reply),
        waits: request.body?.wait !== false,
      });
      return reply.status(isNew ? 201 : 200).send({ data: version, error: null });
    },
  });
  app.route({
    ...contract.discardAgentDraft,
    handler: async (request) => {
      const { organizationId } = requirePrincipal(request);
      return { data: await versions.discard(organizationId, request.params.id, readEditor(request)), error: null };
    },
  });
  app.route({
    ...contract.restoreAgentVersion,
    handler: async (request, reply) => {
      const { id, version } = request.params;
      request.auditDetails = { version };
      const restored = await versions.restore(requirePrincipal(request), id, {
        version,
        withoutMissing: request.body?.withoutMissing === true,
        editor: readEditor(request),
      });
      return reply.status(201).send({ data: restored, error: null });
    },
  });
  app.route({
    ...contract.rollOutVersion,
    handler: async (request) => {
      const change = { rollout: request.body, editor: readEditor(request) };
      return { data: await versions.rollOut(requirePrincipal(request), request.params.id, change), error: null };
    },
  });
  app.route({
    ...contract.endRollout,
    handler: async (request) => {
      const { organizationId } = requirePrincipal(request);
      return { data: await versions.endRollout(organizationId, request.params.id, readEditor(request)), error: null };
    },
  });
}
