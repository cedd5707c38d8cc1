import { type ServerKind, serverKinds } from "@foyer/contract";
import { type Problems, parseUrl, read, text } from "../config-values.ts";

/** The providers that need no name: their own name is the prefix of their models' ids. */
export const builtInNames = ["openai", "anthropic", "google", "mistral", "ollama", "openai-compatible"] as const;
type BuiltInName = (typeof builtInNames)[number];

/** How a provider is called. A named server is of one of the `serverKinds`. */
export type ProviderKind = BuiltInName | ServerKind;

/** `openai`, or the name of a server, such as `groq`: the prefix of the ids of its models. */
export type ProviderName = string;

/** What a kind of server needs besides a key and a URL. */
export type ServerSettings = {
  /** Azure */
  resourceName?: string;
  /** Azure: of its earlier interface, in which each deployment has a URL */
  apiVersion?: string;
  /** Bedrock */
  region?: string;
  /** Bedrock, with `secretAccessKey`, instead of an API key */
  accessKeyId?: string;
  secretAccessKey?: string;
};

/** How to reach a provider. `baseUrl` has no trailing slash; `null` means the provider's own address. */
export type ProviderAccess = {
  kind: ProviderKind;
  apiKey: string | null;
  baseUrl: string | null;
  server: ServerSettings;
};

const variables: Record<BuiltInName, { key?: string; baseUrl: string }> = {
  openai: { key: "OPENAI_API_KEY", baseUrl: "OPENAI_BASE_URL" },
  anthropic: { key: "ANTHROPIC_API_KEY", baseUrl: "ANTHROPIC_BASE_URL" },
  google: { key: "GOOGLE_GENERATIVE_AI_API_KEY", baseUrl: "GOOGLE_GENERATIVE_AI_BASE_URL" },
  mistral: { key: "MISTRAL_API_KEY", baseUrl: "MISTRAL_BASE_URL" },
  ollama: { baseUrl: "OLLAMA_BASE_URL" },
  "openai-compatible": { key: "OPENAI_COMPATIBLE_API_KEY", baseUrl: "OPENAI_COMPATIBLE_BASE_URL" },
};

/** Providers without a fixed URL are enabled by setting the URL. */
const urlIsEnough: ReadonlySet<ProviderKind> = new Set<ProviderKind>(["ollama", "openai-compatible"]);

export const needsBaseUrl = (kind: ProviderKind): boolean => urlIsEnough.has(kind);

/** Names that servers cannot have, because they are, or look like, providers that are not named by anyone. */
const reservedNames: ReadonlySet<string> = new Set([...builtInNames, ...serverKinds, "foyer"]);

export function isBuiltIn(name: string): name is BuiltInName {
  return builtInNames.some((known) => known === name);
}

/** @returns why a server cannot have this name, or null */
export function findNameProblem(name: string): string | null {
  if (reservedNames.has(name)) return `must not be ${name}, which is the name of a provider`;
  if (/^[a-z][a-z0-9-]{1,30}$/.test(name)) return null;
  return "must be 2 to 31 lowercase letters, digits and hyphens, and begin with a letter, such as my-server";
}

/**
 * The providers that the environment configures, in the order in which the first one becomes the default. Servers of
 * `OPENAI_COMPATIBLE_BASE_URL_<NAME>` follow the built-in providers.
 */
export function readProviders(environment: Record<string, string | undefined>, problems: Problems) {
  const providers = new Map<ProviderName, ProviderAccess>();
  const readText = (name: string | undefined) =>
    name ? read<string | null>(environment, problems, { name, parse: text, fallback: null }) : null;
  const readUrl = (name: string) =>
    read<string | null>(environment, problems, { name, parse: parseUrl, fallback: null })?.replace(/\/+$/, "") ?? null;
  for (const name of builtInNames) {
    const { key, baseUrl } = variables[name];
    const access = { kind: name, apiKey: readText(key), baseUrl: readUrl(baseUrl), server: {} };
    if (isUsable(access)) providers.set(name, access);
  }
  for (const variable of Object.keys(environment).sort()) {
    const suffix = /^OPENAI_COMPATIBLE_BASE_URL_(.+)$/.exec(variable)?.[1];
    if (suffix === undefined || !environment[variable]) continue;
    const name = suffix.toLowerCase().replaceAll("_", "-");
    const problem =
      findNameProblem(name) ?? (providers.has(name) ? `must not be ${name} again, which another variable names` : null);
    if (problem !== null) problems.add(variable, `a name after OPENAI_COMPATIBLE_BASE_URL_ that ${problem}`, suffix);
    const apiKey = readText(`OPENAI_COMPATIBLE_API_KEY_${suffix}`);
    providers.set(name, { kind: "openai-compatible", apiKey, baseUrl: readUrl(variable), server: {} });
  }
  return providers;
}

/** Whether the provider can be called with this access. */
export function isUsable(access: ProviderAccess): boolean {
  return findMissing(access) === null;
}

/** @returns the setting without which the provider cannot be called, or null */
export function findMissing({ kind, apiKey, baseUrl, server }: ProviderAccess): string | null {
  switch (kind) {
    case "azure":
      if (apiKey === null) return "apiKey";
      return baseUrl === null && !server.resourceName ? "resourceName" : null;
    case "bedrock":
      if (!server.region) return "region";
      if (apiKey !== null) return null;
      if (!server.accessKeyId) return "apiKey";
      return server.secretAccessKey ? null : "secretAccessKey";
    default:
      if (needsBaseUrl(kind)) return baseUrl === null ? "baseUrl" : null;
      return apiKey === null ? "apiKey" : null;
  }
}
