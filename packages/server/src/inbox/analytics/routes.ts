import * as contract from "@foyer/contract";
import { requirePrincipal } from "../../auth/sessions/authenticate.ts";
import type { App } from "../../http/app.ts";
import type { InboxAnalyticsService } from "./service.ts";

export function inboxAnalyticsRoutes(app: App, analytics: InboxAnalyticsService): void {
  app.route({
    ...contract.getInboxAnalytics,
    handler: async (request, reply) => {
      const { organizationId } = requirePrincipal(request);
      const { format, group = "member", ...query } = request.query;
      if (format !== "csv") return { data: await analytics.read(organizationId, query), error: null };
      const csv = await analytics.csv(organizationId, query, group);
      reply.header("content-disposition", `attachment; filename="${group}s.csv"`);
      return reply.type("text/csv; charset=utf-8").send(csv as never);
    },
  });
}
