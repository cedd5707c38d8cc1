import * as contract from "@foyer/contract";
import type { Config } from "../config.ts";
import type { App } from "../http/app.ts";
import { matchesEtag } from "../http/etag.ts";
import type { Idempotency } from "../http/idempotency.ts";
import { clientKey, countBody, createRateLimit } from "../plans/rate-limit.ts";
import type { Listing } from "./listing.ts";
import type { VisitorTriggers } from "./visitor-triggers.ts";

/** Endpoints for the widget. */
export function visitorTriggerRoutes(
  app: App,
  { limits }: Config,
  { triggers, idempotency }: { triggers: VisitorTriggers; idempotency: Idempotency },
): void {
  const perSession = createRateLimit(limits.eventsPerSession, "trigger events");
  const perIp = createRateLimit(limits.eventsPerIp, "trigger events from your address");

  app.route({
    ...contract.listWidgetTriggers,
    handler: (request, reply) => {
      const { origin, "if-none-match": known } = request.headers;
      const send = ({ body, headers }: Listing) => {
        reply.headers(headers);
        if (matchesEtag(known, headers.etag)) return reply.removeHeader("content-type").status(304).send();
        return reply.send(body as never);
      };
      // A cached listing is sent without a promise, because promises are a large part of the cost of such a request.
      const listing = triggers.listing(request.params.agentId, origin);
      return (listing instanceof Promise ? listing.then(send) : send(listing)) as never;
    },
  });
  app.route({
    ...contract.recordTriggerEvent,
    // Runs before validation, so that guessing ids counts and every response has rate limit headers. Loopback clients
    // count too, because events are stored for every caller without a key.
    onRequest: (request) => perIp.consume(clientKey(request.ip), request, countBody(request)),
    handler: async (request, reply) => {
      const { body } = request;
      await triggers.listing(body.agentId, request.headers.origin);
      await perSession.consume(body.sessionId ? `${body.agentId}:${body.sessionId}` : clientKey(request.ip), request);
      const scope = `${body.agentId}:${body.sessionId ?? ""}`;
      return idempotency.run({ request, reply, scope }, (keep) => triggers.record(body, keep));
    },
  });
  app.route({
    ...contract.getVisitorForm,
    handler: async (request) =>
      triggers.form(request.params.toolIdOrName, {
        agentId: request.query.agentId ?? null,
        organizationId: request.principal?.organizationId ?? null,
        origin: request.headers.origin,
      }),
  });
}
