import * as contract from "@foyer/contract";
import type { App } from "../http/app.ts";
import type { ConversationRatings } from "./rating.ts";
import { readViewer } from "./routes.ts";

export function ratingRoutes(app: App, ratings: ConversationRatings): void {
  app.route({
    ...contract.getRatingRequest,
    handler: async (request) => {
      const { id } = request.params;
      return { data: await ratings.read(readViewer(request, id), id), error: null };
    },
  });
  app.route({
    ...contract.rateConversation,
    handler: async (request) => {
      const { id } = request.params;
      // An API key belongs to a site, which may relay the ratings of its visitors.
      const isMember = Boolean(request.principal?.userId);
      return { data: await ratings.rate(readViewer(request, id), id, { ...request.body, isMember }), error: null };
    },
  });
}
