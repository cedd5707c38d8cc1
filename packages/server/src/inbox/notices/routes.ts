import * as contract from "@foyer/contract";
import { isAtLeast } from "@foyer/contract/rules/roles";
import type { FastifyRequest } from "fastify";
import { requirePrincipal, requireSignedIn } from "../../auth/sessions/authenticate.ts";
import type { App } from "../../http/app.ts";
import type { NoticeService } from "./service.ts";

const organizationOf = (request: FastifyRequest) => requirePrincipal(request).organizationId;
const readMember = (request: FastifyRequest) => ({
  organizationId: organizationOf(request),
  userId: requireSignedIn(request).user.id,
});

export function noticeRoutes(app: App, service: NoticeService): void {
  app.route({ ...contract.getNoticeSettings, handler: async (request) => service.get(readMember(request)) });
  app.route({
    ...contract.putNoticeSettings,
    handler: async (request) => service.put(readMember(request), request.body),
  });
  app.route({ ...contract.getNoticeReach, handler: async (request) => service.reach(organizationOf(request)) });
  app.route({
    ...contract.testEmailNotice,
    handler: async (request) => service.testEmail(requireSignedIn(request).user.email),
  });
  app.route({ ...contract.getPushKey, handler: async () => service.pushKey() });
  app.route({
    ...contract.createPushSubscription,
    handler: async (request, reply) => {
      const { sessionId } = requireSignedIn(request);
      return reply.status(201).send(await service.subscribe({ ...readMember(request), sessionId }, request.body));
    },
  });
  app.route({
    ...contract.deletePushSubscription,
    handler: async (request) => {
      await service.unsubscribe(readMember(request), request.params.id);
      return { success: true as const };
    },
  });
  app.route({
    ...contract.testPushSubscription,
    handler: async (request) => service.testDevice(readMember(request), request.params.id),
  });
  app.route({
    ...contract.listNoticeChannels,
    handler: async (request) => {
      const { organizationId, role } = requirePrincipal(request);
      return service.channels(organizationId, { isAdmin: isAtLeast(role, "admin") });
    },
  });
  app.route({
    ...contract.createNoticeChannel,
    handler: async (request, reply) =>
      reply.status(201).send(await service.createChannel(organizationOf(request), request.body)),
  });
  app.route({
    ...contract.updateNoticeChannel,
    handler: async (request) => service.updateChannel(organizationOf(request), request.params.id, request.body),
  });
  app.route({
    ...contract.deleteNoticeChannel,
    handler: async (request) => {
      await service.deleteChannel(organizationOf(request), request.params.id);
      return { success: true as const };
    },
  });
  app.route({
    ...contract.testNoticeChannel,
    handler: async (request) => service.testChannel(organizationOf(request), request.params.id),
  });
}
