import * as contract from "@foyer/contract";
import { requirePrincipal } from "../../auth/sessions/authenticate.ts";
import type { App } from "../../http/app.ts";
import { withBodyRules } from "../../http/body-rules.ts";
import { sendJsonPages } from "../../http/json-pages.ts";
import { readHosts, type SecretInput, type SecretService } from "./service.ts";

export function secretRoutes(app: App, secrets: SecretService): void {
  app.route({
    ...contract.listSecrets,
    handler: async (request, reply) => {
      const pages = secrets.list(requirePrincipal(request).organizationId);
      return sendJsonPages(reply, { before: "[", pages, after: "]" });
    },
  });
  app.route({
    ...contract.createSecret,
    ...withBodyRules<SecretInput>(({ body }) => readHosts(body)),
    handler: async (request, reply) => {
      const { name, ...input } = request.body;
      return reply.status(201).send(await secrets.create(requirePrincipal(request).organizationId, name, input));
    },
  });
  app.route({
    ...contract.putSecret,
    ...withBodyRules<SecretInput>(({ body }) => readHosts(body)),
    handler: async (request) =>
      secrets.put(requirePrincipal(request).organizationId, request.params.name, request.body),
  });
  app.route({
    ...contract.deleteSecret,
    handler: async (request) => {
      await secrets.delete(requirePrincipal(request).organizationId, request.params.name);
      return { success: true as const };
    },
  });
}
