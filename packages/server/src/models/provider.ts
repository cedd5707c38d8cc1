import type { Outbound, OutboundRequest, Trust } from "../outbound/guarded-request.ts";
import type { ChatModel } from "./chat-model.ts";

/** How to reach a provider for one account: whose address it is decides whether it is guarded. */
export type Connection = { apiKey: string | null; baseUrl: string; trust: Trust; outbound: Outbound };

/** What a provider's file says of it. */
export type Provider = {
  label: string;
  /** used when it is the first configured one and FOYER_DEFAULT_MODEL is not set; null where the operator must choose */
  defaultModel: string | null;
  /** names that mean this provider when an id has no `provider/` */
  prefix: RegExp | null;
  /** its own address, without a trailing slash; null where the operator must give one */
  baseUrl: string | null;
  /** the path that an address without one gets, because people leave it out */
  usualPath: string;
  /** the path of the provider's other API, which people give too; it gets the usual path instead */
  otherPath?: string;
  connect(connection: Connection, model: string): Promise<ChatModel>;
  /** where its models are listed, and how the answer is read */
  models: {
    path: string;
    headers(apiKey: string): Record<string, string>;
    names(body: unknown): string[];
  };
};

/** `{ data: [{ id }] }`, as OpenAI and many others answer. */
export function namesInData(body: unknown): string[] {
  const data = (body as { data?: Array<{ id?: unknown }> } | null)?.data ?? [];
  return data.map((model) => model.id).filter((id) => typeof id === "string");
}

export const bearer = (apiKey: string): Record<string, string> => ({ authorization: `Bearer ${apiKey}` });

/** The chat completions endpoint at the connection's address. */
export function chatEndpoint({ apiKey, baseUrl, trust, outbound }: Connection) {
  return {
    url: `${baseUrl}/chat/completions`,
    headers: apiKey ? bearer(apiKey) : {},
    send: (request: Omit<OutboundRequest, "trust">) => outbound.stream({ ...request, trust }),
  };
}
