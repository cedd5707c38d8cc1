import * as contract from "@foyer/contract";
import type { FastifyRequest } from "fastify";
import type { IdentityProof } from "../agents/identity/verified-visitor.ts";
import { requirePrincipal } from "../auth/sessions/authenticate.ts";
import { AppError } from "../errors.ts";
import type { App } from "../http/app.ts";
import { sendJsonPages } from "../http/json-pages.ts";
import type { ConversationAnalyticsService } from "./analytics/service.ts";
import type { ConversationMarks } from "./marks.ts";
import type { ReplyFailures } from "./reply-failures.ts";
import type { ConversationService } from "./service.ts";
import type { Viewer } from "./store.ts";
import type { ConversationTrash } from "./trash.ts";

export function conversationRoutes(
  app: App,
  {
    conversations,
    marks,
    analytics,
    failures,
    readTrace,
    deleteConversation,
    trash,
    applyView,
  }: {
    conversations: ConversationService;
    marks: ConversationMarks;
    analytics: ConversationAnalyticsService;
    failures: ReplyFailures;
    readTrace(place: {
      organizationId: string;
      conversationId: string;
      messageId: string;
    }): Promise<contract.ReplyTrace>;
    deleteConversation(viewer: Viewer, id: string, options: { submissions: boolean }): Promise<void>;
    trash: ConversationTrash;
    /** Adds the filters of the saved view that a query names. */
    applyView(
      user: { organizationId: string; userId: string | null },
      query: contract.ConversationQuery,
    ): Promise<contract.ConversationQuery>;
  },
): void {
  app.route({
    ...contract.listConversations,
    handler: async (request, reply) => {
      const { organizationId, userId } = requirePrincipal(request);
      const query = await applyView({ organizationId, userId }, request.query);
      if (query.format !== "csv") {
        return { ...(await conversations.list(organizationId, query, userId)), error: null };
      }
      const csv = await conversations.csv(organizationId, query, userId);
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
    ...contract.estimateModelCosts,
    handler: async (request) => ({
      data: await analytics.estimateCosts(requirePrincipal(request).organizationId, request.query),
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
    ...contract.getReplyTrace,
    handler: async (request) => {
      const { id, messageId } = request.params;
      const { principal } = request;
      if (!principal) throw new AppError("FORBIDDEN", "Only members and API keys can read what a reply did.");
      const place = { organizationId: principal.organizationId, conversationId: id, messageId };
      return { data: await readTrace(place), error: null };
    },
  });
  app.route({
    ...contract.deleteConversation,
    handler: async (request) => {
      const { id } = request.params;
      await deleteConversation(readViewer(request, id), id, { submissions: request.query.submissions === true });
      return { data: { success: true as const }, error: null };
    },
  });
  app.route({
    ...contract.trashConversation,
    handler: async (request) => {
      const { organizationId, name } = requirePrincipal(request);
      return { data: await trash.trash(organizationId, request.params.id, name), error: null };
    },
  });
  app.route({
    ...contract.restoreConversation,
    handler: async (request) => {
      await trash.restore(requirePrincipal(request).organizationId, request.params.id);
      return { data: { success: true as const }, error: null };
    },
  });
  app.route({
    ...contract.readConversation,
    handler: async (request) => {
      await marks.markRead(requirePrincipal(request).organizationId, request.params.id);
      return { data: { success: true as const }, error: null };
    },
  });
  app.route({
    ...contract.revokeConversationLinks,
    handler: async (request) => {
      await marks.revokeLinks(requirePrincipal(request).organizationId, request.params.id);
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
      await marks.rate(readViewer(request, id), id, request.body);
      return { data: { messageId, rating }, error: null };
    },
  });
}

/** The organization, or the holder of a token for this conversation. authenticate.ts rejects other callers. */
export function readViewer(request: FastifyRequest, conversationId: string): Viewer {
  const { principal, linkVersion, headers } = request;
  if (principal) return { organizationId: principal.organizationId };
  return { conversationId, linkVersion, proof: readIdentityHeaders(headers) };
}

/** The proof of a signed-in user. Requests without a body have no other place for it. */
function readIdentityHeaders(headers: FastifyRequest["headers"]): IdentityProof {
  const read = (name: string) => {
    const value = headers[name];
    return typeof value === "string" && value !== "" ? value : null;
  };
  return {
    userToken: read("foyer-user-token"),
    userId: decodeId(read("foyer-user-id")),
    userHash: read("foyer-user-hash"),
  };
}

/** Ids are percent-encoded, because a header cannot contain every character. An invalid one proves nothing. */
function decodeId(id: string | null): string | null {
  try {
    return id === null ? null : decodeURIComponent(id);
  } catch {
    return null;
  }
}
