import * as contract from "@foyer/contract";
import { requirePrincipal } from "../../auth/sessions/authenticate.ts";
import type { App } from "../../http/app.ts";
import type { MailRecipients } from "./mail-recipients.ts";

/** Endpoints for mail recipients. The page on which a recipient confirms the address is in pages/. */
export function mailRecipientRoutes(app: App, recipients: MailRecipients): void {
  app.route({
    ...contract.listMailRecipients,
    handler: async (request) => recipients.list(requirePrincipal(request).organizationId),
  });
  app.route({
    ...contract.createMailRecipient,
    handler: async (request, reply) => {
      const { organizationId } = requirePrincipal(request);
      return reply.status(201).send(await recipients.create(organizationId, request.body.address));
    },
  });
  app.route({
    ...contract.sendMailRecipientLink,
    handler: async (request) => recipients.sendLink(requirePrincipal(request).organizationId, request.params.id),
  });
  app.route({
    ...contract.deleteMailRecipient,
    handler: async (request) => {
      await recipients.delete(requirePrincipal(request).organizationId, request.params.id);
      return { success: true as const };
    },
  });
}
