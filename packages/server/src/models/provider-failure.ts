import { APICallError } from "@ai-sdk/provider";
import ipaddr from "ipaddr.js";
import { OutboundError } from "../outbound/outbound-error.ts";
import { findProviderMessage } from "./chat-completions-reply.ts";
import type { ChosenModel } from "./chat-model.ts";
import { ModelError } from "./model-error.ts";

const MAX_CHARACTERS = 500;
/**
 * The maximum number of characters that are read. Errors of the AI SDK quote whole events, and the patterns below take
 * quadratic time, about 10 ms for this many characters.
 */
const MAX_READ = 4_000;

/** Why a model failed, for members of the organization. */
export type ProviderFailure = {
  provider: string | null;
  model: string;
  message: string;
  /** the provider's HTTP status, if it responded */
  providerStatus: number | null;
};

/**
 * The provider's message about a failure, truncated to 500 characters. Keys and addresses are removed: a provider may
 * quote the key that it rejected, and the address may be the operator's.
 */
export function describeFailure(error: unknown, { source, modelId }: ChosenModel): ProviderFailure {
  const cause = error instanceof ModelError ? (error.cause ?? error) : error;
  const known = { provider: source?.provider ?? null, model: source ? `${source.provider}/${modelId}` : modelId };
  if (!(error instanceof ModelError)) {
    return { ...known, provider: null, message: "The server failed. Its log has the cause.", providerStatus: null };
  }
  const providerStatus = APICallError.isInstance(cause) ? (cause.statusCode ?? null) : null;
  return { ...known, message: redact(describeCause(cause), source) || error.message, providerStatus };
}

function describeCause(cause: unknown): string {
  if (cause instanceof OutboundError) return `${cause.publicMessage}.`;
  if (APICallError.isInstance(cause)) return findErrorMessage(cause.responseBody) || cause.message;
  if (cause instanceof Error) return cause.message;
  // The AI SDK passes on an error event inside a stream unchanged, or only its `error` property.
  const event = (cause ?? {}) as { error?: unknown };
  return findProviderMessage({ error: event.error ?? event });
}

function findErrorMessage(body: string | undefined): string {
  try {
    return findProviderMessage(JSON.parse(body ?? ""));
  } catch {
    return "";
  }
}

/** A provider's message without keys and addresses, truncated to 500 characters. */
export function redact(
  text: string,
  source: Pick<NonNullable<ChosenModel["source"]>, "apiKey" | "baseUrl"> | null,
): string {
  const known = source ? [...(source.apiKey ? [source.apiKey] : []), ...listAddressParts(source.baseUrl)] : [];
  let clean = limitLength(text);
  // Remove the known secrets before truncating, because a truncated key would not be recognized.
  for (const secret of known)
    clean = clean.replaceAll(toLiteralPattern(secret), secret === source?.apiKey ? "***" : "(address)");
  return (
    clean
      .replace(/\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>)\]]+/gi, "(address)")
      .replace(/(?<![\w:])\[?[\da-f.]*:[\da-f.]*:[\da-f.:]*(?:\](?::\d+)?)?(?!\w)/gi, withoutIPv6)
      .replace(/\b(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?\b/g, "(address)")
      // Does not match every name with dots, because providers mention fields such as messages.0.content.
      .replace(/\b[\w-]+(?:\.[\w-]+)*\.(?:internal|local|localdomain|lan|corp|intranet|svc)\b(?::\d+)?/gi, "(address)")
      .replace(/\b(?:sk|pk|rk|gsk|xai|key)[-_][\w*.-]{6,}|\bAIza[\w*-]{10,}|(?<=\bbearer )\S+/gi, "***")
      // PostgreSQL cannot store NUL.
      .replace(/[\s\p{Cc}]+/gu, " ")
      .trim()
      .slice(0, MAX_CHARACTERS)
      .toWellFormed()
  );
}

/** The start of the text, without the word at the cut, which may be part of a key. */
function limitLength(text: string): string {
  if (text.length <= MAX_READ) return text;
  const start = text.slice(0, MAX_READ);
  const end = Math.max(start.lastIndexOf(" "), start.lastIndexOf("\n"));
  return start.slice(0, Math.max(end, 0));
}

/**
 * The parts of a base URL that an error may quote separately, longest first. A path of one segment, such as `/v1`, is
 * public.
 */
function listAddressParts(baseUrl: string): string[] {
  const { href, host, hostname, pathname } = new URL(baseUrl);
  const isPublic = pathname.split("/").filter(Boolean).length < 2;
  return [href, host, hostname, ...(isPublic ? [] : [pathname])];
}

const toLiteralPattern = (text: string) => new RegExp(RegExp.escape(text), "gi");

function withoutIPv6(match: string): string {
  const end = /(?:\.|(?<!:):)$/.exec(match)?.[0] ?? "";
  const address = match.slice(0, match.length - end.length).replace(/^\[|\](?::\d+)?$/g, "");
  return ipaddr.IPv6.isValid(address) ? `(address)${end}` : match;
}
