import * as contract from "@foyer/contract";
import type { Deps } from "../deps.ts";
import type { App } from "../http/app.ts";
import { createEntityTag, matchesEtag } from "../http/etag.ts";
import { toAgentWidget } from "./columns.ts";
import type { AgentService } from "./service.ts";

/** The public endpoint that the widget loads first. */
export function visitorAgentRoutes(
  app: App,
  { config, mailer }: Pick<Deps, "config" | "mailer">,
  agents: AgentService,
): void {
  const ownOrigin = new URL(config.baseUrl).origin;
  app.route({
    ...contract.getAgentWidget,
    handler: async (request, reply) => {
      const agent = await agents.getPublic(request.params.id);
      agents.checkOrigin(agent, request.headers.origin, ownOrigin);
      const data = toAgentWidget(agent, { canEmail: mailer.isConfigured });
      const etag = createEntityTag(JSON.stringify(data));
      // Browsers revalidate the response on every page, so that changes apply immediately. Usually, they receive a 304.
      reply.headers({ etag, "cache-control": "no-cache", vary: "origin" });
      if (matchesEtag(request.headers["if-none-match"], etag)) return reply.status(304).send();
      return { data, error: null };
    },
  });
}
