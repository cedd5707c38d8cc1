import * as contract from "@foyer/contract";
import { principalOf } from "../../auth/sessions/authenticate.ts";
import type { App } from "../../http/app.ts";
import type { EmbeddingService } from "./service.ts";

export function embeddingRoutes(app: App, embeddings: EmbeddingService): void {
  app.route({
    ...contract.getDocumentEmbeddings,
    handler: async (request) => embeddings.status(principalOf(request).organizationId, request.query.agentId ?? null),
  });
  app.route({
    ...contract.putDocumentEmbeddings,
    handler: async (request) => embeddings.choose(principalOf(request).organizationId, request.body.model),
  });
}
