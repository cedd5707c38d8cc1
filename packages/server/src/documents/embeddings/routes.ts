import * as contract from "@foyer/contract";
import { requirePrincipal } from "../../auth/sessions/authenticate.ts";
import type { App } from "../../http/app.ts";
import type { EmbeddingService } from "./service.ts";

export function embeddingRoutes(app: App, embeddings: EmbeddingService): void {
  app.route({
    ...contract.getDocumentEmbeddings,
    handler: async (request) =>
      embeddings.status(requirePrincipal(request).organizationId, request.query.agentId ?? null),
  });
  app.route({
    ...contract.putDocumentEmbeddings,
    handler: async (request) => embeddings.choose(requirePrincipal(request).organizationId, request.body.model),
  });
}
