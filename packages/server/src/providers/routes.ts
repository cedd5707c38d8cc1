import * as contract from "@foyer/contract";
import { requirePrincipal } from "../auth/sessions/authenticate.ts";
import type { Deps } from "../deps.ts";
import { checkAll, invalid, notFound } from "../errors.ts";
import type { App } from "../http/app.ts";
import { withBodyRules } from "../http/body-rules.ts";
import {
  isUsable,
  needsBaseUrl,
  type ProviderAccess,
  type ProviderName,
  providerNames,
} from "../models/provider-environment.ts";
import { OutboundError } from "../outbound/outbound-error.ts";
import type { ProviderSettings } from "./provider-settings.ts";

type ProviderDeps = Pick<Deps, "models" | "config" | "outbound"> & { providerSettings: ProviderSettings };

export function providerRoutes(app: App, { models, providerSettings, config, outbound }: ProviderDeps): void {
  const { providers } = models;

  async function describe(organizationId: string): Promise<contract.ProviderInfo[]> {
    const own = await providerSettings.get(organizationId);
    return providerNames.map((provider) => {
      const inherited = config.models.providers.has(provider) ? "environment" : null;
      const source = own.has(provider) ? "account" : inherited;
      return {
        provider,
        label: providers[provider].label,
        needsBaseUrl: needsBaseUrl[provider],
        source,
        baseUrl: own.get(provider)?.baseUrl ?? null,
      };
    });
  }

  app.route({
    ...contract.listModels,
    handler: async (request) => ({ data: await models.list(requirePrincipal(request).organizationId), error: null }),
  });
  app.route({
    ...contract.listProviders,
    handler: async (request) => ({ data: await describe(requirePrincipal(request).organizationId), error: null }),
  });
  app.route({
    ...contract.putProvider,
    ...withBodyRules<GivenAccess, { provider: string }>(({ body }, request) =>
      checkAccess(toProviderName(request.params.provider), accessIn(body)),
    ),
    handler: async (request) => {
      const { organizationId } = requirePrincipal(request);
      const provider = toProviderName(request.params.provider);
      const access = accessIn(request.body);
      checkAccess(provider, access);
      await providerSettings.put(organizationId, provider, access);
      const info = (await describe(organizationId)).find((entry) => entry.provider === provider);
      if (!info) throw notFound("Model provider");
      return { data: info, error: null };
    },
  });
  app.route({
    ...contract.deleteProvider,
    handler: async (request) => {
      const provider = toProviderName(request.params.provider);
      const deleted = await providerSettings.delete(requirePrincipal(request).organizationId, provider);
      if (!deleted) throw notFound("Model provider setting");
      return { data: { success: true as const }, error: null };
    },
  });

  app.route({
    ...contract.testProvider,
    handler: async (request) => {
      const provider = toProviderName(request.params.provider);
      const access = accessIn(request.body);
      const isGiven = access.apiKey !== null || access.baseUrl !== null;
      if (isGiven) checkUsable(provider, access);
      const startedAt = performance.now();
      const { organizationId } = requirePrincipal(request);
      const { model = null, sendMessage = false } = request.body;
      const refusal = findRefusal(access.baseUrl);
      const result =
        refusal === null
          ? await models.test(organizationId, provider, { access: isGiven ? access : null, model, sendMessage })
          : { error: refusal, reply: null, exchanges: [] };
      const durationMs = Math.round(performance.now() - startedAt);
      return { data: { success: result.error === null, durationMs, ...result }, error: null };
    },
  });

  function checkUsable(provider: ProviderName, access: ProviderAccess) {
    if (isUsable(provider, access)) return;
    const missing = providers[provider].baseUrl === null ? "baseUrl" : "apiKey";
    throw invalid(missing, `${providers[provider].label} cannot be used without it`, "required");
  }

  function checkAccess(provider: ProviderName, access: ProviderAccess) {
    checkAll([
      () => {
        const refusal = findRefusal(access.baseUrl);
        if (refusal !== null) throw invalid("baseUrl", refusal);
      },
      () => checkUsable(provider, access),
    ]);
  }

  /**
   * Returns why an organization may not use this URL, as far as this can be determined without resolving it, or null if
   * the organization may use it.
   */
  function findRefusal(baseUrl: string | null): string | null {
    try {
      if (baseUrl !== null) outbound.checkUrl(baseUrl);
      return null;
    } catch (error) {
      if (error instanceof OutboundError) return error.message;
      throw error;
    }
  }
}

type GivenAccess = { apiKey?: string | null; baseUrl?: string | null };

/** The organization's own access, without the server's settings. */
function accessIn({ apiKey, baseUrl }: GivenAccess): ProviderAccess {
  return { apiKey: apiKey ?? null, baseUrl: baseUrl?.replace(/\/+$/, "") ?? null };
}

function toProviderName(name: string): ProviderName {
  const provider = providerNames.find((candidate) => candidate === name);
  if (!provider) throw notFound("Model provider");
  return provider;
}
