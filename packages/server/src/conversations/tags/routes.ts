import * as contract from "@foyer/contract";
import { requirePrincipal } from "../../auth/sessions/authenticate.ts";
import type { App } from "../../http/app.ts";
import type { TagService } from "./service.ts";

export function tagRoutes(app: App, tags: TagService): void {
  app.route({
    ...contract.listTags,
    handler: async (request) => tags.list(requirePrincipal(request).organizationId),
  });
  app.route({
    ...contract.updateTag,
    handler: async (request) =>
      tags.rename(requirePrincipal(request).organizationId, request.params.id, request.body.name),
  });
  app.route({
    ...contract.deleteTag,
    handler: async (request) => {
      await tags.delete(requirePrincipal(request).organizationId, request.params.id);
      return { success: true as const };
    },
  });
  app.route({
    ...contract.addConversationTag,
    handler: async (request) => ({
      data: await tags.add(requirePrincipal(request).organizationId, request.params.id, request.body.name),
      error: null,
    }),
  });
  app.route({
    ...contract.removeConversationTag,
    handler: async (request) => {
      const { id, tagId } = request.params;
      return { data: await tags.remove(requirePrincipal(request).organizationId, id, tagId), error: null };
    },
  });
}
