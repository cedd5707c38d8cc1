import * as contract from "@foyer/contract";
import type { App } from "../app.ts";
import type { Config } from "../config.ts";
import type { Idempotency } from "../http/idempotency.ts";
import { hasState } from "../http/if-none-match.ts";
import { clientKey, createRateLimit } from "../plans/rate-limit.ts";
import type { VisitorTriggers } from "./visitor-triggers.ts";

/** What the widget asks for. */
export function visitorTriggerRoutes(
  app: App,
  { limits }: Config,
  triggers: VisitorTriggers,
  idempotency: Idempotency,
): void {
  const perSession = createRateLimit(limits.eventsPerSession, "trigger events");
  const perIp = createRateLimit(limits.eventsPerIp, "trigger events from your address");

  app.route({
    ...contract.listWidgetTriggers,
    handler: async (request, reply) => {
      const { origin, "if-none-match": known } = request.headers;
      const { body, headers } = await triggers.listing(request.params.agentId, origin);
      reply.headers(headers);
      if (hasState(known, headers.etag)) return reply.removeHeader("content-type").status(304).send();
      return reply.send(body as unknown as contract.WidgetTrigger[]);
    },
  });
  app.route({
    ...contract.recordTriggerEvent,
    handler: async (request, reply) => {
      const { body } = request;
      // For loopback clients too: events are written for every caller, who needs no key.
      const client = clientKey(request.ip);
      // First of all, so that guessing ids counts too.
      await perIp.consume(client);
      await triggers.listing(body.agentId, request.headers.origin);
      await perSession.consume(body.sessionId ? `${body.agentId}:${body.sessionId}` : client);
      const scope = `${body.agentId}:${body.sessionId ?? ""}`;
      return idempotency.run({ request, reply, scope }, (keep) => triggers.record(body, keep));
    },
  });
  app.route({
    ...contract.getVisitorForm,
    handler: async (request) =>
      triggers.form(request.params.toolIdOrName, request.query.agentId ?? null, request.headers.origin),
  });
}
