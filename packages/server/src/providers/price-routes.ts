import * as contract from "@foyer/contract";
import { requirePrincipal } from "../auth/sessions/authenticate.ts";
import type { Deps } from "../deps.ts";
import type { App } from "../http/app.ts";
import { fileCurrency } from "../models/prices/price-file.ts";

/** The prices of models. */
export function priceRoutes(app: App, { prices }: Pick<Deps, "prices">): void {
  app.route({
    ...contract.listModelPrices,
    handler: async (request) => ({ data: await prices.list(requirePrincipal(request).organizationId), error: null }),
  });
  app.route({
    ...contract.putModelPrice,
    handler: async (request) => {
      const { input, cachedInput = null, output, currency = fileCurrency } = request.body;
      const price = { input, cachedInput, output, currency };
      const { organizationId } = requirePrincipal(request);
      return { data: await prices.put(organizationId, request.params.model, price), error: null };
    },
  });
  app.route({
    ...contract.deleteModelPrice,
    handler: async (request) => {
      await prices.delete(requirePrincipal(request).organizationId, request.params.model);
      return { data: { success: true as const }, error: null };
    },
  });
}
