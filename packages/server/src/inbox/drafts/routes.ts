import * as contract from "@foyer/contract";
import type { FastifyRequest } from "fastify";
import { credentialId, requirePrincipal, requireSignedIn } from "../../auth/sessions/authenticate.ts";
import type { App } from "../../http/app.ts";
import type { DraftService } from "./service.ts";

export function messageDraftRoutes(app: App, drafts: DraftService): void {
  app.route({
    ...contract.listMessageDrafts,
    handler: async (request) => ({ data: await drafts.list(readWriter(request), request.params.id), error: null }),
  });
  app.route({
    ...contract.putMessageDraft,
    handler: async (request) => {
      const { id, mode } = request.params;
      const { text, attachments, actions } = request.body;
      const draft = { mode, text, attachments: attachments ?? [], actions: actions ?? null };
      return { data: await drafts.put(readWriter(request), id, draft), error: null };
    },
  });
}

function readWriter(request: FastifyRequest) {
  const principal = requirePrincipal(request);
  const { organizationId } = principal;
  return { organizationId, userId: requireSignedIn(request).user.id, uploaderId: credentialId(principal) };
}
