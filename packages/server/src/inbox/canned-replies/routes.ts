import * as contract from "@foyer/contract";
import { credentialId, requirePrincipal } from "../../auth/sessions/authenticate.ts";
import type { App } from "../../http/app.ts";
import type { Idempotency } from "../../http/idempotency.ts";
import { sendJsonPages } from "../../http/json-pages.ts";
import type { CannedReplyService } from "./service.ts";

export function cannedReplyRoutes(app: App, cannedReplies: CannedReplyService, idempotency: Idempotency): void {
  app.route({
    ...contract.listCannedReplies,
    handler: async (request, reply) => {
      const pages = cannedReplies.list(requirePrincipal(request).organizationId);
      return sendJsonPages(reply, { before: "[", pages, after: "]" });
    },
  });
  app.route({
    ...contract.createCannedReply,
    handler: async (request, reply) => {
      const principal = requirePrincipal(request);
      const created = await idempotency.run({ request, reply, scope: credentialId(principal) }, (keep) =>
        cannedReplies.create(principal.organizationId, request.body, keep),
      );
      return reply.status(201).send(created);
    },
  });
  app.route({
    ...contract.updateCannedReply,
    handler: async (request) =>
      cannedReplies.update(requirePrincipal(request).organizationId, request.params.id, request.body),
  });
  app.route({
    ...contract.deleteCannedReply,
    handler: async (request) => {
      await cannedReplies.delete(requirePrincipal(request).organizationId, request.params.id);
      return { success: true as const };
    },
  });
}
