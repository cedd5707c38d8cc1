import * as contract from "@foyer/contract";
import { accountOf } from "../../auth/sessions/authenticate.ts";
import type { App } from "../../http/app.ts";
import type { MailRecipients } from "./mail-recipients.ts";

/** What members do with mail recipients. The page that confirms an address is in pages/. */
export function mailRecipientRoutes(app: App, recipients: MailRecipients): void {
  app.route({
    ...contract.listMailRecipients,
    handler: async (request) => recipients.list(accountOf(request).organizationId),
  });
  app.route({
    ...contract.createMailRecipient,
    handler: async (request, reply) => {
      const { organizationId } = accountOf(request);
      return reply.status(201).send(await recipients.create(organizationId, request.body.address));
    },
  });
  app.route({
    ...contract.sendMailRecipientLink,
    handler: async (request) => recipients.sendLink(accountOf(request).organizationId, request.params.id),
  });
  app.route({
    ...contract.deleteMailRecipient,
    handler: async (request) => {
      await recipients.delete(accountOf(request).organizationId, request.params.id);
      return { success: true as const };
    },
  });
}
