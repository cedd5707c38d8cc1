import * as contract from "@foyer/contract";
import type { FastifyRequest } from "fastify";
import { credentialId, requirePrincipal, requireSignedIn } from "../auth/sessions/authenticate.ts";
import type { Config } from "../config.ts";
import { readViewer } from "../conversations/routes.ts";
import { invalid } from "../errors.ts";
import type { App } from "../http/app.ts";
import { withBodyRules } from "../http/body-rules.ts";
import type { Idempotency } from "../http/idempotency.ts";
import { isMailAddress } from "../outbound/smtp-address.ts";
import { createRateLimit, findLimitedClient } from "../plans/rate-limit.ts";
import type { InboxService, Member } from "./service.ts";

/** Endpoints that hand conversations over to members of the team and return them to the agent. */
export function inboxRoutes(
  app: App,
  { config, inbox, idempotency }: { config: Config; inbox: InboxService; idempotency: Idempotency },
): void {
  const { limits } = config;
  // Each request notifies the team, and anyone can begin any number of conversations.
  const perConversation = createRateLimit(limits.chatPerSession, "requests for a person");
  const perAddress = createRateLimit(limits.handoffPerIp, "requests for a person from your address");

  app.route({
    ...contract.requestHuman,
    ...withBodyRules<{ email?: string | null }>(({ body: { email } }) => readAddress(email)),
    handler: async (request) => {
      const { id } = request.params;
      const { reason, email } = request.body;
      const details = { reason: reason?.trim() || null, email: readAddress(email) };
      await perConversation.consume(id, request);
      if (!request.principal) await perAddress.consume(findLimitedClient(request, config), request);
      return { data: await inbox.request(readViewer(request, id), id, details), error: null };
    },
  });
  app.route({
    ...contract.cancelHandoff,
    handler: async (request) => {
      const { id } = request.params;
      return { data: await inbox.cancel(readViewer(request, id), id), error: null };
    },
  });
  app.route({
    ...contract.takeOver,
    handler: async (request) => ({
      data: await inbox.takeOver(readMember(request), request.params.id),
      error: null,
    }),
  });
  app.route({
    ...contract.assignConversation,
    handler: async (request) => ({
      data: await inbox.assign(readMember(request), request.params.id, request.body),
      error: null,
    }),
  });
  app.route({
    ...contract.returnConversation,
    handler: async (request) => {
      const { note = null, epoch = null } = request.body;
      return { data: await inbox.returnToAgent(readMember(request), request.params.id, { note, epoch }), error: null };
    },
  });
  app.route({
    ...contract.closeConversation,
    handler: async (request) => {
      const { epoch = null } = request.query;
      return { data: await inbox.close(readMember(request), request.params.id, { epoch }), error: null };
    },
  });
  app.route({
    ...contract.sendMemberMessage,
    ...withBodyRules<MessageBody>(({ body, refused }) => {
      if (!refused.has("content") && !refused.has("attachments")) checkContent(body);
    }),
    handler: async (request, reply) => {
      const member = readMember(request);
      checkContent(request.body);
      const scope = credentialId(requirePrincipal(request));
      const { content, attachments, actions } = request.body;
      const message = await idempotency.run({ request, reply, scope }, (keep) =>
        inbox.send(member, request.params.id, {
          content,
          endsDraft: true,
          attachments: { ids: attachments ?? [], uploaderId: scope },
          actions: actions ?? {},
          keep,
        }),
      );
      return reply.status(201).send({ data: message, error: null });
    },
  });
}

type MessageBody = { content?: string; attachments?: readonly string[] | null };

/** @throws 400 for a message without text and attachments */
function checkContent({ content = "", attachments }: MessageBody): void {
  if (content.trim() !== "" || (attachments?.length ?? 0) > 0) return;
  throw invalid("content", "must not be empty without `attachments`", "min_length");
}

/** @throws 400 for an invalid address, because the visitor would never receive the answer */
function readAddress(email: string | null | undefined): string | null {
  const address = email?.trim() || null;
  if (address === null || isMailAddress(address)) return address;
  throw invalid("email", "must be an email address such as you@example.com", "format");
}

/** The signed-in member. */
function readMember(request: FastifyRequest): Member {
  const { user } = requireSignedIn(request);
  return { organizationId: requirePrincipal(request).organizationId, userId: user.id, name: user.name };
}
