import * as contract from "@foyer/contract";
import { requirePrincipal } from "../auth/sessions/authenticate.ts";
import type { Deps } from "../deps.ts";
import type { App } from "../http/app.ts";
import type { ModelSettings } from "./model-settings.ts";

/** What an organization sets for models. */
export function modelSettingsRoutes(
  app: App,
  { models, modelSettings }: Pick<Deps, "models"> & { modelSettings: ModelSettings },
): void {
  app.route({
    ...contract.listModelSettings,
    handler: async (request) => ({
      data: await modelSettings.list(requirePrincipal(request).organizationId),
      error: null,
    }),
  });
  app.route({
    ...contract.putModelSetting,
    handler: async (request) => {
      const { organizationId } = requirePrincipal(request);
      const model = models.toFullId(request.params.model);
      const { supportsImages } = request.body;
      const data =
        supportsImages === null
          ? await modelSettings.remove(organizationId, model)
          : await modelSettings.put(organizationId, model, supportsImages);
      return { data, error: null };
    },
  });
}
