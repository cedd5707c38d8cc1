import * as contract from "@foyer/contract";
import { type ServerKind, serverKinds } from "@foyer/contract";
import { requirePrincipal } from "../auth/sessions/authenticate.ts";
import type { Deps } from "../deps.ts";
import { AppError, checkAll, invalid, notFound } from "../errors.ts";
import type { App } from "../http/app.ts";
import { withBodyRules } from "../http/body-rules.ts";
import {
  builtInNames,
  findMissing,
  findNameProblem,
  isBuiltIn,
  needsBaseUrl,
  type ProviderAccess,
  type ProviderKind,
  type ServerSettings,
} from "../models/provider-environment.ts";
import { OutboundError } from "../outbound/outbound-error.ts";
import type { ProviderSettings } from "./provider-settings.ts";

/** The maximum number of servers that an organization can name. */
const MAX_SERVERS = 50;

type ProviderDeps = Pick<Deps, "models" | "config" | "outbound"> & { providerSettings: ProviderSettings };

export function providerRoutes(app: App, { models, providerSettings, config, outbound }: ProviderDeps): void {
  async function describe(organizationId: string): Promise<contract.ProviderInfo[]> {
    const own = await providerSettings.get(organizationId);
    const inherited = config.models.providers;
    return [...new Set([...builtInNames, ...inherited.keys(), ...own.keys()])].map((provider) => {
      const access = own.get(provider);
      const kind = isBuiltIn(provider) ? provider : (access ?? inherited.get(provider))?.kind;
      return {
        provider,
        label: models.labelOf(provider),
        kind: isBuiltIn(provider) ? null : (serverKinds.find((known) => known === kind) ?? null),
        needsBaseUrl: kind !== undefined && needsBaseUrl(kind),
        source: access ? "account" : inherited.has(provider) ? "environment" : null,
        baseUrl: access?.baseUrl ?? null,
        resourceName: access?.server.resourceName ?? null,
        apiVersion: access?.server.apiVersion ?? null,
        region: access?.server.region ?? null,
      };
    });
  }

  /**
   * What the request sets for the provider. A new server needs a `kind`, which a built-in provider cannot have.
   * @throws 400, or 404 for a provider that does not exist
   */
  async function readAccess(organizationId: string, name: string, given: GivenAccess): Promise<ProviderAccess> {
    const { kind } = given;
    if (isBuiltIn(name) && !kind) return toAccess(name, given);
    if (kind) {
      const problem = findNameProblem(name);
      if (problem !== null) throw invalid("provider", problem, "not_allowed");
      return toAccess(kind, given);
    }
    const known = (await providerSettings.get(organizationId)).get(name) ?? config.models.providers.get(name);
    if (!known) throw notFound("Model provider");
    return toAccess(known.kind, given);
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
    ...withBodyRules<GivenAccess, { provider: string }>(async ({ body, refused }, request) => {
      if (refused.has("kind")) return;
      checkAccess(await readAccess(requirePrincipal(request).organizationId, request.params.provider, body));
    }),
    handler: async (request) => {
      const { organizationId } = requirePrincipal(request);
      const { provider } = request.params;
      const access = await readAccess(organizationId, provider, request.body);
      checkAccess(access);
      await checkCount(organizationId, provider);
      await providerSettings.put(organizationId, provider, access);
      const info = (await describe(organizationId)).find((entry) => entry.provider === provider);
      if (!info) throw notFound("Model provider");
      return { data: info, error: null };
    },
  });
  app.route({
    ...contract.deleteProvider,
    handler: async (request) => {
      const { provider } = request.params;
      const deleted = await providerSettings.delete(requirePrincipal(request).organizationId, provider);
      if (!deleted) throw notFound("Model provider setting");
      return { data: { success: true as const }, error: null };
    },
  });

  app.route({
    ...contract.testProvider,
    handler: async (request) => {
      const { organizationId } = requirePrincipal(request);
      const { provider } = request.params;
      const { model = null, sendMessage = false, ...given } = request.body;
      const access = await readAccess(organizationId, provider, given);
      const isGiven = Object.values(given).some((value) => value !== null && value !== undefined);
      if (isGiven) checkUsable(access);
      const startedAt = performance.now();
      const refusal = findRefusal(access.baseUrl);
      const result =
        refusal === null
          ? await models.test(organizationId, provider, { access: isGiven ? access : null, model, sendMessage })
          : {
              error: refusal,
              reply: null,
              models: [],
              streaming: null,
              toolCalls: null,
              images: null,
              exchanges: [],
            };
      const durationMs = Math.round(performance.now() - startedAt);
      return { data: { success: result.error === null, durationMs, ...result }, error: null };
    },
  });

  /** @throws 409 when the organization has as many servers as it can have */
  async function checkCount(organizationId: string, provider: string) {
    const own = await providerSettings.get(organizationId);
    const servers = [...own.keys()].filter((name) => !isBuiltIn(name));
    if (isBuiltIn(provider) || own.has(provider) || servers.length < MAX_SERVERS) return;
    throw new AppError("CONFLICT", `An organization can have ${MAX_SERVERS} named servers. Delete one first.`);
  }

  function checkUsable(access: ProviderAccess) {
    const missing = findMissing(access);
    if (missing !== null) {
      throw invalid(missing, `${models.providers[access.kind].label} cannot be used without it`, "required");
    }
  }

  function checkAccess(access: ProviderAccess) {
    checkAll([
      () => {
        const refusal = findRefusal(access.baseUrl);
        if (refusal !== null) throw invalid("baseUrl", refusal);
      },
      () => checkUsable(access),
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

type GivenAccess = {
  [Name in "apiKey" | "baseUrl" | "resourceName" | "apiVersion" | "region" | "accessKeyId" | "secretAccessKey"]?:
    | string
    | null;
} & { kind?: ServerKind | null };

/** The organization's own access, without the server's settings. Settings of other kinds are left out. */
function toAccess(kind: ProviderKind, given: GivenAccess): ProviderAccess {
  const { apiKey, baseUrl } = given;
  const server = (serverSettings[kind] ?? []).flatMap((name) => (given[name] ? [[name, given[name]]] : []));
  return {
    kind,
    apiKey: apiKey ?? null,
    baseUrl: baseUrl?.replace(/\/+$/, "") ?? null,
    server: Object.fromEntries(server),
  };
}

const serverSettings: { [Kind in ProviderKind]?: ReadonlyArray<keyof ServerSettings> } = {
  azure: ["resourceName", "apiVersion"],
  bedrock: ["region", "accessKeyId", "secretAccessKey"],
};
