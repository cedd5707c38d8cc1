import * as contract from "@foyer/contract";
import type { FastifyRequest } from "fastify";
import { createConversationToken } from "../auth/conversation-token.ts";
import { readViewer } from "../conversations/routes.ts";
import type { ConversationService } from "../conversations/service.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../errors.ts";
import type { App } from "../http/app.ts";
import { withBodyRules } from "../http/body-rules.ts";
import { sendEvents } from "../http/sse.ts";
import { createRateLimit, findLimitedClient } from "../plans/rate-limit.ts";
import type { VisitorLimit } from "../plans/visitor-limit.ts";
import { whileReplyStarts } from "../starting-replies.ts";
import type { ChatService } from "./service.ts";
import { followStored } from "./stream/follow-reply.ts";
import { parsePosition } from "./stream/reply-events.ts";
import { checkChatRequest } from "./turn/check-request.ts";

export function chatRoutes(
  app: App,
  deps: Deps,
  {
    chat,
    conversations,
    visitorLimit,
  }: { chat: ChatService; conversations: ConversationService; visitorLimit: VisitorLimit },
): void {
  const { config, encryption } = deps;
  const perSession = createRateLimit(config.limits.chatPerSession, "messages");
  /**
   * Trusts the country header only behind a proxy: more than one address means that a trusted proxy forwarded the
   * request.
   */
  const readCountry = (request: FastifyRequest) =>
    config.countryHeader && (request.ips?.length ?? 0) > 1
      ? request.headers[config.countryHeader]?.toString()
      : undefined;
  const readCaller = (request: FastifyRequest) => ({
    ip: findLimitedClient(request, config),
    origin: request.headers.origin,
    log: request.log,
    proof: { token: request.conversationToken, organizationId: request.principal?.organizationId ?? null },
    memberOf: request.principal?.userId ? request.principal.organizationId : null,
    visit: {
      userAgent: request.headers["user-agent"],
      acceptLanguage: request.headers["accept-language"],
      country: readCountry(request),
    },
  });

  app.route({
    ...contract.chat,
    ...withBodyRules<contract.ChatRequest>(checkChatRequest),
    // Runs before validation, so that guessing ids counts and every response carries the rate-limit headers.
    ...visitorLimit,
    handler: async (request, reply) => {
      const { body } = request;
      const caller = readCaller(request);
      const answer = await whileReplyStarts(async () => {
        const agent = await chat.agentFor(body.agentId, caller);
        chat.replies.checkRoom({ owner: agent.organizationId, address: caller.ip });
        if (body.sessionId) await perSession.consume(`${agent.id}:${body.sessionId}`, request);
        checkChatRequest({ body, refused: new Set() });
        return chat.start(agent, body, caller);
      });
      const followable = await chat.toFollowable(answer, request.log);
      return sendEvents(reply, config.heartbeat, (reader) => followable.follow(reader, 0));
    },
  });
  app.route({
    ...contract.beginConversation,
    ...withBodyRules<contract.ChatRequest>(checkChatRequest),
    ...visitorLimit,
    handler: async (request, reply) => {
      // A body can have further fields, which have no effect here.
      const body = { ...request.body, conversationId: null, regenerate: null };
      const caller = readCaller(request);
      const agent = await chat.agentFor(body.agentId, caller);
      if (body.sessionId) await perSession.consume(`${agent.id}:${body.sessionId}`, request);
      checkChatRequest({ body, refused: new Set() });
      return reply.status(201).send({ data: await chat.begin(agent, body, caller), error: null });
    },
  });
  app.route({
    ...contract.resumeChat,
    handler: async (request, reply) => {
      const { conversationId } = request.params;
      const lastEventId = request.headers["last-event-id"];
      await conversations.existing(readViewer(request, conversationId), conversationId);
      const isByLink = request.linkVersion !== null;
      const running = chat.replies.get(conversationId);
      // A running reply sends the conversation's token if its own request had one. The holder of a link must not receive
      // it, so they read the stored reply.
      if (running && !(isByLink && running.conversationToken !== null)) {
        const position = parsePosition(lastEventId, running.messageId);
        await chat.replies.confirm(running);
        if (!running.isInterrupted) {
          return sendEvents(reply, config.heartbeat, (reader) => running.follow(reader, position));
        }
      }
      const row = await chat.store.latestReply(conversationId);
      if (!row) throw notFound("A reply in this conversation was");
      const token = isByLink ? null : createConversationToken(encryption, conversationId);
      const follow = followStored(chat.store, row, { conversationToken: token, lastEventId });
      return sendEvents(reply, config.heartbeat, (reader) =>
        follow(reader, (error) => {
          request.log.warn({ err: error }, "following a reply failed");
          reader.end();
        }),
      );
    },
  });
  app.route({
    ...contract.stopChat,
    handler: async (request) => {
      const { conversationId } = request.params;
      await chat.stop(readViewer(request, conversationId), conversationId);
      return { data: { success: true as const }, error: null };
    },
  });
  app.route({
    ...contract.claimToolCall,
    handler: async (request) => {
      const { conversationId } = request.params;
      await conversations.existing(readViewer(request, conversationId), conversationId);
      await chat.clientTools.claim(conversationId, request.body);
      return { data: { success: true as const }, error: null };
    },
  });
  app.route({
    ...contract.sendToolResult,
    handler: async (request) => {
      const { conversationId } = request.params;
      await conversations.existing(readViewer(request, conversationId), conversationId);
      await chat.clientTools.answer(conversationId, request.body);
      return { data: { success: true as const }, error: null };
    },
  });
}
