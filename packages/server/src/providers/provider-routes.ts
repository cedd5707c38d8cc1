import * as contract from "@foyer/contract";
import type { App } from "../app.ts";
import { accountOf } from "../auth/authenticate.ts";
import type { Deps } from "../deps.ts";
import { invalid, notFound } from "../errors.ts";
import { isUsable, type ProviderName, providerNames } from "../models/provider-environment.ts";
import { OutboundError } from "../outbound/outbound-error.ts";

export function providerRoutes(app: App, { models, providerSettings, config, outbound }: Deps): void {
  const { providers } = models;

  async function describe(organizationId: string): Promise<contract.ProviderInfo[]> {
    const own = await providerSettings.get(organizationId);
    return providerNames.map((provider) => {
      const inherited = config.models.providers.has(provider) ? "environment" : null;
      const source = own.has(provider) ? "account" : inherited;
      return { provider, label: providers[provider].label, source, baseUrl: own.get(provider)?.baseUrl ?? null };
    });
  }

  app.route({
    ...contract.listModels,
    handler: async (request) => ({ data: await models.list(accountOf(request).organizationId), error: null }),
  });
  app.route({
    ...contract.listProviders,
    handler: async (request) => ({ data: await describe(accountOf(request).organizationId), error: null }),
  });
  app.route({
    ...contract.putProvider,
    handler: async (request) => {
      const { organizationId } = accountOf(request);
      const provider = known(request.params.provider);
      const access = {
        apiKey: request.body.apiKey ?? null,
        baseUrl: request.body.baseUrl?.replace(/\/+$/, "") ?? null,
      };
      if (access.baseUrl !== null) checkAddress(access.baseUrl);
      if (!isUsable(provider, access)) {
        const missing = providers[provider].baseUrl === null ? "baseUrl" : "apiKey";
        throw invalid(missing, `${providers[provider].label} cannot be used without it`);
      }
      await providerSettings.put(organizationId, provider, access);
      const info = (await describe(organizationId)).find((entry) => entry.provider === provider);
      if (!info) throw notFound("Model provider");
      return { data: info, error: null };
    },
  });
  app.route({
    ...contract.deleteProvider,
    handler: async (request) => {
      const provider = known(request.params.provider);
      const deleted = await providerSettings.delete(accountOf(request).organizationId, provider);
      if (!deleted) throw notFound("Model provider setting");
      return { data: { success: true as const }, error: null };
    },
  });

  function checkAddress(baseUrl: string) {
    try {
      outbound.checkUrl(baseUrl);
    } catch (error) {
      throw error instanceof OutboundError ? invalid("baseUrl", error.message) : error;
    }
  }
}

function known(name: string): ProviderName {
  const provider = providerNames.find((candidate) => candidate === name);
  if (!provider) throw notFound("Model provider");
  return provider;
}
