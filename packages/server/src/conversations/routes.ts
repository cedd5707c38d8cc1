import * as contract from "@foyer/contract";
import type { FastifyRequest } from "fastify";
import { requirePrincipal } from "../auth/sessions/authenticate.ts";
import type { App } from "../http/app.ts";
import { sendJsonPages } from "../http/json-pages.ts";
import type { ConversationAnalyticsService } from "./analytics/service.ts";
import type { ReplyFailures } from "./reply-failures.ts";
import type { ConversationService } from "./service.ts";
import type { Viewer } from "./store.ts";

export function conversationRoutes(
  app: App,
  {
    conversations,
    analytics,
    failures,
  }: { conversations: ConversationService; analytics: ConversationAnalyticsService; failures: ReplyFailures },
): void {
  app.route({
    ...contract.listConversations,
    handler: async (request, reply) => {
      const { organizationId, userId } = requirePrincipal(request);
      if (request.query.format !== "csv") {
        return { ...(await conversations.list(organizationId, request.query, userId)), error: null };
      }
      const csv = await conversations.csv(organizationId, request.query, userId);
      reply.header("content-disposition", 'attachment; filename="conversations.csv"');
      return reply.type("text/csv; charset=utf-8").send(csv as never);
    },
  });
  app.route({
    ...contract.getConversationAnalytics,
    handler: async (request) => ({
      data: await analytics.read(requirePrincipal(request).organizationId, request.query),
      error: null,
    }),
  });
  app.route({
    ...contract.getConversation,
    handler: async (request, reply) => {
      const { id } = request.params;
      const { fields, messagePages } = await conversations.get(readViewer(request, id), id);
      const before = `{"data":${JSON.stringify(fields).slice(0, -1)},"messages":[`;
      return sendJsonPages(reply, { before, pages: messagePages, after: ']},"error":null}' });
    },
  });
  app.route({
    ...contract.deleteConversation,
    handler: async (request) => {
      const { id } = request.params;
      await conversations.delete(readViewer(request, id), id, { submissions: request.query.submissions === true });
      return { data: { success: true as const }, error: null };
    },
  });
  app.route({
    ...contract.readConversation,
    handler: async (request) => {
      await conversations.markRead(requirePrincipal(request).organizationId, request.params.id);
      return { data: { success: true as const }, error: null };
    },
  });
  app.route({
    ...contract.listProviderFailures,
    handler: async (request) => ({
      data: await failures.lately(requirePrincipal(request).organizationId),
      error: null,
    }),
  });
  app.route({
    ...contract.rateMessage,
    handler: async (request) => {
      const { id } = request.params;
      const { messageId, rating } = request.body;
      await conversations.rate(readViewer(request, id), id, request.body);
      return { data: { messageId, rating }, error: null };
    },
  });
}

/** The organization, or the holder of this conversation's token. authenticate.ts rejects other callers. */
export function readViewer(request: FastifyRequest, conversationId: string): Viewer {
  return request.principal ? { organizationId: request.principal.organizationId } : { conversationId };
}
