import * as contract from "@foyer/contract";
import { MINUTE_MS } from "@foyer/contract/rules/time";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { AuthDeps } from "../../auth/auth-deps.ts";
import { requirePrincipal } from "../../auth/sessions/authenticate.ts";
import { readViewer } from "../../conversations/routes.ts";
import type { ConversationService } from "../../conversations/service.ts";
import { AppError } from "../../errors.ts";
import type { App } from "../../http/app.ts";
import { sendEvents } from "../../http/sse.ts";
import { createRateLimit, findLimitedClient } from "../../plans/rate-limit.ts";
import type { LiveStreams } from "./live-streams.ts";
import type { OpenStream } from "./open-streams.ts";
import { VISITOR } from "./presence.ts";

/**
 * A stream ends after this time, in milliseconds, and its client opens a new one. The connection of a computer that has
 * fallen asleep can look alive for a quarter of an hour, and its member must not appear present for that long.
 */
const INBOX_MS = 5 * MINUTE_MS;
const CONVERSATION_MS = 30 * MINUTE_MS;

type NewStream = Pick<OpenStream, "organizationId" | "subject" | "conversationId"> & {
  lifetimeMs: number;
  follow: (stream: OpenStream) => () => void;
};

export function liveRoutes(
  app: App,
  { config, sessions, keys }: Pick<AuthDeps, "config" | "sessions" | "keys">,
  { live, conversations }: { live: LiveStreams; conversations: ConversationService },
): void {
  const perIp = createRateLimit(config.limits.chatPerIp, "requests from your address");
  const limitVisitor = (request: FastifyRequest) =>
    request.principal ? Promise.resolve() : perIp.consume(findLimitedClient(request, config), request);

  /** Sends a stream. `follow` connects it to its source, and returns a function that disconnects it. */
  function send(request: FastifyRequest, reply: FastifyReply, { lifetimeMs, follow, ...stream }: NewStream) {
    const { organizationId } = stream;
    const client = { organizationId, isMember: request.principal !== null, ip: findLimitedClient(request, config) };
    live.checkRoom(client);
    // Vary the lifetime, so that streams that started together, such as after a restart, do not end together.
    const expiresAt = Date.now() + lifetimeMs * (0.75 + Math.random() / 4);
    const isAllowed = createCredentialCheck(request);
    return sendEvents(reply, config.heartbeat, (reader) =>
      follow({ ...stream, ...client, reader, isAllowed, expiresAt }),
    );
  }

  /** Whether the request's session or key still belongs to the organization. */
  function createCredentialCheck({ principal, signedIn, headers }: FastifyRequest): OpenStream["isAllowed"] {
    if (!principal) return null;
    const { organizationId } = principal;
    const token = signedIn?.token;
    if (token !== undefined) {
      return async () => (await sessions.find(token))?.membership?.organizationId === organizationId;
    }
    const key = headers.authorization?.replace(/^Bearer +/i, "").trim() ?? "";
    return async () => (await keys.authenticate(key))?.organizationId === organizationId;
  }

  app.route({
    ...contract.conversationEvents,
    onRequest: limitVisitor,
    handler: async (request, reply) => {
      const { id: conversationId } = request.params;
      const { organizationId } = await conversations.existing(readViewer(request, conversationId), conversationId);
      const lastEventId = request.headers["last-event-id"];
      const topic = { organizationId, conversationId };
      const isVisible = request.query.visible !== false;
      const client = { isMember: request.principal !== null, isVisible, lastEventId };
      return send(request, reply, {
        organizationId,
        subject: `conversation:${conversationId}`,
        conversationId,
        lifetimeMs: CONVERSATION_MS,
        follow: (stream) => live.followConversation(stream, topic, client),
      });
    },
  });
  app.route({
    ...contract.inboxEvents,
    handler: async (request, reply) => {
      const { organizationId, userId } = requirePrincipal(request);
      if (userId === null) throw new AppError("FORBIDDEN", "API keys cannot call this endpoint. Sign in instead.");
      const lastEventId = request.headers["last-event-id"];
      return send(request, reply, {
        organizationId,
        subject: `member:${organizationId}:${userId}`,
        conversationId: null,
        lifetimeMs: INBOX_MS,
        follow: (stream) =>
          live.followInbox(stream, { organizationId, userId }, { lastEventId, isActive: request.query.active }),
      });
    },
  });
  app.route({
    ...contract.updatePresence,
    // The whole body is optional, which a schema cannot express.
    preValidation: async (request) => {
      if (request.body === undefined) request.body = {};
    },
    handler: async (request) => {
      const { organizationId, userId } = requirePrincipal(request);
      if (userId === null) throw new AppError("FORBIDDEN", "API keys cannot call this endpoint. Sign in instead.");
      const isAway = await live.updatePresence({ organizationId, userId }, request.body.isAway ?? undefined);
      return { data: { isAway }, error: null };
    },
  });
  app.route({
    ...contract.reportTyping,
    onRequest: limitVisitor,
    handler: async (request) => {
      const { id: conversationId } = request.params;
      const { principal } = request;
      const { organizationId, handler } = await conversations.existing(
        readViewer(request, conversationId),
        conversationId,
      );
      if (principal?.userId === null) {
        throw new AppError("FORBIDDEN", "An API key cannot report typing. Sign in, or send the conversation's token.");
      }
      // While the agent has the conversation, a visitor's typing concerns no member. Members who write notes see each other.
      if (handler !== "agent" || principal)
        await live.typing({ organizationId, conversationId, who: principal?.userId ?? VISITOR });
      return { data: { success: true as const }, error: null };
    },
  });
  app.route({
    ...contract.reportSeen,
    // The whole body is optional, which a schema cannot express.
    preValidation: async (request) => {
      if (request.body === undefined) request.body = {};
    },
    handler: async (request) => {
      const { id: conversationId } = request.params;
      const { principal, body } = request;
      const { organizationId } = await conversations.existing(readViewer(request, conversationId), conversationId);
      // An API key belongs to a site, which may relay the chats of its visitors.
      if (principal && principal.userId !== null) {
        throw new AppError("FORBIDDEN", "Members mark a conversation as read with POST /conversations/:id/read.");
      }
      await live.seen({ organizationId, conversationId }, body.messageId ?? null);
      return { data: { success: true as const }, error: null };
    },
  });
}
