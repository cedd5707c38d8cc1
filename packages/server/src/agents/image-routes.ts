import * as contract from "@foyer/contract";
import { requirePrincipal } from "../auth/sessions/authenticate.ts";
import type { App } from "../http/app.ts";
import { matchesEtag } from "../http/etag.ts";
import { readEditor } from "./editor.ts";
import type { AgentImageService } from "./image-service.ts";

const YEAR_SECONDS = 31_536_000;

/** Uploading and serving an agent's logo, avatar and launcher image. */
export function agentImageRoutes(app: App, images: AgentImageService): void {
  app.route({
    ...contract.putAgentImage,
    handler: async (request) => {
      const { id: agentId, kind } = request.params;
      const { organizationId } = requirePrincipal(request);
      const change = { dataUrl: request.body.image, editor: readEditor(request) };
      return { data: await images.put({ organizationId, agentId, kind }, change), error: null };
    },
  });
  app.route({
    ...contract.deleteAgentImage,
    handler: async (request) => {
      const { id: agentId, kind } = request.params;
      const { organizationId } = requirePrincipal(request);
      return { data: await images.delete({ organizationId, agentId, kind }, readEditor(request)), error: null };
    },
  });
  app.route({
    ...contract.getAgentImage,
    handler: async (request, reply) => {
      const { id, kind } = request.params;
      const { mediaType, content, version } = await images.get(id, kind, request.query.v);
      const isCurrent = request.query.v === version;
      reply.headers({
        etag: `"${version}"`,
        "cache-control": isCurrent ? `public, max-age=${YEAR_SECONDS}, immutable` : "no-cache",
        "content-disposition": `inline; filename="${kind}.${mediaType.slice("image/".length)}"`,
      });
      if (matchesEtag(request.headers["if-none-match"], `"${version}"`)) return reply.status(304).send();
      return reply.type(mediaType).send(content);
    },
  });
}
