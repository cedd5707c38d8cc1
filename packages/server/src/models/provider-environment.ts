import { type Problems, parseUrl, read, text } from "../config-values.ts";

export const providerNames = ["openai", "anthropic", "google", "mistral", "ollama", "openai-compatible"] as const;
export type ProviderName = (typeof providerNames)[number];

/** How to reach a provider. `baseUrl` has no trailing slash; `null` means the provider's own address. */
export type ProviderAccess = { apiKey: string | null; baseUrl: string | null };

const variables: Record<ProviderName, { key?: string; baseUrl: string }> = {
  openai: { key: "OPENAI_API_KEY", baseUrl: "OPENAI_BASE_URL" },
  anthropic: { key: "ANTHROPIC_API_KEY", baseUrl: "ANTHROPIC_BASE_URL" },
  google: { key: "GOOGLE_GENERATIVE_AI_API_KEY", baseUrl: "GOOGLE_GENERATIVE_AI_BASE_URL" },
  mistral: { key: "MISTRAL_API_KEY", baseUrl: "MISTRAL_BASE_URL" },
  ollama: { baseUrl: "OLLAMA_BASE_URL" },
  "openai-compatible": { key: "OPENAI_COMPATIBLE_API_KEY", baseUrl: "OPENAI_COMPATIBLE_BASE_URL" },
};

/** Providers without a fixed URL are enabled by setting the URL. All others are enabled by a key. */
export const needsBaseUrl: Record<ProviderName, boolean> = {
  openai: false,
  anthropic: false,
  google: false,
  mistral: false,
  ollama: true,
  "openai-compatible": true,
};

/** The providers that the environment configures, in the order in which the first one becomes the default. */
export function readProviders(environment: Record<string, string | undefined>, problems: Problems) {
  const providers = new Map<ProviderName, ProviderAccess>();
  for (const name of providerNames) {
    const { key, baseUrl } = variables[name];
    const access = {
      apiKey: key ? read<string | null>(environment, problems, { name: key, parse: text, fallback: null }) : null,
      baseUrl:
        read<string | null>(environment, problems, { name: baseUrl, parse: parseUrl, fallback: null })?.replace(
          /\/+$/,
          "",
        ) ?? null,
    };
    if (isUsable(name, access)) providers.set(name, access);
  }
  return providers;
}

/** Whether the provider can be called with this access. */
export function isUsable(name: ProviderName, access: ProviderAccess): boolean {
  return needsBaseUrl[name] ? access.baseUrl !== null : access.apiKey !== null;
}
