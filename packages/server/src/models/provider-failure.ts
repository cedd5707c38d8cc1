import { APICallError } from "@ai-sdk/provider";
import { OutboundError } from "../outbound/outbound-error.ts";
import { providerMessage } from "./chat-completions-reply.ts";
import type { ChosenModel } from "./chat-model.ts";
import { ModelError } from "./model-error.ts";

const MAX_CHARACTERS = 500;

/** Why a model failed, for members of the organization. */
export type ProviderFailure = {
  provider: string | null;
  model: string;
  message: string;
  /** the provider's HTTP status, if it answered */
  providerStatus: number | null;
};

/**
 * The provider's own words about a failure, cut to 500 characters. Keys and addresses are removed: a provider may quote
 * the key that it refused, and the address may be the operator's.
 */
export function describeFailure(error: unknown, { source, modelId }: ChosenModel): ProviderFailure {
  const cause = error instanceof ModelError ? (error.cause ?? error) : error;
  const known = { provider: source?.provider ?? null, model: source ? `${source.provider}/${modelId}` : modelId };
  if (!(error instanceof ModelError)) {
    return { ...known, provider: null, message: "The server failed. Its log has the cause.", providerStatus: null };
  }
  const providerStatus = APICallError.isInstance(cause) ? (cause.statusCode ?? null) : null;
  return { ...known, message: redact(messageOf(cause), source) || error.message, providerStatus };
}

function messageOf(cause: unknown): string {
  if (cause instanceof OutboundError) return `${cause.publicMessage}.`;
  if (APICallError.isInstance(cause)) return messageIn(cause.responseBody) || cause.message;
  return cause instanceof Error ? cause.message : "";
}

function messageIn(body: string | undefined): string {
  try {
    return providerMessage(JSON.parse(body ?? ""));
  } catch {
    return "";
  }
}

function redact(text: string, source: ChosenModel["source"]): string {
  const key = source?.apiKey;
  const host = source && URL.parse(source.baseUrl)?.host;
  // Removed before the text is cut, because the beginning of a key would no longer be recognized.
  const clean = (key ? text.replaceAll(key, "***") : text)
    .replace(/\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>)\]]+/gi, "(address)")
    .replace(/\b(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?\b/g, "(address)")
    // Not every name with dots: providers point at fields such as messages.0.content.
    .replace(/\b[\w-]+(?:\.[\w-]+)*\.(?:internal|local|localdomain|lan|corp|intranet|svc)\b(?::\d+)?/gi, "(address)")
    .replace(/\b(?:sk|pk|rk|gsk|xai|key)[-_][\w*.-]{6,}|\bAIza[\w*-]{10,}|(?<=\bbearer )\S+/gi, "***");
  const plain = host ? clean.replaceAll(host, "(address)") : clean;
  return plain.replace(/\s+/g, " ").trim().slice(0, MAX_CHARACTERS).toWellFormed();
}
