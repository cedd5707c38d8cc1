import * as contract from "@foyer/contract";
import { isAtLeast } from "@foyer/contract/rules/roles";
import type { FastifyRequest } from "fastify";
import { credentialId, requirePrincipal } from "../auth/sessions/authenticate.ts";
import type { App } from "../http/app.ts";
import { withBodyRules } from "../http/body-rules.ts";
import type { Idempotency } from "../http/idempotency.ts";
import type { Webhooks } from "./webhooks.ts";

const organizationOf = (request: FastifyRequest) => requirePrincipal(request).organizationId;
const viewerOf = (request: FastifyRequest) => ({ isAdmin: isAtLeast(requirePrincipal(request).role, "admin") });

export function webhookRoutes(app: App, { service, feed }: Webhooks, idempotency: Idempotency): void {
  app.route({
    ...contract.listWebhooks,
    handler: async (request) => service.list(organizationOf(request), viewerOf(request)),
  });
  app.route({
    ...contract.createWebhook,
    ...withBodyRules<contract.WebhookChanges>((part, request) =>
      service.checkPart(organizationOf(request), null, part),
    ),
    handler: async (request, reply) => {
      const principal = requirePrincipal(request);
      const webhook = await idempotency.run({ request, reply, scope: credentialId(principal) }, (keep) =>
        service.create(principal.organizationId, request.body, keep),
      );
      return reply.status(201).send(webhook);
    },
  });
  app.route({
    ...contract.getWebhook,
    handler: async (request) => service.get(organizationOf(request), request.params.id, viewerOf(request)),
  });
  app.route({
    ...contract.updateWebhook,
    ...withBodyRules<contract.WebhookChanges, { id: string }>((part, request) =>
      service.checkPart(organizationOf(request), request.params.id, part),
    ),
    handler: async (request) => service.update(organizationOf(request), request.params.id, request.body),
  });
  app.route({
    ...contract.deleteWebhook,
    handler: async (request) => {
      await service.delete(organizationOf(request), request.params.id);
      return { success: true as const };
    },
  });
  app.route({
    ...contract.getWebhookSigningSecret,
    handler: async (request) => service.secret(organizationOf(request), request.params.id),
  });
  app.route({
    ...contract.rotateWebhookSigningSecret,
    handler: async (request) => service.rotateSecret(organizationOf(request), request.params.id),
  });
  app.route({
    ...contract.testWebhook,
    handler: async (request) => service.test(organizationOf(request), request.params.id, request.body.event),
  });
  app.route({
    ...contract.listWebhookDeliveries,
    handler: async (request) =>
      service.deliveries(organizationOf(request), request.params.id, {
        query: request.query,
        viewer: viewerOf(request),
      }),
  });
  app.route({
    ...contract.retryWebhookDelivery,
    handler: async (request) => service.retry(organizationOf(request), request.params.id, request.params.deliveryId),
  });
  app.route({
    ...contract.retryWebhook,
    handler: async (request) => ({ retried: await service.retryFailed(organizationOf(request), request.params.id) }),
  });
  app.route({ ...contract.listEvents, handler: async (request) => feed.list(organizationOf(request), request.query) });
  app.route({ ...contract.getEventFeed, handler: async (request) => feed.get(organizationOf(request)) });
  app.route({
    ...contract.putEventFeed,
    handler: async (request) => feed.put(organizationOf(request), request.body),
  });
}
