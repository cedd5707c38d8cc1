import * as contract from "@foyer/contract";
import { requirePrincipal } from "../auth/sessions/authenticate.ts";
import type { App } from "../http/app.ts";
import type { TrashService } from "./service.ts";

export function trashRoutes(app: App, trash: TrashService): void {
  app.route({
    ...contract.listTrash,
    handler: async (request) => ({
      data: await trash.list(requirePrincipal(request).organizationId, request.query),
      error: null,
    }),
  });
  app.route({
    ...contract.emptyTrash,
    handler: async (request) => ({
      data: { deleted: await trash.empty(requirePrincipal(request).organizationId) },
      error: null,
    }),
  });
  app.route({
    ...contract.deleteFromTrash,
    handler: async (request) => {
      await trash.delete(requirePrincipal(request).organizationId, request.params.id);
      return { data: { success: true as const }, error: null };
    },
  });
}
