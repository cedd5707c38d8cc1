import * as contract from "@foyer/contract";
import { requirePrincipal } from "../auth/sessions/authenticate.ts";
import type { App } from "../http/app.ts";
import type { StatusService } from "./status.ts";

export function statusRoutes(app: App, statuses: StatusService): void {
  app.route({
    ...contract.resolveConversation,
    handler: async (request) => ({
      data: await statuses.resolve(requirePrincipal(request), request.params.id),
      error: null,
    }),
  });
  app.route({
    ...contract.reopenConversation,
    handler: async (request) => ({
      data: await statuses.reopen(requirePrincipal(request), request.params.id),
      error: null,
    }),
  });
  app.route({
    ...contract.snoozeConversation,
    handler: async (request) => ({
      data: await statuses.snooze(requirePrincipal(request), request.params.id, request.body.until),
      error: null,
    }),
  });
}
