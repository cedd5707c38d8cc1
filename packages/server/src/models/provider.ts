import type { Caller, Outbound, OutboundRequest } from "../outbound/guarded-request.ts";
import type { ChatModel } from "./chat-model.ts";
import type { EmbeddingFormat } from "./embedding-formats.ts";
import type { ProviderKind, ServerSettings } from "./provider-environment.ts";

/** How to reach a provider for one organization. Only the operator's URL is trusted. */
export type Connection = Caller & {
  kind: ProviderKind;
  apiKey: string | null;
  baseUrl: string;
  server: ServerSettings;
  outbound: Outbound;
};

/** The description of a provider. Each provider has one file. */
export type Provider = {
  label: string;
  /**
   * used when this is the first configured provider and FOYER_DEFAULT_MODEL is not set; null if the first model that
   * the server lists is used instead
   */
  defaultModel: string | null;
  /** matches model names of this provider in ids without `provider/` */
  prefix: RegExp | null;
  /** its own base URL, without a trailing slash; null if the operator has to set one */
  baseUrl: string | ((server: ServerSettings) => string) | null;
  /** the path added to a base URL that has none, because people often leave it out */
  defaultPath: string;
  /** the path of the provider's other API, which people enter by mistake; it is replaced by the default path */
  alternatePath?: string;
  connect(connection: Connection, model: string): Promise<ChatModel>;
  /** the endpoint that lists its models, and how to parse the response; null if it has none */
  models: {
    path: string;
    headers(apiKey: string): Record<string, string>;
    names(body: unknown): string[];
  } | null;
  /** how to request embeddings, and names of models to suggest; null if the provider has none */
  embeddings: { format: EmbeddingFormat; suggested: readonly string[] } | null;
};

/**
 * Reads the model names from `{ data: [{ id }] }`, the format of OpenAI and many others. Some servers send the list
 * without its envelope or under another name, or names instead of objects.
 */
export function listModelIds(body: unknown): string[] {
  const { data, models } = (body ?? {}) as { data?: unknown; models?: unknown };
  const list = [body, data, models].find((value) => Array.isArray(value)) ?? [];
  const names = (list as unknown[]).map((model) => {
    const { id, name, model: own } = (typeof model === "object" && model !== null ? model : { id: model }) as Listed;
    return id ?? name ?? own;
  });
  return [...new Set(names.filter((name) => typeof name === "string" && name !== ""))] as string[];
}

type Listed = { id?: unknown; name?: unknown; model?: unknown };

export const bearerHeaders = (apiKey: string): Record<string, string> => ({ authorization: `Bearer ${apiKey}` });

/** The chat completions endpoint under the connection's base URL. */
export function chatEndpoint({ apiKey, baseUrl, outbound, trust, organizationId }: Connection) {
  const caller = { trust, organizationId };
  return {
    url: `${baseUrl}/chat/completions`,
    headers: apiKey ? bearerHeaders(apiKey) : {},
    send: (request: Omit<OutboundRequest, keyof Caller>) => outbound.stream({ ...request, ...caller }),
  };
}
